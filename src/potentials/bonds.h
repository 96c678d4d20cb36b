#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "math/mat3.h"
#include "math/vector_field.h"
#include "supple/mesh.h"

namespace supple {

/// What to do with the negative eigenvalues of a Hessian.
enum class BondHessian { exact, clamp, absolute };

/// A spring between two points of bodies, each a mean of vertices. With d = sum_i w_i x_i, the
/// vector from one to the other,
///   E = k/2 (|d| - r(t))^2,  dE/dx_i = w_i k (1 - r/|d|) d,
///   d2E/dx_i dx_j = w_i w_j k ((1 - r/|d|) I + (r/|d|) n n^T),  n = d/|d|.
/// sum_i w_i = 0: the forces add up to zero, and as all of them are along d, there is no torque
/// either. k w w^T, its part of M/a^2 + L, is the Hessian if r = 0, and otherwise nowhere less than
/// the Hessian.
struct PointBond {
  int count = 0;                    ///< number of its vertices
  std::array<int, 5> vertices{};    ///< of the model, each once
  std::array<double, 5> weights{};  ///< w; that of the first one is 1
  double stiffness = 0;             ///< k, N/m
  double length = 0;                ///< r at time 0, m
  /// r falls linearly to 0 until this time, s, and is 0 if this is 0; infinite: r stays.
  double close = std::numeric_limits<double>::infinity();

  double length_at(double time) const;
  /// d, m.
  Vec3 span(const VectorField& x) const;
  /// Energy of a bond of length r, J. If `gradient` is not null, sets it to dE/dd, N.
  double energy(double r, const Vec3& d, Vec3* gradient) const;
  /// d2E/dd2 of a bond of length r, N/m.
  Mat3<double> hessian(double r, const Vec3& d, BondHessian which) const;
  bool operator==(const PointBond&) const = default;
};

struct BondSet {
  std::vector<PointBond> bonds;

  bool empty() const { return bonds.empty(); }
  std::size_t size() const { return bonds.size(); }

  /// r of each bond at a time, s: [size()], m. `out` must have that size.
  void lengths(double time, std::vector<double>& out) const;

  /// Pull of a bond of length r on its first vertex, -dE/dd, N.
  Vec3 pull(std::size_t bond, double length, const VectorField& x) const;

  /// Energy of these bonds, J; adds their gradient, N, to `gradient`.
  double add(const VectorField& x, std::span<const double> length, VectorField& gradient,
             std::span<const int> some) const {
    return sum(x, length, gradient.data(), some);
  }
  /// Only the energy, J.
  double energy(const VectorField& x, std::span<const double> length,
                std::span<const int> some) const {
    return sum(x, length, nullptr, some);
  }

  /// Calls visit(a, b, k) with k w w^T as a sum of k_ab (e_a - e_b)(e_a - e_b)^T, N/m; k_ab is
  /// negative between two corners of one point.
  template <class Visit>
  void visit_edges(const Visit& visit) const {
    for (const PointBond& own : bonds) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(own.count); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          visit(own.vertices[j], own.vertices[i], -own.stiffness * own.weights[i] * own.weights[j]);
        }
      }
    }
  }

  /// Bonds by the body of their first vertex, ascending: [num_bodies].
  std::vector<std::vector<int>> by_body(std::span<const int> body_vertices) const;

  /// The smallest groups of consecutive bodies that no bond leaves: the first body of each group,
  /// then the number of bodies.
  std::vector<int> groups(std::span<const int> body_vertices) const;

 private:
  double sum(const VectorField& x, std::span<const double> length, PaddedVector* gradient,
             std::span<const int> some) const;
};

}  // namespace supple
