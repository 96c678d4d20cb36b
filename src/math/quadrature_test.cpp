#include "math/quadrature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace supple {
namespace {

TEST(GaussLegendre, IsExactUpToDegree31) {
  const GaussLegendre16& rule = gauss_legendre_16();
  for (int degree = 0; degree <= 31; ++degree) {
    double sum = 0;
    for (int i = 0; i < 16; ++i) sum += rule.weight[i] * std::pow(rule.node[i], degree);
    EXPECT_NEAR(sum, degree % 2 == 0 ? 2.0 / (degree + 1) : 0, 1e-15) << degree;
  }
}

TEST(IntegrationPieces, AreAscendingAndNoLongerThanTheirDistanceFromZero) {
  const std::vector<double> pieces = integration_pieces(0.03, 5, {0.1, 7, 0.01, 1});
  EXPECT_EQ(pieces.front(), 0.03);
  EXPECT_EQ(pieces.back(), 5);
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    EXPECT_LT(pieces[i], pieces[i + 1]);
    EXPECT_LE(pieces[i + 1], 2 * pieces[i] * (1 + 1e-15));
  }
  EXPECT_EQ(std::count(pieces.begin(), pieces.end(), 0.1), 1);
  EXPECT_EQ(std::count(pieces.begin(), pieces.end(), 1), 1);
  EXPECT_EQ(std::count(pieces.begin(), pieces.end(), 7), 0);
}

TEST(Integrate, IsExactForLogarithmsAndReciprocals) {
  for (double start : {0.001, 0.1, 0.5, 0.99}) {
    const std::vector<double> pieces = integration_pieces(start, 3, {});
    const auto closed = [](double x) { return x * std::log(x) - x; };
    EXPECT_NEAR(integrate(pieces, [](double x) { return std::log(x); }), closed(3) - closed(start),
                1e-14);
    const double reciprocal = std::log(3 / start);
    EXPECT_NEAR(integrate(pieces, [](double x) { return 1 / x; }), reciprocal,
                1e-15 * (1 + reciprocal));
  }
}

TEST(Integrate, ManyPiecesOfAVastRangeAreBounded) {
  EXPECT_LT(integration_pieces(1e-308, 1e308, {}).size(), 70u);
}

}  // namespace
}  // namespace supple
