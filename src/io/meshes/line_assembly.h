#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/meshes/source.h"
#include "supple/mesh.h"

namespace supple {

/// Strands while they are read: segments with the ends as the file numbers them.
class LineAssembly {
 public:
  /// `first_vertex`: the number of the first vertex, 0 or 1.
  explicit LineAssembly(std::int64_t first_vertex) : first_vertex_(first_vertex) {}

  std::vector<Vec3> vertices;

  /// `offset`: where the segment stands.
  void add_segment(std::int64_t a, std::int64_t b, std::size_t offset) {
    segments_.push_back({a, b, offset});
  }

  /// The segments, in the order of the file; structural springs along them, and bending springs
  /// over each vertex where exactly two of them meet. Throws Error{bad_file} at the segment for an
  /// index out of range, for ends that are one vertex or lie in one place, and for a segment that
  /// is there already; about the source as a whole where there are none.
  SpringMesh finish(const Source& source);

 private:
  struct Segment {
    std::int64_t a, b;
    std::size_t offset;
  };
  std::int64_t first_vertex_;
  std::vector<Segment> segments_;
};

}  // namespace supple
