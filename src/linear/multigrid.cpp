#include "linear/multigrid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/index.h"
#include "linear/panel_solve.h"
#include "linear/supernodes.h"

namespace supple {

SUPPLE_DEFINE_KERNELS(GridKernels, grid_kernels, grid_table)

namespace {

/// Rows that are sorted by their length, and that a thread takes at a time: for the finest grid,
/// and for the others, which have few rows.
constexpr int window = SolveEnds::rows, coarse_window = 64;
/// Rows with a negative entry of Â larger than this in size belong together.
constexpr double theta = 0.05;
/// Entries of Â below this are left out of products. On the finest grid that is a third of them,
/// for less than a hundredth more iterations; on a coarse grid it is half of them, since it has
/// more and smaller ones.
constexpr double weak = 0.02, coarse_weak = 0.01;
/// The smoothing damps eigenvalues from bound/part on.
constexpr int most_steps = 3;
constexpr double part = 8;
/// A coarser grid is made if a coarse grid's factor has more entries than this: 2 MB of floats. A
/// core's own cache holds that or less, so in every frame a larger factor comes from further away.
constexpr std::ptrdiff_t most_in_a_coarse_factor = std::ptrdiff_t{1} << 19;
/// Number of cycles that measure how much of an error one cycle leaves, as long as the remainder
/// has more than this part of the error's energy. Smooth errors, which cost A next to nothing, are
/// lost in the rounding of floats; by then a descent's other errors are, too.
constexpr int measured_cycles = 8;
constexpr double least_energy = 1e-5;

/// One over the roots of the Chebyshev polynomial of [bound/part, bound]: the steps of the first
/// smoothing.
std::array<float, most_steps> chebyshev_steps(double bound, int degree) {
  std::array<float, most_steps> steps{};
  const double middle = 0.5 * (bound + bound / part), half = 0.5 * (bound - bound / part);
  for (int k = 0; k < degree; ++k) {
    const double angle = std::numbers::pi * (2 * k + 1) / (2 * degree);
    steps[at(k)] = static_cast<float>(1 / (middle + half * std::cos(angle)));
  }
  return steps;
}

/// Rounds to the nearest number whose lower half is zero, ties to even. value: finite.
float upper_half(float value) {
  auto bits = __builtin_bit_cast(std::uint32_t, value);
  bits += 0x7fffU + (bits >> 16 & 1U);
  return __builtin_bit_cast(float, bits & 0xffff0000U);
}

}  // namespace

/// in_words: stores off-diagonal entries with eight binary digits. The diagonal is chosen such that
/// the row sums stay those of A; for smooth errors only these matter.
Multigrid::Slices Multigrid::sliced(const RowMatrix& A, int rows, bool in_words) {
  Slices slices;
  slices.window = rows;
  slices.start.push_back(0);
  const auto length = [&](int i) { return A.start[at(i) + 1] - A.start[at(i)]; };
  std::vector<float> diagonal(in_words ? at(A.rows()) : 0);
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    double sum = 0;
    for (int e = A.start[i]; e < A.start[i + 1]; ++e) {
      const double value = A.value[at(e)];
      sum += value;
      if (at(A.column[at(e)]) != i) sum -= double{upper_half(static_cast<float>(value))};
    }
    diagonal[i] = static_cast<float>(sum);
  }
  std::vector<int> order;
  for (int begin = 0; begin < A.rows(); begin += rows) {
    order.resize(at(std::min(rows, A.rows() - begin)));
    std::iota(order.begin(), order.end(), begin);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return length(a) < length(b); });
    while (order.size() % 4 != 0) order.push_back(order.back());
    for (std::size_t k = 0; k < order.size(); k += 4) {
      int longest = 0;
      for (std::size_t r = k; r < k + 4; ++r) longest = std::max(longest, length(order[r]));
      for (int e = 0; e < longest; ++e) {
        for (std::size_t r = k; r < k + 4; ++r) {
          const int i = order[r];
          const std::size_t from = at(A.start[at(i)] + e);
          const bool is_there = e < length(i);
          const int column = is_there ? A.column[from] : 0;
          const auto value = is_there ? static_cast<float>(A.value[from]) : 0.0F;
          if (in_words) {
            const float kept = column == i ? 0.0F : upper_half(value);
            slices.word.push_back(__builtin_bit_cast(std::uint32_t, kept) |
                                  static_cast<std::uint32_t>(column));
          } else {
            slices.column.push_back(column);
            slices.value.push_back(value);
          }
        }
      }
      for (std::size_t r = k; r < k + 4; ++r) {
        slices.row.push_back(order[r]);
        if (in_words) slices.diagonal.push_back(diagonal[at(order[r])]);
      }
      slices.start.push_back(slices.start.back() + longest);
    }
  }
  return slices;
}

int Multigrid::fine_window() const { return depth_ == 0 ? window : coarse_window; }

/// The field for which Â is next to nothing: a body moved as a whole.
std::vector<double> Multigrid::near_null() const {
  std::vector<double> field(scale_.size());
  for (std::size_t i = 0; i < field.size(); ++i) field[i] = 1 / scale_[i];
  return field;
}

/// Prepares to solve with P^T Â P by another cycle or by Cholesky.
bool Multigrid::factor_coarse(const Matrix& lower, Threads& threads) {
  const std::vector<int> counts =
      column_counts({coarse_rows_, lower.outerIndexPtr(), lower.innerIndexPtr()});
  const std::ptrdiff_t entries = std::accumulate(counts.begin(), counts.end(), std::ptrdiff_t{0});
  if (2 * coarse_rows_ <= n_ && entries > most_in_a_coarse_factor) {
    auto grids = std::make_unique<Multigrid>(level_, depth_ + 1);
    if (grids->factor(lower, threads)) {
      num_grids_ = 1 + grids->num_grids();
      coarse_ = std::move(grids);
      return true;
    }
  }
  num_grids_ = 2;
  coarse_ = make_supernodal_cholesky(Precision::single, level_);
  coarse_->analyse(lower);
  return coarse_->factor(lower, threads);
}

/// False: the coarse matrix is not positive definite to rounding.
bool Multigrid::make_coarse(const RowMatrix& A, Threads& threads) {
  RowMatrix P = smoothed_prolongation(A, bound_, theta, near_null());
  coarse_rows_ = P.columns;
  coarse_.reset();
  num_grids_ = 1;
  if (coarse_rows_ == 0) return true;
  const RowMatrix none;
  const RowMatrix C = multiply_add(0, none, 1, transpose(P), multiply_add(0, none, 1, A, P));
  Adjacency adjacency;
  adjacency.start.push_back(0);
  for (int i = 0; i < C.rows(); ++i) {
    for (int e = C.start[at(i)]; e < C.start[at(i) + 1]; ++e) {
      if (C.column[at(e)] != i) adjacency.neighbour.push_back(C.column[at(e)]);
    }
    adjacency.start.push_back(static_cast<int>(adjacency.neighbour.size()));
  }
  const std::vector<int> order = fill_reducing_order(adjacency);
  std::vector<int> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[at(order[k])] = static_cast<int>(k);
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < C.rows(); ++i) {
    for (int e = C.start[at(i)]; e < C.start[at(i) + 1]; ++e) {
      const int row = place[at(i)], column = place[at(C.column[at(e)])];
      if (row >= column) entries.emplace_back(row, column, C.value[at(e)]);
    }
  }
  Matrix lower(coarse_rows_, coarse_rows_);
  lower.setFromTriplets(entries.begin(), entries.end());
  for (int& column : P.column) column = place[at(column)];
  if (!factor_coarse(lower, threads)) return false;
  prolongation_ = sliced(P, fine_window(), false);
  restriction_ = sliced(transpose(P), coarse_window, false);
  return true;
}

bool Multigrid::factor(const Matrix& lower, Threads& threads) {
  n_ = static_cast<int>(lower.rows());
  contraction_ = 1;
  scale_.resize(at(n_));
  largest_scale_ = 0;
  for (int i = 0; i < n_; ++i) {
    const double d = lower.valuePtr()[lower.outerIndexPtr()[i]];
    if (!(d > 0) || !std::isfinite(d)) return false;
    scale_[at(i)] = 1 / std::sqrt(d);
    largest_scale_ = std::max(largest_scale_, scale_[at(i)]);
  }
  const RowMatrix A = scaled_rows(lower, scale_);
  for (double& value : scale_) value /= largest_scale_;
  bound_ = eigenvalue_bound(A);
  if (!std::isfinite(bound_) || !make_coarse(A, threads)) return false;
  fine_ = sliced(without_weak(A, depth_ == 0 ? weak : coarse_weak, near_null()), fine_window(),
                 n_ <= 65536);
  const std::size_t size = 4 * at(n_);
  y_.assign(size, 0);
  u_.assign(size, 0);
  z_.assign(size, 0);
  one_side_.clear();
  coarse_x_.assign(4 * at(coarse_rows_), 0);
  coarse_float_.assign(4 * at(coarse_rows_), 0);
  measure(A, threads);
  return contraction_ <= most_left;
}

/// Iterates e -> e - H A e on four errors at a time, starting from noise.
void Multigrid::measure(const RowMatrix& A, Threads& threads) {
  std::vector<double> error(4 * at(n_)), product(error.size()), change(error.size());
  std::uint32_t noise = 1;
  for (double& e : error) {
    noise = noise * 1664525U + 1013904223U;
    e = static_cast<double>(noise) / 2147483648.0 - 1;
  }
  std::array<double, 4> start{}, before{};
  const auto root = [&](int i) { return scale_[at(i)] * largest_scale_; };
  for (int cycle = 0; cycle <= measured_cycles; ++cycle) {
    std::array<double, 4> energy{};
    for (int i = 0; i < n_; ++i) {
      std::array<double, 4> sum{};
      for (int e = A.start[at(i)]; e < A.start[at(i) + 1]; ++e) {
        for (std::size_t c = 0; c < 4; ++c) {
          sum[c] += A.value[at(e)] * error[4 * at(A.column[at(e)]) + c];
        }
      }
      for (std::size_t c = 0; c < 4; ++c) {
        energy[c] += sum[c] * error[4 * at(i) + c];
        product[4 * at(i) + c] = sum[c] / root(i);
      }
    }
    if (cycle > 0) {
      double worst = 0;
      bool is_seen = false;
      for (std::size_t c = 0; c < 4; ++c) {
        if (before[c] <= least_energy * start[c]) continue;
        const double left = std::sqrt(energy[c] / before[c]);
        worst = left <= worst ? worst : left;  // or not a number
        is_seen = true;
      }
      if (!is_seen) return;
      contraction_ = worst;
    }
    if (cycle == 0) start = energy;
    before = energy;
    if (cycle == measured_cycles) return;
    solve4(product.data(), change.data(), threads);
    for (int i = 0; i < n_; ++i) {
      for (std::size_t c = 0; c < 4; ++c) {
        error[4 * at(i) + c] -= change[4 * at(i) + c] / root(i);
      }
    }
  }
}

void Multigrid::solve(const double* b, double* x, Threads& threads) {
  one_side_.resize(4 * at(n_));
  for (std::size_t i = 0; i < at(n_); ++i) one_side_[4 * i] = b[i];
  solve4(one_side_.data(), one_side_.data(), threads);
  for (std::size_t i = 0; i < at(n_); ++i) {
    x[i] = one_side_[4 * i];
    one_side_[4 * i] = 0;
  }
}

template <class Work>
void Multigrid::for_slices(const Slices& slices, Threads& threads, const Work& work) {
  const int at_a_time = slices.window / 4;
  const int count = slices.count();
  const RowSlices view = slices.view();
  threads.parallel_for((count + at_a_time - 1) / at_a_time, [&](int chunk) {
    work(view, chunk * at_a_time, std::min(count, (chunk + 1) * at_a_time));
  });
}

/// to = a x + b y + c Â x.
void Multigrid::smooth(const float* x, const float* y, float a, float b, float c, float* to,
                       Threads& threads) {
  for_slices(fine_, threads, [&](const RowSlices& M, int first, int last) {
    kernels_->combine(M, first, last, x, y, a, b, c, to);
  });
}

void Multigrid::solve4(const double* b, double* x, Threads& threads) {
  PlainEnds<4> ends(b, n_, solve_kernels(level_), largest_, threads);
  cycle(ends, x, threads);
}

void Multigrid::solve4_between(SolveEnds& ends, int, double* x, Threads& threads) {
  cycle(ends, x, threads);
}

template <class Ends>
void Multigrid::cycle(Ends& ends, double* x, Threads& threads) {
  const double factor = scale_to_floats(ends.size());
  float *y = y_.data(), *u = u_.data(), *z = z_.data();
  const int rows = fine_window();
  threads.parallel_for((n_ + rows - 1) / rows, [&](int chunk) {
    const int first = chunk * rows, last = std::min(n_, first + rows);
    double room[4 * window];
    const double* const b = ends.bring(first, last, room);
    kernels_->load(b, &scale_[at(first)], factor, last - first, y + std::ptrdiff_t{4} * first);
  });
  const std::size_t degree = depth_ == 0 ? 3 : 2;
  const std::array<float, most_steps> w = chebyshev_steps(bound_, static_cast<int>(degree));
  // The first two steps from zero are combined; after them u is the iterate.
  smooth(y, y, w[0] + w[1], 0, -w[0] * w[1], u, threads);
  for (std::size_t k = 2; k < degree; ++k) {
    smooth(u, y, 1, w[k], -w[k], z, threads);
    std::swap(u, z);
  }
  if (coarse_ != nullptr) {
    smooth(u, y, 0, 1, -1, z, threads);
    for_slices(restriction_, threads, [&](const RowSlices& M, int first, int last) {
      kernels_->restrict_to(M, first, last, z, coarse_x_.data());
    });
    coarse_->solve4(coarse_x_.data(), coarse_x_.data(), threads);
    for (std::size_t i = 0; i < coarse_x_.size(); ++i) {
      coarse_float_[i] = static_cast<float>(coarse_x_[i]);
    }
    for_slices(prolongation_, threads, [&](const RowSlices& M, int first, int last) {
      kernels_->prolong(M, first, last, coarse_float_.data(), u, z);
    });
    std::swap(u, z);
  }
  for (std::size_t k = degree - 1; k > 0; --k) {
    smooth(u, y, 1, w[k], -w[k], z, threads);
    std::swap(u, z);
  }
  const double back = largest_scale_ * largest_scale_;
  for_slices(fine_, threads, [&](const RowSlices& M, int first, int last) {
    kernels_->finish(M, first, last, u, y, w[0], scale_.data(), back / factor, x);
    // The slices of a window have exactly the window's rows.
    ends.take(4 * first, std::min(n_, 4 * last));
  });
}

}  // namespace supple
