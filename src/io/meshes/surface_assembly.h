#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/meshes/source.h"
#include "supple/mesh.h"

namespace supple {

/// A surface while it is being read: polygons with their corners as numbered in the file.
class SurfaceAssembly {
 public:
  /// `first_vertex`: the number of the first vertex, 0 or 1.
  explicit SurfaceAssembly(std::int64_t first_vertex) : first_vertex_(first_vertex) {}

  std::vector<Vec3> vertices;

  /// `offset`: the position of the polygon in the file. Throws Error{bad_file} for fewer than three
  /// corners.
  void add_polygon(const Source& source, std::span<const std::int64_t> corners, std::size_t offset);

  /// The polygons cut into triangles. A triangle that names the same vertex twice has no area and
  /// is left out. Throws Error{bad_file} at the polygon for an index out of range and for a polygon
  /// of more than `largest_concave_polygon` corners that is not convex; about the source as a whole
  /// if no triangle remains.
  TriangleMesh finish(const Source& source);

 private:
  struct Polygon {
    std::size_t begin;
    std::size_t end;
    std::size_t offset;
  };
  std::int64_t first_vertex_;
  std::vector<std::int64_t> corners_;
  std::vector<Polygon> polygons_;
};

}  // namespace supple
