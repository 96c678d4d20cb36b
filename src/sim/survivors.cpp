#include "sim/survivors.h"

#include <algorithm>
#include <utility>

#include "base/index.h"
#include "math/friction_memory.h"

namespace supple {

namespace {

/// The index of each body's first item, then the number of all items.
template <class Count>
std::vector<std::size_t> firsts(const Scene& scene, const Count& count) {
  std::vector<std::size_t> first(1, 0);
  for (const Body& body : scene.bodies) first.push_back(first.back() + count(body));
  return first;
}

std::size_t count_vertices(const Body& body) { return body.mesh.vertices.size(); }
std::size_t count_tets(const Body& body) { return body.mesh.tets.size(); }
std::size_t count_rods(const Body& body) { return body.rod ? body.segments.size() : 0; }

}  // namespace

Survivors::Survivors(const Scene& before, const Scene& next, std::vector<int> origin,
                     std::vector<std::vector<int>> copies,
                     std::vector<std::vector<int>> spring_parents)
    : origin_(std::move(origin)),
      copies_(std::move(copies)),
      spring_parents_(std::move(spring_parents)) {
  const std::vector<std::size_t> vertex_before = firsts(before, count_vertices),
                                 vertex_next = firsts(next, count_vertices),
                                 tet_before = firsts(before, count_tets),
                                 tet_next = firsts(next, count_tets),
                                 rod_before = firsts(before, count_rods),
                                 rod_next = firsts(next, count_rods);
  copies_.resize(origin_.size());
  spring_parents_.resize(origin_.size());
  vertices_.assign(vertex_before.back(), -1);
  sources_.assign(vertex_next.back(), -1);
  for (std::size_t b = 0; b < origin_.size(); ++b) {
    if (is_added(b)) continue;
    const std::size_t from = at(origin_[b]);
    tet_blocks_.push_back(
        {.from = tet_before[from], .to = tet_next[b], .size = tet_next[b + 1] - tet_next[b]});
    rod_blocks_.push_back(
        {.from = rod_before[from], .to = rod_next[b], .size = rod_next[b + 1] - rod_next[b]});
    const std::size_t had = vertex_before[from + 1] - vertex_before[from];
    for (std::size_t i = 0; i < vertex_next[b + 1] - vertex_next[b]; ++i) {
      const std::size_t own = i < had ? i : at(copies_[b][i - had]);
      sources_[vertex_next[b] + i] = static_cast<int>(vertex_before[from] + own);
      if (i < had) vertices_[vertex_before[from] + i] = static_cast<int>(vertex_next[b] + i);
    }
  }
}

bool Survivors::adds() const {
  return std::any_of(origin_.begin(), origin_.end(), [](int body) { return body < 0; });
}

void Survivors::carry_vertices(const std::vector<double>& from, std::vector<double>& to) const {
  if (from.empty()) {
    to.clear();
    return;
  }
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i] < 0) continue;
    std::copy_n(from.begin() + 3 * static_cast<std::ptrdiff_t>(sources_[i]), 3,
                to.begin() + 3 * static_cast<std::ptrdiff_t>(i));
  }
}

void Survivors::carry(const std::vector<Block>& blocks, std::size_t width,
                      const std::vector<double>& from, std::vector<double>& to) {
  if (from.empty()) {
    to.clear();
    return;
  }
  for (const Block& block : blocks) {
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(width * block.from), width * block.size,
                to.begin() + static_cast<std::ptrdiff_t>(width * block.to));
  }
}

SimulationState Survivors::join(const SimulationState& before, SimulationState start) const {
  for (const auto field :
       {&SimulationState::positions, &SimulationState::velocities,
        &SimulationState::previous_positions, &SimulationState::previous_velocities,
        &SimulationState::accelerations}) {
    carry_vertices(before.*field, start.*field);
  }
  carry(tet_blocks_, 1, before.weights, start.weights);
  if (!before.unfolding.empty()) {
    start.unfolding.assign(2 * origin_.size(), 0);
    for (std::size_t b = 0; b < origin_.size(); ++b) {
      if (origin_[b] < 0) continue;
      const std::size_t from = 2 * static_cast<std::size_t>(origin_[b]);
      std::copy_n(before.unfolding.begin() + static_cast<std::ptrdiff_t>(from), 2,
                  start.unfolding.begin() + static_cast<std::ptrdiff_t>(2 * b));
    }
  }
  if (!before.rested.empty()) {
    start.rested.assign(origin_.size(), 0.0);
    for (std::size_t b = 0; b < origin_.size(); ++b) {
      // Bodies that come apart wake.
      if (origin_[b] >= 0 && copies_[b].empty()) start.rested[b] = before.rested[at(origin_[b])];
    }
  }
  if (!before.friction.empty()) {
    start.friction.assign(4 * sources_.size(), 0.0);
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      double* const own = &start.friction[4 * i];
      own[3] = FrictionMemory::nothing;
      if (sources_[i] < 0) continue;
      const double* const from = &before.friction[4 * at(sources_[i])];
      const auto partner = static_cast<std::int32_t>(from[3]);
      const auto other = std::find(origin_.begin(), origin_.end(),
                                   FrictionMemory::of_body(partner));  // its own inverse
      if (partner < FrictionMemory::nothing && other == origin_.end()) continue;
      std::copy_n(from, 3, own);
      own[3] = partner < FrictionMemory::nothing
                   ? FrictionMemory::of_body(static_cast<int>(other - origin_.begin()))
                   : partner;
    }
  }
  const auto body_now = [&](double body) {
    return std::find(origin_.begin(), origin_.end(), static_cast<int>(body)) - origin_.begin();
  };
  const auto num_bodies = static_cast<std::ptrdiff_t>(origin_.size());
  for (std::size_t i = 0; i < before.normal_forces.size(); i += 3) {
    const auto one = body_now(before.normal_forces[i]),
               other = body_now(before.normal_forces[i + 1]);
    if (one == num_bodies || other == num_bodies) continue;
    start.normal_forces.insert(
        start.normal_forces.end(),
        {double(std::min(one, other)), double(std::max(one, other)), before.normal_forces[i + 2]});
  }
  // All bodies that flow may have been added, or removed.
  if (!before.plastic.empty() && !start.plastic.empty()) {
    carry(tet_blocks_, 10, before.plastic, start.plastic);
  }
  if (!before.rods.empty() && !start.rods.empty()) carry(rod_blocks_, 7, before.rods, start.rods);
  start.time = before.time;
  start.frame = before.frame;
  start.unconverged = before.unconverged;
  start.next_look = before.next_look;
  start.look_interval = before.look_interval;
  start.weights_spent = before.weights_spent;
  start.weights_worked = before.weights_worked;
  return start;
}

}  // namespace supple
