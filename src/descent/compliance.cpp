#include "descent/compliance.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/index.h"

namespace supple {

namespace {

/// Most numbers in all columns of a part (128 MB), and most vertices with a column.
constexpr std::size_t most_column_entries = std::size_t{1} << 25, most_vertices = 2048;
/// Slots that even the largest bodies have.
constexpr std::size_t fewest_slots = 32;
/// Right-hand sides of one solve.
constexpr std::size_t sides = 4;
/// Slots whose entries a thread finds at a time.
constexpr std::size_t at_a_time = 64;

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

void Compliance::make_room(std::size_t part) {
  Table& table = tables_[part];
  if (table.columns) return;
  table.width = table.num_vertices;
  if (table.is_half) {
    const Supernodes& nodes = nodes_of(part);
    table.path.resize(at(nodes.count()));
    for (int s = nodes.count() - 1; s >= 0; --s) {
      const int parent = nodes.parent[at(s)];
      table.path[at(s)] = nodes.width(s) + (parent >= 0 ? table.path[at(parent)] : 0);
    }
    table.width = at(*std::max_element(table.path.begin(), table.path.end()));
    if (half_.size() < 3 * table.num_vertices) half_.resize(3 * table.num_vertices);
  }
  table.columns = std::make_unique_for_overwrite<float[]>(table.num_slots * table.width);
  table.entries = std::make_unique_for_overwrite<float[]>(table.num_slots * table.num_slots);
  table.vertex_of_slot.reserve(table.num_slots);
  table.node_of_slot.reserve(table.num_slots);
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
  table.node_of_slot.clear();
}

void Compliance::begin_step(std::span<const int> bodies) {
  matrices_.for_parts(bodies, [&](std::size_t part) {
    const long version = matrices_[part].matrix().num_changes();
    Table& table = tables_[part];
    if (version == table.version) return;
    table.version = version;
    forget(table);
    const bool is_half = matrices_[part].has_half_way();
    if (is_half != std::exchange(table.is_half, is_half)) table.columns.reset();
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
  make_room(part);
  find_missing();
  if (table.vertex_of_slot.size() + missing_.size() > table.num_slots) {
    forget(table);
    find_missing();
  }
  const std::size_t first = table.vertex_of_slot.size();
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    slot_of_vertex_[at(missing_[i])] = static_cast<int>(first + i);
    table.vertex_of_slot.push_back(missing_[i]);
    if (table.is_half) {
      const std::vector<int>& starts = nodes_of(part).first;
      const int row = missing_[i] - static_cast<int>(table.first_vertex);
      const auto next = std::upper_bound(starts.begin(), starts.end(), row);
      table.node_of_slot.push_back(static_cast<int>(next - starts.begin()) - 1);
    }
  }
  for (std::size_t i = 0; i < missing_.size(); i += sides) {
    find_columns(part, std::span(missing_).subspan(i, std::min(sides, missing_.size() - i)),
                 threads);
  }
  find_entries(part, first, threads);
}

/// Finds the entries between the slots from `first` on and all slots.
void Compliance::find_entries(std::size_t part, std::size_t first, Threads& threads) {
  const Table& table = tables_[part];
  const std::size_t n = table.num_vertices, slots = table.num_slots;
  const std::size_t count = table.vertex_of_slot.size();
  const auto entry = [&](std::size_t a, std::size_t b) {
    if (table.is_half) return half_entry(part, a, b);
    const bool is_first = table.vertex_of_slot[a] < table.vertex_of_slot[b];
    const std::size_t column = is_first ? a : b, row = is_first ? b : a;
    return table.columns[column * n + at(table.vertex_of_slot[row]) - table.first_vertex];
  };
  // A block is small enough that the columns of the new slots stay in a cache.
  threads.parallel_for(static_cast<int>((count + at_a_time - 1) / at_a_time), [&](int block) {
    const std::size_t begin = at_a_time * at(block);
    for (std::size_t a = begin; a < std::min(count, begin + at_a_time); ++a) {
      for (std::size_t b = std::max(a, first); b < count; ++b) {
        table.entries[a * slots + b] = table.entries[b * slots + a] = entry(a, b);
      }
    }
  });
}

/// Takes columns of L^-1 half way through a solve for them.
class Compliance::Halves final : public HalfWay {
 public:
  Halves(Compliance& owner, std::size_t part, std::span<const int> vertices)
      : owner_(owner), part_(part), vertices_(vertices) {}

  bool turn(float* y, double scale) override {
    const Table& table = owner_.tables_[part_];
    const auto unscale = static_cast<float>(1 / scale);
    for (std::size_t side = 0; side < vertices_.size(); ++side) {
      const std::size_t slot = owner_.slot(vertices_[side]);
      float* const to = &table.columns[slot * table.width];
      owner_.for_path(part_, slot, [&](std::size_t place, std::size_t row, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
          to[place + i] = unscale * y[4 * (row + i) + side];
        }
      });
    }
    return false;
  }

 private:
  Compliance& owner_;
  std::size_t part_;
  std::span<const int> vertices_;
};

/// Solves for up to four vertices at once: the matrix is the same for x, y, z and the padding.
void Compliance::find_columns(std::size_t part, std::span<const int> vertices, Threads& threads) {
  const Table& table = tables_[part];
  const int count = static_cast<int>(vertices.size());
  float* kept[sides] = {};
  for (int k = 0; k < count; ++k) {
    right_[at(vertices[at(k)])][k] = 1;
    kept[k] = &table.columns[slot(vertices[at(k)]) * table.width];
  }
  if (table.is_half) {
    Halves halves(*this, part, vertices);
    matrices_[part].begin_solve(right_, column_, halves, {}, threads);
  } else {
    matrices_[part].solve(right_, column_, threads);
    for (std::size_t i = 0; i < table.num_vertices; ++i) {
      for (int k = 0; k < count; ++k) {
        kept[k][i] = static_cast<float>(-column_[table.first_vertex + i][k]);
      }
    }
  }
  for (int k = 0; k < count; ++k) right_[at(vertices[at(k)])][k] = 0;
}

/// Calls visit(place in the column, row, count) for the supernodes from that of a slot up to the
/// root.
template <class Visit>
void Compliance::for_path(std::size_t part, std::size_t slot, const Visit& visit) const {
  const Supernodes& nodes = nodes_of(part);
  std::size_t place = 0;
  for (int s = tables_[part].node_of_slot[slot]; s >= 0; s = nodes.parent[at(s)]) {
    visit(place, at(nodes.first[at(s)]), at(nodes.width(s)));
    place += at(nodes.width(s));
  }
}

/// The product of the columns of two slots, over the rows that are above both.
float Compliance::half_entry(std::size_t part, std::size_t a, std::size_t b) const {
  const Table& table = tables_[part];
  const Supernodes& nodes = nodes_of(part);
  const int first_a = table.node_of_slot[a], first_b = table.node_of_slot[b];
  int node_a = first_a, node_b = first_b;
  // Parents have larger numbers. Rows that are not connected have different roots.
  while (node_a != node_b) {
    int& lower = node_a < node_b ? node_a : node_b;
    lower = nodes.parent[at(lower)];
    if (lower < 0) return 0;
  }
  const int common = table.path[at(node_a)];
  return kernels_->dot(&table.columns[a * table.width + at(table.path[at(first_a)] - common)],
                       &table.columns[b * table.width + at(table.path[at(first_b)] - common)],
                       common);
}

bool Compliance::has_half_way(std::span<const int> bodies) const {
  std::size_t count = 0;
  bool is_half = false;
  matrices_.for_parts(bodies, [&](std::size_t part) {
    ++count;
    is_half = tables_[part].is_half && tables_[part].columns;
  });
  return count == 1 && is_half;
}

void Compliance::enter_half_way(int vertex, const float* y) {
  const std::size_t n = tables_[part_of(vertex)].num_vertices;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 3; ++k) half_[k * n + i] = y[4 * i + k];
  }
}

float Compliance::half_product(int vertex, int coordinate) const {
  const std::size_t part = part_of(vertex);
  const Table& table = tables_[part];
  const float* const column = &table.columns[slot(vertex) * table.width];
  const float* const y = &half_[at(coordinate) * table.num_vertices];
  float sum = 0;
  for_path(part, slot(vertex), [&](std::size_t place, std::size_t row, std::size_t count) {
    sum += kernels_->dot(column + place, y + row, static_cast<int>(count));
  });
  return sum;
}

void Compliance::take_off(int vertex, int coordinate, float force) {
  const std::size_t part = part_of(vertex);
  const Table& table = tables_[part];
  const float* const column = &table.columns[slot(vertex) * table.width];
  float* const y = &half_[at(coordinate) * table.num_vertices];
  for_path(part, slot(vertex), [&](std::size_t place, std::size_t row, std::size_t count) {
    kernels_->add(-force, column + place, static_cast<int>(count), y + row);
  });
}

void Compliance::leave_half_way(int vertex, float* y) const {
  const std::size_t n = tables_[part_of(vertex)].num_vertices;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 3; ++k) y[4 * i + k] = half_[k * n + i];
  }
}

}  // namespace supple
