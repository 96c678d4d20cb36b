#pragma once

#include <array>
#include <vector>

#include "contact/aabb_tree.h"
#include "math/vector_field.h"
#include "supple/mesh.h"

namespace supple {

struct VertexFacePair {
  int vertex;    ///< of the model
  int triangle;  ///< of triangles()
  bool operator==(const VertexFacePair&) const = default;
  bool operator<(const VertexFacePair& other) const {
    return vertex != other.vertex ? vertex < other.vertex : triangle < other.triangle;
  }
};

struct EdgePair {
  int first, second;  ///< of edges(), first < second
  bool operator==(const EdgePair&) const = default;
  bool operator<(const EdgePair& other) const {
    return first != other.first ? first < other.first : second < other.second;
  }
};

/// The pairs of features of all surfaces, their own parts included, that may come close during a
/// step: those whose boxes, swept along linear motion, are no farther apart than `reach` along each
/// axis. No pair that comes within `reach` is left out. Features that share a vertex are no pair.
///
/// A tree over the triangles and one over the edges follow the motion. They are built anew once
/// their boxes have grown twice as large, compared with those of their items, as when they were
/// built.
class CloseFeatures {
 public:
  /// Corners are vertices of `positions`, m, by which the trees are built. `segments` are edges of
  /// no triangle, such as those of strands. Each edge is kept once, however many triangles have it.
  CloseFeatures(std::vector<std::array<int, 3>> triangles,
                const std::vector<std::array<int, 2>>& segments, const VectorField& positions);

  /// Finds the pairs for motion between two positions of all vertices, all of them finite. Both
  /// lists are ascending, and each pair is in them once. Allocates only to hold more pairs than
  /// ever before.
  void find(const VectorField& before, const VectorField& after, double reach);

  const std::vector<VertexFacePair>& vertex_faces() const { return vertex_faces_; }
  const std::vector<EdgePair>& edge_edges() const { return edge_edges_; }

  const std::vector<int>& vertices() const { return vertices_; }  ///< of any feature, ascending
  const std::vector<std::array<int, 2>>& edges() const { return edges_; }  ///< ascending
  const std::vector<std::array<int, 3>>& triangles() const { return triangles_; }

 private:
  /// A tree and the boxes of its items, in the items' own order and, for the searches, in that of
  /// the tree's leaves.
  struct Boxes {
    AabbTree tree;
    std::vector<Box> boxes, placed;
    double built_with = 0;  ///< looseness() when it was built
    double looseness() const;
    void place();
    void follow();
  };
  void update(const VectorField& before, const VectorField& after);

  std::vector<std::array<int, 3>> triangles_;
  std::vector<std::array<int, 2>> edges_;
  std::vector<int> vertices_;
  Boxes of_triangles_, of_edges_;
  std::vector<VertexFacePair> vertex_faces_;
  std::vector<EdgePair> edge_edges_;
};

}  // namespace supple
