#include "math/symmetric.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "math/interleaved_batch.h"
#include "math/test_random.h"

namespace supple {
namespace {

using namespace supple::testing;

struct Symmetric {
  Mat3<double> Y, Q;
  Vector3<double> s;  ///< descending
};

Symmetric with_eigenvalues(Random& random, std::vector<double> s) {
  std::sort(s.begin(), s.end(), std::greater<>());
  Symmetric m;
  m.Q = random_rotation(random);
  m.s = {{s[0], s[1], s[2]}};
  m.Y = compose(m.Q, m.s, m.Q);
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < i; ++k) m.Y(i, k) = m.Y(k, i);
  }
  return m;
}

/// Eigenvalues apart, in pairs, or all close together, of any sign and size.
std::vector<Symmetric> matrices() {
  Random random(4);
  std::vector<Symmetric> list;
  for (int round = 0; round < 300; ++round) {
    list.push_back(with_eigenvalues(
        random, {uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)}));
    for (const double gap : {0.0, 1e-15, 1e-12, 1e-9, 1e-8, 1e-7, 1e-6, 1e-4, 1e-2}) {
      const double s = uniform(random, -1, 1), t = uniform(random, -1, 1);
      list.push_back(with_eigenvalues(random, {s, s + gap, t}));
      list.push_back(with_eigenvalues(random, {s, s + gap, s + gap * uniform(random, 0, 1)}));
      list.push_back(with_eigenvalues(random, {s, gap * t, gap * s}));
    }
  }
  list.push_back(with_eigenvalues(random, {1, 1, 1}));
  list.push_back(with_eigenvalues(random, {0, 0, 0}));
  return list;
}

double size_of(const Symmetric& m) { return std::max({std::abs(m.s[0]), std::abs(m.s[2]), 1e-30}); }

TEST(SymmetricEigenvalues, AreThoseOfTheMatrix) {
  for (const double unit : {1.0, 1e-60, 1e60}) {
    for (const Symmetric& m : matrices()) {
      Mat3<double> Y;
      for (int i = 0; i < 9; ++i) Y(i / 3, i % 3) = unit * m.Y(i / 3, i % 3);
      const Vector3<double> s = (1 / unit) * symmetric_eigenvalues(Y);
      const double rounding = 4e-15 * size_of(m);
      EXPECT_GE(s[0], s[1]);
      EXPECT_GE(s[1], s[2]);
      EXPECT_NEAR(s[0] + s[1] + s[2], trace(m.Y), rounding / 2);
      // The eigenvalue that stands alone.
      const int alone = m.s[0] - m.s[1] > m.s[1] - m.s[2] ? 0 : 2;
      EXPECT_NEAR(s[alone], m.s[alone], rounding);
      // For the other two, the square of half their distance has an error of one rounding of the
      // square of the whole distance, plus a rounding of the matrix times the whole distance.
      const double expected = m.s[2 - alone] - m.s[1], whole = m.s[0] - m.s[2];
      const double found = s[2 - alone] - s[1];
      EXPECT_NEAR(found * found, expected * expected,
                  1e-14 * whole * whole + rounding * (whole + rounding));
    }
  }
}

TEST(SymmetricFunction, IsThatOfTheEigenvalues) {
  for (const Symmetric& m : matrices()) {
    const Vector3<double> s = symmetric_eigenvalues(m.Y);
    // g = exp: g[s, t] = e^t (e^(s-t) - 1)/(s - t).
    const auto divided = [](double x, double y) {
      return std::exp(y) * (x == y ? 1 : std::expm1(x - y) / (x - y));
    };
    const Mat3<double> G =
        symmetric_function(m.Y, s, std::exp(s[0]), divided(s[0], s[1]), divided(s[1], s[2]));
    const Mat3<double> expected =
        compose(m.Q, {{std::exp(m.s[0]), std::exp(m.s[1]), std::exp(m.s[2])}}, m.Q);
    // Some roundings of e.
    for (int i = 0; i < 9; ++i) EXPECT_NEAR(G(i / 3, i % 3), expected(i / 3, i % 3), 2e-14);
  }
}

TEST(SymmetricEigenvalues, LanesHaveTheBitsOfTheScalar) {
  const std::vector<Symmetric> list = matrices();
  for (std::size_t first = 0; first + 16 <= list.size(); first += 16) {
    Mat3<Batch8> lo, hi;
    for (int lane = 0; lane < 8; ++lane) {
      const auto of = first + static_cast<std::size_t>(lane);
      for (int i = 0; i < 9; ++i) {
        lo(i / 3, i % 3).set(lane, list[of].Y(i / 3, i % 3));
        hi(i / 3, i % 3).set(lane, list[of + 8].Y(i / 3, i % 3));
      }
    }
    const Vector3<Batch16> s = symmetric_eigenvalues(paired(lo, hi));
    for (int lane = 0; lane < 8; ++lane) {
      const auto of = first + static_cast<std::size_t>(lane);
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(s[i].lo[lane], symmetric_eigenvalues(list[of].Y)[i]);
        EXPECT_EQ(s[i].hi[lane], symmetric_eigenvalues(list[of + 8].Y)[i]);
      }
    }
  }
}

}  // namespace
}  // namespace supple
