#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "linear/panel_kernels.h"
#include "linear/spd_solver.h"
#include "linear/supernodes.h"
#include "supple/error.h"

namespace supple {

namespace {

std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

int tiles(int count) { return (count + 3) / 4; }

using Dense = Eigen::MatrixXd;

/// max |b|. Eight at a time: one after the other they would wait for each other.
double largest_of(const double* b, std::ptrdiff_t size) {
  double largest[8] = {};
  std::ptrdiff_t i = 0;
  for (; i + 8 <= size; i += 8) {
    for (int l = 0; l < 8; ++l) {
      const double value = std::abs(b[i + l]);
      largest[l] = value > largest[l] ? value : largest[l];
    }
  }
  for (; i < size; ++i) largest[0] = std::max(largest[0], std::abs(b[i]));
  return *std::max_element(largest, largest + 8);
}

/// What a supernode keeps of its factor, as the panel
///   P = [ L11^-1     ]
///       [ L21 L11^-1 ]
/// with which both substitutions are products: (y1, -b2 update) = P b1 forwards and
/// x1 = P^T (y1, -x2) backwards [partitioned inverse: Alvarado & Schreiber 1993]. Tiles above the
/// diagonal of L11^-1 are left out, strip by strip.
template <class Real>
class Panels {
 public:
  /// Tiles in the rows of a supernode: of the diagonal block and below it.
  static int row_tiles(const Supernodes& nodes, int s) {
    return tiles(nodes.width(s)) + tiles(nodes.num_rows(s));
  }

  void allocate(const Supernodes& nodes) {
    start_.assign(1, 0);
    for (int s = 0; s < nodes.count(); ++s) {
      std::ptrdiff_t size = 0;
      const int columns = tiles(nodes.width(s)), rows = row_tiles(nodes, s);
      for (int column = 0; column < columns; column += 2) {
        size += 16 * (rows - column) * std::min(2, columns - column);
      }
      start_.push_back(start_.back() + size);
    }
    // Rows of tiles are one cache line of floats: they should not straddle two.
    values_.assign(at(start_.back()) + 16, Real(0));
    const auto misaligned = reinterpret_cast<std::uintptr_t>(values_.data()) % 64 / sizeof(Real);
    offset_ = misaligned == 0 ? 0 : 64 / sizeof(Real) - misaligned;
  }

  const Real* of(int s) const { return values_.data() + offset_ + start_[at(s)]; }

  /// Writes inverse (w x w, lower) and below (r x w).
  void store(const Supernodes& nodes, int s, const Dense& inverse, const Dense& below) {
    Real* to = values_.data() + offset_ + start_[at(s)];
    const int width = nodes.width(s), columns = tiles(width);
    const auto entry = [&](int row, int column) {
      if (column >= width) return 0.0;
      if (row < 4 * columns) return row < width && row >= column ? inverse(row, column) : 0.0;
      const int r = row - 4 * columns;
      return r < below.rows() ? below(r, column) : 0.0;
    };
    for (int column = 0; column < columns; column += 2) {
      const int strip = std::min(2, columns - column);
      for (int row = column; row < row_tiles(nodes, s); ++row) {
        for (int c = column; c < column + strip; ++c) {
          for (int i = 0; i < 4; ++i) {
            for (int k = 0; k < 4; ++k) {
              *to++ = static_cast<Real>(entry(4 * row + i, 4 * c + k));
            }
          }
        }
      }
    }
  }

 private:
  std::vector<Real> values_;
  std::vector<std::ptrdiff_t> start_;
  std::size_t offset_ = 0;
};

template <class Real>
class SupernodalCholesky final : public SpdSolver {
 public:
  void analyse(const Matrix& lower) override {
    if (lower.rows() != lower.cols()) {
      throw Error(ErrorKind::invalid_input, "SpdSolver", "expected a square matrix");
    }
    factored_ = false;
    n_ = static_cast<int>(lower.rows());
    nodes_ = find_supernodes({n_, lower.outerIndexPtr(), lower.innerIndexPtr()});
    panels_.allocate(nodes_);
    // Places of the rows that fill the last tile: one that nobody reads.
    int most_tiles = 0;
    padded_rows_.clear();
    padded_start_.assign(1, 0);
    for (int s = 0; s < nodes_.count(); ++s) {
      const int* rows = nodes_.rows_of(s);
      padded_rows_.insert(padded_rows_.end(), rows, rows + nodes_.num_rows(s));
      padded_rows_.resize(at(padded_start_.back() + 4 * tiles(nodes_.num_rows(s))), n_);
      padded_start_.push_back(static_cast<int>(padded_rows_.size()));
      most_tiles = std::max(most_tiles, Panels<Real>::row_tiles(nodes_, s));
    }
    // A strip reads up to seven rows behind its last column, and multiplies them by zero.
    y_.assign(at(n_ + 8) * 4, Real(0));
    panel_rows_.assign(at(most_tiles) * 16, Real(0));
  }

  bool factor(const Matrix& lower) override;

  void solve(const double* b, double* x) override { substitute<1>(b, x); }
  void solve4(const double* b, double* x) override { substitute<4>(b, x); }

  long long factor_entries() const override {
    long long entries = 0;
    for (int s = 0; s < nodes_.count(); ++s) {
      const long long width = nodes_.width(s);
      entries += width * (width + 1) / 2 + width * nodes_.num_rows(s);
    }
    return factored_ ? entries : 0;
  }

 private:
  template <int sides>
  void substitute(const double* b, double* x);
  template <int sides>
  void forwards(int s);
  template <int sides>
  void backwards(int s);

  int n_ = 0;
  Supernodes nodes_;
  Panels<Real> panels_;
  std::vector<int> padded_start_, padded_rows_;
  std::vector<Real> y_;           ///< [(n + 8) * 4], right-hand sides on their way
  std::vector<Real> panel_rows_;  ///< those of one panel
  bool factored_ = false;
};

/// Multifrontal: each supernode adds what its children leave to its own columns of the matrix,
/// eliminates its columns densely and leaves the rest to its parent [Duff & Reid 1983; Liu 1992].
template <class Real>
bool SupernodalCholesky<Real>::factor(const Matrix& lower) {
  factored_ = false;
  const int* start = lower.outerIndexPtr();
  const int* row = lower.innerIndexPtr();
  const double* value = lower.valuePtr();
  std::vector<Dense> left(at(nodes_.count()));  // by the children for their parents, lower triangle
  std::vector<int> child(at(nodes_.count()), -1), sibling(child), place(at(n_), 0);
  Dense front, inverse, below;
  for (int s = 0; s < nodes_.count(); ++s) {
    const int first = nodes_.first[at(s)], w = nodes_.width(s), r = nodes_.num_rows(s);
    const int* rows = nodes_.rows_of(s);
    for (int i = 0; i < w; ++i) place[at(first + i)] = i;
    for (int i = 0; i < r; ++i) place[at(rows[i])] = w + i;
    front.setZero(w + r, w + r);
    for (int j = 0; j < w; ++j) {
      for (int k = start[first + j]; k < start[first + j + 1]; ++k) {
        front(place[at(row[k])], j) = value[k];
      }
    }
    for (int c = child[at(s)]; c != -1; c = sibling[at(c)]) {
      const int* child_rows = nodes_.rows_of(c);
      Dense& update = left[at(c)];
      for (int j = 0; j < nodes_.num_rows(c); ++j) {
        const int column = place[at(child_rows[j])];
        for (int i = j; i < nodes_.num_rows(c); ++i) {
          front(place[at(child_rows[i])], column) += update(i, j);
        }
      }
      update.resize(0, 0);
    }
    auto block = front.topLeftCorner(w, w);
    Eigen::LLT<Eigen::Ref<Dense>> llt(block);
    if (llt.info() != Eigen::Success) return false;
    for (int i = 0; i < w; ++i) {
      if (!(block(i, i) > 0) || !std::isfinite(block(i, i))) return false;
    }
    const auto L = block.template triangularView<Eigen::Lower>();
    inverse.setIdentity(w, w);
    L.solveInPlace(inverse);
    if (r > 0) {
      auto panel = front.bottomLeftCorner(r, w);
      L.transpose().template solveInPlace<Eigen::OnTheRight>(panel);
      auto rest = front.bottomRightCorner(r, r);
      rest.template selfadjointView<Eigen::Lower>().rankUpdate(panel, -1.0);
      left[at(s)] = rest;
      below.noalias() = panel * inverse.template triangularView<Eigen::Lower>();
      const int parent = nodes_.parent[at(s)];
      sibling[at(s)] = child[at(parent)];
      child[at(parent)] = s;
    } else {
      below.resize(0, w);
    }
    panels_.store(nodes_, s, inverse, below);
  }
  factored_ = true;
  return true;
}

template <class Real>
template <int sides>
void SupernodalCholesky<Real>::forwards(int s) {
  const int first = nodes_.first[at(s)], width = nodes_.width(s), columns = tiles(width);
  const int count = Panels<Real>::row_tiles(nodes_, s);
  const Real* panel = panels_.of(s);
  Real* const y = y_.data() + std::ptrdiff_t{sides} * first;
  Real* const out = panel_rows_.data();
  std::fill(out, out + std::ptrdiff_t{4 * sides} * count, Real(0));
  for (int column = 0; column < columns; column += 2) {
    const Real* const b = y + std::ptrdiff_t{4 * sides} * column;
    Real* const to = out + std::ptrdiff_t{4 * sides} * column;
    if (column + 1 < columns) {
      detail::multiply_strip<2, sides>(panel, count - column, b, to);
      panel += std::ptrdiff_t{32} * (count - column);
    } else {
      detail::multiply_strip<1, sides>(panel, count - column, b, to);
    }
  }
  std::copy(out, out + std::ptrdiff_t{sides} * width, y);
  const Real* from = out + std::ptrdiff_t{4 * sides} * columns;
  Real* const all = y_.data();
  const int* const end = padded_rows_.data() + padded_start_[at(s) + 1];
  for (const int* row = padded_rows_.data() + padded_start_[at(s)]; row != end; ++row) {
    detail::subtract_row<sides>(from, all + std::ptrdiff_t{sides} * *row);
    from += sides;
  }
}

template <class Real>
template <int sides>
void SupernodalCholesky<Real>::backwards(int s) {
  const int first = nodes_.first[at(s)], width = nodes_.width(s), columns = tiles(width);
  const int count = Panels<Real>::row_tiles(nodes_, s);
  const Real* panel = panels_.of(s);
  Real* const y = y_.data() + std::ptrdiff_t{sides} * first;
  Real* const in = panel_rows_.data();
  std::copy(y, y + std::ptrdiff_t{sides} * width, in);
  Real* to = in + std::ptrdiff_t{sides} * width;
  std::fill(to, in + std::ptrdiff_t{4 * sides} * columns, Real(0));
  to = in + std::ptrdiff_t{4 * sides} * columns;
  const Real* const all = y_.data();
  const int* const end = padded_rows_.data() + padded_start_[at(s) + 1];
  for (const int* row = padded_rows_.data() + padded_start_[at(s)]; row != end; ++row) {
    detail::negate_row<sides>(all + std::ptrdiff_t{sides} * *row, to);
    to += sides;
  }
  Real out[8 * sides];
  for (int column = 0; column < columns; column += 2) {
    const Real* const x = in + std::ptrdiff_t{4 * sides} * column;
    if (column + 1 < columns) {
      detail::multiply_transposed_strip<2, sides>(panel, count - column, x, out);
      panel += std::ptrdiff_t{32} * (count - column);
    } else {
      detail::multiply_transposed_strip<1, sides>(panel, count - column, x, out);
    }
    const int rows = std::min(8, width - 4 * column);
    std::copy(out, out + std::ptrdiff_t{sides} * rows, y + std::ptrdiff_t{4 * sides} * column);
  }
}

template <class Real>
template <int sides>
void SupernodalCholesky<Real>::substitute(const double* b, double* x) {
  if (!factored_) return;
  const std::ptrdiff_t size = std::ptrdiff_t{sides} * n_;
  // Brought to about one: floats reach from 1e-38 to 1e38 only, forces further.
  double scale = 1;
  if constexpr (std::is_same_v<Real, float>) {
    const double largest = largest_of(b, size);
    if (largest == 0 || !std::isfinite(largest)) {
      std::copy(b, b + size, x);
      return;
    }
    int exponent = 0;
    std::frexp(largest, &exponent);
    scale = std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
  }
  for (std::ptrdiff_t i = 0; i < size; ++i) y_[at(i)] = static_cast<Real>(scale * b[i]);
  std::fill(y_.begin() + size, y_.end(), Real(0));
  for (int s = 0; s < nodes_.count(); ++s) forwards<sides>(s);
  for (int s = nodes_.count() - 1; s >= 0; --s) backwards<sides>(s);
  const double back = 1 / scale;
  for (std::ptrdiff_t i = 0; i < size; ++i) x[i] = back * static_cast<double>(y_[at(i)]);
}

/// A . x for a symmetric matrix given by its lower triangle; |A| . |x| beside it.
void multiply(const SpdSolver::Matrix& lower, const std::vector<double>& x,
              std::vector<double>& product, std::vector<double>& size) {
  std::fill(product.begin(), product.end(), 0.0);
  std::fill(size.begin(), size.end(), 0.0);
  for (int j = 0; j < lower.outerSize(); ++j) {
    for (SpdSolver::Matrix::InnerIterator entry(lower, j); entry; ++entry) {
      const double a = entry.value();
      const std::size_t i = at(entry.row());
      product[i] += a * x[at(j)];
      size[i] += std::abs(a * x[at(j)]);
      if (entry.row() == j) continue;
      product[at(j)] += a * x[i];
      size[at(j)] += std::abs(a * x[i]);
    }
  }
}

/// The factor in floats, or in doubles where floats do not hold it.
class MixedCholesky final : public SpdSolver {
 public:
  void analyse(const Matrix& lower) override {
    single_.analyse(lower);
    double_.reset();
    lower_ = lower;
  }

  bool factor(const Matrix& lower) override {
    double_.reset();
    if (!single_.factor(lower)) return false;
    if (holds(lower)) return true;
    double_ = std::make_unique<SupernodalCholesky<double>>();
    double_->analyse(lower_);
    return double_->factor(lower);
  }

  void solve(const double* b, double* x) override { solver().solve(b, x); }
  void solve4(const double* b, double* x) override { solver().solve4(b, x); }
  long long factor_entries() const override {
    return double_ ? double_->factor_entries() : single_.factor_entries();
  }

 private:
  SpdSolver& solver() {
    return double_ ? static_cast<SpdSolver&>(*double_) : static_cast<SpdSolver&>(single_);
  }

  /// Whether A x comes back as b, each entry within what a good direction needs, for b = A (1, -1,
  /// 2, 1, -1, ...).
  bool holds(const Matrix& lower) {
    constexpr double tolerance = 1e-4;
    const auto n = at(lower.rows());
    std::vector<double> x(n), b(n), size(n), product(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = i % 3 == 0 ? 1 : (i % 3 == 1 ? -1 : 2);
    multiply(lower, x, b, size);
    single_.solve(b.data(), x.data());
    multiply(lower, x, product, size);
    for (std::size_t i = 0; i < n; ++i) {
      if (!(std::abs(product[i] - b[i]) <= tolerance * size[i])) return false;
    }
    return true;
  }

  SupernodalCholesky<float> single_;
  std::unique_ptr<SupernodalCholesky<double>> double_;
  Matrix lower_;
};

}  // namespace

std::unique_ptr<SpdSolver> make_supernodal_cholesky(Precision precision) {
  if (precision == Precision::mixed) return std::make_unique<MixedCholesky>();
  return std::make_unique<SupernodalCholesky<double>>();
}

}  // namespace supple
