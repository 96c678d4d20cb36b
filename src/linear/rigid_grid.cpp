#include "linear/rigid_grid.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/index.h"
#include "linear/ordering.h"
#include "linear/solve_ends.h"
#include "supple/error.h"

namespace supple {

namespace {

/// A sum of positive semi-definite parts of four vertices each has D^-1 A <= 4, where D is its
/// diagonal blocks. Half a Jacobi step therefore never diverges.
constexpr float damping = 0.5F;
/// This part of the mean diagonal entry is added to the coarse matrix, since a group on a line does
/// not feel its rotation about that line.
constexpr double held = 1e-5;
constexpr int rows_per_chunk = 128;

using Six = std::array<std::array<double, 6>, 6>;

}  // namespace

void RigidGrid::analyse(const SpdSolver::Matrix& lower) {
  find_blocks(lower);
  find_groups();
  place_coarse();
  blocks_.resize(neighbour_.size());
  inverse_.resize(at(n_));
  for (auto* rows : {&arm_, &x_, &rest_}) rows->assign(at(n_), {});
  coarse_side_.assign(at(6 * num_groups()), 0);
}

void RigidGrid::find_blocks(const SpdSolver::Matrix& lower) {
  const int* const start = lower.outerIndexPtr();
  const int* const row = lower.innerIndexPtr();
  n_ = static_cast<int>(lower.cols()) / 3;
  const auto refuse = [] {
    throw Error(ErrorKind::invalid_input, "RigidGrid", "expected a matrix of 3 x 3 blocks");
  };
  if (lower.rows() != lower.cols() || lower.cols() % 3 != 0) refuse();
  start_.assign(at(n_) + 1, 0);
  for (int j = 0; j < n_; ++j) {
    const int size = start[3 * j + 1] - start[3 * j];
    for (int c = 0; c < 3; ++c) {
      if (start[3 * j + c + 1] - start[3 * j + c] != size - c || size % 3 != 0) refuse();
    }
    for (int k = 0; k < size; k += 3) {
      const int first = row[start[3 * j] + k];
      if (first % 3 != 0 || row[start[3 * j] + k + 2] != first + 2) refuse();
      ++start_[at(first / 3) + 1];
      if (first != 3 * j) ++start_[at(j) + 1];
    }
  }
  for (std::size_t i = 0; i < at(n_); ++i) start_[i + 1] += start_[i];
  neighbour_.resize(at(start_.back()));
  source_.resize(3 * neighbour_.size());
  is_upper_.resize(neighbour_.size());
  diagonal_.resize(at(n_));
  std::vector<int> next(start_.begin(), start_.end() - 1);
  const auto put = [&](int i, int j, int k, bool is_upper) {
    const int place = next[at(i)]++;
    neighbour_[at(place)] = j;
    is_upper_[at(place)] = is_upper ? 1 : 0;
    const int column = 3 * (is_upper ? i : j);
    for (int c = 0; c < 3; ++c) source_[at(3 * place + c)] = start[column + c] + k - c;
    if (i == j) diagonal_[at(i)] = place;
  };
  for (int j = 0; j < n_; ++j) {
    for (int k = 0; k < start[3 * j + 1] - start[3 * j]; k += 3) {
      const int i = row[start[3 * j] + k] / 3;
      put(i, j, k, false);
      if (i != j) put(j, i, k, true);
    }
  }
}

/// Goes through the body layer by layer. A vertex whose neighbours are all free founds a group with
/// them; the others join the group of the first neighbour that has one.
void RigidGrid::find_groups() {
  Adjacency adjacency;
  adjacency.start.assign(1, 0);
  for (int i = 0; i < n_; ++i) {
    for (int e = start_[at(i)]; e < start_[at(i) + 1]; ++e) {
      if (neighbour_[at(e)] != i) adjacency.neighbour.push_back(neighbour_[at(e)]);
    }
    adjacency.start.push_back(static_cast<int>(adjacency.neighbour.size()));
  }
  const auto for_neighbours = [&](int i, const auto& work) {
    for (int a = adjacency.start[at(i)]; a < adjacency.start[at(i) + 1]; ++a) {
      work(adjacency.neighbour[at(a)]);
    }
  };
  int count = 0;
  group_.assign(at(n_), -1);
  for (const int i : bandwidth_order(adjacency)) {
    bool is_free = group_[at(i)] < 0;
    for_neighbours(i, [&](int j) { is_free = is_free && group_[at(j)] < 0; });
    if (!is_free) continue;
    group_[at(i)] = count;
    for_neighbours(i, [&](int j) { group_[at(j)] = count; });
    ++count;
  }
  // If a vertex founded no group, a neighbour of it is in one, so everyone finds a group to join.
  std::vector<int> joined = group_;
  for (int i = 0; i < n_; ++i) {
    for_neighbours(i, [&](int j) {
      if (joined[at(i)] < 0) joined[at(i)] = group_[at(j)];
    });
  }
  // Order the groups for little fill of the coarse matrix.
  std::vector<std::vector<int>> neighbours(at(count));
  for (int i = 0; i < n_; ++i) {
    for_neighbours(i, [&](int j) {
      const int a = joined[at(i)], b = joined[at(j)];
      if (a != b) neighbours[at(a)].push_back(b);
    });
  }
  Adjacency coarse;
  coarse.start.assign(1, 0);
  for (std::vector<int>& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    coarse.neighbour.insert(coarse.neighbour.end(), list.begin(), list.end());
    coarse.start.push_back(static_cast<int>(coarse.neighbour.size()));
  }
  const std::vector<int> order = fill_reducing_order(coarse);
  std::vector<int> place(at(count));
  for (int k = 0; k < count; ++k) place[at(order[at(k)])] = k;
  first_member_.assign(at(count) + 1, 0);
  for (int i = 0; i < n_; ++i) {
    group_[at(i)] = place[at(joined[at(i)])];
    ++first_member_[at(group_[at(i)]) + 1];
  }
  for (std::size_t g = 0; g < at(count); ++g) first_member_[g + 1] += first_member_[g];
  member_.resize(at(n_));
  std::vector<int> next(first_member_.begin(), first_member_.end() - 1);
  for (int i = 0; i < n_; ++i) member_[at(next[at(group_[at(i)])]++)] = i;
}

/// Builds the coarse matrix's pattern, and finds where each block of a row is added to it.
void RigidGrid::place_coarse() {
  const int count = num_groups();
  std::vector<std::vector<int>> rows_of(at(count));  // of a column of blocks
  for (int i = 0; i < n_; ++i) {
    for (int e = start_[at(i)]; e < start_[at(i) + 1]; ++e) {
      const int column = group_[at(neighbour_[at(e)])];
      if (column <= group_[at(i)]) rows_of[at(column)].push_back(group_[at(i)]);
    }
  }
  std::vector<Eigen::Triplet<double>> entries;
  for (int column = 0; column < count; ++column) {
    std::vector<int>& rows = rows_of[at(column)];
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (const int row : rows) {
      for (int c = 0; c < 6; ++c) {
        for (int r = row == column ? c : 0; r < 6; ++r) {
          entries.emplace_back(6 * row + r, 6 * column + c, 0.0);
        }
      }
    }
  }
  coarse_.resize(6 * count, 6 * count);
  coarse_.setFromTriplets(entries.begin(), entries.end());
  coarse_factor_.analyse(coarse_);
  coarse_block_.assign(neighbour_.size(), -1);
  for (int i = 0; i < n_; ++i) {
    for (int e = start_[at(i)]; e < start_[at(i) + 1]; ++e) {
      const int column = group_[at(neighbour_[at(e)])];
      if (column > group_[at(i)]) continue;
      const std::vector<int>& rows = rows_of[at(column)];
      coarse_block_[at(e)] =
          6 * static_cast<int>(std::lower_bound(rows.begin(), rows.end(), group_[at(i)]) -
                               rows.begin());
    }
  }
}

template <class Work>
void RigidGrid::for_rows(const Work& work) {
  threads_->parallel_for((n_ + rows_per_chunk - 1) / rows_per_chunk, [&](int chunk) {
    const int end = std::min(n_, (chunk + 1) * rows_per_chunk);
    for (int i = chunk * rows_per_chunk; i < end; ++i) work(i);
  });
}

bool RigidGrid::update(const SpdSolver::Matrix& lower) {
  double largest = 0;
  for (int i = 0; i < 3 * n_; ++i) {
    largest = std::max(largest, lower.valuePtr()[lower.outerIndexPtr()[i]]);
  }
  scale_ = scale_to_floats(largest);
  for_rows([&](int i) {
    for (int e = start_[at(i)]; e < start_[at(i) + 1]; ++e) {
      const int* const source = &source_[at(3 * e)];
      const bool is_diagonal = neighbour_[at(e)] == i;
      for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 3; ++r) {
          const bool is_turned = is_diagonal ? r < c : is_upper_[at(e)] != 0;
          const int k = is_turned ? source[r] + c : source[c] + r;
          blocks_[at(e)].column[c].v[r] = static_cast<float>(scale_ * lower.valuePtr()[k]);
        }
        blocks_[at(e)].column[c].v[3] = 0;
      }
    }
  });
  find_arms();
  if (!invert_diagonal()) return false;
  std::fill(coarse_.valuePtr(), coarse_.valuePtr() + coarse_.nonZeros(), 0.0);
  threads_->parallel_for(num_groups(), [&](int group) { assemble_coarse(group); });
  return coarse_factor_.factor(coarse_, *threads_);
}

bool RigidGrid::invert_diagonal() {
  for (int i = 0; i < n_; ++i) {
    const Block& block = blocks_[at(diagonal_[at(i)])];
    const auto a = [&](int r, int c) { return static_cast<double>(block.column[c].v[r]); };
    // From cofactors; the block is symmetric.
    const auto cofactor = [&](int r, int c) {
      const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
      return a(r1, c1) * a(r2, c2) - a(r1, c2) * a(r2, c1);
    };
    const double determinant =
        a(0, 0) * cofactor(0, 0) + a(0, 1) * cofactor(0, 1) + a(0, 2) * cofactor(0, 2);
    if (!(a(0, 0) > 0) || !(cofactor(2, 2) > 0) || !(determinant > 0)) return false;
    for (int c = 0; c < 3; ++c) {
      for (int r = 0; r < 3; ++r) {
        inverse_[at(i)].column[c].v[r] = static_cast<float>(damping * cofactor(r, c) / determinant);
        if (!std::isfinite(inverse_[at(i)].column[c].v[r])) return false;
      }
    }
  }
  return true;
}

/// Positions of the vertices relative to their group's centre. The unit is their root mean square
/// distance, so that rotations weigh about as much as translations.
void RigidGrid::find_arms() {
  threads_->parallel_for(num_groups(), [&](int group) {
    const int begin = first_member_[at(group)], end = first_member_[at(group) + 1];
    double centre[3] = {}, squares = 0;
    for (int k = begin; k < end; ++k) {
      for (int c = 0; c < 3; ++c) {
        centre[c] += positions_[3 * member_[at(k)] + c] / (end - begin);
      }
    }
    for (int k = begin; k < end; ++k) {
      for (int c = 0; c < 3; ++c) {
        const double distance = positions_[3 * member_[at(k)] + c] - centre[c];
        squares += distance * distance / (end - begin);
      }
    }
    const double unit = squares > 0 ? std::sqrt(squares) : 1;
    for (int k = begin; k < end; ++k) {
      for (int c = 0; c < 3; ++c) {
        arm_[at(member_[at(k)])].v[c] =
            static_cast<float>((positions_[3 * member_[at(k)] + c] - centre[c]) / unit);
      }
    }
  });
}

/// The group's rows of P^T A P: T_i^T A_ij T_j, T_i = [I, -[arm_i]_x], over its vertices i.
void RigidGrid::assemble_coarse(int group) {
  const int* const start = coarse_.outerIndexPtr();
  for (int k = first_member_[at(group)]; k < first_member_[at(group) + 1]; ++k) {
    const int i = member_[at(k)];
    const float* const own = arm_[at(i)].v;
    for (int e = start_[at(i)]; e < start_[at(i) + 1]; ++e) {
      if (coarse_block_[at(e)] < 0) continue;
      const int j = neighbour_[at(e)];
      const float* const other = arm_[at(j)].v;
      const Block& block = blocks_[at(e)];
      float product[6][6];  // columns of A T_j, then of T_i^T A T_j
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) product[c][r] = block.column[c].v[r];
        // A (axis_c x other).
        for (int c = 0; c < 3; ++c) {
          const int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
          product[3 + c][r] = block.column[c2].v[r] * other[c1] - block.column[c1].v[r] * other[c2];
        }
      }
      for (auto& column : product) {
        for (int r = 0; r < 3; ++r) {
          const int r1 = (r + 1) % 3, r2 = (r + 2) % 3;
          column[3 + r] = own[r1] * column[r2] - own[r2] * column[r1];
        }
      }
      const int first_column = 6 * group_[at(j)], row = coarse_block_[at(e)];
      const bool is_diagonal = group_[at(j)] == group;
      for (int c = 0; c < 6; ++c) {
        double* const to = coarse_.valuePtr() + start[first_column + c] + row - c;
        for (int r = is_diagonal ? c : 0; r < 6; ++r) {
          to[r] += static_cast<double>(product[c][r]);
        }
      }
    }
  }
  double mean = 0;
  for (int c = 0; c < 6; ++c) mean += coarse_.valuePtr()[start[6 * group + c]] / 6;
  for (int c = 0; c < 6; ++c) coarse_.valuePtr()[start[6 * group + c]] += held * mean;
}

RigidGrid::Row RigidGrid::row_product(int i, const std::vector<Row>& x) const {
  typedef float Four __attribute__((vector_size(16), may_alias));
  Four sum = {}, other = {};
  for (int e = start_[at(i)]; e < start_[at(i) + 1]; ++e) {
    const Block& block = blocks_[at(e)];
    const float* const from = x[at(neighbour_[at(e)])].v;
    const auto column = [&](int c) { return *reinterpret_cast<const Four*>(block.column[c].v); };
    sum += column(0) * from[0];
    other += column(1) * from[1];
    sum += column(2) * from[2];
  }
  Row product;
  *reinterpret_cast<Four*>(product.v) = sum + other;
  return product;
}

/// Force and torque of the residual on a group.
void RigidGrid::restrict_to(int group) {
  float sum[6] = {};
  for (int k = first_member_[at(group)]; k < first_member_[at(group) + 1]; ++k) {
    const float* const left = rest_[at(member_[at(k)])].v;
    const float* const arm = arm_[at(member_[at(k)])].v;
    for (int c = 0; c < 3; ++c) {
      const int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
      sum[c] += left[c];
      sum[3 + c] += arm[c1] * left[c2] - arm[c2] * left[c1];
    }
  }
  std::copy(sum, sum + 6, &coarse_side_[at(6 * group)]);
}

void RigidGrid::apply(const double* r, double* z) {
  double largest = 0;
  for (int i = 0; i < 3 * n_; ++i) largest = std::max(largest, std::abs(r[i]));
  const double scale = scale_to_floats(largest);
  const auto relax = [&](int i, const float* side) {
    const Block& inverse = inverse_[at(i)];
    Row step{};
    for (int c = 0; c < 3; ++c) {
      for (int k = 0; k < 3; ++k) step.v[k] += inverse.column[c].v[k] * side[c];
    }
    return step;
  };
  const auto rest = [&](int i) {
    Row left = row_product(i, x_);
    for (int c = 0; c < 3; ++c) left.v[c] = static_cast<float>(scale * r[3 * i + c]) - left.v[c];
    return left;
  };
  for_rows([&](int i) {
    float side[3];
    for (int c = 0; c < 3; ++c) side[c] = static_cast<float>(scale * r[3 * i + c]);
    x_[at(i)] = relax(i, side);
  });
  for_rows([&](int i) { rest_[at(i)] = rest(i); });
  threads_->parallel_for(num_groups(), [&](int group) { restrict_to(group); });
  coarse_factor_.solve(coarse_side_.data(), coarse_side_.data(), *threads_);
  for_rows([&](int i) {
    const double* const motion = &coarse_side_[at(6 * group_[at(i)])];
    const float* const arm = arm_[at(i)].v;
    for (int c = 0; c < 3; ++c) {
      const int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
      // turn x arm
      x_[at(i)].v[c] += static_cast<float>(motion[c]) +
                        static_cast<float>(motion[3 + c1]) * arm[c2] -
                        static_cast<float>(motion[3 + c2]) * arm[c1];
    }
  });
  const double back = scale_ / scale;
  // From here on only a row's own entries of r are read: z can be the same array.
  for_rows([&](int i) {
    const Row step = relax(i, rest(i).v);
    for (int c = 0; c < 3; ++c) {
      z[3 * i + c] = back * static_cast<double>(x_[at(i)].v[c] + step.v[c]);
    }
  });
}

void RigidGrid::apply4(const double* r, double* z) {
  std::vector<double> side(at(3 * n_));
  for (int c = 0; c < 4; ++c) {
    for (int i = 0; i < 3 * n_; ++i) side[at(i)] = r[4 * i + c];
    apply(side.data(), side.data());
    for (int i = 0; i < 3 * n_; ++i) z[4 * i + c] = side[at(i)];
  }
}

}  // namespace supple
