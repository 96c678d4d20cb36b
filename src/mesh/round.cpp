#include "mesh/round.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace supple {

namespace {

constexpr double disc_core = 0.85;
constexpr double ball_core = 0.75;

/// A coordinate in [-1, 1]; the ends are exact and the middle is symmetric.
double lattice_coordinate(int i, int n) { return static_cast<double>(2 * i - n) / n; }

template <std::size_t Dim>
std::array<double, Dim> round_shells(std::array<double, Dim> p, double core) {
  double r = 0;
  for (const double x : p) r = std::max(r, std::abs(x));
  if (r == 0) return p;
  std::array<double, Dim> direction{};
  double squared_length = 0;
  for (std::size_t d = 0; d < Dim; ++d) {
    p[d] /= r;
    direction[d] = std::tan(std::numbers::pi / 4 * p[d]);
    squared_length += direction[d] * direction[d];
  }
  const double length = std::sqrt(squared_length);
  const double weight = std::sqrt(r);
  for (std::size_t d = 0; d < Dim; ++d) {
    p[d] = r * ((1 - weight) * core * p[d] + weight * direction[d] / length);
  }
  return p;
}

}  // namespace

std::array<double, 2> disc_point(int i, int j, int n) {
  return round_shells<2>({lattice_coordinate(i, n), lattice_coordinate(j, n)}, disc_core);
}

Vec3 ball_point(int i, int j, int k, int n) {
  return round_shells<3>(
      {lattice_coordinate(i, n), lattice_coordinate(j, n), lattice_coordinate(k, n)}, ball_core);
}

}  // namespace supple
