#include "contact/barrier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "contact/collider_guard.h"
#include "contact/contact_energy.h"

namespace supple {
namespace {

TEST(Barrier, SlopeAndCurvatureAreDerivativesOfTheEnergy) {
  constexpr double step = 1e-6;
  for (const double s : {-3.0, -0.2, 0.05, 0.0999, 0.1001, 0.2, 0.5, 0.9, 0.999, 1.2}) {
    const double slope = (barrier::energy(s + step) - barrier::energy(s - step)) / (2 * step);
    const double curvature = (barrier::slope(s + step) - barrier::slope(s - step)) / (2 * step);
    // Rounding of the difference, 1e-10 of the values, and step^2 times the third derivative.
    EXPECT_NEAR(barrier::slope(s), slope, 1e-8 * (1 + std::abs(slope))) << s;
    EXPECT_NEAR(barrier::curvature(s), curvature, 1e-7 * (1 + curvature)) << s;
  }
}

TEST(Barrier, WithTheSpringOfASqueezeForceAndStiffnessAreStillDerivatives) {
  Contact contact{};
  contact.layer = 0.002;
  contact.stiffness = 3e4;
  contact.added = 1e6;
  contact.soft_depth = (1 - barrier::hard_share) * contact.layer;
  const double step = 1e-9;
  for (const double share : {0.8, 0.4, 0.29, 0.15, 0.05, -0.2, -3.0}) {
    const double depth = (1 - share) * contact.layer;
    const double above = depth + step, below = depth - step;
    const double force = (contact.energy_at(above) - contact.energy_at(below)) / (2 * step);
    const double stiffness = (contact.force_at(above) - contact.force_at(below)) / (2 * step);
    EXPECT_NEAR(contact.force_at(depth), force, 1e-5 * force) << share;
    EXPECT_NEAR(contact.stiffness_at(depth), stiffness, 1e-4 * stiffness) << share;
  }
}

TEST(Barrier, ItIsTheLogarithmOfThePaperWithUnitStiffnessInTheMiddle) {
  const double half = 2 * std::log(2.0) + 5;
  for (const double s : {0.1, 0.3, 0.5, 0.8}) {
    EXPECT_NEAR(barrier::energy(s), -(s - 1) * (s - 1) * std::log(s) / half, 1e-16) << s;
  }
  EXPECT_DOUBLE_EQ(barrier::curvature(0.5), 1);
  EXPECT_EQ(barrier::energy(1), 0);
  EXPECT_EQ(barrier::slope(1), 0);
  EXPECT_EQ(barrier::curvature(1), 0);
}

TEST(Barrier, NothingJumpsWhereItSetsInOrWhereItsParabolaDoes) {
  for (const double s : {1.0, barrier::last_share}) {
    const double below = std::nextafter(s, 0.0), above = std::nextafter(s, 2.0);
    // The third derivative, at most 4000, times a rounding.
    EXPECT_NEAR(barrier::energy(below), barrier::energy(above), 1e-13) << s;
    EXPECT_NEAR(barrier::slope(below), barrier::slope(above), 1e-13) << s;
    EXPECT_NEAR(barrier::curvature(below), barrier::curvature(above), 1e-11) << s;
  }
}

TEST(Barrier, TheDeeperTheHarder) {
  for (double s = -2; s < 0.99; s += 0.01) {
    EXPECT_GT(barrier::energy(s), barrier::energy(s + 0.01)) << s;
    EXPECT_LT(barrier::slope(s), barrier::slope(s + 0.01)) << s;
    EXPECT_GE(barrier::curvature(s), barrier::curvature(s + 0.01)) << s;
  }
}

/// Vertices around a ball with a layer of 0.1 m in front of it.
TEST(Barrier, TheForcesOfContactsAreTheGradientOfTheirEnergy) {
  Threads threads(1);
  constexpr double layer = 0.1, k = 300;
  std::vector<ColliderObject> colliders;
  colliders.emplace_back(Collider{"ball", SphereShape{{0, 0, 0}, 0.5}, {}}, "/colliders/0");
  std::vector<ContactVertex> vertices;
  std::vector<double> x;
  for (int i = 0; i < 12; ++i) {
    // From the middle of the ball to beyond the layer.
    const double r = 0.45 + 0.015 * i, a = 0.7 * i, b = 0.4 + 0.2 * i;
    x.insert(x.end(),
             {r * std::cos(a) * std::sin(b), r * std::cos(b), r * std::sin(a) * std::sin(b), 0});
    vertices.push_back({.vertex = i, .stiffness = k});
  }
  ContactEnergy contact(
      std::move(colliders), 0, vertices, {}, nullptr,
      std::make_unique<ColliderGuard>(std::vector<ContactSurface>{}, std::vector<int>(12, 0),
                                      std::vector<double>{layer}));
  const auto value = [&](std::vector<double>* gradient) {
    contact.begin_step({.time_end = 1, .h = 0.02, .x_n = x.data()}, threads);
    contact.detect(x.data(), threads);
    std::vector<double> unused(x.size());
    return contact.add(x.data(), gradient != nullptr ? gradient->data() : unused.data());
  };
  std::vector<double> gradient(x.size());
  const double energy = value(&gradient);
  double expected = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    const double gap = std::hypot(x[4 * i], x[4 * i + 1], x[4 * i + 2]) - 0.5;
    expected += k * layer * layer * barrier::energy(gap / layer);
  }
  EXPECT_NEAR(energy, expected, 1e-12 * expected);
  // A vertex in the layer is not in the collider.
  EXPECT_EQ(contact.touch().deepest, 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % 4 == 3) continue;
    constexpr double step = 1e-6;
    const double here = x[i];
    x[i] = here + step;
    const double above = value(nullptr);
    x[i] = here - step;
    const double below = value(nullptr);
    x[i] = here;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * step), 1e-4) << i;  // of up to 600 N
  }
}

}  // namespace
}  // namespace supple
