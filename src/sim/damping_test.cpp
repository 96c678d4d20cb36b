#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdio>
#include <string>

#include "descent/hessian.h"
#include "descent/laplacian.h"
#include "elements/vertex_adjacency.h"
#include "math/vec3.h"
#include "model/model.h"
#include "sim/test_scenes.h"
#include "supple/error.h"
#include "supple/simulation.h"

/// Damping of the deformation (docs/damping.md).
namespace supple {
namespace {

using test::expect_same_bits;
using test::place_of;
using vec3::cross;

/// Solves steps so well that their errors do not show.
void solve_well(Scene& scene) {
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 30;
  scene.solver.tolerance = 1e-12;
}

/// A bar of 1 x 0.25 x 0.25 m without gravity and pins, E = 1e5 Pa, 1000 kg/m^3.
Scene free_bar(const std::string& material, double poisson) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  Body body;
  body.mesh = generate(BoxGenerator{.size = {1, 0.25, 0.25}, .cells = {8, 2, 2}});
  body.material.model = material;
  std::tie(body.material.mu, body.material.lambda) = lame_parameters(1e5, poisson);
  scene.bodies.push_back(std::move(body));
  solve_well(scene);
  return scene;
}

struct Mode {
  double frequency = 0;   ///< angular, 1/s
  Eigen::VectorXd shape;  ///< [3 num_vertices], largest entry 1
  Eigen::VectorXd mass;   ///< of each entry, kg
};

/// The lowest vibration at rest that moves along x, or across it, up to a tenth of its energy.
Mode lowest_mode(const Scene& scene, bool along) {
  const Model model = build_model(scene);
  std::vector<int> order(static_cast<std::size_t>(model.num_vertices));
  VectorField rest(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<int>(i);
    for (std::size_t k = 0; k < 3; ++k) rest[i].v[k] = model.rest[i][k];
  }
  HessianAssembly assembly(model, order, vertex_adjacency(model));
  Threads threads(1);
  assembly.assemble(rest, 0, NegativeEigenvalues::keep, threads);
  const Eigen::MatrixXd lower = assembly.lower();
  const Eigen::MatrixXd K = lower.selfadjointView<Eigen::Lower>();
  Mode mode;
  mode.mass.resize(K.rows());
  for (Eigen::Index i = 0; i < K.rows(); ++i) {
    mode.mass[i] = model.mass[static_cast<std::size_t>(i / 3)];
  }
  const Eigen::VectorXd root = mode.mass.cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(root.asDiagonal() * K *
                                                             root.asDiagonal());
  for (Eigen::Index m = 6; m < K.rows(); ++m) {  // after the rigid ones
    double of_x = 0;
    const Eigen::VectorXd vector = modes.eigenvectors().col(m);
    for (Eigen::Index i = 0; i < K.rows(); i += 3) of_x += vector[i] * vector[i];
    if (along ? of_x < 0.9 : of_x > 0.1) continue;
    mode.frequency = std::sqrt(modes.eigenvalues()[m]);
    mode.shape = root.cwiseProduct(vector);
    mode.shape /= mode.shape.cwiseAbs().maxCoeff();
    break;
  }
  return mode;
}

/// A share of a metre: small enough that squares of strains are a hundred thousandth, and large
/// enough that the rounding of positions is a billionth.
constexpr double amplitude = 1e-6;

void set_amplitude(Simulation& simulation, const Mode& mode) {
  SimulationState state = simulation.state();
  for (std::size_t i = 0; i < state.positions.size(); ++i) {
    state.positions[i] += amplitude * mode.shape[static_cast<Eigen::Index>(i)];
  }
  simulation.set_state(state);
}

/// The part of a mode in a field.
double part_of(const Mode& mode, const std::vector<double>& field) {
  const Eigen::Map<const Eigen::VectorXd> values(field.data(),
                                                 static_cast<Eigen::Index>(field.size()));
  const Eigen::VectorXd weighted = mode.mass.cwiseProduct(mode.shape);
  return weighted.dot(values) / weighted.dot(mode.shape);
}

/// Amplitude and velocity of a damped oscillator after a step, exactly as the integrators give
/// them: x'' = -w^2 x - tau w^2 x'.
void step_exactly(const std::string& integrator, double w, double tau, double h, double& x,
                  double& v) {
  const double w2 = w * w;
  if (integrator == "backward_euler") {
    const double next = ((1 + h * tau * w2) * x + h * v) / (1 + h * tau * w2 + h * h * w2);
    v = (next - x) / h;
    x = next;
    return;
  }
  const double a = h / 2;
  const double z = ((1 + a * tau * w2) * x + a * v) / (1 + a * tau * w2 + a * a * w2);
  v = 2 * (z - x) / a - v;
  x = 2 * z - x;
}

/// The constant stiffness of corotated without Poisson's ratio is its modulus. The damping is then
/// tau times the stiffness in every direction, and each mode is an oscillator of its own.
TEST(DampedMode, FollowsTheExactDiscreteOscillator) {
  constexpr int steps = 60;
  for (const char* const integrator : {"backward_euler", "implicit_midpoint"}) {
    for (const bool along : {true, false}) {
      Scene scene = free_bar("corotated", 0);
      const Mode mode = lowest_mode(scene, along);
      const double tau = 0.1 / mode.frequency;
      scene.time.step = 0.2 / mode.frequency;
      scene.time.integrator = from_string<TimeIntegrator>(integrator);
      scene.damping.stiffness = tau;
      Simulation simulation(scene, {.threads = 1});
      const double at_rest = part_of(mode, simulation.state().positions);
      set_amplitude(simulation, mode);
      double x = amplitude, v = 0;
      for (int n = 0; n < steps; ++n) {
        simulation.step();
        step_exactly(integrator, mode.frequency, tau, scene.time.step, x, v);
        // Errors from squares of strains and from the rounding of positions.
        ASSERT_NEAR(part_of(mode, simulation.state().positions) - at_rest, x, 1e-4 * amplitude)
            << integrator << " step " << n;
      }
    }
  }
}

struct Decay {
  double frequency = 0;  ///< 1/s
  double share = 0;      ///< rate of decay over tau w^2/2
};

/// Measured with the midpoint rule, which damps nothing itself, over a decay to a third or less.
Decay decay_of(const std::string& material, double poisson, bool along) {
  Scene scene = free_bar(material, poisson);
  const Mode mode = lowest_mode(scene, along);
  const double w = mode.frequency;
  const double tau = 0.02 / w;
  scene.time.step = 0.1 / w;
  scene.time.integrator = TimeIntegrator::implicit_midpoint;
  scene.damping.stiffness = tau;
  Simulation simulation(scene, {.threads = 1});
  const double at_rest = part_of(mode, simulation.state().positions);
  set_amplitude(simulation, mode);
  const int steps = static_cast<int>(std::lround(2.2 / (0.5 * tau * w * w * scene.time.step)));
  for (int n = 0; n < steps; ++n) simulation.step();
  const double x = part_of(mode, simulation.state().positions) - at_rest;
  const double v = part_of(mode, simulation.state().velocities);
  const double rate = -std::log(std::hypot(x, v / w) / amplitude) / (steps * scene.time.step);
  return {w, rate / (0.5 * tau * w * w)};
}

/// Prints the table of docs/damping.md.
TEST(DampedMode, DecaysAtTheRateOfItsTimeAndFasterWhereVolumeResists) {
  std::printf("Poisson's ratio | across, w, rate/(tau w^2/2) | along, w, rate/(tau w^2/2)\n");
  double before = 0;
  for (const double poisson : {0.0, 0.3, 0.45}) {
    const Decay across = decay_of("corotated", poisson, false);
    const Decay along = decay_of("corotated", poisson, true);
    std::printf("%.2f | %.1f 1/s, %.3f | %.1f 1/s, %.3f\n", poisson, across.frequency, across.share,
                along.frequency, along.share);
    if (poisson == 0) {
      // The frequency is lowered and the rate raised by (tau w)^2 and by (h w)^2/12.
      EXPECT_NEAR(across.share, 1, 5e-3);
      EXPECT_NEAR(along.share, 1, 5e-3);
    }
    EXPECT_GT(along.share, before);
    before = along.share;
  }
}

struct Momenta {
  Vec3 linear{0, 0, 0}, angular{0, 0, 0};
};

double length(const Vec3& a) { return std::hypot(a[0], a[1], a[2]); }

Momenta momenta_of(const Model& model, const SimulationState& state) {
  Momenta sum;
  for (std::size_t i = 0; i < model.mass.size(); ++i) {
    const Vec3 x{state.positions[3 * i], state.positions[3 * i + 1], state.positions[3 * i + 2]};
    const Vec3 v{state.velocities[3 * i], state.velocities[3 * i + 1], state.velocities[3 * i + 2]};
    const Vec3 turn = cross(x, v);
    for (std::size_t k = 0; k < 3; ++k) {
      sum.linear[k] += model.mass[i] * v[k];
      sum.angular[k] += model.mass[i] * turn[k];
    }
  }
  return sum;
}

constexpr double flight = 2;  // m/s

/// Makes it fly, and turn at 4 rad/s.
void spin(Simulation& simulation) {
  SimulationState state = simulation.state();
  for (std::size_t i = 0; i < state.positions.size(); i += 3) {
    const Vec3 turn =
        cross({0.5, 1, 4}, {state.positions[i], state.positions[i + 1], state.positions[i + 2]});
    for (std::size_t k = 0; k < 3; ++k) state.velocities[i + k] = turn[k] + (k == 0 ? flight : 0);
  }
  simulation.set_state(state);
}

/// Momenta at the start and after a second.
std::pair<Momenta, Momenta> spin_for_a_second(Scene scene, double tau) {
  scene.damping.stiffness = tau;
  scene.time.step = 1.0 / 60;
  const Model model = build_model(scene);
  Simulation simulation(scene, {.threads = 1});
  spin(simulation);
  const Momenta before = momenta_of(model, simulation.state());
  test::run(simulation, 60);
  return {before, momenta_of(model, simulation.state())};
}

/// The midpoint rule keeps both momenta under forces that turning does not change.
TEST(DampedFlight, KeepsBothMomenta) {
  Scene scene = free_bar("neo_hookean", 0.3);
  scene.time.integrator = TimeIntegrator::implicit_midpoint;
  const auto [before, after] = spin_for_a_second(scene, 0.05);
  for (std::size_t k = 0; k < 3; ++k) {
    // Sixty steps solved to 1e-12 of their first gradient.
    EXPECT_NEAR(after.linear[k], before.linear[k], 1e-9 * length(before.linear));
    EXPECT_NEAR(after.angular[k], before.angular[k], 1e-8 * length(before.angular));
  }
}

/// What the Laplacian on its own, x^T tau L x/h, would take from the spin in its first step, over
/// the kinetic energy.
double share_of_the_laplacian(const Scene& scene, double tau, double h) {
  const Model model = build_model(scene);
  Simulation simulation(scene, {.threads = 1});
  spin(simulation);
  const SimulationState state = simulation.state();
  double taken = 0, kinetic = 0;
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    Mat3<double> rate = Mat3<double>::zero();  // dF/dt
    for (std::size_t a = 0; a < 4; ++a) {
      const auto vertex = static_cast<std::size_t>(model.tets[t][a]);
      for (std::size_t i = 0; i < 9; ++i) {
        rate(static_cast<int>(i / 3), static_cast<int>(i % 3)) +=
            state.velocities[3 * vertex + i / 3] * model.shape_gradients(t)[a][i % 3];
      }
    }
    taken += tau * h * model.stiffness[t] * model.volume[t] * squared_norm(rate);
  }
  for (std::size_t i = 0; i < state.velocities.size(); ++i) {
    const double v = state.velocities[i] - (i % 3 == 0 ? flight : 0);
    kinetic += 0.5 * model.mass[i / 3] * v * v;
  }
  return taken / kinetic;
}

/// Backward Euler loses (h w)^2 of a spin in every step. Damping adds nothing visible, while the
/// Laplacian on its own would leave nothing of the spin.
TEST(DampedFlight, TurnsAsLongAsWithoutDamping) {
  const double share = share_of_the_laplacian(free_bar("neo_hookean", 0.3), 0.05, 1.0 / 60);
  std::printf("the Laplacian would take %.1f times the energy of the spin in the first step\n",
              share);
  EXPECT_GT(share, 1);
  for (const char* const method : {"newton", "l_bfgs"}) {
    Scene scene = free_bar("neo_hookean", 0.3);
    if (std::string(method) == "l_bfgs") scene.solver = {};
    const auto left = [&](double tau) {
      const auto [before, after] = spin_for_a_second(scene, tau);
      EXPECT_NEAR(after.linear[0], before.linear[0], 1e-9 * length(before.linear));
      return length(after.angular) / length(before.angular);
    };
    const double without = left(0), with = left(0.05);
    std::printf("%s: of the angular momentum %.4f is left after a second, %.4f with damping\n",
                method, without, with);
    // The spin stretches the bar, which then swings without damping.
    EXPECT_NEAR(with, without, 0.01);
  }
}

TEST(DampedFlight, LosesEnergyAndNeverGainsAny) {
  for (const char* const integrator : {"backward_euler", "implicit_midpoint"}) {
    Scene scene = free_bar("neo_hookean", 0.3);
    scene.time.integrator = from_string<TimeIntegrator>(integrator);
    scene.time.step = 1.0 / 200;
    scene.bodies[0].initial = Stretch{{1.2, 0.9, 0.95}};
    double left[2];
    for (const double tau : {0.0, 0.01}) {
      scene.damping.stiffness = tau;
      Simulation simulation(scene, {.threads = 1});
      const auto total = [&] {
        const Energies energies = simulation.energies();
        return energies.kinetic + energies.elastic;
      };
      const double start = total();
      double last = start;
      for (int n = 0; n < 100; ++n) {
        const StepReport report = simulation.step();
        EXPECT_EQ(report.energy_gain, 0);
        EXPECT_EQ(report.energy_removed, 0);
        // Without damping the midpoint rule swings about its energy.
        if (tau > 0) {
          EXPECT_LE(total(), last + 1e-9 * start) << integrator << " " << n;
        }
        last = total();
      }
      left[tau > 0 ? 1 : 0] = last / start;
    }
    EXPECT_LT(left[1], 0.1 * left[0]) << integrator;
  }
}

/// A hanging block under its weight, a pinned cloth of springs and a pinned membrane.
Scene hanging_scene(double tau, const char* material = "neo_hookean") {
  Scene scene = test::hanging_cloth();
  scene.bodies.push_back(test::hanging_membrane(material).bodies[0]);
  Scene block = test::free_block(material);
  Pin pin;
  pin.box = {{-1, 0.24, -1}, {1, 0.26, 1}};
  pin.stiffness = 1e6;
  block.bodies[0].pins.push_back(pin);
  scene.bodies.push_back(block.bodies[0]);
  scene.damping.stiffness = tau;
  scene.contact.bodies = false;  // they hang in the same place
  return scene;
}

TEST(DampedBodies, ComeToTheSameRest) {
  Scene scene = hanging_scene(0.02);
  scene.bodies.erase(scene.bodies.begin(), scene.bodies.begin() + 2);
  solve_well(scene);
  Simulation damped(scene, {.threads = 1});
  test::run(damped, 300);
  scene.damping.stiffness = 0;
  scene.time.integrator = TimeIntegrator::quasi_static;
  Simulation rest(scene, {.threads = 1});
  test::run(rest, 1);
  const std::vector<double> found = damped.state().positions, expected = rest.state().positions;
  for (std::size_t i = 0; i < found.size(); ++i) {
    // The rest of a slow mode after ten seconds, and the tolerances of both solutions.
    EXPECT_NEAR(found[i], expected[i], 1e-7);
  }
}

/// The material with which a method runs hanging_scene.
const char* material_for(const std::string& method) {
  return method == "xpbd" ? "stable_neo_hookean" : "neo_hookean";
}

/// Constraints take in the same D: of tets of both kinds of materials, of springs, membranes and
/// rods.
TEST(DampedBodies, WithXpbdComeToTheStepOfNewtonsMethod) {
  constexpr double tau = 0.02;
  Scene hanging = hanging_scene(tau, "stable_neo_hookean");
  hanging.bodies.push_back(hanging.bodies.back());
  hanging.bodies.back().material = test::soft_material("arap");
  for (std::size_t b = 0; b < hanging.bodies.size(); ++b) {
    hanging.bodies[b].name = std::to_string(b);
  }
  Scene curl = test::hanging_curl();
  curl.damping.stiffness = tau;
  for (Scene& scene : std::vector<Scene>{hanging, curl}) {
    for (const TimeIntegrator integrator :
         {TimeIntegrator::backward_euler, TimeIntegrator::implicit_midpoint}) {
      scene.time.integrator = integrator;
      scene.time.substeps = 2;
      scene.time.step = 1.0 / 60;
      const auto frames = [&](SolverMethod method, int iterations, XpbdPrecision precision,
                              double damping) {
        Scene own = scene;
        own.solver.method = method;
        own.solver.iterations = iterations;
        own.solver.precision = precision;
        own.damping.stiffness = damping;
        Simulation simulation(own, {.threads = 1});
        test::run(simulation, 3);
        return simulation.state().positions;
      };
      const auto newton = frames(SolverMethod::newton, 60, XpbdPrecision::float64, tau);
      const auto plain = frames(SolverMethod::newton, 60, XpbdPrecision::float64, 0);
      const auto xpbd = frames(SolverMethod::xpbd, 3000, XpbdPrecision::float64, tau);
      const auto floats = frames(SolverMethod::xpbd, 3000, XpbdPrecision::float32, tau);
      double damped = 0, off = 0, off_in_floats = 0;
      for (std::size_t i = 0; i < newton.size(); ++i) {
        damped = std::max(damped, std::abs(plain[i] - newton[i]));
        off = std::max(off, std::abs(xpbd[i] - newton[i]));
        off_in_floats = std::max(off_in_floats, std::abs(floats[i] - newton[i]));
      }
      EXPECT_GT(damped, 1e-4);
      EXPECT_LT(off, 1e-4 * damped);
      EXPECT_LT(off_in_floats, 3e-2 * damped);
    }
  }
}

/// What rests, or flies without deforming, keeps its bits: damping adds no rounding.
TEST(DampedBodies, WithXpbdRestToTheLastBit) {
  Scene scene = hanging_scene(0.05, "stable_neo_hookean");
  scene.bodies.erase(scene.bodies.begin());  // springs pull at rest by rounding
  for (Body& body : scene.bodies) body.pins.clear();
  scene.gravity = {0, 0, 0};
  scene.solver.method = SolverMethod::xpbd;
  Simulation simulation(scene, {.threads = 1});
  const std::vector<double> before = simulation.state().positions;
  test::run(simulation, 20);
  EXPECT_EQ(simulation.state().positions, before);
}

TEST(DampedBodies, HaveTheSameBitsOnAnyNumberOfThreadsAndAfterARestart) {
  for (const char* const method : {"l_bfgs", "newton", "vertex_block_descent", "jacobi", "xpbd"}) {
    Scene scene = hanging_scene(0.02, material_for(method));
    scene.solver.method = from_string<SolverMethod>(method);
    Simulation one(scene, {.threads = 1}), many(scene, {.threads = 3});
    test::run(one, 5);
    test::run(many, 5);
    expect_same_bits(one, many);
    Simulation again(scene, {.threads = 1});
    again.set_state(one.state());
    test::run(one, 3);
    test::run(again, 3);
    // What methods remember of a run, such as raised weights, is not part of the state.
    EXPECT_EQ(one.state().frame, again.state().frame);
    const std::string name = method;
    if (name == "newton" || name == "xpbd") expect_same_bits(one, again);
  }
}

TEST(DampedBodies, AreDampedByTheStiffnessOfAnotherMaterialOnceTheyHaveIt) {
  for (const char* const method :
       {"newton", "vertex_block_descent", "jacobi", "gauss_seidel", "xpbd"}) {
    Scene scene = hanging_scene(0.02, material_for(method));
    scene.bodies.erase(scene.bodies.begin(), scene.bodies.begin() + 2);
    scene.solver.method = from_string<SolverMethod>(method);
    Simulation simulation(scene, {.threads = 1});
    test::run(simulation, 2);
    const bool is_xpbd = std::string(method) == "xpbd";
    for (const char* const material : {material_for(method), is_xpbd ? "arap" : "stvk"}) {
      MaterialSettings other = test::soft_material(material);
      other.mu = 3 * other.mu.value;
      simulation.set_material(0, other);
      Simulation built = test::fresh(simulation);
      test::run(simulation, 2);
      test::run(built, 2);
      expect_same_bits(simulation, built);
    }
  }
}

TEST(DampedBodies, StoreNoEnergyInTheirDamping) {
  Simulation damped(hanging_scene(0.02), {.threads = 1});
  test::run(damped, 5);
  Simulation plain(hanging_scene(0), {.threads = 1});
  plain.set_state(damped.state());
  EXPECT_EQ(damped.energies().elastic, plain.energies().elastic);
  EXPECT_EQ(damped.energies().kinetic, plain.energies().kinetic);
}

TEST(DampedBodies, AreRefusedWhereNothingWouldDampThem) {
  const auto place = [](const auto& change) {
    Scene scene = hanging_scene(0.02);
    scene.bodies.erase(scene.bodies.begin(), scene.bodies.begin() + 2);
    change(scene);
    return place_of([&] { const Simulation simulation(scene, {.threads = 1}); });
  };
  EXPECT_EQ(place([](Scene&) {}), "nothing");
  for (const Description& integrator : list_integrators()) {
    const bool damps =
        integrator.name == "backward_euler" || integrator.name == "implicit_midpoint";
    EXPECT_EQ(place([&](Scene& scene) {
                scene.time.integrator = from_string<TimeIntegrator>(integrator.name);
              }),
              damps ? "nothing" : "/damping/stiffness");
  }
  for (const char* const method : {"pbd", "step_and_project"}) {
    EXPECT_EQ(place([&](Scene& scene) { scene.solver.method = from_string<SolverMethod>(method); }),
              "/damping/stiffness");
    EXPECT_EQ(place([&](Scene& scene) {
                scene.solver.method = from_string<SolverMethod>(method);
                scene.bodies[0].damping = BodyDamping{0.1};
                scene.damping.stiffness = 0;
              }),
              "/bodies/0/damping/stiffness");
  }
  EXPECT_EQ(place([](Scene& scene) { scene.damping.stiffness = -1; }), "/damping/stiffness");
  EXPECT_EQ(place([](Scene& scene) { scene.bodies[0].damping = BodyDamping{INFINITY}; }),
            "/bodies/0/damping/stiffness");
}

}  // namespace
}  // namespace supple
