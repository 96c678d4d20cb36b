// Bodies that touch each other and themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include "math/vec3.h"
#include "sim/test_scenes.h"
#include "supple/compare.h"
#include "supple/warnings.h"

namespace supple {
namespace {

using vec3::operator-;
using vec3::cross;
using vec3::dot;
Body block(const Vec3& center, double size = 0.5, int cells = 3,
           const std::string& model = "neo_hookean") {
  Body body{.mesh = generate(BoxGenerator{
                .size = {size, size, size}, .cells = {cells, cells, cells}, .center = center})};
  body.material = test::soft_material(model);
  return body;
}

/// Turned about the x axis through the origin of its mesh.
void turn(Body& body, double degrees, const Vec3& shift) {
  const double a = degrees * std::numbers::pi / 180;
  for (Vec3& x : body.mesh.vertices) {
    x = {x[0] + shift[0], std::cos(a) * x[1] - std::sin(a) * x[2] + shift[1],
         std::sin(a) * x[1] + std::cos(a) * x[2] + shift[2]};
  }
}

Scene with_bodies(std::vector<Body> bodies, double step = 1.0 / 60) {
  Scene scene;
  scene.bodies = std::move(bodies);
  scene.time.step = step;
  scene.gravity = {0, 0, 0};
  return scene;
}

/// Whether a segment from a to b passes through a triangle.
bool pierces(const Vec3& a, const Vec3& b, const Vec3& p, const Vec3& q, const Vec3& r) {
  const auto side = [](const Vec3& u, const Vec3& v, const Vec3& w, const Vec3& x) {
    return dot(cross(v - u, w - u), x - u);
  };
  // Faces of a block lie in one plane, up to rounding.
  if (!(side(p, q, r, a) * side(p, q, r, b) < -1e-24)) return false;
  const double s = side(a, b, p, q), t = side(a, b, q, r), u = side(a, b, r, p);
  return (s > 0 && t > 0 && u > 0) || (s < 0 && t < 0 && u < 0);
}

/// Number of edges of surface triangles that pass through other triangles.
int num_intersections(const Simulation& simulation) {
  const std::vector<Vec3> x = test::positions_of(simulation);
  const auto at = [&](int v) { return x[static_cast<std::size_t>(v)]; };
  int count = 0;
  for (const auto& edges : simulation.surface()) {
    for (std::size_t i = 0; i < 3; ++i) {
      const int a = edges[i], b = edges[(i + 1) % 3];
      for (const auto& t : simulation.surface()) {
        if (std::find(t.begin(), t.end(), a) != t.end()) continue;
        if (std::find(t.begin(), t.end(), b) != t.end()) continue;
        count += pierces(at(a), at(b), at(t[0]), at(t[1]), at(t[2])) ? 1 : 0;
      }
    }
  }
  return count;
}

Vec3 middle_of(const Simulation& simulation, std::size_t body) {
  const std::vector<Vec3> x = test::positions_of(simulation);
  const int first = simulation.body_vertices()[body], last = simulation.body_vertices()[body + 1];
  Vec3 sum{0, 0, 0};
  for (int i = first; i < last; ++i) {
    for (std::size_t k = 0; k < 3; ++k)
      sum[k] += x[static_cast<std::size_t>(i)][k] / (last - first);
  }
  return sum;
}

/// Masses of the vertices, kg.
std::vector<double> masses_of(const Simulation& simulation) {
  std::vector<double> masses(static_cast<std::size_t>(simulation.num_vertices()));
  int first = 0;
  for (const Body& body : simulation.scene().bodies) {
    const auto& x = body.mesh.vertices;
    for (const auto& t : body.mesh.tets) {
      const auto at = [&](std::size_t i) { return x[static_cast<std::size_t>(t[i])]; };
      const double volume = dot(cross(at(1) - at(0), at(2) - at(0)), at(3) - at(0)) / 6;
      for (const int v : t) {
        masses[static_cast<std::size_t>(first + v)] += body.density * std::abs(volume) / 4;
      }
    }
    first += static_cast<int>(x.size());
  }
  return masses;
}

/// Momentum, kg m/s, and angular momentum about the origin, kg m^2/s.
std::array<Vec3, 2> momenta(const Simulation& simulation) {
  const auto n = static_cast<std::size_t>(simulation.num_vertices());
  std::vector<double> x(3 * n), v(3 * n);
  simulation.copy_positions(x);
  simulation.copy_velocities(v);
  const std::vector<double> masses = masses_of(simulation);
  std::array<Vec3, 2> sums{};
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 at{x[3 * i], x[3 * i + 1], x[3 * i + 2]}, w{v[3 * i], v[3 * i + 1], v[3 * i + 2]};
    const Vec3 turn = cross(at, w);
    for (std::size_t k = 0; k < 3; ++k) {
      sums[0][k] += masses[i] * w[k];
      sums[1][k] += masses[i] * turn[k];
    }
  }
  return sums;
}

/// Two blocks that fly at each other askew at 4 m/s each.
Scene collision(const std::string& method, const std::string& model) {
  Body left = block({0, 0, 0}, 0.5, 3, model), right = left;
  turn(left, 10, {-0.4, 0, 0});
  turn(right, 33, {0.4, 0.1, 0.05});
  left.velocity = {4, 0, 0};
  right.velocity = {-4, 0, 0};
  Scene scene = with_bodies({left, right});
  scene.solver.method = from_string<SolverMethod>(method);
  return scene;
}

class BodyContactOfSolver : public testing::TestWithParam<std::string> {};

std::vector<std::string> solvers() {
  std::vector<std::string> names;
  for (const Description& solver : list_solvers()) names.push_back(solver.name);
  return names;
}

TEST_P(BodyContactOfSolver, BodiesThatFlyAtEachOtherNeverIntersect) {
  Scene scene = collision(GetParam(), test::material_of(GetParam()));
  Simulation simulation(scene);
  for (int frame = 0; frame < 15; ++frame) {
    test::run(simulation, 1);
    ASSERT_EQ(num_intersections(simulation), 0) << frame;
  }
  // Freely they would be half a metre past each other.
  EXPECT_LT(middle_of(simulation, 0)[0], middle_of(simulation, 1)[0]);
}
INSTANTIATE_TEST_SUITE_P(Solvers, BodyContactOfSolver, testing::ValuesIn(solvers()),
                         [](const auto& solver) { return solver.param; });

TEST(BodyContact, EnergyDoesNotRiseAndBodiesPart) {
  Simulation simulation(collision("l_bfgs", "neo_hookean"));
  const auto energy = [&] { return simulation.energies().kinetic + simulation.energies().elastic; };
  double last = energy();
  for (int frame = 0; frame < 25; ++frame) {
    const StepReport report = simulation.step();
    // The energy of the layers is not part of the state and is added here.
    const double now = energy() + report.contact_energy;
    EXPECT_LE(now, 1.001 * last) << frame;
    EXPECT_EQ(report.held_back, 0) << frame;
    EXPECT_EQ(report.overlaps, 0) << frame;
    last = now;
  }
  EXPECT_LT(momenta(simulation)[0][0], 1e-3);
  EXPECT_GT(middle_of(simulation, 1)[0] - middle_of(simulation, 0)[0], 0.55);
}

/// A sheet of 1 cm and 2 mg that falls on a box by more than a cell per step and touches itself.
/// The descent starts in free fall, from where many contacts are found late.
Scene falling_sheet(double step, int cells) {
  const double thickness = 1.97e-5;
  Scene scene;
  scene.time.step = step;
  scene.solver.iterations = 10;
  scene.solver.start = DescentStart::inertia;
  Body body = test::sheet(
      {.center = {0, 0.012, 0}, .u = {0.01, 0, 0}, .v = {0, 0, -0.01}, .cells = {cells, cells}});
  const auto [mu, lambda] = lame_parameters(8.8e5, 0.3);
  body.density = 1000 * thickness;
  body.material = {.model = "stvk", .mu = mu, .lambda = lambda};
  body.membrane = MembraneSettings{.thickness = thickness, .bending = 5.6e-10};
  scene.bodies = {body};
  scene.colliders = {{"ground", PlaneShape{}, {}},
                     {"box", BoxShape{.center = {0, 0.004, 0}, .size = {0.004, 0.006, 0.004}}, {}}};
  scene.contact.friction = 0.3;
  scene.contact.self = true;
  scene.damping.drag = 0.5;
  return scene;
}

/// Energy of the sheet in units of its weight times its size.
double energy_of_sheet(const Simulation& simulation) {
  const Energies parts = simulation.energies();
  const double weight = 9.81 * simulation.scene().bodies[0].density * 1e-4;
  return (parts.kinetic + parts.elastic + parts.gravity) / (weight * 0.01);
}

TEST(BodyContact, ALightClothIsNotThrownByWhatItFallsOn) {
  bool was_divided = false;
  for (const double step : {1.0 / 120, 1.0 / 60, 1.0 / 30}) {
    for (const int cells : {8, 9, 10, 12, 13}) {
      const Scene scene = falling_sheet(step, cells);
      Simulation simulation(scene);
      const double start = energy_of_sheet(simulation);
      const double unit = 9.81 * scene.bodies[0].density * 1e-6;
      for (int frame = 0; frame < 60; ++frame) {
        const StepReport report = simulation.step();
        was_divided = was_divided || report.steady_substeps > 0;
        EXPECT_LE(energy_of_sheet(simulation) + report.contact_energy / unit, start + 0.02)
            << step << ", " << cells << ", " << frame;
        EXPECT_LT(report.deepest_penetration, 1e-4) << step << ", " << cells << ", " << frame;
      }
    }
  }
  EXPECT_TRUE(was_divided);  // otherwise this test shows nothing
}

TEST(BodyContact, WhatContactsThatWereFoundLateThrowIsSaid) {
  int thrown = 0;
  for (const double step : {1.0 / 120, 1.0 / 60}) {
    for (const int cells : {4, 7, 11, 12}) {
      Scene scene = falling_sheet(step, cells);
      std::get<BoxShape>(scene.colliders[1].shape).degrees = 30;
      scene.contact.self = false;
      Simulation simulation(scene);
      RunWatch watch(scene);
      // Nothing does work on the sheet, so it gains energy in no frame.
      double before = energy_of_sheet(simulation), most = 0;
      for (int frame = 1; frame <= 40; ++frame) {
        const StepReport report = simulation.step();
        watch.add(frame, report, simulation.energies());
        const double energy = energy_of_sheet(simulation);
        most = std::max(most, energy - before);
        before = energy;
      }
      bool said = false;
      for (const Warning& warning : watch.warnings()) said = said || warning.code == "energy_gain";
      EXPECT_EQ(said, most > 0.1) << step << ", " << cells << ": " << most;
      thrown += most > 0.1 ? 1 : 0;
    }
  }
  EXPECT_GT(thrown, 0);
}

TEST(BodyContact, WhereItsFallIsHeldBackALightClothIsNeitherThrownNorDivided) {
  for (const double step : {1.0 / 120, 1.0 / 60, 1.0 / 30}) {
    for (const int cells : {4, 8, 11, 13}) {
      Scene scene = falling_sheet(step, cells);
      scene.solver.start = DescentStart::automatic;
      Simulation simulation(scene);
      double before = energy_of_sheet(simulation);
      for (int frame = 0; frame < 60; ++frame) {
        EXPECT_EQ(simulation.step().steady_substeps, 0) << step << ", " << cells << ", " << frame;
        const double energy = energy_of_sheet(simulation);
        EXPECT_LE(energy - before, 0.1) << step << ", " << cells << ", " << frame;
        before = energy;
      }
    }
  }
}

/// Turns a body about an axis through the origin, and then shifts it.
void turn_about(Body& body, const Vec3& axis, double degrees, const Vec3& shift) {
  using namespace vec3;
  const double a = degrees * std::numbers::pi / 180;
  const Vec3 n = (1 / norm(axis)) * axis;
  for (Vec3& x : body.mesh.vertices) {
    x = shift + std::cos(a) * x + std::sin(a) * cross(n, x) + (1 - std::cos(a)) * dot(n, x) * n;
  }
}

TEST(BodyContact, WhatContactsThatWereFoundLateThrowIsSaidByXpbd) {
  // At rest the material holds 94 J, 400 times what the bodies bring.
  int thrown = 0;
  for (const double shift : {-8e-4, -1e-3}) {
    Scene scene = collision("xpbd", "stable_neo_hookean");
    scene.time.substeps = 10;
    scene.solver.iterations = 1;
    scene.contact.friction = 0.3;
    Body &box = scene.bodies[0], &ring = scene.bodies[1];
    box.mesh = generate(BoxGenerator{.size = {0.159077, 0.0834709, 0.0639343}, .cells = {2, 2, 2}});
    ring.mesh = generate(TorusGenerator{.major = 0.0508208, .minor = 0.0197637});
    std::tie(box.material.mu, box.material.lambda) = lame_parameters(659554, 0.31617);
    std::tie(ring.material.mu, ring.material.lambda) = lame_parameters(682590, 0.303928);
    turn_about(box, {-0.243776, -1.328315, 0.172274}, 177.2325, {-0.248398, 0.013569, -0.045097});
    turn_about(ring, {2.040877, -0.830141, -2.548617}, 1.235629,
               {0.248398, 0.01785 + shift, -0.009339});
    box.density = 1970.4;
    ring.density = 5900;
    box.velocity = {0.313695, 0, 0};
    ring.velocity = {-0.34928, 0, 0};
    Simulation simulation(scene, {.threads = 1});
    RunWatch watch(scene);
    const Energies start = simulation.energies();
    double most = 0;
    for (int frame = 1; frame <= 40; ++frame) {
      const StepReport report = simulation.step();
      const Energies now = simulation.energies();
      watch.add(frame, report, now);
      most = std::max(most, now.kinetic + now.elastic + report.contact_energy - start.elastic);
    }
    bool said = false;
    for (const Warning& warning : watch.warnings()) said = said || warning.code == "energy_gain";
    const double gain = most / start.kinetic - 1;
    EXPECT_TRUE(said || gain < 0.15) << shift << ": " << gain;
    thrown += gain > 0.15 ? 1 : 0;
  }
  EXPECT_GT(thrown, 0);
}

TEST(BodyContact, KeepsMomentumAsFarAsStepsAreSolved) {
  Scene scene = collision("l_bfgs", "neo_hookean");
  scene.contact.friction = 0.3;
  scene.solver.iterations = 30;
  Simulation simulation(scene);
  bool touched = false;
  for (int frame = 0; frame < 15; ++frame) {
    const auto start = momenta(simulation);
    const StepReport report = simulation.step();
    ASSERT_EQ(report.held_back, 0);
    touched = touched || report.contacts > 0;
    // The forces of a pair of features cancel. What is left is the sum of the gradient, at most
    // sqrt(n) times its norm. Total 500 kg m/s.
    const double left =
        std::sqrt(simulation.num_vertices()) * report.gradient_norm * scene.time.step;
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(momenta(simulation)[0][k], start[0][k], left + 1e-9 * 500) << frame;
    }
  }
  EXPECT_TRUE(touched);
}

/// Change of the angular momentum in a collision, kg m^2/s.
double lost_angular_momentum(int substeps) {
  Scene scene = collision("l_bfgs", "neo_hookean");
  scene.solver.iterations = 20;
  scene.time.substeps = substeps;
  Simulation simulation(scene);
  const Vec3 before = momenta(simulation)[1];
  test::run(simulation, 8);
  const Vec3 lost = momenta(simulation)[1] - before;
  return std::hypot(lost[0], lost[1], lost[2]);
}

TEST(BodyContact, KeepsAngularMomentumAsStepsGetSmaller) {
  // A plane stays for a step in which its features slide along it, and backward Euler damps
  // rotation. Both errors are of first order, so an eighth of the step should leave less than a
  // third.
  const double coarse = lost_angular_momentum(1), fine = lost_angular_momentum(8);
  EXPECT_LT(fine, coarse / 3);
}

TEST(BodyContact, AStackOfCubesThatTouchAtTheStartStaysAStack) {
  Scene scene = with_bodies({block({0, 0.25, 0}), block({0, 0.75, 0}), block({0, 1.25, 0})});
  // At 1e5 Pa the column would buckle under its own weight.
  for (Body& body : scene.bodies) {
    body.material.mu = 10 * body.material.mu.value;
    body.material.lambda = 10 * body.material.lambda.value;
  }
  scene.gravity = {0, -9.81, 0};
  scene.colliders = {{"floor", PlaneShape{}, {}}};
  scene.contact.friction = 0.4;
  Simulation simulation(scene);
  RunWatch watch(scene);
  for (int frame = 0; frame < 240; ++frame) {
    const StepReport report = simulation.step();
    watch.add(frame + 1, report, simulation.energies());
    ASSERT_EQ(report.overlaps, 0);
  }
  EXPECT_EQ(num_intersections(simulation), 0);
  const double height = middle_of(simulation, 2)[1];
  // 1e6 Pa and 1000 kg/m^3: each block sags by some millimetres under itself and its load.
  EXPECT_GT(height, 1.22);
  EXPECT_LT(height, 1.25);
  EXPECT_LT(simulation.energies().kinetic, 1e-2);
  // Nothing but rounding pushes it aside.
  for (const std::size_t body : {1, 2}) {
    const Vec3 middle = middle_of(simulation, body);
    EXPECT_LT(std::hypot(middle[0], middle[2]), 0.02) << body;
  }
  const Vec3 before = middle_of(simulation, 2);
  test::run(simulation, 240);
  const Vec3 after = middle_of(simulation, 2);
  // Friction holds up to a slip of 1 mm/s; a standing block does not use that up.
  EXPECT_LT(std::hypot(after[0] - before[0], after[2] - before[2]), 1e-3);
}

/// How far a block slides on a slab that is held at an angle, degrees, in the second and the last
/// third of a second. The factors say how much stiffer than flesh the two materials are.
double slide(double degrees, double friction, double of_slab = 10, double of_block = 10) {
  Body slab{.mesh = generate(
                BoxGenerator{.size = {1, 0.2, 4}, .cells = {2, 1, 8}, .center = {0, -0.1, 0}})};
  slab.material = test::soft_material("neo_hookean");
  slab.pins = {{.box = {{-9, -9, -9}, {9, 9, 9}}, .stiffness = 1e8}};
  Body sliding = block({0, 0.2502, 0});
  for (const auto& [body, factor] : {std::pair{&slab, of_slab}, {&sliding, of_block}}) {
    body->material.mu = factor * body->material.mu.value;
    body->material.lambda = factor * body->material.lambda.value;
  }
  turn(slab, degrees, {0, 0, 0});
  turn(sliding, degrees, {0, 0, 0});
  Scene scene = with_bodies({slab, sliding});
  scene.gravity = {0, -9.81, 0};
  scene.contact.friction = friction;
  Simulation simulation(scene);
  test::run(simulation, 20);
  const Vec3 start = middle_of(simulation, 1);
  test::run(simulation, 40);
  const Vec3 way = middle_of(simulation, 1) - start;
  return std::hypot(way[0], way[1], way[2]);
}

/// Below 1 mm/s, friction grows with the slip (contact/contact_energy.h): m, in two thirds of 1 s.
constexpr double friction_slip = 1e-3;

/// The share of the next step's decrease that ten iterations of L-BFGS leave, relative to 80
/// iterations with a longer history.
double error_after_ten(Scene scene, const Simulation& simulation) {
  ConvergedStep unknown;
  unknown.positions = simulation.state().positions;
  scene.solver.method = SolverMethod::l_bfgs;
  scene.solver.iterations = 80;
  scene.solver.history = 20;
  const double least =
      record_descent(scene, simulation.state(), unknown, 1).points.back().objective;
  scene.solver.iterations = 10;
  scene.solver.history = 5;
  const ConvergenceCurve curve = record_descent(scene, simulation.state(), unknown, 1);
  const double start = curve.points.front().objective, end = curve.points.back().objective;
  return (end - least) / (start - least);
}

/// Twelve blocks, each layer shifted by half a block, with several hundred rubbing contacts: too
/// many for one dense system. If they stayed in the matrix, ten iterations would leave 0.3 % of the
/// error in the median of these frames, and more than a tenth in two of them.
TEST(BodyContact, APileOfManyContactsIsSolvedInTenIterations) {
  Scene scene;
  scene.colliders = {{"ground", PlaneShape{}, {}}};
  scene.contact.friction = 0.3;
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 6;
  for (int i = 0; i < 12; ++i) {
    const double shift = i / 4 % 2 == 0 ? 0 : 0.25;
    scene.bodies.push_back(block({0.55 * (i % 2) + shift + 0.003 * (i * 7 % 5),
                                  0.26 + 0.53 * (i / 4), 0.55 * (i / 2 % 2) + shift + 0.001 * i},
                                 0.5, 6, "stable_neo_hookean"));
  }
  Simulation simulation(scene);
  test::run(simulation, 6);
  std::array<double, 5> errors{};
  for (double& error : errors) {
    test::run(simulation, 2);
    error = error_after_ten(scene, simulation);
    EXPECT_LT(error, 1e-2);
  }
  std::sort(errors.begin(), errors.end());
  EXPECT_LT(errors[2], 1e-3);
}

/// Eight blocks, each turned a little, fall on each other and rub. With contacts in the matrix, the
/// line search would cut every step, and the first two of these frames would end at 37 % and 53 %
/// of the error.
TEST(BodyContact, ImpactsThatRubAreSolvedInTenIterations) {
  Scene scene;
  scene.colliders = {{"ground", PlaneShape{}, {}}};
  scene.time.step = 1.0 / 60;
  scene.contact.friction = 0.3;
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 6;
  for (int i = 0; i < 8; ++i) {
    Body body = block({0, 0, 0}, 1);
    const int layer = i / 4;
    turn(body, 3 + 7 * i % 17,
         {1.15 * (i % 2) + 0.3 * layer, 0.8 + 1.35 * layer, 1.15 * (i / 2 % 2) + 0.2 * layer});
    scene.bodies.push_back(body);
  }
  Simulation simulation(scene);
  test::run(simulation, 23);
  for (int frame = 28; frame <= 36; frame += 4) {
    test::run(simulation, 4);
    EXPECT_LT(error_after_ten(scene, simulation), 1e-2) << frame;
  }
}

TEST(BodyContact, FrictionHoldsBelowItsAngleAndSlowsAboveIt) {
  // tan 26 = 0.488, tan 35 = 0.70.
  EXPECT_LT(slide(26, 0.55), friction_slip);
  const double a =
      9.81 * (std::sin(35 * std::numbers::pi / 180) - 0.5 * std::cos(35 * std::numbers::pi / 180));
  // Friction depends on the forces of the step before. At first there are none, so the block is
  // faster by what friction takes in a step.
  const double faster = 9.81 * 0.5 * std::cos(35 * std::numbers::pi / 180) / 60;
  const double way = a / 2 * (1 - 1.0 / 9) + faster * 2 / 3;
  EXPECT_NEAR(slide(35, 0.5), way, 0.06 * way);
  // A case in which ten iterations leave large errors in stiff contacts.
  EXPECT_LT(slide(20, 0.5, 1e2, 1e4), friction_slip);
  EXPECT_NEAR(slide(35, 0.5, 1e2, 1e4), way, 0.06 * way);
}

TEST(BodyContact, ThinSheetsAndStrandsDoNotPassEachOtherAtAnySpeed) {
  for (const double speed : {2.0, 20.0, 200.0}) {
    Body sheet = test::cloth_body(), strand;
    const Vec3 center = [&] {
      Vec3 sum{0, 0, 0};
      for (const Vec3& x : sheet.mesh.vertices) {
        for (std::size_t k = 0; k < 3; ++k) {
          sum[k] += x[k] / static_cast<double>(sheet.mesh.vertices.size());
        }
      }
      return sum;
    }();
    for (int i = 0; i < 5; ++i) {
      strand.mesh.vertices.push_back(
          {center[0] - 0.4 + 0.2 * i, center[1] + 0.3, center[2] + 0.03 * i - 0.05});
      if (i > 0) {
        strand.segments.push_back({i - 1, i});
        strand.springs.push_back({i - 1, i, 1e4, 0.2});
      }
    }
    strand.velocity = {0, -speed, 0};
    strand.density = 0.1;
    Simulation simulation(with_bodies({sheet, strand}, 1.0 / 30));
    test::run(simulation, 10);
    const std::vector<Vec3> x = test::positions_of(simulation);
    const Vec3 own = x[static_cast<std::size_t>(simulation.body_vertices()[1]) + 2];
    int found = 0;
    for (const auto& t : simulation.surface()) {
      const auto at = [&](std::size_t i) { return x[static_cast<std::size_t>(t[i])]; };
      // Straight down, the strand meets the sheet; straight up, it does not.
      const Vec3 low = own - Vec3{0, 9, 0}, high = own - Vec3{0, -9, 0};
      found += pierces(own, low, at(0), at(1), at(2)) ? 1 : 0;
      EXPECT_FALSE(pierces(own, high, at(0), at(1), at(2))) << speed;
    }
    EXPECT_EQ(found, 1) << speed;
  }
}

TEST(BodyContact, AStripThatIsFoldedTouchesItself) {
  for (const bool self : {false, true}) {
    Body strip = test::hanging_membrane("neo_hookean").bodies[0];
    strip.mesh = {};
    strip.triangles.clear();
    constexpr int cells = 16;
    for (int i = 0; i <= cells; ++i) {
      for (int j = 0; j <= 2; ++j)
        strip.mesh.vertices.push_back({i / 16.0, 0.02 * (i % 2), j / 10.0});
    }
    for (int i = 0; i < cells; ++i) {
      for (int j = 0; j < 2; ++j) {
        const int a = 3 * i + j;
        strip.triangles.push_back({a, a + 1, a + 3});
        strip.triangles.push_back({a + 1, a + 4, a + 3});
      }
    }
    // One end is carried over to the other end and through it.
    strip.pins = {{.vertices = {0, 1, 2}, .stiffness = 1e3},
                  {.vertices = {48, 49, 50},
                   .stiffness = 1e3,
                   .motion = {.keyframes = {{.time = 0},
                                            {.time = 1, .translate = {-0.7, 0.3, 0}},
                                            {.time = 1.6, .translate = {-1.1, -0.3, 0}}}}}};
    Scene scene = with_bodies({strip});
    scene.contact.self = self;
    scene.gravity = {0, -2, 0};
    scene.solver.iterations = 20;
    Simulation simulation(scene);
    int most = 0;
    for (int frame = 0; frame < 100; ++frame) {
      test::run(simulation, 1);
      most = std::max(most, num_intersections(simulation));
    }
    EXPECT_EQ(most > 0, !self);
  }
}

TEST(BodyContact, BodiesThatOverlapAtTheStartPassUntilTheyPartAndAreReported) {
  Body first = block({0, 0, 0}), second = block({0.3, 0.05, 0.02});
  second.velocity = {3, 0, 0};
  Scene scene = with_bodies({first, second});
  Simulation simulation(scene);
  RunWatch watch(scene);
  StepReport report = simulation.step();
  watch.add(1, report);
  EXPECT_EQ(report.overlaps, 1);
  ASSERT_EQ(watch.warnings().size(), 1u);
  EXPECT_EQ(watch.warnings()[0].code, "self_intersection");
  for (int frame = 1; frame < 10; ++frame) report = simulation.step();
  EXPECT_EQ(report.overlaps, 0);
  EXPECT_NEAR(middle_of(simulation, 1)[0], 0.3 + 3.0 * 10 / 60, 0.05);
  // They touch from now on.
  simulation.set_velocity(1, {-6, 0, 0});
  for (int frame = 0; frame < 20; ++frame) report = simulation.step();
  EXPECT_EQ(num_intersections(simulation), 0);
  EXPECT_GT(middle_of(simulation, 1)[0], middle_of(simulation, 0)[0] + 0.3);
}

TEST(BodyContact, SwitchedOffBodiesPass) {
  Scene scene = collision("l_bfgs", "neo_hookean");
  scene.contact.bodies = false;
  Simulation simulation(scene);
  test::run(simulation, 15);
  EXPECT_GT(middle_of(simulation, 0)[0], middle_of(simulation, 1)[0]);
}

TEST(BodyContact, SameBitsAtAnyNumberOfThreadsAndFromACheckpoint) {
  Scene scene = with_bodies({block({0, 0.3, 0}), block({0.1, 0.83, 0.05}), block({0, 1.4, 0})});
  scene.gravity = {0, -9.81, 0};
  scene.colliders = {{"floor", PlaneShape{}, {}}};
  scene.contact = {.friction = 0.4, .self = true};
  test::expect_same_bits_however_run(scene, 12, 18);
  // The matrix of Newton's method holds the contacts of its own step, whatever came before.
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 4;
  test::expect_same_bits_however_run(scene, 12, 18);
  // Vertices of one colour that touch each other.
  scene.solver.method = SolverMethod::vertex_block_descent;
  test::expect_same_bits_however_run(scene, 12, 18);
}

/// The matrix includes what two bodies do to each other, so the last iterations double the digits.
TEST(BodyContact, NewtonConvergesQuadraticallyWhereBodiesTouch) {
  Scene scene = with_bodies({block({0, 0.26, 0}), block({0.1, 0.8, 0.05}), block({0, 1.34, 0})});
  scene.gravity = {0, -9.81, 0};
  scene.colliders = {{"floor", PlaneShape{}, {}}};
  Simulation first(scene);
  test::run(first, 33);
  ASSERT_GT(first.contacts().size(), 5u);
  scene.solver = {.method = SolverMethod::newton, .iterations = 50, .tolerance = 1e-10};
  for (const LinearSolver linear : {LinearSolver::direct, LinearSolver::cg}) {
    scene.solver.linear_solver = linear;
    scene.solver.linear_iterations = 1000;
    Simulation simulation(scene);
    simulation.set_state(first.state());
    for (int frame = 0; frame < 5; ++frame) {
      const StepReport report = simulation.step();
      EXPECT_LE(report.iterations, 8) << frame;
    }
  }
}

TEST(BodyContact, OtherCollidersAndMaterialsKeepWhatTouches) {
  Scene scene = with_bodies({block({0, 0.25, 0}), block({0, 0.752, 0})});
  scene.gravity = {0, -9.81, 0};
  scene.colliders = {{"floor", PlaneShape{}, {}}};
  Simulation simulation(scene);
  test::run(simulation, 20);
  simulation.set_colliders({{"floor", PlaneShape{}, {}}, {"far", SphereShape{{9, 9, 9}, 1}, {}}});
  simulation.set_material(1, test::soft_material("corotated"));
  simulation.set_friction(0.2);
  test::run(simulation, 40);
  EXPECT_GT(middle_of(simulation, 1)[1], middle_of(simulation, 0)[1] + 0.4);
  simulation.set_colliders({});
  test::run(simulation, 5);
  EXPECT_GT(middle_of(simulation, 1)[1], middle_of(simulation, 0)[1] + 0.4);
}

TEST(BodyContact, ForcesThatAreReadHoldWhatRests) {
  Body low = block({0, 0.25, 0}), high = block({0, 0.752, 0});
  high.density = 500;
  Scene scene = with_bodies({low, high});
  scene.gravity = {0, -9.81, 0};
  scene.colliders = {{"floor", PlaneShape{}, {}}};
  scene.contact.friction = 0.3;
  scene.damping.drag = 3;
  Simulation simulation(scene);
  EXPECT_TRUE(simulation.contacts().empty());
  test::run(simulation, 240);
  Vec3 on_low{0, 0, 0}, on_high{0, 0, 0}, from_floor{0, 0, 0};
  for (const BodyContact& contact : simulation.contacts()) {
    EXPECT_EQ(contact.collider == -1, contact.other_body != -1);
    for (std::size_t k = 0; k < 3; ++k) {
      if (contact.collider == 0) from_floor[k] += contact.force[k];
      const double sign = contact.body == 1 ? 1 : -1;
      if (contact.collider == -1) on_high[k] += sign * contact.force[k];
      if (contact.collider == -1) on_low[k] -= sign * contact.force[k];
    }
    if (contact.collider == 0) {
      EXPECT_EQ(contact.body, 0);
      EXPECT_NEAR(contact.point[1], -contact.depth, 1e-9);
      EXPECT_EQ(contact.normal, (Vec3{0, 1, 0}));
    }
  }
  // 62.5 kg on 125 kg.
  EXPECT_NEAR(on_high[1], 62.5 * 9.81, 0.02 * 62.5 * 9.81);
  EXPECT_NEAR(on_low[1], -on_high[1], 1e-9 * on_high[1]);
  EXPECT_NEAR(from_floor[1], 187.5 * 9.81, 0.02 * 187.5 * 9.81);
  simulation.set_state(simulation.state());
  EXPECT_TRUE(simulation.contacts().empty());
}

TEST(BodyContact, ForwardStepsKeepBodiesApart) {
  Scene scene = collision("l_bfgs", "neo_hookean");
  scene.time.integrator = TimeIntegrator::symplectic_euler;
  scene.time.substeps = 20;
  Simulation simulation(scene);
  for (int frame = 0; frame < 15; ++frame) {
    test::run(simulation, 1);
    ASSERT_EQ(num_intersections(simulation), 0) << frame;
  }
  EXPECT_LT(middle_of(simulation, 0)[0], middle_of(simulation, 1)[0]);
}

TEST(BodyContact, EveryIntegratorKeepsBodiesApart) {
  for (const std::string integrator : {"implicit_midpoint", "bdf2", "newmark", "quasi_static"}) {
    Scene scene = collision("l_bfgs", "neo_hookean");
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    if (integrator == "quasi_static") {
      // Held, and moved into each other.
      for (Body& body : scene.bodies) body.velocity = {0, 0, 0};
      scene.bodies[0].pins = {{.box = {{-9, -9, -9}, {-0.64, 9, 9}}, .stiffness = 1e5}};
      scene.bodies[1].pins = {{.box = {{0.64, -9, -9}, {9, 9, 9}},
                               .stiffness = 1e5,
                               .motion = {.velocity = Vec3{-1.6, 0, 0}}}};
    }
    Simulation simulation(scene);
    for (int frame = 0; frame < 15; ++frame) {
      test::run(simulation, 1);
      ASSERT_EQ(num_intersections(simulation), 0) << integrator << " " << frame;
    }
    EXPECT_LT(middle_of(simulation, 0)[0], middle_of(simulation, 1)[0]) << integrator;
  }
}

}  // namespace
}  // namespace supple
