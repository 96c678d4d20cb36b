#pragma once

#include <array>
#include <span>
#include <vector>

namespace supple {

/// The cells of box lattices. Each consists of five or six consecutive tets.
struct LatticeCells {
  std::vector<int> start;                   ///< [num_cells + 1], first tet of each cell
  std::vector<std::vector<int>> of_colour;  ///< cells, those of six tets first; at most eight
};

/// Finds the cells: runs of six, or else five, tets that use eight vertices. Two cells of one
/// colour share no vertex [Macklin & Mueller 2021, sec. 5.3]. Several bodies can follow each other.
/// Throws Error{invalid_input} at /solver/order if the tets are no such runs or if eight colours do
/// not suffice.
LatticeCells find_lattice_cells(std::span<const std::array<int, 4>> tets, int num_vertices);

}  // namespace supple
