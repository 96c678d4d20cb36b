#include "integrate/integrator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace supple {
namespace {

constexpr double mass = 2;

/// Two vertices, the second without mass.
Model two_vertices() {
  Model model;
  model.num_vertices = 2;
  model.mass = {mass, 0};
  return model;
}

/// An oscillator along x with E = k/2 x^2, whose steps are solved exactly.
class Oscillator {
 public:
  Oscillator(const std::string& method, double angular_frequency, double h, double drag = 0)
      : integrator_(*find_integrator(from_string<TimeIntegrator>(method))),
        stiffness_(mass * angular_frequency * angular_frequency),
        step_{.model = model_, .h = h, .gravity = {0, 0, 0}, .kept = std::exp(-drag * h)},
        z_(2) {
    state_.x = {{{1, 0, 0, 0}}, {{4, 5, 6, 0}}};
    state_.v.resize(2);
    if (integrator_.needs_acceleration) {
      state_.acceleration.resize(2);
      state_.acceleration[0][0] = -stiffness_ / mass * state_.x[0][0];
    }
  }

  void step() {
    if (integrator_.is_explicit) {
      z_[0][0] = stiffness_ * state_.x[0][0];
      integrator_.advance(step_, z_, 0, 2, state_);
      return;
    }
    const bool first = integrator_.needs_previous && state_.x_previous.empty();
    step_.is_first = first;
    const double inertia = mass * integrator_.inverse_a2(step_.h, first);
    integrator_.target(step_, state_, 0, 2, z_);
    z_[0][0] *= inertia / (inertia + stiffness_);  // the minimum of g
    if (first) keep_as_previous(step_, state_);
    integrator_.advance(step_, z_, 0, 2, state_);
  }

  double x() const { return state_.x[0][0]; }
  double v() const { return state_.v[0][0]; }
  double energy() const { return 0.5 * mass * v() * v() + 0.5 * stiffness_ * x() * x(); }
  State& state() { return state_; }
  StepParameters& parameters() { return step_; }

 private:
  Model model_ = two_vertices();
  const Integrator& integrator_;
  double stiffness_;
  StepParameters step_;
  State state_;
  VectorField z_;
};

const std::vector<std::string> dynamic_methods = {
    "backward_euler", "implicit_midpoint", "bdf2", "newmark", "symplectic_euler", "forward_euler"};

TEST(Integrators, AreFoundByTheirNames) {
  for (const Integrator& integrator : integrators()) {
    EXPECT_EQ(find_integrator(integrator.kind), &integrator);
  }
  EXPECT_EQ(integrators().size(), all_choices<TimeIntegrator>().size());
  EXPECT_EQ(find_integrator(static_cast<TimeIntegrator>(99)), nullptr);
}

TEST(Integrators, ConvergeWithTheirOrder) {
  const std::map<std::string, double> order = {
      {"backward_euler", 1}, {"implicit_midpoint", 2}, {"bdf2", 2},
      {"newmark", 2},        {"symplectic_euler", 1},  {"forward_euler", 1}};
  for (const std::string& method : dynamic_methods) {
    const auto error = [&](int steps) {
      Oscillator oscillator(method, 1, 2.0 / steps);
      for (int i = 0; i < steps; ++i) oscillator.step();
      return std::hypot(oscillator.x() - std::cos(2), oscillator.v() + std::sin(2));
    };
    // With steps of 1/500 of the period the next term of the error is a hundredth of the first.
    const double slope = std::log2(error(1000) / error(2000));
    EXPECT_NEAR(slope, order.at(method), 0.02) << method;
  }
}

/// Energy after n steps of h w = 0.3, over that at the start.
double energy_kept(const std::string& method, int steps) {
  Oscillator oscillator(method, 3, 0.1);
  const double before = oscillator.energy();
  for (int i = 0; i < steps; ++i) oscillator.step();
  return oscillator.energy() / before;
}

TEST(Integrators, KeepLoseOrGainTheEnergyOfAnOscillator) {
  const double factor = 1 + 0.3 * 0.3;
  // A thousand steps with a few roundings each.
  constexpr double rounding = 1e-11;
  EXPECT_NEAR(energy_kept("implicit_midpoint", 1000), 1, rounding);
  EXPECT_NEAR(energy_kept("newmark", 1000), 1, rounding);
  // [Hairer, Lubich & Wanner 2002, sec. I.1]: the exact factor of every step.
  EXPECT_NEAR(energy_kept("backward_euler", 100) * std::pow(factor, 100), 1, rounding);
  EXPECT_NEAR(energy_kept("forward_euler", 100) / std::pow(factor, 100), 1, rounding);
  // Symplectic Euler conserves x^2 w^2 + v^2 + h w^2 x v (up to the sign of the last term), so the
  // energy stays within a share of h w/2.
  for (const int steps : {999, 1000, 1001, 1002, 1003}) {
    EXPECT_NEAR(energy_kept("symplectic_euler", steps), 1, 0.3);
  }
  // BDF2 damps, by far less than backward Euler.
  EXPECT_LT(energy_kept("bdf2", 100), 1);
  EXPECT_GT(energy_kept("bdf2", 100), 100 * energy_kept("backward_euler", 100));
}

TEST(Integrators, FollowTheDiscreteSolutionOfASpring) {
  // Each method's own recursion, written out for x'' = -w^2 x.
  constexpr double w = 3, h = 0.1, w2 = w * w;
  const auto compare = [&](const std::string& method, const auto& recursion) {
    Oscillator oscillator(method, w, h);
    double x = 1, v = 0;
    for (int i = 0; i < 50; ++i) {
      oscillator.step();
      recursion(x, v);
      EXPECT_NEAR(oscillator.x(), x, 1e-12) << method << " " << i;
      EXPECT_NEAR(oscillator.v(), v, 1e-12) << method << " " << i;
    }
  };
  compare("backward_euler", [&](double& x, double& v) {
    x = (x + h * v) / (1 + h * h * w2);
    v -= h * w2 * x;
  });
  const auto trapezoid = [&](double& x, double& v) {
    const double c = 0.25 * h * h * w2;
    const double next = ((1 - c) * x + h * v) / (1 + c);
    v -= 0.5 * h * w2 * (x + next);
    x = next;
  };
  // For a linear force these two are the same.
  compare("implicit_midpoint", trapezoid);
  compare("newmark", trapezoid);
  compare("symplectic_euler", [&](double& x, double& v) {
    v -= h * w2 * x;
    x += h * v;
  });
  compare("forward_euler", [&](double& x, double& v) {
    const double force = -w2 * x;
    x += h * v;
    v += h * force;
  });
  double x_previous = 0, v_previous = 0;
  bool first = true;
  compare("bdf2", [&](double& x, double& v) {
    const double a = first ? h : 2 * h / 3;
    const double xh = first ? x : (4 * x - x_previous) / 3;
    const double vh = first ? v : (4 * v - v_previous) / 3;
    x_previous = x;
    v_previous = v;
    x = (xh + a * vh) / (1 + a * a * w2);
    v = vh - a * w2 * x;
    first = false;
  });
}

TEST(Integrators, FallFreely) {
  for (const std::string& method : dynamic_methods) {
    Oscillator body(method, 0, 0.01);
    body.parameters().gravity = {0, -9.81, 0};
    if (!body.state().acceleration.empty()) body.state().acceleration[0][1] = -9.81;
    for (int i = 0; i < 100; ++i) body.step();
    // Newmark divides differences of positions of 5 m by (h/2)^2.
    EXPECT_NEAR(body.state().v[0][1], -9.81, 1e-10) << method;
    // First-order methods are off by g h t/2; BDF2 by the error of its first step.
    const bool second = method == "implicit_midpoint" || method == "newmark";
    EXPECT_NEAR(body.state().x[0][1], -9.81 / 2, second ? 1e-12 : 0.0491) << method;
  }
}

TEST(Integrators, DragTakesItsShareOfTheVelocityInEveryStep) {
  for (const std::string& method : dynamic_methods) {
    Oscillator body(method, 0, 0.1, 0.7);
    body.state().v[0][2] = 5;
    for (int i = 0; i < 10; ++i) body.step();
    EXPECT_NEAR(body.state().v[0][2], 5 * std::exp(-0.7), 1e-13) << method;
  }
}

TEST(Integrators, AVertexWithoutMassStays) {
  for (const std::string& method : dynamic_methods) {
    Oscillator body(method, 2, 0.1);
    body.parameters().gravity = {1, 2, 3};
    for (int i = 0; i < 4; ++i) body.step();
    for (int k = 0; k < 3; ++k) EXPECT_EQ(body.state().x[1][k], 4 + k) << method;
  }
}

TEST(QuasiStatic, IsWhereTheMinimumIs) {
  const Model model = two_vertices();
  const Integrator& method = *find_integrator(TimeIntegrator::quasi_static);
  EXPECT_EQ(method.inverse_a2(0.1, false), 0);
  State state;
  state.x = {{{1, 2, 3, 0}}, {}};
  state.v = {{{7, 7, 7, 0}}, {}};
  const StepParameters step{.model = model, .h = 0.1};
  VectorField y(2);
  method.target(step, state, 0, 2, y);
  EXPECT_EQ(y[0][1], 2);
  const VectorField z = {{{4, 5, 6, 0}}, {}};
  method.advance(step, z, 0, 2, state);
  EXPECT_EQ(state.x[0][2], 6);
  EXPECT_EQ(state.v[0][0], 0);
}

}  // namespace
}  // namespace supple
