#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "materials/spline.h"
#include "supple/simulation.h"

/// Bodies that fall with nothing chosen for them; supple_drop_bench has many more.
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

/// Inner vertices of a box moved by up to a third of a cell.
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

/// A layer of vertices next to the next one: tets a thousandth as thick as the others.
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

/// Of the vertices, up and down: along the ground nothing brakes them, m/s.
double rms_speed(const Simulation& simulation) {
  const std::vector<double> v = simulation.state().velocities;
  double sum = 0;
  for (std::size_t i = 1; i < v.size(); i += 3) sum += v[i] * v[i];
  return std::sqrt(3 * sum / static_cast<double>(v.size()));
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
        StepReport report;
        const auto mechanical = [&] {
          const Energies e = simulation.energies();
          return e.kinetic + e.elastic + e.gravity + report.contact_energy;
        };
        double mass = 0;
        for (const double volume : tet_volumes(mesh)) mass += 1000 * volume;
        const double fall = 1.2 * 9.81 * mass, start = mechanical();
        double highest = start, deepest = 0;
        for (int frame = 0; frame < 150; ++frame) {
          report = simulation.step();
          ASSERT_NE(report.status, StepStatus::non_finite) << "frame " << frame;
          highest = std::max(highest, mechanical());
          deepest = std::max(deepest, report.deepest_penetration);
        }
        EXPECT_LT(highest - start, 0.01 * fall);
        EXPECT_LT(deepest, 0.01);
        EXPECT_EQ(report.inverted_tets, 0);
        EXPECT_LT(rms_speed(simulation), 0.05 * std::sqrt(9.81));  // of a fall by its size
      }
    }
  }
}

}  // namespace
}  // namespace supple
