#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

#include "model/model.h"
#include "sim/test_scenes.h"
#include "supple/error.h"

/// Pins and scenes that change while a simulation runs.
namespace supple {
namespace {

using test::expect_same_bits;
using test::fresh;
using test::run;

/// 16 vertices at each end, both held: 32 can still be followed without a new factor.
Scene bar(const std::string& material = "neo_hookean") {
  return test::twisting_bar({8, 3, 3}, material);
}
/// 25 vertices at each end, together too many for that.
Scene thick_bar(const std::string& material = "neo_hookean") {
  return test::twisting_bar({8, 4, 4}, material);
}

/// Four vertices of the right end are free, and three in the middle are held and pulled: seven in
/// all, which every method follows exactly.
std::vector<Pin> other_pins(const Scene& scene) {
  std::vector<Pin> pins = scene.bodies[0].pins;
  pins[1].box = {};
  const std::vector<Vec3>& rest = scene.bodies[0].mesh.vertices;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i][0] > 1.99) pins[1].vertices.push_back(static_cast<int>(i));
  }
  pins[1].vertices.resize(pins[1].vertices.size() - 4);
  Pin pin;
  pin.vertices = {50, 60, 71};
  pin.stiffness = 3e5;
  pin.motion.velocity = {0, 0.5, 0};
  pins.push_back(pin);
  return pins;
}

/// Every vertex of the left half, held in vain as stiffly as by a wall.
std::vector<Pin> many_pins() {
  Pin pin;
  pin.box = {{-3, -1, -1}, {0, 1, 1}};
  pin.stiffness = 1e6;
  pin.motion.velocity = {0, 0.1, 0};
  return {pin};
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

struct Method {
  const char *method, *initial_hessian = "laplacian", *linear_solver = "direct",
                      *preconditioner = "jacobi";
};

void PrintTo(const Method& method, std::ostream* out) {
  *out << method.method << ", " << method.initial_hessian << ", " << method.linear_solver << ", "
       << method.preconditioner;
}

void use(const Method& method, Scene& scene) {
  scene.solver.method = from_string<SolverMethod>(method.method);
  scene.solver.initial_hessian = from_string<InitialHessian>(method.initial_hessian);
  scene.solver.linear_solver = from_string<LinearSolver>(method.linear_solver);
  scene.solver.preconditioner = from_string<PreconditionerType>(method.preconditioner);
}

/// All solvers of the list, and the other matrices.
std::vector<Method> methods() {
  std::vector<Method> list = {{"l_bfgs", "identity"},
                              {"l_bfgs", "rest"},
                              {"l_bfgs", "warped_rest"},
                              {"l_bfgs", "frame"},
                              {"quasi_newton", "rest", "cg"},
                              {"l_bfgs", "laplacian", "cg", "incomplete_cholesky"},
                              {"newton", "laplacian", "cg", "laplacian"},
                              {"newton", "laplacian", "cg", "rest"}};
  static const std::vector<Description> solvers = list_solvers();
  for (const Description& solver : solvers) list.push_back({solver.name.c_str()});
  return list;
}

TEST(SetPins, EveryIterateOfEverySolverIsThatOfASimulationBuiltWithThem) {
  for (const Method& method : methods()) {
    SCOPED_TRACE(testing::PrintToString(method));
    Scene scene = bar(test::material_of(method.method));
    use(method, scene);
    scene.solver.iterations = 3;
    Simulation simulation(scene, {.threads = 1});
    run(simulation, 2);
    simulation.set_pins(0, other_pins(scene));
    EXPECT_EQ(simulation.scene().bodies[0].pins.size(), 3U);
    EXPECT_EQ(simulation.scene().bodies[0].pins[2].vertices, other_pins(scene)[2].vertices);
    Simulation built = fresh(simulation), unchanged(scene, {.threads = 1});
    run(unchanged, 2);
    run(unchanged, 1);
    run(simulation, 1);
    run(built, 1);
    // Far from converged, yet the directions agree to the digits of floats in the factor.
    EXPECT_GT(distance(unchanged.state().positions, built.state().positions), 1e-3);
    EXPECT_LT(distance(simulation.state().positions, built.state().positions), 2e-6);
    // And back to the pins for which the factor was made.
    simulation.set_pins(0, scene.bodies[0].pins);
    built = fresh(simulation);
    run(simulation, 1);
    run(built, 1);
    expect_same_bits(simulation, built);
  }
}

TEST(SetPins, ClothAndStrandsFollowToo) {
  for (const char* method : {"l_bfgs", "projective_dynamics", "vertex_block_descent"}) {
    Scene scene = test::hanging_cloth();
    scene.solver.method = from_string<SolverMethod>(method);
    Simulation simulation(scene, {.threads = 1});
    run(simulation, 5);
    std::vector<Pin> pins = scene.bodies[0].pins;
    pins[0].vertices = {0, 12, 29};
    simulation.set_pins(0, pins);
    Simulation built = fresh(simulation);
    run(simulation, 1);
    run(built, 1);
    EXPECT_LT(distance(simulation.state().positions, built.state().positions), 2e-6) << method;
  }
}

/// The methods that keep a factor of the matrix including its pins.
const std::vector<Method>& with_factor() {
  static const std::vector<Method> list = {{"l_bfgs"},         {"quasi_newton"},
                                           {"chebyshev"},      {"projective_dynamics"},
                                           {"l_bfgs", "rest"}, {"l_bfgs", "warped_rest"}};
  return list;
}

TEST(SetPins, ManyPinsConvergeToTheStepsOfASimulationBuiltWithThem) {
  for (const Method& method : with_factor()) {
    for (const bool come : {true, false}) {
      SCOPED_TRACE(testing::PrintToString(method) + (come ? ", more" : ", none"));
      Scene scene = thick_bar(test::material_of(method.method));
      use(method, scene);
      scene.solver.iterations = 3000;
      scene.solver.tolerance = 1e-9;
      Simulation simulation(scene, {.threads = 1});
      run(simulation, 2);
      simulation.set_pins(0, come ? many_pins() : std::vector<Pin>{});
      // With the old factor and with the new one.
      for (int frame = 0; frame < 4; ++frame) {
        Simulation built = fresh(simulation);
        // 1e3 to 1e5 N at first; the matrix entries are 1e4 N/m and more.
        EXPECT_LT(simulation.step().gradient_norm, 1e-2) << frame;
        run(built, 1);
        EXPECT_LT(distance(simulation.state().positions, built.state().positions), 1e-6) << frame;
      }
    }
  }
}

/// Everything that changes pins: few, many, back, and many again before the new factor has come.
SimulationState changed_motion(int threads, bool slowly) {
  Simulation simulation(thick_bar(), {.threads = threads});
  const auto wait = [&] {
    if (slowly) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  const std::vector<std::vector<Pin>> all = {
      other_pins(simulation.scene()), many_pins(), {}, many_pins(), other_pins(simulation.scene())};
  for (const std::vector<Pin>& pins : all) {
    simulation.set_pins(0, pins);
    for (int frame = 0; frame < 2; ++frame) {
      simulation.step();
      wait();
    }
  }
  Scene softer = thick_bar();
  softer.bodies[0].material = test::soft_material("stable_neo_hookean");
  simulation.change(softer, 3);
  for (int frame = 0; frame < 5; ++frame) {
    wait();
    simulation.step();
  }
  return simulation.state();
}

TEST(SetPins, TheBitsDependNeitherOnThreadsNorOnTime) {
  const SimulationState expected = changed_motion(1, false);
  for (const int threads : {1, 2, 3}) {
    for (const bool slowly : {false, true}) {
      const SimulationState found = changed_motion(threads, slowly);
      EXPECT_EQ(found.positions, expected.positions) << threads << slowly;
      EXPECT_EQ(found.velocities, expected.velocities) << threads << slowly;
    }
  }
}

/// sum m v, and with it sum m |v|.
std::array<double, 4> momentum(const Scene& scene, const SimulationState& state) {
  const Model model = build_model(scene);
  std::array<double, 4> sum{};
  for (std::size_t i = 0; i < model.mass.size(); ++i) {
    double square = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      sum[k] += model.mass[i] * state.velocities[3 * i + k];
      square += state.velocities[3 * i + k] * state.velocities[3 * i + k];
    }
    sum[3] += model.mass[i] * std::sqrt(square);
  }
  return sum;
}

TEST(SetPins, WhatIsLetGoKeepsItsMomentum) {
  for (const Method& method : with_factor()) {
    // Its matrix turns with each vertex, so no direction keeps the momentum exactly.
    if (method.initial_hessian == std::string("warped_rest")) continue;
    for (const bool few : {true, false}) {
      SCOPED_TRACE(testing::PrintToString(method) + (few ? ", few" : ", many"));
      const std::string material = test::material_of(method.method);
      Scene scene = few ? bar(material) : thick_bar(material);
      use(method, scene);
      scene.bodies[0].pins[0].motion.velocity = {1, 2, 3};
      Simulation simulation(scene, {.threads = 1});
      run(simulation, 5);
      simulation.set_pins(0, {});
      const std::array<double, 4> before = momentum(scene, simulation.state());
      ASSERT_GT(std::abs(before[1]), 1e-3 * before[3]);
      for (int frame = 0; frame < 5; ++frame) {
        run(simulation, 1);
        const std::array<double, 4> after = momentum(scene, simulation.state());
        for (std::size_t k = 0; k < 3; ++k) {
          EXPECT_NEAR(after[k], before[k], 1e-12 * before[3]) << frame;
        }
      }
    }
  }
}

TEST(SetPins, WhatIsNoPinIsRefusedAsByTheConstructorAndHarmsNothing) {
  const Scene scene = bar();
  Simulation simulation(scene, {.threads = 1}), unharmed(scene, {.threads = 1});
  const auto message_of = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      return error.what();
    }
    return "";
  };
  std::vector<std::vector<Pin>> bad(4, other_pins(scene));
  bad[0][1].stiffness = 0;
  bad[1][1].vertices = {144};
  bad[2][0].box = {{9, 9, 9}, {10, 10, 10}};
  bad[3][0].motion.velocity = {NAN, 0, 0};
  for (const std::vector<Pin>& pins : bad) {
    Scene bad_scene = scene;
    bad_scene.bodies[0].pins = pins;
    const std::string expected = message_of([&] { const Simulation built(bad_scene); });
    ASSERT_NE(expected, "");
    EXPECT_EQ(message_of([&] { simulation.set_pins(0, pins); }), expected);
    run(simulation, 1);
    run(unharmed, 1);
    expect_same_bits(simulation, unharmed);
  }
  // The sum of stiffnesses overflows.
  std::vector<Pin> endless(2, other_pins(scene)[0]);
  for (Pin& pin : endless) pin.stiffness = 1e308;
  EXPECT_NE(message_of([&] { simulation.set_pins(0, endless); }), "");
  for (const int body : {-1, 1}) {
    EXPECT_NE(message_of([&] { simulation.set_pins(body, {}); }), "");
  }
  run(simulation, 1);
  run(unharmed, 1);
  expect_same_bits(simulation, unharmed);
}

TEST(SetPins, TheIntegratorsFollow) {
  for (const Description& integrator : list_integrators()) {
    Scene scene = bar();
    scene.time.integrator = from_string<TimeIntegrator>(integrator.name);
    scene.time.step = 1e-3;
    Simulation simulation(scene, {.threads = 1});
    run(simulation, 3);
    if (integrator.name == "quasi_static") {
      EXPECT_THROW(simulation.set_pins(0, {}), Error) << "nothing would hold it";
    }
    simulation.set_pins(0, other_pins(scene));
    Simulation built = fresh(simulation);
    run(simulation, 1);
    run(built, 1);
    EXPECT_LT(distance(simulation.state().positions, built.state().positions), 2e-6)
        << integrator.name;
  }
}

/// The bar without the tets of its middle on one side: a cut.
Scene cut(Scene scene) {
  TetMesh& mesh = scene.bodies[0].mesh;
  std::erase_if(mesh.tets, [&](const std::array<int, 4>& tet) {
    double x = 0, y = 0;
    for (const int vertex : tet) {
      x += 0.25 * mesh.vertices[static_cast<std::size_t>(vertex)][0];
      y += 0.25 * mesh.vertices[static_cast<std::size_t>(vertex)][1];
    }
    return std::abs(x) < 0.3 && y > 0.2;
  });
  return scene;
}

std::vector<Scene> other_scenes(const Scene& scene) {
  std::vector<Scene> list(5, scene);
  list[0].bodies[0].material = test::soft_material("corotated");
  list[1] = cut(scene);
  list[2].gravity = {0, -9.81, 0};
  list[2].colliders.push_back({"ground", PlaneShape{{0, 1, 0}, -0.5}, {}});
  list[3].solver.method = SolverMethod::newton;
  list[3].time.step = 0.01;
  list[3].time.integrator = TimeIntegrator::bdf2;
  list[4].bodies[0].pins.resize(1);
  list[4].bodies[0].velocity = {1, 1, 1};  // has no effect any more
  return list;
}

TEST(Change, AnotherSceneGoesOnFromTheStateWithTheBitsOfAFreshSimulation) {
  for (const char* integrator : {"backward_euler", "bdf2", "newmark"}) {
    Scene scene = bar();
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    for (const Scene& next : other_scenes(scene)) {
      Simulation simulation(scene, {.threads = 1});
      run(simulation, 4);
      SimulationState state = simulation.state();
      // Memory of other forces, or of another step length, does not fit.
      state.accelerations.clear();
      if (next.time.step != scene.time.step) {
        state.previous_positions.clear();
        state.previous_velocities.clear();
      }
      simulation.change(next);
      EXPECT_FALSE(simulation.change_is_waiting());
      Simulation built(next, {.threads = 1});
      built.set_state(state);
      EXPECT_EQ(simulation.num_tets(), built.num_tets());
      EXPECT_EQ(simulation.surface(), built.surface());
      EXPECT_EQ(simulation.scene().bodies[0].material.model, next.bodies[0].material.model);
      EXPECT_EQ(simulation.energies().elastic, built.energies().elastic);
      EXPECT_EQ(simulation.frame(), 4);
      for (int frame = 0; frame < 3; ++frame) {
        EXPECT_EQ(simulation.step().change, SceneChange::none);
        run(built, 1);
        expect_same_bits(simulation, built);
      }
    }
  }
}

TEST(Change, TheSceneAsItIsGoesOnForTheFramesNamed) {
  const Scene scene = bar();
  for (const Scene& next : other_scenes(scene)) {
    for (const int after : {1, 3}) {
      Simulation simulation(scene, {.threads = 1}), before(scene, {.threads = 1});
      run(simulation, 2);
      run(before, 2);
      simulation.change(next, after);
      for (int frame = 0; frame < after; ++frame) {
        EXPECT_TRUE(simulation.change_is_waiting());
        EXPECT_EQ(simulation.step().change, SceneChange::waiting);
        run(before, 1);
        expect_same_bits(simulation, before);
        EXPECT_EQ(simulation.surface(), before.surface());
      }
      before.change(next);
      EXPECT_EQ(simulation.step().change, SceneChange::done);
      EXPECT_FALSE(simulation.change_is_waiting());
      run(before, 1);
      expect_same_bits(simulation, before);
      EXPECT_EQ(simulation.surface(), before.surface());
      EXPECT_EQ(simulation.step().change, SceneChange::none);
    }
  }
}

TEST(Change, WhatDoesNotFitIsRefusedAndHarmsNothing) {
  const Scene scene = bar();
  Simulation simulation(scene, {.threads = 1}), unharmed(scene, {.threads = 1});
  const auto refused = [&](const Scene& next, int after) -> std::string {
    try {
      simulation.change(next, after);
    } catch (const Error& error) {
      return std::string(error.where());
    }
    return "not refused";
  };
  Scene other_mesh = scene, two_bodies = scene, bad_solver = scene, bad_pin = scene;
  other_mesh.bodies[0].mesh.vertices.push_back({0, 0, 0});
  two_bodies.bodies.push_back(scene.bodies[0]);
  bad_solver.solver.iterations = -1;
  bad_pin.bodies[0].pins[0].stiffness = -1;
  for (const int after : {0, 2}) {
    EXPECT_EQ(refused(other_mesh, after), "/bodies/0/mesh");
    EXPECT_EQ(refused(two_bodies, after), "/bodies");
    EXPECT_EQ(refused(bad_solver, after), "/solver/iterations");
    EXPECT_EQ(refused(bad_pin, after), "/bodies/0/pins/0/stiffness");
  }
  EXPECT_EQ(refused(scene, -1), "after_frames");
  EXPECT_FALSE(simulation.change_is_waiting());
  Scene bad_material = scene;
  bad_material.bodies[0].material.mu = -1;
  EXPECT_NE(refused(bad_material, 0), "not refused");
  run(simulation, 2);
  run(unharmed, 2);
  expect_same_bits(simulation, unharmed);
  // Materials are checked in the background.
  simulation.change(bad_material, 2);
  for (const SceneChange expected :
       {SceneChange::waiting, SceneChange::waiting, SceneChange::failed, SceneChange::none}) {
    EXPECT_NO_THROW(simulation.check_change());
    EXPECT_EQ(simulation.step().change, expected);
    run(unharmed, 1);
    expect_same_bits(simulation, unharmed);
    if (expected != SceneChange::failed) continue;
    EXPECT_THROW(simulation.check_change(), Error);
  }
  EXPECT_NO_THROW(simulation.check_change());
  EXPECT_FALSE(simulation.change_is_waiting());
}

TEST(Change, ALaterChangeReplacesTheOneThatWaits) {
  const Scene scene = bar();
  const std::vector<Scene> next = other_scenes(scene);
  Simulation simulation(scene, {.threads = 1}), expected(scene, {.threads = 1});
  for (const Scene& other : next) simulation.change(other, 2);
  simulation.change(next[0], 2);
  run(simulation, 2);
  run(expected, 2);
  expected.change(next[0]);
  EXPECT_EQ(simulation.step().change, SceneChange::done);
  run(expected, 1);
  expect_same_bits(simulation, expected);
  // At once, while another one waits.
  simulation.change(next[1], 5);
  simulation.change(next[2]);
  expected.change(next[2]);
  EXPECT_FALSE(simulation.change_is_waiting());
  run(simulation, 2);
  run(expected, 2);
  expect_same_bits(simulation, expected);
}

TEST(Change, PinsThatAreSetMeanwhileHoldInBothScenes) {
  const Scene scene = bar();
  const Scene next = other_scenes(scene)[1];
  Simulation simulation(scene, {.threads = 1}), expected(scene, {.threads = 1});
  simulation.change(next, 2);
  run(simulation, 1);
  run(expected, 1);
  EXPECT_THROW(simulation.set_pins(0, {Pin{.vertices = {999}}}), Error);
  const std::vector<Pin> endless(2, Pin{.vertices = {3}, .stiffness = 1e308});
  EXPECT_THROW(simulation.set_pins(0, endless), Error);
  for (Simulation* each : {&simulation, &expected}) each->set_pins(0, other_pins(scene));
  run(simulation, 1);
  run(expected, 1);
  expect_same_bits(simulation, expected);
  expected.change(next);
  expected.set_pins(0, other_pins(scene));
  run(simulation, 1);
  run(expected, 1);
  expect_same_bits(simulation, expected);
  EXPECT_EQ(simulation.scene().bodies[0].pins.size(), 3U);
}

TEST(Change, ASimulationCanBeMovedAndDestroyedWhileSomethingIsBuilt) {
  Scene scene = test::twisting_bar({16, 8, 8}, "neo_hookean");
  for (const bool pins : {true, false}) {
    Simulation simulation(scene, {.threads = 2});
    if (pins) {
      simulation.set_pins(0, many_pins());
    } else {
      for (int k = 0; k < 3; ++k) simulation.change(scene, 2);
    }
    Simulation moved = std::move(simulation);
    EXPECT_NE(moved.step().status, StepStatus::non_finite);
    EXPECT_EQ(moved.change_is_waiting(), !pins);
  }
}

}  // namespace
}  // namespace supple
