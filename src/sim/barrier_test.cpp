// Contact mode barrier: what is apart at the start never meets, however the step is solved.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "sim/test_barrier.h"
#include "sim/test_scenes.h"
#include "supple/warnings.h"

namespace supple {
namespace {

using namespace test::barrier;

/// Three cubes of a size; one falls askew on two that touch each other and the floor.
Scene stack(double size) {
  Body low = block({0, size / 2, 0}, size, 2, 10), middle = block({0, 1.5 * size, 0}, size, 3, 10);
  Body high = block({0.1 * size, 2.9 * size, 0}, size, 2, 10);
  turn(high, 25, {0.1 * size, 2.9 * size, 0});
  high.velocity = {0, -3 * std::sqrt(size), 0};
  Scene scene = barrier_scene({low, middle, high});
  scene.colliders = {{"floor", PlaneShape{}, {}}};
  scene.contact.friction = 0.4;
  return scene;
}

bool says(const RunWatch& watch, const std::string& code) {
  const std::vector<Warning> warnings = watch.warnings();
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const Warning& warning) { return warning.code == code; });
}

TEST(Barrier, NothingMeetsAtAnyBudgetStepAndScale) {
  for (const double size : {1e-3, 0.5, 100.0}) {
    for (const double step : {1.0 / 240, 1.0 / 60, 1.0 / 10}) {
      for (const int iterations : {2, 5, 10}) {
        SCOPED_TRACE(std::to_string(size) + " m, " + std::to_string(step) + " s, " +
                     std::to_string(iterations) + " iterations");
        Scene scene = stack(size);
        scene.time.step = step;
        scene.solver.iterations = iterations;
        Simulation simulation(scene, {.threads = 1});
        RunWatch watch(scene);
        for (int frame = 1; frame <= 12; ++frame) {
          watch.add(frame, run_apart(simulation, 1), simulation.energies());
          if (HasFailure()) return;
        }
        // They did fall, or hang where two iterations in a long step leave them, and it is said.
        EXPECT_TRUE(middle_of(simulation, 2)[1] < 2.9 * size || says(watch, "unconverged") ||
                    says(watch, "energy_gain"));
        EXPECT_GT(middle_of(simulation, 0)[1], 0.2 * size);
      }
    }
  }
}

TEST(Barrier, ABoxThatHangsInTheAirInStepsThatAreTooLongIsSaid) {
  for (const std::string method : {"l_bfgs", "newton"}) {
    for (const int iterations : {10, 40}) {
      Scene scene = stack(1e-3);
      scene.contact.friction = 0.05;
      for (Body& body : scene.bodies) {
        body.material.mu = 200;
        body.material.lambda = 800;
      }
      scene.time.step = 0.1;  // free fall of 98 times its size
      scene.solver.method = from_string<SolverMethod>(method);
      scene.solver.iterations = iterations;
      Simulation simulation(scene, {.threads = 1});
      RunWatch watch(scene);
      int frames_up = 0;
      for (int frame = 1; frame <= 20; ++frame) {
        watch.add(frame, simulation.step(), simulation.energies());
        if (middle_of(simulation, 2)[1] > 1e-3) ++frames_up;
      }
      const bool said = says(watch, "unconverged");
      // In steps of 2 to 10 ms it falls off the others within 0.1 to 0.35 s. A friction of 0.4
      // holds it.
      EXPECT_TRUE(said || frames_up <= 6) << method << iterations << ": " << frames_up;
    }
  }
}

class BarrierOfSolver : public testing::TestWithParam<std::string> {};

/// A block that falls fast on a ball, and one that pins press down.
TEST_P(BarrierOfSolver, NothingMeetsInAnyMethod) {
  Scene scene = fallen_and_pressed(GetParam(), 0.5, {0.05, 1.05, 0.02}, {2, 0.5, 0});
  scene.colliders = {{"ball", SphereShape{{0, 0.2, 0}, 0.4}, {}}, {"ground", PlaneShape{}, {}}};
  Simulation simulation(scene, {.threads = 2});
  run_apart(simulation, 25);
}

INSTANTIATE_TEST_SUITE_P(Solvers, BarrierOfSolver, testing::ValuesIn(all_solvers()),
                         [](const auto& solver) { return solver.param; });

class BarrierOfShape : public testing::TestWithParam<int> {};

std::vector<Collider> barrier_shapes() {
  return {{"sphere", SphereShape{{0, 0, 0}, 0.3}, {}},
          {"box", BoxShape{{0, 0, 0}, {0.1, 0.6, 0.1}, {0, 1, 0}, 20}, {}},
          {"capsule", CapsuleShape{{-1, 0, 0.1}, {1, 0, -0.1}, 0.04}, {}},
          {"cylinder", CylinderShape{{0, 0, 0}, {0.2, 1, 0}, 0.05, 0.5}, {}},
          {"torus", TorusShape{{0, 0, 0}, {0.2, 1, 0}, 0.35, 0.12}, {}},
          {"hull",
           ConvexHullShape{{{-0.3, -0.3, -0.3}, {0.3, -0.3, -0.3}, {0, -0.3, 0.4}, {0, 0.3, 0}}},
           {}}};
}

TEST_P(BarrierOfShape, CoarseBodiesThatFallOnItStayOutside) {
  for (const double speed : {1.0, 60.0}) {
    Body body = block({0.03, 0.8, 0.05}, 0.6, 2);
    turn(body, 12, {0.03, 0.8, 0.05});
    body.velocity = {0, -speed, 0};
    Scene scene = barrier_scene({body});
    scene.colliders = {barrier_shapes()[static_cast<std::size_t>(GetParam())]};
    scene.solver.iterations = 6;
    Simulation simulation(scene, {.threads = 1});
    SCOPED_TRACE(speed);
    run_apart(simulation, speed > 10 ? 12 : 40);
  }
}

TEST_P(BarrierOfShape, ClothThatFallsOnItStaysOutsideAndOffItself) {
  for (const double step : {1.0 / 120, 1.0 / 15}) {
    Body cloth = test::cloth_body();
    Vec3 middle{0, 0, 0};
    for (const Vec3& x : cloth.mesh.vertices) {
      middle = middle + (1.0 / static_cast<double>(cloth.mesh.vertices.size())) * x;
    }
    for (Vec3& x : cloth.mesh.vertices) x = x + -1 * middle + Vec3{0.04, 0.55, 0.02};
    cloth.velocity = {0, -1, 0};
    Scene scene = barrier_scene({cloth});
    scene.colliders = {barrier_shapes()[static_cast<std::size_t>(GetParam())]};
    scene.contact.self = true;
    scene.contact.friction = 0.3;
    scene.time.step = step;
    Simulation simulation(scene, {.threads = 1});
    SCOPED_TRACE(step);
    run_apart(simulation, 30);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, BarrierOfShape,
                         testing::Range(0, static_cast<int>(barrier_shapes().size())),
                         [](const auto& shape) {
                           return barrier_shapes()[static_cast<std::size_t>(shape.param)].name;
                         });

TEST(Barrier, BodiesThatPinsPressIntoEachOtherStayApartAndItIsSaid) {
  Body left = block({-0.26, 0, 0}, 0.5, 3), right = block({0.26, 0.05, 0.02}, 0.5, 3);
  turn(right, 20, {0.3, 0.05, 0.02});
  for (Vec3& x : right.mesh.vertices) x[0] += 0.12;
  left.pins = {{.box = {{-9, -9, -9}, {-0.4, 9, 9}}, .stiffness = 1e6}};
  // Stiff, and through the other body.
  right.pins = {{.box = {{0.5, -9, -9}, {9, 9, 9}},
                 .stiffness = 1e6,
                 .motion = {.keyframes = {{.time = 0}, {.time = 0.3, .translate = {-1, 0, 0}}}}}};
  Scene scene = barrier_scene({left, right});
  scene.gravity = {0, 0, 0};
  scene.contact.self = true;
  Simulation simulation(scene, {.threads = 1});
  RunWatch watch(scene);
  int held = 0;
  for (int frame = 0; frame < 40; ++frame) {
    const StepReport report = run_apart(simulation, 1);
    if (HasFailure()) return;
    watch.add(frame + 1, report, simulation.energies());
    held += report.held_back;
  }
  EXPECT_GT(held, 0);
  const auto warnings = watch.warnings();
  EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const Warning& warning) {
    return warning.code == "self_intersection";
  }));
}

TEST(Barrier, ABodyRestsInsideItsLayerWithTheForcesOfItsWeight) {
  for (const double size : {1e-3, 0.5, 100.0}) {
    Scene scene = barrier_scene({block({0, size / 2, 0}, size, 3, 10)});
    scene.colliders = {{"floor", PlaneShape{}, {}}};
    scene.damping.drag = 5 / std::sqrt(size);
    scene.time.step = std::sqrt(size) / 40;
    Simulation simulation(scene, {.threads = 1});
    const StepReport report = run_apart(simulation, 150);
    EXPECT_EQ(report.held_back, 0);
    double lowest = 1e300;
    for (const Vec3& x : test::positions_of(simulation)) lowest = std::min(lowest, x[1]);
    const double layer = 3e-3 * std::sqrt(3.0) * size;
    EXPECT_GT(lowest, 0.1 * layer) << size;
    EXPECT_LT(lowest, layer) << size;
    const double weight = 1000 * size * size * size * 9.81;
    EXPECT_NEAR(simulation.collider_forces()[0].force[1], -weight, 0.02 * weight) << size;
    // The depth that is read is a gap.
    for (const BodyContact& contact : simulation.contacts()) {
      EXPECT_NEAR(contact.depth, -contact.point[1], 1e-9 * size);
    }
  }
}

/// Velocity of a block along a slope after some time, m/s.
double speed_on_slope(double degrees, double friction) {
  Scene scene = barrier_scene({block({0, 0.25, 0}, 0.5, 3, 100)});
  scene.colliders = {{"floor", PlaneShape{}, {}}};
  const double a = degrees * std::numbers::pi / 180;
  scene.gravity = {9.81 * std::sin(a), -9.81 * std::cos(a), 0};
  scene.contact.friction = friction;
  Simulation simulation(scene, {.threads = 1});
  test::run(simulation, 60);
  const double before = middle_of(simulation, 0)[0];
  test::run(simulation, 12);
  return (middle_of(simulation, 0)[0] - before) / 0.2;
}

TEST(Barrier, FrictionHoldsBelowItsAngleAndSlowsAboveIt) {
  // Below 1 mm/s, friction grows with the slip (contact/contact_energy.h).
  EXPECT_LT(speed_on_slope(20, 0.5), 1e-3);
  // Mean of 12 frames from frame 60 on. A block that friction tips a little is off by as much.
  const double a = 35 * std::numbers::pi / 180;
  const double right = 9.81 * (std::sin(a) - 0.5 * std::cos(a)) * 1.1;
  EXPECT_NEAR(speed_on_slope(35, 0.5), right, 0.05 * right);
}

/// Momentum, kg m/s; each corner of a tet has a quarter of its mass.
Vec3 momentum_of(const Simulation& simulation) {
  std::vector<double> v(3 * static_cast<std::size_t>(simulation.num_vertices()));
  simulation.copy_velocities(v);
  Vec3 sum{0, 0, 0};
  std::size_t first = 0;
  for (const Body& body : simulation.scene().bodies) {
    const auto& x = body.mesh.vertices;
    for (const auto& t : body.mesh.tets) {
      const auto edge = [&](std::size_t i) {
        return x[static_cast<std::size_t>(t[i])] + -1 * x[static_cast<std::size_t>(t[0])];
      };
      const Vec3 a = edge(1), b = edge(2), c = edge(3);
      const double six = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                         a[2] * (b[0] * c[1] - b[1] * c[0]);
      for (const int corner : t) {
        const std::size_t vertex = first + static_cast<std::size_t>(corner);
        for (std::size_t k = 0; k < 3; ++k) {
          sum[k] += body.density * std::abs(six) / 24 * v[3 * vertex + k];
        }
      }
    }
    first += x.size();
  }
  return sum;
}

TEST(Barrier, BodiesThatMeetInFreeFlightKeepTheirMomentumAndGainNoEnergy) {
  Body left = block({-0.3, 0, 0}, 0.5, 3), right = block({0.5, 0.1, 0.05}, 0.5, 3);
  turn(right, 33, {0.5, 0.1, 0.05});
  left.velocity = {2, 0, 0};
  right.velocity = {-2, 0, 0};
  Scene scene = barrier_scene({left, right});
  scene.gravity = {0, 0, 0};
  scene.contact.friction = 0.3;
  scene.solver.iterations = 40;
  Simulation simulation(scene, {.threads = 1});
  bool touched = false;
  double energy = simulation.energies().kinetic + simulation.energies().elastic;
  for (int frame = 0; frame < 20; ++frame) {
    const Vec3 before = momentum_of(simulation);
    const StepReport report = run_apart(simulation, 1);
    if (HasFailure()) return;
    EXPECT_EQ(report.held_back, 0) << frame;
    touched = touched || report.contacts > 0;
    // See BodyContact.KeepsMomentumAsFarAsStepsAreSolved; 250 kg m/s each.
    const double left_open =
        std::sqrt(simulation.num_vertices()) * report.gradient_norm * scene.time.step;
    const Vec3 after = momentum_of(simulation);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(after[k], before[k], left_open + 1e-9 * 250) << frame;
    }
    const double now =
        simulation.energies().kinetic + simulation.energies().elastic + report.contact_energy;
    EXPECT_LE(now, 1.001 * energy) << frame;
    energy = now;
  }
  EXPECT_TRUE(touched);
  EXPECT_LT(middle_of(simulation, 0)[0] + 0.3, middle_of(simulation, 1)[0]);
}

/// Bodies that are apart are minimised one by one. If their ways then turn out to meet, they are
/// minimised again together. They start from within each other, where a small budget ends far above
/// their start. Such ends held hundreds of times all energy that there had been, and threw the
/// bodies.
TEST(Barrier, BodiesThatMeetOnTheirWaysAreNoWorseOffThanStandingStill) {
  const double weight = 225, density = 1000;
  for (const double young : {1e3, 1e4}) {
    for (const int iterations : {1, 2, 3}) {
      std::vector<Body> bodies;
      for (const int b : {0, 1, 2}) {
        const Vec3 center{0.1 * b, 1.9 * (b + 1), 0.05 * b};
        Body& body = bodies.emplace_back(block(center, 1, 3));
        const auto [mu, lambda] = lame_parameters(young, 0.4);
        body.material.mu = mu;
        body.material.lambda = lambda;
        body.density = density;
        turn(body, 40.0 * b, center);
      }
      Scene scene = barrier_scene(bodies);
      scene.gravity = {0, -weight, 0};
      scene.time.step = 1.0 / 30;
      scene.colliders = {{"floor", PlaneShape{}, {}}};
      scene.solver.iterations = iterations;
      Simulation simulation(scene, {.threads = 1});
      const auto energy = [&](double contact) {
        double sum = simulation.energies().kinetic + simulation.energies().elastic + contact;
        for (const int b : {0, 1, 2}) sum += density * weight * middle_of(simulation, b)[1];
        return sum;
      };
      const double first = energy(0);
      double before = first;
      for (int frame = 0; frame < 24; ++frame) {
        const StepReport report = run_apart(simulation, 1);
        if (HasFailure()) return;
        const double now = energy(report.contact_energy);
        // A body that falls into a barrier is stopped by the energy that the barrier stores.
        EXPECT_LT(now - before, 0.1 * first) << young << " " << iterations << " " << frame;
        before = now;
      }
    }
  }
}

TEST(Barrier, SameBitsAtAnyNumberOfThreadsAndFromACheckpoint) {
  Scene scene = stack(0.5);
  scene.contact.self = true;
  scene.solver.iterations = 4;
  test::expect_same_bits_however_run(scene, 2, 18);
}

TEST(Barrier, EveryIntegratorThatSolvesKeepsBodiesOut) {
  for (const std::string integrator : {"implicit_midpoint", "bdf2", "newmark", "quasi_static"}) {
    Scene scene = stack(0.5);
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    if (integrator == "quasi_static") {
      for (Body& body : scene.bodies) {
        body.velocity = {0, 0, 0};
        body.pins = {{.box = {{-9, -9, -9}, {9, 9, 9}},
                      .stiffness = 1e2,
                      .motion = {.velocity = Vec3{0, -1, 0}}}};
      }
    }
    SCOPED_TRACE(integrator);
    Simulation simulation(scene, {.threads = 1});
    run_apart(simulation, 25);
  }
}

TEST(Barrier, WhatCannotBeKeptOutIsRefusedByName) {
  const auto place = [](const auto& edit) {
    Scene scene = stack(0.5);
    edit(scene);
    return test::place_of([&] { Simulation simulation(scene); });
  };
  EXPECT_EQ(place([](Scene&) {}), "nothing");
  EXPECT_EQ(place([](Scene& scene) { scene.contact.mode = static_cast<ContactMode>(2); }),
            "/contact/mode");
  EXPECT_EQ(place([](Scene& scene) { scene.time.integrator = TimeIntegrator::symplectic_euler; }),
            "/time/integrator");
  EXPECT_EQ(place([](Scene& scene) {
              scene.colliders[0].motion.velocity = Vec3{0, 1, 0};
            }),
            "nothing");
  EXPECT_EQ(place([](Scene& scene) {
              scene.colliders.push_back(
                  {"bowl", DistanceShape{[](const Vec3&, Vec3&) { return 1.0; }}, {}});
            }),
            "/colliders/1/distance");
  // In the floor, in another body, and around a collider. A bone that holds the body may be inside
  // it.
  const auto with_core = [](Scene& scene) {
    // Between the vertices of the lowest block.
    scene.colliders.push_back({"core", SphereShape{.center = {0.12, 0.13, 0.12}, .radius = 0.02}});
  };
  EXPECT_EQ(place(with_core), "/bodies/0");
  EXPECT_EQ(place([&](Scene& scene) {
              with_core(scene);
              scene.bodies[0].pins = {{.vertices = {0}, .collider = "core"}};
            }),
            "nothing");
  EXPECT_EQ(place([](Scene& scene) {
              for (Vec3& x : scene.bodies[0].mesh.vertices) x[1] -= 0.05;
            }),
            "/bodies/0");
  EXPECT_EQ(place([](Scene& scene) {
              for (Vec3& x : scene.bodies[1].mesh.vertices) x[1] -= 0.05;
            }),
            "/bodies/1");
}

TEST(Barrier, ChangesThatWouldPutSomethingInsideAreRefusedAndChangeNothing) {
  Scene scene = stack(0.5);
  Simulation simulation(scene), other(scene);
  test::run(simulation, 3);
  test::run(other, 3);
  const Collider inside{"ball", SphereShape{{0, 0.3, 0}, 0.1}, {}};
  EXPECT_EQ(test::place_of([&] {
              simulation.set_colliders({scene.colliders[0], inside});
            }),
            "/bodies/0");
  // By now the collider would be in them.
  EXPECT_EQ(test::place_of([&] {
              simulation.set_colliders({{"floor", PlaneShape{}, {.velocity = Vec3{0, 2, 0}}}});
            }),
            "/bodies/0");
  SimulationState state = simulation.state();
  for (std::size_t i = 1; i < state.positions.size(); i += 3) state.positions[i] -= 0.1;
  EXPECT_EQ(test::place_of([&] { simulation.set_state(state); }), "/bodies/0");
  test::run(simulation, 3);
  test::run(other, 3);
  test::expect_same_bits(simulation, other);
}

/// A coarse ball falls onto a ring, and few iterations leave some of its faces in the ring. Keeping
/// their corners out one by one crushed it: it stored 0.02 J, 300 times the energy of its fall.
TEST(Barrier, WhatIsKeptOutIsNotCrushed) {
  for (const int iterations : {5, 10}) {
    SCOPED_TRACE(iterations);
    Body ball{.mesh = generate(SphereGenerator{
                  .radius = 0.0045, .cells = 4, .center = {-0.003, 0.008, -0.0012}})};
    ball.density = 3000;
    ball.material = {.model = "mooney_rivlin", .c1 = 1987, .c2 = 497, .bulk = 6620};
    ball.initial = Stretch{.factors = {1.02, 1.13, 0.83}};
    Scene scene = barrier_scene({ball});
    scene.time.step = 1.0 / 60;
    scene.solver.method = SolverMethod::newton;
    scene.solver.iterations = iterations;
    scene.colliders = {
        {"floor", PlaneShape{}, {}},
        {"ring", TorusShape{.center = {0, 0.0015, 0}, .major = 0.005, .minor = 0.0015}, {}}};
    Simulation simulation(scene, {.threads = 1});
    const Energies before = simulation.energies();
    for (int frame = 0; frame < 15; ++frame) {
      simulation.step();
      EXPECT_LT(simulation.energies().elastic, before.elastic + 0.2 * before.gravity) << frame;
    }
  }
}

}  // namespace
}  // namespace supple
