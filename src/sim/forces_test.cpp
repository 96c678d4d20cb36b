#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "sim/stepper.h"
#include "sim/test_scenes.h"
#include "supple/error.h"

/// Forces, impulses and velocities from outside.
namespace supple {
namespace {

using test::place_of;

const std::vector<std::string> dynamic_methods = {
    "backward_euler", "implicit_midpoint", "bdf2", "newmark", "symplectic_euler", "forward_euler"};

/// A free block of 2 kg that has been thrown and is still swinging.
Scene thrown_block(const std::string& integrator, const std::string& solver) {
  Scene scene = test::free_block(test::material_of(solver));
  scene.bodies[0].mass = 2;
  scene.bodies[0].velocity = {0.3, -0.2, 0.1};
  scene.bodies[0].initial = Stretch{{1.1, 0.95, 1}};
  scene.time.integrator = from_string<TimeIntegrator>(integrator);
  scene.time.step = is_explicit(from_string<TimeIntegrator>(integrator)) ? 1e-4 : 0.01;
  scene.solver.method = from_string<SolverMethod>(solver);
  return scene;
}

/// Mass of each vertex, kg, from the energy of gravity.
std::vector<double> masses_of(const Scene& scene) {
  Scene heavy = scene;
  heavy.gravity = {1, 0, 0};
  heavy.bodies[0].initial = AtRest{};
  Simulation simulation(heavy, {.threads = 1});
  SimulationState state = simulation.state();
  std::vector<double> masses;
  for (std::size_t i = 0; i < state.positions.size(); i += 3) {
    std::fill(state.positions.begin(), state.positions.end(), 0);
    state.positions[i] = -1;
    simulation.set_state(state);
    masses.push_back(simulation.energies().gravity);
  }
  return masses;
}

Vec3 momentum(const Simulation& simulation, const std::vector<double>& masses) {
  const std::vector<double> v = simulation.state().velocities;
  Vec3 sum{0, 0, 0};
  for (std::size_t i = 0; i < masses.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) sum[k] += masses[i] * v[3 * i + k];
  }
  return sum;
}

void expect_near(const Vec3& a, const Vec3& b, double tolerance, const std::string& what) {
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], tolerance) << what << " " << k;
}

Vec3 minus(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

/// Calls check(simulation, masses, name, rounding of a momentum) for every integrator with a
/// descent method, and for every class of solvers.
void for_all_methods(
    const std::function<void(Simulation&, const std::vector<double>&, const std::string&)>& check) {
  std::vector<std::pair<std::string, std::string>> methods;
  for (const std::string& integrator : dynamic_methods) methods.push_back({integrator, "l_bfgs"});
  for (const char* solver : {"newton", "projective_dynamics", "vertex_block_descent"}) {
    methods.push_back({"backward_euler", solver});
  }
  for (const char* integrator : {"backward_euler", "bdf2"}) {
    methods.push_back({integrator, "xpbd"});
    methods.push_back({integrator, "pbd"});
  }
  for (const auto& [integrator, solver] : methods) {
    for (const int substeps : {1, 3}) {
      Scene scene = thrown_block(integrator, solver);
      scene.time.substeps = substeps;
      // vertex_block_descent keeps momentum only if it converges.
      if (solver == "vertex_block_descent") scene.solver.iterations = 300;
      const std::vector<double> masses = masses_of(scene);
      Simulation simulation(scene, {.threads = 1});
      test::run(simulation, 4);
      check(simulation, masses, integrator + " " + solver + " " + std::to_string(substeps));
    }
  }
}

/// Rounding of a momentum of 1 kg m/s: forces of some 1e3 N are summed to it over a step, and the
/// accelerations of Newmark and the midpoint rule are differences of positions divided by h^2.
constexpr double rounding = 1e-9;

TEST(Impulse, ChangesTheMomentumByItselfAtOnceAndInTheSteps) {
  for_all_methods(
      [](Simulation& simulation, const std::vector<double>& masses, const std::string& name) {
        const Vec3 before = momentum(simulation, masses);
        const Vec3 impulse{0.4, 1, -0.6};
        simulation.add_impulse(0, impulse);
        expect_near(minus(momentum(simulation, masses), before), impulse, rounding, name);
        for (int frame = 0; frame < 4; ++frame) {
          simulation.step();
          expect_near(minus(momentum(simulation, masses), before), impulse, rounding, name);
        }
        // An impulse on only a few vertices pulls the body about; its momentum is the same.
        const std::vector<int> vertices{0, 5, 20};
        const std::vector<Vec3> parts{{0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}};
        simulation.add_impulse(vertices, parts);
        simulation.step();
        expect_near(minus(momentum(simulation, masses), before), {0.5, 1.1, -0.5}, rounding, name);
      });
}

TEST(Impulse, MovesABodyAsAThrowWould) {
  // From rest, a pushed body moves like one that begins with the velocity.
  for (const std::string& integrator : dynamic_methods) {
    Scene scene = test::free_block("neo_hookean");
    scene.bodies[0].mass = 2;
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    scene.time.step = is_explicit(from_string<TimeIntegrator>(integrator)) ? 1e-4 : 0.01;
    Simulation pushed(scene, {.threads = 1});
    pushed.add_impulse(0, {1, 0, 0});
    scene.bodies[0].velocity = {0.5, 0, 0};
    Simulation thrown(scene, {.threads = 1});
    for (int frame = 0; frame < 5; ++frame) {
      pushed.step();
      thrown.step();
      const std::vector<double> a = pushed.state().positions, b = thrown.state().positions;
      for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12) << integrator;
    }
  }
}

TEST(Force, GivesItsImpulseOverOneStepAndNoMore) {
  for_all_methods(
      [](Simulation& simulation, const std::vector<double>& masses, const std::string& name) {
        const double h = simulation.scene().time.step;
        const Vec3 before = momentum(simulation, masses);
        const Vec3 half{10, 25, -15};
        simulation.add_force(0, half);
        simulation.add_force(0, half);
        const Vec3 gained{20 * h, 50 * h, -30 * h};
        for (int frame = 0; frame < 4; ++frame) {
          simulation.step();
          expect_near(minus(momentum(simulation, masses), before), gained, rounding, name);
        }
        simulation.add_force(0, half);
        simulation.clear_forces();
        simulation.step();
        expect_near(minus(momentum(simulation, masses), before), gained, rounding, name);
      });
}

TEST(Force, AgainstTheWeightABodyStays) {
  // A force in proportion to mass, the same in every step, is a field like gravity: nothing moves.
  for (const std::string& integrator : dynamic_methods) {
    Scene scene = test::free_block("neo_hookean");
    scene.bodies[0].mass = 2;
    scene.gravity = {0, -9.81, 0};
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    scene.time.step = is_explicit(from_string<TimeIntegrator>(integrator)) ? 1e-4 : 0.01;
    Simulation simulation(scene, {.threads = 1});
    const std::vector<double> rest = simulation.state().positions;
    for (int frame = 0; frame < 20; ++frame) {
      simulation.add_force(0, {0, 2 * 9.81, 0});
      simulation.step();
    }
    const std::vector<double> x = simulation.state().positions;
    // Newmark carries its acceleration on: 20 steps with a rounding of 1e-12 m/s^2.
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], rest[i], 1e-12) << integrator;
  }
}

TEST(Force, HoldsABodyWhereAnEquilibriumIs) {
  // A block that is held on one side and pulled on the other comes to where the forces balance with
  // every integrator: BDF2's memory takes nothing of the force away.
  std::vector<std::vector<double>> ends;
  for (const char* integrator : {"backward_euler", "bdf2"}) {
    Scene scene = test::free_block("neo_hookean");
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    scene.time.step = 0.02;
    scene.damping.drag = 20;
    scene.solver.method = SolverMethod::newton;
    scene.solver.iterations = 20;
    scene.bodies[0].pins.push_back({.box = {{-1, -1, -1}, {-0.24, 1, 1}}});
    Simulation simulation(scene, {.threads = 1});
    const std::vector<int> drawn = simulation.vertices_in(Box{{0.24, -1, -1}, {1, 1, 1}});
    ASSERT_EQ(drawn.size(), 16U);
    const std::vector<Vec3> forces(drawn.size(), Vec3{100, 30, 0});
    for (int frame = 0; frame < 400; ++frame) {
      simulation.add_force(drawn, forces);
      simulation.step();
    }
    ends.push_back(simulation.state().positions);
    const double moved = ends.back()[3 * static_cast<std::size_t>(drawn[0])];
    EXPECT_GT(moved, 0.26);
  }
  // The rest of the swing, exp(-20 * 8 s) of it, and rounding.
  for (std::size_t i = 0; i < ends[0].size(); ++i) EXPECT_NEAR(ends[0][i], ends[1][i], 1e-9);
}

TEST(Force, ItsWorkIsNoEnergyThatTheStepTakesOut) {
  for (const char* integrator : {"backward_euler", "implicit_midpoint", "bdf2", "newmark"}) {
    for (const char* solver : {"l_bfgs", "xpbd"}) {
      const std::string name = std::string(integrator) + " " + solver;
      Scene scene = thrown_block(integrator, solver);
      scene.bodies[0].initial = AtRest{};
      scene.bodies[0].velocity = {0, 0, 0};
      Simulation simulation(scene, {.threads = 1});
      double momentum = 0;
      for (int frame = 0; frame < 10; ++frame) {
        if (frame % 2 == 0) {
          simulation.add_force(0, {0, 200, 0});  // a hundred metres a second squared
          momentum += 200 * scene.time.step;
        } else {
          simulation.add_impulse(0, {0, 2, 0});
          momentum += 2;
        }
        const StepReport report = simulation.step();
        EXPECT_NEAR(simulation.energies().kinetic, momentum * momentum / (2 * 2), 1e-9) << name;
        EXPECT_LE(report.energy_removed + report.energy_gain, 1e-9) << name << " " << frame;
      }
      // On one side alone, it squeezes the body: 20 N times the way of the side.
      const std::vector<int> side = simulation.vertices_in(Box{{-9, -9, -9}, {-0.24, 9, 9}});
      ASSERT_EQ(side.size(), 16U);
      const std::vector<Vec3> forces(side.size(), Vec3{20.0 / 16, 0, 0});
      double removed = 0, before = 0, work = 0;
      for (int frame = 0; frame < 10; ++frame) {
        const std::vector<double> x = simulation.state().positions;
        const Energies energies = simulation.energies();
        if (frame == 0) before = energies.kinetic + energies.elastic;
        simulation.add_force(side, forces);
        const StepReport report = simulation.step();
        removed += report.energy_removed + report.energy_gain;
        const std::vector<double> y = simulation.state().positions;
        for (const int v : side) {
          const auto i = 3 * static_cast<std::size_t>(v);
          work += 20.0 / 16 * (y[i] - x[i]);
        }
      }
      const Energies after = simulation.energies();
      EXPECT_GT(work, 0.1);
      EXPECT_LE(removed, 0.05 * work) << name;
      EXPECT_LE(after.kinetic + after.elastic - before, 1.05 * work) << name;
      EXPECT_GE(after.kinetic + after.elastic - before, 0.5 * work) << name;
    }
  }
}

TEST(Force, PushesWhereARayHasMet) {
  Scene scene = test::free_block("neo_hookean");
  scene.bodies[0].mass = 2;
  const std::vector<double> masses = masses_of(scene);
  for (const bool is_force : {true, false}) {
    Simulation simulation(scene, {.threads = 1});
    const auto hit = simulation.raycast({0.11, 3, 0.07}, {0, -1, 0});
    ASSERT_TRUE(hit);
    if (is_force) {
      simulation.add_force(*hit, {0, -0.1 / scene.time.step, 0});
    } else {
      simulation.add_impulse(*hit, {0, -0.1, 0});
    }
    simulation.step();
    expect_near(momentum(simulation, masses), {0, -0.1, 0}, rounding, "of the push");
    const auto after = simulation.raycast({hit->point[0], 3, hit->point[2]}, {0, -1, 0});
    ASSERT_TRUE(after);
    EXPECT_GT(after->distance, hit->distance) << "it has gone down where it was pushed";
  }
}

TEST(SetVelocity, IsTheVelocityOfTheNextStepWithEveryIntegrator) {
  for_all_methods(
      [](Simulation& simulation, const std::vector<double>& masses, const std::string& name) {
        simulation.set_velocity(0, {1, 2, 3});
        const std::vector<double> v = simulation.state().velocities;
        for (std::size_t i = 0; i < v.size(); ++i)
          ASSERT_EQ(v[i], 1.0 + static_cast<double>(i % 3));
        for (int frame = 0; frame < 3; ++frame) {
          expect_near(momentum(simulation, masses), {2, 4, 6}, 10 * rounding, name);
          simulation.step();
        }
      });
}

TEST(Force, IsNoPartOfTheStateAndGoesOverToAnotherScene) {
  Scene scene = test::free_block("neo_hookean");
  scene.bodies[0].mass = 2;
  const std::vector<double> masses = masses_of(scene);
  const double h = scene.time.step;
  Simulation simulation(scene, {.threads = 1});
  simulation.add_force(0, {7, 0, 0});
  simulation.set_state(simulation.state());
  simulation.step();
  expect_near(momentum(simulation, masses), {0, 0, 0}, rounding, "dropped by set_state");
  simulation.add_force(0, {7, 0, 0});
  simulation.change(scene);
  simulation.step();
  expect_near(momentum(simulation, masses), {7 * h, 0, 0}, rounding, "kept by change");
}

TEST(Force, OnManyThreadsHasTheSameBits) {
  Simulation one(thrown_block("bdf2", "l_bfgs"), {.threads = 1});
  Simulation three(thrown_block("bdf2", "l_bfgs"), {.threads = 3});
  for (Simulation* simulation : {&one, &three}) {
    for (int frame = 0; frame < 3; ++frame) {
      simulation->add_force(0, {10, 20, 30});
      simulation->add_impulse(0, {0.1, 0, 0});
      simulation->step();
    }
  }
  test::expect_same_bits(one, three);
}

TEST(Force, RefusesWhatIsNoPush) {
  Scene scene = test::free_block("neo_hookean");
  scene.bodies[0].mesh.vertices.push_back({9, 9, 9});  // no tet uses it
  const int unused = static_cast<int>(scene.bodies[0].mesh.vertices.size()) - 1;
  Simulation simulation(scene, {.threads = 1});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Vec3> one{{1, 0, 0}};
  const std::vector<int> none, first{0}, far{unused + 1}, weightless{unused};
  EXPECT_EQ(place_of([&] { simulation.add_force(0, {nan, 0, 0}); }), "force");
  EXPECT_EQ(place_of([&] { simulation.add_force(1, {1, 0, 0}); }), "/bodies");
  EXPECT_EQ(place_of([&] { simulation.add_force(none, one); }), "forces");
  EXPECT_EQ(place_of([&] { simulation.add_force(far, one); }), "vertices");
  EXPECT_EQ(place_of([&] { simulation.add_force(weightless, one); }), "vertices");
  EXPECT_EQ(place_of([&] { simulation.add_impulse(0, {nan, 0, 0}); }), "impulse");
  EXPECT_EQ(place_of([&] {
              simulation.add_impulse(first, std::vector<Vec3>{{0, nan, 0}});
            }),
            "impulses");
  EXPECT_EQ(place_of([&] {
              simulation.add_impulse(SurfaceHit{.vertices = {0, 1, -1}, .weights = {0, 0.5, 0.5}},
                                     one[0]);
            }),
            "hit.vertices");
  EXPECT_EQ(place_of([&] { simulation.set_velocity(0, {0, nan, 0}); }), "velocity");
  EXPECT_EQ(place_of([&] { simulation.set_velocity(-1, {0, 0, 0}); }), "/bodies");
  simulation.step();
  // At rest, forces are zero up to rounding.
  for (const double v : simulation.state().velocities) {
    EXPECT_NEAR(v, 0, 1e-14) << "nothing has changed";
  }
}

TEST(Force, QuasiStaticTakesNone) {
  Scene scene = test::free_block("neo_hookean");
  scene.time.integrator = TimeIntegrator::quasi_static;
  scene.bodies[0].pins.push_back({.vertices = {0, 1, 5, 30}});
  Simulation simulation(scene, {.threads = 1});
  EXPECT_THROW(simulation.add_force(0, {1, 0, 0}), Error);
  EXPECT_THROW(simulation.add_impulse(0, {1, 0, 0}), Error);
  EXPECT_THROW(simulation.set_velocity(0, {1, 0, 0}), Error);
}

}  // namespace
}  // namespace supple
