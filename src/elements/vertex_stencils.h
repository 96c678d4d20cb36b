#pragma once

#include <cstdint>
#include <vector>

#include "mesh/colouring.h"
#include "model/model.h"

/// The model as read by a method that visits vertices colour after colour, each with all elements
/// around it.
///
/// Eight vertices of one colour form a group, one per lane. The i-th tets around them form one
/// batch of eight pairs (vertex, tet), so whatever a vertex sums over its tets stays in its lane
/// and nothing is scattered. If a lane has no i-th tet, its pair repeats another pair of the group
/// with volume zero. Vertices of a colour are sorted by their numbers of tets, which keeps such
/// pairs few: a group has as many batches as its vertex with the most tets has tets.
namespace supple {

/// Eight pairs of a vertex and a tet that it belongs to; vertex[0] is that vertex.
struct StencilBatch {
  std::int32_t vertex[4][lanes];  ///< vertex of the model
  double inverse_rest[9][lanes];  ///< gradients of corners 1 to 3, row after row, 1/m
  double volume[lanes];           ///< m^3; 0 in an empty lane
};

/// The pairs of one range of the model's elements.
struct StencilRange {
  std::vector<StencilBatch> batches;
  std::vector<int> source;  ///< [num_batches][lanes], place in the range: batch * lanes + lane
  std::vector<double> parameters;  ///< as ElementRange::parameters
  std::vector<double> fibers;      ///< as ElementRange::fibers
  std::vector<double> viscosity;   ///< as ElementRange::viscosity
};

/// Consecutive batches of one range.
struct StencilSegment {
  int range = 0;
  int first_batch = 0;
  int num_batches = 0;
};

struct VertexGroup {
  std::int32_t vertex[lanes];  ///< of the model; an empty lane repeats the first
  int num_vertices = 0;
  int first_segment = 0;
  int num_segments = 0;
};

struct VertexStencils {
  VertexStencils(const Model& model, const Colouring& colouring);

  /// Copies parameters and fibers of all pairs from a model whose layout of elements is the same.
  void copy_materials(const Model& model);

  /// Copies those rest shapes that can change from such a model.
  void copy_rest_shapes(const Model& model);

  std::vector<int> colour_start;  ///< [num_colours + 1], into `groups`
  std::vector<VertexGroup> groups;
  std::vector<StencilSegment> segments;
  std::vector<StencilRange> ranges;  ///< as the model's
};

}  // namespace supple
