#pragma once

#include <span>
#include <vector>

namespace supple {

/// Constraints in colours: no two of a colour touch the same vertex.
struct ConstraintColours {
  std::vector<int> start{0};     ///< [num_colours + 1], into `constraints`
  std::vector<int> constraints;  ///< [num_constraints], colour after colour, ascending in each

  int num_colours() const { return static_cast<int>(start.size()) - 1; }
  int size(int colour) const {
    const auto c = static_cast<std::size_t>(colour);
    return start[c + 1] - start[c];
  }
};

/// Colours greedily: each constraint in turn takes the smallest colour that none of its vertices
/// has met. Constraint c touches vertices[arity c] .. vertices[arity (c + 1) - 1], each in [0,
/// num_vertices).
ConstraintColours colour_constraints(std::span<const int> vertices, int arity, int num_vertices);

/// The same, but constraint c touches vertices[start[c]] .. vertices[start[c + 1] - 1]. start:
/// [num_constraints + 1].
ConstraintColours colour_constraints(std::span<const int> vertices, std::span<const int> start,
                                     int num_vertices);

}  // namespace supple
