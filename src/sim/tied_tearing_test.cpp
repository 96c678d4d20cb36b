#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "base/index.h"
#include "sim/test_parts.h"
#include "sim/test_scenes.h"
#include "supple/simulation.h"

/// Bodies that are tied or sewn to each other, and come apart.
namespace supple {
namespace {

using test::momentum_of;
using test::num_parts;
using test::plane_across;
using test::positions_of;
using test::run;
using test::total;

/// Two blocks in flight, one above the other, tied where they meet. The upper one is stretched.
Scene tied_blocks(double stiffness = 0) {
  Scene scene = test::free_block("neo_hookean");
  Body& lower = scene.bodies[0];
  lower.name = "lower";
  lower.mesh = generate(BoxGenerator{.size = {1, 0.25, 0.25}, .cells = {8, 2, 2}});
  scene.bodies.push_back(lower);
  Body& upper = scene.bodies[1];
  upper.name = "upper";
  for (Vec3& x : upper.mesh.vertices) x[1] += 0.25;
  upper.initial = Stretch{{1, 1.3, 1}};
  lower.velocity = upper.velocity = {1, 0.5, -0.25};
  scene.bonds = {{.body = "upper",
                  .select = {.box = {{-9, 0.124, -9}, {9, 0.126, 9}}},
                  .to = "lower",
                  .stiffness = stiffness}};
  return scene;
}

/// Two sheets side by side, sewn together by springs that close in a second.
Scene sewn_sheets() {
  Scene scene{.gravity = {0, -9.81, 0}};
  Body sheet = test::sheet({.u = {1, 0, 0}, .v = {0, -1, 0}, .cells = {6, 6}});
  sheet.name = "left";
  sheet.material.mu = sheet.material.lambda = 1e4;
  scene.bodies = {sheet, sheet};
  Body& right = scene.bodies[1];
  right.name = "right";
  for (Vec3& x : right.mesh.vertices) x[0] += 1.1;
  scene.bodies[0].pins = {{.box = {{-9, 0.49, -9}, {9, 9, 9}}}};
  scene.seams = {{.a = {.body = "left", .select = {.box = {{0.49, -9, -9}, {0.51, 9, 9}}}},
                  .b = {.body = "right", .select = {.box = {{0.59, -9, -9}, {0.61, 9, 9}}}},
                  .close = 1}};
  return scene;
}

test::Momentum momentum_of_all(const Simulation& simulation) {
  test::Momentum sum;
  const Scene& scene = simulation.scene();
  const std::vector<Vec3> x = positions_of(simulation);
  std::vector<Vec3> v(x.size());
  simulation.copy_velocities({v[0].data(), 3 * v.size()});
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    const std::size_t first = at(simulation.body_vertices()[b]);
    for (const auto& tet : body.mesh.tets) {
      const double m = body.density * test::measure(body.mesh.vertices, tet) / 4;
      for (const int i : tet) {
        const Vec3 &p = x[first + at(i)], &u = v[first + at(i)];
        sum.mass += m;
        for (std::size_t k = 0; k < 3; ++k) {
          const std::size_t c = (k + 1) % 3, d = (k + 2) % 3;
          sum.linear[k] += m * u[k];
          sum.angular[k] += m * (p[c] * u[d] - p[d] * u[c]);
        }
      }
    }
  }
  return sum;
}

void expect_same_momentum(const test::Momentum& a, const test::Momentum& b, double tolerance) {
  EXPECT_NEAR(a.mass, b.mass, 1e-12 * a.mass);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(a.linear[k], b.linear[k], tolerance * a.mass);
    EXPECT_NEAR(a.angular[k], b.angular[k], tolerance * a.mass);
  }
}

TEST(TiedTearing, ACutThroughBothKeepsMomentumAndAddsNoEnergy) {
  for (const double stiffness : {0.0, 2e4}) {
    SCOPED_TRACE(stiffness);
    Scene scene = tied_blocks(stiffness);
    scene.time.integrator = TimeIntegrator::backward_euler;
    Simulation simulation(scene, {.threads = 2});
    run(simulation, 1);
    const test::Momentum before = momentum_of_all(simulation);
    const Energies energies = simulation.energies();
    ASSERT_GT(energies.pins, 1e-4 * energies.elastic) << "the bonds are stretched";
    const double middle = positions_of(simulation)[0][0] + 0.5;
    ASSERT_GT(simulation.cut(plane_across(middle)), 0);
    EXPECT_EQ(num_parts(simulation, 0), 2);
    EXPECT_EQ(num_parts(simulation, 1), 2);
    expect_same_momentum(momentum_of_all(simulation), before, 1e-12);
    EXPECT_NEAR(simulation.energies().elastic, energies.elastic, 1e-12 * energies.elastic);
    EXPECT_NEAR(simulation.energies().pins, energies.pins, 1e-9 * energies.pins);
    run(simulation, 20);
    test::Momentum flown = momentum_of_all(simulation);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(flown.linear[k], before.linear[k], 1e-8 * before.mass);
    }
    // Each half of the upper block is still on its half of the lower one.
    const std::vector<Vec3> x = positions_of(simulation);
    const std::size_t first = at(simulation.body_vertices()[1]);
    const std::vector<Vec3>& rest = simulation.scene().bodies[1].mesh.vertices;
    const std::vector<Vec3>& below = simulation.scene().bodies[0].mesh.vertices;
    double farthest = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (std::abs(rest[i][1] - 0.125) > 1e-6) continue;
      double nearest = 9;
      for (std::size_t j = 0; j < below.size(); ++j) {
        nearest = std::min(nearest, std::hypot(x[first + i][0] - x[j][0], x[first + i][1] - x[j][1],
                                               x[first + i][2] - x[j][2]));
      }
      farthest = std::max(farthest, nearest);
    }
    EXPECT_LT(farthest, 0.02) << "a quarter of an edge";
  }
}

TEST(TiedTearing, EachElementKeepsItsShareOfABond) {
  const Scene scene = tied_blocks(2e4);
  Simulation simulation(scene, {.threads = 1});
  run(simulation, 3);
  const Energies before = simulation.energies();
  for (const int body : {1, 0}) {
    std::vector<std::array<int, 2>> all;
    for (const auto& [a, b] : joined_elements<4>(scene.bodies[at(body)].mesh.tets)) {
      all.push_back({a, b});
    }
    simulation.separate(body, all);
    EXPECT_NEAR(simulation.energies().pins, before.pins, 1e-9 * before.pins) << body;
  }
  run(simulation, 2);
}

TEST(TiedTearing, TearsHaveTheSameBitsHoweverTheyRun) {
  Scene scene = tied_blocks();
  scene.bodies[0].pins = {{.box = {{-9, -9, -9}, {-0.49, 9, 9}}}};
  scene.bodies[0].pins.push_back(
      {.box = {{0.49, -9, -9}, {9, 9, 9}}, .motion = {.velocity = Vec3{1, 0, 0}}});
  scene.bodies[0].tearing = scene.bodies[1].tearing = TearingSettings{.stretch = 1.3};
  test::expect_same_bits_however_run(scene, 14, 8);
  scene.time.separate_after = 2;
  test::expect_same_bits_however_run(scene, 14, 8);
  Scene sheets = sewn_sheets();
  sheets.blades = {
      {.points = {{0.4, 0.01, -1}, {0.4, 0.01, 1}}, .motion = {.velocity = Vec3{1, 0, 0}}}};
  test::expect_same_bits_however_run(sheets, 10, 10);
}

TEST(TiedTearing, ASeamHoldsWhatIsCutAcrossIt) {
  Simulation simulation(sewn_sheets(), {.threads = 2});
  const double before = total(simulation.energies());
  ASSERT_GT(simulation.cut({{{Vec3{-9, 0.01, -9}, Vec3{9, 0.01, -9}, Vec3{0, 0.01, 30}}}}), 0);
  EXPECT_EQ(num_parts(simulation, 0), 2);
  EXPECT_EQ(num_parts(simulation, 1), 2);
  EXPECT_LE(total(simulation.energies()), before + 1e-9 * std::abs(before));
  run(simulation, 25);
  // The upper parts hang; the lower ones fall together.
  const auto height = [&](std::size_t body, bool upper) {
    const std::vector<Vec3> x = positions_of(simulation);
    const Body& own = simulation.scene().bodies[body];
    double sum = 0;
    int count = 0;
    for (const auto& triangle : own.triangles) {
      double rest = 0, now = 0;
      for (const int v : triangle) {
        rest += own.mesh.vertices[at(v)][1] / 3;
        now += x[at(simulation.body_vertices()[body] + v)][1] / 3;
      }
      if ((rest > 0.01) != upper) continue;
      sum += now;
      ++count;
    }
    return sum / count;
  };
  EXPECT_GT(height(0, true), 0) << "held by its pins";
  EXPECT_GT(height(1, true), -0.5) << "held by the seam";
  EXPECT_LT(height(0, false), -1) << "fallen";
  EXPECT_NEAR(height(0, false), height(1, false), 0.3) << "by the same way";
}

TEST(TiedTearing, WhatAnAttachmentTiesComesApartToo) {
  for (const int separate_after : {0, 2}) {
    SCOPED_TRACE(separate_after);
    Scene scene = tied_blocks();
    scene.bonds.clear();
    scene.time.separate_after = separate_after;
    scene.blades = {{.points = {{-7, -7, -7}, {-6, -7, -7}}}};  // never reaches them
    Simulation simulation(scene, {.threads = 2});
    std::vector<int> vertices;
    const std::vector<Vec3>& rest = scene.bodies[1].mesh.vertices;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (std::abs(rest[i][1] - 0.125) < 1e-6) vertices.push_back(static_cast<int>(i));
    }
    const Attachment tie = simulation.attach(1, vertices, 0, 1e4);
    run(simulation, 3);
    const test::Momentum before = momentum_of_all(simulation);
    ASSERT_GT(simulation.cut(plane_across(positions_of(simulation)[0][0] + 0.5)), 0);
    Attachment second;
    if (separate_after > 0) {
      simulation.step();
      second = simulation.attach(1, std::vector<int>{vertices[0]}, 0, 1e3);
    }
    run(simulation, 8);
    EXPECT_EQ(num_parts(simulation, 0), 2);
    EXPECT_EQ(num_parts(simulation, 1), 2);
    const test::Momentum after = momentum_of_all(simulation);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(after.linear[k], before.linear[k], 1e-8 * before.mass);
    }
    EXPECT_TRUE(simulation.is_attached(tie));
    EXPECT_GT(std::hypot(simulation.force(tie)[0], simulation.force(tie)[1]), 0);
    simulation.detach(tie);
    if (separate_after > 0) simulation.detach(second);
    run(simulation, 2);
  }
}

TEST(TiedTearing, ATiedBodyMayBeGivenALimitAndAnotherMayCome) {
  Scene scene = tied_blocks();
  scene.bonds.clear();
  Simulation simulation(scene, {.threads = 2});
  const Attachment tie = simulation.attach(1, std::vector<int>{40}, 0, 1e4);
  run(simulation, 2);
  Scene tearing = scene;
  tearing.bodies[0].tearing = TearingSettings{.stretch = 1.001};
  simulation.change(tearing);
  Body third = tearing.bodies[0];
  third.name = "third";
  for (Vec3& x : third.mesh.vertices) x[1] -= 3;
  simulation.add_body(third);
  int separated = 0;
  for (int i = 0; i < 10; ++i) {
    separated += simulation.step().separated;
    simulation.check_step();
  }
  EXPECT_GT(separated, 0);
  EXPECT_TRUE(simulation.is_attached(tie));
  EXPECT_GT(std::abs(simulation.force(tie)[1]), 0);
}

}  // namespace
}  // namespace supple
