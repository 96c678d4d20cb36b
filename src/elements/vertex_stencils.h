#pragma once

#include <cstdint>
#include <vector>

#include "mesh/colouring.h"
#include "model/model.h"

/// The model as a method reads it that visits vertices colour after colour with all the elements
/// around them.
///
/// Eight vertices of one colour are a group, one to a lane. The i-th tet around each of them stands
/// in one batch of eight pairs (vertex, tet), so that what a vertex sums over its tets stays in its
/// lane and nothing is scattered. Where a lane has no i-th tet, its pair repeats one of the group
/// with volume zero. Vertices of a colour are sorted by their numbers of tets, which keeps those
/// few: a group has as many batches as its richest vertex has tets.
namespace supple {

/// Eight pairs of a vertex and a tet that it belongs to, vertex[0] being that vertex.
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

  /// Parameters and fibers of all pairs, out of a model whose elements stand where they stood.
  void copy_materials(const Model& model);

  /// Those that change, out of such a model.
  void copy_rest_shapes(const Model& model);

  std::vector<int> colour_start;  ///< [num_colours + 1], into `groups`
  std::vector<VertexGroup> groups;
  std::vector<StencilSegment> segments;
  std::vector<StencilRange> ranges;  ///< as the model's
};

}  // namespace supple
