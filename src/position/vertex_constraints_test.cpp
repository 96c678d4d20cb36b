#include "position/vertex_constraints.h"

#include <gtest/gtest.h>

#include <random>

#include "contact/test_allocations.h"
#include "position/constraint_test_support.h"

namespace supple {
namespace {

using test::contact_with;
using test::particles;
using test::plane;
using test::positions_of;
using test::Stepper;

constexpr double h = 1.0 / 60;
constexpr double gravity = 9.81;

PositionStep step_to(const VectorField& y, const VectorField& start) {
  return {y, start, 1 / (h * h), h, h};
}

void pin(Model& model, int vertex, double stiffness, const Vec3& target) {
  model.pins.pins.push_back({vertex, 0, stiffness, target});
}

template <class T>
void iterate(VertexConstraints<T>& constraints, Positions<T>& z, Threads& threads) {
  constraints.detect(z, threads);
  constraints.project(z, threads);
}

/// For one vertex: M (z - y)/a^2 + the gradient of pins and of contacts, chosen at z.
Vec3 gradient_of_g(const Model& model, ContactEnergy* contact, const VectorField& y,
                   const Positions<double>& z, std::size_t vertex) {
  Vec3 gradient{0, 0, 0};
  for (std::size_t k = 0; k < 3; ++k) {
    const int c = static_cast<int>(k);
    gradient[k] = model.mass[vertex] * (z[vertex][c] - y[vertex][c]) / (h * h);
    for (const PinnedVertex& p : model.pins.pins) {
      if (p.vertex == static_cast<int>(vertex))
        gradient[k] += p.stiffness * (z[vertex][c] - p.rest[k]);
    }
  }
  if (contact != nullptr) {
    Threads alone(1);
    contact->detect(z[0].v, alone);
    for (const Contact& found : contact->contacts()) {
      if (found.point.vertices[0] == static_cast<int>(vertex))
        contact->add(found, z[vertex].v, gradient.data());
    }
  }
  return gradient;
}

double norm(const Vec3& v) { return std::hypot(v[0], v[1], v[2]); }

TEST(VertexConstraints, PinsAreExactInOneVisit) {
  Model model = particles({{0, 0, 0}, {1, 0, 0}}, {0.2, 0.3});
  pin(model, 1, 3e3, {1, 2, 3});
  pin(model, 1, 1e9, {0.5, 0, -1});
  const VectorField y = test::rest_of(model);
  VertexConstraints<double> constraints(model, nullptr);
  Positions<double> z = positions_of<double>(y);
  Threads threads(1);
  constraints.begin(step_to(y, y), test::one_thread());
  iterate(constraints, z, threads);
  EXPECT_LT(norm(gradient_of_g(model, nullptr, y, z, 1)), 1e-6);  // rounding of 1e9 N/m times 1 m
  EXPECT_NEAR(z[1][0], 0.5, 1e-5);
  EXPECT_EQ(z[0][0], 0);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(constraints.impulse(1)[static_cast<std::size_t>(k)], 0.3 * (z[1][k] - y[1][k]),
                1e-15);
  }
  // A second visit replaces the impulse by the same one.
  const Positions<double> first = z;
  iterate(constraints, z, threads);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(z[1][k], first[1][k], 1e-15);
}

TEST(VertexConstraints, PinsMoveWithTheirMotion) {
  Model model = particles({{0, 0, 0}}, {1});
  model.pins.motions[0].velocity = Vec3{6, 0, 0};
  pin(model, 0, 1e12, {0, 0, 0});
  const VectorField y(1);
  VertexConstraints<float> constraints(model, nullptr);
  Positions<float> z(1);
  Threads threads(1);
  constraints.begin(step_to(y, y), test::one_thread());
  iterate(constraints, z, threads);
  EXPECT_NEAR(z[0][0], 0.1, 1e-7);  // where the pin is at the end of the step, in float
}

TEST(VertexConstraints, AParticleSettlesAtItsWeightOverTheStiffness) {
  const double mass = 0.4, stiffness = 2e3;
  const Model model = particles({{0, 0.01, 0}}, {mass});
  auto contact = contact_with({plane({0, 1, 0})}, 1, stiffness, 0);
  VertexConstraints<double> constraints(model, contact.get());
  Threads threads(1);
  Stepper stepper{test::rest_of(model), VectorField(1)};
  for (int i = 0; i < 600; ++i) {
    stepper.step({0, -gravity, 0}, [&](const PositionStep& step, VectorField& z) {
      constraints.begin(step, test::one_thread());
      Positions<double> p = positions_of<double>(z);
      for (int k = 0; k < 3; ++k) iterate(constraints, p, threads);
      copy_to(p, z);
    });
  }
  EXPECT_EQ(constraints.num_contacts(), 1);
  EXPECT_NEAR(stepper.x[0][1], -mass * gravity / stiffness, 1e-9);  // backward Euler has damped the
                                                                    // motion
}

/// How far a particle on a plane tilted by `degrees` slides in a second.
double slide(double degrees, double friction) {
  const double angle = degrees * std::acos(-1.0) / 180;
  const double mass = 0.4, stiffness = 1e4;
  const Vec3 normal{std::sin(angle), std::cos(angle), 0};
  Vec3 start;
  for (std::size_t k = 0; k < 3; ++k)
    start[k] = -mass * gravity * std::cos(angle) / stiffness * normal[k];
  const Model model = particles({start}, {mass});
  auto contact = contact_with({plane(normal)}, 1, stiffness, friction);
  VertexConstraints<double> constraints(model, contact.get());
  Threads threads(1);
  Stepper stepper{test::rest_of(model), VectorField(1)};
  for (int i = 0; i < 60; ++i) {
    stepper.step({0, -gravity, 0}, [&](const PositionStep& step, VectorField& z) {
      constraints.begin(step, test::one_thread());
      Positions<double> p = positions_of<double>(z);
      // N is that of the last detection, so it settles over iterations.
      for (int k = 0; k < 30; ++k) iterate(constraints, p, threads);
      copy_to(p, z);
    });
  }
  return (stepper.x[0][0] - start[0]) * std::cos(angle) -
         (stepper.x[0][1] - start[1]) * std::sin(angle);
}

TEST(VertexConstraints, FrictionHoldsBelowItsAngleAndSlidesAbove) {
  const double mu = 0.5;  // 26.57 degrees
  const double held = slide(25, mu);
  EXPECT_GT(held, 0);
  EXPECT_LT(held, friction_slip_speed);  // for a second it creeps at less than this
  const double angle = 35 * std::acos(-1.0) / 180;
  const double acceleration = gravity * (std::sin(angle) - mu * std::cos(angle));
  // Backward Euler after n steps: a h^2 n (n + 1)/2, n h = 1.
  EXPECT_NEAR(slide(35, mu), acceleration * (1 + h) / 2, 1e-6);
  const double free = gravity * std::sin(angle) * (1 + h) / 2;
  EXPECT_NEAR(slide(35, 0), free, 1e-9);
}

TEST(VertexConstraints, TheFixedPointIsAStationaryPointOfGWithPinsCollidersAndFriction) {
  Model model = particles({{0.02, -0.01, 0.03}, {0.5, 0.1, 0.2}, {0, 0.02, 0}}, {0.5, 0.2, 0.1});
  pin(model, 0, 400, {0.1, -0.3, 0});
  pin(model, 0, 70, {0, 0, 1});
  Collider ball{"", SphereShape{{0.4, -0.2, 0.1}, 0.5}, {}};
  ball.motion.velocity = Vec3{0.2, 0.4, 0};
  auto contact =
      contact_with({plane({0, 1, 0}, 0.05), ball, plane({1, 0, 0.2}, 0.01)}, 3, 5e3, 0.4);
  const VectorField start = test::rest_of(model);
  VectorField y = start;
  for (std::size_t i = 0; i < 3; ++i) y[i][1] -= 0.04 + 0.01 * static_cast<double>(i);
  VertexConstraints<double> constraints(model, contact.get());
  Positions<double> z = positions_of<double>(y);
  Threads threads(1);
  constraints.begin(step_to(y, start), test::one_thread());
  double before = 0;
  for (std::size_t i = 0; i < 3; ++i) before += norm(gradient_of_g(model, contact.get(), y, z, i));
  EXPECT_GT(before, 100);
  for (int k = 0; k < 200; ++k) iterate(constraints, z, threads);
  EXPECT_EQ(constraints.num_contacts(), 3);
  ASSERT_GT(contact->contacts().size(), 3u);  // several per vertex
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LT(norm(gradient_of_g(model, contact.get(), y, z, i)), 1e-9 * before);
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(constraints.impulse(static_cast<int>(i))[static_cast<std::size_t>(k)],
                  model.mass[i] * (z[i][k] - y[i][k]), 1e-15);
    }
  }
}

TEST(VertexConstraints, AVertexThatTheBodyLiftsOffKeepsItsCollider) {
  // It is lifted by less than the collider has pushed it: without the push it would be inside.
  Model model = particles({{0, 0, 0}}, {0.5});
  auto contact = contact_with({plane({0, 1, 0})}, 1, 1e6, 0);
  const VectorField start(1);
  VectorField y(1);
  y[0] = {{0, -0.02, 0, 0}};
  VertexConstraints<double> constraints(model, contact.get());
  Positions<double> z = positions_of<double>(y);
  Threads threads(1);
  constraints.begin(step_to(y, start), test::one_thread());
  iterate(constraints, z, threads);
  const double lying = z[0][1];
  EXPECT_LT(lying, 0);
  EXPECT_GT(lying, -1e-3);
  z[0][1] += 0.005;
  iterate(constraints, z, threads);
  // It is pushed from 15 mm inside instead of 20.
  EXPECT_NEAR(z[0][1], 0.75 * lying, 1e-12);
  z[0][1] += 0.016;
  iterate(constraints, z, threads);
  EXPECT_NEAR(z[0][1], 0.001, 1e-12);  // without the contact it would be outside
}

TEST(VertexConstraints, OneVisitSolvesAVertexWhateverItsImpulseWas) {
  // Contacts are held during a visit: the gradient with them vanishes after it.
  Model model = particles({{0, 0, 0}}, {0.5});
  auto contact = contact_with({plane({0, 1, 0}), plane({0.6, 0.8, 0}, 0.01)}, 1, 1e5, 0.7);
  const VectorField start(1);
  for (double slip : {1e-7, 1e-5, 1e-3, 0.1}) {
    VectorField y(1);
    y[0] = {{slip, -0.02, -slip, 0}};
    VertexConstraints<double> constraints(model, contact.get());
    Positions<double> z = positions_of<double>(y);
    Threads threads(1);
    constraints.begin(step_to(y, start), test::one_thread());
    iterate(constraints, z, threads);
    Vec3 gradient{0, 0, 0};
    double force = 0;
    for (const Contact& found : contact->contacts()) contact->add(found, z[0].v, gradient.data());
    for (std::size_t k = 0; k < 3; ++k) {
      const double inertia =
          0.5 * (z[0][static_cast<int>(k)] - y[0][static_cast<int>(k)]) / (h * h);
      force = std::max(force, std::abs(inertia));
      gradient[k] += inertia;
    }
    EXPECT_GT(force, 1);
    EXPECT_LT(norm(gradient), 1e-10 * force) << slip;  // Newton to rounding
  }
}

TEST(VertexConstraints, OneVisitFindsTheMinimumOfAnyContacts) {
  // Deep starts, so that friction is a hundred times what inertia can do against it, from slips of
  // a micrometre to a metre; planes that agree, that differ, and a ball; springs and barriers. What
  // is alone has a formula or one equation, the others are searched.
  const Collider floor = plane({0, 1, 0}), slope = plane({0.6, 0.8, 0}, 0.01);
  const Collider wall = plane({-0.8, 0, 0.6}, 0.02), ball{"", SphereShape{{0, -0.5, 0}, 0.51}, {}};
  const std::vector<std::vector<Collider>> all{
      {floor}, {slope}, {floor, slope}, {floor, slope, wall}, {floor, ball}, {ball}};
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1), exponent(-6, 0);
  int count = 0;
  for (const auto& colliders : all) {
    for (int trial = 0; trial < 400; ++trial) {
      Model model = particles({{0, 0, 0}}, {std::pow(10, exponent(random))});
      auto contact = contact_with(colliders, 1, 1e3, 0.3, trial < 200 ? 0 : 0.02);
      VectorField start(1), y(1);
      const double slip = std::pow(10, exponent(random));
      for (int k = 0; k < 3; ++k) start[0][k] = 0.01 * number(random);
      for (int k = 0; k < 3; ++k) y[0][k] = start[0][k] + slip * number(random);
      VertexConstraints<double> constraints(model, contact.get());
      Positions<double> z = positions_of<double>(y);
      Threads threads(1);
      constraints.begin(step_to(y, start), test::one_thread());
      iterate(constraints, z, threads);
      if (constraints.num_contacts() == 0) continue;
      ++count;
      const auto energy = [&](const Vec3& place) {
        double sum = 0, unused[3] = {};
        for (std::size_t k = 0; k < 3; ++k) {
          const double off = place[k] - y[0][static_cast<int>(k)];
          sum += 0.5 * model.mass[0] / (h * h) * off * off;
        }
        for (const Contact& found : contact->contacts()) {
          sum += contact->add(found, place.data(), unused);
        }
        return sum;
      };
      // No place around it is lower. The rounding of the energies leaves 1e-8 of the way.
      const Vec3 found{z[0][0], z[0][1], z[0][2]};
      const double least = energy(found);
      for (const double size : {1e-1, 1e-3, 1e-5}) {
        for (int around = 0; around < 20; ++around) {
          Vec3 place = found;
          for (double& x : place) x += size * slip * number(random);
          EXPECT_GE(energy(place) / least - 1, -1e-12) << trial << " of " << colliders.size();
        }
      }
    }
  }
  EXPECT_GT(count, 1200);
}

TEST(VertexConstraints, AVertexThatLeavesItsColliderGivesTheImpulseBack) {
  const Model model = particles({{0, 0, 0}}, {0.5});
  auto contact = contact_with({plane({0, 1, 0})}, 1, 1e4, 0);
  VectorField y(1);
  y[0][1] = -0.01;
  VertexConstraints<double> constraints(model, contact.get());
  Positions<double> z = positions_of<double>(y);
  Threads threads(1);
  constraints.begin(step_to(y, y), test::one_thread());
  iterate(constraints, z, threads);
  EXPECT_GT(constraints.impulse(0)[1], 0);
  z[0][1] += 0.5;  // something else lifts it
  iterate(constraints, z, threads);
  EXPECT_EQ(constraints.num_contacts(), 0);
  EXPECT_EQ(constraints.impulse(0)[1], 0);
  EXPECT_NEAR(z[0][1], y[0][1] + 0.5, 1e-15);  // where it is without the contact
}

TEST(VertexConstraints, AVertexWithoutMassStays) {
  Model model = particles({{0, -1, 0}}, {0});
  pin(model, 0, 1e4, {3, 3, 3});
  auto contact = contact_with({plane({0, 1, 0})}, 1, 1e4, 0);
  const VectorField y = test::rest_of(model);
  VertexConstraints<double> constraints(model, contact.get(), true);
  Positions<double> z = positions_of<double>(y);
  Threads threads(1);
  constraints.begin(step_to(y, y), test::one_thread());
  constraints.apply_kept(z);
  iterate(constraints, z, threads);
  EXPECT_EQ(z[0][1], -1);
}

TEST(VertexConstraints, PinsMayChangeWhileItRuns) {
  Model model = particles({{0, 0, 0}, {1, 0, 0}}, {1, 1});
  pin(model, 0, 1e5, {0, 1, 0});
  const VectorField y = test::rest_of(model);
  VertexConstraints<double> constraints(model, nullptr, true);
  Positions<double> z = positions_of<double>(y);
  Threads threads(1);
  constraints.begin(step_to(y, y), test::one_thread());
  iterate(constraints, z, threads);
  EXPECT_GT(z[0][1], 0.5);
  model.pins.pins.clear();
  pin(model, 1, 1e5, {1, 0, 1});
  pin(model, 1, 1e5, {1, 0, 3});
  constraints.pins_changed();
  z = positions_of<double>(y);
  constraints.begin(step_to(y, y), test::one_thread());
  constraints.apply_kept(z);
  EXPECT_EQ(z[0][1], 0);  // its impulse is gone with its pin
  iterate(constraints, z, threads);
  EXPECT_EQ(z[0][1], 0);
  EXPECT_NEAR(z[1][2], 2, 0.05);
  model.pins.pins.clear();
  constraints.pins_changed();
  z = positions_of<double>(y);
  constraints.begin(step_to(y, y), test::one_thread());
  iterate(constraints, z, threads);
  EXPECT_EQ(z[1][2], 0);
}

TEST(VertexConstraints, PinsAreNotHeldWhereSomethingElseHoldsThem) {
  Model model = particles({{0, 0, 0}}, {1});
  pin(model, 0, 1e5, {0, 1, 0});
  const VectorField y = test::rest_of(model);
  VertexConstraints<double> constraints(model, nullptr, false, false);
  Positions<double> z = positions_of<double>(y);
  Threads threads(1);
  constraints.begin(step_to(y, y), test::one_thread());
  iterate(constraints, z, threads);
  EXPECT_EQ(z[0][1], 0);
}

/// Many particles above, on and below a moving floor, some pinned.
struct Crowd {
  Crowd() {
    std::mt19937 generator(5);
    std::uniform_real_distribution<double> uniform(-0.05, 0.05);
    std::vector<Vec3> places;
    for (int i = 0; i < 2000; ++i)
      places.push_back({10 * uniform(generator), uniform(generator), uniform(generator)});
    model = particles(places, std::vector<double>(places.size(), 0.01));
    for (int i = 0; i < 600; i += 3) pin(model, i, 500, {0, 0.02, 0});
    Collider floor = plane({0, 1, 0});
    floor.motion.velocity = Vec3{1, 0.2, 0};
    contact = contact_with({floor, {"", SphereShape{{0, 0, 0}, 0.1}, {}}}, 2000, 2e3, 0.3);
    y = test::rest_of(model);
  }
  Model model;
  std::unique_ptr<ContactEnergy> contact;
  VectorField y;
};

template <class T>
Positions<T> run_crowd(int count) {
  Crowd crowd;
  Threads threads(count);
  VertexConstraints<T> constraints(crowd.model, crowd.contact.get());
  Positions<T> z = positions_of<T>(crowd.y);
  constraints.begin(step_to(crowd.y, crowd.y), test::one_thread());
  for (int i = 0; i < 6; ++i) iterate(constraints, z, threads);
  EXPECT_GT(constraints.num_contacts(), 500);
  return z;
}

TEST(VertexConstraints, TheNumberOfThreadsDoesNotShowAndFloatIsNearDouble) {
  const Positions<float> one = run_crowd<float>(1), three = run_crowd<float>(3);
  const Positions<double> full = run_crowd<double>(2);
  for (std::size_t i = 0; i < one.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      ASSERT_EQ(one[i][k], three[i][k]);
      ASSERT_NEAR(one[i][k], full[i][k], 2e-5);  // friction's slip per step is 1.7e-5 m
    }
  }
}

TEST(VertexConstraints, AStepAfterTheFirstAllocatesNothing) {
  Crowd crowd;
  Threads threads(2);
  VertexConstraints<float> constraints(crowd.model, crowd.contact.get(), true);
  Positions<float> z = positions_of<float>(crowd.y);
  const auto substep = [&] {
    constraints.begin(step_to(crowd.y, crowd.y), test::one_thread());
    constraints.apply_kept(z);
    for (int i = 0; i < 3; ++i) iterate(constraints, z, threads);
  };
  substep();  // the threads begin
  const long before = num_allocations();
  for (int i = 0; i < 2; ++i) substep();
  EXPECT_EQ(num_allocations(), before);
  EXPECT_GT(constraints.num_contacts(), 500);
}

}  // namespace
}  // namespace supple
