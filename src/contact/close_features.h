#pragma once

#include <array>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "base/parallel_for.h"
#include "contact/aabb_tree.h"
#include "supple/mesh.h"

namespace supple {

struct VertexFacePair {
  int vertex;    ///< a vertex of the model
  int triangle;  ///< index into triangles()
  bool operator==(const VertexFacePair&) const = default;
  bool operator<(const VertexFacePair& other) const {
    return vertex != other.vertex ? vertex < other.vertex : triangle < other.triangle;
  }
};

struct EdgePair {
  int first, second;  ///< indices into edges(), first < second
  bool operator==(const EdgePair&) const = default;
  bool operator<(const EdgePair& other) const {
    return first != other.first ? first < other.first : second < other.second;
  }
};

/// The features of a body that can meet another one. Segments are edges that belong to no triangle,
/// such as those of strands.
struct BodyFeatures {
  std::vector<std::array<int, 3>> triangles;  ///< vertices
  std::vector<std::array<int, 2>> segments;   ///< vertices
  bool is_fixed = false;                      ///< it never moves
};

/// The pairs of features of bodies that may come close during a step: those whose boxes, swept
/// along linear motion, are no farther apart than `reach` along each axis. No pair that comes
/// within `reach` is left out. Features that share a vertex are not a pair.
///
/// Each body has a tree over its triangles and one over its edges, which follow the motion if
/// another body comes near. A tree is rebuilt once its boxes, compared with those of its items, are
/// twice as large as when it was built.
class CloseFeatures {
 public:
  /// Whether features of two bodies, or of one, are wanted. Symmetric.
  using Meets = std::function<bool(int, int)>;

  /// Each edge is kept once, however many triangles share it.
  explicit CloseFeatures(const std::vector<BodyFeatures>& bodies);

  /// Finds the pairs for motion between two positions of all vertices, m, padded to four numbers
  /// per vertex, all of them finite. Both lists are ascending and contain each pair once, for any
  /// number of threads. Allocates only to hold more pairs than ever before. Returns whether there
  /// are no more than `most`; otherwise the lists are empty.
  bool find(const double* before, const double* after, double reach, const Meets& meets,
            Threads& threads, std::size_t most = std::numeric_limits<std::size_t>::max());

  const std::vector<VertexFacePair>& vertex_faces() const { return vertex_faces_; }
  const std::vector<EdgePair>& edge_edges() const { return edge_edges_; }

  /// Edges of all bodies, one body after the other, ascending in each.
  const std::vector<std::array<int, 2>>& edges() const { return edges_; }
  /// In the bodies' order.
  const std::vector<std::array<int, 3>>& triangles() const { return triangles_; }
  /// Those of a body go from its first one to the next body's first.
  int first_edge(int body) const { return first_of(body, edges_.size(), &Body::edges); }
  int first_triangle(int body) const { return first_of(body, triangles_.size(), &Body::triangles); }

 private:
  /// A tree and the boxes of its items, both in the items' own order and, for searches, in the
  /// order of the tree's leaves.
  struct Boxes {
    int first = 0;  ///< the first of the items, in triangles_ or edges_
    AabbTree tree;
    std::vector<Box> boxes, placed;
    double built_with = 0;  ///< looseness() when it was built
    double looseness() const;
    void place();
    void follow();
    int item(int place) const { return first + tree.order()[static_cast<std::size_t>(place)]; }
    const Box& box(int place) const { return placed[static_cast<std::size_t>(place)]; }
  };
  struct Body {
    std::vector<int> vertices;  ///< that belong to a feature, ascending
    Boxes triangles, edges;
    Box bounds;
    bool is_up_to_date = false;
    bool is_fixed = false;
  };
  struct Search;
  /// What one of several tasks finds.
  struct Found {
    std::vector<VertexFacePair> vertex_faces;
    std::vector<EdgePair> edge_edges;
    std::vector<int> near;    ///< result of vertices_near
    std::size_t counted = 0;  ///< pairs that other tasks know of
    std::size_t count() const { return vertex_faces.size() + edge_edges.size(); }
  };
  int first_of(int body, std::size_t end, Boxes Body::*items) const {
    const auto b = static_cast<std::size_t>(body);
    return b < bodies_.size() ? (bodies_[b].*items).first : static_cast<int>(end);
  }
  void add_body(const BodyFeatures& surface);
  void find_near_bodies(const Search& search, const Meets& meets, Threads& threads);
  static void update(Body& body, const Search& search);
  void find_between(const Body& a, const Body& b, const Search& search, Found& found) const;
  const std::vector<int>& vertices_near(const Body& own, const Box& box, const Search& search,
                                        Found& found) const;
  void find_faces_near(const Body& own, const Body& other, const Search& search,
                       Found& found) const;
  template <class Pair>
  void sort(std::vector<Pair> Found::*list, std::size_t num_firsts, int Pair::*first,
            std::vector<Pair>& sorted, Threads& threads);

  std::vector<std::array<int, 3>> triangles_;
  std::vector<std::array<int, 2>> edges_;
  std::size_t num_vertices_ = 0;  ///< after the last one of a feature
  std::vector<Body> bodies_;
  std::vector<std::pair<int, int>> near_bodies_;
  std::vector<int> to_update_;  ///< bodies
  std::vector<Found> found_;
  std::vector<int> start_;  ///< of the pairs of each first feature
  std::vector<VertexFacePair> vertex_faces_;
  std::vector<EdgePair> edge_edges_;
};

}  // namespace supple
