#include "sim/test_scenes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "materials/spline.h"
#include "math/svd.h"
#include "supple/error.h"
#include "supple/warnings.h"

namespace supple::test {

MaterialSettings soft_material(const std::string& model) {
  const auto [mu, lambda] = lame_parameters(1e5, 0.4);
  MaterialSettings material;
  material.model = model;
  material.mu = mu;
  material.lambda = lambda;
  material.min = 0.95;
  material.max = 1.05;
  if (model == "mooney_rivlin") {
    material.c1 = 0.4 * mu;
    material.c2 = 0.1 * mu;
    material.bulk = lambda;
  } else if (model == "polynomial") {
    material.mu = 20 * mu;
  } else if (model == "spline") {
    material = spline_preset('A', mu, lambda);
  } else if (model == "valanis_landel") {
    const double m = mu, l = lambda;
    material.a = {[m](double s) { return m * (s - 1) * (s - 1); },
                  [m](double s) { return 2 * m * (s - 1); }, [m](double) { return 2 * m; }};
    material.c = {[l](double J) { return 0.5 * l * (J - 1) * (J - 1); },
                  [l](double J) { return l * (J - 1); }, [l](double) { return l; }};
  }
  return material;
}

bool runs(const std::string& solver, const std::string& material) {
  const bool is_projective =
      material == "arap" || material == "strain_limit" || material == "volume";
  if (solver == "projective_dynamics") return is_projective;
  if (solver == "xpbd" || solver == "step_and_project") {
    return is_projective || material == "stable_neo_hookean";
  }
  return true;
}

bool minimises(const std::string& solver) {
  return solver != "pbd" && solver != "step_and_project";
}

std::string material_of(const std::string& solver) {
  if (runs(solver, "neo_hookean")) return "neo_hookean";
  return runs(solver, "stable_neo_hookean") ? "stable_neo_hookean" : "arap";
}

Scene free_block(const std::string& model) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  Body body;
  body.name = "block";
  body.mesh = generate(BoxGenerator{.size = {0.5, 0.5, 0.5}, .cells = {3, 3, 3}});
  body.material = soft_material(model);
  scene.bodies.push_back(body);
  return scene;
}

Scene twisting_bar(std::array<int, 3> cells, const std::string& model) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  Body body;
  body.name = "bar";
  body.mesh = generate(BoxGenerator{.size = {4, 1, 1}, .cells = cells, .tets_per_cell = 6});
  body.material = soft_material(model);
  for (double side : {-1.0, 1.0}) {
    Pin pin;
    pin.box = {{side * 2 - 0.01, -1, -1}, {side * 2 + 0.01, 1, 1}};
    pin.stiffness = 1e6;
    pin.motion.rotate = Rotation{{1, 0, 0}, {0, 0, 0}, side * 60};
    body.pins.push_back(pin);
  }
  scene.bodies.push_back(body);
  return scene;
}

Scene fibrous_bar() {
  Scene scene = twisting_bar({4, 2, 2}, "arap");
  FiberSettings curved{.direction = {2, -2, 1}};
  curved.curve.points = {{0.5, -2e4}, {1, 0}, {1.2, 1e3}, {1.5, 4e4}};
  scene.bodies[0].fibers = {FiberSettings{{1, 2, 2}, 3e4}, curved};
  return scene;
}

Body cloth_body() {
  const SpringMesh mesh =
      generate(ClothGenerator{.u = {1, 0, 0}, .v = {0, 0, -1}, .cells = {5, 4}});
  Body body;
  body.name = "cloth";
  body.mesh.vertices = mesh.vertices;
  body.triangles = mesh.triangles;
  body.springs = make_springs(mesh, {200, 100, 5});
  body.density = 0.3;
  return body;
}

Scene hanging_cloth() {
  Scene scene;
  Body body = cloth_body();
  Pin pin;
  pin.vertices = {0, 5};
  pin.stiffness = 1e4;
  body.pins.push_back(pin);
  scene.bodies.push_back(body);
  return scene;
}

Body sheet(const ClothGenerator& cloth) {
  const SpringMesh mesh = generate(cloth);
  Body body;
  body.name = "sheet";
  body.mesh.vertices = mesh.vertices;
  body.triangles = mesh.triangles;
  body.density = 0.2;
  body.membrane = MembraneSettings{.thickness = 0.001};
  body.material.model = "corotated";
  return body;
}

Scene statics(Body body) {
  Scene scene;
  scene.time.integrator = TimeIntegrator::quasi_static;
  scene.solver.method = SolverMethod::newton;
  scene.solver.iterations = 500;
  scene.solver.tolerance = 1e-11;
  scene.bodies.push_back(std::move(body));
  return scene;
}

Scene hanging_membrane(const std::string& model) {
  Scene scene = hanging_cloth();
  Body& body = scene.bodies[0];
  body.springs.clear();
  body.membrane = MembraneSettings{.thickness = 0.001, .bending = 1e-3};
  if (model == "orthotropic_stvk") {
    body.material.model = model;
    body.material.warp = 2e5;
    body.material.weft = 1e5;
    body.material.shear = 3e4;
    body.material.poisson = 0.3;
  } else if (model == "woven_limit") {
    body.material = {
        .model = model, .mu = 1e5, .warp_limits = {0.95, 1.05}, .weft_limits = {0.9, 1.1}};
  } else {
    body.material = soft_material(model);
  }
  return scene;
}

Scene folded_membrane(const std::string& model) {
  Scene scene = hanging_membrane(model);
  Body& body = scene.bodies[0];
  body.membrane->bending_model = BendingModel::dihedral;
  Fold fold;
  for (int j = 0; j < 5; ++j) fold.select.vertices.push_back(6 * j + 2);
  fold.degrees = 60;
  body.folds = {fold};
  return scene;
}

Body rod_body(const SpringMesh& mesh) {
  const RodStiffness stiffness = rod_stiffness(5e6, 0.5, 0.002);
  Body body;
  body.name = "rod";
  body.mesh.vertices = mesh.vertices;
  body.segments = mesh.segments;
  body.springs = make_springs(mesh, stiffness.stretch);
  body.rod = RodSettings{.bending = stiffness.bending, .twist = stiffness.twist};
  body.density = 0.015;
  return body;
}

Scene hanging_curl() {
  Scene scene;
  scene.bodies = {rod_body(
      generate(HelixGenerator{.radius = 0.05, .pitch = 0.04, .turns = 3, .segments = 48}))};
  Pin pin;
  pin.vertices = {0, 1};
  scene.bodies[0].pins = {pin};
  return scene;
}

std::vector<Vec3> positions_of(const Simulation& simulation) {
  std::vector<double> flat(3 * static_cast<std::size_t>(simulation.num_vertices()));
  simulation.copy_positions(flat);
  std::vector<Vec3> positions(flat.size() / 3);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    positions[i] = {flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]};
  }
  return positions;
}

double distance_to_rest(const Simulation& simulation, const std::vector<Vec3>& rest) {
  const std::vector<Vec3> x = positions_of(simulation);
  const double n = static_cast<double>(x.size());
  Vec3 cx{}, cr{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      cx[k] += x[i][k] / n;
      cr[k] += rest[i][k] / n;
    }
  }
  Mat3<double> covariance = Mat3<double>::zero();
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        const auto row = static_cast<std::size_t>(r), column = static_cast<std::size_t>(c);
        covariance(r, c) += (x[i][row] - cx[row]) * (rest[i][column] - cr[column]);
      }
    }
  }
  const Svd<double> frame = svd(covariance);
  const Mat3<double> R = times_transpose(frame.U, frame.V);
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vector3<double> r{{rest[i][0] - cr[0], rest[i][1] - cr[1], rest[i][2] - cr[2]}};
    const Vector3<double> moved = R * r;
    largest = std::max(largest, std::hypot(x[i][0] - cx[0] - moved[0], x[i][1] - cx[1] - moved[1],
                                           x[i][2] - cx[2] - moved[2]));
  }
  return largest;
}

void run(Simulation& simulation, int frames) {
  for (int k = 0; k < frames; ++k) {
    const StepStatus status = simulation.step().status;
    ASSERT_NE(status, StepStatus::non_finite);
    ASSERT_NE(status, StepStatus::failed);
  }
}

WatchedRun watch_run(Simulation& simulation, int frames, int first) {
  WatchedRun run;
  RunWatch watch(simulation.scene());
  for (int frame = 0; frame < frames; ++frame) {
    const StepReport report = simulation.step();
    EXPECT_NE(report.status, StepStatus::non_finite);
    watch.add(simulation.frame(), report, simulation.energies());
    if (frame >= first) run.worst = std::max(run.worst, report.constraint_error);
  }
  for (const Warning& warning : watch.warnings()) run.codes += " " + warning.code;
  return run;
}

std::string place_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    return error.where();
  }
  return "nothing";
}

Simulation fresh(const Simulation& simulation, int threads) {
  Simulation built(simulation.scene(), {.threads = threads});
  built.set_state(simulation.state());
  return built;
}

void expect_same_bits(const Simulation& a, const Simulation& b) {
  EXPECT_EQ(a.time(), b.time());
  EXPECT_EQ(a.frame(), b.frame());
  EXPECT_EQ(a.state().positions, b.state().positions);
  EXPECT_EQ(a.state().velocities, b.state().velocities);
}

void expect_same_bits_however_run(const Scene& scene, int before, int after) {
  Simulation one(scene, {.threads = 1});
  run(one, before);
  Simulation later(scene, {.threads = 2});
  later.set_state(one.state());
  run(one, after);
  run(later, after);
  expect_same_bits(one, later);
  for (const int threads : {2, 3, 8}) {
    Simulation other(scene, {.threads = threads});
    run(other, before + after);
    expect_same_bits(one, other);
  }
}

}  // namespace supple::test
