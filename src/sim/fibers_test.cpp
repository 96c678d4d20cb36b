#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "math/mat3.h"
#include "sim/test_scenes.h"
#include "supple/compare.h"
#include "supple/error.h"
#include "supple/simulation.h"

/// Families of fibers, and curves of their stress.
namespace supple {
namespace {

using Points = std::vector<std::pair<double, double>>;

FiberSettings with_curve(const Vec3& direction, Points points) {
  FiberSettings fiber{.direction = direction};
  fiber.curve.points = std::move(points);
  return fiber;
}

/// Curves of an orthotropic material: soft and then stiff, straight, and stiff and then soft.
const std::array<Points, 3> axis_curves = {Points{{0.6, -3e3}, {1, 0}, {1.2, 1e3}, {1.5, 2e4}},
                                           Points{{0.5, -5e3}, {1, 0}, {2, 1e4}},
                                           Points{{0.7, -9e3}, {1, 0}, {1.1, 1e4}, {1.6, 1.6e4}}};

/// A cube of a metre with its three families along the columns of `axes`, which also turn the cube.
Scene cube(const Mat3<double>& axes) {
  Body body;
  body.name = "cube";
  body.mesh = generate(BoxGenerator{.size = {1, 1, 1}, .cells = {1, 1, 1}});
  for (Vec3& x : body.mesh.vertices) {
    const Vector3<double> turned = axes * Vector3<double>{{x[0], x[1], x[2]}};
    x = {turned[0], turned[1], turned[2]};
  }
  body.material.model = "corotated";
  body.material.mu = 1e4;
  for (int k = 0; k < 3; ++k) {
    body.fibers.push_back(
        with_curve({axes(0, k), axes(1, k), axes(2, k)}, axis_curves[static_cast<std::size_t>(k)]));
  }
  Pin pin;
  pin.vertices.resize(body.mesh.vertices.size());
  std::iota(pin.vertices.begin(), pin.vertices.end(), 0);
  pin.stiffness = 1e-6;
  body.pins = {pin};
  Scene scene = test::statics(body);
  scene.gravity = {0, 0, 0};
  return scene;
}

/// Pulls at both faces across the k-th axis with a stress that is even over their triangles. The
/// springs pull from ten metres away, so that the cube is in equilibrium when the axis is stretched
/// to `stretch` and the others are not stretched.
void pull(Scene& scene, const Mat3<double>& axes, int k, double stress, double stretch) {
  Body& body = scene.bodies[0];
  const auto along = [&](const Vec3& x) {
    return axes(0, k) * x[0] + axes(1, k) * x[1] + axes(2, k) * x[2];
  };
  std::vector<double> share(body.mesh.vertices.size(), 0);
  for (const auto& triangle : surface_triangles(body.mesh)) {
    double sum = 0;
    for (const int v : triangle) sum += along(body.mesh.vertices[static_cast<std::size_t>(v)]);
    if (std::abs(std::abs(sum) - 1.5) > 1e-9) continue;  // of another side
    // Each corner gets a third of its area.
    for (const int v : triangle) share[static_cast<std::size_t>(v)] += 0.5 / 3;
  }
  const double far = stress < 0 ? -10 : 10;
  for (std::size_t v = 0; v < share.size(); ++v) {
    if (share[v] == 0) continue;
    const double side = along(body.mesh.vertices[v]) < 0 ? -1 : 1;
    Pin pin;
    pin.vertices = {static_cast<int>(v)};
    pin.stiffness = stress * share[v] / (far - 0.5 * (stretch - 1));
    pin.motion.keyframes = {
        {.time = 0,
         .translate = {side * far * axes(0, k), side * far * axes(1, k), side * far * axes(2, k)}}};
    body.pins.push_back(pin);
  }
}

double length_along(const Simulation& simulation, const Mat3<double>& axes, int k) {
  double low = 1e9, high = -1e9;
  for (const Vec3& x : test::positions_of(simulation)) {
    const double along = axes(0, k) * x[0] + axes(1, k) * x[1] + axes(2, k) * x[2];
    low = std::min(low, along);
    high = std::max(high, along);
  }
  return high - low;
}

Mat3<double> slanted() {
  // The columns are at right angles to each other.
  Mat3<double> axes;
  const double numbers[9] = {2, -1, 2, 2, 2, -1, -1, 2, 2};
  for (int i = 0; i < 9; ++i) axes(i / 3, i % 3) = numbers[i] / 3;
  return axes;
}

/// Without lambda the stretches are independent: a traction t stretches axis k to s with
///   2 mu (s - 1) + T_k(s) = t,
/// and the other axes stay as they are.
TEST(FiberCurves, AUniaxialPullFindsTheStressOfEachAxis) {
  for (const Mat3<double>& axes : {Mat3<double>::identity(), slanted()}) {
    for (int k = 0; k < 3; ++k) {
      for (const auto& [stretch, stress] : axis_curves[static_cast<std::size_t>(k)]) {
        if (stretch == 1) continue;
        Scene scene = cube(axes);
        pull(scene, axes, k, 2e4 * (stretch - 1) + stress, stretch);
        Simulation simulation(scene, {.threads = 1});
        simulation.step();
        for (int i = 0; i < 3; ++i) {
          EXPECT_NEAR(length_along(simulation, axes, i), i == k ? stretch : 1, 1e-7)
              << "axis " << k << " at " << stretch;
        }
      }
    }
  }
}

Scene two_families() {
  Scene scene = test::fibrous_bar();
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 60;
  scene.solver.tolerance = 1e-12;
  return scene;
}

std::vector<double> after_steps(const Scene& scene, int steps = 2) {
  Simulation simulation(scene, {.threads = 1});
  for (int i = 0; i < steps; ++i) simulation.step();
  return simulation.state().positions;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

TEST(FiberFamilies, TheirEnergiesAdd) {
  Scene one = two_families(), parts = one, turned = one;
  one.bodies[0].fibers = {FiberSettings{{1, 2, 2}, 4e4}};
  parts.bodies[0].fibers = {FiberSettings{{1, 2, 2}, 1e4}, FiberSettings{{-1, -2, -2}, 3e4}};
  turned.bodies[0].fibers = {FiberSettings{{1, 2, -2}, 1e4}, FiberSettings{{1, 2, 2}, 3e4}};
  EXPECT_LT(distance(after_steps(one), after_steps(parts)), 1e-9);
  EXPECT_GT(distance(after_steps(one), after_steps(turned)), 1e-5);
}

TEST(FiberFamilies, TheirOrderDoesNotMatter) {
  const Scene scene = two_families();
  Scene other = scene;
  std::reverse(other.bodies[0].fibers.begin(), other.bodies[0].fibers.end());
  EXPECT_LT(distance(after_steps(scene), after_steps(other)), 1e-9);
}

/// Each family has its own activation. Three equal families with l = 1, 0.8 and 0.5 hold a cube
/// without lambda where 2 mu (s - 1) + kappa sum (s - l) = 0.
TEST(FiberFamilies, ContractByThemselves) {
  Scene scene = cube(Mat3<double>::identity());
  scene.bodies[0].fibers.clear();
  for (const double a : {0.0, 0.2, 0.5}) {
    FiberSettings fiber{{1, 0, 0}, 1e4};
    fiber.activation.keyframes = {{0, 0}, {1, a}};
    scene.bodies[0].fibers.push_back(fiber);
  }
  scene.time.step = 1;
  Simulation simulation(scene, {.threads = 1});
  simulation.step();
  EXPECT_NEAR(length_along(simulation, Mat3<double>::identity(), 0), (2e4 + 1e4 * 2.3) / 5e4, 1e-6);
}

/// A straight curve equals kappa, activated or not; the stress at stretch s is l T(s/l).
TEST(FiberCurves, AStraightOneContractsAsKappaDoes) {
  Scene plain = two_families();
  plain.bodies[0].fibers = {FiberSettings{{1, 2, 2}, 4e4}};
  plain.bodies[0].fibers[0].activation = 0.3;
  Scene curved = plain;
  curved.bodies[0].fibers[0].kappa = 0;
  curved.bodies[0].fibers[0].curve.points = {{0.2, -3.2e4}, {1, 0}, {2, 4e4}};
  EXPECT_LT(distance(after_steps(plain), after_steps(curved)), 1e-9);
}

TEST(FiberCurves, ContractedOnesHaveTheirStressScaledAlongBothAxes) {
  const double a = 0.2, l = 1 - a;
  for (int k = 0; k < 3; ++k) {
    for (const auto& [stretch, stress] : axis_curves[static_cast<std::size_t>(k)]) {
      Scene scene = cube(Mat3<double>::identity());
      scene.bodies[0].fibers[static_cast<std::size_t>(k)].activation = a;
      pull(scene, Mat3<double>::identity(), k, 2e4 * (l * stretch - 1) + l * stress, l * stretch);
      Simulation simulation(scene, {.threads = 1});
      simulation.step();
      EXPECT_NEAR(length_along(simulation, Mat3<double>::identity(), k), l * stretch, 1e-7) << k;
    }
  }
}

/// The scene turned as a whole, with its fibers, behaves the same.
TEST(FiberCurves, ATurnedBodyWithTurnedFibersDoesTheSameTurned) {
  const Mat3<double> Q = slanted();
  const auto turned = [&](const Vec3& x) {
    const Vector3<double> y = Q * Vector3<double>{{x[0], x[1], x[2]}};
    return Vec3{y[0], y[1], y[2]};
  };
  Scene scene = two_families();
  scene.gravity = {1, -9.81, 2};
  Body& body = scene.bodies[0];
  body.pins = {body.pins[0]};
  body.pins[0].motion = {};
  body.pins[0].vertices.clear();
  for (int v = 0; v < static_cast<int>(body.mesh.vertices.size()); ++v) {
    if (body.mesh.vertices[static_cast<std::size_t>(v)][0] < -1.99)
      body.pins[0].vertices.push_back(v);
  }
  body.pins[0].box = {};
  Scene other = scene;
  other.gravity = turned(scene.gravity);
  for (Vec3& x : other.bodies[0].mesh.vertices) x = turned(x);
  for (FiberSettings& fiber : other.bodies[0].fibers) fiber.direction = turned(fiber.direction);
  std::vector<double> expected = after_steps(scene, 4);
  for (std::size_t i = 0; i < expected.size(); i += 3) {
    const Vec3 x = turned({expected[i], expected[i + 1], expected[i + 2]});
    std::copy(x.begin(), x.end(), expected.begin() + static_cast<std::ptrdiff_t>(i));
  }
  EXPECT_LT(distance(after_steps(other, 4), expected), 1e-8);
  // Fibers that keep their directions are another material.
  other.bodies[0].fibers = scene.bodies[0].fibers;
  EXPECT_GT(distance(after_steps(other, 4), expected), 1e-4);
}

/// The slopes of the curve have no jumps, so the last iterations double the digits.
TEST(FiberCurves, NewtonConvergesQuadratically) {
  Scene scene = two_families();
  Simulation first(scene, {.threads = 1});
  first.step();
  SimulationState state = first.state();
  for (std::size_t i = 0; i < state.velocities.size(); ++i) {
    state.velocities[i] += std::sin(static_cast<double>(7 * i));  // m/s
  }
  const ConvergedStep reference = solve_converged(scene, state, 1);
  ASSERT_TRUE(reference.converged);
  scene.solver.tolerance = 0;
  // If their Hessian were made definite on its own, as it is by default, compressed fibers would be
  // stiffer than they are.
  scene.solver.definiteness = Definiteness::none;
  const ConvergenceCurve curve = record_descent(scene, state, reference, 1);
  int num_squared = 0;
  for (std::size_t k = 1; k < curve.points.size(); ++k) {
    const double before = curve.points[k - 1].position_error;
    if (before > 1e-2 || before < 1e-7) continue;
    ++num_squared;
    EXPECT_LT(curve.points[k].position_error, 10 * before * before) << k;  // 0.7 and 3
  }
  EXPECT_GE(num_squared, 2);
  // The error of the reference.
  EXPECT_LT(curve.points.back().position_error, 1e-10);
}

/// With constraints, one for each family.
TEST(FiberFamilies, XpbdComesToTheMinimum) {
  Scene scene = two_families();
  scene.bodies[0].fibers = {FiberSettings{{1, 2, 2}, 6e4}, FiberSettings{{2, -2, 1}, 3e4}};
  const std::vector<double> expected = after_steps(scene, 1);
  for (const SolverMethod method : {SolverMethod::xpbd, SolverMethod::projective_dynamics}) {
    scene.solver.method = method;
    scene.solver.iterations = 3000;
    EXPECT_LT(distance(after_steps(scene, 1), expected), 1e-6) << to_string(method);
  }
}

TEST(FiberFamilies, RefuseTooManyAndNameTheFamilyAtFault) {
  const auto place = [](const auto& edit) {
    Scene scene = two_families();
    edit(scene);
    return test::place_of([&] { Simulation unused(scene); });
  };
  EXPECT_EQ(place([](Scene& s) {
              s.bodies[0].fibers.assign(17, FiberSettings{{1, 0, 0}, 1});
            }),
            "/bodies/0/fiber");
  EXPECT_EQ(place([](Scene& s) {
              s.bodies[0].fibers[1].direction = {0, 0, 0};
            }),
            "/bodies/0/fiber/1/direction");
  EXPECT_EQ(place([](Scene& s) { s.bodies[0].fibers[0].kappa = -1; }), "/bodies/0/fiber/0/kappa");
  EXPECT_EQ(place([](Scene& s) { s.bodies[0].fibers[1].activation = 1; }),
            "/bodies/0/fiber/1/activation");
  EXPECT_EQ(place([](Scene& s) { s.bodies[0].fibers[1].curve.points.back().second = -1; }),
            "/bodies/0/fiber/1/curve/3");
  EXPECT_EQ(place([](Scene& s) { s.bodies[0].fibers[1].laplace.emplace(); }),
            "/bodies/0/fiber/1/laplace/from");
  for (const SolverMethod method :
       {SolverMethod::xpbd, SolverMethod::step_and_project, SolverMethod::projective_dynamics}) {
    EXPECT_EQ(place([&](Scene& s) { s.solver.method = method; }), "/bodies/0/fiber/1/curve");
  }
  EXPECT_EQ(place([](Scene& s) { s.solver.method = SolverMethod::pbd; }), "nothing");
}

}  // namespace
}  // namespace supple
