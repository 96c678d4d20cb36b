#include "sim/numbering.h"

#include <algorithm>

#include "descent/laplacian.h"
#include "model/renumber.h"

namespace supple {

namespace {

/// The elimination order, body after body: no two bodies are coupled, so that the fill stays and
/// subtrees keep standing without gaps.
std::vector<int> order_by_bodies(const Model& model) {
  std::vector<int> order = elimination_order(model);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return model.body_of(a) < model.body_of(b); });
  return order;
}

/// to[k] = from[source[k]]
VectorField picked(const VectorField& from, const std::vector<int>& source) {
  VectorField to(from.size());
  for (std::size_t k = 0; k < from.size(); ++k) to[k] = from[static_cast<std::size_t>(source[k])];
  return to;
}

State picked(const State& state, const std::vector<int>& source) {
  return {.x = picked(state.x, source),
          .v = picked(state.v, source),
          .time = state.time,
          .frame = state.frame,
          .x_previous = picked(state.x_previous, source),
          .v_previous = picked(state.v_previous, source),
          .acceleration = picked(state.acceleration, source),
          .plastic = state.plastic};
}

}  // namespace

Numbering::Numbering(Model& model)
    : scene_vertex_(order_by_bodies(model)), model_vertex_(scene_vertex_.size()) {
  for (std::size_t k = 0; k < scene_vertex_.size(); ++k) {
    model_vertex_[static_cast<std::size_t>(scene_vertex_[k])] = static_cast<int>(k);
  }
  renumber_vertices(scene_vertex_, model);
  model.in_elimination_order = true;
}

VectorField Numbering::to_model(const VectorField& field) const {
  return picked(field, scene_vertex_);
}
VectorField Numbering::to_scene(const VectorField& field) const {
  return picked(field, model_vertex_);
}
State Numbering::to_model(const State& state) const { return picked(state, scene_vertex_); }
State Numbering::to_scene(const State& state) const { return picked(state, model_vertex_); }

void Numbering::unpad_to_scene(const VectorField& field, std::span<double> out) const {
  for (std::size_t i = 0; i < field.size(); ++i) {
    const PaddedVector& value = field[static_cast<std::size_t>(model_vertex_[i])];
    for (std::size_t k = 0; k < 3; ++k) out[3 * i + k] = value.v[k];
  }
}

}  // namespace supple
