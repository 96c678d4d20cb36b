#include <cmath>
#include <cstddef>
#include <utility>

#include "mesh/generator_checks.h"

namespace supple {

TetMesh generate(const TetrahedronGenerator& tetrahedron) {
  constexpr const char* name = "tetrahedron";
  require_positive(name, "edge", tetrahedron.edge);
  require_finite(name, "center", tetrahedron.center);
  // Every other corner of a cube whose face diagonal is the edge.
  const double half = tetrahedron.edge / std::sqrt(8.0);
  TetMesh mesh;
  for (const Vec3& sign : {Vec3{1, 1, 1}, Vec3{-1, -1, 1}, Vec3{-1, 1, -1}, Vec3{1, -1, -1}}) {
    Vec3 x = tetrahedron.center;
    for (std::size_t d = 0; d < 3; ++d) x[d] += half * sign[d];
    mesh.vertices.push_back(x);
  }
  mesh.tets.push_back({0, 1, 2, 3});
  return finished(name, std::move(mesh));
}

}  // namespace supple
