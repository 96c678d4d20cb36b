#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "math/vec3.h"
#include "sim/stepper.h"
#include "sim/test_scenes.h"
#include "supple/error.h"

/// Attachments: vertices and points of bodies held at places in the world.
namespace supple {
namespace {

using test::place_of;
using vec3::cross;

Vec3 plus(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
Vec3 minus(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vec3 times(double f, const Vec3& a) { return {f * a[0], f * a[1], f * a[2]}; }
double norm(const Vec3& a) { return std::hypot(a[0], a[1], a[2]); }

/// Mass of each vertex, kg.
std::vector<double> masses_of(const Body& body) {
  const std::vector<double> volumes = tet_volumes(body.mesh);
  std::vector<double> masses(body.mesh.vertices.size());
  for (std::size_t t = 0; t < volumes.size(); ++t) {
    for (const int v : body.mesh.tets[t]) {
      masses[static_cast<std::size_t>(v)] += body.density * volumes[t] / 4;
    }
  }
  return masses;
}

std::vector<Vec3> vectors(const std::vector<double>& numbers) {
  std::vector<Vec3> result(numbers.size() / 3);
  for (std::size_t i = 0; i < numbers.size(); ++i) result[i / 3][i % 3] = numbers[i];
  return result;
}

/// Settings of every kind of matrix and method that ends at the minimum of g.
std::vector<SolverSettings> minimising() {
  std::vector<SolverSettings> list;
  for (const Description& solver : list_solvers()) {
    if (!test::minimises(solver.name)) continue;
    SolverSettings settings;
    settings.method = from_string<SolverMethod>(solver.name);
    list.push_back(settings);
  }
  for (const char* hessian : {"rest", "warped_rest", "frame", "identity"}) {
    SolverSettings settings;
    settings.initial_hessian = from_string<InitialHessian>(hessian);
    list.push_back(settings);
  }
  SolverSettings settings;
  settings.method = SolverMethod::quasi_newton;
  settings.linear_solver = LinearSolver::cg;
  settings.linear_iterations = 100;
  for (const char* preconditioner : {"jacobi", "incomplete_cholesky"}) {
    settings.preconditioner = from_string<PreconditionerType>(preconditioner);
    list.push_back(settings);
  }
  return list;
}

std::string name_of(const SolverSettings& solver) {
  return std::string(to_string(solver.method)) + " " + to_string(solver.initial_hessian) + " " +
         to_string(solver.linear_solver);
}

/// Places where rays towards -x hit a block about the origin.
std::vector<SurfaceHit> hits_on(const Simulation& simulation, int count) {
  std::vector<SurfaceHit> hits;
  for (int i = 0; i < count; ++i) {
    const auto hit = simulation.raycast({2, 0.21 - 0.043 * i, 0.037 * i - 0.15}, {-1, 0, 0});
    EXPECT_TRUE(hit);
    if (hit) hits.push_back(*hit);
  }
  return hits;
}

TEST(Attachments, ThePullOfAPointActsAtThePointAndTurnsNothing) {
  for (SolverSettings solver : minimising()) {
    for (const int count : {1, 10}) {  // of ten points, some are not terms of a constant matrix
      Scene scene = test::free_block(test::material_of(to_string(solver.method)));
      scene.gravity = {0, -9.81, 0};
      scene.time.step = 0.01;
      solver.tolerance = 1e-9;
      solver.iterations = 3000;
      scene.solver = solver;
      const std::vector<double> masses = masses_of(scene.bodies[0]);
      Simulation simulation(scene, {.threads = 1});
      std::vector<Attachment> held;
      std::vector<SurfaceHit> hits = hits_on(simulation, count);
      for (const SurfaceHit& hit : hits) {
        held.push_back(simulation.attach(hit, plus(hit.point, {0.02, 0.01, 0}), 2e3));
      }
      for (int frame = 0; frame < 3; ++frame) {
        for (std::size_t a = 0; a < held.size(); ++a) {
          simulation.set_target(held[a], plus(hits[a].point, {0.02, 0.01 + 0.02 * frame, 0.01}));
        }
        const SimulationState before = simulation.state();
        const StepReport report = simulation.step();
        const SimulationState after = simulation.state();
        const std::vector<Vec3> x = vectors(after.positions);
        const std::vector<Vec3> v = vectors(after.velocities), v_0 = vectors(before.velocities);
        const std::string name = name_of(solver) + ", " + std::to_string(count) + " points";
        // What is left of M dv/h - M g - F if nothing acts but weight and attachments.
        Vec3 force{0, 0, 0}, torque{0, 0, 0};
        for (std::size_t i = 0; i < x.size(); ++i) {
          const Vec3 change = minus(times(1 / scene.time.step, minus(v[i], v_0[i])), scene.gravity);
          force = plus(force, times(masses[i], change));
          torque = plus(torque, cross(x[i], times(masses[i], change)));
        }
        double size = 0;
        for (std::size_t a = 0; a < held.size(); ++a) {
          const Vec3 pull = simulation.force(held[a]);
          Vec3 point{0, 0, 0};
          for (std::size_t c = 0; c < 3; ++c) {
            const Vec3& corner = x[static_cast<std::size_t>(hits[a].vertices[c])];
            point = plus(point, times(hits[a].weights[c], corner));
          }
          force = minus(force, pull);
          torque = minus(torque, cross(point, pull));
          size += norm(pull);
        }
        // The remaining gradient can add up to this over all vertices, which lie within 0.6 m. The
        // rest is rounding.
        const double left = std::sqrt(static_cast<double>(x.size())) * report.gradient_norm;
        EXPECT_LT(left, 0.02 * size) << name;
        EXPECT_LT(norm(force), left + 1e-9 * size) << name;
        EXPECT_LT(norm(torque), 0.6 * left + 1e-9 * size) << name;
      }
    }
  }
}

TEST(Attachments, APointIsAsQuicklySolvedForAsAVertex) {
  for (const char* method : {"newton", "l_bfgs", "quasi_newton", "projective_dynamics"}) {
    int iterations[2] = {};
    for (const bool is_point : {false, true}) {
      Scene scene = test::free_block(test::material_of(method));
      scene.gravity = {0, -9.81, 0};
      scene.solver.method = from_string<SolverMethod>(method);
      scene.solver.tolerance = 1e-6;
      scene.solver.iterations = 1000;
      Simulation simulation(scene, {.threads = 1});
      SurfaceHit hit = hits_on(simulation, 1).at(0);
      if (!is_point) hit.weights = {1, 0, 0};
      const Vec3 place =
          is_point ? hit.point
                   : test::positions_of(simulation)[static_cast<std::size_t>(hit.vertices[0])];
      simulation.attach(hit, place, 1e6);
      for (int frame = 0; frame < 10; ++frame) {
        iterations[is_point ? 1 : 0] += simulation.step().iterations;
      }
    }
    // A point moves three vertices and strains less around it.
    EXPECT_LE(iterations[1], 1.3 * iterations[0]) << method;
  }
}

/// Indices within the body of all vertices of a block at x = -0.25.
std::vector<int> left_side(const Scene& scene) {
  std::vector<int> vertices;
  for (std::size_t i = 0; i < scene.bodies[0].mesh.vertices.size(); ++i) {
    if (scene.bodies[0].mesh.vertices[i][0] < -0.24) vertices.push_back(static_cast<int>(i));
  }
  return vertices;
}

std::vector<Vec3> at_rest(const Scene& scene, const std::vector<int>& vertices,
                          const Vec3& shift = {0, 0, 0}) {
  std::vector<Vec3> places;
  for (const int v : vertices) {
    places.push_back(plus(scene.bodies[0].mesh.vertices[static_cast<std::size_t>(v)], shift));
  }
  return places;
}

TEST(Attachments, AMovedTargetIsReachedAtTheEndOfTheStepAndApproachedOverIt) {
  for (const Description& solver : list_solvers()) {
    if (solver.name == "gradient_descent" || solver.name == "jacobi")
      continue;  // creep when k is 1e9
    for (const int substeps : {1, 4}) {
      Scene scene = test::free_block(test::material_of(solver.name));
      scene.solver.method = from_string<SolverMethod>(solver.name);
      scene.solver.iterations = 50;
      scene.time.substeps = substeps;
      const std::vector<int> side = left_side(scene);
      Simulation simulation(scene, {.threads = 1});
      const Attachment held = simulation.attach(0, side, at_rest(scene, side), 1e9);
      const double way = 0.003;
      for (int frame = 1; frame <= 3; ++frame) {
        const std::vector<Vec3> targets = at_rest(scene, side, {0, way * frame, 0});
        simulation.set_targets(held, targets);
        test::run(simulation, 1);
        const SimulationState state = simulation.state();
        const std::vector<Vec3> x = vectors(state.positions), v = vectors(state.velocities);
        const Vec3 velocity{0, way / scene.time.step, 0};
        for (std::size_t i = 0; i < side.size(); ++i) {
          const auto vertex = static_cast<std::size_t>(side[i]);
          // Springs of 1e9 N/m give by 1e-5 of the way under the forces of a body of 1e5 Pa.
          EXPECT_LT(norm(minus(x[vertex], targets[i])), 1e-3 * way) << solver.name;
          EXPECT_LT(norm(minus(v[vertex], velocity)), 1e-2 * norm(velocity)) << solver.name;
        }
      }
    }
  }
}

TEST(Attachments, ABodyThatFliesIsHeldWhereItIs) {
  for (const char* method : {"l_bfgs", "xpbd"}) {
    Scene scene = test::free_block(test::material_of(method));
    scene.bodies[0].velocity = {1, 0, 0};
    scene.solver.method = from_string<SolverMethod>(method);
    Simulation simulation(scene, {.threads = 1});
    test::run(simulation, 30);
    const auto hit = simulation.raycast({9, 0.05, 0.02}, {-1, 0, 0});
    ASSERT_TRUE(hit);
    const auto energy = [&] {
      const Energies now = simulation.energies();
      return now.kinetic + now.elastic + now.pins;
    };
    const double before = energy();
    const Attachment held = simulation.attach(*hit, hit->point, 1e5);
    // The point stood there, up to rounding.
    EXPECT_LT(norm(simulation.force(held)), 1e-9 * 1e5) << method;
    for (int frame = 0; frame < 60; ++frame) {
      test::run(simulation, 1);
      EXPECT_LE(energy(), before * (1 + 1e-3)) << method << ", frame " << frame;
    }
    simulation.detach(held);
    EXPECT_EQ(simulation.energies().pins, 0);
  }
}

TEST(Attachments, ABodyHangsFromAPointByItsWeightInEveryWayOfXpbd) {
  for (const char* multipliers : {"zero", "kept"}) {
    for (const char* precision : {"double", "float"}) {
      Scene scene = test::free_block("stable_neo_hookean");
      scene.gravity = {0, -9.81, 0};
      scene.damping.drag = 5;
      scene.time.substeps = 4;
      scene.solver.method = SolverMethod::xpbd;
      scene.solver.multipliers = from_string<XpbdMultipliers>(multipliers);
      scene.solver.precision = from_string<XpbdPrecision>(precision);
      Simulation simulation(scene, {.threads = 1});
      const auto hit = simulation.raycast({0.03, 2, 0.02}, {0, -1, 0});
      ASSERT_TRUE(hit);
      const Attachment held = simulation.attach(*hit, hit->point, 1e5);
      test::run(simulation, 150);
      double weight = 0;
      for (const double mass : masses_of(scene.bodies[0])) weight += 9.81 * mass;
      // Drag leaves e^-25 of the swing; ten iterations leave some thousandths of the forces.
      const Vec3 off = minus(simulation.force(held), {0, weight, 0});
      EXPECT_LT(norm(off), 0.01 * weight) << multipliers << ", " << precision;
    }
  }
}

TEST(Attachments, APoseMovesTheTargetsThatWereGiven) {
  const Scene scene = test::free_block("neo_hookean");
  const std::vector<int> side = left_side(scene);
  const std::vector<Vec3> given = at_rest(scene, side);
  Simulation simulation(scene, {.threads = 1}), other(scene, {.threads = 1});
  const Attachment held = simulation.attach(0, side, given, 1e5);
  const Attachment also = other.attach(0, side, given, 1e5);
  for (int frame = 1; frame <= 5; ++frame) {
    const double angle = 0.1 * frame, c = std::cos(angle), s = std::sin(angle);
    const Pose pose{{c, -s, 0, s, c, 0, 0, 0, 1}, {0.01 * frame, 0, 0}};
    std::vector<Vec3> targets;
    for (const Vec3& x : given) targets.push_back(pose.apply(x));
    simulation.set_targets(held, pose);
    other.set_targets(also, targets);
    simulation.step();
    other.step();
  }
  test::expect_same_bits(simulation, other);
}

TEST(Attachments, OutlastPinsScenesMaterialsAndStates) {
  const auto moved_to = [](Simulation& simulation, Attachment held, int vertex, double y) {
    const Vec3 target{0, y, 0};
    simulation.set_target(held, target);
    test::run(simulation, 60);
    return norm(minus(test::positions_of(simulation)[static_cast<std::size_t>(vertex)], target));
  };
  Scene scene = test::free_block("neo_hookean");
  scene.damping.drag = 5;
  const int vertex = left_side(scene)[5];
  Simulation simulation(scene, {.threads = 1});
  const std::vector<int> one{vertex};
  const Attachment first = simulation.attach(0, one, at_rest(scene, one), 10);
  const Attachment held = simulation.attach(0, one, at_rest(scene, one), 1e5);
  simulation.detach(first);
  // Two seconds of drag leave e^-10 of the swing. The body weighs 125 kg, the spring has 1e5 N/m.
  const double near = 2e-3;
  EXPECT_LT(moved_to(simulation, held, vertex, 0.1), near);
  Pin pin;
  pin.vertices = {left_side(scene)[0]};
  pin.stiffness = 1;
  simulation.set_pins(0, {pin});
  EXPECT_LT(moved_to(simulation, held, vertex, 0.2), near);
  simulation.set_pins(0, {});
  Scene next = simulation.scene();
  next.solver.method = SolverMethod::newton;
  simulation.change(next);
  EXPECT_LT(moved_to(simulation, held, vertex, 0.3), near);
  next.solver.method = SolverMethod::vertex_block_descent;
  simulation.change(next, 3);
  EXPECT_LT(moved_to(simulation, held, vertex, 0.1), near);
  EXPECT_EQ(simulation.scene().solver.method, SolverMethod::vertex_block_descent);
  simulation.set_material(0, test::soft_material("stvk"));
  EXPECT_LT(moved_to(simulation, held, vertex, 0.2), near);
  simulation.set_state(simulation.state());
  EXPECT_LT(moved_to(simulation, held, vertex, 0.1), near);
  EXPECT_TRUE(simulation.scene().bodies[0].pins.empty());
  EXPECT_TRUE(simulation.is_attached(held));
  EXPECT_FALSE(simulation.is_attached(first));
}

TEST(Attachments, GoOnFromAStateWithTheSameBitsOnAnyNumberOfThreads) {
  for (const char* method : {"l_bfgs", "vertex_block_descent", "gauss_seidel", "xpbd", "pbd"}) {
    Scene scene = test::free_block(test::material_of(method));
    scene.solver.method = from_string<SolverMethod>(method);
    scene.time.substeps = 2;
    const std::vector<int> side = left_side(scene);
    const auto hold = [&](Simulation& simulation) {
      const SurfaceHit hit = hits_on(simulation, 1).at(0);
      simulation.attach(0, side, at_rest(scene, side), 1e4);
      return simulation.attach(hit, {0.3, 0, 0}, 1e4);
    };
    const auto drag = [](Simulation& simulation, Attachment held, int from, int to) {
      for (int frame = from; frame < to; ++frame) {
        simulation.set_target(held, {0.3, 0.01 * frame, 0});
        simulation.step();
      }
    };
    Simulation simulation(scene, {.threads = 1}), other(scene, {.threads = 4});
    const Attachment held = hold(simulation), also = hold(other);
    drag(simulation, held, 0, 5);
    // The target's place when the state was taken: the step goes on from there.
    other.set_target(also, {0.3, 0.01 * 4, 0});
    other.step();
    other.set_state(simulation.state());
    drag(simulation, held, 5, 10);
    drag(other, also, 5, 10);
    test::expect_same_bits(simulation, other);
  }
}

TEST(Attachments, APointOfOneCornerIsThatVertex) {
  const Scene scene = test::free_block("neo_hookean");
  Simulation simulation(scene, {.threads = 1}), other(scene, {.threads = 1});
  simulation.attach(SurfaceHit{.vertices = {7, 9, 9}, .weights = {0, 0.5, 0.5}}, {0, 0.3, 0}, 1e4);
  const std::vector<int> vertex{9};
  const std::vector<Vec3> target{{0, 0.3, 0}};
  other.attach(0, vertex, target, 1e4);
  test::run(simulation, 3);
  test::run(other, 3);
  test::expect_same_bits(simulation, other);
}

TEST(Attachments, APointInATetIsHeldByItsCorners) {
  Scene scene = test::free_block("neo_hookean");
  scene.bodies.push_back(scene.bodies[0]);
  Simulation simulation(scene, {.threads = 1});
  const int tet = simulation.num_tets() - 1;
  const std::array<double, 4> weights{0.1, 0.2, 0.3, 0.4};
  const Attachment held = simulation.attach(tet, weights, {1, 0, 0}, 1e3);
  const std::vector<Vec3> x = test::positions_of(simulation);
  const Body& body = scene.bodies[1];
  Vec3 point{0, 0, 0};
  for (std::size_t c = 0; c < 4; ++c) {
    const int vertex = simulation.scene().bodies[1].mesh.tets.back()[c];
    point = plus(point, times(weights[c], body.mesh.vertices[static_cast<std::size_t>(vertex)]));
  }
  const Vec3 expected = times(1e3, minus({1, 0, 0}, point));
  // Rounding of sums of four numbers.
  EXPECT_LT(norm(minus(simulation.force(held), expected)), 1e-12 * norm(expected));
  const std::vector<Vec3> each = simulation.forces(held);
  ASSERT_EQ(each.size(), 4U);
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_LT(norm(minus(each[c], times(weights[c], expected))), 1e-12 * norm(expected));
  }
  test::run(simulation, 3);
  // The other body stays, up to the rounding of a descent that both share.
  EXPECT_LT(norm(minus(test::positions_of(simulation)[0], x[0])), 1e-12);
}

TEST(Attachments, OneThatWasDetachedNamesNothing) {
  const Scene scene = test::free_block("neo_hookean");
  Simulation simulation(scene, {.threads = 1});
  const std::vector<int> vertex{3};
  const std::vector<Vec3> target{{0, 0, 0}};
  const Attachment old = simulation.attach(0, vertex, target, 1e4);
  simulation.detach(old);
  const Attachment held = simulation.attach(0, vertex, target, 1e4);
  EXPECT_EQ(held.index, old.index);
  EXPECT_NE(held, old);
  for (const Attachment stale : {old, Attachment{}, Attachment{7, 1}}) {
    EXPECT_FALSE(simulation.is_attached(stale));
    EXPECT_EQ(place_of([&] { simulation.detach(stale); }), "attachment");
    EXPECT_EQ(place_of([&] { simulation.set_target(stale, {0, 0, 0}); }), "attachment");
    EXPECT_EQ(place_of([&] { simulation.set_targets(stale, Pose{}); }), "attachment");
    EXPECT_EQ(place_of([&] { simulation.force(stale); }), "attachment");
    EXPECT_EQ(place_of([&] { simulation.forces(stale); }), "attachment");
  }
  EXPECT_TRUE(simulation.is_attached(held));
}

TEST(Attachments, WhatCannotBeHeldIsRefusedAndChangesNothing) {
  const Scene scene = test::free_block("neo_hookean");
  Simulation simulation(scene, {.threads = 1}), untouched(scene, {.threads = 1});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Vec3> one{{0, 0, 0}}, two{{0, 0, 0}, {1, 0, 0}}, bad{{0, nan, 0}};
  const auto attach = [&](int body, const std::vector<int>& vertices,
                          const std::vector<Vec3>& targets, double stiffness) {
    return place_of([&] { simulation.attach(body, vertices, targets, stiffness); });
  };
  EXPECT_EQ(attach(1, {0}, one, 1), "/bodies");
  EXPECT_EQ(attach(0, {}, {}, 1), "vertices");
  EXPECT_EQ(attach(0, {64}, one, 1), "vertices");
  EXPECT_EQ(attach(0, {-1}, one, 1), "vertices");
  EXPECT_EQ(attach(0, {2, 2}, two, 1), "vertices");
  EXPECT_EQ(attach(0, {2}, two, 1), "targets");
  EXPECT_EQ(attach(0, {2}, bad, 1), "targets");
  for (const double stiffness : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(attach(0, {2}, one, stiffness), "stiffness");
  }
  const auto attach_hit = [&](const std::array<int, 3>& vertices,
                              const std::array<double, 3>& weights) {
    return place_of([&] {
      simulation.attach(SurfaceHit{.vertices = vertices, .weights = weights}, {0, 0, 0}, 1);
    });
  };
  EXPECT_EQ(attach_hit({0, 1, 64}, {0.5, 0.25, 0.25}), "hit.vertices");
  EXPECT_EQ(attach_hit({0, 1, 2}, {0.5, 0.25, 0.3}), "hit.weights");
  EXPECT_EQ(attach_hit({0, 1, 2}, {1.5, -0.25, -0.25}), "hit.weights");
  EXPECT_EQ(attach_hit({0, 1, 2}, {0.5, nan, 0.5}), "hit.weights");
  EXPECT_EQ(place_of([&] { simulation.attach(135, {1, 0, 0, 0}, {0, 0, 0}, 1); }), "tet");
  EXPECT_EQ(place_of([&] { simulation.attach(0, {1, 1, 0, 0}, {0, 0, 0}, 1); }), "weights");
  const std::vector<int> vertices{1, 2};
  const Attachment held = simulation.attach(0, vertices, two, 1);
  EXPECT_EQ(place_of([&] { simulation.set_targets(held, one); }), "targets");
  EXPECT_EQ(place_of([&] { simulation.set_target(held, {0, 0, 0}); }), "targets");
  EXPECT_EQ(place_of([&] {
              simulation.set_targets(held, Pose{{1, 0, 0, 0, 1, 0, 0, 0, 1.1}, {}});
            }),
            "pose.rotation");
  EXPECT_EQ(place_of([&] {
              simulation.set_targets(held, Pose{{1, 0, 0, 0, 1, 0, 0, 0, -1}, {}});
            }),
            "pose.rotation");
  EXPECT_EQ(place_of([&] {
              simulation.set_targets(held, Pose{.translation = {nan, 0, 0}});
            }),
            "pose.translation");
  simulation.detach(held);
  test::run(simulation, 2);
  test::run(untouched, 2);
  test::expect_same_bits(simulation, untouched);
}

TEST(Attachments, WithoutInertiaTheLastHoldStays) {
  Scene scene = test::free_block("neo_hookean");
  scene.time.integrator = TimeIntegrator::quasi_static;
  Pin pin;
  pin.vertices = left_side(scene);
  scene.bodies[0].pins = {pin};
  Simulation simulation(scene, {.threads = 1});
  const std::vector<int> side = left_side(scene);
  const Attachment held = simulation.attach(0, side, at_rest(scene, side, {0, 0.1, 0}), 1e6);
  simulation.set_pins(0, {});
  EXPECT_EQ(place_of([&] { simulation.detach(held); }), "/time/integrator");
  EXPECT_TRUE(simulation.is_attached(held));
  test::run(simulation, 5);
  const Vec3 x = test::positions_of(simulation)[static_cast<std::size_t>(side[0])];
  // Held only by springs to places 0.1 m further up; a few steps find them.
  EXPECT_NEAR(x[1], scene.bodies[0].mesh.vertices[static_cast<std::size_t>(side[0])][1] + 0.1,
              1e-6);
}

}  // namespace
}  // namespace supple
