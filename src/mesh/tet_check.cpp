#include "mesh/tet_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace supple {

namespace {

Vec3 difference(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

double determinant(const Vec3& a, const Vec3& b, const Vec3& c) {
  // Swapping b and c negates every term exactly, so turning a tet flips the sign.
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

double max_abs(const Vec3& v) { return std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])}); }

double length(const Vec3& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

bool is_finite(const Vec3& v) {
  return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
}

/// Scales the vector by the power of two that brings its largest component into [1, 2): exact.
Vec3 scaled_to_one(const Vec3& v) {
  const int exponent = -std::ilogb(max_abs(v));
  return {std::scalbn(v[0], exponent), std::scalbn(v[1], exponent), std::scalbn(v[2], exponent)};
}

std::array<Vec3, 3> edges(const std::vector<Vec3>& vertices, const std::array<int, 4>& tet) {
  const Vec3& origin = vertices[static_cast<std::size_t>(tet[0])];
  return {difference(vertices[static_cast<std::size_t>(tet[1])], origin),
          difference(vertices[static_cast<std::size_t>(tet[2])], origin),
          difference(vertices[static_cast<std::size_t>(tet[3])], origin)};
}

}  // namespace

double tet_determinant(const std::vector<Vec3>& vertices, const std::array<int, 4>& tet) {
  const std::array<Vec3, 3> e = edges(vertices, tet);
  return determinant(e[0], e[1], e[2]);
}

TetDefect normalise_tet(const std::vector<Vec3>& vertices, std::array<int, 4>& tet) {
  for (const int corner : tet) {
    if (corner < 0 || static_cast<std::size_t>(corner) >= vertices.size()) {
      return TetDefect::index_out_of_range;
    }
  }
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = a + 1; b < 4; ++b) {
      if (tet[a] == tet[b]) return TetDefect::repeated_vertex;
    }
  }
  const std::array<Vec3, 3> e = edges(vertices, tet);
  for (const Vec3& edge : e) {
    if (!is_finite(edge)) return TetDefect::volume_not_normal;
    if (max_abs(edge) == 0) return TetDefect::no_volume;
  }
  const std::array<Vec3, 3> unit = {scaled_to_one(e[0]), scaled_to_one(e[1]), scaled_to_one(e[2])};
  const double relative = determinant(unit[0], unit[1], unit[2]);
  const double limit = flat_tet_tolerance * length(unit[0]) * length(unit[1]) * length(unit[2]);
  if (!(std::abs(relative) > limit)) return TetDefect::no_volume;
  if (relative < 0) std::swap(tet[2], tet[3]);
  const double volume = tet_determinant(vertices, tet);
  const bool normal = std::isfinite(volume) && volume >= std::numeric_limits<double>::min();
  return normal ? TetDefect::none : TetDefect::volume_not_normal;
}

std::string describe(TetDefect defect, const std::array<std::int64_t, 4>& corners,
                     std::int64_t first, std::int64_t last) {
  std::string names = "(vertices";
  for (const std::int64_t corner : corners) names.append(" ").append(std::to_string(corner));
  names += ")";
  switch (defect) {
    case TetDefect::none:
      return names + " is sound";
    case TetDefect::index_out_of_range:
      return last < first ? names + " has corners, but there are no vertices"
                          : names + " has a corner out of range: vertices are numbered " +
                                std::to_string(first) + " to " + std::to_string(last);
    case TetDefect::repeated_vertex:
      return names + " names a vertex twice: expected four different ones";
    case TetDefect::no_volume:
      return names + " has no volume: its corners lie in one plane";
    case TetDefect::volume_not_normal:
      return names + " has a volume beyond the range of a double: expected coordinates in metres";
  }
  return names;
}

}  // namespace supple
