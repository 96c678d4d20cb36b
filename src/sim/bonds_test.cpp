#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "sim/test_scenes.h"
#include "supple/error.h"

/// Bodies that are tied to each other, sewn together, or held by colliders.
namespace supple {
namespace {

using test::place_of;
using test::positions_of;

constexpr double far_away = 100;

double norm(const Vec3& a) { return std::hypot(a[0], a[1], a[2]); }
Vec3 minus(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

MaterialSettings rubber(double young) {
  const auto [mu, lambda] = lame_parameters(young, 0.4);
  return {.model = "neo_hookean", .mu = mu, .lambda = lambda};
}

/// A part of a bar along x that is a quarter of a metre thick.
Body piece(const std::string& name, double from, double to, int cells, double young) {
  return {.name = name,
          .mesh = generate(BoxGenerator{.size = {to - from, 0.25, 0.25},
                                        .cells = {cells, 2, 2},
                                        .center = {(from + to) / 2, 0, 0}}),
          .material = rubber(young)};
}

Box slab(double x, double width = 1e-6) {
  return {{x - width, -far_away, -far_away}, {x + width, far_away, far_away}};
}

constexpr double soft = 2e5;

/// A bar of a metre in two halves that meet in the middle; the near half is held.
Scene two_halves(double ratio) {
  Scene scene;
  scene.bodies = {piece("near", 0, 0.5, 8, soft), piece("far", 0.5, 1, 8, ratio * soft)};
  scene.bodies[0].pins = {{.box = slab(0), .stiffness = 1e7}};
  scene.bonds = {{.body = "far", .select = {.box = slab(0.5)}, .to = "near"}};
  return scene;
}

/// The same bar in one piece.
Scene one_bar(double ratio) {
  Scene scene;
  scene.bodies = {piece("bar", 0, 1, 16, soft)};
  scene.bodies[0].pins = {{.box = slab(0), .stiffness = 1e7}};
  scene.bodies[0].regions = {{.box = {{0.5, -far_away, -far_away}, {far_away, far_away, far_away}},
                              .material = rubber(ratio * soft)}};
  return scene;
}

/// How far the far end has sunk, m.
double sag(const Scene& scene, int frames) {
  Simulation simulation(scene);
  test::run(simulation, frames);
  double sum = 0;
  int count = 0;
  const std::vector<Vec3> now = positions_of(simulation);
  std::size_t i = 0;
  for (const Body& body : scene.bodies) {
    for (const Vec3& rest : body.mesh.vertices) {
      if (rest[0] > 1 - 1e-6) {
        sum += rest[1] - now[i][1];
        ++count;
      }
      ++i;
    }
  }
  return sum / count;
}

Scene with_xpbd(Scene scene) {
  for (Body& body : scene.bodies) body.material.model = "stable_neo_hookean";
  scene.solver = {};
  scene.solver.method = SolverMethod::xpbd;
  scene.solver.iterations = 2;
  scene.time.substeps = 10;
  return scene;
}

class HalfBars : public testing::TestWithParam<double> {};

/// Newton's method finds no difference. Ten iterations of L-BFGS take the halves as far as one bar:
/// all the way if they are alike, and as far as L-BFGS creeps if a much stiffer part turns
/// (docs/solvers.md).
TEST_P(HalfBars, HangLikeOne) {
  constexpr int frames = 15;
  const auto with = [](Scene scene, const char* method, int iterations) {
    scene.solver.method = from_string<SolverMethod>(method);
    scene.solver.iterations = iterations;
    return scene;
  };
  const double ratio = GetParam();
  const double exact = sag(with(one_bar(ratio), "newton", 40), frames);
  ASSERT_GT(exact, 0.02);
  EXPECT_NEAR(sag(with(two_halves(ratio), "newton", 40), frames), exact, 2e-3 * exact);
  EXPECT_NEAR(sag(with(two_halves(ratio), "l_bfgs", 40), frames), exact, 0.01 * exact);
  const double of_one = sag(with(one_bar(ratio), "l_bfgs", 10), frames);
  const double of_halves = sag(with(two_halves(ratio), "l_bfgs", 10), frames);
  EXPECT_NEAR(of_halves, of_one, 0.02 * of_one);
  if (ratio <= 1) {
    EXPECT_NEAR(of_halves, exact, 0.03 * exact);
  }
}
INSTANTIATE_TEST_SUITE_P(Ratios, HalfBars, testing::Values(0.001, 1.0, 1000.0));

/// Each method that takes bonds arrives where Newton's method does.
TEST(Bonds, EveryMethodThatTakesThemComesToTheSameState) {
  Scene scene = two_halves(3);
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 20;
  const double expected = sag(scene, 4);
  for (const Description& solver : list_solvers()) {
    scene.solver = {};
    scene.solver.method = from_string<SolverMethod>(solver.name);
    if (!test::minimises(solver.name)) continue;
    const bool is_diagonal = solver.name == "gradient_descent" || solver.name == "jacobi";
    const bool is_local = solver.name == "vertex_block_descent" || solver.name == "gauss_seidel";
    scene.solver.iterations = is_diagonal ? 20000 : is_local ? 2000 : 200;
    // These have no such material.
    if (solver.name == "projective_dynamics" || solver.name == "xpbd") continue;
    // Methods that learn nothing from earlier steps creep.
    const bool creeps =
        is_diagonal || solver.name == "gauss_seidel" || solver.name == "quasi_newton";
    EXPECT_NEAR(sag(scene, 4), expected, (creeps ? 0.03 : 1e-3) * expected) << solver.name;
  }
  scene.solver = {};
  for (const char* hessian : {"rest", "warped_rest", "frame"}) {
    scene.solver.initial_hessian = from_string<InitialHessian>(hessian);
    scene.solver.iterations = 60;
    EXPECT_NEAR(sag(scene, 4), expected, 1e-3 * expected) << hessian;
  }
}

TEST(Bonds, XpbdComesToTheSameStateWhetherBondsKeepALengthOrClose) {
  for (const bool is_sewn : {false, true}) {
    Scene scene = two_halves(3);
    for (Body& body : scene.bodies) body.material.model = "stable_neo_hookean";
    if (is_sewn) {
      for (Vec3& x : scene.bodies[1].mesh.vertices) x[0] += 0.1;
      scene.bonds.clear();
      scene.seams = {
          {.a = {"near", {.box = slab(0.5)}}, .b = {"far", {.box = slab(0.6)}}, .close = 0.2}};
    }
    scene.solver.method = SolverMethod::newton;
    scene.solver.iterations = 40;
    const double expected = sag(scene, 4);
    scene.solver = {};
    scene.solver.method = SolverMethod::xpbd;
    scene.solver.iterations = 2000;
    scene.solver.tolerance = 1e-7;
    EXPECT_NEAR(sag(scene, 4), expected, 1e-3 * std::abs(expected)) << is_sewn;
  }
}

TEST(Bonds, ProjectiveDynamicsConvergesWithBondsThatKeepALength) {
  Scene scene = two_halves(1);
  for (Body& body : scene.bodies) body.material = {.model = "arap", .mu = 1e5};
  for (Vec3& x : scene.bodies[1].mesh.vertices) x[0] += 0.1;
  scene.bonds.clear();
  scene.seams = {
      {.a = {"near", {.box = slab(0.5)}}, .b = {"far", {.box = slab(0.6)}}, .close = 0.2}};
  scene.solver.iterations = 100;
  const double expected = sag(scene, 10);
  scene.solver.method = SolverMethod::projective_dynamics;
  scene.solver.iterations = 1000;
  EXPECT_NEAR(sag(scene, 10), expected, 2e-3 * std::abs(expected));
}

struct Momenta {
  Vec3 linear{0, 0, 0}, angular{0, 0, 0};
};

Momenta momenta_of(const Simulation& simulation, const std::vector<double>& mass) {
  const SimulationState state = simulation.state();
  Momenta sum;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    const double* const x = &state.positions[3 * i];
    const double* const v = &state.velocities[3 * i];
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
      sum.linear[k] += mass[i] * v[k];
      sum.angular[k] += mass[i] * (x[a] * v[b] - x[b] * v[a]);
    }
  }
  return sum;
}

std::vector<double> masses_of(const Scene& scene) {
  std::vector<double> mass;
  for (const Body& body : scene.bodies) {
    const std::size_t first = mass.size();
    mass.resize(first + body.mesh.vertices.size(), 0.0);
    const std::vector<double> volumes = tet_volumes(body.mesh);
    for (std::size_t t = 0; t < volumes.size(); ++t) {
      for (const int v : body.mesh.tets[t]) {
        mass[first + static_cast<std::size_t>(v)] += body.density * volumes[t] / 4;
      }
    }
  }
  return mass;
}

/// Two blocks at a distance that the bond keeps; they fly and turn.
Scene in_flight() {
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.bodies = {piece("one", 0, 0.5, 4, soft), piece("other", 0.52, 1, 4, 3 * soft)};
  scene.bodies[0].velocity = {1, 0.5, 0};
  scene.bodies[1].velocity = {1, -0.5, 0.3};
  scene.bonds = {{.body = "other", .select = {.box = slab(0.52)}, .to = "one"}};
  return scene;
}

TEST(Bonds, BodiesInFlightKeepTheirMomentumAfterFewIterations) {
  Scene scene = in_flight();
  scene.solver.iterations = 3;
  const std::vector<double> mass = masses_of(scene);
  Simulation simulation(scene);
  const Momenta before = momenta_of(simulation, mass);
  test::run(simulation, 30);
  const Momenta after = momenta_of(simulation, mass);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(after.linear[k], before.linear[k], 1e-11 * norm(before.linear));
  }
}

TEST(Bonds, WithXpbdTooAndWithTheSameBitsOnAnyNumberOfThreads) {
  const Scene scene = with_xpbd(in_flight());
  const std::vector<double> mass = masses_of(scene);
  std::vector<double> first;
  for (const int threads : {1, 2, 3}) {
    Simulation simulation(scene, {.threads = threads});
    const Momenta before = momenta_of(simulation, mass);
    test::run(simulation, 30);
    const Momenta after = momenta_of(simulation, mass);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(after.linear[k], before.linear[k], 1e-11 * norm(before.linear));
    }
    const std::vector<double> x = simulation.state().positions;
    if (first.empty()) first = x;
    EXPECT_TRUE(x == first) << threads;
  }
}

TEST(Bonds, ExplicitIntegratorsTakeThemWithAStiffness) {
  Scene scene = in_flight();
  scene.time.integrator = TimeIntegrator::symplectic_euler;
  scene.time.step = 1e-4;
  scene.bonds[0].stiffness = 500;
  scene.contact.bodies = false;
  const std::vector<double> mass = masses_of(scene);
  Simulation simulation(scene);
  const Momenta before = momenta_of(simulation, mass);
  test::run(simulation, 2000);
  const Momenta after = momenta_of(simulation, mass);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(after.linear[k], before.linear[k], 1e-10 * norm(before.linear));
  }
  // The far body moved 0.1 m on its own and is pulled back.
  EXPECT_GT(simulation.energies().pins, 0);
}

/// The midpoint rule keeps what the forces leave; steps that have not fully converged lose some.
TEST(Bonds, TheMidpointRuleKeepsTheAngularMomentumOfBodiesInFlight) {
  Scene scene = in_flight();
  scene.time.integrator = TimeIntegrator::implicit_midpoint;
  scene.time.step = 1.0 / 120;
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 30;
  scene.solver.tolerance = 1e-10;
  scene.contact.bodies = false;
  const std::vector<double> mass = masses_of(scene);
  Simulation simulation(scene);
  const Momenta before = momenta_of(simulation, mass);
  double fell_back = 0;
  for (int frame = 0; frame < 20; ++frame) fell_back += simulation.step().steady_substeps;
  ASSERT_EQ(fell_back, 0);
  const Momenta after = momenta_of(simulation, mass);
  ASSERT_GT(norm(before.angular), 1);
  EXPECT_LT(norm(minus(after.angular, before.angular)), 1e-6 * norm(before.angular));
}

/// A vertex beside a body follows the continuation of its tets as the body turns.
TEST(Bonds, WhatIsBesideABodyTurnsWithIt) {
  Scene scene = in_flight();
  for (Body& body : scene.bodies) body.velocity = {0, 0, 0};
  Pin turned{.box = slab(0), .stiffness = 1e7};
  turned.motion.rotate = Rotation{.axis = {0, 0, 1}, .degrees_per_second = 90};
  scene.bodies[0].pins = {turned};
  scene.solver.iterations = 20;
  scene.damping.drag = 5;
  scene.time.step = 1.0 / 60;
  Simulation simulation(scene);
  test::run(simulation, 60);
  scene.bodies[0].pins[0].motion = {};
  // After a quarter turn, which it then holds, the far end lies above.
  const std::vector<Vec3> now = positions_of(simulation);
  const Vec3& tip = now.back();
  EXPECT_GT(tip[1], 0.8);
  EXPECT_LT(std::abs(tip[0]), 0.4);
}

TEST(Bonds, WhatTheyTieDoesNotTouchAndTheRestDoes) {
  Scene scene = two_halves(1);
  scene.contact.stiffness = 0;
  Simulation simulation(scene);
  for (int frame = 0; frame < 10; ++frame) {
    const StepReport report = simulation.step();
    EXPECT_EQ(report.overlaps, 0);
    EXPECT_EQ(report.held_back, 0);
    EXPECT_TRUE(simulation.contacts().empty());
  }
  // A third body flies at both of them.
  Body block = piece("block", 0.42, 0.72, 2, soft);
  for (Vec3& x : block.mesh.vertices) x[1] += 0.26;
  block.velocity = {0, -1, 0};
  scene.gravity = {0, 0, 0};
  scene.bodies.push_back(block);
  Simulation hit(scene);
  bool have_touched[2] = {};
  for (int frame = 0; frame < 30; ++frame) {
    hit.step();
    for (const BodyContact& own : hit.contacts()) {
      const int low = std::min(own.body, own.other_body);
      ASSERT_EQ(std::max(own.body, own.other_body), 2);
      have_touched[low] = true;
    }
  }
  EXPECT_TRUE(have_touched[0]);
  EXPECT_TRUE(have_touched[1]);
}

TEST(Bonds, TheBitsAreTheSameAtAnyNumberOfThreads) {
  Scene scene = two_halves(10);
  scene.bodies.push_back(piece("third", 0.2, 0.6, 4, soft));
  for (Vec3& x : scene.bodies.back().mesh.vertices) x[1] += 0.5;
  test::expect_same_bits_however_run(scene, 5, 8);
}

/// Two panels of cloth, one in front of the other.
Scene two_panels(const std::string& model) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  for (const double z : {0.0, 0.2}) {
    Body panel = test::sheet(
        ClothGenerator{.center = {0, 0, z}, .u = {1, 0, 0}, .v = {0, 1, 0}, .cells = {10, 10}});
    panel.name = z == 0 ? "back" : "front";
    panel.material = test::soft_material(model);
    scene.bodies.push_back(panel);
  }
  for (const double x : {-0.5, 0.5}) {
    scene.seams.push_back({.a = {"front", {.box = slab(x)}}, .b = {"back", {.box = slab(x)}}});
  }
  scene.damping.drag = 2;
  return scene;
}

/// Largest distance of vertices of two panels that a seam holds, m.
double gap_of(const Simulation& simulation) {
  const std::vector<Vec3> now = positions_of(simulation);
  const std::size_t n = now.size() / 2;
  double gap = 0;
  for (std::size_t row = 0; row < 11; ++row) {
    for (const std::size_t column : {std::size_t{0}, std::size_t{10}}) {
      const std::size_t i = 11 * row + column;
      gap = std::max(gap, norm(minus(now[i], now[n + i])));
    }
  }
  return gap;
}

TEST(Seams, CloseInTheirTime) {
  const Scene scene = two_panels("corotated");
  Simulation simulation(scene);
  EXPECT_NEAR(gap_of(simulation), 0.2, 1e-12);
  test::run(simulation, 15);
  EXPECT_NEAR(gap_of(simulation), 0.1, 0.02);
  test::run(simulation, 30);
  EXPECT_LT(gap_of(simulation), 0.01 * 0.2);
}

/// Opposite sides of one cloth, which becomes a tube; it touches itself.
TEST(Seams, SewAClothToItself) {
  Scene scene = two_panels("corotated");
  scene.bodies.pop_back();
  scene.bodies[0].membrane->bending = 1e-4;
  scene.seams = {
      {.a = {"back", {.box = slab(-0.5)}}, .b = {"back", {.box = slab(0.5)}}, .close = 2}};
  scene.contact.self = true;
  // In its plane, the direction in which it bends would be undecided.
  for (Vec3& x : scene.bodies[0].mesh.vertices) x[2] = 0.1 * std::cos(3 * x[0]);
  Simulation simulation(scene);
  test::run(simulation, 75);
  const std::vector<Vec3> now = positions_of(simulation);
  for (std::size_t row = 0; row < 11; ++row) {
    EXPECT_LT(norm(minus(now[11 * row], now[11 * row + 10])), 0.01);
  }
}

/// Listed vertices are paired in their order.
TEST(Seams, ListsAreSewnInTheirOrder) {
  Scene scene = two_panels("corotated");
  scene.seams = {
      {.a = {"front", {.vertices = {0, 10}}}, .b = {"back", {.vertices = {10, 0}}}, .close = 0}};
  Simulation simulation(scene);
  test::run(simulation, 30);
  const std::vector<Vec3> now = positions_of(simulation);
  const std::size_t n = now.size() / 2;
  EXPECT_LT(norm(minus(now[n], now[10])), 0.02);
  EXPECT_LT(norm(minus(now[n + 10], now[0])), 0.02);
}

/// A block around a bone that holds its inner part.
Scene flesh_on_bone() {
  Scene scene;
  scene.bodies = {piece("flesh", -0.5, 0.5, 8, soft)};
  Collider bone{.name = "bone", .shape = CapsuleShape{{-1, 0, 0}, {0, 0, 0}, 0.05}};
  scene.colliders = {bone};
  scene.bodies[0].pins = {
      {.box = {{-far_away, -0.01, -0.01}, {0.01, 0.01, 0.01}}, .collider = "bone"}};
  return scene;
}

TEST(Followers, FleshFollowsABoneThatTurns) {
  Scene scene = flesh_on_bone();
  scene.colliders[0].motion.rotate = Rotation{.axis = {0, 0, 1}, .degrees_per_second = 90};
  scene.gravity = {0, 0, 0};
  Simulation simulation(scene);
  test::run(simulation, 30);
  const std::vector<Vec3> now = positions_of(simulation);
  const auto& rest = scene.bodies[0].mesh.vertices;
  int held = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (std::abs(rest[i][1]) > 0.01 || std::abs(rest[i][2]) > 0.01 || rest[i][0] > 0.01) continue;
    ++held;
    EXPECT_LT(norm(minus(now[i], {-rest[i][1], rest[i][0], rest[i][2]})), 2e-3);
  }
  EXPECT_EQ(held, 5);
  EXPECT_TRUE(simulation.contacts().empty());
}

TEST(Followers, TheColliderBearsTheirWeight) {
  Scene scene = flesh_on_bone();
  scene.damping.drag = 10;
  Simulation simulation(scene);
  test::run(simulation, 120);
  const double weight = 1000 * 0.25 * 0.25 * 9.81;
  const ColliderForce force = simulation.collider_forces()[0];
  EXPECT_NEAR(force.force[1], -weight, 1e-3 * weight);
  // Its middle is half a metre to the side of the body's.
  EXPECT_NEAR(force.torque[2], -0.5 * weight, 0.05 * weight);
}

TEST(Followers, GoWithAColliderThatIsSetAnew) {
  Scene scene = flesh_on_bone();
  scene.gravity = {0, 0, 0};
  Simulation simulation(scene);
  std::vector<Collider> colliders = scene.colliders;
  colliders[0].motion.keyframes = {{.time = 0, .translate = {0, 0.1, 0}}};
  simulation.set_colliders(colliders);
  test::run(simulation, 60);
  double mean = 0;
  for (const Vec3& x : positions_of(simulation)) mean += x[1];
  EXPECT_NEAR(mean / static_cast<double>(scene.bodies[0].mesh.vertices.size()), 0.1, 0.01);
  EXPECT_EQ(place_of([&] { simulation.set_colliders({}); }), "/bodies/0/pins/0/collider");
  test::run(simulation, 1);
}

TEST(Bonds, GoWithABodyThatIsRemoved) {
  Simulation simulation(two_halves(1));
  test::run(simulation, 3);
  simulation.remove_body(simulation.handle(0));
  EXPECT_TRUE(simulation.scene().bonds.empty());
  Simulation other = test::fresh(simulation);
  test::run(simulation, 5);
  test::run(other, 5);
  test::expect_same_bits(simulation, other);
}

TEST(Bonds, StayWhereAnotherBodyComesOrGoes) {
  Simulation simulation(two_halves(1));
  test::run(simulation, 3);
  Body third = piece("third", 0.2, 0.6, 4, soft);
  for (Vec3& x : third.mesh.vertices) x[1] += 1;
  simulation.add_body(third);
  Simulation other = test::fresh(simulation);
  test::run(simulation, 5);
  test::run(other, 5);
  test::expect_same_bits(simulation, other);
}

void make_and_undo(Scene scene) {
  const std::vector<Bond> bonds = scene.bonds;
  scene.bonds.clear();
  Simulation simulation(scene);
  std::vector<int> face;
  for (std::size_t i = 0; i < scene.bodies[1].mesh.vertices.size(); ++i) {
    if (scene.bodies[1].mesh.vertices[i][0] < 0.5 + 1e-6) face.push_back(static_cast<int>(i));
  }
  const Attachment held = simulation.attach(1, face, 0);
  EXPECT_TRUE(simulation.is_attached(held));
  test::run(simulation, 15);
  scene.bonds = bonds;
  Simulation other(scene);
  test::run(other, 15);
  double away = 0;
  const std::vector<Vec3> now = positions_of(simulation), then = positions_of(other);
  for (std::size_t i = 0; i < now.size(); ++i) away = std::max(away, norm(minus(now[i], then[i])));
  EXPECT_LT(away, 2e-3);
  // The near half carries the far one, whose acceleration is small.
  EXPECT_GT(simulation.force(held)[1], 0);
  EXPECT_EQ(simulation.forces(held).size(), face.size());
  EXPECT_EQ(place_of([&] { simulation.set_target(held, {0, 0, 0}); }), "attachment");
  simulation.detach(held);
  EXPECT_FALSE(simulation.is_attached(held));
  const double before = positions_of(simulation).back()[1];
  test::run(simulation, 10);
  EXPECT_LT(positions_of(simulation).back()[1], before - 0.3) << "it falls";
}

TEST(Bonds, CanBeMadeAndUndoneWhileASceneRuns) { make_and_undo(two_halves(1)); }

TEST(Bonds, SoTheyCanWithXpbd) { make_and_undo(with_xpbd(two_halves(1))); }

TEST(Bonds, MadeWhileASceneRunsEndWithEitherBody) {
  Scene scene = two_halves(1);
  scene.bonds.clear();
  Simulation simulation(scene);
  const std::vector<int> some{0, 1};
  const Attachment held = simulation.attach(1, some, 0);
  simulation.remove_body(simulation.handle(0));
  EXPECT_FALSE(simulation.is_attached(held));
  test::run(simulation, 2);
}

TEST(Bonds, BadOnesAreRefusedWithTheirPlace) {
  const Scene good = two_halves(1);
  const auto where = [&](const auto& edit) {
    Scene scene = good;
    edit(scene);
    return place_of([&] { Simulation refused(scene); });
  };
  EXPECT_EQ(where([](Scene&) {}), "nothing");
  EXPECT_EQ(where([](Scene& s) { s.bonds[0].body = "fra"; }), "/bonds/0/body");
  EXPECT_EQ(where([](Scene& s) { s.bonds[0].to = "nar"; }), "/bonds/0/to");
  EXPECT_EQ(where([](Scene& s) { s.bonds[0].to = "far"; }), "/bonds/0/to");
  EXPECT_EQ(where([](Scene& s) { s.bonds[0].select = {}; }), "/bonds/0/select");
  EXPECT_EQ(where([](Scene& s) { s.bonds[0].select.vertices = {100000}; }),
            "/bonds/0/select/vertices");
  EXPECT_EQ(where([](Scene& s) { s.bonds[0].stiffness = -1; }), "/bonds/0/stiffness");
  EXPECT_EQ(where([](Scene& s) { s.bonds[0].stiffness = NAN; }), "/bonds/0/stiffness");
  EXPECT_EQ(where([](Scene& s) { s.bonds[0].distance = NAN; }), "/bonds/0/distance");
  EXPECT_EQ(where([](Scene& s) {
              s.bonds[0].select = {.box = slab(1)};
              s.bonds[0].distance = 0.1;
            }),
            "/bonds/0/distance");
  EXPECT_EQ(where([](Scene& s) { s.time.integrator = TimeIntegrator::symplectic_euler; }),
            "/bonds/0/stiffness");
  const auto seam = [](Scene& s, Seam own) { s.seams = {std::move(own)}; };
  EXPECT_EQ(where([&](Scene& s) {
              seam(s, {.a = {"far", {.vertices = {1}}}, .b = {"far", {.vertices = {1}}}});
            }),
            "/seams/0/b/select");
  EXPECT_EQ(where([&](Scene& s) {
              seam(s, {.a = {"far", {.vertices = {1}}}, .b = {"off", {.vertices = {1}}}});
            }),
            "/seams/0/b/body");
  EXPECT_EQ(
      where([&](Scene& s) {
        seam(s, {.a = {"far", {.vertices = {1}}}, .b = {"near", {.vertices = {1}}}, .close = -1});
      }),
      "/seams/0/close");
  EXPECT_EQ(where([](Scene& s) { s.bodies[0].pins[0].collider = "bone"; }),
            "/bodies/0/pins/0/collider");
  Simulation simulation(good);
  const std::vector<int> one{0}, twice{0, 0}, none, beyond{1 << 20};
  EXPECT_EQ(place_of([&] { simulation.attach(0, one, 0); }), "to");
  EXPECT_EQ(place_of([&] { simulation.attach(0, one, 2); }), "to");
  EXPECT_EQ(place_of([&] { simulation.attach(0, one, -1); }), "to");
  EXPECT_EQ(place_of([&] { simulation.attach(0, twice, 1); }), "vertices");
  EXPECT_EQ(place_of([&] { simulation.attach(0, none, 1); }), "vertices");
  EXPECT_EQ(place_of([&] { simulation.attach(0, beyond, 1); }), "vertices");
  EXPECT_EQ(place_of([&] { simulation.attach(0, one, 1, NAN); }), "stiffness");
  EXPECT_EQ(place_of([&] { simulation.attach(0, one, 1, -5); }), "stiffness");
  test::run(simulation, 1);
}

/// At any size: a millimetre and a hundred metres.
TEST(Bonds, HoldAtAnySize) {
  for (const double size : {1e-3, 100.0}) {
    Scene scene = two_halves(1);
    for (Body& body : scene.bodies) {
      for (Vec3& x : body.mesh.vertices) {
        for (double& own : x) own *= size;
      }
      // As stiff in proportion to its weight.
      body.material = rubber(size * soft);
    }
    scene.time.step = std::sqrt(size) / 30;
    scene.bodies[0].pins[0].box = slab(0, 1e-6 * size);
    scene.bodies[0].pins[0].stiffness = 1e7 * size * size;
    scene.bonds[0].select.box = slab(0.5 * size, 1e-6 * size);
    Simulation simulation(scene);
    test::run(simulation, 15);
    const auto n = static_cast<std::size_t>(simulation.body_vertices()[1]);
    const std::vector<Vec3> now = positions_of(simulation);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = n; j < now.size(); ++j) {
        const Vec3 &a = scene.bodies[0].mesh.vertices[i], &b = scene.bodies[1].mesh.vertices[j - n];
        if (norm(minus(a, b)) > 1e-9 * size) continue;
        EXPECT_LT(norm(minus(now[i], now[j])), 0.01 * size);
      }
    }
  }
}

}  // namespace
}  // namespace supple
