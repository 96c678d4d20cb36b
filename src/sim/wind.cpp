#include "sim/wind.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "base/refuse.h"
#include "math/mat3.h"

namespace supple {

WindOnFaces::WindOnFaces(const Scene& scene, const Model& model) : model_(&model) {
  if (!scene.wind) return;
  settings_ = *scene.wind;
  for (const double v : settings_.velocity) {
    require(std::isfinite(v), "/wind/velocity", "expected finite numbers in m/s");
  }
  require(std::isfinite(settings_.density) && settings_.density > 0, "/wind/density",
          "expected a number above 0 kg/m^3");
  require(std::isfinite(settings_.drag) && settings_.drag >= 0, "/wind/drag",
          "expected a number of at least 0");
  require(std::isfinite(settings_.lift) && settings_.lift >= 0, "/wind/lift",
          "expected a number of at least 0");
  require(!model.cloth_faces.empty(), "/wind",
          "wind blows at the triangles of cloth, but no body has any");
  for (const auto& face : model.cloth_faces) {
    vertices_.insert(vertices_.end(), face.begin(), face.end());
  }
  std::sort(vertices_.begin(), vertices_.end());
  vertices_.erase(std::unique(vertices_.begin(), vertices_.end()), vertices_.end());
  force_.resize(at(model.num_vertices));
}

void WindOnFaces::add(const VectorField& x, const VectorField& v, double h, Loads& loads) {
  for (const int vertex : vertices_) force_[at(vertex)] = {};
  for (const auto& t : model_->cloth_faces) {
    Vector3<double> a, b, w;
    for (int k = 0; k < 3; ++k) {
      a[k] = x[at(t[1])][k] - x[at(t[0])][k];
      b[k] = x[at(t[2])][k] - x[at(t[0])][k];
      w[k] = settings_.velocity[at(k)] - (v[at(t[0])][k] + v[at(t[1])][k] + v[at(t[2])][k]) / 3;
    }
    const Vector3<double> n = cross(a, b);  // its length is twice the area
    const double twice_area = std::sqrt(dot(n, n)), speed = std::sqrt(dot(w, w));
    if (!(twice_area > 0) || !(speed > 0)) continue;
    // rho A (n.w)/2 with the unit normal, and a third of it.
    const double flow = dot(n, w);
    const double third = settings_.density * std::abs(flow) / 12;
    const double along = settings_.drag - settings_.lift * std::abs(flow) / (twice_area * speed);
    const double across = settings_.lift * speed / twice_area * (flow < 0 ? -1.0 : 1.0);
    const double growth =
        settings_.density * (settings_.drag + settings_.lift) * twice_area * speed / 12;
    for (const int vertex : t) {
      PaddedVector& force = force_[at(vertex)];
      for (int k = 0; k < 3; ++k) force[k] += third * (along * w[k] + across * n[k]);
      force[3] += growth;
    }
  }
  for (const int vertex : vertices_) {
    const double mass = model_->mass[at(vertex)];
    if (!(mass > 0)) continue;
    const PaddedVector& force = force_[at(vertex)];
    const double scale = 1 / (1 + h * force[3] / mass);
    loads.add(vertex, {scale * force[0], scale * force[1], scale * force[2]}, model_->num_vertices);
  }
}

}  // namespace supple
