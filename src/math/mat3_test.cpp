#include "math/mat3.h"

#include <gtest/gtest.h>

namespace supple {
namespace {

const Mat3<double> A{{{1, 2, 3}, {0, -1, 4}, {5, 6, 0}}};
const Mat3<double> B{{{2, 0, 1}, {1, 3, -2}, {4, 1, 1}}};

void expect_equal(const Mat3<double>& x, const Mat3<double>& y) {
  for (int i = 0; i < 9; ++i) EXPECT_DOUBLE_EQ(x(i / 3, i % 3), y(i / 3, i % 3)) << i;
}

TEST(Mat3, ProductsAreRowsTimesColumns) {
  expect_equal(A * B, {{{16, 9, 0}, {15, 1, 6}, {16, 18, -7}}});
  expect_equal(transpose_times(A, B), transpose(A) * B);
  expect_equal(times_transpose(A, B), A * transpose(B));
  const Vector3<double> y = A * Vector3<double>{{1, -1, 2}};
  EXPECT_EQ(y[0], 5);
  EXPECT_EQ(y[1], 9);
  EXPECT_EQ(y[2], -1);
}

TEST(Mat3, SumsAndScalesAreEntrywise) {
  expect_equal(A + B, {{{3, 2, 4}, {1, 2, 2}, {9, 7, 1}}});
  expect_equal(A - B, {{{-1, 2, 2}, {-1, -4, 6}, {1, 5, -1}}});
  expect_equal(2.0 * A, {{{2, 4, 6}, {0, -2, 8}, {10, 12, 0}}});
  EXPECT_EQ(trace(A), 0);
  EXPECT_EQ(inner(A, B), 2 + 3 - 3 - 8 + 20 + 6);
  EXPECT_EQ(squared_norm(A), 1 + 4 + 9 + 1 + 16 + 25 + 36);
}

TEST(Mat3, DeterminantCofactorAndInverseBelongTogether) {
  EXPECT_DOUBLE_EQ(determinant(A), -24 + 40 + 15);
  EXPECT_DOUBLE_EQ(determinant(A * B), determinant(A) * determinant(B));
  expect_equal(transpose(cofactor(A)) * A, determinant(A) * Mat3<double>::identity());
  const Mat3<double> product = inverse(A) * A;
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(product(i / 3, i % 3), i % 4 == 0 ? 1 : 0, 1e-15);
}

TEST(Mat3, CofactorIsTheGradientOfTheDeterminant) {
  // The determinant is linear in each entry, so difference quotients are exact except for rounding.
  for (int i = 0; i < 9; ++i) {
    Mat3<double> up = A, down = A;
    up(i / 3, i % 3) += 0.5;
    down(i / 3, i % 3) -= 0.5;
    EXPECT_DOUBLE_EQ(determinant(up) - determinant(down), cofactor(A)(i / 3, i % 3));
  }
}

TEST(Mat3, ColumnsAreSetAndRead) {
  Mat3<double> m = Mat3<double>::zero();
  m.set_column(1, {{7, 8, 9}});
  EXPECT_EQ(m(2, 1), 9);
  EXPECT_EQ(m.column(1)[0], 7);
  EXPECT_EQ(m(0, 0), 0);
  expect_equal(compose(A, {{1, 2, 3}}, B), A * Mat3<double>::diagonal(1, 2, 3) * transpose(B));
}

TEST(Vector3, CrossAndDotFollowTheRightHand) {
  const Vector3<double> x{{1, 0, 0}}, y{{0, 1, 0}};
  const Vector3<double> z = cross(x, y);
  EXPECT_EQ(z[0], 0);
  EXPECT_EQ(z[1], 0);
  EXPECT_EQ(z[2], 1);
  EXPECT_EQ(dot(x + 2.0 * y, y - x), 1);
}

}  // namespace
}  // namespace supple
