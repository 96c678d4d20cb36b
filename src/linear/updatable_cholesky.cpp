#include "linear/updatable_cholesky.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "linear/supernodes.h"

namespace supple {

namespace {

/// A change below this part of an entry is rounding of the sum.
constexpr double least_change = 1e-12;
/// Least eigenvalue of K^-1 in its own units. W in doubles has errors of 1e-15 of those; above this
/// bound K has at least six digits.
constexpr double least_eigenvalue = 1e-9;
/// Terms whose columns differ by less than this share of their squares count as dependent.
constexpr double dependent = 1e-9;
/// Operations per second of a factorisation: a quarter of what was measured on one core with
/// vectors of 512 bits, so that on other machines, too, the factor is mostly ready when it is due.
constexpr double operations_per_second = 4e9;
/// The time that multigrid takes per row, s: four times what was measured.
constexpr double grid_seconds_per_row = 2e-5;
/// A step does dozens of solves, so no factorisation takes longer than this many steps.
constexpr int most_steps = 32;
/// An update of more rows than this part of `most_rows` makes a solve so much longer (a third with
/// 32 vertices of 2,240) that a new factor pays off.
constexpr int part_kept = 4;
/// Rows that one thread corrects at a time.
constexpr int rows_per_chunk = 1024;

using Pattern = std::shared_ptr<const FactorPattern>;

Pattern pattern_of(const SpdSolver::Matrix& lower) {
  const auto n = static_cast<int>(lower.rows());
  return std::make_shared<const FactorPattern>(
      analyse_pattern({n, lower.outerIndexPtr(), lower.innerIndexPtr()}));
}

std::shared_ptr<const SpdSolver::Matrix> kept(SpdSolver::Matrix& matrix) {
  auto own = std::make_shared<SpdSolver::Matrix>();
  own->swap(matrix);
  return own;
}

double factor_operations(const FactorPattern& pattern) {
  double operations = 0;
  for (const int count : pattern.counts) operations += static_cast<double>(count) * count;
  // The inverses in the panels cost the same again.
  return 2 * operations;
}

std::unique_ptr<SpdSolver> factorise(const SpdSolver::Matrix& lower, const Pattern& pattern,
                                     Precision precision, Threads& threads) {
  std::unique_ptr<SpdSolver> solver = make_supernodal_cholesky(precision);
  solver->analyse(lower, pattern);
  if (!solver->factor(lower, threads)) return nullptr;
  return solver;
}

/// out[i] += sum_j M[i][j] v[j], where M is r x r, for interleaved sides.
template <int sides>
void multiply_add(const std::vector<double>& M, const std::vector<double>& v, std::size_t r,
                  double* out) {
  for (std::size_t i = 0; i < r; ++i) {
    for (std::size_t j = 0; j < r; ++j) {
      for (std::size_t c = 0; c < sides; ++c) out[sides * i + c] += M[r * i + j] * v[sides * j + c];
    }
  }
}

std::vector<double> row_major(const Eigen::MatrixXd& M) {
  std::vector<double> values(at(M.size()));
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    for (Eigen::Index j = 0; j < M.cols(); ++j) values[at(i * M.cols() + j)] = M(i, j);
  }
  return values;
}

}  // namespace

UpdatableCholesky::UpdatableCholesky(SpdSolver::Matrix lower, Precision precision, int most_rows,
                                     const UpdatableCholesky* earlier)
    : lower_(kept(lower)),
      pattern_(earlier != nullptr ? earlier->pattern_ : pattern_of(*lower_)),
      precision_(precision),
      most_rows_(most_rows),
      factor_seconds_(factor_operations(*pattern_) / operations_per_second),
      factored_(at(lower_->rows())) {
  Threads alone(1);
  if (earlier != nullptr && earlier->has_factor_of(*lower_)) {
    solver_ = make_supernodal_cholesky(precision);
    solver_->analyse(*lower_, pattern_);
    if (!solver_->copy_factor(*earlier->solver_)) solver_.reset();
  }
  if (solver_ == nullptr) solver_ = factorise(*lower_, pattern_, precision, alone);
  for (std::size_t row = 0; row < factored_.size(); ++row) {
    factored_[row] = lower_->valuePtr()[lower_->outerIndexPtr()[row]];
  }
  diagonal_ = factored_;
  if (is_factored() && !solver_->is_direct()) {
    factor_seconds_ = grid_seconds_per_row * static_cast<double>(factored_.size());
  }
}

/// Whether the factor is that of these entries in the same pattern.
bool UpdatableCholesky::has_factor_of(const SpdSolver::Matrix& lower) const {
  if (!is_factored()) return false;
  const int* const start = lower.outerIndexPtr();
  for (std::size_t j = 0; j < factored_.size(); ++j) {
    const double* const own = lower_->valuePtr() + start[j];
    const double* const others = lower.valuePtr() + start[j];
    // The diagonal comes first; lower_ may have another one by now.
    if (*others != factored_[j] ||
        !std::equal(own + 1, own + (start[j + 1] - start[j]), others + 1))
      return false;
  }
  return true;
}

int UpdatableCholesky::steps_until_factor(double h) const {
  // The first step follows at once, the others are h apart.
  return 1 + static_cast<int>(std::clamp(std::ceil(factor_seconds_ / h), 1.0, most_steps - 1.0));
}

bool UpdatableCholesky::wants_factor() const {
  return !is_followed() || correction_.num_rows > most_rows_ / part_kept;
}

std::vector<int> UpdatableCholesky::changed_rows(const std::vector<double>& diagonal) const {
  std::vector<int> rows;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    const double change = std::abs(diagonal[i] - factored_[i]);
    if (change > least_change * std::max(diagonal[i], factored_[i])) {
      rows.push_back(static_cast<int>(i));
    }
  }
  return rows;
}

void UpdatableCholesky::set_diagonal(std::vector<double> diagonal, double h,
                                     std::vector<Term> terms) {
  ++num_changes_;
  follow(std::move(diagonal), std::move(terms));
  h_ = h;
  if (wants_factor() && !build_.has_work()) start_build();
}

bool UpdatableCholesky::set_entries(const std::vector<double>& entries, Threads& threads) {
  const auto next = std::make_shared<SpdSolver::Matrix>(*lower_);
  std::copy(entries.begin(), entries.end(), next->valuePtr());
  std::vector<double> diagonal(factored_.size());
  for (std::size_t row = 0; row < diagonal.size(); ++row) {
    diagonal[row] = next->valuePtr()[next->outerIndexPtr()[row]];
  }
  std::vector<double> factored = diagonal;
  // A separate solver: its precision depends only on this matrix, and the present one serves if
  // this one fails.
  std::unique_ptr<SpdSolver> solver = factorise(*next, pattern_, precision_, threads);
  if (solver == nullptr) return false;
  std::shared_ptr<const SpdSolver::Matrix> lower = next;
  Correction correction;  // the present one has columns of the present factor
  const auto exchange = [&] {
    std::swap(solver_, solver);
    std::swap(lower_, lower);
    std::swap(factored_, factored);
    std::swap(diagonal_, diagonal);
    std::swap(correction_, correction);
  };
  exchange();
  try {
    if (!terms_.empty()) correction_ = correct(diagonal_, terms_);
  } catch (...) {
    exchange();
    throw;
  }
  // The factor that is being made belongs to the previous matrix.
  steps_left_ = 0;
  build_ = {};
  ++num_changes_;
  return true;
}

void UpdatableCholesky::start_build() {
  // The work shares only what never changes.
  build_.start([lower = lower_, pattern = pattern_, precision = precision_, target = diagonal_] {
    SpdSolver::Matrix matrix = *lower;
    for (std::size_t row = 0; row < target.size(); ++row) {
      matrix.valuePtr()[matrix.outerIndexPtr()[row]] = target[row];
    }
    Threads alone(1);
    return Factor{.solver = factorise(matrix, pattern, precision, alone), .diagonal = target};
  });
  steps_left_ = steps_until_factor(h_);
}

/// Makes the correction of the present factor for a diagonal and terms.
void UpdatableCholesky::follow(std::vector<double> diagonal, std::vector<Term> terms) {
  Correction next = correct(diagonal, terms);
  correction_ = std::move(next);
  diagonal_ = std::move(diagonal);
  terms_ = std::move(terms);
}

UpdatableCholesky::Correction UpdatableCholesky::correct(const std::vector<double>& diagonal,
                                                         const std::vector<Term>& terms) {
  Correction next;
  const std::vector<int> rows = changed_rows(diagonal);
  const std::size_t num_columns = rows.size() + terms.size();
  if (num_columns == 0) return next;
  if (num_columns <= at(most_rows_)) {
    next.num_rows = static_cast<int>(rows.size());
    for (const int row : rows) {
      next.columns.push_back({1, {row}, {1}, diagonal[at(row)] - factored_[at(row)]});
    }
    next.columns.insert(next.columns.end(), terms.begin(), terms.end());
    if (make_low_rank(next)) return next;
  }
  next = {.kind = Kind::scaled};
  next.scale = diagonal;
  for (const Term& term : terms) {
    double sum = 0;
    for (int i = 0; i < term.count; ++i) sum += term.weights[at(i)];
    for (int i = 0; i < term.count; ++i) {
      next.scale[at(term.rows[at(i)])] += term.stiffness * sum * term.weights[at(i)];
    }
  }
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    next.scale[i] = std::sqrt(factored_[i] / next.scale[i]);
  }
  return next;
}

/// A x for four sides, with the diagonal that the factor has.
void UpdatableCholesky::multiply4(const double* x, double* product) const {
  const SpdSolver::Matrix& lower = *lower_;
  for (std::size_t i = 0; i < factored_.size(); ++i) {
    for (std::size_t c = 0; c < 4; ++c) product[4 * i + c] = factored_[i] * x[4 * i + c];
  }
  for (std::size_t j = 0; j < factored_.size(); ++j) {
    for (int k = lower.outerIndexPtr()[j] + 1; k < lower.outerIndexPtr()[j + 1]; ++k) {
      const std::size_t i = at(lower.innerIndexPtr()[k]);
      const double value = lower.valuePtr()[k];
      for (std::size_t c = 0; c < 4; ++c) {
        product[4 * i + c] += value * x[4 * j + c];
        product[4 * j + c] += value * x[4 * i + c];
      }
    }
  }
}

/// Computes the columns of W, four at a time. Columns in the present correction are copied.
void UpdatableCholesky::find_columns(Correction& next) {
  const std::size_t n = factored_.size(), r = next.columns.size();
  next.W.resize(n * r);
  std::vector<std::size_t> open;
  const Correction& known = correction_;
  const bool is_usable = known.kind == Kind::low_rank && known.is_refined >= next.is_refined;
  if (is_usable) next.is_refined = known.is_refined;
  for (std::size_t k = 0; k < r; ++k) {
    const auto found =
        std::find_if(known.columns.begin(), known.columns.end(),
                     [&](const Term& column) { return column.has_column_of(next.columns[k]); });
    if (!is_usable || found == known.columns.end()) {
      open.push_back(k);
      continue;
    }
    const std::size_t from = at(found - known.columns.begin());
    for (std::size_t i = 0; i < n; ++i) {
      next.W[r * i + k] = known.W[known.columns.size() * i + from];
    }
  }
  Threads alone(1);
  std::vector<double> x(4 * n), residual(4 * n);
  for (std::size_t first = 0; first < open.size(); first += 4) {
    const std::size_t count = std::min<std::size_t>(4, open.size() - first);
    const auto add_columns = [&](std::vector<double>& to) {
      for (std::size_t c = 0; c < count; ++c) {
        const Term& column = next.columns[open[first + c]];
        for (std::size_t i = 0; i < at(column.count); ++i) {
          to[4 * at(column.rows[i]) + c] += column.weights[i];
        }
      }
    };
    std::fill(x.begin(), x.end(), 0.0);
    add_columns(x);
    solver_->solve4(x.data(), x.data(), alone);
    if (next.is_refined) {
      multiply4(x.data(), residual.data());
      for (double& value : residual) value = -value;
      add_columns(residual);
      solver_->solve4(residual.data(), residual.data(), alone);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += residual[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < count; ++c) next.W[r * i + open[first + c]] = x[4 * i + c];
    }
  }
}

/// False: K is unsafe, or A + D is not positive definite.
bool UpdatableCholesky::make_low_rank(Correction& next) {
  using Eigen::Index;
  using Eigen::MatrixXd;
  const auto r = static_cast<Index>(next.columns.size());
  Eigen::VectorXd root(r), sign(r);
  for (Index k = 0; k < r; ++k) {
    const double change = next.columns[at(k)].stiffness;
    root[k] = std::sqrt(std::abs(change));
    sign[k] = change > 0 ? 1 : -1;
  }
  // Removing an entry leaves a difference of nearly equal numbers, 1 - d (A^-1)_ii.
  const bool some_goes = (sign.array() < 0).any();
  if (some_goes && !solver_->is_direct()) return false;
  next.is_refined = precision_ != Precision::full && some_goes;
  find_columns(next);
  MatrixXd G(r, r);  // E^T W
  for (Index i = 0; i < r; ++i) {
    const Term& column = next.columns[at(i)];
    for (Index j = 0; j < r; ++j) {
      G(i, j) = 0;
      for (std::size_t e = 0; e < at(column.count); ++e) {
        G(i, j) += column.weights[e] * next.W[at(column.rows[e] * r + j)];
      }
    }
  }
  G = (0.5 * (G + G.transpose())).eval();
  // K^-1 scaled by roots of |D| from both sides: sign(D) + |D|^1/2 G |D|^1/2.
  const MatrixXd scaled = MatrixXd(sign.asDiagonal()) + root.asDiagonal() * G * root.asDiagonal();
  if (!scaled.allFinite()) return false;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(scaled);
  if (eigen.info() != Eigen::Success) return false;
  const Eigen::VectorXd& values = eigen.eigenvalues();
  if (!(values.cwiseAbs().minCoeff() >= least_eigenvalue)) return false;
  // A + D is positive definite if K^-1 has as many positive eigenvalues as D (Sylvester's law).
  if ((values.array() > 0).count() != (sign.array() > 0).count()) return false;
  const MatrixXd inverse =
      eigen.eigenvectors() * values.cwiseInverse().asDiagonal() * eigen.eigenvectors().transpose();
  const Eigen::VectorXd signed_inverse = sign.cwiseQuotient(root);
  const MatrixXd K = root.asDiagonal() * inverse * root.asDiagonal();
  const MatrixXd K_over_D = root.asDiagonal() * inverse * signed_inverse.asDiagonal();
  const MatrixXd rows_beta = G * K_over_D;
  next.to_sides_beta = row_major(K_over_D);
  next.to_sides_t = row_major(-K);
  next.to_rows_beta = row_major(0.5 * (rows_beta + rows_beta.transpose()));
  next.to_rows_t = row_major(K_over_D.transpose());
  for (std::vector<double>* scratch : {&next.beta, &next.t, &next.sides})
    scratch->resize(at(4 * r));
  separate_terms(next);
  next.kind = Kind::low_rank;
  return true;
}

void UpdatableCholesky::separate_terms(Correction& next) {
  using Eigen::Index;
  using Eigen::MatrixXd;
  const auto first = next.columns.begin() + next.num_rows;
  next.free_parts.assign(first, next.columns.end());
  for (Term& part : next.free_parts) {
    int kept = 0;
    for (std::size_t e = 0; e < at(part.count); ++e) {
      if (std::any_of(next.columns.begin(), first,
                      [&](const Term& row) { return row.rows[0] == part.rows[e]; })) {
        continue;
      }
      part.rows[at(kept)] = part.rows[e];
      part.weights[at(kept++)] = part.weights[e];
    }
    part.count = kept;
  }
  const auto m = static_cast<Index>(next.free_parts.size());
  if (m == 0) return;
  MatrixXd gram = MatrixXd::Zero(m, m);
  for (Index i = 0; i < m; ++i) {
    const Term& a = next.free_parts[at(i)];
    for (Index j = 0; j < m; ++j) {
      const Term& b = next.free_parts[at(j)];
      for (std::size_t e = 0; e < at(a.count); ++e) {
        for (std::size_t f = 0; f < at(b.count); ++f) {
          if (a.rows[e] == b.rows[f]) gram(i, j) += a.weights[e] * b.weights[f];
        }
      }
    }
  }
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(gram);
  Eigen::VectorXd inverse = eigen.eigenvalues();
  for (double& value : inverse) value = value > dependent ? 1 / value : 0;
  next.inverse =
      row_major(eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose());
  next.along.resize(at(4 * m));
}

void UpdatableCholesky::begin_step() noexcept {
  if (steps_left_ == 0 || --steps_left_ > 0) return;
  try {
    take_factor();
  } catch (...) {  // out of memory: the old factor serves
  }
}

void UpdatableCholesky::take_factor() {
  ++num_changes_;
  Factor next = build_.take();
  if (next.solver == nullptr) return;
  const std::size_t changes_now = changed_rows(diagonal_).size();
  std::swap(solver_, next.solver);
  std::swap(factored_, next.diagonal);
  // The matrix may have changed again, perhaps back.
  if (changed_rows(diagonal_).size() < changes_now) {
    Correction before;
    std::swap(correction_, before);  // columns of the other factor
    try {
      set_diagonal(diagonal_, h_, terms_);
      return;
    } catch (...) {
      std::swap(correction_, before);
    }
  }
  std::swap(solver_, next.solver);
  std::swap(factored_, next.diagonal);
  if (wants_factor()) set_diagonal(diagonal_, h_, terms_);
}

template <int sides>
void UpdatableCholesky::solve_sides(double* x, Threads& threads) {
  const auto plain = [&] {
    if constexpr (sides == 4) {
      solver_->solve4(x, x, threads);
    } else {
      solver_->solve(x, x, threads);
    }
  };
  if (correction_.kind == Kind::low_rank) return solve_low_rank<sides>(x, threads);
  if (correction_.kind == Kind::none) return plain();
  const auto scale = [&] {
    for (std::size_t i = 0; i < factored_.size(); ++i) {
      for (std::size_t c = 0; c < sides; ++c) x[sides * i + c] *= correction_.scale[i];
    }
  };
  scale();
  plain();
  scale();
}

template <int sides>
void UpdatableCholesky::solve_low_rank(double* x, Threads& threads) {
  Correction& own = correction_;
  const std::size_t r = own.columns.size(), num_rows = at(own.num_rows);
  const std::size_t num_terms = r - num_rows;
  const auto read = [&](const Term& column, double* out) {  // adds u^T x
    for (std::size_t e = 0; e < at(column.count); ++e) {
      const double* const from = x + sides * at(column.rows[e]);
      for (std::size_t c = 0; c < sides; ++c) out[c] += column.weights[e] * from[c];
    }
  };
  const auto add = [&](const double* amounts, double sign) {  // x += V times amounts
    for (std::size_t k = 0; k < num_terms; ++k) {
      const Term& part = own.free_parts[k];
      for (std::size_t e = 0; e < at(part.count); ++e) {
        double* const to = x + sides * at(part.rows[e]);
        for (std::size_t c = 0; c < sides; ++c) {
          to[c] += sign * part.weights[e] * amounts[sides * k + c];
        }
      }
    }
  };
  const auto row = [&](std::size_t k) { return x + sides * at(own.columns[k].rows[0]); };
  for (std::size_t k = 0; k < num_rows; ++k) {
    std::copy(row(k), row(k) + sides, &own.beta[sides * k]);
    std::fill(row(k), row(k) + sides, 0.0);
  }
  if (num_terms > 0) {
    double* const of_terms = &own.beta[sides * num_rows];
    std::fill(own.along.begin(), own.along.end(), 0.0);
    std::fill(of_terms, of_terms + sides * num_terms, 0.0);
    for (std::size_t k = 0; k < num_terms; ++k) read(own.free_parts[k], &own.along[sides * k]);
    multiply_add<sides>(own.inverse, own.along, num_terms, of_terms);
    add(of_terms, -1);
    for (std::size_t k = 0; k < num_rows; ++k) {
      for (std::size_t j = 0; j < num_terms; ++j) {
        const Term& column = own.columns[num_rows + j];
        for (std::size_t e = 0; e < at(column.count); ++e) {
          if (column.rows[e] != own.columns[k].rows[0]) continue;
          for (std::size_t c = 0; c < sides; ++c) {
            own.beta[sides * k + c] -= column.weights[e] * of_terms[sides * j + c];
          }
        }
      }
    }
  }
  if constexpr (sides == 4) {
    solver_->solve4(x, x, threads);
  } else {
    solver_->solve(x, x, threads);
  }
  std::fill(own.t.begin(), own.t.end(), 0.0);
  for (std::size_t k = 0; k < r; ++k) read(own.columns[k], &own.t[sides * k]);
  std::fill(own.sides.begin(), own.sides.end(), 0.0);
  multiply_add<sides>(own.to_sides_beta, own.beta, r, own.sides.data());
  multiply_add<sides>(own.to_sides_t, own.t, r, own.sides.data());
  const int n = static_cast<int>(factored_.size());
  threads.parallel_for((n + rows_per_chunk - 1) / rows_per_chunk, [&](int chunk) {
    const int last = std::min(n, (chunk + 1) * rows_per_chunk);
    for (std::size_t i = at(chunk * rows_per_chunk); i < at(last); ++i) {
      const double* const W = &own.W[r * i];
      double sum[sides] = {};
      for (std::size_t k = 0; k < r; ++k) {
        for (std::size_t c = 0; c < sides; ++c) sum[c] += W[k] * own.sides[sides * k + c];
      }
      for (std::size_t c = 0; c < sides; ++c) x[sides * i + c] += sum[c];
    }
  });
  std::vector<double>& of_columns = own.sides;  // no longer needed
  std::fill(of_columns.begin(), of_columns.end(), 0.0);
  multiply_add<sides>(own.to_rows_beta, own.beta, r, of_columns.data());
  multiply_add<sides>(own.to_rows_t, own.t, r, of_columns.data());
  for (std::size_t k = 0; k < num_rows; ++k) {
    std::copy(&of_columns[sides * k], &of_columns[sides * k] + sides, row(k));
  }
  if (num_terms == 0) return;
  std::fill(own.along.begin(), own.along.end(), 0.0);
  std::fill(own.t.begin(), own.t.end(), 0.0);
  for (std::size_t k = 0; k < num_terms; ++k) {
    double* const lacking = &own.along[sides * k];
    read(own.columns[num_rows + k], lacking);
    for (std::size_t c = 0; c < sides; ++c) {
      lacking[c] = of_columns[sides * (num_rows + k) + c] - lacking[c];
    }
  }
  multiply_add<sides>(own.inverse, own.along, num_terms, own.t.data());
  add(own.t.data(), 1);
}

template void UpdatableCholesky::solve_sides<1>(double* x, Threads& threads);
template void UpdatableCholesky::solve_sides<4>(double* x, Threads& threads);

}  // namespace supple
