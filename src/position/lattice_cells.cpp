#include "position/lattice_cells.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string>

#include "base/index.h"
#include "supple/error.h"

namespace supple {

namespace {

using Tets = std::span<const std::array<int, 4>>;

constexpr int num_corners = 8;

[[noreturn]] void fail(const std::string& message) {
  throw Error(
      ErrorKind::invalid_input, "/solver/order",
      "'cells' is for box lattices alone: " + message + "; 'parts' and 'colours' take any mesh");
}

/// The vertices of some tets, each once, ascending.
std::vector<int> vertices_of(Tets tets) {
  std::vector<int> vertices;
  for (const auto& tet : tets) vertices.insert(vertices.end(), tet.begin(), tet.end());
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

/// Tets of the cell that starts at `first`, 0 if there is none. Six are tried first: five of six
/// also use all eight vertices, but a sixth tet from the next cell brings a ninth.
int cell_size(Tets tets, std::size_t first) {
  for (int size : {6, 5}) {
    if (first + at(size) > tets.size()) continue;
    if (vertices_of(tets.subspan(first, at(size))).size() == num_corners) return size;
  }
  return 0;
}

/// Colours the cells in their order. In a lattice counted row by row and layer by layer, a cell
/// finds at most seven colours around it.
void colour(Tets tets, int num_vertices, LatticeCells& cells) {
  std::vector<unsigned> around(at(num_vertices), 0);  // masks of colours
  std::array<std::vector<int>, num_corners> six;
  std::array<std::vector<int>, num_corners> five;
  for (std::size_t c = 0; c + 1 < cells.start.size(); ++c) {
    const int first = cells.start[c];
    const int size = cells.start[c + 1] - first;
    const std::vector<int> corners = vertices_of(tets.subspan(at(first), at(size)));
    unsigned taken = 0;
    for (int v : corners) taken |= around[at(v)];
    const int free = std::countr_one(taken);
    if (free >= num_corners) {
      fail("its cells would be done in eight colours, of which the cell of tets " +
           std::to_string(first) + " to " + std::to_string(first + size - 1) + " finds none free");
    }
    for (int v : corners) around[at(v)] |= 1U << free;
    (size == 6 ? six : five)[at(free)].push_back(static_cast<int>(c));
  }
  for (std::size_t k = 0; k < num_corners; ++k) {
    if (six[k].empty() && five[k].empty()) continue;
    six[k].insert(six[k].end(), five[k].begin(), five[k].end());
    cells.of_colour.push_back(std::move(six[k]));
  }
}

}  // namespace

LatticeCells find_lattice_cells(std::span<const std::array<int, 4>> tets, int num_vertices) {
  LatticeCells cells;
  cells.start.push_back(0);
  while (at(cells.start.back()) < tets.size()) {
    const int first = cells.start.back();
    const int size = cell_size(tets, at(first));
    if (size == 0) {
      fail(
          "expected cells of 5 or 6 tets that follow each other and use 8 vertices, but those from "
          "tet " +
          std::to_string(first) + " on are none");
    }
    cells.start.push_back(first + size);
  }
  colour(tets, num_vertices, cells);
  return cells;
}

}  // namespace supple
