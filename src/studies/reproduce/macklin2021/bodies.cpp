#include "studies/reproduce/macklin2021/bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "studies/reproduce/csv.h"

namespace supple::reproduce::macklin2021 {

MaterialSettings material_of(const std::string& model, double poisson) {
  MaterialSettings material;
  material.model = model;
  const auto [mu, lambda] = lame_parameters(young, poisson);
  material.mu = mu;
  material.lambda = lambda;
  return material;
}

Scene scene_of(const std::string& name, TetMesh mesh, double poisson) {
  Scene scene;
  scene.name = name;
  scene.time.step = 1.0 / 60;
  scene.gravity = {0, 0, 0};
  Body body;
  body.name = name;
  body.mesh = std::move(mesh);
  body.material = material_of("stable_neo_hookean", poisson);
  scene.bodies.push_back(std::move(body));
  return scene;
}

void use_xpbd(Scene& scene, int substeps, int iterations, const std::string& projection) {
  scene.time.substeps = substeps;
  scene.solver = {};
  scene.solver.method = SolverMethod::xpbd;
  scene.solver.iterations = iterations;
  scene.solver.projection = from_string<XpbdProjection>(projection);
}

Pin hold_face(const TetMesh& mesh, std::size_t axis, double value, const Motion& motion) {
  Pin pin;
  pin.box = bounding_box(mesh.vertices);
  for (std::size_t k = 0; k < 3; ++k) {
    pin.box.min[k] -= 1e-6;
    pin.box.max[k] += 1e-6;
  }
  pin.box.min[axis] = value - 1e-6;
  pin.box.max[axis] = value + 1e-6;
  // Even a hundred times the pull on a vertex of the cubes' ends (1e3 N) moves it by only 1 cm.
  pin.stiffness = 1e7;
  pin.motion = motion;
  return pin;
}

double distance(const Scene& scene, const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  const Box box = bounding_box(scene.bodies.front().mesh.vertices);
  const double diagonal =
      std::hypot(box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]);
  return std::sqrt(3 * sum / static_cast<double>(a.size())) / diagonal;
}

std::string finite_text(const MotionRecord& record) {
  if (!record.non_finite_frame) return "finite";
  return fmt::format("not finite in frame {}", *record.non_finite_frame);
}

std::string motion_header() {
  return csv_row({"subject", "frame", "size", "volume", "inverted_tets"});
}

std::string motion_csv(const std::string& subject, const MotionRecord& record) {
  std::string text;
  for (std::size_t k = 0; k < record.positions.size(); ++k) {
    text += csv_row({subject, fmt::format("{}", k), fmt::format("{:.6e}", record.extents[k]),
                     fmt::format("{:.6e}", volume_ratio(record.scene, record.positions[k])),
                     fmt::format("{}", record.inverted_tets[k])});
  }
  return text;
}

}  // namespace supple::reproduce::macklin2021
