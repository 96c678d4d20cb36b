#include "descent/compliance.h"

#include <algorithm>
#include <iterator>

#include "base/index.h"

namespace supple {

namespace {

/// Numbers in all columns, 64 MB, and vertices with one.
constexpr std::size_t most_column_entries = std::size_t{1} << 24, most_vertices = 1536;
/// Even of the largest bodies.
constexpr std::size_t fewest_slots = 32;
/// Right-hand sides of a solve.
constexpr std::size_t sides = 4;

}  // namespace

Compliance::Compliance(BodyMatrices& matrices)
    : matrices_(matrices),
      tables_(matrices.count()),
      slot_of_vertex_(at(matrices.first_vertex(matrices.count())), -1),
      right_(slot_of_vertex_.size()),
      column_(slot_of_vertex_.size()) {
  std::size_t most = 0;
  for (std::size_t part = 0; part < tables_.size(); ++part) {
    Table& table = tables_[part];
    table.first_vertex = at(matrices.first_vertex(part));
    table.num_vertices = at(matrices.first_vertex(part + 1)) - table.first_vertex;
    if (table.num_vertices == 0) continue;
    table.num_slots =
        std::min(std::clamp(most_column_entries / table.num_vertices, fewest_slots, most_vertices),
                 table.num_vertices);
    most += table.num_slots;
  }
  for (auto* list : {&missing_, &asked_, &own_}) list->reserve(most);
}

void Compliance::make_room(Table& table) {
  if (table.columns) return;
  table.columns = std::make_unique_for_overwrite<float[]>(table.num_slots * table.num_vertices);
  table.entries = std::make_unique_for_overwrite<float[]>(table.num_slots * table.num_slots);
  table.vertex_of_slot.reserve(table.num_slots);
}

std::size_t Compliance::max_vertices(std::span<const int> bodies) const {
  std::size_t most = std::numeric_limits<std::size_t>::max();
  matrices_.for_parts(bodies, [&](std::size_t part) {
    const Table& table = tables_[part];
    if (!table.has_all()) most = std::min(most, table.num_slots);
  });
  return most;
}

bool Compliance::has_room(int vertex, std::size_t count) const {
  const Table& table = tables_[part_of(vertex)];
  return table.has_all() || table.num_slots - table.vertex_of_slot.size() >= count;
}

std::size_t Compliance::num_vertices() const {
  std::size_t count = 0;
  for (const Table& table : tables_) count += table.vertex_of_slot.size();
  return count;
}

void Compliance::forget(Table& table) {
  for (const int vertex : table.vertex_of_slot) slot_of_vertex_[at(vertex)] = -1;
  table.vertex_of_slot.clear();
}

void Compliance::begin_step(std::span<const int> bodies) {
  matrices_.for_parts(bodies, [&](std::size_t part) {
    const long version = matrices_[part].matrix().num_changes();
    Table& table = tables_[part];
    if (version == table.version) return;
    table.version = version;
    forget(table);
  });
}

void Compliance::find(std::span<const int> vertices, Threads& threads) {
  asked_.assign(vertices.begin(), vertices.end());
  while (!asked_.empty()) {
    const std::size_t part = part_of(asked_.front());
    own_.clear();
    std::copy_if(asked_.begin(), asked_.end(), std::back_inserter(own_),
                 [&](int vertex) { return part_of(vertex) == part; });
    std::erase_if(asked_, [&](int vertex) { return part_of(vertex) == part; });
    find_in(part, own_, threads);
  }
}

void Compliance::find_in(std::size_t part, std::span<const int> vertices, Threads& threads) {
  Table& table = tables_[part];
  const auto find_missing = [&] {
    missing_.clear();
    for (const int vertex : vertices) {
      if (!has(vertex)) missing_.push_back(vertex);
    }
  };
  make_room(table);
  find_missing();
  if (table.vertex_of_slot.size() + missing_.size() > table.num_slots) {
    forget(table);
    find_missing();
  }
  const std::size_t first = table.vertex_of_slot.size();
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    slot_of_vertex_[at(missing_[i])] = static_cast<int>(first + i);
    table.vertex_of_slot.push_back(missing_[i]);
  }
  for (std::size_t i = 0; i < missing_.size(); i += sides) {
    find_columns(part, std::span(missing_).subspan(i, std::min(sides, missing_.size() - i)),
                 threads);
  }
  const std::size_t n = table.num_vertices, slots = table.num_slots;
  for (std::size_t own = first; own < table.vertex_of_slot.size(); ++own) {
    for (std::size_t other = 0; other <= own; ++other) {
      const bool is_first = table.vertex_of_slot[own] < table.vertex_of_slot[other];
      const std::size_t column = is_first ? own : other, row = is_first ? other : own;
      table.entries[own * slots + other] = table.entries[other * slots + own] =
          table.columns[column * n + at(table.vertex_of_slot[row]) - table.first_vertex];
    }
  }
}

/// Solves for up to four vertices at once: the matrix is the same for x, y, z and the padding.
void Compliance::find_columns(std::size_t part, std::span<const int> vertices, Threads& threads) {
  const Table& table = tables_[part];
  const int count = static_cast<int>(vertices.size());
  float* kept[sides] = {};
  for (int k = 0; k < count; ++k) {
    right_[at(vertices[at(k)])][k] = 1;
    kept[k] = &table.columns[slot(vertices[at(k)]) * table.num_vertices];
  }
  matrices_[part].solve(right_, column_, threads);
  for (std::size_t i = 0; i < table.num_vertices; ++i) {
    for (int k = 0; k < count; ++k) {
      kept[k][i] = static_cast<float>(-column_[table.first_vertex + i][k]);
    }
  }
  for (int k = 0; k < count; ++k) right_[at(vertices[at(k)])][k] = 0;
}

}  // namespace supple
