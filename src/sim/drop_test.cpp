#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "materials/spline.h"
#include "sim/test_scenes.h"
#include "supple/simulation.h"

/// Bodies that fall with default settings; supple_drop_bench has many more.
namespace supple {
namespace {

MaterialSettings material(const std::string& model, double young, double poisson) {
  const auto [mu, lambda] = lame_parameters(young, poisson);
  if (model == "spline") return spline_preset('A', mu, lambda);
  MaterialSettings settings{.model = model, .mu = mu, .lambda = lambda};
  settings.c1 = 0.4 * mu;
  settings.c2 = 0.1 * mu;
  settings.bulk = lambda + mu * 2 / 3;
  return settings;
}

/// A box whose inner vertices have been moved by up to a third of a cell.
TetMesh crumpled_box() {
  TetMesh mesh = generate(BoxGenerator{.cells = {3, 3, 3}, .tets_per_cell = 6});
  std::mt19937 random(1);
  for (Vec3& x : mesh.vertices) {
    for (double& coordinate : x) {
      const double way = 2.0 * (static_cast<double>(random()) / 4294967296.0) - 1;
      if (std::abs(coordinate) < 0.49) coordinate += 0.11 * way;
    }
  }
  return mesh;
}

/// Two layers of vertices close together: tets a thousandth as thick as the others.
TetMesh bar_of_slivers() {
  TetMesh mesh = generate(BoxGenerator{.size = {1, 0.25, 0.25}, .cells = {8, 2, 2}});
  for (Vec3& x : mesh.vertices) {
    if (std::abs(x[0]) < 1e-6) x[0] = 0.125 * 0.999;
  }
  return mesh;
}

Scene drop(TetMesh mesh, const MaterialSettings& settings) {
  Scene scene;
  double lowest = 0;
  for (Vec3& x : mesh.vertices) {
    x = {0.9 * x[0] - 0.4359 * x[1], 0.4359 * x[0] + 0.9 * x[1], x[2]};
    lowest = std::min(lowest, x[1]);
  }
  for (Vec3& x : mesh.vertices) x[1] += 1.2 - lowest;
  Body body{.mesh = std::move(mesh)};
  body.material = settings;
  scene.bodies.push_back(std::move(body));
  scene.colliders.push_back({"ground", PlaneShape{}, {}});
  return scene;
}

/// Vertical root mean square speed of the vertices, m/s; along the ground nothing brakes them.
double rms_speed(const Simulation& simulation) {
  const std::vector<double> v = simulation.state().velocities;
  double sum = 0;
  for (std::size_t i = 1; i < v.size(); i += 3) sum += v[i] * v[i];
  return std::sqrt(3 * sum / static_cast<double>(v.size()));
}

struct Fall {
  double gain = 0;     ///< of mechanical energy over that at the start, J
  double deepest = 0;  ///< penetration, m
  int repeated = 0;    ///< substeps
  StepReport last{};
};

Fall run_fall(Simulation& simulation, int frames) {
  Fall fall;
  const auto mechanical = [&] {
    const Energies e = simulation.energies();
    return e.kinetic + e.elastic + e.gravity + fall.last.contact_energy;
  };
  const double start = mechanical();
  for (int frame = 0; frame < frames; ++frame) {
    fall.last = simulation.step();
    EXPECT_NE(fall.last.status, StepStatus::non_finite) << "frame " << frame;
    fall.gain = std::max(fall.gain, mechanical() - start);
    fall.deepest = std::max(fall.deepest, fall.last.deepest_penetration);
    fall.repeated += fall.last.repeated_substeps;
  }
  return fall;
}

double mass_of(const TetMesh& mesh) {
  double mass = 0;
  for (const double volume : tet_volumes(mesh)) mass += 1000 * volume;
  return mass;
}

TEST(Drop, PoorBodiesOfAllMaterialsGainNoEnergySinkInNowhereAndRest) {
  const std::vector<std::pair<std::string, TetMesh>> meshes{
      {"crumpled box", crumpled_box()},
      {"bar of slivers", bar_of_slivers()},
      {"tetrahedron", generate(TetrahedronGenerator{})}};
  for (const auto& [name, mesh] : meshes) {
    for (const char* model :
         {"neo_hookean", "stable_neo_hookean", "corotated", "mooney_rivlin", "spline"}) {
      for (const auto& [young, poisson] : {std::pair{1e5, 0.4}, std::pair{1e6, 0.49}}) {
        SCOPED_TRACE(testing::Message() << name << ", " << model << ", " << young << " Pa");
        Simulation simulation(drop(mesh, material(model, young, poisson)), {.threads = 1});
        const Fall fall = run_fall(simulation, 150);
        EXPECT_LT(fall.gain, 0.01 * 1.2 * 9.81 * mass_of(mesh));
        EXPECT_LT(fall.deepest, 0.01);
        EXPECT_EQ(fall.last.inverted_tets, 0);
        EXPECT_LT(rms_speed(simulation), 0.05 * std::sqrt(9.81));  // speed of a fall by its own
                                                                   // size
      }
    }
  }
}

TEST(Drop, ABodyThatFallsByTetsInASubstepIsSolvedInSmallerOnesByXpbd) {
  // A body of 1 cm with cells of 0.7 mm falls by four of them in a substep. Without smaller
  // substeps it gains 900 times its weight times its size, and half of its tets stay inside out.
  constexpr double size = 0.01;
  TetMesh mesh =
      generate(BoxGenerator{.size = {size, 0.12 * size, 0.12 * size}, .cells = {15, 2, 2}});
  const double weight = 9.81 * mass_of(mesh);
  Scene scene = drop(std::move(mesh), material("stable_neo_hookean", 1.1e4, 0.49));
  for (Vec3& x : scene.bodies[0].mesh.vertices) x[1] -= 1.2 - size;
  scene.time.substeps = 5;
  scene.contact.friction = 0.5;
  scene.solver.method = SolverMethod::xpbd;
  scene.solver.iterations = 5;
  Simulation simulation(scene, {.threads = 1});
  const Fall fall = run_fall(simulation, 60);
  EXPECT_LT(fall.gain, 0.01 * weight * size);
  EXPECT_LT(fall.deepest, 0.01 * size);
  EXPECT_EQ(fall.last.inverted_tets, 0);
  EXPECT_GT(fall.repeated, 0);

  // A state taken before such a frame continues with the same bits, and other numbers of threads
  // give the same bits.
  Simulation first(scene, {.threads = 1}), second(scene, {.threads = 2});
  while (first.step().repeated_substeps == 0) ASSERT_LT(first.frame(), 60);
  run_fall(second, static_cast<int>(first.frame()));
  Simulation third(scene, {.threads = 1});
  third.set_state(second.state());
  first.step();
  second.step();
  third.step();
  EXPECT_EQ(first.state().positions, second.state().positions);
  EXPECT_EQ(first.state().positions, third.state().positions);
  EXPECT_EQ(first.state().time, third.state().time);
}

TEST(Drop, ARodThatFallsByItsSegmentsInAFrameGainsNothingByXpbd) {
  // It falls by a third of its length in a frame, onto a pole. The planes of its segments are new
  // in each substep. When they also judged the start of the frame, up to 4,600 times the weight
  // times the length came from nowhere.
  constexpr double length = 0.0082, mass = 1.718e-7;
  Scene scene;
  scene.time = {.step = 1.0 / 60, .substeps = 10};
  scene.solver.method = SolverMethod::xpbd;
  scene.solver.iterations = 5;
  scene.contact.friction = 0.6;
  const SpringMesh mesh = generate(StrandGenerator{
      .start = {-1.9e-4, 2.36e-3, -4.22e-3}, .end = {-6e-5, 2.62e-3, 3.95e-3}, .segments = 33});
  const RodStiffness stiffness = rod_stiffness(2.54e5, 0.4, 1.047e-4);
  Body rod = test::rod_body(mesh);
  rod.springs = make_springs(mesh, stiffness.stretch);
  rod.rod = RodSettings{.bending = stiffness.bending, .twist = stiffness.twist};
  rod.density = mass / length;
  scene.bodies.push_back(rod);
  scene.colliders.push_back(
      {"pole", CapsuleShape{{-1.29e-3, 0, 0}, {1.29e-3, 1.29e-4, 0}, 7.73e-4}, {}});
  Simulation simulation(scene, {.threads = 1});
  double start = 0, most = 0;
  int contacts = 0;
  for (int frame = 1; frame <= 10; ++frame) {
    const StepReport report = simulation.step();
    contacts += report.contacts;
    const Energies energies = simulation.energies();
    const double energy =
        energies.kinetic + energies.elastic + energies.gravity + report.contact_energy;
    if (frame == 1) start = energy;
    most = std::max(most, energy);
  }
  EXPECT_GT(contacts, 0);
  EXPECT_LT(most - start, 0.03 * mass * 9.81 * length);
}

}  // namespace
}  // namespace supple
