#include <cstddef>
#include <utility>

#include "mesh/generator_checks.h"
#include "mesh/lattice.h"
#include "mesh/round.h"

namespace supple {

TetMesh generate(const CylinderGenerator& cylinder) {
  constexpr const char* name = "cylinder";
  require_positive(name, "radius", cylinder.radius);
  require_positive(name, "height", cylinder.height);
  require_at_least(name, "cells", cylinder.cells, 2);
  require_at_least(name, "layers", cylinder.layers, 1);
  require_finite(name, "center", cylinder.center);
  const Frame frame = frame_about(name, cylinder.axis);
  const int n = cylinder.cells;
  const int layers = cylinder.layers;
  const double num_tets = 6.0 * n * n * layers;
  require_affordable(name, num_tets);

  const Lattice lattice{{n, n, layers}};
  TetMesh mesh;
  mesh.vertices.reserve(lattice.num_vertices());
  for (int k = 0; k <= layers; ++k) {
    const double along = cylinder.height * (static_cast<double>(k) / layers - 0.5);
    for (int j = 0; j <= n; ++j) {
      for (int i = 0; i <= n; ++i) {
        const std::array<double, 2> p = disc_point(i, j, n);
        mesh.vertices.push_back(point_in_frame(cylinder.center, frame, cylinder.radius * p[0],
                                               cylinder.radius * p[1], along));
      }
    }
  }
  mesh.tets.reserve(static_cast<std::size_t>(num_tets));
  for (int k = 0; k < layers; ++k) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        const unsigned start =
            outward_bit(i, n) | outward_bit(j, n) << 1U | outward_bit(k, layers) << 2U;
        append_kuhn_tets(lattice.corners(i, j, k), start, mesh.tets);
      }
    }
  }
  return finished(name, std::move(mesh));
}

}  // namespace supple
