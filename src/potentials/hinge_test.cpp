#include "potentials/hinge.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <random>

#include "potentials/membrane.h"

namespace supple {
namespace {

constexpr double pi = std::numbers::pi;

double no_fold(int, int) { return 0; }

using Corners = std::array<Vec3, 4>;

HingeCorners pointers(const Corners& x) {
  return {x[0].data(), x[1].data(), x[2].data(), x[3].data()};
}

/// The hinge of two triangles with the rest positions `rest`.
Hinge one_hinge(const Corners& rest, double rigidity, double fold = 0) {
  const std::vector<Hinge> hinges = make_hinges({{0, 1, 2}, {1, 0, 3}}, {rest.begin(), rest.end()},
                                                rigidity, [&](int, int) { return fold; });
  return hinges.at(0);
}

/// The second triangle turned up by `degrees` on the side of the fronts.
Corners folded(double degrees) {
  const double angle = degrees * pi / 180;
  return {
      {{0, 0, 0}, {1, 0, 0}, {0.3, 0.8 * std::cos(angle), 0.8 * std::sin(angle)}, {0.6, -0.5, 0}}};
}

TEST(Hinge, TheAngleIsThatOfTheFoldAndAboveZeroWhereTheFrontsMeet) {
  const Hinge flat = one_hinge(folded(0), 1);
  for (const double degrees : {-170.0, -90.0, -1e-3, 0.0, 30.0, 120.0, 179.0}) {
    EXPECT_NEAR(BentHinge(flat, pointers(folded(degrees))).angle(), degrees * pi / 180, 1e-14);
  }
  // From a rest angle of 150 degrees the short way to -150 goes through 180.
  const Hinge bent = one_hinge(folded(150), 1);
  EXPECT_NEAR(BentHinge(bent, pointers(folded(-150))).angle(), pi / 3, 1e-14);
  EXPECT_NEAR(BentHinge(one_hinge(folded(0), 1, 2.0), pointers(folded(0))).angle(), -2, 1e-14);
}

/// Any two triangles with sides of about one, at rest and moved.
struct AnyHinge {
  Hinge hinge;
  Corners x;

  explicit AnyHinge(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> place(-0.3, 0.3);
    Corners rest = folded(40);
    x = folded(-70);
    for (Corners* const corners : {&rest, &x}) {
      for (Vec3& corner : *corners) {
        for (double& coordinate : corner) coordinate += place(random);
      }
    }
    hinge = one_hinge(rest, 2.5);
  }
};

/// Central differences over 1e-6 have an error of 1e-12 of the third derivative, which here is up
/// to some 1e3 of the energy, and of 1e-16/1e-6 of the energy.
constexpr double difference = 1e-6, tolerance = 1e-7;

TEST(Hinge, TheGradientIsThatOfTheEnergyAndTheBlocksAreItsDerivatives) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    AnyHinge any(seed);
    const BentHinge here(any.hinge, pointers(any.x));
    ASSERT_GT(std::abs(here.angle()), 0.1);
    const double size = any.hinge.stiffness * 100;
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t c = 0; c < 3; ++c) {
        const double there = any.x[j][c];
        any.x[j][c] = there + difference;
        const BentHinge up(any.hinge, pointers(any.x));
        any.x[j][c] = there - difference;
        const BentHinge down(any.hinge, pointers(any.x));
        any.x[j][c] = there;
        const int column = static_cast<int>(j), d = static_cast<int>(c);
        EXPECT_NEAR(here.gradient(column)[d], (up.energy() - down.energy()) / (2 * difference),
                    tolerance * size);
        for (int i = 0; i < 4; ++i) {
          for (int r = 0; r < 3; ++r) {
            const double expected = (up.gradient(i)[r] - down.gradient(i)[r]) / (2 * difference);
            EXPECT_NEAR(here.exact_block(i, column)(r, d), expected,
                        tolerance * (size + std::abs(expected)))
                << "block " << i << column;
          }
        }
      }
    }
  }
}

Eigen::Matrix<double, 12, 12> hessian_of(const BentHinge& hinge, bool exact) {
  Eigen::Matrix<double, 12, 12> H;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const Mat3<double> block = exact ? hinge.exact_block(i, j) : hinge.positive_block(i, j);
      for (int k = 0; k < 9; ++k) H(3 * i + k / 3, 3 * j + k % 3) = block(k / 3, k % 3);
    }
  }
  return H;
}

TEST(Hinge, TheExactHessianIsSymmetricAndThePositiveOneIsThatAtRest) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const AnyHinge any(seed);
    const BentHinge hinge(any.hinge, pointers(any.x));
    const auto exact = hessian_of(hinge, true), positive = hessian_of(hinge, false);
    const double rounding = 1e-12 * exact.norm();
    EXPECT_LE((exact - exact.transpose()).norm(), rounding);
    const auto least = [](const auto& M) {
      return Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 12, 12>>(M).eigenvalues()(0);
    };
    EXPECT_LT(least(exact), -1e-3 * exact.norm());
    EXPECT_GE(least(positive), -rounding);
    // At the rest angle they are the same.
    const Hinge at_rest = one_hinge(any.x, 2.5);
    const BentHinge rest(at_rest, pointers(any.x));
    EXPECT_LE((hessian_of(rest, true) - hessian_of(rest, false)).norm(), 1e-13 * positive.norm());
  }
}

TEST(Hinge, AFlatHingeHasTheConstantMatrixForItsHessian) {
  const Corners flat = folded(0);
  const Hinge hinge = one_hinge(flat, 2.5);
  const BentHinge bent(hinge, pointers(flat));
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      // The normal is z; moving in the plane does not change the angle.
      EXPECT_NEAR(bent.exact_block(i, j)(2, 2), hinge.stiffness * hinge.weight[i] * hinge.weight[j],
                  1e-13 * hinge.stiffness);
      EXPECT_NEAR(bent.exact_block(i, j)(0, 0), 0, 1e-13 * hinge.stiffness);
    }
  }
}

TEST(Hinge, MovedAsAWholeItHasTheSameEnergyAndTurnedForces) {
  const Eigen::Matrix3d R =
      Eigen::AngleAxisd(1.1, Eigen::Vector3d(1, 2, -0.5).normalized()).toRotationMatrix();
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const AnyHinge any(seed);
    Corners moved;
    for (std::size_t i = 0; i < 4; ++i) {
      const Eigen::Vector3d y = R * Eigen::Vector3d(any.x[i][0], any.x[i][1], any.x[i][2]);
      moved[i] = {y[0] + 20, y[1] - 3, y[2] + 7};
    }
    const BentHinge here(any.hinge, pointers(any.x)), there(any.hinge, pointers(moved));
    EXPECT_NEAR(there.energy(), here.energy(), 1e-12 * here.energy());
    Eigen::Vector3d force = Eigen::Vector3d::Zero(), moment = force;
    for (int i = 0; i < 4; ++i) {
      const Vector3<double> g = here.gradient(i), turned = there.gradient(i);
      const Eigen::Vector3d own(g[0], g[1], g[2]), expected = R * own;
      for (int k = 0; k < 3; ++k)
        EXPECT_NEAR(turned[k], expected[k], 1e-11 * expected.norm() + 1e-12);
      const Vec3& x = any.x[static_cast<std::size_t>(i)];
      force += own;
      moment += Eigen::Vector3d(x[0], x[1], x[2]).cross(own);
    }
    EXPECT_NEAR(force.norm(), 0, 1e-12 * any.hinge.stiffness);
    EXPECT_NEAR(moment.norm(), 0, 1e-12 * any.hinge.stiffness);
  }
}

TEST(Hinge, TrianglesThatHaveCollapsedLeaveItFinite) {
  const Hinge hinge = one_hinge(folded(40), 2.5);
  const Corners point{};
  const Corners line{{{0, 0, 0}, {1, 0, 0}, {0.5, 0, 0}, {0.2, 0, 0}}};
  Corners thin = folded(0);
  thin[2][1] = 1e-12;
  for (const Corners& x : {point, line, thin}) {
    const BentHinge bent(hinge, pointers(x));
    EXPECT_TRUE(std::isfinite(bent.energy()));
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        const Mat3<double> exact = bent.exact_block(i, j), positive = bent.positive_block(i, j);
        for (int k = 0; k < 9; ++k) {
          EXPECT_TRUE(std::isfinite(exact(k / 3, k % 3) + positive(k / 3, k % 3)));
        }
      }
    }
  }
}

TEST(Hinge, OnlyEdgesOfTwoTrianglesHaveOne) {
  const std::vector<Vec3> rest{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.5, 0.5, 1}};
  EXPECT_EQ(make_hinges({{0, 1, 2}}, rest, 1, no_fold).size(), 0U);
  EXPECT_EQ(make_hinges({{0, 1, 2}, {1, 3, 2}}, rest, 1, no_fold).size(), 1U);
  EXPECT_EQ(make_hinges({{0, 1, 2}, {1, 3, 2}, {1, 2, 4}}, rest, 1, no_fold).size(), 0U);
  EXPECT_EQ(make_hinges({{0, 1, 2}, {1, 3, 2}}, rest, 0, no_fold).size(), 0U);
}

/// A sheet of `columns` x `rows` cells of size 1/columns, like generated cloth, where the diagonals
/// alternate. equal: made of equal triangles instead.
struct RolledSheet {
  MembraneSet set;
  VectorField x;
  std::vector<Vec3> rest;
  std::vector<std::array<int, 3>> triangles;
  double area = 0;

  RolledSheet(int columns, int rows, bool equal) {
    const double size = 1.0 / columns, height = equal ? size * std::sqrt(0.75) : size;
    for (int j = 0; j <= rows; ++j) {
      for (int i = 0; i <= columns; ++i) {
        rest.push_back({(i + (equal && j % 2 == 1 ? 0.5 : 0)) * size, j * height, 0});
      }
    }
    for (int j = 0; j < rows; ++j) {
      for (int i = 0; i < columns; ++i) {
        const int a = j * (columns + 1) + i, b = a + 1, c = b + columns + 1, d = c - 1;
        if (equal ? j % 2 == 1 : (i + j) % 2 == 0) {
          triangles.insert(triangles.end(), {{a, b, c}, {a, c, d}});
        } else {
          triangles.insert(triangles.end(), {{a, b, d}, {b, c, d}});
        }
      }
    }
    area = columns * rows * size * height;
    for (const Vec3& place : rest) x.push_back({{place[0], place[1], place[2], 0}});
  }
  void bend(double rigidity) {
    set.hinges = make_hinges(triangles, rest, rigidity, no_fold);
    set.batches.resize(1);  // none of its lanes is a triangle
    set.index_vertices(static_cast<int>(rest.size()));
  }
  /// Rolls the sheet up along the direction of this many degrees.
  void roll(double radius, double degrees) {
    const double c = std::cos(degrees * pi / 180), s = std::sin(degrees * pi / 180);
    for (std::size_t v = 0; v < x.size(); ++v) {
      const double along = c * rest[v][0] + s * rest[v][1],
                   across = c * rest[v][1] - s * rest[v][0];
      x[v] = {{radius * std::sin(along / radius), across, radius * std::cos(along / radius), 0}};
    }
  }
  double energy() const {
    Threads threads(1);
    return MembraneEnergy(set).evaluate(x, threads);
  }
};

/// E = D/2 A/R^2, except at the border, whose edges have no hinge. Squares are too stiff only if
/// they are rolled askew: by D/2 (k_xx^2 + k_yy^2 + 4 k_xy^2), at 45 degrees 1.5 times.
TEST(Hinge, ACylinderHasTheEnergyOfItsCurvature) {
  constexpr double rigidity = 2.5, radius = 0.4;
  for (const bool equal : {false, true}) {
    for (const double degrees : {0.0, 30.0, 45.0, 90.0}) {
      const double c = std::cos(degrees * pi / 180), s = std::sin(degrees * pi / 180);
      const double factor = equal ? 1 : std::pow(c, 4) + std::pow(s, 4) + 4 * c * c * s * s;
      for (const int columns : {20, 80}) {
        RolledSheet sheet(columns, columns, equal);
        sheet.bend(rigidity);
        sheet.roll(radius, degrees);
        const double expected = factor * 0.5 * rigidity * sheet.area / (radius * radius);
        EXPECT_NEAR(sheet.energy() / expected, 1, 2.0 / columns)
            << columns << " columns, " << degrees << " degrees";
      }
    }
  }
}

/// In grids of squares whose diagonals alternate, every other vertex has no diagonals. If these
/// vertices move by k h^2/12 along the normal, they reduce the energy of a sheet rolled up along
/// the sides to 5/6, and at 45 degrees from 3/2 to 4/3 [the minimum of
/// D/2 ((k_xx h - t)^2 + (k_yy h - t)^2 + 4 t^2 + 4 (k_xy h)^2)/h^2 at t = (k_xx + k_yy) h/6].
TEST(Hinge, VerticesWithoutDiagonalsGiveWay) {
  constexpr double rigidity = 2.5, radius = 0.4;
  constexpr int columns = 80;
  for (const auto& [degrees, factor] : {std::pair(0.0, 5.0 / 6), std::pair(45.0, 4.0 / 3)}) {
    const auto ratio = [&, angle = degrees](double part) {
      RolledSheet sheet(columns, columns, false);
      sheet.bend(rigidity);
      sheet.roll(radius, angle);
      const double inward = part / (12.0 * radius * columns * columns);
      for (int j = 0; j <= columns; ++j) {
        for (int i = 1 - j % 2; i <= columns; i += 2) {
          PaddedVector& x = sheet.x[static_cast<std::size_t>(j * (columns + 1) + i)];
          const double distance = std::hypot(x[0], x[2]);
          for (const int k : {0, 2}) x[k] *= 1 - inward / distance;
        }
      }
      return sheet.energy() / (0.5 * rigidity * sheet.area / (radius * radius));
    };
    EXPECT_NEAR(ratio(1), factor, 2.0 / columns) << degrees;  // the border
    EXPECT_GT(ratio(0.5), ratio(1));
    EXPECT_GT(ratio(1.5), ratio(1));
  }
}

TEST(Hinge, ARolledRestShapeHasNoForces) {
  for (const bool equal : {false, true}) {
    RolledSheet sheet(12, 6, equal);
    sheet.roll(0.3, 20);
    for (std::size_t v = 0; v < sheet.x.size(); ++v) {
      sheet.rest[v] = {sheet.x[v][0], sheet.x[v][1], sheet.x[v][2]};
    }
    sheet.bend(2.5);
    EXPECT_GT(sheet.set.hinges.size(), 100U);
    EXPECT_NEAR(sheet.energy(), 0, 1e-26);
  }
}

TEST(Hinge, TheSameBitsOnAnyNumberOfThreadsAndTheBlocksAreThoseOfEach) {
  RolledSheet sheet(40, 40, false);
  sheet.bend(2.5);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(-0.01, 0.01);
  for (PaddedVector& v : sheet.x) {
    for (int k = 0; k < 3; ++k) v[k] += place(random);
  }
  const auto evaluate = [&](int num_threads, VectorField& gradient) {
    Threads threads(num_threads);
    MembraneEnergy energy(sheet.set);
    const double value = energy.evaluate(sheet.x, threads);
    gradient.assign(sheet.x.size(), {});
    for (std::size_t v = 0; v < gradient.size(); ++v) {
      energy.add_gradient_of_vertex(static_cast<int>(v), gradient[v]);
    }
    return value;
  };
  VectorField one, more;
  const double alone = evaluate(1, one);
  VectorField expected(one.size());
  double sum = 0;
  for (const Hinge& hinge : sheet.set.hinges) {
    const BentHinge bent =
        bent_hinge(hinge, [&](int v) { return sheet.x[static_cast<std::size_t>(v)].v; });
    sum += bent.energy();
    for (int c = 0; c < 4; ++c) {
      for (int k = 0; k < 3; ++k) {
        expected[static_cast<std::size_t>(hinge.vertex[c])][k] += bent.gradient(c)[k];
      }
    }
  }
  EXPECT_NEAR(alone, sum, 1e-12 * sum);
  for (std::size_t v = 0; v < one.size(); ++v) {
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(one[v][k], expected[v][k], 1e-9);
  }
  for (const int threads : {2, 3}) {
    EXPECT_EQ(evaluate(threads, more), alone);
    for (std::size_t v = 0; v < one.size(); ++v) {
      for (int k = 0; k < 3; ++k) EXPECT_EQ(one[v][k], more[v][k]);
    }
  }
}

}  // namespace
}  // namespace supple
