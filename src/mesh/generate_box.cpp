#include <cstddef>
#include <string>
#include <utility>

#include "mesh/generator_checks.h"
#include "mesh/lattice.h"
#include "supple/error.h"

namespace supple {

TetMesh generate(const BoxGenerator& box) {
  constexpr const char* name = "box";
  for (std::size_t d = 0; d < 3; ++d) {
    require_positive(name, "size/" + std::to_string(d), box.size[d]);
    require_at_least(name, "cells/" + std::to_string(d), box.cells[d], 1);
  }
  require_finite(name, "center", box.center);
  if (box.tets_per_cell != 5 && box.tets_per_cell != 6) {
    throw Error(ErrorKind::invalid_input, name,
                "tets_per_cell: " + std::to_string(box.tets_per_cell) + " is neither 5 nor 6");
  }
  const double num_cells =
      static_cast<double>(box.cells[0]) * box.cells[1] * static_cast<double>(box.cells[2]);
  require_affordable(name, num_cells * box.tets_per_cell);

  const Lattice lattice{box.cells};
  TetMesh mesh;
  mesh.vertices.reserve(lattice.num_vertices());
  const auto coordinate = [&](std::size_t d, int i) {
    // The ends are exact, so that a box around a face selects the whole face.
    return box.center[d] + box.size[d] * (static_cast<double>(i) / box.cells[d] - 0.5);
  };
  for (int k = 0; k <= box.cells[2]; ++k) {
    for (int j = 0; j <= box.cells[1]; ++j) {
      for (int i = 0; i <= box.cells[0]; ++i) {
        mesh.vertices.push_back({coordinate(0, i), coordinate(1, j), coordinate(2, k)});
      }
    }
  }
  mesh.tets.reserve(static_cast<std::size_t>(num_cells) *
                    static_cast<std::size_t>(box.tets_per_cell));
  for (int k = 0; k < box.cells[2]; ++k) {
    for (int j = 0; j < box.cells[1]; ++j) {
      for (int i = 0; i < box.cells[0]; ++i) {
        const std::array<int, 8> corners = lattice.corners(i, j, k);
        if (box.tets_per_cell == 5) {
          append_five_tets(corners, static_cast<unsigned>(i + j + k) % 2U, mesh.tets);
        } else {
          append_kuhn_tets(corners, 0, mesh.tets);
        }
      }
    }
  }
  return finished(name, std::move(mesh));
}

}  // namespace supple
