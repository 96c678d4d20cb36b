#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/meshes/source.h"
#include "supple/mesh.h"

namespace supple {

/// Strands while they are being read: segments with their ends as numbered in the file.
class LineAssembly {
 public:
  /// `first_vertex`: the number of the first vertex, 0 or 1.
  explicit LineAssembly(std::int64_t first_vertex) : first_vertex_(first_vertex) {}

  std::vector<Vec3> vertices;

  /// `offset`: the position of the segment in the file.
  void add_segment(std::int64_t a, std::int64_t b, std::size_t offset) {
    segments_.push_back({a, b, offset});
  }

  /// The segments, in the order of the file, with structural springs along them and bending springs
  /// over each vertex where exactly two of them meet. Throws Error{bad_file} at the segment for an
  /// index out of range, for two ends that are the same vertex or coincide, and for a repeated
  /// segment.
  SpringMesh finish(const Source& source);

 private:
  struct Segment {
    std::int64_t a, b;
    std::size_t offset;
  };
  std::int64_t first_vertex_;
  std::vector<Segment> segments_;
};

/// The same strands. Throws Error{bad_file} at `name` if they have no segments.
SpringMesh with_segments(SpringMesh strands, const std::string& name);

}  // namespace supple
