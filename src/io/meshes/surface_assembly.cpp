#include "io/meshes/surface_assembly.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "io/meshes/triangulate.h"

namespace supple {

void SurfaceAssembly::add_polygon(const Source& source, std::span<const std::int64_t> corners,
                                  std::size_t offset) {
  if (corners.size() < 3) {
    source.fail(offset,
                "a face of " + std::to_string(corners.size()) + " corners: expected at least 3");
  }
  const std::size_t begin = corners_.size();
  corners_.insert(corners_.end(), corners.begin(), corners.end());
  polygons_.push_back({begin, corners_.size(), offset});
}

TriangleMesh SurfaceAssembly::finish(const Source& source) {
  if (vertices.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    source.fail("the surface has more vertices than can be numbered");
  }
  TriangleMesh mesh;
  mesh.vertices = std::move(vertices);
  const auto num_vertices = static_cast<std::int64_t>(mesh.vertices.size());
  std::vector<int> corners;
  for (const Polygon& polygon : polygons_) {
    corners.clear();
    for (std::size_t c = polygon.begin; c < polygon.end; ++c) {
      // Compared before the subtraction, because the number is whatever the file says.
      const std::int64_t corner = corners_[c];
      if (corner < first_vertex_ || corner - first_vertex_ >= num_vertices) {
        source.fail(polygon.offset,
                    "a face names vertex " + std::to_string(corner) +
                        (num_vertices == 0
                             ? ", but there are no vertices"
                             : ": vertices are numbered " + std::to_string(first_vertex_) + " to " +
                                   std::to_string(first_vertex_ + num_vertices - 1)));
      }
      corners.push_back(static_cast<int>(corner - first_vertex_));
    }
    if (!append_triangles(mesh.vertices, corners, mesh.triangles)) {
      source.fail(polygon.offset, "a face of " + std::to_string(corners.size()) +
                                      " corners that is not convex: expected at most " +
                                      std::to_string(largest_concave_polygon));
    }
  }
  if (mesh.triangles.empty()) source.fail("there are no triangles: expected at least one");
  return mesh;
}

}  // namespace supple
