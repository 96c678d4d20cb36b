#include "potentials/bonds.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"

namespace supple {

namespace {

double norm(const Vec3& d) { return std::hypot(d[0], d[1], d[2]); }

int body_of(int vertex, std::span<const int> body_vertices) {
  const auto next = std::upper_bound(body_vertices.begin(), body_vertices.end(), vertex);
  return static_cast<int>(next - body_vertices.begin()) - 1;
}

/// Points that coincide have no direction, so a bond that should keep them apart exerts no force.
double pull_share(double length, double distance) {
  if (length == 0) return 1;
  return distance > 0 ? 1 - length / distance : 0;
}

}  // namespace

double PointBond::length_at(double time) const {
  if (std::isinf(close)) return length;
  return time < close ? length * std::min(1.0, 1 - time / close) : 0;
}

Vec3 PointBond::span(const VectorField& x) const {
  Vec3 d{0, 0, 0};
  for (std::size_t i = 0; i < at(count); ++i) {
    const PaddedVector& own = x[at(vertices[i])];
    for (int k = 0; k < 3; ++k) d[at(k)] += weights[i] * own[k];
  }
  return d;
}

double PointBond::energy(double r, const Vec3& d, Vec3* gradient) const {
  const double distance = norm(d), beyond = distance - r;
  if (gradient != nullptr) {
    const double factor = stiffness * pull_share(r, distance);
    for (std::size_t k = 0; k < 3; ++k) (*gradient)[k] = factor * d[k];
  }
  return 0.5 * stiffness * beyond * beyond;
}

Mat3<double> PointBond::hessian(double r, const Vec3& d, BondHessian which) const {
  Mat3<double> H = Mat3<double>::zero();
  const double distance = norm(d);
  const bool is_constant = r == 0 || !(distance > 0);
  double across = is_constant ? 1 : 1 - r / distance;
  if (which == BondHessian::clamp) across = std::max(0.0, across);
  if (which == BondHessian::absolute) across = std::abs(across);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double along =
          is_constant ? 0 : d[at(i)] * d[at(j)] / (distance * distance) * (1 - across);
      H(i, j) = stiffness * ((i == j ? across : 0) + along);
    }
  }
  return H;
}

void BondSet::lengths(double time, std::vector<double>& out) const {
  for (std::size_t i = 0; i < bonds.size(); ++i) out[i] = bonds[i].length_at(time);
}

Vec3 BondSet::pull(std::size_t bond, double length, const VectorField& x) const {
  Vec3 force;
  bonds[bond].energy(length, bonds[bond].span(x), &force);
  for (double& own : force) own = -own;
  return force;
}

double BondSet::sum(const VectorField& x, std::span<const double> length, PaddedVector* gradient,
                    std::span<const int> some) const {
  double energy = 0;
  for (const int i : some) {
    const PointBond& own = bonds[at(i)];
    Vec3 force;
    energy += own.energy(length[at(i)], own.span(x), gradient != nullptr ? &force : nullptr);
    for (std::size_t c = 0; gradient != nullptr && c < at(own.count); ++c) {
      PaddedVector& sum = gradient[at(own.vertices[c])];
      for (int k = 0; k < 3; ++k) sum[k] += own.weights[c] * force[at(k)];
    }
  }
  return energy;
}

std::vector<std::vector<int>> BondSet::by_body(std::span<const int> body_vertices) const {
  std::vector<std::vector<int>> list(body_vertices.size() - 1);
  for (std::size_t i = 0; i < bonds.size(); ++i) {
    list[at(body_of(bonds[i].vertices[0], body_vertices))].push_back(static_cast<int>(i));
  }
  return list;
}

std::vector<int> BondSet::groups(std::span<const int> body_vertices) const {
  const int count = static_cast<int>(body_vertices.size()) - 1;
  std::vector<int> last(at(count));  // for each body, the last one that its bonds reach
  for (int body = 0; body < count; ++body) last[at(body)] = body;
  for (const PointBond& own : bonds) {
    int low = count, high = -1;
    for (std::size_t c = 0; c < at(own.count); ++c) {
      const int body = body_of(own.vertices[c], body_vertices);
      low = std::min(low, body);
      high = std::max(high, body);
    }
    last[at(low)] = std::max(last[at(low)], high);
  }
  std::vector<int> first;
  int reached = -1;
  for (int body = 0; body < count; ++body) {
    if (body > reached) first.push_back(body);
    reached = std::max(reached, last[at(body)]);
  }
  first.push_back(count);
  return first;
}

}  // namespace supple
