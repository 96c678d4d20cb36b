#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "base/index.h"
#include "math/vec3.h"
#include "mesh/separation.h"
#include "sim/test_parts.h"
#include "sim/test_scenes.h"
#include "supple/error.h"
#include "supple/simulation.h"

namespace supple {
namespace {

using test::place_of;
using test::positions_of;
using test::run;

using test::momentum_of;
using test::num_parts;
using test::plane_across;
using test::torn_since;
using test::total;

using Momentum = test::Momentum;
using Triangle = std::array<Vec3, 3>;

/// A bar of a metre in free flight that turns and vibrates.
Scene flying_bar() {
  Scene scene = test::free_block("neo_hookean");
  Body& bar = scene.bodies[0];
  bar.mesh = generate(BoxGenerator{.size = {1, 0.25, 0.25}, .cells = {8, 2, 2}});
  bar.velocity = {1, 0.5, -0.25};
  bar.initial = Stretch{{1.2, 0.9, 1}};
  return scene;
}

/// A sheet of 6 x 6 cells that is held, and whose lower border pins pull down.
Scene pulled_sheet(double stretch) {
  Scene scene{.gravity = {0, 0, 0}};
  Body sheet = test::sheet({.u = {1, 0, 0}, .v = {0, -1, 0}, .cells = {6, 6}});
  sheet.material.mu = 1e4;
  sheet.material.lambda = 1e4;
  sheet.pins = {{.box = {{-9, 0.49, -9}, {9, 9, 9}}},
                {.box = {{-9, -9, -9}, {9, -0.49, 9}}, .motion = {.velocity = Vec3{0, -0.5, 0}}}};
  sheet.tearing = TearingSettings{.stretch = stretch};
  scene.bodies = {sheet};
  return scene;
}

/// A bar that is held at one end and pulled at the other.
Scene pulled_bar(const TearingSettings& tearing) {
  Scene scene = test::free_block("neo_hookean");
  Body& bar = scene.bodies[0];
  bar.mesh = generate(BoxGenerator{.size = {1, 0.25, 0.25}, .cells = {8, 2, 2}});
  bar.pins = {{.box = {{-9, -9, -9}, {-0.49, 9, 9}}},
              {.box = {{0.49, -9, -9}, {9, 9, 9}}, .motion = {.velocity = Vec3{0.5, 0, 0}}}};
  bar.tearing = tearing;
  return scene;
}

TEST(Separations, ACutInFlightKeepsMassMomentumAndEnergy) {
  for (const char* integrator : {"backward_euler", "implicit_midpoint", "bdf2", "newmark"}) {
    SCOPED_TRACE(integrator);
    Scene scene = flying_bar();
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    Simulation simulation(scene, {.threads = 2});
    run(simulation, 3);
    const Momentum before = momentum_of(simulation);
    const Energies energies = simulation.energies();
    const int vertices = simulation.num_vertices();
    EXPECT_GT(simulation.cut(plane_across(positions_of(simulation)[0][0] + 0.5)), 0);
    EXPECT_GT(simulation.num_vertices(), vertices);
    EXPECT_EQ(num_parts(simulation), 2);
    const Momentum after = momentum_of(simulation);
    EXPECT_DOUBLE_EQ(after.mass, before.mass);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(after.linear[k], before.linear[k], 1e-12 * before.mass);
      EXPECT_NEAR(after.angular[k], before.angular[k], 1e-12 * before.mass);
    }
    EXPECT_NEAR(simulation.energies().kinetic, energies.kinetic, 1e-12 * energies.kinetic);
    EXPECT_NEAR(simulation.energies().elastic, energies.elastic, 1e-12 * energies.elastic);
    run(simulation, 10);
    const Momentum later = momentum_of(simulation);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(later.linear[k], before.linear[k], 1e-8 * before.mass);
    }
  }
}

TEST(Separations, APartialCutLeavesOnePartAndASecondStrokeFinishesIt) {
  Simulation simulation(flying_bar(), {.threads = 1});
  const std::vector<Triangle> half = plane_across(0.05, 0.0);
  EXPECT_GT(simulation.cut(half), 0);
  EXPECT_EQ(num_parts(simulation), 1);
  run(simulation, 2);
  const double x = positions_of(simulation)[0][0] - flying_bar().bodies[0].mesh.vertices[0][0];
  EXPECT_GT(simulation.cut(plane_across(0.05 + x)), 0);
  EXPECT_EQ(num_parts(simulation), 2);
  EXPECT_EQ(simulation.cut(plane_across(50)), 0) << "nothing is there";
}

TEST(Separations, HalvesFallApart) {
  Scene scene = test::free_block("neo_hookean");
  scene.gravity = {0, -9.81, 0};
  Body& bar = scene.bodies[0];
  bar.mesh = generate(BoxGenerator{.size = {1, 0.25, 0.25}, .cells = {8, 2, 2}});
  bar.pins = {{.box = {{-9, -9, -9}, {-0.49, 9, 9}}}};
  Simulation simulation(scene, {.threads = 1});
  simulation.cut(plane_across(0.1));
  run(simulation, 30);
  const std::vector<Vec3> x = positions_of(simulation);
  const std::vector<Vec3>& rest = simulation.scene().bodies[0].mesh.vertices;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (rest[i][0] < -0.3) {
      EXPECT_GT(x[i][1], -0.5) << "held";
    } else if (rest[i][0] > 0.3) {
      EXPECT_LT(x[i][1], -3) << "falls for a second";
    }
  }
}

TEST(Separations, PartsRestOnEachOtherWhereABodyTouchesItself) {
  for (const double slope : {0.0, 0.2}) {
    Scene scene = test::free_block("stable_neo_hookean");
    scene.gravity = {0, -9.81, 0};
    scene.contact = {.friction = 0.5, .self = true};
    scene.solver.iterations = 20;
    Body& block = scene.bodies[0];
    block.mesh = generate(BoxGenerator{.size = {1, 1, 1}, .cells = {5, 5, 5}});
    block.pins = {{.box = {{-9, -9, -9}, {9, -0.49, 9}}}};
    Simulation simulation(scene, {.threads = 1});
    run(simulation, 3);
    const Energies before = simulation.energies();
    const std::vector<Triangle> cut{
        {Vec3{-9, 0.03 - 9 * slope, -9}, Vec3{9, 0.03 + 9 * slope, -9}, Vec3{0, 0.03, 30}}};
    ASSERT_GT(simulation.cut(cut), 0);
    EXPECT_EQ(num_parts(simulation), 2);
    EXPECT_NEAR(total(simulation.energies()), total(before), 2e-3 * std::abs(total(before)));
    for (int frame = 0; frame < 45; ++frame) {
      const StepReport report = simulation.step();
      EXPECT_EQ(report.overlaps, 0);
    }
    const std::vector<Vec3> x = positions_of(simulation);
    const std::vector<Vec3>& rest = simulation.scene().bodies[0].mesh.vertices;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (rest[i][1] > 0.49) {
        EXPECT_GT(x[i][1], 0.35) << "the upper half lies on the lower one";
      }
    }
  }
}

TEST(Separations, SeparatesPairsThatAreNamed) {
  Simulation simulation(flying_bar(), {.threads = 1});
  const std::vector<std::array<int, 4>> tets = simulation.scene().bodies[0].mesh.tets;
  std::vector<std::array<int, 2>> all;
  for (const auto& [a, b] : joined_elements<4>(tets)) all.push_back({b, a});
  EXPECT_EQ(simulation.separate(0, all), static_cast<int>(all.size()));
  EXPECT_EQ(simulation.num_vertices(), 4 * static_cast<int>(tets.size()));
  EXPECT_EQ(place_of([&] { simulation.separate(0, all); }), "elements") << "they are apart";
  run(simulation, 2);
}

TEST(Separations, BodiesThatAreNotCutGoOnWithTheSameBits) {
  Scene scene = flying_bar();
  scene.bodies.push_back(scene.bodies[0]);
  scene.bodies[1].name = "other";
  for (Vec3& x : scene.bodies[1].mesh.vertices) x[1] += 5;
  Simulation cut(scene, {.threads = 1}), whole(scene, {.threads = 1});
  run(cut, 2);
  run(whole, 2);
  const std::vector<int> first{0};
  ASSERT_GT(cut.cut(plane_across(positions_of(cut)[0][0] + 0.5), first), 0);
  EXPECT_EQ(num_parts(cut, 0), 2);
  EXPECT_EQ(num_parts(cut, 1), 1);
  run(cut, 3);
  run(whole, 3);
  const std::vector<Vec3> a = positions_of(cut), b = positions_of(whole);
  const std::size_t n = scene.bodies[1].mesh.vertices.size();
  EXPECT_EQ(std::vector<Vec3>(a.end() - static_cast<std::ptrdiff_t>(n), a.end()),
            std::vector<Vec3>(b.end() - static_cast<std::ptrdiff_t>(n), b.end()));
}

TEST(Separations, AStateHoldsWhatCameApart) {
  Simulation simulation(flying_bar(), {.threads = 1});
  const SimulationState start = simulation.state();
  run(simulation, 2);
  const double x = positions_of(simulation)[0][0];
  simulation.cut(plane_across(x + 0.5, 0));
  run(simulation, 2);
  simulation.cut(plane_across(positions_of(simulation)[0][0] + 0.5));
  const SimulationState torn = simulation.state();
  run(simulation, 3);

  Simulation other(flying_bar(), {.threads = 3});
  other.set_state(torn);
  run(other, 3);
  test::expect_same_bits(simulation, other);
  EXPECT_EQ(simulation.scene().bodies[0].mesh.tets, other.scene().bodies[0].mesh.tets);

  other.set_state(start);
  EXPECT_EQ(num_parts(other), 1) << "whole again";
  Simulation fresh(flying_bar(), {.threads = 1});
  run(other, 3);
  run(fresh, 3);
  test::expect_same_bits(fresh, other);

  SimulationState bad = torn;
  bad.separated[0].body = 7;
  EXPECT_EQ(place_of([&] { other.set_state(bad); }), "separated");
  bad = torn;
  bad.separated[0].second = 100'000;
  EXPECT_EQ(place_of([&] { other.set_state(bad); }), "separated");
  bad = torn;
  bad.separated.push_back(bad.separated.back());
  bad.separated.back().event += 1;
  EXPECT_EQ(place_of([&] { other.set_state(bad); }), "separated");
  bad = torn;
  bad.separated.clear();
  EXPECT_NE(place_of([&] { other.set_state(bad); }), "nothing") << "sizes are others";
  test::expect_same_bits(fresh, other);
}

TEST(Separations, PinsShareTheirStiffness) {
  Scene scene = test::free_block("neo_hookean");
  scene.bodies[0].pins = {{.box = {{-9, 0.2, -9}, {9, 9, 9}}, .stiffness = 1e4}};
  scene.gravity = {0, -9.81, 0};
  Simulation simulation(scene, {.threads = 1});
  run(simulation, 5);
  const Energies before = simulation.energies();
  ASSERT_GT(before.pins, 0);
  ASSERT_GT(simulation.cut(plane_across(0.01)), 0);
  EXPECT_NEAR(simulation.energies().pins, before.pins, 1e-12 * before.pins);
  double sum = 0;
  for (const Pin& pin : simulation.scene().bodies[0].pins) {
    sum += pin.stiffness * static_cast<double>(pin.vertices.size());
  }
  EXPECT_DOUBLE_EQ(sum, 16 * 1e4) << "of 4 x 4 vertices";
  run(simulation, 5);
}

TEST(Separations, AttachmentsAndForcesFollow) {
  Scene scene = test::free_block("neo_hookean");
  Simulation simulation(scene, {.threads = 1});
  const int tet = 40;
  const std::array<double, 4> weights{0.25, 0.25, 0.25, 0.25};
  const auto middle = [&] {
    Vec3 sum{0, 0, 0};
    const std::vector<Vec3> x = positions_of(simulation);
    for (const int v : simulation.scene().bodies[0].mesh.tets[tet]) {
      for (std::size_t k = 0; k < 3; ++k) sum[k] += 0.25 * x[at(v)][k];
    }
    return sum;
  };
  const Vec3 held = middle();
  const Attachment grip = simulation.attach(tet, weights, held, 1e5);
  simulation.add_force(0, {0, 0, 30});
  std::vector<std::array<int, 2>> all;
  for (const auto& [a, b] : joined_elements<4>(scene.bodies[0].mesh.tets)) all.push_back({a, b});
  simulation.separate(0, all);
  // Each tet gains what its weight of the force gives it, whichever copies it has now.
  run(simulation, 1);
  const std::vector<Vec3> x = positions_of(simulation);
  const double h = scene.time.step, mass = scene.bodies[0].density * 0.125;
  for (std::size_t t = 0; t < scene.bodies[0].mesh.tets.size(); ++t) {
    for (const int v : simulation.scene().bodies[0].mesh.tets[t]) {
      const double way = x[at(v)][2] - simulation.scene().bodies[0].mesh.vertices[at(v)][2];
      if (t != at(tet)) {
        EXPECT_NEAR(way, h * h * 30 / mass, 1e-6);
      }
    }
  }
  for (int i = 0; i < 10; ++i) simulation.step();
  const Vec3 there = middle();
  EXPECT_LT(std::abs(there[2] - held[2]), 0.01) << "the tet is held, the others fly";
  EXPECT_LT(std::abs(simulation.force(grip)[2]), 100);
}

TEST(Separations, ASheetThatIsPulledTooFarTearsInTwo) {
  Simulation simulation(pulled_sheet(1.4), {.threads = 2});
  int separated = 0, largest = 0;
  double energy = total(simulation.energies());
  for (int frame = 0; frame < 90 && num_parts(simulation) < 2; ++frame) {
    const SimulationState before = simulation.state();
    const StepReport report = simulation.step();
    ASSERT_NE(report.status, StepStatus::non_finite);
    ASSERT_NE(report.status, StepStatus::failed);
    separated += report.separated;
    largest = std::max(largest, report.separated);
    energy = total(simulation.energies());
  }
  EXPECT_GE(num_parts(simulation), 2);
  EXPECT_GT(separated, 6);
  EXPECT_TRUE(std::isfinite(energy));
  EXPECT_EQ(simulation.scene().bodies[0].triangles.size(), 72U);
}

TEST(Separations, ABarTearsByStretchAndByStress) {
  for (const TearingSettings& tearing :
       {TearingSettings{.stretch = 1.5}, TearingSettings{.stress = 6e4}}) {
    SCOPED_TRACE(tearing.stretch ? "stretch" : "stress");
    Simulation simulation(pulled_bar(tearing), {.threads = 2});
    int first = 0;
    for (int frame = 1; frame <= 90 && num_parts(simulation) < 2; ++frame) {
      const StepReport report = simulation.step();
      ASSERT_NE(report.status, StepStatus::non_finite);
      if (report.separated > 0 && first == 0) first = frame;
    }
    EXPECT_GT(first, 10) << "not before it is stretched";
    EXPECT_GE(num_parts(simulation), 2);
  }
}

TEST(Separations, TearsHaveTheSameBitsHoweverTheyRun) {
  test::expect_same_bits_however_run(pulled_sheet(1.2), 30, 10);
  test::expect_same_bits_however_run(pulled_bar({.stretch = 1.3}), 22, 8);
  Scene scene = pulled_bar({.stress = 4e4});
  scene.solver.method = SolverMethod::xpbd;
  scene.bodies[0].material = test::soft_material("stable_neo_hookean");
  test::expect_same_bits_however_run(scene, 22, 8);
}

TEST(Separations, ABladeCutsWhatItPasses) {
  Scene scene = test::free_block("neo_hookean");
  // The blade crosses the block in half a second.
  scene.blades = {
      {.points = {{0.02, 0.6, -1}, {0.02, 0.6, 1}}, .motion = {.velocity = Vec3{0, -2.4, 0}}}};
  Simulation simulation(scene, {.threads = 1});
  for (int frame = 0; frame < 8; ++frame) simulation.step();
  EXPECT_EQ(num_parts(simulation), 1) << "it is at 0 m";
  EXPECT_GT(simulation.num_vertices(), 64);
  for (int frame = 0; frame < 8; ++frame) simulation.step();
  EXPECT_EQ(num_parts(simulation), 2);
  // A triangle that stands still cuts at once.
  scene.blades = {{.points = {{0.02, -9, -9}, {0.02, 9, -9}, {0.02, 0, 20}}}};
  Simulation standing(scene, {.threads = 1});
  EXPECT_GT(standing.step().separated, 0);
  EXPECT_EQ(num_parts(standing), 2);
  EXPECT_EQ(standing.step().separated, 0);
  // A blade that cuts only others does not.
  scene.blades[0].cuts = std::vector<std::string>{};
  Simulation other(scene, {.threads = 1});
  EXPECT_EQ(other.step().separated, 0);
}

TEST(Separations, ABladeCutsWhatMovesPastIt) {
  for (const char* integrator : {"backward_euler", "bdf2", "newmark"}) {
    SCOPED_TRACE(integrator);
    Scene scene = test::free_block("neo_hookean");
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    // The block flies through a standing blade and overtakes a moving one.
    scene.bodies[0].velocity = {0, 2, 0};
    scene.blades = {{.points = {{0.02, 0.6, -1}, {0.02, 0.6, 1}}}};
    Simulation standing(scene, {.threads = 1});
    for (int frame = 0; frame < 30; ++frame) standing.step();
    EXPECT_EQ(num_parts(standing), 2);
    scene.blades[0].motion.velocity = Vec3{0, 0.5, 0};
    Simulation moving(scene, {.threads = 1});
    for (int frame = 0; frame < 30; ++frame) moving.step();
    EXPECT_EQ(num_parts(moving), 2);
    // A blade that flies along with it never meets it.
    scene.blades[0].motion.velocity = Vec3{0, 2, 0};
    Simulation along(scene, {.threads = 1});
    for (int frame = 0; frame < 30; ++frame) EXPECT_EQ(along.step().separated, 0);
  }
}

TEST(Separations, ATurningBladeSweepsASector) {
  Scene scene = test::free_block("neo_hookean");
  scene.blades = {{.points = {{-1, 0.01, 0}, {1, 0.01, 0}},
                   .motion = {.rotate = Rotation{.axis = {0, 1, 0}, .degrees_per_second = 720}}}};
  Simulation simulation(scene, {.threads = 1});
  for (int frame = 0; frame < 9; ++frame) simulation.step();
  EXPECT_EQ(num_parts(simulation), 2) << "half a turn cuts all";
}

TEST(Separations, BodiesComeAndGoAroundACut) {
  Scene scene = flying_bar();
  scene.contact.bodies = false;
  scene.bodies[0].name = "bar";
  Simulation simulation(scene, {.threads = 1});
  Body second = scene.bodies[0];
  second.name = "second";
  simulation.add_body(second);
  const std::vector<int> own{1};
  simulation.cut(plane_across(0.05), own);
  EXPECT_EQ(num_parts(simulation, 1), 2);
  run(simulation, 2);
  simulation.remove_body(simulation.handle(0));
  EXPECT_EQ(num_parts(simulation, 0), 2);
  ASSERT_FALSE(simulation.state().separated.empty());
  EXPECT_EQ(simulation.state().separated[0].body, 0);
  const SimulationState state = simulation.state();
  run(simulation, 2);
  simulation.set_state(state);
  run(simulation, 2);
}

TEST(Separations, RefusesWhatCannotComeApart) {
  const auto place = [](const auto& edit) {
    Scene scene = test::free_block("neo_hookean");
    edit(scene);
    return place_of([&] { Simulation simulation(scene); });
  };
  const auto tears = [](Scene& scene, const TearingSettings& tearing) {
    scene.bodies[0].tearing = tearing;
  };
  const std::string where = "/bodies/0/tearing";
  EXPECT_EQ(place([&](Scene& s) { tears(s, {}); }), where);
  EXPECT_EQ(place([&](Scene& s) { tears(s, {.stretch = 1}); }), where + "/stretch");
  EXPECT_EQ(place([&](Scene& s) { tears(s, {.stretch = NAN}); }), where + "/stretch");
  EXPECT_EQ(place([&](Scene& s) { tears(s, {.stress = -1}); }), where + "/stress");
  EXPECT_EQ(place([&](Scene& s) { tears(s, {.stretch = 2, .per_frame = 0}); }),
            where + "/per_frame");
  EXPECT_EQ(place([&](Scene& s) {
              tears(s, {.stress = 1e5});
              s.solver.method = SolverMethod::pbd;
            }),
            where + "/stress");
  EXPECT_EQ(place([&](Scene& s) {
              tears(s, {.stretch = 2});
              s.time.integrator = TimeIntegrator::quasi_static;
            }),
            where);
  EXPECT_EQ(place([&](Scene& s) {
              tears(s, {.stretch = 2});
              s.contact = {.self = true, .mode = ContactMode::barrier};
            }),
            where);
  EXPECT_EQ(place([&](Scene& s) {
              s.bodies[0] = test::cloth_body();
              tears(s, {.stress = 1e5});
            }),
            where + "/stress");
  EXPECT_EQ(place([&](Scene& s) {
              s.bodies[0] = test::cloth_body();
              s.bodies[0].triangles.clear();
              tears(s, {.stretch = 2});
            }),
            where)
      << "springs alone";
  EXPECT_EQ(place([&](Scene& s) {
              s = pulled_sheet(2);
              tears(s, {.stress = 1e5});
            }),
            where + "/stress");
  EXPECT_EQ(place([](Scene& s) { s.blades = {{.points = {{0, 0, 0}}}}; }), "/blades/0");
  EXPECT_EQ(place([](Scene& s) {
              s.blades = {{.points = {{0, 0, 0}, {0, 0, 0}}}};
            }),
            "/blades/0/segment");
  EXPECT_EQ(place([](Scene& s) {
              s.blades = {{.points = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}}};
            }),
            "/blades/0/triangle");
  EXPECT_EQ(
      place([](Scene& s) {
        s.blades = {{.points = {{0, 0, 0}, {1, 0, 0}}, .cuts = std::vector<std::string>{"x"}}};
      }),
      "/blades/0/cuts/0");
  EXPECT_EQ(place([](Scene& s) {
              s.bodies.push_back(test::cloth_body());
              s.bodies[1].triangles.clear();
              s.blades = {{.points = {{0, 0, 0}, {1, 0, 0}}}};
            }),
            "/blades/0");
  Simulation simulation(test::free_block("neo_hookean"));
  const std::vector<Triangle> line{{Vec3{0, 0, 0}, Vec3{1, 1, 1}, Vec3{2, 2, 2}}};
  EXPECT_EQ(place_of([&] { simulation.cut(line); }), "triangles[0]");
  const std::vector<Triangle> none{{Vec3{0, 0, 0}, Vec3{1, NAN, 1}, Vec3{2, 2, 2}}};
  EXPECT_EQ(place_of([&] { simulation.cut(none); }), "triangles[0]");
  const std::vector<int> absent{3};
  EXPECT_EQ(place_of([&] { simulation.cut(plane_across(0), absent); }), "/bodies");
  const std::vector<std::array<int, 2>> far{{0, 100}}, self{{0, 0}}, beyond{{-1, 5}};
  for (const auto& pairs : {far, self, beyond}) {
    EXPECT_EQ(place_of([&] { simulation.separate(0, pairs); }), "elements");
  }
  simulation.change(simulation.scene(), 5);
  EXPECT_EQ(place_of([&] { simulation.cut(plane_across(0)); }), "change");
}

TEST(Separations, EnergyNeverRisesByATear) {
  Scene scene = pulled_bar({.stretch = 1.3, .per_frame = 1});
  scene.bodies[0].mesh = generate(BoxGenerator{.size = {1, 0.25, 0.25}, .cells = {8, 4, 4}});
  Simulation simulation(scene, {.threads = 1});
  int tears = 0;
  for (int frame = 0; frame < 40; ++frame) {
    const SimulationState before = simulation.state();
    const Energies energies = simulation.energies();
    simulation.step();
    const SimulationState after = simulation.state();
    if (after.separated.size() == before.separated.size()) continue;
    ++tears;
    Simulation torn(scene, {.threads = 1});
    torn_since(before, after, torn);
    const Energies there = torn.energies();
    EXPECT_LE(total(there), total(energies) * (1 + 1e-12));
    EXPECT_EQ(torn.state().separated.size(), after.separated.size());
  }
  EXPECT_GT(tears, 2);
  EXPECT_GE(num_parts(simulation), 2);
}

TEST(Separations, FoldsStayInWhatIsLeftOfThem) {
  for (const bool by_box : {false, true}) {
    // A flat sheet with a fold of 60 degrees along its third column at rest.
    Scene scene = test::folded_membrane("neo_hookean");
    scene.gravity = {0, 0, 0};
    scene.bodies[0].pins.clear();
    if (by_box) scene.bodies[0].folds[0].select = {.box = {{-0.15, -1, -1}, {-0.05, 1, 1}}};
    Simulation simulation(scene, {.threads = 1});
    const SimulationState start = simulation.state();
    const double energy = simulation.energies().elastic;
    ASSERT_GT(energy, 0);
    // A cut across the fold loses none of its edges: z = 0 is a border of cells.
    const std::vector<Triangle> across{{Vec3{-9, -9, 0.01}, Vec3{9, -9, 0.01}, Vec3{0, 30, 0.01}}};
    ASSERT_GT(simulation.cut(across), 0);
    EXPECT_EQ(num_parts(simulation), 2);
    EXPECT_NEAR(simulation.energies().elastic, energy, 1e-12 * energy);
    run(simulation, 5);
    simulation.set_state(start);
    // A cut along the fold loses half of its four edges, then all.
    for (const double low : {0.01, -9.0}) {
      const std::vector<Triangle> along{
          {Vec3{-0.1, -9, low}, Vec3{-0.1, 9, low}, Vec3{-0.1, 0, 30}}};
      ASSERT_GT(simulation.cut(along), 0);
      const double left = low > 0 ? 0.5 * energy : 0;
      EXPECT_NEAR(simulation.energies().elastic, left, 1e-12 * energy);
    }
    EXPECT_TRUE(simulation.scene().bodies[0].folds.empty());
    run(simulation, 5);
    simulation.set_state(start);
    ASSERT_EQ(simulation.scene().bodies[0].folds.size(), 1U);
    EXPECT_EQ(simulation.scene().bodies[0].folds[0].select.vertices,
              scene.bodies[0].folds[0].select.vertices);
    EXPECT_DOUBLE_EQ(simulation.energies().elastic, energy);
  }
}

/// A balloon of 10 cm that gas inflates until it bursts: a membrane, or springs.
Scene bursting_balloon(bool has_springs) {
  Scene scene{.time = {.step = 1.0 / 60}, .gravity = {0, 0, 0}};
  const SpringMesh mesh = generate(IcosphereGenerator{.radius = 0.1, .subdivisions = 2});
  Body body{.density = 0.5};
  body.mesh.vertices = mesh.vertices;
  body.triangles = mesh.triangles;
  body.velocity = {1, 0, 0};
  if (has_springs) {
    body.springs = make_springs(mesh, {.stiffness = 300});
  } else {
    body.membrane = MembraneSettings{.thickness = 5e-4, .bending = 0.0};
    body.material = {.model = "neo_hookean", .mu = 3e5, .lambda = 6e5};
  }
  body.pressure = PressureSettings{.ambient = 1e5};
  body.pressure->pressure.keyframes = {{0, 1e5}, {1, 2.5e5}};
  body.tearing = TearingSettings{.stretch = 1.2};
  scene.bodies = {body};
  scene.solver.iterations = 30;
  return scene;
}

TEST(Separations, ABalloonThatBurstsHasNoPressureAnyMore) {
  for (const bool has_springs : {false, true}) {
    SCOPED_TRACE(has_springs ? "springs" : "membrane");
    const Scene scene = bursting_balloon(has_springs);
    Simulation simulation(scene, {.threads = 2}), torn(scene, {.threads = 1});
    const SimulationState start = simulation.state();
    int burst = 0;
    for (int frame = 1; frame <= 60; ++frame) {
      const SimulationState before = simulation.state();
      const Momentum momentum = momentum_of(simulation);
      const Energies energies = simulation.energies();
      const StepReport report = simulation.step();
      ASSERT_NE(report.status, StepStatus::non_finite);
      if (burst == 0 && report.separated > 0) {
        burst = frame;
        torn_since(before, simulation.state(), torn);
        const Momentum then = momentum_of(torn);
        EXPECT_DOUBLE_EQ(then.mass, momentum.mass);
        for (std::size_t k = 0; k < 3; ++k) {
          EXPECT_NEAR(then.linear[k], momentum.linear[k], 1e-13 * momentum.mass);
        }
        EXPECT_NEAR(torn.energies().elastic, energies.elastic, 1e-12 * energies.elastic);
        EXPECT_LT(energies.pressure, 0);
        EXPECT_EQ(torn.energies().pressure, 0);
      }
      EXPECT_EQ(simulation.scene().bodies[0].pressure.has_value(), burst == 0);
      if (frame > 1) {
        EXPECT_EQ(simulation.energies().pressure < 0, burst == 0);
      }
    }
    EXPECT_GT(burst, 3);
    // Evenly inflated, it has no momentum but that of its flight, and gas has no more to give.
    const Momentum last = momentum_of(simulation);
    EXPECT_NEAR(last.linear[0], last.mass, 1e-6 * last.mass);
    simulation.set_state(start);
    ASSERT_TRUE(simulation.scene().bodies[0].pressure);
    Simulation fresh(scene, {.threads = 1});
    run(simulation, 5);
    run(fresh, 5);
    test::expect_same_bits(simulation, fresh);
    test::expect_same_bits_however_run(scene, burst + 2, 5);
    test::expect_same_bits_however_run(scene, burst - 2, 5);
  }
}

TEST(Separations, ABalloonThatIsClosedStillKeepsItsPressure) {
  Simulation simulation(bursting_balloon(false), {.threads = 1});
  const auto pairs = joined_elements<3>(simulation.scene().bodies[0].triangles);
  // Opening one edge of a closed surface opens neither of its ends.
  const std::vector<std::array<int, 2>> one{{pairs[0].first, pairs[0].second}};
  EXPECT_EQ(simulation.separate(0, one), 1);
  EXPECT_TRUE(simulation.scene().bodies[0].pressure);
  run(simulation, 2);
  EXPECT_LT(simulation.energies().pressure, 0);
  EXPECT_GT(simulation.cut(plane_across(positions_of(simulation)[0][0], -9)), 0);
  EXPECT_FALSE(simulation.scene().bodies[0].pressure);
  EXPECT_EQ(simulation.energies().pressure, 0);
}

/// A block of 7 x 7 x 7 cells without the one in the middle, with pressure in the hollow or in all
/// that its outer surface encloses.
Scene hollow_block(PressureSurface surface) {
  Scene scene = test::free_block("neo_hookean");
  Body& block = scene.bodies[0];
  block.mesh = generate(BoxGenerator{.size = {7, 7, 7}, .cells = {7, 7, 7}});
  std::erase_if(block.mesh.tets, [&](const std::array<int, 4>& tet) {
    return std::all_of(tet.begin(), tet.end(), [&](int v) {
      const Vec3& x = block.mesh.vertices[at(v)];
      return std::abs(x[0]) < 0.6 && std::abs(x[1]) < 0.6 && std::abs(x[2]) < 0.6;
    });
  });
  block.pressure = PressureSettings{.ambient = 1e5, .surface = surface};
  block.pressure->pressure.keyframes = {{0, 1.2e5}};
  return scene;
}

/// Pairs of tets on both sides of the plane x = 1.5 and within the given distances from the axis.
std::vector<std::array<int, 2>> crack(const TetMesh& mesh, double from, double to) {
  std::vector<std::array<int, 2>> pairs;
  for (const auto& [a, b] : joined_elements<4>(mesh.tets)) {
    const auto middle = [&](int tet) {
      using namespace vec3;
      Vec3 sum{0, 0, 0};
      for (const int v : mesh.tets[at(tet)]) sum = sum + 0.25 * mesh.vertices[at(v)];
      return sum;
    };
    const Vec3 x = middle(a), y = middle(b);
    const double far = std::max({std::abs(x[1]), std::abs(x[2]), std::abs(y[1]), std::abs(y[2])});
    if ((x[0] < 1.5) != (y[0] < 1.5) && far > from && far < to) pairs.push_back({a, b});
  }
  return pairs;
}

TEST(Separations, PressureInTetsEndsWhereItsSurfaceOpens) {
  for (const PressureSurface surface : {PressureSurface::cavities, PressureSurface::outer}) {
    SCOPED_TRACE(to_string(surface));
    const Scene scene = hollow_block(surface);
    Simulation simulation(scene, {.threads = 2});
    run(simulation, 2);
    const SimulationState start = simulation.state();
    const int whole = simulation.num_vertices();
    // A crack between the hollow and the outside, which touches neither.
    ASSERT_GT(simulation.separate(0, crack(scene.bodies[0].mesh, 0, 2.4)), 0);
    EXPECT_GT(simulation.num_vertices(), whole);
    const double before = simulation.energies().pressure;
    EXPECT_LT(before, 0);
    run(simulation, 3);
    EXPECT_LT(simulation.energies().pressure, before) << "it goes on inflating";
    // The same crack, out to the surface of the block.
    ASSERT_GT(simulation.separate(0, crack(scene.bodies[0].mesh, 2.4, 9)), 0);
    EXPECT_EQ(num_parts(simulation), 2);
    const bool is_outer = surface == PressureSurface::outer;
    EXPECT_EQ(simulation.energies().pressure == 0, is_outer);
    EXPECT_EQ(simulation.scene().bodies[0].pressure.has_value(), !is_outer);
    run(simulation, 2);
    // Through the hollow.
    ASSERT_GT(simulation.cut(plane_across(positions_of(simulation)[0][0] + 3.5)), 0);
    EXPECT_EQ(simulation.energies().pressure, 0);
    run(simulation, 2);
    const SimulationState end = simulation.state();
    Simulation other(scene, {.threads = 1});
    other.set_state(end);
    run(other, 2);
    run(simulation, 2);
    test::expect_same_bits(simulation, other);
    other.set_state(start);
    EXPECT_LT(other.energies().pressure, 0) << "whole again";
  }
}

}  // namespace
}  // namespace supple
