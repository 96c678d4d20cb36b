#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/index.h"
#include "sim/separations.h"
#include "sim/test_parts.h"
#include "sim/test_scenes.h"
#include "supple/error.h"
#include "supple/simulation.h"
#include "supple/state_bytes.h"

namespace supple {
namespace {

using test::momentum_of;
using test::num_parts;
using test::place_of;
using test::plane_across;
using test::positions_of;
using test::run;

/// A bar of 1 m that is held at one end.
Scene held_bar(int separate_after) {
  Scene scene = test::free_block("neo_hookean");
  scene.gravity = {0, -9.81, 0};
  scene.time.separate_after = separate_after;
  Body& bar = scene.bodies[0];
  bar.mesh = generate(BoxGenerator{.size = {1, 0.25, 0.25}, .cells = {8, 2, 2}});
  bar.pins = {{.box = {{-9, -9, -9}, {-0.49, 9, 9}}}};
  return scene;
}

/// The tets on both sides of a plane across the middle of the bar at rest.
std::vector<std::array<int, 2>> pairs_across(const Scene& scene, double place) {
  const TetMesh& mesh = scene.bodies[0].mesh;
  const auto is_left = [&](int tet) {
    double sum = 0;
    for (const int v : mesh.tets[at(tet)]) sum += mesh.vertices[at(v)][0];
    return sum / 4 < place;
  };
  std::vector<std::array<int, 2>> pairs;
  for (const auto& [a, b] : joined_elements<4>(mesh.tets)) {
    if (is_left(a) != is_left(b)) pairs.push_back({a, b});
  }
  return pairs;
}

TEST(SeparatingLater, OpensInTheStepThatItIsToOpenIn) {
  Simulation simulation(held_bar(3), {.threads = 2});
  run(simulation, 2);
  const int whole = simulation.num_vertices();
  const int pairs = simulation.separate(0, pairs_across(simulation.scene(), 0.01));
  ASSERT_GT(pairs, 0);
  EXPECT_EQ(simulation.separate(0, pairs_across(simulation.scene(), 0.01)), 0) << "known already";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(simulation.step().separated, 0);
    EXPECT_EQ(simulation.num_vertices(), whole);
    EXPECT_TRUE(simulation.state().separated.empty());
  }
  EXPECT_EQ(simulation.step().separated, pairs);
  EXPECT_EQ(simulation.num_vertices(), whole + 9);
  EXPECT_EQ(num_parts(simulation), 2);
  EXPECT_EQ(simulation.state().separated.front().frame, 5);
  EXPECT_TRUE(simulation.state().separating.empty());
}

/// Does the same to bodies that come apart later and to bodies that come apart at that moment.
void expect_same_as_at_that_moment(Scene scene,
                                   const std::function<void(Simulation&, int)>& before_step) {
  constexpr int found = 2, wait = 3, frames = 12;
  scene.time.separate_after = wait;
  Simulation later(scene, {.threads = 2});
  scene.time.separate_after = 0;
  Simulation now(scene, {.threads = 2});
  const auto pairs = pairs_across(scene, 0.01);
  for (int frame = 0; frame < frames; ++frame) {
    before_step(later, frame);
    before_step(now, frame);
    if (frame == found) later.separate(0, pairs);
    if (frame == found + wait) now.separate(0, pairs);
    later.step();
    now.step();
    later.check_step();
    now.check_step();
    const std::vector<Vec3> a = positions_of(later), b = positions_of(now);
    ASSERT_EQ(a.size(), b.size()) << frame;
    for (std::size_t i = 0; i < a.size(); ++i) {
      // Newton's method, to rounding. The bars move by more than 1e-3 m in each step.
      for (std::size_t k = 0; k < 3; ++k) ASSERT_NEAR(a[i][k], b[i][k], 1e-9) << frame;
    }
  }
  EXPECT_EQ(num_parts(later), 2);
}

Scene converged_bar() {
  Scene scene = held_bar(0);
  scene.solver = {.method = SolverMethod::newton, .iterations = 50, .tolerance = 1e-10};
  return scene;
}

TEST(SeparatingLater, IsAsIfItCameApartAtThatMoment) {
  expect_same_as_at_that_moment(converged_bar(), [](Simulation&, int) {});
}

TEST(SeparatingLater, WhatChangesMeanwhileHoldsForTheParts) {
  const auto at_frames = [](int first, int last, const std::function<void(Simulation&)>& change) {
    return [=](Simulation& simulation, int frame) {
      if (frame >= first && frame <= last) change(simulation);
    };
  };
  const auto expect_same = [&](const char* what, const std::function<void(Simulation&)>& change) {
    SCOPED_TRACE(what);
    expect_same_as_at_that_moment(converged_bar(), at_frames(3, 4, change));
  };
  expect_same("gravity", [](Simulation& s) { s.set_gravity({0, 5, 3}); });
  expect_same("material", [](Simulation& s) {
    MaterialSettings softer = s.scene().bodies[0].material;
    softer.mu = 2e4;
    s.set_material(0, softer);
  });
  expect_same("pins", [](Simulation& s) {
    s.set_pins(0, {{.box = {{-0.01, -9, -9}, {0.01, 9, 9}}, .stiffness = 3e4}});
  });
  expect_same("colliders",
              [](Simulation& s) { s.set_colliders({{.name = "floor", .shape = PlaneShape{}}}); });
  expect_same("velocity", [](Simulation& s) { s.set_velocity(0, {0, 0, 1}); });
  expect_same("force", [](Simulation& s) { s.add_force(0, {0, 0, 30}); });
  Attachment grips[2];
  int next = 0;
  expect_same_as_at_that_moment(converged_bar(), [&](Simulation& s, int frame) {
    Attachment& grip = grips[next++ % 2];
    const std::vector<int> end{s.num_vertices() - 1};
    const auto place = [&](double z) {
      Vec3 x = held_bar(0).bodies[0].mesh.vertices[80];
      x[2] += z;
      return std::vector<Vec3>{x};
    };
    if (frame == 3) grip = s.attach(0, std::vector<int>{80}, place(0), 1e4);
    if (frame > 3 && frame < 9) s.set_targets(grip, place(0.05 * (frame - 3)));
    if (frame == 9) s.detach(grip);
  });
}

TEST(SeparatingLater, KeepsMomentum) {
  Scene scene = test::free_block("neo_hookean");
  scene.time.separate_after = 2;
  scene.bodies[0].velocity = {1, 0.5, -0.25};
  scene.bodies[0].initial = Stretch{{1.2, 0.9, 1}};
  Simulation simulation(scene, {.threads = 2});
  run(simulation, 2);
  const test::Momentum before = momentum_of(simulation);
  ASSERT_GT(simulation.cut(plane_across(positions_of(simulation)[0][0] + 0.26)), 0);
  run(simulation, 8);
  EXPECT_EQ(num_parts(simulation), 2);
  const test::Momentum after = momentum_of(simulation);
  EXPECT_DOUBLE_EQ(after.mass, before.mass);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(after.linear[k], before.linear[k], 1e-8 * before.mass);
  }
}

TEST(SeparatingLater, WhatIsFoundMeanwhileComesNext) {
  Simulation simulation(held_bar(4), {.threads = 2});
  const Scene whole = held_bar(4);
  const int first = simulation.separate(0, pairs_across(whole, 0.01));
  run(simulation, 2);
  const int second = simulation.separate(0, pairs_across(whole, 0.26));
  EXPECT_EQ(simulation.separate(0, pairs_across(whole, 0.26)), 0) << "known already";
  const std::vector<Separation> separating = simulation.state().separating;
  ASSERT_EQ(separating.size(), at(first + second));
  EXPECT_EQ(separating.front().frame, 4);
  EXPECT_EQ(separating.back().frame, 8);
  std::vector<int> separated;
  for (int frame = 2; frame < 10; ++frame) separated.push_back(simulation.step().separated);
  EXPECT_EQ(separated, (std::vector<int>{0, 0, first, 0, 0, 0, second, 0}));
  EXPECT_EQ(num_parts(simulation), 3);
}

TEST(SeparatingLater, AStateHoldsWhatIsToComeApart) {
  const Scene scene = held_bar(4);
  Simulation simulation(scene, {.threads = 1});
  run(simulation, 1);
  simulation.separate(0, pairs_across(scene, 0.01));
  run(simulation, 1);
  simulation.separate(0, pairs_across(scene, 0.26));
  const std::vector<std::byte> bytes = state_to_bytes(simulation.state());
  run(simulation, 12);
  EXPECT_EQ(num_parts(simulation), 3);
  Simulation other(scene, {.threads = 3});
  other.set_state(state_from_bytes(bytes));
  run(other, 12);
  test::expect_same_bits(simulation, other);
  EXPECT_EQ(simulation.state().separated, other.state().separated);

  const SimulationState good = state_from_bytes(bytes);
  const auto expect_refused = [&](const std::function<void(Separation&)>& edit) {
    SimulationState bad = good;
    edit(bad.separating.front());
    EXPECT_EQ(place_of([&] { other.set_state(bad); }), "separating");
  };
  expect_refused([](Separation& own) { own.body = 1; });
  expect_refused([](Separation& own) { own.first = -1; });
  expect_refused([](Separation& own) { own.second = own.first; });
  expect_refused([](Separation& own) { own.frame = 1; });
  expect_refused([](Separation& own) { own.frame = 1'000'000; });
  test::expect_same_bits(simulation, other);
}

TEST(SeparatingLater, TearsHaveTheSameBitsHoweverTheyRun) {
  Scene scene = held_bar(2);
  scene.bodies[0].pins.push_back(
      {.box = {{0.49, -9, -9}, {9, 9, 9}}, .motion = {.velocity = Vec3{0.5, 0, 0}}});
  scene.bodies[0].tearing = TearingSettings{.stretch = 1.3};
  test::expect_same_bits_however_run(scene, 26, 17);
  scene.bodies[0].tearing.reset();
  scene.blades = {
      {.points = {{0.01, 0.4, -1}, {0.01, 0.4, 1}}, .motion = {.velocity = Vec3{0, -1, 0}}}};
  test::expect_same_bits_however_run(scene, 30, 10);
}

TEST(SeparatingLater, LimitsAreNotLookedForWhileSomethingComesApart) {
  Scene scene = held_bar(3);
  scene.bodies[0].pins.push_back(
      {.box = {{0.49, -9, -9}, {9, 9, 9}}, .motion = {.velocity = Vec3{0.5, 0, 0}}});
  scene.bodies[0].tearing = TearingSettings{.stretch = 1.3};
  Simulation simulation(scene, {.threads = 2});
  std::vector<int> frames;
  for (int frame = 0; frame < 90 && num_parts(simulation) < 2; ++frame) {
    if (simulation.step().separated > 0) frames.push_back(frame);
  }
  EXPECT_GE(num_parts(simulation), 2);
  ASSERT_GT(frames.size(), 1U);
  for (std::size_t i = 1; i < frames.size(); ++i) EXPECT_GT(frames[i], frames[i - 1] + 3);
}

TEST(SeparatingLater, ABladeCutsAllThatItPasses) {
  Scene scene = held_bar(3);
  scene.blades = {
      {.points = {{0.01, 0.4, -1}, {0.01, 0.4, 1}}, .motion = {.velocity = Vec3{0, -1, 0}}}};
  Simulation simulation(scene, {.threads = 2});
  run(simulation, 40);
  EXPECT_EQ(num_parts(simulation), 2);
}

TEST(SeparatingLater, BodiesMayComeAndGoMeanwhile) {
  Scene scene = held_bar(3);
  scene.bodies.push_back(scene.bodies[0]);
  scene.bodies[1].name = "other";
  for (Vec3& x : scene.bodies[1].mesh.vertices) x[1] += 5;
  for (const bool removes_torn : {false, true}) {
    SCOPED_TRACE(removes_torn);
    Simulation simulation(scene, {.threads = 2});
    const int pairs = simulation.separate(1, pairs_across(scene, 0.01));
    ASSERT_GT(pairs, 0);
    run(simulation, 1);
    simulation.remove_body(simulation.handle(removes_torn ? 1 : 0));
    Body more = scene.bodies[0];
    more.name = "more";
    for (Vec3& x : more.mesh.vertices) x[1] -= 5;
    simulation.add_body(more);
    int separated = 0;
    for (int i = 0; i < 6; ++i) {
      const StepReport report = simulation.step();
      simulation.check_step();
      if (report.separated > 0) {
        EXPECT_EQ(i, 2);
      }
      separated += report.separated;
    }
    EXPECT_EQ(separated, removes_torn ? 0 : pairs);
    EXPECT_EQ(num_parts(simulation, 0), removes_torn ? 1 : 2);
    EXPECT_EQ(num_parts(simulation, 1), 1);
  }
}

TEST(SeparatingLater, AChangeOfTheSceneForgetsIt) {
  const Scene scene = held_bar(3);
  for (const int after_frames : {0, 2}) {
    Simulation simulation(scene, {.threads = 2});
    simulation.separate(0, pairs_across(scene, 0.01));
    run(simulation, 1);
    simulation.change(scene, after_frames);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(simulation.step().separated, 0);
    EXPECT_TRUE(simulation.state().separating.empty());
    EXPECT_EQ(num_parts(simulation), 1);
  }
}

TEST(SeparatingLater, RefusesNumbersOutOfRange) {
  for (const int frames : {-1, most_separate_after + 1}) {
    EXPECT_EQ(place_of([&] { Simulation(held_bar(frames)); }), "/time/separate_after");
  }
}

}  // namespace
}  // namespace supple
