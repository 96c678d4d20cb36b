#include "descent/compliance.h"

#include <algorithm>

#include "base/index.h"

namespace supple {

namespace {

/// Numbers in all columns, 64 MB, and vertices with one.
constexpr std::size_t most_column_entries = std::size_t{1} << 24, most_vertices = 1536;
/// Even of the largest bodies.
constexpr std::size_t fewest_slots = 32;

}  // namespace

Compliance::Compliance(PinnedMatrix& matrix, std::size_t num_vertices)
    : matrix_(matrix),
      slot_of_vertex_(num_vertices, -1),
      num_slots_(std::clamp(most_column_entries / num_vertices, fewest_slots, most_vertices)),
      columns_(std::make_unique_for_overwrite<float[]>(num_slots_ * num_vertices)),
      between_(std::make_unique_for_overwrite<float[]>(num_slots_ * num_slots_)),
      right_(num_vertices),
      column_(num_vertices) {
  vertex_of_slot_.reserve(num_slots_);
  missing_.reserve(num_slots_);
}

void Compliance::forget() {
  for (const int vertex : vertex_of_slot_) slot_of_vertex_[at(vertex)] = -1;
  vertex_of_slot_.clear();
}

void Compliance::begin_step() {
  const long version = matrix_.matrix().num_changes();
  if (version == version_) return;
  version_ = version;
  forget();
}

void Compliance::find(std::span<const int> vertices, Threads& threads) {
  const auto find_missing = [&] {
    missing_.clear();
    for (const int vertex : vertices) {
      if (!has(vertex)) missing_.push_back(vertex);
    }
  };
  find_missing();
  if (vertex_of_slot_.size() + missing_.size() > num_slots_) {
    forget();
    find_missing();
  }
  const std::size_t first = vertex_of_slot_.size();
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    slot_of_vertex_[at(missing_[i])] = static_cast<int>(first + i);
    vertex_of_slot_.push_back(missing_[i]);
  }
  for (std::size_t i = 0; i < missing_.size(); i += 3) {
    find_columns(std::span(missing_).subspan(i, std::min<std::size_t>(3, missing_.size() - i)),
                 threads);
  }
  const std::size_t n = column_.size();
  for (std::size_t own = first; own < vertex_of_slot_.size(); ++own) {
    for (std::size_t other = 0; other <= own; ++other) {
      const bool is_first = vertex_of_slot_[own] < vertex_of_slot_[other];
      const std::size_t column = is_first ? own : other, row = is_first ? other : own;
      between_[own * num_slots_ + other] = between_[other * num_slots_ + own] =
          columns_[column * n + at(vertex_of_slot_[row])];
    }
  }
}

/// Solves for up to three vertices at once: the matrix is the same for x, y and z.
void Compliance::find_columns(std::span<const int> vertices, Threads& threads) {
  const int count = static_cast<int>(vertices.size());
  for (int k = 0; k < count; ++k) right_[at(vertices[at(k)])][k] = 1;
  matrix_.solve(right_, column_, threads);
  for (int k = 0; k < count; ++k) {
    right_[at(vertices[at(k)])][k] = 0;
    float* const kept = &columns_[slot(vertices[at(k)]) * column_.size()];
    for (std::size_t i = 0; i < column_.size(); ++i) kept[i] = static_cast<float>(-column_[i][k]);
  }
}

}  // namespace supple
