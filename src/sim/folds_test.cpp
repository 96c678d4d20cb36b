#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "sim/test_scenes.h"
#include "supple/error.h"
#include "supple/simulation.h"

/// Membranes with dihedral bending.
namespace supple {
namespace {

using test::positions_of;

constexpr double pi = std::numbers::pi;

/// A strip in the plane of x and z whose front looks up, 1 m along x in `columns` columns.
Body strip(int columns, int rows) {
  Body body = test::sheet(
      {.center = {0.5, 0, 0}, .u = {1, 0, 0}, .v = {0, 0, -0.25}, .cells = {columns, rows}});
  body.membrane->bending = 0.01;
  body.membrane->bending_model = BendingModel::dihedral;
  std::tie(body.material.mu, body.material.lambda) = lame_parameters(1e9, 0.3);
  return body;
}

/// The vertices of the columns from `first` to `last`.
std::vector<int> columns_of(int columns, int rows, int first, int last) {
  std::vector<int> vertices;
  for (int j = 0; j <= rows; ++j) {
    for (int i = first; i <= last; ++i) vertices.push_back(j * (columns + 1) + i);
  }
  return vertices;
}

Fold fold_at(int columns, int rows, int column, double degrees) {
  Fold fold;
  fold.select.vertices = columns_of(columns, rows, column, column);
  fold.degrees = degrees;
  return fold;
}

Scene weightless(Body body) {
  Scene scene = test::statics(std::move(body));
  scene.gravity = {0, 0, 0};
  return scene;
}

TEST(Folds, AFoldedStripIsAtRestAsItIs) {
  constexpr int columns = 10, rows = 3;
  Body body = strip(columns, rows);
  for (Vec3& x : body.mesh.vertices) {
    if (x[0] > 0.5) x = {0.5, x[0] - 0.5, x[2]};
  }
  const std::vector<Vec3> rest = body.mesh.vertices;
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.bodies.push_back(body);
  for (const char* const method : {"l_bfgs", "newton", "vertex_block_descent"}) {
    scene.solver.method = from_string<SolverMethod>(method);
    Simulation simulation(scene, {.threads = 1});
    test::run(simulation, 10);
    const std::vector<Vec3> x = positions_of(simulation);
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(x[i][k], rest[i][k], 1e-12) << method;
    }
  }
  // Quadratic bending would unfold.
  scene.bodies[0].membrane->bending_model = BendingModel::quadratic;
  Simulation unfolding(scene, {.threads = 1});
  test::run(unfolding, 40);
  EXPECT_GT(std::abs(positions_of(unfolding)[columns][0] - rest[columns][0]), 0.005);
}

/// With a flat mesh the fold alone makes the shape: a plane next to another one, which neither
/// bends nor stretches. Above 0 degrees the fronts, which look up, approach each other.
TEST(Folds, AFlatStripFoldsItselfAndHasNoEnergyThen) {
  constexpr int columns = 10, rows = 2;
  for (const double degrees : {-120.0, -45.0, 90.0, 150.0}) {
    Body body = strip(columns, rows);
    body.folds = {fold_at(columns, rows, 5, degrees)};
    // If it were much stiffer, the rounding of its energy would hide what bends it.
    std::tie(body.material.mu, body.material.lambda) = lame_parameters(1e6, 0.3);
    Pin pin;
    pin.vertices = columns_of(columns, rows, 0, 4);
    body.pins = {pin};
    Scene scene = weightless(body);
    scene.time.integrator = TimeIntegrator::backward_euler;
    scene.time.step = 0.1;
    scene.damping.drag = 2;
    scene.solver.iterations = 50;
    Simulation simulation(scene, {.threads = 1});
    test::run(simulation, 80);
    const Vec3 tip = positions_of(simulation)[columns];
    EXPECT_NEAR(tip[0], 0.5 + 0.5 * std::cos(degrees * pi / 180), 1e-4) << degrees;
    EXPECT_NEAR(tip[1], 0.5 * std::sin(degrees * pi / 180), 1e-4) << degrees;
    EXPECT_NEAR(simulation.energies().elastic, 0, 1e-6) << degrees;
  }
}

/// Height of the tip of a beam of length 1 under its own weight, clamped horizontally:
///   D theta'' = q (1 - s) cos theta, theta(0) = 0, theta'(1) = 0   [the heavy elastica],
/// by shooting with the classical Runge-Kutta method.
Vec3 heavy_elastica(double q_over_D) {
  const auto shoot = [&](double slope, Vec3& tip) {
    double theta = 0, kappa = slope;
    tip = {0, 0, 0};
    constexpr int steps = 2000;
    constexpr double h = 1.0 / steps;
    const auto bend = [&](double s, double angle) { return q_over_D * (1 - s) * std::cos(angle); };
    for (int i = 0; i < steps; ++i) {
      const double s = i * h;
      const double k1 = kappa, l1 = bend(s, theta);
      const double k2 = kappa + h / 2 * l1, l2 = bend(s + h / 2, theta + h / 2 * k1);
      const double k3 = kappa + h / 2 * l2, l3 = bend(s + h / 2, theta + h / 2 * k2);
      const double k4 = kappa + h * l3, l4 = bend(s + h, theta + h * k3);
      const double next = theta + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      tip[0] += h * std::cos(0.5 * (theta + next));
      tip[1] += h * std::sin(0.5 * (theta + next));
      theta = next;
      kappa += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    return kappa;
  };
  Vec3 tip{};
  double low = -50, high = 0;  // slope at the clamp
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (shoot(middle, tip) < 0 ? low : high) = middle;
  }
  return tip;
}

/// A band of one row of cells h long and w wide, 1 m long, is a chain of hinges. Those across it at
/// the ends of the cells have k_1 = D w/h. Those along the diagonals have k_2 = D (w^2 + h^2)/(w h)
/// and turn it by w/sqrt(w^2 + h^2) of their angles. Together they bend like a beam with
///   E I = h/(1/k_1 + w^2/(w^2 + h^2)/k_2) = D w/(1 + (w^2/(w^2 + h^2))^2).
/// Clamped by its first two columns, the band hangs as far as the ratio of gravity to bending, q w
/// L^3/(E I), says. Returns the place of its end in units of its free length.
Vec3 tip_of_band(int columns, double gravity_over_bending) {
  constexpr double w = 0.05;
  Body body = strip(columns, 1);
  for (Vec3& x : body.mesh.vertices) x[2] *= w / 0.25;
  const double h = 1.0 / columns, length = 1 - h, share = w * w / (w * w + h * h);
  body.membrane->bending =
      0.2 * 9.81 * std::pow(length, 3) / gravity_over_bending * (1 + share * share);
  Pin pin;
  pin.vertices = columns_of(columns, 1, 0, 1);
  pin.stiffness = 1e7;
  body.pins = {pin};
  Simulation simulation(test::statics(body), {.threads = 1});
  simulation.step();
  const Vec3 tip = positions_of(simulation)[static_cast<std::size_t>(columns)];
  return {(tip[0] - h) / length, tip[1] / length, 0};
}

/// A beam sinks by q L^4/(8 E I) while this is small.
TEST(Folds, AClampedBandSinksAsABeamDoes) {
  const auto error = [](int columns) {
    constexpr double load = 0.24;
    return std::abs(-tip_of_band(columns, load)[1] / (load / 8) - 1);
  };
  const double coarse = error(16), fine = error(64);
  EXPECT_LT(fine, 0.05);
  EXPECT_LT(fine, coarse / 3);  // first order: half a cell at the clamp
}

TEST(Folds, AClampedBandHangsAsTheHeavyElastica) {
  constexpr double load = 10;
  const Vec3 expected = heavy_elastica(load);
  EXPECT_LT(expected[1], -0.6);  // far from straight
  const auto error = [&](int columns) {
    const Vec3 tip = tip_of_band(columns, load);
    return std::hypot(tip[0] - expected[0], tip[1] - expected[1]);
  };
  const double coarse = error(16), fine = error(64);
  EXPECT_LT(fine, 0.02);
  EXPECT_LT(fine, coarse / 3);  // first order: half a cell at the clamp
}

TEST(Folds, EnergyDoesNotGrow) {
  Scene scene = test::folded_membrane("neo_hookean");
  scene.gravity = {0, 0, 0};
  Simulation simulation(scene, {.threads = 1});
  double last = simulation.energies().elastic;
  EXPECT_GT(last, 1e-4);
  for (int frame = 0; frame < 60; ++frame) {
    simulation.step();
    const Energies now = simulation.energies();
    const double total = now.elastic + now.kinetic + now.pins;
    EXPECT_LE(total, last * (1 + 1e-9)) << "frame " << frame;
    last = total;
  }
}

TEST(Folds, TheSameBitsOnAnyNumberOfThreads) {
  for (const char* const method : {"l_bfgs", "newton", "vertex_block_descent"}) {
    Scene scene = test::folded_membrane("neo_hookean");
    scene.solver.method = from_string<SolverMethod>(method);
    scene.solver.iterations = 4;
    test::expect_same_bits_however_run(scene, 2, 2);
  }
}

/// At 1 mm and at 100 m alike.
TEST(Folds, AnySizeFoldsAlike) {
  const auto tip_at = [](double size) {
    constexpr int columns = 6, rows = 2;
    Body body = strip(columns, rows);
    for (Vec3& x : body.mesh.vertices) {
      for (double& coordinate : x) coordinate *= size;
    }
    // Then all energies grow with the square of the size.
    body.membrane->bending = 0.01 * size * size;
    body.density = 0.2 / (size * size);
    body.folds = {fold_at(columns, rows, 3, 70)};
    Pin pin;
    pin.vertices = columns_of(columns, rows, 0, 2);
    body.pins = {pin};
    Scene scene = weightless(body);
    scene.time.integrator = TimeIntegrator::backward_euler;
    Simulation simulation(scene, {.threads = 1});
    test::run(simulation, 5);
    const Vec3 tip = positions_of(simulation)[columns];
    return Vec3{tip[0] / size, tip[1] / size, tip[2] / size};
  };
  const Vec3 usual = tip_at(1);
  EXPECT_GT(usual[1], 0.01);
  for (const double size : {1e-3, 100.0}) {
    const Vec3 tip = tip_at(size);
    // Both steps are converged to the solver's tolerance.
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(tip[k], usual[k], 1e-6) << size;
  }
}

TEST(Folds, WhatIsWrongIsRefusedByName) {
  const Scene sound = test::folded_membrane("arap");
  EXPECT_NO_THROW(Simulation(sound, {.threads = 1}));
  const auto refused = [&](const auto& change, const std::string& place, const std::string& words) {
    Scene scene = sound;
    change(scene);
    try {
      Simulation simulation(scene, {.threads = 1});
      ADD_FAILURE() << place << " was taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(place), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused([](Scene& s) { s.bodies[0].membrane->bending_model = static_cast<BendingModel>(2); },
          "/bodies/0/material/bending_model", "expected quadratic, dihedral");
  refused([](Scene& s) { s.bodies[0].membrane->bending_model = BendingModel::quadratic; },
          "/bodies/0/folds", "dihedral");
  for (const double degrees : {180.0, -200.0, std::nan("")}) {
    refused([&](Scene& s) { s.bodies[0].folds[0].degrees = degrees; }, "/bodies/0/folds/0/degrees",
            "between -180 and 180");
  }
  refused(
      [](Scene& s) {
        s.bodies[0].folds[0].select.vertices = {0, 99999};
      },
      "/bodies/0/folds/0/select", "99999");
  refused([](Scene& s) { s.bodies[0].folds[0].select.vertices = {}; }, "/bodies/0/folds/0/select",
          "selects none");
  refused([](Scene& s) { s.bodies[0].membrane->bending = 0; }, "/bodies/0/folds", "above 0 N m");
  // One vertex has no edge; two neighbours on the border have no edge between two triangles.
  refused([](Scene& s) { s.bodies[0].folds[0].select.vertices = {0}; }, "/bodies/0/folds/0/select",
          "no edge between two triangles");
  refused(
      [](Scene& s) {
        s.bodies[0].folds[0].select.vertices = {0, 1};
      },
      "/bodies/0/folds/0/select", "no edge between two triangles");
  refused([](Scene& s) { s.solver.method = SolverMethod::projective_dynamics; }, "/solver/method",
          "dihedral");
  refused([](Scene& s) { s.solver.method = SolverMethod::pbd; }, "/bodies/0/material", "l_bfgs");
  refused(
      [](Scene& s) {
        s = test::twisting_bar({2, 2, 2}, "arap");
        s.bodies[0].folds.emplace_back();
      },
      "/bodies/0/folds", "membrane");
}

}  // namespace
}  // namespace supple
