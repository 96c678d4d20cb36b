#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <utility>

#include "mesh/generator_checks.h"
#include "mesh/lattice.h"
#include "mesh/round.h"
#include "supple/error.h"

namespace supple {

TetMesh generate(const TorusGenerator& torus) {
  constexpr const char* name = "torus";
  require_positive(name, "major", torus.major);
  require_positive(name, "minor", torus.minor);
  if (torus.major <= torus.minor) {
    throw Error(
        ErrorKind::invalid_input, name,
        "major: " + number_text(torus.major) + " is not above minor, " + number_text(torus.minor));
  }
  require_at_least(name, "segments", torus.segments, 3);
  require_at_least(name, "cells", torus.cells, 2);
  require_finite(name, "center", torus.center);
  const Frame frame = frame_about(name, torus.axis);
  const int n = torus.cells;
  const double num_tets = 6.0 * n * n * torus.segments;
  require_affordable(name, num_tets);

  const Lattice lattice{{n, n, torus.segments}, true};
  TetMesh mesh;
  mesh.vertices.reserve(lattice.num_vertices());
  for (int k = 0; k < torus.segments; ++k) {
    const double angle = 2 * std::numbers::pi * k / torus.segments;
    for (int j = 0; j <= n; ++j) {
      for (int i = 0; i <= n; ++i) {
        // Along the axis, outward and around form a right-handed frame, in this order.
        const std::array<double, 2> p = disc_point(i, j, n);
        const double radius = torus.major + torus.minor * p[1];
        mesh.vertices.push_back(point_in_frame(torus.center, frame, radius * std::cos(angle),
                                               radius * std::sin(angle), torus.minor * p[0]));
      }
    }
  }
  mesh.tets.reserve(static_cast<std::size_t>(num_tets));
  for (int k = 0; k < torus.segments; ++k) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        const unsigned start = outward_bit(i, n) | outward_bit(j, n) << 1U;
        append_kuhn_tets(lattice.corners(i, j, k), start, mesh.tets);
      }
    }
  }
  return finished(name, std::move(mesh));
}

}  // namespace supple
