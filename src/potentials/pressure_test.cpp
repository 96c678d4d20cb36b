#include "potentials/pressure.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "math/test_random.h"
#include "potentials/pressure_energy.h"
#include "supple/error.h"

namespace supple {
namespace {

using testing::Random;
using testing::uniform;

constexpr double pi = 3.14159265358979323846;

/// A ball's surface, and its chamber.
struct Ball {
  SpringMesh mesh;
  PressureSet set;
  VectorField x;

  explicit Ball(const PressureSettings& settings, int subdivisions = 2, Vec3 center = {0, 0, 0}) {
    mesh =
        generate(IcosphereGenerator{.radius = 0.1, .subdivisions = subdivisions, .center = center});
    set.add(settings, mesh.triangles, mesh.vertices, 0, true, "/bodies/0/pressure");
    const int n = static_cast<int>(mesh.vertices.size());
    set.index_vertices(n);
    x.resize(at(n));
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (int k = 0; k < 3; ++k) x[i][k] = mesh.vertices[i][at(k)];
    }
  }

  /// Moves every vertex by up to this distance, m.
  void shake(double amount) {
    Random random(7);
    for (PaddedVector& place : x) {
      for (int k = 0; k < 3; ++k) place[k] += uniform(random, -amount, amount);
    }
  }
};

PressureSettings constant(double p) { return {.pressure = p}; }
PressureSettings gas(double p, double ambient) { return {.pressure = p, .ambient = ambient}; }

/// A ball of about 4e-3 m^3 whose volume stays, with a pressure inside.
Ball exact(int subdivisions) {
  Ball ball(constant(0), subdivisions);
  ball.set = {};
  ball.set.keep_volumes(ball.mesh.triangles, {}, ball.mesh.vertices, 0, "/bodies/0/volume");
  ball.set.index_vertices(static_cast<int>(ball.x.size()));
  ball.set.chambers[0].stiffness = 1e6;
  ball.set.chambers[0].multiplier = 300;
  return ball;
}

VectorField gradient_at(const Ball& ball, const VectorField& x, Threads& threads) {
  PressureEnergy energy(ball.set);
  VectorField gradient(x.size());
  energy.add(x, threads, gradient);
  return gradient;
}

/// A triangle of edges h with its corners on a sphere is on average h^2/(8 r) below it, so a
/// polyhedron of such triangles lacks 3/8 (h/r)^2 of the volume. n of them have
/// n sqrt(3)/4 h^2 = 4 pi r^2.
TEST(Pressure, TheVolumeOfAFineBallIsThatOfASphere) {
  const Ball ball(constant(1), 5);
  const double square = 16 * pi / (std::sqrt(3.0) * static_cast<double>(ball.set.faces.size()));
  const double lack = 3.0 / 8 * square;
  // Triangles of an icosphere differ in size, which changes this by a twentieth.
  EXPECT_NEAR(ball.set.chambers[0].rest_volume / (4 * pi / 3 * 0.001), 1 - lack, 0.05 * lack);
}

TEST(Pressure, TheForceIsTheGradientOfTheEnergy) {
  Threads one(1);
  for (const PressureSettings& settings : {constant(300), constant(-200), gas(1.3e5, 1e5)}) {
    Ball ball(settings, 1);
    ball.shake(0.02);
    PressureEnergy energy(ball.set);
    const VectorField gradient = gradient_at(ball, ball.x, one);
    const double step = 1e-5;
    for (std::size_t i = 0; i < ball.x.size(); i += 5) {
      for (int k = 0; k < 3; ++k) {
        VectorField moved = ball.x;
        moved[i][k] += step;
        const double above = energy.evaluate(moved, one);
        moved[i][k] -= 2 * step;
        const double below = energy.evaluate(moved, one);
        // The third derivative of a gas' energy is some 1e5 times (area per vertex)^3/V^2 = 0.3
        // N/m^2; the rounding of 500 J is divided by the step 1e-8.
        EXPECT_NEAR(gradient[i][k], (above - below) / (2 * step), 5e-8) << i << " " << k;
      }
    }
  }
}

/// The Hessian from visit_hessian and add_stiffening.
Eigen::MatrixXd hessian_of(const Ball& ball) {
  Threads one(1);
  PressureEnergy energy(ball.set);
  const auto n = static_cast<Eigen::Index>(3 * ball.x.size());
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n, n);
  energy.visit_hessian(ball.x, one, [&](int a, int b, const double* block) {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        H(3 * a + r, 3 * b + c) += block[3 * r + c];
        if (a != b) H(3 * b + c, 3 * a + r) += block[3 * r + c];
      }
    }
  });
  for (Eigen::Index column = 0; column < n; ++column) {
    VectorField d(ball.x.size()), out(ball.x.size());
    d[at(column / 3)][static_cast<int>(column % 3)] = 1;
    energy.add_stiffening(ball.x, d, one, out);
    for (Eigen::Index row = 0; row < n; ++row) {
      H(row, column) += out[at(row / 3)][static_cast<int>(row % 3)];
    }
  }
  return H;
}

/// -p c + kappa/2 c^2, c = V - V0: its derivative with respect to V is that of a spring of rest
/// volume V0 + p/kappa.
TEST(Pressure, OfAVolumeThatStaysIsThatOfAMultiplierAndASpring) {
  Threads one(1);
  Ball ball = exact(1);
  PressureEnergy energy(ball.set);
  const double rest = ball.set.chambers[0].rest_volume;
  EXPECT_NEAR(energy.evaluate(ball.x, one), 0, 1e-12);
  EXPECT_NEAR(energy.slope(0, rest), -300, 1e-9);
  EXPECT_NEAR(energy.slope(0, rest + 300 / 1e6), 0, 1e-9);
  ball.shake(0.01);
  VectorField gradient(ball.x.size());
  const double value = energy.add(ball.x, one, gradient), more = energy.volumes()[0] - rest;
  EXPECT_GT(std::abs(more), 0.01 * rest);
  EXPECT_NEAR(value, (0.5e6 * more - 300) * more, 1e-12);
  const double step = 1e-6;
  for (std::size_t i = 0; i < ball.x.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      VectorField moved = ball.x;
      moved[i][k] += step;
      const double above = energy.evaluate(moved, one);
      moved[i][k] -= 2 * step;
      const double below = energy.evaluate(moved, one);
      EXPECT_NEAR(gradient[i][k], (above - below) / (2 * step), 1e-7);
    }
  }
  EXPECT_TRUE(ball.set.has_stiffening());
}

TEST(Pressure, TheHessianIsTheDerivativeOfTheForce) {
  Threads one(1);
  for (Ball ball : {Ball(constant(300), 0), Ball(gas(1.3e5, 1e5), 0), exact(0)}) {
    ball.shake(0.02);
    const Eigen::MatrixXd H = hessian_of(ball);
    const double step = 1e-6;
    for (Eigen::Index column = 0; column < H.cols(); ++column) {
      const auto i = at(column / 3);
      const auto k = static_cast<int>(column % 3);
      VectorField moved = ball.x;
      moved[i][k] += step;
      const VectorField above = gradient_at(ball, moved, one);
      moved[i][k] -= 2 * step;
      const VectorField below = gradient_at(ball, moved, one);
      for (Eigen::Index row = 0; row < H.rows(); ++row) {
        const double difference = (above[at(row / 3)][static_cast<int>(row % 3)] -
                                   below[at(row / 3)][static_cast<int>(row % 3)]) /
                                  (2 * step);
        // Forces of up to 1000 N round to 1e-13; divided by the step that is 1e-7.
        EXPECT_NEAR(H(row, column), difference, 1e-6 + 1e-7 * std::abs(difference));
      }
    }
  }
}

TEST(Pressure, ForcesOnAClosedSurfaceHaveNoSumAndNoMoment) {
  Threads one(1);
  Ball ball(constant(300), 2, {3, -2, 5});
  ball.shake(0.02);
  const VectorField force = gradient_at(ball, ball.x, one);
  double sum[3] = {}, moment[3] = {}, size = 0;
  for (std::size_t i = 0; i < force.size(); ++i) {
    const PaddedVector &f = force[i], &x = ball.x[i];
    for (int k = 0; k < 3; ++k) {
      sum[k] += f[k];
      moment[k] += x[(k + 1) % 3] * f[(k + 2) % 3] - x[(k + 2) % 3] * f[(k + 1) % 3];
      size += std::abs(f[k]);
    }
  }
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(sum[k], 0, 1e-15 * size);
    EXPECT_NEAR(moment[k], 0, 1e-14 * size);  // arms of up to 6 m
  }
}

TEST(Pressure, OfGasFallsAsItsVolumeGrows) {
  Threads one(1);
  Ball ball(gas(1.5e5, 1e5));
  PressureEnergy energy(ball.set);
  for (const double factor : {0.8, 1.0, 1.4}) {
    VectorField scaled = ball.x;
    for (PaddedVector& place : scaled) {
      for (int k = 0; k < 3; ++k) place[k] *= factor;
    }
    energy.evaluate(scaled, one);
    const double inside = 1e5 - energy.slope(0, energy.volumes()[0]);
    EXPECT_NEAR(inside * energy.volumes()[0], 1.5e5 * ball.set.chambers[0].rest_volume, 1e-9);
  }
  EXPECT_TRUE(ball.set.has_stiffening());
}

TEST(Pressure, FollowsItsKeyframes) {
  PressureSettings settings;
  settings.pressure.keyframes = {{1, 100}, {3, 500}};
  const Ball ball(settings);
  PressureEnergy energy(ball.set);
  for (const auto& [time, p] :
       {std::pair(0.0, 100.0), std::pair(2.0, 300.0), std::pair(9.0, 500.0)}) {
    energy.set_time(time);
    EXPECT_DOUBLE_EQ(energy.slope(0, 1), -p);
  }
}

TEST(Pressure, HasTheSameBitsOnAnyNumberOfThreads) {
  Ball ball(gas(1.5e5, 1e5), 4);
  ball.shake(0.001);
  Threads one(1), three(3);
  PressureEnergy first(ball.set), second(ball.set);
  VectorField a(ball.x.size()), b(ball.x.size());
  EXPECT_EQ(first.add(ball.x, one, a), second.add(ball.x, three, b));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (int k = 0; k < 3; ++k) ASSERT_EQ(a[i][k], b[i][k]);
  }
}

TEST(Pressure, TurnsAClothThatIsInsideOut) {
  Ball ball(constant(1));
  auto triangles = ball.mesh.triangles;
  for (auto& t : triangles) std::swap(t[0], t[1]);
  PressureSet other;
  other.add(constant(1), triangles, ball.mesh.vertices, 0, true, "");
  EXPECT_NEAR(other.chambers[0].rest_volume, ball.set.chambers[0].rest_volume, 1e-17);
}

/// Expects that these settings are refused at `where`, with a message that contains `word`.
void refuses(const PressureSettings& settings, const std::vector<std::array<int, 3>>& triangles,
             bool is_cloth, const std::string& where, const std::string& word) {
  const Ball ball(constant(1));
  PressureSet set;
  try {
    set.add(settings, triangles, ball.mesh.vertices, 0, is_cloth, "/bodies/0/pressure");
    ADD_FAILURE() << where << " was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "/bodies/0/pressure" + where);
    EXPECT_NE(error.message().find(word), std::string::npos) << error.message();
  }
}

TEST(Pressure, RefusesWhatEnclosesNothingAndNumbersOutOfRange) {
  const std::vector<std::array<int, 3>> closed = Ball(constant(1)).mesh.triangles;
  std::vector<std::array<int, 3>> open = closed, twisted = closed;
  open.pop_back();
  std::swap(twisted[0][0], twisted[0][1]);
  refuses(constant(1), open, true, "", "belongs to one triangle only");
  refuses(constant(1), twisted, true, "", "one side outside");
  refuses(constant(1), {}, true, "", "no triangles");
  refuses(constant(1), {{0, 1, 2}, {0, 2, 1}}, true, "", "encloses none");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refuses(constant(nan), closed, true, "/overpressure", "out of range");
  refuses(gas(-1, 1e5), closed, true, "/gas", "at least 0");
  refuses(gas(1e5, -1), closed, true, "/ambient", "at least 0");
  PressureSettings unsorted;
  unsorted.pressure.keyframes = {{1, 0}, {1, 2}};
  refuses(unsorted, closed, true, "/overpressure", "keyframe 1");
  PressureSettings cavities = constant(1);
  cavities.surface = PressureSurface::cavities;
  refuses(cavities, closed, true, "/surface", "cloth");
  refuses(cavities, closed, false, "/surface", "no cavities");
  cavities.surface = static_cast<PressureSurface>(2);
  refuses(cavities, closed, false, "/surface", "outer, cavities");
}

}  // namespace
}  // namespace supple
