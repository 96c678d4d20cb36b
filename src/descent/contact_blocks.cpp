#include "descent/contact_blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/index.h"

namespace supple {

namespace {

/// Most rows of a block: its cost grows with their cube.
constexpr std::size_t most_of_block = 96;
/// Added to a block's diagonal, as a part of the largest entry of C in it: many contacts of two
/// flat faces see few vertices, and but for K^-1 their block is singular. Entries of K^-1 do not
/// count: where friction hardly holds, they are so large that nothing else would matter.
constexpr float extra_diagonal = 3e-5F;
/// Sweeps within a block whose factor does not give its forces.
constexpr int sweeps_of_block = 4;
/// Sweeps over all blocks end when one changes less than this part of what the first one changed.
constexpr float relaxed = 1e-3F;
/// Most products of conjugate gradients.
constexpr int most_products = 60;
/// Rows that a thread works on at a time.
constexpr std::size_t rows_at_a_time = 256;

std::size_t filled_up(std::size_t rows) {
  constexpr std::size_t width = ContactKernels::rows_at_a_time;
  return (rows + width - 1) / width * width;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  return sum;
}

}  // namespace

void ContactBlocks::fill(std::span<const ContactRow> rows, const Compliance& compliance,
                         Threads& threads, const LowRank& learnt) {
  learnt_ = learnt;
  number_vertices(rows, compliance, threads);
  sort_rows(rows);
  make_blocks();
  order_pairs();
  threads.parallel_for(static_cast<int>(pairs_.size()),
                       [&](int pair) { fill_pair(pairs_[at(pair)]); });
}

/// Lists the vertices that touch, part after part, and A^-1 between those of each.
void ContactBlocks::number_vertices(std::span<const ContactRow> rows, const Compliance& compliance,
                                    Threads& threads) {
  touched_.clear();
  for (const ContactRow& own : rows) {
    for (int k = 0; k < own.point.count; ++k) {
      const int vertex = own.point.vertices[k];
      if (std::exchange(touched_of_vertex_[at(vertex)], 0) < 0) {
        touched_.emplace_back(static_cast<int>(compliance.part_of(vertex)), vertex);
      }
    }
  }
  std::sort(touched_.begin(), touched_.end());
  parts_.clear();
  part_of_touched_.clear();
  std::size_t size = 0;
  for (std::size_t i = 0; i < touched_.size();) {
    Part part{
        .of_touched = i, .first = part_of_touched_.size(), .count = 0, .stride = 0, .matrix = size};
    for (const int number = touched_[i].first; i < touched_.size() && touched_[i].first == number;
         ++i) {
      touched_of_vertex_[at(touched_[i].second)] = static_cast<int>(part.first + part.count++);
    }
    part.stride = filled_up(part.count);
    size += part.count * part.stride;
    part_of_touched_.resize(part.first + part.stride, static_cast<int>(parts_.size()));
    parts_.push_back(part);
  }
  matrices_.resize(size);
  threads.parallel_for(static_cast<int>(part_of_touched_.size()), [&](int i) {
    const Part& part = parts_[at(part_of_touched_[at(i)])];
    const std::size_t own = at(i) - part.first;
    if (own >= part.count) return;
    const std::pair<int, int>* const touched = &touched_[part.of_touched];
    const float* const entries = compliance.row(touched[own].second);
    float* const row = &matrices_[part.matrix + own * part.stride];
    for (std::size_t j = 0; j < part.count; ++j)
      row[j] = entries[compliance.slot(touched[j].second)];
    std::fill(row + part.count, row + part.stride, 0.0F);
  });
  rows_.clear();
  corners_.clear();
  for (const ContactRow& own : rows) {
    rows_.push_back(
        {.first_corner = static_cast<int>(corners_.size()),
         .num_corners = own.point.count,
         .direction = {static_cast<float>(own.direction[0]), static_cast<float>(own.direction[1]),
                       static_cast<float>(own.direction[2])},
         .softness = static_cast<float>(1 / own.stiffness)});
    for (int k = 0; k < own.point.count; ++k) {
      corners_.push_back({.touched = touched_of_vertex_[at(own.point.vertices[k])],
                          .of_pair = 0,
                          .weight = static_cast<float>(own.point.weights[k])});
    }
  }
  for (const auto& [part, vertex] : touched_) touched_of_vertex_[at(vertex)] = -1;
  forces_.assign(3 * part_of_touched_.size(), 0.0F);
  moved_.assign(3 * part_of_touched_.size(), 0.0F);
}

/// Sorts rows by the parts that they are between, their kind and their first vertex.
void ContactBlocks::sort_rows(std::span<const ContactRow> rows) {
  keys_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& own = rows_[i];
    const int first = corners_[at(own.first_corner)].touched;
    Key key{.parts = {part_of_touched_[at(first)], part_of_touched_[at(first)]},
            .kind = rows[i].kind,
            .touched = first,
            .row = static_cast<int>(i)};
    for (int k = 1; k < own.num_corners; ++k) {
      const int part = part_of_touched_[at(corners_[at(own.first_corner + k)].touched)];
      key.parts[0] = std::min(key.parts[0], part);
      key.parts[1] = std::max(key.parts[1], part);
    }
    keys_.push_back(key);
  }
  const auto place = [](const Key& own) {
    return std::tuple(own.parts[0], own.parts[1], own.kind, own.touched, own.row);
  };
  std::sort(keys_.begin(), keys_.end(),
            [&](const Key& a, const Key& b) { return place(a) < place(b); });
  order_.clear();
  for (const Key& own : keys_) order_.push_back(own.row);
}

void ContactBlocks::make_blocks() {
  blocks_.clear();
  pairs_.clear();
  columns_.clear();
  std::size_t size = 0, near = 0;
  for (std::size_t first = 0; first < keys_.size();) {
    const Key& own = keys_[first];
    const bool is_new = pairs_.empty() || pairs_.back().parts[0] != own.parts[0] ||
                        pairs_.back().parts[1] != own.parts[1];
    if (is_new) {
      pairs_.push_back({.first = blocks_.size(),
                        .count = 0,
                        .first_place = 0,
                        .parts = {own.parts[0], own.parts[1]},
                        .sides = {}});
    }
    std::size_t last = first + 1;
    while (last < keys_.size() && keys_[last].parts[0] == own.parts[0] &&
           keys_[last].parts[1] == own.parts[1] && keys_[last].kind == own.kind) {
      ++last;
    }
    // Pieces of about the same size.
    const std::size_t pieces = (last - first + most_of_block - 1) / most_of_block;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const std::size_t begin = first + (last - first) * piece / pieces;
      const std::size_t end = first + (last - first) * (piece + 1) / pieces;
      blocks_.push_back(
          {.first = begin, .count = end - begin, .system = size, .is_factored = false});
      size += (end - begin) * (end - begin);
    }
    pairs_.back().count += pieces;
    first = last;
  }
  std::size_t num_places = 0;
  for (Pair& pair : pairs_) {
    list_columns(pair);
    pair.first_place = num_places;
    for (std::size_t s = 0; s < 2; ++s) {
      Side& side = pair.sides[s];
      const Part& part = parts_[at(pair.parts[s])];
      side.is_whole = side.count == part.count;
      side.near = side.is_whole ? part.matrix : near;
      if (!side.is_whole) near += side.count * side.stride;
    }
    num_places += pair.num_places();
  }
  near_.resize(near);
  for (auto* list : {&systems_, &inverses_, &fronts_}) list->resize(size);
  for (auto* list : {&block_forces_, &pair_forces_, &pair_moved_}) list->resize(3 * num_places);
  largest_.resize(pairs_.size());
}

/// Lists the vertices that touch in a pair, and finds its corners among them.
void ContactBlocks::list_columns(Pair& pair) {
  const Block &front = blocks_[pair.first], &back = blocks_[pair.first + pair.count - 1];
  const auto for_corners = [&](const auto& visit) {
    for (std::size_t i = front.first; i < back.first + back.count; ++i) {
      const Row& own = rows_[at(order_[i])];
      for (int k = 0; k < own.num_corners; ++k) visit(corners_[at(own.first_corner + k)]);
    }
  };
  const auto first = static_cast<std::ptrdiff_t>(columns_.size());
  for_corners([&](const Corner& own) { columns_.push_back(own.touched); });
  const auto begin = columns_.begin() + first;
  std::sort(begin, columns_.end());
  columns_.erase(std::unique(begin, columns_.end()), columns_.end());
  const auto second = std::find_if(begin, columns_.end(), [&](int touched) {
    return part_of_touched_[at(touched)] != pair.parts[0];
  });
  std::size_t place = 0;
  const auto make_side = [&](auto from, auto to) {
    const auto count = static_cast<std::size_t>(to - from);
    const Side side{.columns = static_cast<std::size_t>(from - columns_.begin()),
                    .count = count,
                    .stride = filled_up(count),
                    .place = place,
                    .is_whole = false,
                    .near = 0};
    place += side.stride;
    return side;
  };
  pair.sides[0] = make_side(begin, second);
  pair.sides[1] = make_side(second, columns_.end());
  for_corners([&](Corner& own) {
    const Side& side = pair.sides[part_of_touched_[at(own.touched)] == pair.parts[0] ? 0 : 1];
    const int* const columns = &columns_[side.columns];
    own.of_pair = static_cast<int>(
        at(static_cast<int>(std::lower_bound(columns, columns + side.count, own.touched) -
                            columns)) +
        side.place);
  });
}

/// A pair comes in a later round than all pairs before it that share a part with it, so that the
/// result is as if they came one after the other. One sweep then takes a force from the ground to
/// the top of a heap that was numbered from below.
void ContactBlocks::order_pairs() {
  next_round_of_.assign(parts_.size(), 0);
  round_of_.clear();
  int num_rounds = 0;
  for (const Pair& pair : pairs_) {
    int &a = next_round_of_[at(pair.parts[0])], &b = next_round_of_[at(pair.parts[1])];
    const int round = std::max(a, b);
    a = b = round + 1;
    round_of_.push_back(round);
    num_rounds = std::max(num_rounds, round + 1);
  }
  first_of_round_.assign(at(num_rounds) + 1, 0);
  for (const int round : round_of_) ++first_of_round_[at(round) + 1];
  std::partial_sum(first_of_round_.begin(), first_of_round_.end(), first_of_round_.begin());
  by_round_.resize(pairs_.size());
  std::iota(by_round_.begin(), by_round_.end(), 0);
  std::sort(by_round_.begin(), by_round_.end(), [&](int a, int b) {
    return std::pair(round_of_[at(a)], a) < std::pair(round_of_[at(b)], b);
  });
}

void ContactBlocks::fill_pair(const Pair& pair) {
  for (std::size_t s = 0; s < 2; ++s) {
    const Side& side = pair.sides[s];
    if (side.is_whole) continue;
    const Part& part = parts_[at(pair.parts[s])];
    const int* const columns = &columns_[side.columns];
    for (std::size_t i = 0; i < side.count; ++i) {
      const float* const row =
          &matrices_[part.matrix + (at(columns[i]) - part.first) * part.stride];
      float* const to = &near_[side.near + i * side.stride];
      for (std::size_t j = 0; j < side.count; ++j) to[j] = row[at(columns[j]) - part.first];
      std::fill(to + side.count, to + side.stride, 0.0F);
    }
  }
  for (std::size_t b = pair.first; b < pair.first + pair.count; ++b) fill_block(pair, blocks_[b]);
}

/// C between two rows of a pair, m/N.
float ContactBlocks::between(const Pair& pair, const Row& a, const Row& b) const {
  float sum = 0;
  const std::size_t second = pair.sides[1].place;
  for (int i = 0; i < a.num_corners; ++i) {
    const Corner& from = corners_[at(a.first_corner + i)];
    const bool is_of_second = at(from.of_pair) >= second;
    const Side& side = pair.sides[is_of_second ? 1 : 0];
    const float* const row = near(side) + (at(from.of_pair) - side.place) * side.stride;
    for (int j = 0; j < b.num_corners; ++j) {
      const Corner& to = corners_[at(b.first_corner + j)];
      if ((at(to.of_pair) >= second) != is_of_second) continue;
      sum += from.weight * to.weight * row[at(to.of_pair) - side.place];
    }
  }
  return sum * (a.direction[0] * b.direction[0] + a.direction[1] * b.direction[1] +
                a.direction[2] * b.direction[2]);
}

void ContactBlocks::fill_block(const Pair& pair, Block& block) {
  const std::size_t n = block.count;
  float* const system = &systems_[block.system];
  float* const front = &fronts_[block.system];
  float largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t a = at(order_[block.first + i]);
    for (std::size_t j = 0; j <= i; ++j) {
      const std::size_t b = at(order_[block.first + j]);
      system[i * n + j] = system[j * n + i] =
          between(pair, rows_[a], rows_[b]) + learnt_between(a, b);
    }
    largest = std::max(largest, system[i * n + i]);
    system[i * n + i] += rows_[a].softness;
  }
  std::copy(system, system + n * n, front);
  for (std::size_t i = 0; i < n; ++i) front[i * n + i] += extra_diagonal * largest;
  block.is_factored = front_kernels_->eliminate_floats(front, static_cast<int>(n), 0, false,
                                                       &inverses_[block.system], nullptr);
}

/// How far x moves a row's point along its direction, m. x: [3][stride], in m; `place` gives the
/// place of a corner in it.
template <class Place>
float ContactBlocks::moved(const Row& own, const float* x, std::size_t stride,
                           const Place& place) const {
  float sum = 0;
  for (int k = 0; k < own.num_corners; ++k) {
    const Corner& corner = corners_[at(own.first_corner + k)];
    const float* const from = x + place(corner);
    sum += corner.weight * (own.direction[0] * from[0] + own.direction[1] * from[stride] +
                            own.direction[2] * from[2 * stride]);
  }
  return sum;
}

/// result = (the block's system)^-1 right.
void ContactBlocks::solve_block(const Block& block, const float* right, float* result) const {
  const std::size_t n = block.count;
  const float* const inverse = &inverses_[block.system];
  float work[most_of_block] = {};
  for (std::size_t j = 0; j < n; ++j) {
    kernels_->add(right[j], inverse + j * (n + 1), static_cast<int>(n - j), work + j);
  }
  for (std::size_t j = 0; j < n; ++j) {
    result[j] = kernels_->dot(inverse + j * (n + 1), work + j, static_cast<int>(n - j));
  }
}

/// Solves for a block's rows. residual: theirs, m; not valid afterwards. change: becomes what is
/// added to their forces, N. Returns the largest change of a gap that one of these makes alone, m.
float ContactBlocks::relax_block(const Block& block, std::span<ContactRow> rows, float* residual,
                                 float* change) const {
  const std::size_t n = block.count;
  const float* const system = &systems_[block.system];
  const auto row = [&](std::size_t i) -> ContactRow& { return rows[at(order_[block.first + i])]; };
  float largest = 0;
  if (block.is_factored) {
    solve_block(block, residual, change);
    bool is_solved = true;
    for (std::size_t i = 0; i < n && is_solved; ++i) {
      const double wanted = row(i).force - static_cast<double>(change[i]);
      is_solved = row(i).allowed(wanted) == wanted;
    }
    for (std::size_t i = 0; i < n && is_solved; ++i) {
      change[i] = -change[i];
      row(i).force += static_cast<double>(change[i]);
      largest = std::max(largest, std::abs(change[i]) * system[i * n + i]);
    }
    if (is_solved) return largest;
  }
  std::fill_n(change, n, 0.0F);
  for (int sweep = 0; sweep < sweeps_of_block; ++sweep) {
    for (std::size_t i = 0; i < n; ++i) {
      const float* const column = system + i * n;
      ContactRow& own = row(i);
      const double pushes = own.allowed(own.force - static_cast<double>(residual[i] / column[i]));
      const auto step = static_cast<float>(pushes - own.force);
      if (step == 0) continue;
      own.force = pushes;
      change[i] += step;
      largest = std::max(largest, std::abs(step) * column[i]);
      kernels_->add(step, column, static_cast<int>(n), residual);
    }
  }
  return largest;
}

/// Adds to x, m, what the forces f, N, do on one side of a pair, both [3][stride]. A block of a
/// body that touches in many places has forces at few of them.
void ContactBlocks::move_by_block(const Side& side, const float* f, std::size_t stride,
                                  float* x) const {
  constexpr std::size_t most = std::size(ContactPoint{}.vertices) * most_of_block;
  int columns[most];
  float forces[3 * most];
  std::size_t count = 0;
  for (std::size_t i = 0; i < side.count; ++i) {
    const float own[3] = {f[i], f[stride + i], f[2 * stride + i]};
    if (own[0] == 0 && own[1] == 0 && own[2] == 0) continue;
    columns[count] = static_cast<int>(i);
    for (std::size_t c = 0; c < 3; ++c) forces[c * most + count] = own[c];
    ++count;
  }
  kernels_->add_columns(near(side), static_cast<int>(side.stride), columns, 0,
                        static_cast<int>(count), forces, most, x, stride);
}

/// What was learnt between two rows, m/N.
float ContactBlocks::learnt_between(std::size_t a, std::size_t b) const {
  const std::size_t count = learnt_.count;
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k)
    sum += learnt_.left[a * count + k] * learnt_.right[b * count + k];
  return static_cast<float>(sum);
}

/// How far what was learnt moves a row's point along its direction, m.
float ContactBlocks::learnt_moves(std::size_t row) const {
  double sum = 0;
  for (std::size_t k = 0; k < learnt_.count; ++k)
    sum += learnt_.left[row * learnt_.count + k] * learnt_factors_[k];
  return static_cast<float>(sum);
}

/// The force of a row changes.
void ContactBlocks::learn(std::size_t row, float change) {
  for (std::size_t k = 0; k < learnt_.count; ++k)
    learnt_factors_[k] += static_cast<double>(change) * learnt_.right[row * learnt_.count + k];
}

/// Solves for all blocks of a pair, one after the other. Returns as relax_block.
float ContactBlocks::relax_pair(const Pair& pair, std::span<ContactRow> rows) {
  const std::size_t n = pair.num_places(), all = part_of_touched_.size();
  float* const x = &pair_moved_[3 * pair.first_place];
  float* const f = &block_forces_[3 * pair.first_place];
  float* const sum = &pair_forces_[3 * pair.first_place];
  for (const Side& side : pair.sides) {
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t i = 0; i < side.count; ++i)
        x[c * n + side.place + i] = moved_[c * all + at(columns_[side.columns + i])];
    }
  }
  std::fill_n(sum, 3 * n, 0.0F);
  const auto place = [](const Corner& own) { return own.of_pair; };
  float largest = 0;
  float residual[most_of_block], change[most_of_block];
  for (std::size_t b = pair.first; b < pair.first + pair.count; ++b) {
    const Block& block = blocks_[b];
    for (std::size_t i = 0; i < block.count; ++i) {
      const int row = order_[block.first + i];
      const Row& own = rows_[at(row)];
      residual[i] = static_cast<float>(rows[at(row)].gap) + moved(own, x, n, place) +
                    static_cast<float>(rows[at(row)].force) * own.softness + learnt_moves(at(row));
    }
    const float own_largest = relax_block(block, rows, residual, change);
    if (!(own_largest > 0)) continue;
    largest = std::max(largest, own_largest);
    std::fill_n(f, 3 * n, 0.0F);
    for (std::size_t i = 0; i < block.count; ++i) {
      const Row& own = rows_[at(order_[block.first + i])];
      learn(at(order_[block.first + i]), change[i]);
      for (int k = 0; k < own.num_corners; ++k) {
        const Corner& corner = corners_[at(own.first_corner + k)];
        const float force = corner.weight * change[i];
        float* const to = f + corner.of_pair;
        for (std::size_t c = 0; c < 3; ++c) to[c * n] += force * own.direction[c];
      }
    }
    for (std::size_t i = 0; i < 3 * n; ++i) sum[i] += f[i];
    const bool is_last = b + 1 == pair.first + pair.count;
    for (const Side& side : pair.sides) {
      if (side.is_whole || !is_last) move_by_block(side, f + side.place, n, x + side.place);
    }
  }
  if (!(largest > 0)) return 0;
  for (std::size_t s = 0; s < 2; ++s) {
    const Side& side = pair.sides[s];
    if (side.count == 0) continue;
    const Part& part = parts_[at(pair.parts[s])];
    if (side.is_whole) {
      for (std::size_t c = 0; c < 3; ++c) {
        std::copy_n(x + c * n + side.place, side.count, &moved_[c * all + part.first]);
      }
      continue;
    }
    kernels_->add_columns(&matrices_[part.matrix], static_cast<int>(part.stride),
                          &columns_[side.columns], static_cast<int>(part.first),
                          static_cast<int>(side.count), sum + side.place, n, &moved_[part.first],
                          all);
  }
  return largest;
}

void ContactBlocks::relax(std::span<ContactRow> rows, int most_sweeps, Threads& threads) {
  for (ContactRow& own : rows) own.force = own.assumed;
  std::fill(moved_.begin(), moved_.end(), 0.0F);
  learnt_factors_.assign(learnt_.count, 0.0);
  float first = 0;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    for (std::size_t round = 0; round + 1 < first_of_round_.size(); ++round) {
      const std::size_t begin = first_of_round_[round], end = first_of_round_[round + 1];
      const auto work = [&](int i) {
        const int pair = by_round_[begin + at(i)];
        largest_[at(pair)] = relax_pair(pairs_[at(pair)], rows);
      };
      const auto count = static_cast<int>(end - begin);
      if (learnt_.count == 0) {
        threads.parallel_for(count, work);
      } else {
        // All pairs see what was learnt.
        for (int i = 0; i < count; ++i) work(i);
      }
    }
    const float largest = *std::max_element(largest_.begin(), largest_.end());
    if (sweep == 0) first = largest;
    if (largest <= relaxed * first) break;
  }
  members_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].is_free()) members_.push_back(static_cast<int>(i));
  }
}

/// result = (C + K^-1) forces, by rows.
void ContactBlocks::multiply(const std::vector<float>& forces, std::vector<float>& result,
                             Threads& threads) {
  const std::size_t n = part_of_touched_.size();
  std::fill(forces_.begin(), forces_.end(), 0.0F);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& own = rows_[i];
    for (int k = 0; k < own.num_corners; ++k) {
      const Corner& corner = corners_[at(own.first_corner + k)];
      const float force = corner.weight * forces[i];
      for (int c = 0; c < 3; ++c)
        forces_[at(c) * n + at(corner.touched)] += force * own.direction[c];
    }
  }
  std::fill(moved_.begin(), moved_.end(), 0.0F);
  threads.parallel_for(static_cast<int>(parts_.size()), [&](int i) {
    const Part& part = parts_[at(i)];
    kernels_->add_columns(&matrices_[part.matrix], static_cast<int>(part.stride), nullptr, 0,
                          static_cast<int>(part.count), &forces_[part.first], n,
                          &moved_[part.first], n);
  });
  const std::size_t chunks = (rows_.size() + rows_at_a_time - 1) / rows_at_a_time;
  threads.parallel_for(static_cast<int>(chunks), [&](int chunk) {
    const std::size_t begin = at(chunk) * rows_at_a_time;
    for (std::size_t i = begin; i < std::min(rows_.size(), begin + rows_at_a_time); ++i) {
      const auto place = [](const Corner& own) { return own.touched; };
      result[i] = moved(rows_[i], moved_.data(), n, place) + rows_[i].softness * forces[i];
    }
  });
  ++num_products_;
}

void ContactBlocks::precondition(const std::vector<float>& right, std::vector<float>& result,
                                 Threads& threads) {
  threads.parallel_for(static_cast<int>(blocks_.size()), [&](int b) {
    const Block& block = blocks_[at(b)];
    float own[most_of_block], result_of_block[most_of_block];
    for (std::size_t i = 0; i < block.count; ++i) own[i] = right[at(order_[block.first + i])];
    if (block.is_factored) {
      solve_block(block, own, result_of_block);
    } else {
      for (std::size_t i = 0; i < block.count; ++i)
        result_of_block[i] = own[i] / systems_[block.system + i * (block.count + 1)];
    }
    for (std::size_t i = 0; i < block.count; ++i)
      result[at(order_[block.first + i])] = result_of_block[i];
  });
}

/// Conjugate gradients [Golub & Van Loan 2013, Alg. 11.5.1].
void ContactBlocks::solve(std::span<double> right, double part, Threads& threads) {
  const std::size_t n = right.size();
  for (auto* list : {&solution_, &search_, &product_, &preconditioned_, &rest_})
    list->assign(n, 0.0F);
  for (std::size_t i = 0; i < n; ++i) rest_[i] = static_cast<float>(right[i]);
  num_products_ = 0;
  precondition(rest_, preconditioned_, threads);
  search_ = preconditioned_;
  double norm = dot(rest_, preconditioned_);
  const double enough = part * part * norm;
  while (num_products_ < most_products && norm > enough) {
    multiply(search_, product_, threads);
    const double bend = dot(search_, product_);
    if (!(bend > 0)) break;
    const auto length = static_cast<float>(norm / bend);
    for (std::size_t i = 0; i < n; ++i) {
      solution_[i] += length * search_[i];
      rest_[i] -= length * product_[i];
    }
    precondition(rest_, preconditioned_, threads);
    const double next = dot(rest_, preconditioned_);
    const auto turn = static_cast<float>(next / norm);
    norm = next;
    for (std::size_t i = 0; i < n; ++i) search_[i] = preconditioned_[i] + turn * search_[i];
  }
  for (std::size_t i = 0; i < n; ++i) right[i] = static_cast<double>(solution_[i]);
}

}  // namespace supple
