#include "descent/prefactored_system.h"

#include <gtest/gtest.h>

#include <Eigen/SparseCore>
#include <cmath>
#include <numeric>

#include "contact/test_allocations.h"
#include "descent/laplacian.h"
#include "descent/rest_hessian.h"
#include "descent/test_problem.h"
#include "elements/vertex_adjacency.h"
#include "model/pin_selection.h"

namespace supple {
namespace {

using test::h;
constexpr double inverse_a2 = 1 / (h * h);

/// Two separate boxes of 36 vertices, a strand, and a vertex that nothing acts on.
Scene parts() {
  Scene scene = test::test_scene();
  scene.bodies.push_back(scene.bodies[0]);
  scene.bodies[0].mesh.vertices.push_back({3, 3, 3});
  scene.bodies[1].pins.clear();
  Body strand;
  strand.mesh.vertices = {{0, 2, 0}, {0, 2.5, 0}, {0, 3, 0}};
  strand.springs = {{0, 1, 100, 0.5}, {1, 2, 100, 0.5}};
  scene.bodies.push_back(strand);
  return scene;
}

Pin pin(std::vector<int> vertices, double stiffness) {
  Pin made;
  made.vertices = std::move(vertices);
  made.stiffness = stiffness;
  return made;
}

/// The first `count` vertices of a box.
Pin first(int count, double stiffness) {
  std::vector<int> vertices;
  for (int i = 0; i < count; ++i) vertices.push_back(i);
  return pin(vertices, stiffness);
}

/// A change of the pins: those that each body has afterwards.
struct Case {
  const char* name;
  std::vector<std::vector<Pin>> pins;
  bool few = true;  ///< up to 32 vertices differ
};

std::vector<Case> cases() {
  const std::vector<Pin> left = test::test_scene().bodies[0].pins;
  return {
      {"one more", {left, {pin({5}, 1e5)}, {}}},
      {"stiffer and softer", {{first(9, 3e4), pin({20, 20}, 10)}, {}, {}}},
      {"everything free", {{}, {}, {}}},
      {"all parts held otherwise",
       {{first(8, 1e6)}, {pin({3, 17, 30}, 50)}, {pin({0}, 1e3), pin({2}, 1e4)}}},
      {"the idle vertex", {{left[0], pin({36}, 500)}, {}, {}}},
      {"most of one", {left, {first(30, 1e4)}, {}}},
      {"all of both", {{first(36, 1e6)}, {first(36, 1e4)}, {}}, false},
  };
}

VectorField field(std::size_t size, double phase) {
  VectorField b(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (int c = 0; c < 3; ++c) {
      b[i][c] = std::sin(1 + 2.3 * static_cast<double>(i) + phase * (c + 1));
    }
  }
  return b;
}

double dot(const VectorField& a, const VectorField& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (int c = 0; c < 3; ++c) sum += a[i][c] * b[i][c];
  }
  return sum;
}

double distance(const VectorField& a, const VectorField& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (int c = 0; c < 3; ++c) largest = std::max(largest, std::abs(a[i][c] - b[i][c]));
  }
  return largest;
}

double size(const VectorField& a) { return distance(a, VectorField(a.size())); }

PrefactoredSystem make(const Model& model, const std::string& kind) {
  if (kind == "rest") return factorise_at_rest(model, inverse_a2);
  const std::vector<int> order = elimination_order(model);
  return {model,
          inverse_a2,
          order,
          laplacian_lower(model, inverse_a2, order, Pins::left_out),
          PrefactoredSystem::Coupling::none,
          kind == "floats"      ? Precision::mixed
          : kind == "multigrid" ? Precision::multigrid
                                : Precision::full,
          "M/h^2 + L"};
}

/// 1^T A x = 1^T b on every body, for p = -x: only masses and pins resist a shift of a whole body.
void expect_exact_mean(const Model& model, const VectorField& b, const VectorField& p) {
  for (std::size_t body = 0; body + 1 < model.body_vertices.size(); ++body) {
    const auto begin = static_cast<std::size_t>(model.body_vertices[body]);
    const auto end = static_cast<std::size_t>(model.body_vertices[body + 1]);
    for (int c = 0; c < 3; ++c) {
      double sum = 0, terms = 0;
      const auto add = [&](double term) {
        sum += term;
        terms += std::abs(term);
      };
      for (std::size_t i = begin; i < end; ++i) {
        if (!(model.mass[i] > 0)) continue;
        add(b[i][c]);
        add(model.mass[i] * inverse_a2 * p[i][c]);
      }
      for (const PinnedVertex& held : model.pins.pins) {
        const auto i = static_cast<std::size_t>(held.vertex);
        if (i >= begin && i < end && model.mass[i] > 0) add(held.stiffness * p[i][c]);
      }
      EXPECT_NEAR(sum, 0, 1e-14 * terms) << "body " << body;
    }
  }
}

TEST(PrefactoredSystem, AfterAFewChangesItSolvesAsOneBuiltWithThePins) {
  Threads threads(1);
  for (const std::string kind : {"floats", "doubles", "rest"}) {
    for (const Case& change : cases()) {
      SCOPED_TRACE(kind + ", " + change.name);
      Scene scene = parts();
      Model model = build_model(scene);
      PrefactoredSystem matrix = make(model, kind);
      for (std::size_t b = 0; b < 3; ++b) scene.bodies[b].pins = change.pins[b];
      model.pins = pins_of(scene);
      matrix.pins_changed(model, h);
      PrefactoredSystem fresh = make(model, kind);
      const VectorField b = field(model.rest.size(), 0.7);
      VectorField p(b.size()), expected(b.size());
      fresh.solve(b, expected, threads);
      if (kind != "rest") {
        EXPECT_EQ(matrix.is_exact(), change.few);
      }
      for (int step = 0; step < 40 && !matrix.is_exact(); ++step) matrix.begin_step();
      ASSERT_TRUE(matrix.is_exact());
      matrix.solve(b, p, threads);
      // Floats have seven digits, and the matrix has a condition number of some tens. Pins of
      // 1e6 N/m that come and go cost doubles three digits of sixteen.
      const double digits = kind == "floats" ? 1e-5 : 1e-11;
      EXPECT_LT(distance(p, expected), digits * size(expected));
      expect_exact_mean(model, b, p);
    }
  }
}

TEST(PrefactoredSystem, PointsAreTermsOfTheMatrixAndManyOfThemPinsOfTheirCorners) {
  Threads threads(1);
  for (const std::string kind : {"floats", "doubles", "rest"}) {
    for (const std::size_t count : {1U, 2U, 8U, 9U}) {
      SCOPED_TRACE(kind + ", " + std::to_string(count) + " points");
      Model model = build_model(parts());
      PrefactoredSystem matrix = make(model, kind);
      for (std::size_t i = 0; i < count; ++i) {
        test::hold_point(model, 5 * i, {0.1, 0.2, 0.3, 0.4}, 1e5);
      }
      matrix.pins_changed(model, h);
      PrefactoredSystem fresh = make(model, kind);
      const VectorField b = field(model.rest.size(), 0.7);
      VectorField p(b.size()), expected(b.size());
      for (int step = 0; step < 40; ++step) matrix.begin_step();
      EXPECT_EQ(matrix.is_exact(), count <= (kind == "rest" ? 2 : 8));
      matrix.solve(b, p, threads);
      fresh.solve(b, expected, threads);
      EXPECT_LT(distance(p, expected), (kind == "floats" ? 1e-5 : 1e-11) * size(expected));
      expect_exact_mean(model, b, p);
      EXPECT_LT(dot(b, p), 0);
      if (kind == "rest" || !matrix.is_exact()) continue;
      // A p = -b with the matrix that conjugate gradients get.
      std::vector<int> order(b.size());
      std::iota(order.begin(), order.end(), 0);
      const SpdSolver::Matrix lower = laplacian_lower(model, inverse_a2, order);
      Eigen::VectorXd x(static_cast<Eigen::Index>(b.size())), right(x);
      for (std::size_t i = 0; i < b.size(); ++i) {
        x(static_cast<Eigen::Index>(i)) = p[i][1];
        right(static_cast<Eigen::Index>(i)) = b[i][1];
      }
      const Eigen::VectorXd left = lower.selfadjointView<Eigen::Lower>() * x + right;
      // Entries of A reach 1e5, those of x 1e-2.
      EXPECT_LT(left.cwiseAbs().maxCoeff(), kind == "floats" ? 1e-2 : 1e-9);
    }
  }
}

TEST(PrefactoredSystem, FinishedInPiecesItHasTheBitsOfSolve) {
  Scene scene = parts();
  scene.bodies[1].mesh = generate(BoxGenerator{.cells = {11, 9, 9}});  // more than one run of rows
  const Model model = build_model(scene);
  const int n = model.num_vertices;
  ASSERT_GT(n, 2 * SolveEnds::rows);
  Threads threads(2);
  const VectorField b = field(model.rest.size(), 0.7);
  for (const std::string kind : {"floats", "doubles", "multigrid"}) {
    PrefactoredSystem matrix = make(model, kind);
    VectorField whole(b.size());
    matrix.solve(b, whole, threads);
    EXPECT_LT(dot(b, whole), 0);
    for (const int step : {7, 256, 1000, n}) {
      VectorField p(b.size());
      matrix.begin_solve(b, p, threads);
      for (int first = 0; first < n; first += step)
        matrix.finish(first, std::min(n, first + step), p);
      EXPECT_EQ(distance(p, whole), 0) << kind << " by " << step;
    }
  }
}

/// What p = -x, solved for b, leaves of the error of x = 0, in the norm of A, the matrix with the
/// model's pins.
double error_left(const Model& model, const VectorField& b, const VectorField& p) {
  std::vector<int> order(b.size());
  std::iota(order.begin(), order.end(), 0);
  const SpdSolver::Matrix lower = laplacian_lower(model, inverse_a2, order);
  Threads threads(1);
  VectorField exact(b.size());
  make(model, "doubles").solve(b, exact, threads);
  double left = 0;
  for (int c = 0; c < 3; ++c) {
    Eigen::VectorXd e(static_cast<Eigen::Index>(b.size()));
    for (std::size_t i = 0; i < b.size(); ++i) {
      e(static_cast<Eigen::Index>(i)) = p[i][c] - exact[i][c];
    }
    left += e.dot(lower.selfadjointView<Eigen::Lower>() * e);
  }
  return std::sqrt(left / -dot(b, exact));
}

TEST(PrefactoredSystem, ByMultigridPinsThatComeAreFollowedAtOnceAndThoseThatGoByNewGrids) {
  Threads threads(1);
  for (const Case& change : cases()) {
    SCOPED_TRACE(change.name);
    Scene scene = parts();
    Model model = build_model(scene);
    PrefactoredSystem matrix = make(model, "multigrid");
    ASSERT_FALSE(matrix.is_exact());
    const VectorField b = field(model.rest.size(), 0.7);
    VectorField p(b.size()), expected(b.size());
    const auto left = [&] {
      matrix.solve(b, p, threads);
      expect_exact_mean(model, b, p);
      return error_left(model, b, p);
    };
    EXPECT_LT(left(), 0.4);
    for (std::size_t body = 0; body < 3; ++body) scene.bodies[body].pins = change.pins[body];
    model.pins = pins_of(scene);
    matrix.pins_changed(model, h);
    // An update by pins that come is as near as the cycle itself.
    if (matrix.matrix().is_followed()) {
      EXPECT_LT(left(), 0.4);
    }
    left();
    EXPECT_LT(dot(b, p), 0);
    const bool is_waiting = matrix.matrix().is_waiting();
    for (int step = 0; step < 40; ++step) matrix.begin_step();
    EXPECT_LT(left(), 0.4);
    EXPECT_TRUE(matrix.matrix().is_followed());
    if (!is_waiting) continue;
    make(model, "multigrid").solve(b, expected, threads);
    EXPECT_EQ(distance(p, expected), 0) << "new grids are those of the new pins";
  }
}

TEST(PrefactoredSystem, SolvingAllocatesNothing) {
  Threads threads(2);
  Model model = build_model(parts());
  for (const std::string kind : {"floats", "multigrid"}) {
    PrefactoredSystem matrix = make(model, kind);
    const VectorField b = field(model.rest.size(), 0.7);
    VectorField p(b.size());
    const long before = num_allocations();
    matrix.solve(b, p, threads);
    EXPECT_EQ(num_allocations(), before) << kind;
  }
}

TEST(PrefactoredSystem, WhatStandsInForANewFactorIsSymmetricAndPositiveAndKeepsTheMean) {
  Threads threads(1);
  for (const std::string kind : {"floats", "multigrid", "doubles", "rest"}) {
    for (const bool come : {true, false}) {
      const bool is_rough = kind == "floats" || kind == "multigrid";  // products are in floats
      Scene held = parts(), free = parts();
      held.bodies[0].pins = {first(36, 1e6)};
      held.bodies[1].pins = {first(36, 1e3)};
      Model model = build_model(come ? free : held);
      PrefactoredSystem matrix = make(model, kind);
      model.pins = pins_of(come ? held : free);
      matrix.pins_changed(model, h);
      ASSERT_FALSE(matrix.is_exact());
      const VectorField a = field(model.rest.size(), 0.3), b = field(model.rest.size(), 1.9);
      VectorField Ha(a.size()), Hb(a.size());
      matrix.solve(a, Ha, threads);
      matrix.solve(b, Hb, threads);
      EXPECT_LT(dot(a, Ha), 0);  // p = -H a
      EXPECT_LT(dot(b, Hb), 0);
      const double scale = std::sqrt(dot(a, Ha) * dot(b, Hb));
      EXPECT_NEAR(dot(a, Hb), dot(b, Ha), (is_rough ? 1e-5 : 1e-12) * scale);
      expect_exact_mean(model, b, Hb);
    }
  }
}

TEST(PrefactoredSystem, PinsThatAreNoNumbersTogetherAreRefused) {
  Scene scene = parts();
  Model model = build_model(scene);
  PrefactoredSystem matrix = make(model, "floats");
  scene.bodies[0].pins = {first(3, 1e308), first(3, 1e308)};
  Model other = model;
  other.pins = pins_of(scene);
  EXPECT_THROW(matrix.pins_changed(other, h), Error);
  Threads threads(1);
  PrefactoredSystem fresh = make(model, "floats");
  const VectorField b = field(model.rest.size(), 0.7);
  VectorField p(b.size()), expected(b.size());
  matrix.solve(b, p, threads);
  fresh.solve(b, expected, threads);
  EXPECT_EQ(distance(p, expected), 0) << "nothing has changed";
}

}  // namespace
}  // namespace supple
