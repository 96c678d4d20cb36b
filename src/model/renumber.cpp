#include "model/renumber.h"

namespace supple {

namespace {

template <class T>
void permute(const std::vector<int>& order, std::vector<T>& values) {
  std::vector<T> moved;
  moved.reserve(values.size());
  for (const int vertex : order) moved.push_back(values[static_cast<std::size_t>(vertex)]);
  values = std::move(moved);
}

/// The lists of slots move with their vertices; the slots stay where they are.
void permute_slots(const std::vector<int>& order, Model& model) {
  std::vector<int> start{0}, list;
  start.reserve(model.slot_start.size());
  list.reserve(model.slot_list.size());
  for (const int vertex : order) {
    const auto v = static_cast<std::size_t>(vertex);
    list.insert(list.end(), model.slot_list.begin() + model.slot_start[v],
                model.slot_list.begin() + model.slot_start[v + 1]);
    start.push_back(static_cast<int>(list.size()));
  }
  model.slot_start = std::move(start);
  model.slot_list = std::move(list);
}

}  // namespace

void renumber_vertices(const std::vector<int>& order, Model& model) {
  std::vector<int> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    place[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  }
  const auto move = [&](auto& vertex) { vertex = place[static_cast<std::size_t>(vertex)]; };
  permute(order, model.rest);
  permute(order, model.mass);
  for (auto& tet : model.tets) {
    for (int& vertex : tet) move(vertex);
  }
  model.derived_batches.forget();
  permute_slots(order, model);
  for (PinnedVertex& pin : model.pins.pins) move(pin.vertex);
  for (PointBond& bond : model.bonds.bonds) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(bond.count); ++i) move(bond.vertices[i]);
  }
  for (SpringSet::Spring& spring : model.springs.springs) {
    move(spring.a);
    move(spring.b);
  }
  if (!model.springs.start.empty()) model.springs.index_vertices(model.num_vertices);
  for (MembraneBatch& batch : model.membranes.batches) {
    for (auto& corner : batch.vertex) {
      for (auto& vertex : corner) move(vertex);
    }
  }
  for (auto& vertex : model.membranes.bend_vertex) move(vertex);
  for (Hinge& hinge : model.membranes.hinges) {
    for (auto& vertex : hinge.vertex) move(vertex);
  }
  for (auto& face : model.cloth_faces) {
    for (int& vertex : face) move(vertex);
  }
  model.membranes.index_vertices(model.num_vertices);
  for (RodSet::Segment& segment : model.rods.segments) {
    move(segment.a);
    move(segment.b);
  }
  model.rods.index_vertices(model.num_vertices);
  model.pressures.renumber(move, model.num_vertices);
}

}  // namespace supple
