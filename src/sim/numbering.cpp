#include "sim/numbering.h"

#include <algorithm>

#include "base/index.h"
#include "descent/laplacian.h"
#include "elements/vertex_adjacency.h"
#include "model/renumber.h"

namespace supple {

namespace {

/// Hash of the numbers alone [Fowler, Noll & Vo 1991, FNV-1a].
std::uint64_t hash_of(const Adjacency& graph) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::vector<int>* const numbers : {&graph.start, &graph.neighbour}) {
    for (const int number : *numbers) {
      hash = (hash ^ static_cast<std::uint32_t>(number)) * 0x100000001b3;
    }
  }
  return hash;
}

bool same_graph(const Adjacency& a, const Adjacency& b) {
  return a.start == b.start && a.neighbour == b.neighbour;
}

/// to[k] = from[source[k]]
template <class Field>
Field picked(const Field& from, const std::vector<int>& source) {
  Field to(from.size());
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
          .plastic = state.plastic,
          .rods = state.rods,
          .multipliers = state.multipliers,
          .friction = {picked(state.friction.share, source), picked(state.friction.partner, source),
                       state.friction.normal_forces}};
}

}  // namespace

/// Vertices of a body in their order, counted within the body.
std::vector<int> Numbering::torn_order(const TornBodies& torn, std::size_t body) const {
  const std::vector<int>& copies = torn.copies[body];
  const int count = first_[body + 1] - first_[body] - static_cast<int>(copies.size());
  std::vector<std::vector<int>> behind(at(count));
  for (std::size_t i = 0; i < copies.size(); ++i) {
    behind[at(copies[i])].push_back(count + static_cast<int>(i));
  }
  const std::size_t origin = at(torn.origin[body]);
  const int first = torn.made->first_[origin];
  std::vector<int> order;
  for (int k = first; k < torn.made->first_[origin + 1]; ++k) {
    const int vertex = torn.made->scene_vertex_[at(k)] - first;
    if (vertex >= count) continue;
    order.push_back(vertex);
    order.insert(order.end(), behind[at(vertex)].begin(), behind[at(vertex)].end());
  }
  return order;
}

Numbering::Numbering(Model& model, const Earlier<Numbering>& earlier, const TornBodies& torn)
    : scene_vertex_(at(model.num_vertices)),
      model_vertex_(scene_vertex_.size()),
      first_(model.body_vertices),
      graph_(at(model.num_bodies())) {
  const auto copy_order = [&](const Numbering& from, std::size_t of, std::size_t to) {
    const int shift = first_[to] - from.first_[of];
    std::transform(from.scene_vertex_.begin() + from.first_[of],
                   from.scene_vertex_.begin() + from.first_[of + 1],
                   scene_vertex_.begin() + first_[to], [&](int vertex) { return vertex + shift; });
    graph_[to] = from.graph_[of];
  };
  std::vector<std::size_t> ordered;
  for (std::size_t b = 0; b < graph_.size(); ++b) {
    const int origin = earlier.of(b);
    if (origin < 0) continue;
    copy_order(*earlier.made, at(origin), b);
    ordered.push_back(b);
  }
  for (std::size_t b = 0; b < graph_.size(); ++b) {
    if (earlier.of(b) >= 0) continue;
    if (torn.made != nullptr && !torn.copies[b].empty()) {
      const std::vector<int> order = torn_order(torn, b);
      std::transform(order.begin(), order.end(), scene_vertex_.begin() + first_[b],
                     [&](int vertex) { return vertex + first_[b]; });
      continue;
    }
    const Adjacency graph = vertex_adjacency(model, static_cast<int>(b));
    graph_[b] = hash_of(graph);
    const auto like = std::find_if(ordered.begin(), ordered.end(), [&](std::size_t other) {
      return graph_[other] == graph_[b] &&
             same_graph(graph, vertex_adjacency(model, static_cast<int>(other)));
    });
    if (like != ordered.end()) {
      copy_order(*this, *like, b);
      continue;
    }
    const std::vector<int> order = fill_reducing_order(graph);
    std::transform(order.begin(), order.end(), scene_vertex_.begin() + first_[b],
                   [&](int vertex) { return vertex + first_[b]; });
    ordered.push_back(b);
  }
  for (std::size_t k = 0; k < scene_vertex_.size(); ++k) {
    model_vertex_[at(scene_vertex_[k])] = static_cast<int>(k);
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
