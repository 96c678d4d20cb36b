#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "sim/stepper.h"
#include "sim/test_scenes.h"
#include "supple/error.h"

/// Bodies that come and go while a simulation runs.
namespace supple {
namespace {

using test::expect_same_bits;
using test::fresh;
using test::place_of;
using test::run;

Body cube(const Vec3& center, const std::string& name = "",
          const std::string& model = "neo_hookean", int cells = 2) {
  Body body{.name = name,
            .mesh = generate(BoxGenerator{
                .size = {0.5, 0.5, 0.5}, .cells = {cells, cells, cells}, .center = center})};
  body.material = test::soft_material(model);
  return body;
}

/// Three cubes in a stack on the ground, nearer to each other than the layers around them.
Scene stack(const std::string& method = "l_bfgs") {
  Scene scene;
  scene.solver.method = from_string<SolverMethod>(method);
  scene.time.step = 1.0 / 60;
  const std::string model = test::material_of(method);
  for (int k = 0; k < 3; ++k) {
    scene.bodies.push_back(
        cube({0.02 * k, 0.2505 + 0.501 * k, 0}, std::string(1, "abc"[k]), model));
  }
  scene.colliders.push_back({"ground", PlaneShape{}, {}});
  return scene;
}

std::vector<double> positions_of(const Simulation& simulation, int body) {
  const auto b = static_cast<std::size_t>(body);
  const std::vector<int>& first = simulation.body_vertices();
  std::vector<double> x(3 * static_cast<std::size_t>(first[b + 1] - first[b]));
  simulation.body_positions(body, x);
  return x;
}

std::vector<double> velocities_of(const Simulation& simulation, int body) {
  std::vector<double> v(positions_of(simulation, body).size());
  simulation.body_velocities(body, v);
  return v;
}

/// Mean of every third number, beginning with `axis`.
double mean(const std::vector<double>& values, std::size_t axis) {
  double sum = 0;
  for (std::size_t i = axis; i < values.size(); i += 3) sum += values[i];
  return 3 * sum / static_cast<double>(values.size());
}

std::vector<double> part(const std::vector<double>& all, std::size_t first, std::size_t size) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

TEST(Bodies, HandlesNameTheSameBodyWhereverItStands) {
  Simulation simulation(stack(), {.threads = 1});
  const BodyHandle a = simulation.handle(0), b = simulation.handle(1), c = simulation.handle(2);
  EXPECT_FALSE(a == b);
  simulation.set_user_data(c, 0xFFFFFFFFFFFFFFFF);
  simulation.remove_body(b);
  EXPECT_TRUE(simulation.is_alive(a));
  EXPECT_FALSE(simulation.is_alive(b));
  EXPECT_EQ(simulation.index(a), 0);
  EXPECT_EQ(simulation.index(c), 1);
  EXPECT_TRUE(simulation.handle(1) == c);
  EXPECT_EQ(simulation.scene().bodies[1].name, "c");
  const BodyHandle d = simulation.add_body(cube({2, 0.5, 0}, "d"));
  EXPECT_FALSE(simulation.is_alive(b)) << "also where its place is taken again";
  EXPECT_EQ(simulation.index(d), 2);
  EXPECT_EQ(simulation.user_data(c), 0xFFFFFFFFFFFFFFFF);
  EXPECT_EQ(simulation.user_data(d), 0U);
  simulation.change(simulation.scene());
  EXPECT_EQ(simulation.index(d), 2);
  EXPECT_EQ(simulation.state().positions.size(), 3U * 3U * 27U);
  EXPECT_FALSE(simulation.is_alive({}));
}

TEST(Bodies, SeveralComeAndGoAtOnce) {
  Simulation simulation(stack(), {.threads = 1});
  run(simulation, 3);
  const std::vector<double> of_b = positions_of(simulation, 1);
  const std::vector<BodyHandle> removed = {simulation.handle(2), simulation.handle(0)};
  const std::vector<Body> added = {cube({2, 1, 0}, "d"), cube({3, 1, 0}, "a")};
  const std::vector<BodyHandle> handles = simulation.change_bodies(removed, added);
  ASSERT_EQ(handles.size(), 2U);
  EXPECT_EQ(simulation.index(handles[0]), 1);
  EXPECT_EQ(simulation.index(handles[1]), 2);
  EXPECT_EQ(simulation.scene().bodies[2].name, "a");
  EXPECT_EQ(positions_of(simulation, 0), of_b);
  // All bodies can go if others come.
  simulation.change_bodies({{simulation.handle(0), handles[0], handles[1]}}, {{cube({0, 1, 0})}});
  EXPECT_EQ(simulation.scene().bodies.size(), 1U);
  EXPECT_TRUE(simulation.change_bodies({}, {}).empty());
  run(simulation, 2);
}

/// Integrators remember per vertex, and the memory of bodies that stay is unchanged.
TEST(Bodies, ThoseThatStayKeepTheirStateToTheBit) {
  for (const Description& integrator : list_integrators()) {
    SCOPED_TRACE(integrator.name);
    Scene scene = stack();
    scene.time.integrator = from_string<TimeIntegrator>(integrator.name);
    if (integrator.name == "quasi_static") {
      for (Body& body : scene.bodies) {
        body.pins.push_back({.box = {{-1, body.mesh.vertices[0][1] - 0.01, -1},
                                     {1, body.mesh.vertices[0][1] + 0.01, 1}}});
      }
    } else {
      scene.bodies[0].velocity = {0.5, 0, 0};
    }
    if (is_explicit(from_string<TimeIntegrator>(integrator.name))) scene.time.step = 1e-4;
    Simulation simulation(scene, {.threads = 1});
    run(simulation, 3);
    const SimulationState before = simulation.state();
    const std::size_t size = 3 * 27;
    Body added = scene.bodies[1];
    added.name = "d";
    for (Vec3& x : added.mesh.vertices) x[0] += 3;
    for (Pin& pin : added.pins) pin.box = {{2, pin.box.min[1], -1}, {4, pin.box.max[1], 1}};
    simulation.change_bodies({{simulation.handle(1)}}, {{added}});
    const SimulationState after = simulation.state();
    EXPECT_EQ(after.time, before.time);
    EXPECT_EQ(after.frame, before.frame);
    for (const auto field :
         {&SimulationState::positions, &SimulationState::velocities,
          &SimulationState::previous_positions, &SimulationState::previous_velocities,
          &SimulationState::accelerations}) {
      ASSERT_EQ((after.*field).size(), (before.*field).size());
      if ((before.*field).empty()) continue;
      EXPECT_EQ(part(after.*field, 0, size), part(before.*field, 0, size));
      EXPECT_EQ(part(after.*field, size, size), part(before.*field, 2 * size, size));
    }
    run(simulation, 2);
  }
}

/// One frame after the change with every method: contacts between the bodies, and state of all
/// kinds.
TEST(Bodies, TheStepsHaveTheBitsOfASimulationBuiltWithTheScene) {
  for (const Description& solver : list_solvers()) {
    for (const char* integrator : {"backward_euler", "bdf2", "newmark"}) {
      if (integrator != std::string("backward_euler") && solver.name != "l_bfgs") continue;
      SCOPED_TRACE(solver.name + ", " + integrator);
      Scene scene = stack(solver.name);
      scene.time.integrator = from_string<TimeIntegrator>(integrator);
      scene.solver.iterations = 4;
      Simulation simulation(scene, {.threads = 1});
      for (Body& body : scene.bodies) body.velocity = {0, -1, 0};
      int contacts = 0;
      // Within the time in which layers grow from the start, and after it.
      for (const int frames : {1, 4}) {
        run(simulation, frames);
        // The lower two go on touching each other.
        const BodyHandle top = simulation.handle(2);
        Body added = cube({0.05, 1.3, 0.03 * frames}, "", test::material_of(solver.name));
        added.velocity = {0, -1, 0};
        simulation.change_bodies({{top}}, {{added}});
        Simulation built = fresh(simulation);
        for (int frame = 0; frame < 3; ++frame) {
          contacts += simulation.step().contacts;
          run(built, 1);
          expect_same_bits(simulation, built);
        }
      }
      // pbd ends with nothing in the ground.
      EXPECT_TRUE(contacts > 0 || solver.name == "pbd");
    }
  }
}

TEST(Bodies, WeightsThatFollowTheStateStayWithTheirTets) {
  Simulation simulation(stack(), {.threads = 1});
  run(simulation, 2);
  SimulationState state = simulation.state();
  const std::size_t size = simulation.scene().bodies[0].mesh.tets.size();
  ASSERT_TRUE(state.weights.empty()) << "as fitted";
  for (std::size_t t = 0; t < 3 * size; ++t) {
    state.weights.push_back(2e5 * (1 + static_cast<double>(t)));
  }
  state.weights_spent = 1;
  simulation.set_state(state);
  simulation.change_bodies({{simulation.handle(0)}}, {{cube({3, 1, 0})}});
  const SimulationState after = simulation.state();
  ASSERT_EQ(after.weights.size(), 3 * size);
  EXPECT_EQ(part(after.weights, 0, 2 * size), part(state.weights, size, 2 * size));
  EXPECT_EQ(after.weights_spent, 1);
  Simulation built = fresh(simulation);
  run(simulation, 2);
  run(built, 2);
  expect_same_bits(simulation, built);
}

TEST(Bodies, TheBitsDependOnNoNumberOfThreads) {
  std::vector<SimulationState> states;
  for (const int threads : {1, 2, 3}) {
    Simulation simulation(stack(), {.threads = threads});
    for (int k = 0; k < 4; ++k) {
      run(simulation, 2);
      simulation.change_bodies({{simulation.handle(k % 2)}},
                               {{cube({0.1 * k, 2 + 0.5 * k, 0}, "", "neo_hookean", 3)}});
    }
    run(simulation, 2);
    states.push_back(simulation.state());
    EXPECT_EQ(states.back().positions, states.front().positions);
    EXPECT_EQ(states.back().velocities, states.front().velocities);
  }
}

/// v + g t and x + v t + g t^2/2, which second-order integrators give up to rounding.
TEST(Bodies, AnAddedBodyFliesAsOneThatWasThrownThen) {
  for (const char* integrator : {"backward_euler", "implicit_midpoint", "bdf2", "newmark"}) {
    SCOPED_TRACE(integrator);
    Scene scene = stack();
    scene.colliders.clear();
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    Simulation simulation(scene, {.threads = 1});
    run(simulation, 5);
    Body added = cube({3, 5, 0});
    added.velocity = {1, 2, 0};
    const BodyHandle body = simulation.add_body(added);
    const double start = mean(positions_of(simulation, simulation.index(body)), 1);
    EXPECT_NEAR(start, 5, 1e-12);
    const int frames = 4;
    run(simulation, frames);
    const double t = frames * scene.time.step;
    EXPECT_NEAR(mean(velocities_of(simulation, 3), 0), 1, 1e-9);
    EXPECT_NEAR(mean(velocities_of(simulation, 3), 1), 2 - 9.81 * t, 1e-9);
    EXPECT_NEAR(mean(positions_of(simulation, 3), 0), 3 + t, 1e-9);
    // Backward Euler falls by g h t/2 more.
    const double more =
        integrator == std::string("backward_euler") ? 0.5 * 9.81 * scene.time.step * t : 0;
    EXPECT_NEAR(mean(positions_of(simulation, 3), 1), start + 2 * t - 0.5 * 9.81 * t * t - more,
                1e-9);
  }
}

TEST(Bodies, AnAddedBodyStartsAsItsInitialSays) {
  Simulation simulation(stack(), {.threads = 1});
  run(simulation, 2);
  Body added = cube({3, 1, 0});
  added.initial = Stretch{{2, 1, 1}};
  simulation.add_body(added);
  const Box box = simulation.body_bounds(3);
  EXPECT_NEAR(box.min[0], 2.5, 1e-12);
  EXPECT_NEAR(box.max[0], 3.5, 1e-12);
  EXPECT_NEAR(box.max[1], 1.25, 1e-12);
}

TEST(Bodies, AttachmentsHoldTheBodiesThatStay) {
  Scene scene = stack();
  Simulation simulation(scene, {.threads = 1});
  run(simulation, 2);
  const int vertex = 3;
  const auto corner_of = [&](int body) {
    const std::vector<double> x = positions_of(simulation, body);
    return Vec3{x[9], x[10], x[11]};
  };
  const Vec3 of_b = corner_of(1), of_c = corner_of(2);
  const Attachment at_b = simulation.attach(1, {{vertex}}, {{of_b}}, 1e4);
  const Attachment at_c = simulation.attach(2, {{vertex}}, {{of_c}}, 1e4);
  run(simulation, 2);
  const Vec3 force = simulation.force(at_c);
  simulation.remove_body(simulation.handle(1));
  EXPECT_FALSE(simulation.is_attached(at_b));
  EXPECT_EQ(simulation.force(at_c), force);
  const Vec3 target{of_c[0] + 0.05, of_c[1] + 0.05, of_c[2]};
  simulation.set_target(at_c, target);
  run(simulation, 60);
  const Vec3 held = corner_of(1);
  // It hangs by the corner: k = 1e4 N/m and a weight of at most 1,226 N.
  EXPECT_NEAR(held[0], target[0], 0.2);
  EXPECT_NEAR(held[1], target[1], 0.2);
  simulation.detach(at_c);
  run(simulation, 60);
  EXPECT_LT(simulation.body_bounds(1).min[1], 0.05) << "let go, it falls to the ground";
}

TEST(Bodies, ForcesThatWaitActOnTheirBodiesAlone) {
  Scene scene = stack();
  scene.gravity = {0, 0, 0};
  scene.colliders.clear();
  scene.contact.bodies = false;
  Simulation simulation(scene, {.threads = 1});
  run(simulation, 1);
  simulation.add_force(0, {600, 0, 0});
  simulation.add_force(2, {0, 0, 300});
  simulation.change_bodies({{simulation.handle(0)}}, {{cube({3, 0, 0})}});
  run(simulation, 1);
  // 125 kg each.
  EXPECT_NEAR(mean(velocities_of(simulation, 0), 2), 0, 1e-9);
  EXPECT_NEAR(mean(velocities_of(simulation, 1), 2), 300.0 / 125 / 60, 1e-9);
  EXPECT_NEAR(mean(velocities_of(simulation, 2), 0), 0, 1e-9);
}

TEST(Bodies, OneThatIsPutOnAnotherComesToLieOnIt) {
  Scene scene = stack();
  scene.bodies.resize(1);
  Simulation simulation(scene, {.threads = 1});
  run(simulation, 120);
  const double top = simulation.body_bounds(0).max[1];
  const SimulationState before = simulation.state();
  simulation.add_body(cube({0, top + 0.25, 0}));
  // The bodies that were there are not moved for it.
  EXPECT_EQ(part(simulation.state().positions, 0, before.positions.size()), before.positions);
  const StepReport report = simulation.step();
  EXPECT_EQ(report.overlaps, 0);
  double fastest = 0;
  for (int frame = 0; frame < 120; ++frame) {
    simulation.step();
    for (const double v : velocities_of(simulation, 1)) fastest = std::max(fastest, std::abs(v));
  }
  // It is not thrown off: a fall of 13 mm gives it 0.5 m/s.
  EXPECT_LT(fastest, 0.5);
  EXPECT_GT(simulation.body_bounds(1).min[1], top - 0.1);
}

TEST(Bodies, OneThatTouchesAnotherIsMovedOffIt) {
  Scene scene = stack();
  scene.bodies.resize(1);
  scene.gravity = {0, 0, 0};
  for (const int frames : {0, 1, 10}) {
    Simulation simulation(scene, {.threads = 1});
    run(simulation, frames);
    const std::vector<double> before = positions_of(simulation, 0);
    const Body added = cube({0.02, 0.3, 0.5});
    simulation.add_body(added);
    EXPECT_EQ(positions_of(simulation, 0), before);
    EXPECT_GT(simulation.body_bounds(1).min[2], 0.25);
    // It was moved by less than a layer, which is 3e-3 of its diagonal.
    EXPECT_LT(simulation.body_bounds(1).min[2], 0.25 + 3e-3 * 0.87);
    EXPECT_EQ(simulation.step().overlaps, 0);
  }
}

TEST(Bodies, OneThatIsPutIntoAnotherStaysThereAndTouchesItOnceTheyAreApart) {
  Simulation simulation(stack(), {.threads = 1});
  run(simulation, 2);
  Body inside = cube({0.1, 1.4, 0.1});
  const BodyHandle body = simulation.add_body(inside);
  EXPECT_EQ(simulation.body_bounds(3).min[1], inside.mesh.vertices[0][1]);
  EXPECT_GT(simulation.step().overlaps, 0);
  // Other bodies can come to the place of one before.
  for (int k = 0; k < 3; ++k) simulation.add_body(inside);
  run(simulation, 1);
  simulation.remove_body(body);
  run(simulation, 1);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Bodies, WhatCannotBeDoneIsRefusedAndChangesNothing) {
  Simulation simulation(stack(), {.threads = 1}), unharmed(stack(), {.threads = 1});
  run(simulation, 2);
  run(unharmed, 2);
  const BodyHandle a = simulation.handle(0), b = simulation.handle(1), c = simulation.handle(2);
  Simulation other(stack(), {.threads = 1});
  other.remove_body(other.handle(0));
  const BodyHandle newer = other.add_body(cube({3, 0, 0}));
  EXPECT_EQ(place_of([&] { simulation.remove_body(newer); }), "body");
  EXPECT_EQ(place_of([&] { simulation.remove_body({}); }), "body");
  EXPECT_EQ(place_of([&] { simulation.change_bodies({{a, a}}, {}); }), "body");
  EXPECT_EQ(place_of([&] { simulation.index({7, 1}); }), "body");
  EXPECT_EQ(place_of([&] { simulation.user_data({}); }), "body");
  EXPECT_EQ(place_of([&] { simulation.set_user_data({}, 1); }), "body");
  EXPECT_EQ(place_of([&] { simulation.handle(3); }), "/bodies");
  EXPECT_EQ(place_of([&] { simulation.change_bodies({{a, b, c}}, {}); }), "/bodies");
  EXPECT_EQ(place_of([&] { simulation.add_body(cube({3, 0, 0}, "b")); }), "/bodies/3/name");
  EXPECT_NE(message_of([&] {
              simulation.add_body(cube({3, 0, 0}, "b"));
            }).find("body 1 is called 'b' too"),
            std::string::npos);
  EXPECT_EQ(place_of([&] {
              simulation.change_bodies({}, {{cube({3, 0, 0}, "x"), cube({4, 0, 0}, "x")}});
            }),
            "/bodies/4/name");
  Body broken = cube({3, 0, 0});
  broken.mesh.tets[3][2] = 999;
  EXPECT_NE(message_of([&] { simulation.add_body(broken); }).find("/bodies/3/mesh"),
            std::string::npos);
  Body massless = cube({3, 0, 0});
  massless.density = 0;
  EXPECT_EQ(place_of([&] { simulation.add_body(massless); }), "/bodies/3/density");
  Body empty;
  EXPECT_NE(message_of([&] { simulation.add_body(empty); }), "");
  Body fast = cube({3, 0, 0});
  fast.velocity = {1e20, 0, 0};
  EXPECT_EQ(place_of([&] { simulation.add_body(fast); }), "/bodies/3/velocity");
  simulation.change(simulation.scene(), 2);
  unharmed.change(unharmed.scene(), 2);
  EXPECT_EQ(place_of([&] { simulation.add_body(cube({3, 0, 0})); }), "change");
  EXPECT_EQ(place_of([&] { simulation.remove_body(a); }), "change");
  run(simulation, 4);
  run(unharmed, 4);
  expect_same_bits(simulation, unharmed);
  EXPECT_EQ(simulation.scene().bodies.size(), 3U);
  EXPECT_TRUE(simulation.handle(1) == b);
  simulation.remove_body(a);
  EXPECT_EQ(simulation.scene().bodies.size(), 2U);
}

TEST(Bodies, AStateOfOtherBodiesIsRefused) {
  Simulation simulation(stack(), {.threads = 1});
  const SimulationState before = simulation.state();
  simulation.remove_body(simulation.handle(0));
  EXPECT_EQ(place_of([&] { simulation.set_state(before); }), "positions");
}

TEST(Bodies, WithoutInertiaWhatComesMustBeHeld) {
  Scene scene = stack();
  scene.time.integrator = TimeIntegrator::quasi_static;
  scene.colliders.clear();
  for (Body& body : scene.bodies) body.pins.push_back({.vertices = {0, 1, 2, 9, 10}});
  Simulation simulation(scene, {.threads = 1});
  run(simulation, 1);
  EXPECT_EQ(place_of([&] { simulation.add_body(cube({3, 0, 0}, "d")); }), "/time/integrator");
  Body held = cube({3, 0, 0}, "d");
  held.pins.push_back({.vertices = {0, 1, 2, 9, 10}});
  simulation.add_body(held);
  // A body that is held only by attachments can stay.
  simulation.attach(3, {{0, 1, 2, 9}}, {{{2.75, 0, 0}, {2.75, 0, 0.2}, {2.75, 0, 0.4}, {3, 0, 0}}},
                    1e5);
  simulation.set_pins(3, {});
  simulation.remove_body(simulation.handle(0));
  run(simulation, 1);
}

TEST(Bodies, AnAddedBodyIsInEveryQuery) {
  Simulation simulation(stack(), {.threads = 1});
  run(simulation, 1);
  EXPECT_FALSE(simulation.raycast({5, 5, 0}, {0, -1, 0}));
  simulation.add_body(cube({5, 1, 0}));
  const auto hit = simulation.raycast({5, 5, 0}, {0, -1, 0});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->body, 3);
  simulation.remove_body(simulation.handle(0));
  EXPECT_EQ(simulation.raycast({5, 5, 0}, {0, -1, 0})->body, 2);
}

/// What is taken over from bodies that stay equals what a new simulation makes, for bodies of all
/// kinds, in any order, and after every change that their matrices remember.
TEST(Bodies, WhatIsTakenOverHasTheBitsOfWhatIsMadeAnew) {
  for (const char* method : {"l_bfgs", "quasi_newton", "chebyshev", "vertex_block_descent"}) {
    SCOPED_TRACE(method);
    Scene scene = stack(method);
    scene.solver.iterations = 5;
    scene.bodies.push_back(cube({2, 0.3, 0}, "pinned", "neo_hookean", 3));
    scene.bodies.back().pins.push_back({.vertices = {0, 1, 2, 3, 7}, .stiffness = 1e5});
    scene.bodies.push_back(test::cloth_body());
    scene.bodies.back().name = "cloth";
    for (Vec3& x : scene.bodies.back().mesh.vertices) x[1] += 4;
    scene.bodies.push_back(cube({4, 0.3, 0}, "layered"));
    scene.bodies.back().layers = {test::soft_material("corotated")};
    scene.bodies.push_back(cube({6, 0.3, 0}, "soft"));
    Simulation simulation(scene, {.threads = 1});
    const auto expect_as_new = [&] {
      Simulation built = fresh(simulation);
      for (int frame = 0; frame < 3; ++frame) {
        run(simulation, 1);
        run(built, 1);
        expect_same_bits(simulation, built);
      }
    };
    run(simulation, 2);
    // Three bodies share a mesh and one has its own; a body before them goes.
    simulation.change_bodies({{simulation.handle(1)}},
                             {{cube({2, 2, 0}, "d"), cube({3, 2, 0}, "e"),
                               cube({4, 2, 0}, "f", "neo_hookean", 3), cube({5, 2, 0}, "g")}});
    expect_as_new();
    const int last = static_cast<int>(simulation.scene().bodies.size()) - 1;
    MaterialSettings stiffer = simulation.scene().bodies[0].material;
    stiffer.mu.value *= 3;
    simulation.set_material(0, stiffer);
    simulation.set_pins(last, {{.vertices = {1, 2}, .stiffness = 1e4}});
    simulation.set_pins(2, {});
    simulation.set_gravity({0, -5, 0});
    run(simulation, 40);
    simulation.remove_body(simulation.handle(1));
    expect_as_new();
    // Weights that follow the material make another matrix of the same bodies.
    SimulationState state = simulation.state();
    if (method == std::string("l_bfgs")) {
      std::size_t num_tets = 0;
      for (const Body& body : simulation.scene().bodies) num_tets += body.mesh.tets.size();
      for (std::size_t t = 0; t < num_tets; ++t) {
        state.weights.push_back(2e5 * (1 + 0.01 * static_cast<double>(t)));
      }
      state.weights_spent = 1;
      simulation.set_state(state);
    }
    simulation.add_body(cube({7, 2, 0}, "h"));
    expect_as_new();
    simulation.add_body(cube({8, 2, 0}, "i", "corotated"));
    expect_as_new();
  }
}

}  // namespace
}  // namespace supple
