#include <cstddef>
#include <utility>

#include "mesh/generator_checks.h"
#include "mesh/lattice.h"
#include "mesh/round.h"

namespace supple {

TetMesh generate(const SphereGenerator& sphere) {
  constexpr const char* name = "sphere";
  require_positive(name, "radius", sphere.radius);
  require_at_least(name, "cells", sphere.cells, 2);
  require_finite(name, "center", sphere.center);
  const int n = sphere.cells;
  const double num_tets = 6.0 * n * n * n;
  require_affordable(name, num_tets);

  const Lattice lattice{{n, n, n}};
  TetMesh mesh;
  mesh.vertices.reserve(lattice.num_vertices());
  for (int k = 0; k <= n; ++k) {
    for (int j = 0; j <= n; ++j) {
      for (int i = 0; i <= n; ++i) {
        Vec3 x = ball_point(i, j, k, n);
        for (std::size_t d = 0; d < 3; ++d) x[d] = sphere.center[d] + sphere.radius * x[d];
        mesh.vertices.push_back(x);
      }
    }
  }
  mesh.tets.reserve(static_cast<std::size_t>(num_tets));
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        const unsigned start =
            outward_bit(i, n) | outward_bit(j, n) << 1U | outward_bit(k, n) << 2U;
        append_kuhn_tets(lattice.corners(i, j, k), start, mesh.tets);
      }
    }
  }
  return finished(name, std::move(mesh));
}

}  // namespace supple
