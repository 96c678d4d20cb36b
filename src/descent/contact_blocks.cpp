#include "descent/contact_blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/index.h"

namespace supple {

namespace {

/// Rows of a block at most: its cost grows with their cube.
constexpr std::size_t most_of_block = 96;
/// Of the largest entry of a block's diagonal, on top of it: many contacts of two flat faces see
/// few vertices, and their block is singular but for K^-1.
constexpr float extra_diagonal = 1e-5F;
/// Sweeps within a block whose rows may not all push, and the part of what the first sweep over all
/// blocks changes below which they end.
constexpr int sweeps_of_block = 4;
constexpr float relaxed = 1e-3F;
/// Of conjugate gradients.
constexpr int most_products = 60;
/// Rows that a thread works on at a time.
constexpr std::size_t rows_at_a_time = 256;

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  return sum;
}

}  // namespace

void ContactBlocks::fill(std::span<const ContactRow> rows, const Compliance& compliance,
                         Threads& threads) {
  number_vertices(rows, compliance, threads);
  make_blocks(rows);
  threads.parallel_for(static_cast<int>(blocks_.size()),
                       [&](int block) { fill_block(blocks_[at(block)]); });
}

/// The vertices that touch, part after part, and A^-1 between those of each.
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
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    touched_of_vertex_[at(touched_[i].second)] = static_cast<int>(i);
    if (i == 0 || touched_[i].first != touched_[i - 1].first) parts_.push_back({i, 0, 0});
    ++parts_.back().count;
    part_of_touched_.push_back(static_cast<int>(parts_.size()) - 1);
  }
  for (Part& part : parts_) {
    part.matrix = size;
    size += part.count * part.count;
  }
  matrices_.resize(size);
  threads.parallel_for(static_cast<int>(touched_.size()), [&](int i) {
    const Part& part = parts_[at(part_of_touched_[at(i)])];
    const float* const entries = compliance.row(touched_[at(i)].second);
    float* const row = &matrices_[part.matrix + (at(i) - part.first) * part.count];
    for (std::size_t j = 0; j < part.count; ++j) {
      row[j] = entries[compliance.slot(touched_[part.first + j].second)];
    }
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
                          .of_block = 0,
                          .weight = static_cast<float>(own.point.weights[k])});
    }
  }
  for (const auto& [part, vertex] : touched_) touched_of_vertex_[at(vertex)] = -1;
  forces_.assign(3 * touched_.size(), 0.0F);
  moved_.assign(3 * touched_.size(), 0.0F);
}

void ContactBlocks::make_blocks(std::span<const ContactRow> rows) {
  const auto key = [&](int i) {
    const Row& own = rows_[at(i)];
    int least = static_cast<int>(parts_.size()), most = -1;
    for (int k = 0; k < own.num_corners; ++k) {
      const int part = part_of_touched_[at(corners_[at(own.first_corner + k)].touched)];
      least = std::min(least, part);
      most = std::max(most, part);
    }
    return std::tuple(least, most, rows[at(i)].kind);
  };
  order_.resize(rows.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](int a, int b) {
    return std::tuple_cat(key(a), std::tuple(corners_[at(rows_[at(a)].first_corner)].touched, a)) <
           std::tuple_cat(key(b), std::tuple(corners_[at(rows_[at(b)].first_corner)].touched, b));
  });
  blocks_.clear();
  columns_.clear();
  std::size_t size = 0, largest = 0, most_columns = 0;
  for (std::size_t first = 0; first < order_.size();) {
    const auto own = key(order_[first]);
    std::size_t last = first + 1;
    while (last < order_.size() && key(order_[last]) == own) ++last;
    // In pieces of about the same size.
    const std::size_t pieces = (last - first + most_of_block - 1) / most_of_block;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const std::size_t begin = first + (last - first) * piece / pieces;
      const std::size_t end = first + (last - first) * (piece + 1) / pieces;
      blocks_.push_back({.first = begin,
                         .count = end - begin,
                         .system = size,
                         .columns = columns_.size(),
                         .num_columns = 0,
                         .first_of_second = 0,
                         .is_factored = false,
                         .only_pushes = rows[at(order_[begin])].only_pushes()});
      list_columns(blocks_.back());
      size += (end - begin) * (end - begin);
      largest = std::max(largest, end - begin);
      most_columns = std::max(most_columns, blocks_.back().num_columns);
    }
    first = last;
  }
  for (auto* list : {&systems_, &inverses_, &fronts_}) list->resize(size);
  for (auto* list : {&residual_, &change_}) list->resize(largest);
  block_forces_.resize(3 * most_columns);
}

/// The vertices that touch in a block, and where its corners are among them.
void ContactBlocks::list_columns(Block& block) {
  const auto for_corners = [&](const auto& visit) {
    for (std::size_t i = block.first; i < block.first + block.count; ++i) {
      const Row& own = rows_[at(order_[i])];
      for (int k = 0; k < own.num_corners; ++k) visit(corners_[at(own.first_corner + k)]);
    }
  };
  for_corners([&](const Corner& own) { columns_.push_back(own.touched); });
  const auto begin = columns_.begin() + static_cast<std::ptrdiff_t>(block.columns);
  std::sort(begin, columns_.end());
  columns_.erase(std::unique(begin, columns_.end()), columns_.end());
  block.num_columns = columns_.size() - block.columns;
  for_corners([&](Corner& own) {
    own.of_block = static_cast<int>(std::lower_bound(begin, columns_.end(), own.touched) - begin);
  });
  const auto second = std::find_if(begin, columns_.end(), [&](int touched) {
    return part_of_touched_[at(touched)] != part_of_touched_[at(*begin)];
  });
  block.first_of_second = at(static_cast<int>(second - begin));
}

/// (C + K^-1) between two rows but for K^-1, m/N.
float ContactBlocks::between(const Row& a, const Row& b) const {
  float sum = 0;
  for (int i = 0; i < a.num_corners; ++i) {
    const Corner& from = corners_[at(a.first_corner + i)];
    const int own_part = part_of_touched_[at(from.touched)];
    const Part& part = parts_[at(own_part)];
    const float* const row = &matrices_[part.matrix + (at(from.touched) - part.first) * part.count];
    for (int j = 0; j < b.num_corners; ++j) {
      const Corner& to = corners_[at(b.first_corner + j)];
      if (part_of_touched_[at(to.touched)] != own_part) continue;
      sum += from.weight * to.weight * row[at(to.touched) - part.first];
    }
  }
  return sum * (a.direction[0] * b.direction[0] + a.direction[1] * b.direction[1] +
                a.direction[2] * b.direction[2]);
}

void ContactBlocks::fill_block(Block& block) {
  const std::size_t n = block.count;
  float* const system = &systems_[block.system];
  float* const front = &fronts_[block.system];
  float largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Row& own = rows_[at(order_[block.first + i])];
    for (std::size_t j = 0; j <= i; ++j) {
      system[i * n + j] = system[j * n + i] = between(own, rows_[at(order_[block.first + j])]);
    }
    system[i * n + i] += own.softness;
    largest = std::max(largest, system[i * n + i]);
  }
  std::copy(system, system + n * n, front);
  for (std::size_t i = 0; i < n; ++i) front[i * n + i] += extra_diagonal * largest;
  block.is_factored = front_kernels_->eliminate_floats(front, static_cast<int>(n), 0, false,
                                                       &inverses_[block.system], nullptr);
}

/// d . (C N l) of a row, m.
float ContactBlocks::moved(const Row& own) const {
  const std::size_t n = touched_.size();
  float sum = 0;
  for (int k = 0; k < own.num_corners; ++k) {
    const Corner& corner = corners_[at(own.first_corner + k)];
    const float* const x = &moved_[at(corner.touched)];
    sum += corner.weight *
           (own.direction[0] * x[0] + own.direction[1] * x[n] + own.direction[2] * x[2 * n]);
  }
  return sum;
}

/// What other forces of a block's rows, N, move.
void ContactBlocks::push(const Block& block, const float* change) {
  const std::size_t n = block.num_columns;
  std::fill_n(block_forces_.begin(), 3 * n, 0.0F);
  for (std::size_t i = 0; i < block.count; ++i) {
    const Row& own = rows_[at(order_[block.first + i])];
    for (int k = 0; k < own.num_corners; ++k) {
      const Corner& corner = corners_[at(own.first_corner + k)];
      const float force = corner.weight * change[i];
      float* const to = &block_forces_[at(corner.of_block)];
      for (int c = 0; c < 3; ++c) to[at(c) * n] += force * own.direction[c];
    }
  }
  const auto add = [&](std::size_t first, std::size_t last) {
    if (first == last) return;
    const int* const columns = &columns_[block.columns];
    const Part& part = parts_[at(part_of_touched_[at(columns[first])])];
    kernels_->add_columns(&matrices_[part.matrix], static_cast<int>(part.count), columns + first,
                          static_cast<int>(part.first), static_cast<int>(last - first),
                          &block_forces_[first], n, &moved_[part.first], touched_.size());
  };
  add(0, block.first_of_second);
  add(block.first_of_second, n);
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

/// The largest change of a gap that the block's forces alone would make, m.
float ContactBlocks::relax_block(const Block& block, std::span<ContactRow> rows) {
  const std::size_t n = block.count;
  const float* const system = &systems_[block.system];
  const auto row = [&](std::size_t i) -> ContactRow& { return rows[at(order_[block.first + i])]; };
  float largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Row& own = rows_[at(order_[block.first + i])];
    residual_[i] = static_cast<float>(row(i).gap) + moved(own) +
                   static_cast<float>(row(i).force) * own.softness;
  }
  bool is_solved = false;
  if (block.is_factored) {
    solve_block(block, residual_.data(), change_.data());
    is_solved = true;
    for (std::size_t i = 0; i < n && is_solved; ++i) {
      is_solved = !block.only_pushes || row(i).force >= static_cast<double>(change_[i]);
    }
    for (std::size_t i = 0; i < n && is_solved; ++i) {
      change_[i] = -change_[i];
      row(i).force += static_cast<double>(change_[i]);
      largest = std::max(largest, std::abs(change_[i]) * system[i * n + i]);
    }
  }
  if (!is_solved) {
    std::fill_n(change_.begin(), n, 0.0F);
    for (int sweep = 0; sweep < sweeps_of_block; ++sweep) {
      for (std::size_t i = 0; i < n; ++i) {
        const float* const column = system + i * n;
        ContactRow& own = row(i);
        const double pushes =
            own.allowed(own.force - static_cast<double>(residual_[i] / column[i]));
        const auto change = static_cast<float>(pushes - own.force);
        if (change == 0) continue;
        own.force = pushes;
        change_[i] += change;
        largest = std::max(largest, std::abs(change) * column[i]);
        kernels_->add(change, column, static_cast<int>(n), residual_.data());
      }
    }
  }
  if (largest > 0) push(block, change_.data());
  return largest;
}

void ContactBlocks::relax(std::span<ContactRow> rows, int most_sweeps) {
  for (ContactRow& own : rows) own.force = own.assumed;
  std::fill(moved_.begin(), moved_.end(), 0.0F);
  float first = 0;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    float largest = 0;
    for (const Block& block : blocks_) largest = std::max(largest, relax_block(block, rows));
    if (sweep == 0) first = largest;
    if (largest <= relaxed * first) break;
  }
  members_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].force > 0 || !rows[i].only_pushes()) members_.push_back(static_cast<int>(i));
  }
}

/// result = (C + K^-1) forces, by rows.
void ContactBlocks::multiply(const std::vector<float>& forces, std::vector<float>& result,
                             Threads& threads) {
  const std::size_t n = touched_.size();
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
    kernels_->add_columns(&matrices_[part.matrix], static_cast<int>(part.count), nullptr, 0,
                          static_cast<int>(part.count), &forces_[part.first], n,
                          &moved_[part.first], n);
  });
  const std::size_t chunks = (rows_.size() + rows_at_a_time - 1) / rows_at_a_time;
  threads.parallel_for(static_cast<int>(chunks), [&](int chunk) {
    const std::size_t begin = at(chunk) * rows_at_a_time;
    for (std::size_t i = begin; i < std::min(rows_.size(), begin + rows_at_a_time); ++i) {
      result[i] = moved(rows_[i]) + rows_[i].softness * forces[i];
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
