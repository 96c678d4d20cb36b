#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "supple/mesh.h"

/// The check of one tet, shared by `normalise` and by the readers of mesh files, which know the
/// line of the tet.
namespace supple {

enum class TetDefect {
  none,
  index_out_of_range,  ///< a corner is not in [0, num_vertices)
  repeated_vertex,     ///< two corners are the same vertex
  no_volume,           ///< |det| <= flat_tet_tolerance |e1| |e2| |e3|, e_i = X_i - X_0
  volume_not_normal,   ///< det overflows a double, or is below the smallest normal one
};

/// The determinant of three unit edges is computed with an error of a few 1e-16. At 1e-15 its sign
/// still means something, below that it does not.
inline constexpr double flat_tet_tolerance = 1e-15;

/// det [X1-X0, X2-X0, X3-X0] of a tet whose corners are in range: six times its volume, m^3.
double tet_determinant(const std::vector<Vec3>& vertices, const std::array<int, 4>& tet);

/// Makes the tet right-handed (by swapping its last two corners) and returns what is wrong with it.
/// A tet with `TetDefect::none` has a determinant that is a normal number above 0. The test for
/// volume does not depend on scale: edges are scaled by powers of two before they are multiplied.
/// Non-finite coordinates give `no_volume` or `volume_not_normal`. Never throws.
TetDefect normalise_tet(const std::vector<Vec3>& vertices, std::array<int, 4>& tet);

/// Describes what is wrong, for a message. `corners`: the corners as the file numbers them;
/// `first`, `last`: the range of valid numbers.
std::string describe(TetDefect defect, const std::array<std::int64_t, 4>& corners,
                     std::int64_t first, std::int64_t last);

}  // namespace supple
