#include "model/rigid_bodies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "model/model.h"

namespace supple {
namespace {

using Vector = RigidBodies::Vector;
using Matrix = RigidBodies::Matrix;

/// An uneven brick away from the origin.
Model brick() {
  Scene scene;
  Body body;
  body.mesh =
      generate(BoxGenerator{.size = {1, 0.5, 0.3}, .cells = {2, 2, 1}, .center = {0.7, -0.2, 0.4}});
  body.material.model = "rigid";
  scene.bodies = {body};
  return build_model(scene);
}

VectorField at_rest(const Model& model, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-noise, noise);
  VectorField z(static_cast<std::size_t>(model.num_vertices));
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) z[i][static_cast<int>(k)] = model.rest[i][k] + any(random);
  }
  return z;
}

double distance2(const Model& model, const VectorField& a, const VectorField& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (int k = 0; k < 3; ++k) sum += model.mass[i] * (a[i][k] - b[i][k]) * (a[i][k] - b[i][k]);
  }
  return sum;
}

Matrix turn(const Vector& v) {
  // exp by its series, for small turns.
  Matrix skew = Matrix::zero(), power = Matrix::identity(), sum = power;
  skew(2, 1) = v[0];
  skew(1, 2) = -v[0];
  skew(0, 2) = v[1];
  skew(2, 0) = -v[1];
  skew(1, 0) = v[2];
  skew(0, 1) = -v[2];
  for (int n = 1; n < 20; ++n) {
    power = (1.0 / n) * (power * skew);
    sum = sum + power;
  }
  return sum;
}

TEST(RigidBodies, FindTheNearestRigidPlace) {
  const Model model = brick();
  const RigidBodies rigid(model);
  ASSERT_EQ(rigid.bodies().size(), 1U);
  const RigidBodies::Body& body = rigid.bodies()[0];
  const int all[] = {0};
  for (unsigned seed = 1; seed < 5; ++seed) {
    const VectorField z = at_rest(model, 0.2, seed);
    const RigidBodies::Pose pose = rigid.nearest(body, z);
    VectorField best = z;
    rigid.make_rigid(all, best);
    const double least = distance2(model, z, best);
    EXPECT_GT(least, 0);
    for (int k = 0; k < 3; ++k) {
      for (const double step : {-1e-3, 1e-3}) {
        RigidBodies::Pose other = pose;
        other.center[k] += step;
        VectorField place = z;
        rigid.place(body, other, place);
        EXPECT_GT(distance2(model, z, place), least);
        other = pose;
        Vector small{};
        small[k] = step;
        other.rotation = turn(small) * pose.rotation;
        rigid.place(body, other, place);
        EXPECT_GT(distance2(model, z, place), least);
      }
    }
    // What is rigid is its own nearest rigid place.
    VectorField again = best;
    rigid.make_rigid(all, again);
    EXPECT_LT(std::sqrt(distance2(model, best, again) / body.mass), 1e-14);
  }
}

/// keep_tangent gives the gradient of z -> f(nearest rigid place of z).
TEST(RigidBodies, KeepTheGradientOfFunctionsOfRigidPlaces) {
  const Model model = brick();
  const RigidBodies rigid(model);
  const int all[] = {0};
  VectorField z = at_rest(model, 0.1, 3);
  rigid.make_rigid(all, z);
  const VectorField target = at_rest(model, 0.7, 7), way = at_rest(model, 1, 9);
  const auto f = [&](const VectorField& x) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (int k = 0; k < 3; ++k) sum += std::pow(x[i][k] - target[i][k], 4) / 4;
    }
    return sum;
  };
  VectorField gradient = z;
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (int k = 0; k < 3; ++k) gradient[i][k] = std::pow(z[i][k] - target[i][k], 3);
  }
  rigid.keep_tangent(all, z, gradient);
  const double e = 1e-5;
  double slope = 0, sides[2] = {};
  for (int side = 0; side < 2; ++side) {
    VectorField moved = z;
    for (std::size_t i = 0; i < z.size(); ++i) {
      for (int k = 0; k < 3; ++k) moved[i][k] += (side == 0 ? -e : e) * way[i][k];
    }
    rigid.make_rigid(all, moved);
    sides[side] = f(moved);
  }
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (int k = 0; k < 3; ++k) slope += gradient[i][k] * way[i][k];
  }
  EXPECT_NEAR((sides[1] - sides[0]) / (2 * e), slope, 1e-8 * std::abs(slope));
}

/// The angular momentum sum m x x (y - x)/h is that of the flight without rigidity.
TEST(RigidBodies, AFlightKeepsTheAngularMomentum) {
  const Model model = brick();
  const RigidBodies rigid(model);
  const RigidBodies::Body& body = rigid.bodies()[0];
  const VectorField x = at_rest(model, 0, 1);
  VectorField y = x;
  const Vector spin{{0.3, -0.2, 0.25}};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vector r{{x[i][0] - body.center[0], x[i][1] - body.center[1], x[i][2] - body.center[2]}};
    const Vector v = cross(spin, r);
    for (int k = 0; k < 3; ++k) y[i][k] += v[k] + 0.4;
  }
  VectorField flown = x;
  rigid.place(body, rigid.flight(body, x, y), flown);
  const auto momentum = [&](const VectorField& end) {
    Vector sum{};
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Vector from{{x[i][0], x[i][1], x[i][2]}};
      const Vector way{{end[i][0] - x[i][0], end[i][1] - x[i][1], end[i][2] - x[i][2]}};
      sum = sum + model.mass[i] * cross(from, way);
    }
    return sum;
  };
  const Vector before = momentum(y), after = momentum(flown);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(after[k], before[k], 1e-12 * body.mass);
}

}  // namespace
}  // namespace supple
