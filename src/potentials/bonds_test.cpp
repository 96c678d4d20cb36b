#include "potentials/bonds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace supple {
namespace {

/// A vertex on a point of a tet's continuation, a vertex beside an edge, and a pair that closes.
BondSet three_bonds() {
  BondSet set;
  set.bonds = {{.count = 5,
                .vertices = {4, 0, 1, 2, 3},
                .weights = {1, -0.7, -0.6, -0.2, 0.5},
                .stiffness = 90},
               {.count = 3,
                .vertices = {5, 1, 2},
                .weights = {1, -0.25, -0.75},
                .stiffness = 40,
                .length = 0.8},
               {.count = 2,
                .vertices = {0, 5},
                .weights = {1, -1},
                .stiffness = 60,
                .length = 3,
                .close = 2}};
  return set;
}

VectorField some_positions() {
  VectorField x(6);
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < 3; ++k)
      x[static_cast<std::size_t>(i)][k] = std::sin(1.3 * i + 2.1 * k * k + 0.4);
  }
  return x;
}

const std::vector<int> all{0, 1, 2};

double energy_at(const BondSet& set, const std::vector<double>& lengths, const VectorField& x) {
  VectorField unused(x.size());
  return set.add(x, lengths, unused, all);
}

TEST(Bonds, ForcesAreTheGradientOfTheEnergy) {
  const BondSet set = three_bonds();
  std::vector<double> lengths(3);
  set.lengths(0.5, lengths);
  VectorField x = some_positions(), gradient(x.size());
  set.add(x, lengths, gradient, all);
  constexpr double step = 1e-6;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      VectorField more = x, less = x;
      more[i][k] += step;
      less[i][k] -= step;
      const double slope =
          (energy_at(set, lengths, more) - energy_at(set, lengths, less)) / (2 * step);
      EXPECT_NEAR(gradient[i][k], slope, 1e-6);
    }
  }
}

TEST(Bonds, TheHessianIsTheDerivativeOfThePull) {
  const BondSet set = three_bonds();
  std::vector<double> lengths(3);
  set.lengths(0.5, lengths);
  const VectorField x = some_positions();
  constexpr double step = 1e-6;
  for (std::size_t bond = 0; bond < set.size(); ++bond) {
    const Mat3<double> H =
        set.bonds[bond].hessian(lengths[bond], set.bonds[bond].span(x), BondHessian::exact);
    const auto first = static_cast<std::size_t>(set.bonds[bond].vertices[0]);
    for (int k = 0; k < 3; ++k) {
      VectorField more = x, less = x;
      more[first][k] += step;
      less[first][k] -= step;
      const Vec3 a = set.pull(bond, lengths[bond], more), b = set.pull(bond, lengths[bond], less);
      for (int i = 0; i < 3; ++i) {
        const auto row = static_cast<std::size_t>(i);
        EXPECT_NEAR(H(i, k), -(a[row] - b[row]) / (2 * step), 1e-6);
      }
    }
  }
}

/// The forces of a bond act along the line between its points: sum and torque are zero to rounding.
TEST(Bonds, ForcesHaveNoSumAndNoTorque) {
  const BondSet set = three_bonds();
  std::vector<double> lengths(3);
  set.lengths(0.5, lengths);
  const VectorField x = some_positions();
  VectorField gradient(x.size());
  set.add(x, lengths, gradient, all);
  double sum[3] = {}, torque[3] = {}, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const int a = (k + 1) % 3, b = (k + 2) % 3;
      sum[k] += gradient[i][k];
      torque[k] += x[i][a] * gradient[i][b] - x[i][b] * gradient[i][a];
      size += std::abs(gradient[i][k]);
    }
  }
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(sum[k], 0, 1e-14 * size);
    EXPECT_NEAR(torque[k], 0, 1e-14 * size);
  }
}

TEST(Bonds, ALengthFallsToNothingUntilItCloses) {
  const BondSet set = three_bonds();
  std::vector<double> lengths(3);
  set.lengths(0.5, lengths);
  EXPECT_EQ(lengths, (std::vector<double>{0, 0.8, 2.25}));
  set.lengths(2, lengths);
  EXPECT_EQ(lengths[2], 0);
  PointBond at_once = set.bonds[2];
  at_once.close = 0;
  EXPECT_EQ(at_once.length_at(0), 0);
}

/// Checks k w w^T as a sum over edges, by its product with a field.
TEST(Bonds, EdgesAreTheMatrixOfABondWithoutLength) {
  BondSet set = three_bonds();
  set.bonds.resize(1);
  const VectorField x = some_positions();
  VectorField gradient(x.size()), product(x.size());
  const std::vector<int> one{0};
  set.add(x, std::vector<double>{0}, gradient, one);
  set.visit_edges([&](int a, int b, double k) {
    for (int c = 0; c < 3; ++c) {
      const double pull =
          k * (x[static_cast<std::size_t>(a)][c] - x[static_cast<std::size_t>(b)][c]);
      product[static_cast<std::size_t>(a)][c] += pull;
      product[static_cast<std::size_t>(b)][c] -= pull;
    }
  });
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(product[i][k], gradient[i][k], 1e-12);
  }
}

TEST(Bonds, GroupsAreRangesOfBodiesThatNoBondLeaves) {
  BondSet set;
  const std::vector<int> body_vertices{0, 2, 4, 6, 8, 10};
  EXPECT_EQ(set.groups(body_vertices), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  set.bonds = {{.count = 2, .vertices = {7, 3}, .weights = {1, -1}},
               {.count = 2, .vertices = {8, 9}, .weights = {1, -1}}};
  EXPECT_EQ(set.groups(body_vertices), (std::vector<int>{0, 1, 4, 5}));
  EXPECT_EQ(set.by_body(body_vertices)[3], (std::vector<int>{0}));
}

}  // namespace
}  // namespace supple
