#include "position/constraint_colours.h"

#include <bit>
#include <cstdint>

namespace supple {

namespace {

/// Colours that a vertex has met, as bits.
using Met = std::vector<std::uint64_t>;

/// Smallest colour that none of the vertices has met.
int smallest_free(const std::vector<Met>& met, std::span<const int> vertices) {
  for (std::size_t word = 0;; ++word) {
    std::uint64_t taken = 0;
    for (int v : vertices) {
      const Met& of_vertex = met[static_cast<std::size_t>(v)];
      if (word < of_vertex.size()) taken |= of_vertex[word];
    }
    if (~taken != 0) return static_cast<int>(64 * word) + std::countr_one(taken);
  }
}

/// touched_by(c): the vertices of a constraint.
template <class Touched>
ConstraintColours coloured(std::size_t count, int num_vertices, const Touched& touched_by) {
  std::vector<Met> met(static_cast<std::size_t>(num_vertices));
  std::vector<int> colour(count);
  std::vector<int> size;
  for (std::size_t c = 0; c < count; ++c) {
    const std::span<const int> touched = touched_by(c);
    const int found = smallest_free(met, touched);
    const auto word = static_cast<std::size_t>(found / 64);
    for (int v : touched) {
      Met& of_vertex = met[static_cast<std::size_t>(v)];
      if (of_vertex.size() <= word) of_vertex.resize(word + 1);
      of_vertex[word] |= std::uint64_t{1} << (found % 64);
    }
    if (found == static_cast<int>(size.size())) size.push_back(0);
    ++size[static_cast<std::size_t>(found)];
    colour[c] = found;
  }
  ConstraintColours colours;
  for (int n : size) colours.start.push_back(colours.start.back() + n);
  colours.constraints.resize(count);
  std::vector<int> next(colours.start.begin(), colours.start.end() - 1);
  for (std::size_t c = 0; c < count; ++c) {
    const int place = next[static_cast<std::size_t>(colour[c])]++;
    colours.constraints[static_cast<std::size_t>(place)] = static_cast<int>(c);
  }
  return colours;
}

}  // namespace

ConstraintColours colour_constraints(std::span<const int> vertices, int arity, int num_vertices) {
  const std::size_t width = static_cast<std::size_t>(arity);
  return coloured(vertices.size() / width, num_vertices,
                  [&](std::size_t c) { return vertices.subspan(width * c, width); });
}

ConstraintColours colour_constraints(std::span<const int> vertices, std::span<const int> start,
                                     int num_vertices) {
  return coloured(start.size() - 1, num_vertices, [&](std::size_t c) {
    const auto first = static_cast<std::size_t>(start[c]);
    return vertices.subspan(first, static_cast<std::size_t>(start[c + 1]) - first);
  });
}

}  // namespace supple
