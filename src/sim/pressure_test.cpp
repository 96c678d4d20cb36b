#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/index.h"
#include "sim/test_scenes.h"
#include "supple/compare.h"
#include "supple/error.h"
#include "supple/simulation.h"

namespace supple {
namespace {

using test::positions_of;

constexpr double pi = 3.14159265358979323846;
constexpr double radius = 0.1, thickness = 5e-4;

/// A balloon of rubber, 0.5 mm thick, weightless and free.
Body balloon_body(int subdivisions, double p) {
  const SpringMesh mesh =
      generate(IcosphereGenerator{.radius = radius, .subdivisions = subdivisions});
  Body body;
  body.name = "balloon";
  body.mesh.vertices = mesh.vertices;
  body.triangles = mesh.triangles;
  body.density = 0.5;
  body.membrane = MembraneSettings{.thickness = thickness, .bending = 0.0};
  body.material.model = "neo_hookean";
  body.material.mu = 3e5;
  body.material.lambda = 6e5;
  body.pressure = PressureSettings{.pressure = p};
  return body;
}

Scene balloon(int subdivisions, double p) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  scene.bodies.push_back(balloon_body(subdivisions, p));
  return scene;
}

/// Solved for rest, with every vertex held by almost nothing: 1e-6 N/m, at most 1e-7 N, against
/// forces of 1e-2 N.
Scene at_rest(Scene scene) {
  scene.time.integrator = TimeIntegrator::quasi_static;
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 400;
  scene.solver.tolerance = 1e-10;
  for (Body& body : scene.bodies) {
    Pin pin;
    pin.vertices.resize(body.mesh.vertices.size());
    std::iota(pin.vertices.begin(), pin.vertices.end(), 0);
    pin.stiffness = 1e-6;
    body.pins = {pin};
  }
  return scene;
}

double volume_of(const std::vector<Vec3>& x, const std::vector<std::array<int, 3>>& triangles) {
  double sum = 0;
  for (const auto& t : triangles) {
    const Vec3 &a = x[at(t[0])], &b = x[at(t[1])], &c = x[at(t[2])];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6;
}

double mean_radius(const std::vector<Vec3>& x) {
  double sum = 0;
  for (const Vec3& place : x) sum += std::hypot(place[0], place[1], place[2]);
  return sum / static_cast<double>(x.size());
}

/// The overpressure that holds a sphere stretched by s. With the energy density W(s) = Psi(s, s) of
/// the sheet, 4 pi R^2 t W'(s) ds = p 4 pi (R s)^2 R ds, with neo-Hooke's
///   Psi = mu/2 (2 s^2 - 2) - 2 mu log s + lambda'/2 (2 log s)^2,  lambda' = 2 mu lambda/(lambda +
///   2 mu).
double overpressure_at(double s) {
  const double mu = 3e5, lambda = 2 * mu * 6e5 / (6e5 + 2 * mu);
  return thickness / (radius * s * s) * (2 * mu * (s - 1 / s) + 4 * lambda * std::log(s) / s);
}

double stretch_at_rest(int subdivisions, double p) {
  Simulation simulation(at_rest(balloon(subdivisions, p)), {.threads = 1});
  const StepReport report = simulation.step();
  EXPECT_NE(report.status, StepStatus::non_finite);
  EXPECT_LT(report.gradient_norm, 1e-7);
  return mean_radius(positions_of(simulation)) / radius;
}

TEST(PressureInBodies, ABalloonGrowsAsThinWalledSpheresOfItsMaterialDo) {
  for (const double s : {1.05, 1.15}) {
    const double coarse = stretch_at_rest(1, overpressure_at(s)) - s;
    const double fine = stretch_at_rest(3, overpressure_at(s)) - s;
    // A polyhedron approaches the sphere with the square of its edges: 16 times nearer.
    EXPECT_LT(std::abs(fine), std::abs(coarse) / 8);
    EXPECT_LT(std::abs(fine), 0.01 * (s - 1)) << s;
  }
}

TEST(PressureInBodies, GasInABalloonHasTheLessPressureTheMoreRoomItHas) {
  Scene scene = at_rest(balloon(3, 0));
  const double ambient = 1e5;
  scene.bodies[0].pressure = PressureSettings{.pressure = 1.3e5, .ambient = ambient};
  Simulation simulation(scene, {.threads = 1});
  const StepReport report = simulation.step();
  EXPECT_LT(report.gradient_norm, 1e-7);
  const std::vector<Vec3> x = positions_of(simulation);
  const double s = mean_radius(x) / radius;
  const double share = volume_of(x, scene.bodies[0].triangles) /
                       volume_of(scene.bodies[0].mesh.vertices, scene.bodies[0].triangles);
  EXPECT_GT(s, 1.05);
  // p V = p_0 V_0, up to the polyhedron's error in the pull of the membrane.
  EXPECT_NEAR(1.3e5 / share - ambient, overpressure_at(s), 0.01 * overpressure_at(s));
}

/// A traction p n on all of a block is a uniform stress: V/V_0 - 1 = p/K to first order.
TEST(PressureInBodies, ABlockSwellsByItsBulkModulus) {
  for (const double p : {100.0, -100.0}) {
    Scene scene = test::free_block("neo_hookean");
    MaterialSettings& material = scene.bodies[0].material;
    std::tie(material.mu, material.lambda) = lame_parameters(1e6, 0.4);
    scene.bodies[0].pressure = PressureSettings{.pressure = p};
    Simulation simulation(at_rest(scene), {.threads = 1});
    simulation.step();
    const double bulk = material.lambda.value + 2.0 / 3 * material.mu.value;
    const std::vector<std::array<int, 3>> surface = surface_triangles(scene.bodies[0].mesh);
    const double strain = volume_of(positions_of(simulation), surface) /
                              volume_of(scene.bodies[0].mesh.vertices, surface) -
                          1;
    // The second-order term is p/K = 6e-5 of it.
    EXPECT_NEAR(strain, p / bulk, 1e-3 * std::abs(p) / bulk);
  }
}

/// A hollow ball: layers of prisms between spheres, three tets each.
TetMesh hollow_ball(double inner, double outer, int subdivisions, int layers) {
  const SpringMesh sphere = generate(IcosphereGenerator{.radius = 1, .subdivisions = subdivisions});
  const int n = static_cast<int>(sphere.vertices.size());
  TetMesh mesh;
  for (int layer = 0; layer <= layers; ++layer) {
    const double r = inner + (outer - inner) * layer / layers;
    for (const Vec3& x : sphere.vertices) mesh.vertices.push_back({r * x[0], r * x[1], r * x[2]});
  }
  for (int layer = 0; layer < layers; ++layer) {
    for (std::array<int, 3> t : sphere.triangles) {
      // Corners in increasing order, so that neighbours cut their common side in the same way.
      std::sort(t.begin(), t.end());
      const int low = layer * n, high = low + n;
      mesh.tets.push_back({low + t[0], low + t[1], low + t[2], high + t[2]});
      mesh.tets.push_back({low + t[0], low + t[1], high + t[1], high + t[2]});
      mesh.tets.push_back({low + t[0], high + t[0], high + t[1], high + t[2]});
    }
  }
  return mesh;
}

/// Error of the growth of the cavity of a ball of a = 0.5 m and b = 1 m, relative to Lame's
/// solution
///   u(a) = p a^3/(b^3 - a^3) ((1 - 2 nu)/E a + (1 + nu)/(2 E) b^3/a^2)  [Timoshenko & Goodier].
double error_of_thick_ball(int subdivisions, int layers) {
  const double a = 0.5, b = 1, young = 1e5, poisson = 0.3, p = 10;
  Scene scene;
  scene.gravity = {0, 0, 0};
  Body body;
  body.name = "ball";
  body.mesh = hollow_ball(a, b, subdivisions, layers);
  normalise(body.mesh, "test");
  body.material.model = "corotated";
  std::tie(body.material.mu, body.material.lambda) = lame_parameters(young, poisson);
  body.pressure = PressureSettings{.pressure = p, .surface = PressureSurface::cavities};
  scene.bodies.push_back(body);
  Simulation simulation(at_rest(scene), {.threads = 1});
  simulation.step();
  std::vector<Vec3> x = positions_of(simulation);
  x.resize(x.size() / at(layers + 1));
  const double expected =
      p * a * a * a / (b * b * b - a * a * a) *
      ((1 - 2 * poisson) / young * a + (1 + poisson) / (2 * young) * b * b * b / (a * a));
  return (mean_radius(x) - a) / expected - 1;
}

TEST(PressureInBodies, ACavityGrowsAsLamesSphereDoes) {
  const double coarse = error_of_thick_ball(1, 3), fine = error_of_thick_ball(2, 6);
  EXPECT_LT(std::abs(fine), std::abs(coarse) / 2.5);  // second order in the edges
  EXPECT_LT(std::abs(fine), 0.05);
}

/// Balloons that are squeezed at the start.
Scene squeezed(int subdivisions, double p) {
  Scene scene = balloon(subdivisions, p);
  scene.bodies[0].initial = Stretch{{1.1, 0.8, 1.2}};
  scene.time.step = 0.01;
  return scene;
}

TEST(PressureInBodies, EveryMethodThatTakesItComesToTheSameStep) {
  int num_given = 0, num_gas = 0;
  for (const Description& solver : list_solvers()) {
    for (const bool is_gas : {false, true}) {
      Scene scene = squeezed(2, 1000);
      if (is_gas) scene.bodies[0].pressure = PressureSettings{.pressure = 1.1e5, .ambient = 1e5};
      scene.solver.method = SolverMethod::newton;
      scene.solver.iterations = 200;
      Simulation newton(scene, {.threads = 1});
      EXPECT_LT(newton.step().gradient_norm, 1e-9);
      scene.solver.method = from_string<SolverMethod>(solver.name);
      scene.solver.iterations = 5000;
      scene.solver.tolerance = 1e-8;
      if (test::place_of([&] { Simulation unused(scene); }) == "/bodies/0/pressure") continue;
      ++(is_gas ? num_gas : num_given);
      Simulation simulation(scene, {.threads = 1});
      simulation.step();
      const std::vector<Vec3> expected = positions_of(newton), found = positions_of(simulation);
      double worst = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
          worst = std::max(worst, std::abs(found[i][k] - expected[i][k]));
        }
      }
      // What gradient descent reaches within its iterations, and the others' tolerance.
      EXPECT_LT(worst, solver.name == "gradient_descent" ? 1e-5 : 1e-7)
          << solver.name << (is_gas ? " gas" : "");
    }
  }
  EXPECT_EQ(num_given, 9);
  EXPECT_EQ(num_gas, 6);
}

TEST(PressureInBodies, NewtonConvergesQuadraticallyWithTheWholeHessian) {
  for (const bool is_gas : {false, true}) {
    Scene scene = squeezed(2, 500);
    scene.time.step = 0.002;  // short enough for inertia to outweigh buckling
    if (is_gas) scene.bodies[0].pressure = PressureSettings{.pressure = 1.1e5, .ambient = 1e5};
    scene.solver.method = SolverMethod::newton;
    scene.solver.definiteness = Definiteness::none;
    scene.solver.tolerance = 1e-11;
    scene.solver.iterations = 30;
    Simulation simulation(scene, {.threads = 1});
    const StepReport report = simulation.step();
    EXPECT_LT(report.gradient_norm, 1e-11 * report.start_gradient_norm);
    // Five and seven were seen; the last iterations double the digits.
    EXPECT_LE(report.iterations, 8);
  }
}

TEST(PressureInBodies, DoesNotMoveABodyByItself) {
  Scene scene = squeezed(2, 1000);
  Simulation simulation(scene, {.threads = 1});
  test::run(simulation, 20);
  Vec3 mean{};
  const std::vector<Vec3> x = positions_of(simulation);
  // All vertices weigh nearly, but not exactly, the same: a share of their triangles' mass.
  double mass = 0;
  for (const auto& t : scene.bodies[0].triangles) {
    const Vec3 &a = scene.bodies[0].mesh.vertices[at(t[0])],
               &b = scene.bodies[0].mesh.vertices[at(t[1])],
               &c = scene.bodies[0].mesh.vertices[at(t[2])];
    const Vec3 u{b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v{c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    const double area =
        std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
    mass += 3 * area;
    for (const int vertex : t) {
      for (std::size_t k = 0; k < 3; ++k) mean[k] += area * x[at(vertex)][k];
    }
  }
  for (const double m : mean) EXPECT_NEAR(m / mass, 0, 1e-13);
}

TEST(PressureInBodies, ItsWorkIsNoEnergyThatAStepGains) {
  for (const char* const integrator : {"backward_euler", "implicit_midpoint", "bdf2", "newmark"}) {
    Scene scene = balloon(2, 0);
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    scene.time.step = 0.005;
    scene.bodies[0].pressure->pressure.keyframes = {{0, 0}, {0.1, 600}};
    scene.solver.method = SolverMethod::newton;
    scene.solver.iterations = 20;
    Simulation simulation(scene, {.threads = 1});
    double removed = 0, gained = 0;
    for (int i = 0; i < 30; ++i) {
      const StepReport report = simulation.step();
      ASSERT_NE(report.status, StepStatus::non_finite);
      removed += report.energy_removed;
      gained += report.energy_gain;
    }
    const Energies energies = simulation.energies();
    EXPECT_GT(energies.elastic, 0.01);
    EXPECT_LT(removed + gained, 1e-9 * energies.elastic) << integrator;
    const auto& body = scene.bodies[0];
    const double more = volume_of(positions_of(simulation), body.triangles) -
                        volume_of(body.mesh.vertices, body.triangles);
    EXPECT_NEAR(energies.pressure, -600 * more, 1e-12);
  }
}

TEST(PressureInBodies, ExplicitStepsKeepTheEnergyOfGas) {
  Scene scene = balloon(1, 0);
  scene.bodies[0].pressure = PressureSettings{.pressure = 1.02e5, .ambient = 1e5};
  scene.time.integrator = TimeIntegrator::symplectic_euler;
  scene.time.step = 2e-6;
  Simulation simulation(scene, {.threads = 1});
  const auto total = [&] {
    const Energies e = simulation.energies();
    return e.kinetic + e.elastic + e.pressure;
  };
  double largest = 0, most = 0;
  const double start = total();
  for (int i = 0; i < 2000; ++i) {
    simulation.step();
    largest = std::max(largest, std::abs(total() - start));
    most = std::max(most, simulation.energies().kinetic);
  }
  EXPECT_GT(most, 1e-3);
  EXPECT_LT(largest, 0.02 * most);  // of first order in the step
}

TEST(PressureInBodies, StepsHaveTheSameBitsOnAnyNumberOfThreads) {
  for (const char* const method : {"l_bfgs", "newton", "xpbd"}) {
    Scene scene = squeezed(4, 0);
    scene.bodies[0].pressure = PressureSettings{.pressure = 1.1e5, .ambient = 1e5};
    scene.solver.method = from_string<SolverMethod>(method);
    Simulation one(scene, {.threads = 1}), three(scene, {.threads = 3});
    for (int i = 0; i < 3; ++i) {
      one.step();
      three.step();
    }
    test::expect_same_bits(one, three);
  }
}

TEST(PressureInBodies, MethodsThatHaveNoneRefuseIt) {
  const auto place = [](const std::string& method, bool is_gas) {
    Scene scene = test::free_block("arap");
    scene.solver.method = from_string<SolverMethod>(method);
    scene.bodies[0].pressure = PressureSettings{.pressure = 1e5};
    if (is_gas) scene.bodies[0].pressure->ambient = 1e5;
    return test::place_of([&] { Simulation unused(scene); });
  };
  for (const char* const method : {"pbd", "step_and_project", "projective_dynamics"}) {
    EXPECT_EQ(place(method, false), "/bodies/0/pressure") << method;
  }
  for (const char* const method : {"jacobi", "gauss_seidel", "vertex_block_descent"}) {
    EXPECT_EQ(place(method, false), "nothing") << method;
    EXPECT_EQ(place(method, true), "/bodies/0/pressure") << method;
  }
}

TEST(PressureInBodies, OpenSurfacesAreRefusedWithTheirPlace) {
  Scene scene = test::hanging_membrane("corotated");
  scene.bodies[0].pressure = PressureSettings{.pressure = 10};
  EXPECT_EQ(test::place_of([&] { Simulation unused(scene); }), "/bodies/0/pressure");
}

}  // namespace
}  // namespace supple
