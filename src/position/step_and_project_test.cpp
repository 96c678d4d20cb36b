#include "position/step_and_project.h"

#include <gtest/gtest.h>

#include "position/constraint_matrix.h"
#include "position/constraint_rows.h"
#include "position/constraint_test_support.h"
#include "position/spring_constraints.h"
#include "position/vertex_constraints.h"
#include "supple/error.h"

namespace supple {
namespace {

using test::box_scene;
using test::contact_with;
using test::plane;
using test::shaken;
using test::Stepper;
using test::strand_model;

constexpr double h = 1.0 / 60;
constexpr double infinity = std::numeric_limits<double>::infinity();
using Kind = ConstraintRow::Kind;

/// z after some iterations from y. Also gives the last violation.
VectorField project(const Model& model, const VectorField& y, int iterations, int num_threads = 1,
                    double* violation = nullptr) {
  const auto solver = make_step_and_project(model, nullptr, {});
  Threads threads(num_threads);
  solver->begin({y, y, 1 / (h * h), h, h}, threads);
  for (int i = 0; i < iterations; ++i) EXPECT_TRUE(solver->iterate(threads));
  VectorField z(y.size());
  solver->copy_positions(z);
  if (violation != nullptr) *violation = solver->worst_violation();
  return z;
}

/// Largest |l - r|/r of the springs of at least some stiffness.
double worst_strain(const Model& model, const VectorField& z, double stiffness = 0) {
  double worst = 0;
  for (const auto& spring : model.springs.springs) {
    if (spring.stiffness < stiffness) continue;
    const PaddedVector &a = z[static_cast<std::size_t>(spring.a)],
                       &b = z[static_cast<std::size_t>(spring.b)];
    const double l = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    worst = std::max(worst, std::abs(l / spring.rest_length - 1));
  }
  return worst;
}

/// Two boxes with every kind of row.
Scene scene_of_all_kinds() {
  Scene scene = box_scene(2, "stable_neo_hookean", 1e4, 4e4);
  Body& box = scene.bodies[0];
  box.fibers = {FiberSettings{{1, 2, 2}, 3e4}};
  box.layers.emplace_back();
  box.layers[0].model = "arap";
  box.layers[0].mu = 2e3;
  box.springs = {{0, 26, 500, 1.5}, {3, 0, 800, 0.2}};
  Pin pin;
  pin.vertices = {4};
  box.pins.push_back(pin);
  Body soft = box_scene(1, "stable_neo_hookean", 1e4, 3e3).bodies[0];
  soft.layers.emplace_back();
  soft.layers[0].model = "strain_limit";
  soft.layers[0].mu = 1e3;
  soft.layers[0].min = 0.97;
  soft.layers[0].max = 1.02;
  scene.bodies.push_back(soft);
  return scene;
}

TEST(ConstraintRows, GradientsAreThoseOfTheValues) {
  const Model model = build_model(scene_of_all_kinds());
  const std::vector<ConstraintRow> rows = constraint_rows(model);
  VectorField x = shaken(model, 0.05);
  const std::vector<Vec3> target(model.pins.pins.size());
  bool seen[7] = {};
  for (const ConstraintRow& row : rows) {
    const ConstraintValue value = evaluate(row, model, x, target);
    if (value.is_flat) continue;  // within the strain limits
    seen[static_cast<int>(row.kind)] = true;
    for (std::size_t i = 0; i < 4; ++i) {
      if (row.vertex[i] < 0) continue;
      for (int k = 0; k < 3; ++k) {
        double& moved = x[static_cast<std::size_t>(row.vertex[i])][k];
        const double before = moved, d = 1e-6;
        moved = before + d;
        const double plus = evaluate(row, model, x, target).value;
        moved = before - d;
        const double minus = evaluate(row, model, x, target).value;
        moved = before;
        // Values of size 1 to 10 have errors of their rounding over 2 d, and of d^2 times the
        // curvature.
        EXPECT_NEAR(value.gradient[i][k], (plus - minus) / (2 * d), 1e-6);
      }
    }
  }
  for (bool kind : seen) EXPECT_TRUE(kind);
}

TEST(ConstraintRows, TheirEnergiesAreThoseOfTheMaterial) {
  for (double lambda : {4e4, 5e3, 3e3}) {  // shape and volume, shape alone, the paper's pair
    const Model model = build_model(box_scene(2, "stable_neo_hookean", 1e4, lambda));
    const StableNeoHookean<double> material{1e4, lambda};
    const std::vector<ConstraintRow> rows = constraint_rows(model);
    const auto energy = [&](const VectorField& x) {
      double sum = 0;
      for (const ConstraintRow& row : rows) {
        const double C = evaluate(row, model, x, {}).value;
        sum += C * C / (2 * row.compliance);
      }
      return sum;
    };
    const auto of_material = [&](const VectorField& x) {
      double sum = 0;
      for (std::size_t t = 0; t < model.tets.size(); ++t) {
        Mat3<double> F = Mat3<double>::zero();
        for (std::size_t i = 0; i < 4; ++i) {
          for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
              F(r, c) += x[static_cast<std::size_t>(model.tets[t][i])][r] *
                         model.shape_gradients(t)[i][static_cast<std::size_t>(c)];
            }
          }
        }
        sum += model.volume[t] * material.energy_density(F);
      }
      return sum;
    };
    const VectorField a = shaken(model, 0.05, 1), b = shaken(model, 0.1, 2);
    const double expected = of_material(a) - of_material(b);
    EXPECT_GT(std::abs(expected), 100);
    EXPECT_NEAR(energy(a) - energy(b), expected, 1e-11 * std::abs(expected));
  }
}

TEST(ConstraintRows, OfABodyTheStiffestSpringsAreHard) {
  Scene scene;
  for (double stiffness : {100.0, 7.0}) {
    const SpringMesh mesh = generate(ClothGenerator{.cells = {3, 3}});
    Body body;
    body.mesh.vertices = mesh.vertices;
    body.triangles = mesh.triangles;
    body.springs = make_springs(mesh, {stiffness, 5, 2});
    body.density = 1;
    scene.bodies.push_back(body);
  }
  const Model model = build_model(scene);
  int hard = 0;
  for (const ConstraintRow& row : constraint_rows(model)) {
    const double k = model.springs.springs[static_cast<std::size_t>(row.source)].stiffness;
    EXPECT_EQ(row.is_hard(), k == 100 || k == 7);
    EXPECT_EQ(row.compliance, row.is_hard() ? 0 : 1 / k);
    hard += row.is_hard();
  }
  EXPECT_EQ(hard, 2 * 24);
}

TEST(ConstraintMatrix, IsTheProductThatItSays) {
  const Model model = build_model(scene_of_all_kinds());
  const std::vector<ConstraintRow> rows = constraint_rows(model);
  const VectorField x = shaken(model, 0.05);
  const std::vector<Vec3> target(model.pins.pins.size());
  std::vector<ConstraintValue> values;
  for (const ConstraintRow& row : rows) values.push_back(evaluate(row, model, x, target));
  std::vector<double> diagonal(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) diagonal[r] = 0.1 * static_cast<double>(r);
  ConstraintMatrix matrix(model, rows);
  for (int twice = 0; twice < 2; ++twice) matrix.assemble(values, diagonal);
  long entries = 0;
  for (std::size_t p = 0; p < rows.size(); ++p) {
    for (std::size_t q = 0; q < rows.size(); ++q) {
      if (matrix.place()[p] < matrix.place()[q]) continue;
      double expected = p == q ? diagonal[p] : 0;
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
          if (rows[p].vertex[i] < 0 || rows[p].vertex[i] != rows[q].vertex[j]) continue;
          for (int k = 0; k < 3; ++k) {
            expected += values[p].gradient[i][k] * values[q].gradient[j][k] /
                        model.mass[static_cast<std::size_t>(rows[p].vertex[i])];
          }
        }
      }
      EXPECT_NEAR(matrix.lower().coeff(matrix.place()[p], matrix.place()[q]), expected,
                  1e-13 * (1 + std::abs(expected)));
      ++entries;
    }
  }
  EXPECT_GT(entries, 1000);
}

TEST(StepAndProject, AHangingChainKeepsItsLengthsWhereAFewVisitsOfEachStretchIt) {
  const Model model = strand_model(50, 1e5, true);
  const Vec3 gravity{0, -9.81, 0};
  Threads threads(1);
  const auto solver = make_step_and_project(model, nullptr, {});
  Stepper all{test::rest_of(model), VectorField(model.rest.size())};
  Stepper each = all;
  SpringConstraints<double> springs(model, SpringProjection::sequential);
  VertexConstraints<double> pins(model, nullptr);
  double stretched = 0;
  for (int frame = 0; frame < 40; ++frame) {
    all.step(gravity, *solver, 30, threads);  // most take 8
    EXPECT_LT(worst_strain(model, all.x), 1e-8);
    each.step(gravity, [&](const PositionStep& step, VectorField& z) {
      Positions<double> p = test::positions_of<double>(z);
      springs.begin(step);
      pins.begin(step, test::one_thread());
      for (int i = 0; i < 8; ++i) {
        springs.project(p, threads);
        pins.project(p, threads);
      }
      copy_to(p, z);
    });
    stretched = std::max(stretched, worst_strain(model, each.x));
  }
  EXPECT_GT(stretched, 0.05);
  EXPECT_LT(all.x.back()[1], -0.5);  // it swings down
  EXPECT_NEAR(all.x.front()[1], 0, 1e-3);
}

TEST(StepAndProject, ASwingingLinkIsAPendulum) {
  // x of one step by hand: the point on the circle in the direction that dC has at y.
  Model model = strand_model(1, 1e5, true);
  model.mass[0] = 0;  // holds still
  VectorField y = test::rest_of(model);
  y[1][1] -= 0.3;
  const VectorField z = project(model, y, 6);
  const double l = std::hypot(1, 0.3);
  EXPECT_NEAR(z[1][0], 1 / l, 1e-12);
  EXPECT_NEAR(z[1][1], -0.3 / l, 1e-12);
}

TEST(StepAndProject, CompliantSpringsAndPinsStandInTheSameSystem) {
  // A particle on a line between its own pin and a vertex without mass, to which a soft
  // spring ties it: linear.
  Model model = test::particles({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {0, 0.5, 0});
  model.springs.add({0, 1, 300, 0.4}, model.rest);
  model.springs.add({0, 2, 900, 2}, model.rest);  // stiffest, between vertices that cannot move
  model.springs.index_vertices(3);
  model.pins.pins.push_back({1, 0, 700, {1.5, 0, 0}});
  const VectorField y = test::rest_of(model);
  const VectorField z = project(model, y, 4);
  const double k = 0.5 / (h * h);
  EXPECT_NEAR(z[1][0], (k * 1 + 300 * 0.4 + 700 * 1.5) / (k + 300 + 700), 1e-12);
}

TEST(StepAndProject, VolumesAreKeptWhereTheyOutnumberWhatMoves) {
  const Model model = build_model(box_scene(6, "volume", 100, 0));
  ASSERT_GT(model.num_tets, 3 * model.num_vertices);  // dC M^-1 dC^T is singular
  double violation = 1;
  const VectorField y = shaken(model, 0.01);
  project(model, y, 1, 1, &violation);
  EXPECT_GT(violation, 0.1);
  const VectorField z = project(model, y, 15, 1, &violation);
  EXPECT_LT(violation, 1e-6);
  double moved = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (int k = 0; k < 3; ++k) moved = std::max(moved, std::abs(z[i][k] - y[i][k]));
  }
  EXPECT_LT(moved, 0.05);  // to nearby shapes: the damping keeps the step from following null
                           // vectors
}

TEST(StepAndProject, ABodyAtRestStaysThere) {
  for (double lambda : {4e4, infinity, 5e3, 3e3}) {
    const Model model = build_model(box_scene(3, "stable_neo_hookean", 1e4, lambda));
    const VectorField y = test::rest_of(model);
    const VectorField z = project(model, y, 3);
    for (std::size_t i = 0; i < y.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        // The impulses of the paper's pair cancel only as well as the condition of the matrix
        // allows.
        EXPECT_NEAR(z[i][k], y[i][k], lambda > 4e3 ? 1e-14 : 1e-9);
      }
    }
  }
}

/// How far a block hangs down, mm, with its top held, once it is at rest.
double sag(double mu, double lambda, int substeps, int iterations) {
  Scene scene;
  Body body;
  body.mesh = generate(BoxGenerator{.size = {0.4, 1, 0.4}, .cells = {2, 4, 2}});
  body.material.model = "stable_neo_hookean";
  body.material.mu = mu;
  body.material.lambda = lambda;
  Pin top;
  top.box = {{-1, 0.499, -1}, {1, 1, 1}};
  top.stiffness = 1e8;
  body.pins.push_back(top);
  scene.bodies.push_back(body);
  const Model model = build_model(scene);
  const auto solver = make_step_and_project(model, nullptr, {});
  Threads threads(1);
  Stepper stepper{test::rest_of(model), VectorField(model.rest.size()), h / substeps};
  for (int step = 0; step < 90 * substeps; ++step) {
    for (PaddedVector& v : stepper.v) {
      for (int k = 0; k < 3; ++k) v[k] *= std::exp(-10 * stepper.h);
    }
    stepper.step({0, -9.81, 0}, *solver, iterations, threads);
  }
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < model.rest.size(); ++i) {
    if (model.rest[i][1] > -0.499) continue;
    sum += 1e3 * (model.rest[i][1] - stepper.x[i][1]);
    ++count;
  }
  return sum / count;
}

TEST(StepAndProject, ABlockHangsAsItsMaterialSaysAndCollapsesNowhere) {
  const double mu = 1.5e5 / 2.8, lambda = 1.5e5 * 0.4 / (1.4 * 0.2);
  const double fine = sag(mu, lambda, 20, 2);
  // rho g L^2/(2 E) = 32.7 mm for a bar whose top can narrow. Coarse and with its top held, it is
  // stiffer.
  EXPECT_GT(fine, 25);
  EXPECT_LT(fine, 33);
  EXPECT_NEAR(sag(mu, lambda, 5, 3), fine, 0.03 * fine);
  EXPECT_NEAR(sag(mu, lambda, 1, 8), fine, 0.15 * fine);  // the error grows with the step
  const double stiff = sag(60 * mu, 60 * lambda, 1, 5);
  EXPECT_GT(stiff, 0);
  EXPECT_LT(stiff, 0.5 * fine);
}

TEST(StepAndProject, AnIncompressibleBlockKeepsItsVolume) {
  const Model model = build_model(box_scene(3, "stable_neo_hookean", 5e4, infinity));
  double violation = 1;
  project(model, shaken(model, 0.02), 12, 1, &violation);
  EXPECT_LT(violation, 1e-5);
}

TEST(StepAndProject, MomentumIsKept) {
  Scene scene = scene_of_all_kinds();
  scene.bodies[0].pins.clear();
  const Model model = build_model(scene);
  const VectorField y = shaken(model, 0.05);
  const test::Momentum m = test::momentum(model, y, project(model, y, 1));
  EXPECT_GT(m.scale, 1);
  for (int k = 0; k < 3; ++k) {
    // Impulses that cancel are up to a few thousand times what is left.
    EXPECT_NEAR(m.linear[k], 0, 1e-11 * m.scale);
    EXPECT_NEAR(m.angular[k], 0, 1e-11 * m.scale);
  }
}

TEST(StepAndProject, AChainComesToLieOnTheGround) {
  const Model model = strand_model(20, 1e5, false);
  const auto contact = contact_with({plane({0, 1, 0}, -0.2)}, model.num_vertices, 1e4, 0.5);
  const auto solver = make_step_and_project(model, contact.get(), {});
  Stepper stepper{shaken(model, 0.001), VectorField(model.rest.size())};
  Threads threads(1);
  for (int frame = 0; frame < 60; ++frame) stepper.step({0, -9.81, 0}, *solver, 10, threads);
  EXPECT_GT(solver->num_contacts(), 10);
  for (const PaddedVector& p : stepper.x) {
    EXPECT_NEAR(p[1], -0.2, 2e-3);
  }
  EXPECT_LT(worst_strain(model, stepper.x), 1e-4);  // contacts follow the last solve
}

TEST(StepAndProject, TheNumberOfThreadsDoesNotShow) {
  const Model model = build_model(box_scene(6, "stable_neo_hookean", 1e4, 1e5));
  const VectorField y = shaken(model, 0.02);
  const VectorField one = project(model, y, 2), three = project(model, y, 2, 3);
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (int k = 0; k < 3; ++k) ASSERT_EQ(one[i][k], three[i][k]);
  }
}

TEST(StepAndProject, CollapsedBodiesStayFinite) {
  const Model model = build_model(box_scene(2, "stable_neo_hookean", 1e4, infinity));
  VectorField point(model.rest.size()), flat = test::rest_of(model), line = flat;
  for (std::size_t i = 0; i < flat.size(); ++i) flat[i][1] = line[i][1] = line[i][2] = 0;
  for (const VectorField& y : {point, flat, line}) {
    for (const PaddedVector& p : project(model, y, 10)) {
      EXPECT_TRUE(std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]));
    }
  }
}

TEST(StepAndProject, PinsMayChangeAndAllVerticesMayBePinned) {
  Model model = strand_model(4, 1e5, true);
  const auto solver = make_step_and_project(model, nullptr, {});
  Threads threads(1);
  VectorField y = test::rest_of(model), z(y.size());
  for (PaddedVector& p : y) p[1] -= 1;
  model.pins.pins.clear();
  for (int v = 0; v < model.num_vertices; ++v) {
    model.pins.pins.push_back({v, 0, 1e9, model.rest[static_cast<std::size_t>(v)]});
  }
  solver->pins_changed();
  solver->begin({y, y, 1 / (h * h), h, h}, threads);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(solver->iterate(threads));
  solver->copy_positions(z);
  for (const PaddedVector& p : z) EXPECT_NEAR(p[1], 0, 1e-5);
  model.pins.pins.clear();
  solver->pins_changed();
  solver->begin({y, y, 1 / (h * h), h, h}, threads);
  ASSERT_TRUE(solver->iterate(threads));
  solver->copy_positions(z);
  for (const PaddedVector& p : z) EXPECT_NEAR(p[1], -1, 1e-15);
}

TEST(StepAndProject, WhatCannotBeDoneIsAnError) {
  const Model log_barrier = build_model(box_scene(1, "neo_hookean", 1e4, 1e4));
  try {
    make_step_and_project(log_barrier, nullptr, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    EXPECT_NE(error.message().find("stable_neo_hookean"), std::string::npos) << error.what();
  }
  // A star: every ray is a neighbour of every other.
  Model star =
      test::particles(std::vector<Vec3>(20001, Vec3{0, 0, 0}), std::vector<double>(20001, 1));
  for (int i = 1; i <= 20000; ++i) star.springs.add({0, i, 10, 1}, star.rest);
  star.springs.index_vertices(star.num_vertices);
  EXPECT_THROW(make_step_and_project(star, nullptr, {}), Error);
}

TEST(StepAndProject, ThereMayBeNoConstraintAndNonFinitePositionsAreSeen) {
  const Model model = test::particles({{0, 0, 0}}, {1});
  VectorField y(1);
  y[0][0] = 2;
  EXPECT_EQ(project(model, y, 2)[0][0], 2);
  const Model chain = strand_model(3, 10, true);
  const auto solver = make_step_and_project(chain, nullptr, {});
  Threads threads(1);
  VectorField broken = test::rest_of(chain);
  broken[2][0] = std::nan("");
  solver->begin({broken, broken, 1 / (h * h), h, h}, threads);
  EXPECT_FALSE(solver->iterate(threads));
}

}  // namespace
}  // namespace supple
