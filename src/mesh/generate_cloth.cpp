#include <cmath>
#include <cstddef>

#include "mesh/generator_checks.h"
#include "supple/error.h"

namespace supple {

namespace {

constexpr const char* name = "cloth";

void check(const ClothGenerator& cloth) {
  require_finite(name, "center", cloth.center);
  require_finite(name, "u", cloth.u);
  require_finite(name, "v", cloth.v);
  require_at_least(name, "cells/0", cloth.cells[0], 1);
  require_at_least(name, "cells/1", cloth.cells[1], 1);
  const Vec3 &u = cloth.u, &v = cloth.v;
  const double area =
      std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
  const double product = std::hypot(u[0], u[1], u[2]) * std::hypot(v[0], v[1], v[2]);
  // The sine of the angle between the sides: below this their cross product is rounding.
  if (!(area > 1e-12 * product) || !std::isfinite(product)) {
    throw Error(ErrorKind::invalid_input, name,
                "u and v: expected two sides of a length above 0 that are not parallel");
  }
  require_affordable_springs(name, 6 * static_cast<double>(cloth.cells[0]) * cloth.cells[1]);
}

}  // namespace

SpringMesh generate(const ClothGenerator& cloth) {
  check(cloth);
  const auto [nx, ny] = cloth.cells;
  SpringMesh mesh;
  const auto num_cells = static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
  mesh.vertices.reserve(num_cells + static_cast<std::size_t>(nx) + static_cast<std::size_t>(ny));
  mesh.triangles.reserve(2 * num_cells);
  mesh.shear.reserve(2 * num_cells);
  mesh.structural.reserve(2 * num_cells);
  mesh.bending.reserve(2 * num_cells);
  const int row = nx + 1;
  for (int j = 0; j <= ny; ++j) {
    for (int i = 0; i <= nx; ++i) {
      const double s = static_cast<double>(i) / nx - 0.5, t = static_cast<double>(j) / ny - 0.5;
      Vec3 x = cloth.center;
      for (std::size_t d = 0; d < 3; ++d) x[d] += s * cloth.u[d] + t * cloth.v[d];
      mesh.vertices.push_back(x);
      const int here = j * row + i;
      if (i > 0) mesh.structural.push_back({here - 1, here});
      if (j > 0) mesh.structural.push_back({here - row, here});
      if (i > 1) mesh.bending.push_back({here - 2, here});
      if (j > 1) mesh.bending.push_back({here - 2 * row, here});
    }
  }
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i) {
      const int a = j * row + i, b = a + 1, c = b + row, d = a + row;
      mesh.shear.push_back({a, c});
      mesh.shear.push_back({b, d});
      // Diagonals alternate from cell to cell, so that the drawn surface has no grain.
      if ((i + j) % 2 == 0) {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
      } else {
        mesh.triangles.push_back({a, b, d});
        mesh.triangles.push_back({b, c, d});
      }
    }
  }
  return mesh;
}

}  // namespace supple
