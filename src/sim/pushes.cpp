#include "sim/pushes.h"

#include <cmath>
#include <string>

#include "base/index.h"
#include "base/refuse.h"

namespace supple {

void require_finite(const Vec3& x, const char* where) {
  for (const double c : x) require(std::isfinite(c), where, "expected finite numbers");
}

int Pushes::model_vertex(int vertex, const char* where) const {
  if (vertex < 0 || vertex >= model_->num_vertices) {
    refuse(where, "there is no vertex " + std::to_string(vertex) + ": the scene has " +
                      std::to_string(model_->num_vertices));
  }
  const int found = numbering_->to_model(vertex);
  if (!(model_->mass[at(found)] > 0)) {
    refuse(where, "vertex " + std::to_string(vertex) + " has no mass: nothing uses it");
  }
  return found;
}

std::vector<Push> Pushes::of_body(int body, const Vec3& total) const {
  require_finite(total, name_);
  const int first = model_->body_vertices[at(body)], last = model_->body_vertices[at(body) + 1];
  double mass = 0;
  for (int i = first; i < last; ++i) mass += model_->mass[at(i)];
  std::vector<Push> pushes;
  for (int i = first; i < last; ++i) {
    const double share = model_->mass[at(i)] / mass;
    if (share > 0) pushes.push_back({i, {share * total[0], share * total[1], share * total[2]}});
  }
  return pushes;
}

std::vector<Push> Pushes::at_hit(const SurfaceHit& hit, const Vec3& amount) const {
  require_finite(amount, name_);
  std::vector<Push> pushes;
  for (std::size_t n = 0; n < 3; ++n) {
    const double weight = hit.weights[n];
    require(std::isfinite(weight), "hit.weights", "expected finite numbers");
    if (weight == 0) continue;
    pushes.push_back({model_vertex(hit.vertices[n], "hit.vertices"),
                      {weight * amount[0], weight * amount[1], weight * amount[2]}});
  }
  return pushes;
}

std::vector<Push> Pushes::of_vertices(std::span<const int> vertices,
                                      std::span<const Vec3> amounts) const {
  const std::string name = std::string(name_) + "s";
  if (amounts.size() != vertices.size()) {
    refuse(name, "expected one for each of the " + std::to_string(vertices.size()) +
                     " vertices, there are " + std::to_string(amounts.size()));
  }
  std::vector<Push> pushes;
  for (std::size_t n = 0; n < vertices.size(); ++n) {
    require_finite(amounts[n], name.c_str());
    pushes.push_back({model_vertex(vertices[n], "vertices"), amounts[n]});
  }
  return pushes;
}

}  // namespace supple
