#include "supple/simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "sim/test_scenes.h"
#include "supple/error.h"

namespace supple {
namespace {

using test::free_block;
using test::positions_of;
using test::twisting_bar;

std::vector<std::string> names(const std::vector<Description>& list) {
  std::vector<std::string> result;
  for (const Description& entry : list) result.push_back(entry.name);
  return result;
}

Vec3 momentum(const Simulation& simulation, double mass_per_vertex) {
  std::vector<double> v(3 * static_cast<std::size_t>(simulation.num_vertices()));
  simulation.copy_velocities(v);
  Vec3 sum{};
  for (std::size_t i = 0; i < v.size(); ++i) sum[i % 3] += mass_per_vertex * v[i];
  return sum;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST(Simulation, FreeFallIsTheDiscreteSolution) {
  // Backward Euler from rest: v_n = -n h g, x_n = x_0 - h^2 g n (n + 1) / 2, for any material.
  for (const std::string& model : names(list_materials())) {
    Scene scene = free_block(model);
    scene.gravity = {0, -9.81, 0};
    Simulation simulation(scene);
    const std::vector<Vec3> start = positions_of(simulation);
    const int n = 20;
    for (int i = 0; i < n; ++i) simulation.step();
    const double h = scene.time.step;
    const double fall = h * h * 9.81 * n * (n + 1) / 2;
    const std::vector<Vec3> end = positions_of(simulation);
    for (std::size_t i = 0; i < start.size(); ++i) {
      // Rounding of the rest shape alone causes forces of 1e-10 N.
      EXPECT_NEAR(end[i][1], start[i][1] - fall, 1e-9) << model;
      EXPECT_NEAR(end[i][0], start[i][0], 1e-9) << model;
    }
    EXPECT_NEAR(simulation.time(), n * h, 1e-14);
    EXPECT_EQ(simulation.frame(), n);
  }
}

TEST(Simulation, AFreeBodyKeepsItsMomentumAfterAnyNumberOfIterations) {
  // The constant matrix maps a rigid shift to M/h^2 times it, so each iterate keeps sum M v.
  for (const std::string method : {"l_bfgs", "quasi_newton", "newton", "projective_dynamics"}) {
    Scene scene = free_block(test::material_of(method));
    scene.bodies[0].mesh = generate(TetrahedronGenerator{.edge = 0.5});  // all masses are equal
    scene.bodies[0].initial = Stretch{{1.4, 0.8, 1.1}};
    scene.bodies[0].velocity = {1, -2, 0.5};
    scene.solver.method = from_string<SolverMethod>(method);
    scene.solver.iterations = 3;
    Simulation simulation(scene);
    const Vec3 before = momentum(simulation, 1);
    for (int i = 0; i < 30; ++i) simulation.step();
    const Vec3 after = momentum(simulation, 1);
    // Rounding of positions (1e-16 m) over h, 30 times.
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(after[k], before[k], 1e-11) << method;
  }
}

TEST(Simulation, EveryThreadCountGivesTheSameBits) {
  for (const std::string& method : names(list_solvers())) {
    std::vector<double> first;
    for (int threads : {1, 2, 3, 5}) {
      Scene scene = twisting_bar({16, 6, 6}, test::material_of(method));
      scene.gravity = {0, -9.81, 0};
      scene.colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.45}, {}});
      scene.contact.friction = 0.3;
      scene.solver.method = from_string<SolverMethod>(method);
      scene.solver.iterations = 4;
      Simulation simulation(scene, {.threads = threads});
      EXPECT_EQ(simulation.num_threads(), threads);
      for (int i = 0; i < 4; ++i) simulation.step();
      const std::vector<double> x = simulation.state().positions;
      if (first.empty()) first = x;
      EXPECT_TRUE(same_bits(first, x)) << method << " with " << threads << " threads";
    }
  }
}

TEST(Simulation, AStatePutBackGoesOnWithTheSameBits) {
  const Scene scene = twisting_bar({8, 2, 2}, "corotated");
  Simulation simulation(scene);
  for (int i = 0; i < 5; ++i) simulation.step();
  const SimulationState saved = simulation.state();
  int evaluations = 0;
  for (int i = 0; i < 5; ++i) evaluations += simulation.step().evaluations;
  Simulation other(scene);
  other.set_state(saved);
  for (int i = 0; i < 5; ++i) evaluations -= other.step().evaluations;
  EXPECT_EQ(evaluations, 0);
  EXPECT_TRUE(same_bits(simulation.state().positions, other.state().positions));
  EXPECT_TRUE(same_bits(simulation.state().velocities, other.state().velocities));
  EXPECT_EQ(simulation.time(), other.time());
}

TEST(Simulation, AStepThatOverflowsEndsNonFiniteAndKeepsTheState) {
  const Scene scene = free_block("stvk");
  Simulation simulation(scene);
  simulation.step();
  SimulationState state = simulation.state();
  for (std::size_t i = 0; i < state.velocities.size(); i += 7) state.velocities[i] = 1e300;
  simulation.set_state(state);
  const StepReport report = simulation.step();
  EXPECT_EQ(report.status, StepStatus::non_finite);
  EXPECT_TRUE(same_bits(simulation.state().positions, state.positions));
  EXPECT_TRUE(same_bits(simulation.state().velocities, state.velocities));
  EXPECT_EQ(simulation.frame(), 1);
  for (double x : state.positions) EXPECT_TRUE(std::isfinite(x));
}

TEST(Simulation, AStepBeyondWhatDoublesHoldIsRefused) {
  // Edges of 0.17 to 0.24 m and steps of 1/30 s: the bound is about 9e11 m or 3e13 m/s.
  Scene scene = free_block("stvk");
  const auto place_of_refusal = [&]() -> std::string {
    try {
      Simulation simulation(scene);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_NE(error.message().find("doubles no longer resolve"), std::string::npos);
      return error.where();
    }
    return "";
  };
  scene.time.step = 1.0 / 30;
  scene.bodies[0].velocity = {1e13, 0, 0};
  EXPECT_EQ(place_of_refusal(), "");
  for (const double speed : {1e14, -1e20, 1e308}) {
    scene.bodies[0].velocity = {0, speed, 0};
    EXPECT_EQ(place_of_refusal(), "/bodies/0/velocity");
  }
  scene.bodies[0].velocity = {0, 0, 0};
  scene.gravity = {0, 1e16, 0};
  EXPECT_EQ(place_of_refusal(), "/gravity");
  scene.gravity = {0, 0, 0};
  Pin pin{.vertices = {0}};
  pin.motion.velocity = {0, 0, 1e20};
  scene.bodies[0].pins = {Pin{.vertices = {1}}, pin};
  EXPECT_EQ(place_of_refusal(), "/bodies/0/pins/1/motion");
  pin.motion = {.keyframes = {{.translate = {1e14, 0, 0}}}};
  scene.bodies[0].pins = {pin};
  EXPECT_EQ(place_of_refusal(), "/bodies/0/pins/0/motion");
  // Cloth is measured by its springs.
  scene = test::hanging_cloth();
  scene.bodies[0].velocity = {1e20, 0, 0};
  EXPECT_EQ(place_of_refusal(), "/bodies/0/velocity");
  scene = free_block("stvk");
  scene.colliders.push_back({"ground", PlaneShape{}, {}});
  EXPECT_EQ(place_of_refusal(), "");
  std::vector<Collider> thrown = scene.colliders;
  thrown[0].motion.velocity = Vec3{0, 1e20, 0};
  Simulation running(scene);
  try {
    running.set_colliders(thrown);
    FAIL() << "it took them";
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "/colliders/0/motion");
  }
  EXPECT_NE(running.step().status, StepStatus::non_finite);
  scene.colliders = thrown;
  EXPECT_EQ(place_of_refusal(), "/colliders/0/motion");
}

TEST(Simulation, UnreferencedVerticesStayAndChangeNothing) {
  Scene scene = twisting_bar({8, 2, 2}, "neo_hookean");
  scene.gravity = {0, -9.81, 0};
  Simulation plain(scene);
  Scene padded = scene;
  padded.bodies[0].mesh.vertices.push_back({7, 8, 9});
  padded.bodies[0].velocity = {1, 0, 0};
  scene.bodies[0].velocity = {1, 0, 0};
  Simulation with(padded), without(scene);
  for (int i = 0; i < 5; ++i) {
    with.step();
    without.step();
  }
  std::vector<Vec3> x = positions_of(with);
  EXPECT_EQ(x.back(), (Vec3{7, 8, 9}));
  x.pop_back();
  const std::vector<Vec3> y = positions_of(without);
  for (std::size_t i = 0; i < y.size(); ++i) {
    // The extra row can change the elimination order: rounding, amplified by ten iterations.
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(x[i][k], y[i][k], 1e-9);
  }
}

TEST(Simulation, DragSlowsByItsExponential) {
  Scene scene = free_block("corotated");
  scene.bodies[0].velocity = {2, 0, 0};
  scene.damping.drag = 1.5;
  Simulation simulation(scene);
  for (int i = 0; i < 30; ++i) simulation.step();
  std::vector<double> v(3 * static_cast<std::size_t>(simulation.num_vertices()));
  simulation.copy_velocities(v);
  for (std::size_t i = 0; i < v.size(); i += 3) EXPECT_NEAR(v[i], 2 * std::exp(-1.5), 1e-9);
}

TEST(Simulation, SubstepsDivideTheFrame) {
  Scene scene = free_block("neo_hookean");
  scene.gravity = {0, -10, 0};
  scene.time.substeps = 4;
  Simulation simulation(scene);
  const double start = positions_of(simulation)[0][1];
  simulation.step();
  const double h = scene.time.step / 4;
  EXPECT_NEAR(positions_of(simulation)[0][1], start - h * h * 10 * 4 * 5 / 2, 1e-10);
  EXPECT_NEAR(simulation.time(), scene.time.step, 1e-16);
}

TEST(Simulation, TheReportSaysHowTheStepEnded) {
  Scene scene = twisting_bar({8, 2, 2}, "neo_hookean");
  scene.solver.iterations = 3;
  Simulation limited(scene);
  StepReport report = limited.step();
  EXPECT_EQ(report.status, StepStatus::iteration_limit);
  EXPECT_EQ(report.iterations, 3);
  EXPECT_GE(report.evaluations, 4);
  EXPECT_GT(report.objective, 0);
  EXPECT_LT(report.gradient_norm, report.start_gradient_norm);
  scene.solver.iterations = 500;
  scene.solver.tolerance = 1e-6;
  Simulation free(scene);
  report = free.step();
  EXPECT_EQ(report.status, StepStatus::converged);
  EXPECT_LE(report.gradient_norm, 1e-6 * report.start_gradient_norm);
  EXPECT_LT(report.iterations, 500);
  EXPECT_EQ(report.inverted_tets, 0);
}

TEST(Simulation, ABudgetOfTimeEndsTheStepAndSaysWhatIsLeft) {
  Scene scene = twisting_bar({6, 2, 2}, "neo_hookean");
  scene.solver.iterations = 1000;
  scene.solver.budget_ms = 1e-6;  // over before the first iteration ends on any machine
  Simulation short_of_time(scene, {.threads = 1});
  const StepReport report = short_of_time.step();
  EXPECT_EQ(report.status, StepStatus::out_of_time);
  EXPECT_LT(report.iterations, 1000);
  EXPECT_GT(report.gradient_norm, 0);
  for (int k = 0; k < 20; ++k) {
    ASSERT_NE(short_of_time.step().status, StepStatus::non_finite) << k;
  }
  // A budget that is never reached changes no bit.
  scene.solver.iterations = 12;
  scene.solver.budget_ms = 0;
  Simulation without(scene, {.threads = 1});
  scene.solver.budget_ms = 1e9;
  Simulation with(scene, {.threads = 1});
  for (int k = 0; k < 5; ++k) {
    without.step();
    with.step();
  }
  EXPECT_EQ(without.state().positions, with.state().positions);
}

TEST(Simulation, SubstepsShareTheBudget) {
  Scene scene = twisting_bar({6, 2, 2}, "neo_hookean");
  scene.time.substeps = 4;
  scene.solver.iterations = 1000;
  scene.solver.tolerance = 1e-8;
  scene.solver.budget_ms = 1e9;
  Simulation patient(scene, {.threads = 1});
  EXPECT_EQ(patient.step().status, StepStatus::converged);
  scene.solver.budget_ms = 1e-6;
  Simulation hasty(scene, {.threads = 1});
  const StepReport report = hasty.step();
  EXPECT_EQ(report.status, StepStatus::out_of_time);
  // All four substeps were done.
  EXPECT_EQ(hasty.frame(), 1);
  EXPECT_NEAR(hasty.time(), scene.time.step, 1e-15);
}

TEST(Simulation, LayersAddUpInTheMeasuresAndInvertedTetsCountOnce) {
  Scene scene = free_block("arap");
  scene.bodies[0].material.mu = 300;
  scene.bodies[0].initial = Stretch{{1.2, 1, -0.9}};
  Scene layered = scene;
  layered.bodies[0].material.mu = 100;
  layered.bodies[0].layers = {layered.bodies[0].material, layered.bodies[0].material};
  Simulation one(scene), three(layered);
  const ElementMeasures a = one.measure(one.state().positions);
  const ElementMeasures b = three.measure(three.state().positions);
  ASSERT_EQ(a.von_mises.size(), b.von_mises.size());
  for (std::size_t t = 0; t < a.von_mises.size(); ++t) {
    EXPECT_GT(a.von_mises[t], 100);
    EXPECT_NEAR(a.von_mises[t], b.von_mises[t], 1e-12 * a.von_mises[t]);
    EXPECT_EQ(a.determinant[t], b.determinant[t]);
    EXPECT_EQ(a.stretches[t], b.stretches[t]);
  }
  for (Scene* s : {&scene, &layered}) {
    s->time.step = 1e-6;  // nothing moves
    Simulation still(*s);
    EXPECT_EQ(still.step().inverted_tets, still.num_tets());
  }
}

TEST(Simulation, MeasuresOfAKnownDeformation) {
  const double mu = 100, lambda = 50;
  Scene scene = free_block("neo_hookean");
  scene.bodies[0].material.mu = mu;
  scene.bodies[0].material.lambda = lambda;
  scene.bodies[0].initial = Stretch{{2, 1, -0.5}};
  const Simulation simulation(scene);
  const ElementMeasures measures = simulation.measure(simulation.state().positions);
  ASSERT_EQ(static_cast<int>(measures.determinant.size()), simulation.num_tets());
  for (std::size_t t = 0; t < measures.determinant.size(); ++t) {
    EXPECT_NEAR(measures.determinant[t], -1, 1e-12);
    EXPECT_NEAR(measures.stretches[t][0], 2, 1e-12);
    EXPECT_NEAR(measures.stretches[t][1], 1, 1e-12);
    EXPECT_NEAR(measures.stretches[t][2], -0.5, 1e-12);
  }
  scene.bodies[0].initial = Stretch{{1.2, 1, 1}};
  const Simulation pulled(scene);
  // Kirchhoff stress mu (s_i^2 - 1) + lambda log J: the deviator is mu (s_1^2 - 1) (2, -1, -1)/3.
  const double expected = mu * (1.44 - 1) / 1.2;
  for (double stress : pulled.measure(pulled.state().positions).von_mises) {
    EXPECT_NEAR(stress, expected, 1e-9);
  }
}

TEST(Simulation, EnergiesAddUp) {
  Scene scene = free_block("corotated");
  scene.bodies[0].velocity = {3, 0, 0};
  scene.gravity = {0, -10, 0};
  const Simulation simulation(scene);
  const Energies energies = simulation.energies();
  const double mass = 1000 * 0.125;
  EXPECT_NEAR(energies.kinetic, 0.5 * mass * 9, 1e-9);
  EXPECT_NEAR(energies.gravity, 0, 1e-9);  // centred on the origin
  EXPECT_NEAR(energies.elastic, 0, 1e-12);
}

TEST(Simulation, BadSettingsAreRefusedWithTheirPlace) {
  const auto place = [](auto change) -> std::string {
    Scene scene = free_block("corotated");
    change(scene);
    try {
      Simulation simulation(scene);
    } catch (const Error& error) {
      return error.where();
    }
    return "accepted";
  };
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(place([](Scene&) {}), "accepted");
  EXPECT_EQ(place([](Scene& s) { s.time.step = 0; }), "/time/step");
  EXPECT_EQ(place([](Scene& s) { s.time.step = -1; }), "/time/step");
  EXPECT_EQ(place([](Scene& s) { s.time.substeps = 0; }), "/time/substeps");
  EXPECT_EQ(place([](Scene& s) { s.time.integrator = static_cast<TimeIntegrator>(7); }),
            "/time/integrator");
  EXPECT_EQ(place([&](Scene& s) { s.gravity[1] = infinity; }), "/gravity");
  EXPECT_EQ(place([](Scene& s) { s.solver.method = static_cast<SolverMethod>(-1); }),
            "/solver/method");
  EXPECT_EQ(place([](Scene& s) { s.solver.iterations = 0; }), "/solver/iterations");
  EXPECT_EQ(place([](Scene& s) { s.solver.history = -1; }), "/solver/history");
  EXPECT_EQ(place([](Scene& s) { s.solver.tolerance = -1; }), "/solver/tolerance");
  EXPECT_EQ(place([](Scene& s) { s.solver.line_search.shrink = 1; }), "/solver/line_search/shrink");
  EXPECT_EQ(place([](Scene& s) { s.solver.line_search.type = static_cast<LineSearchType>(4); }),
            "/solver/line_search/type");
  EXPECT_EQ(place([](Scene& s) { s.damping.drag = -0.1; }), "/damping/drag");
}

TEST(Simulation, ArraysOfAnotherSizeAreRefused) {
  Simulation simulation(free_block("corotated"));
  std::vector<double> wrong(5);
  EXPECT_THROW(simulation.copy_positions(wrong), Error);
  EXPECT_THROW(simulation.measure(wrong), Error);
  SimulationState state = simulation.state();
  state.velocities.pop_back();
  EXPECT_THROW(simulation.set_state(state), Error);
  state = simulation.state();
  state.positions[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(simulation.set_state(state), Error);
}

}  // namespace
}  // namespace supple
