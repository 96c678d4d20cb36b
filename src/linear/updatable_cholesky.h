#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/background.h"
#include "linear/spd_solver.h"

namespace supple {

/// A system A x = b, with A symmetric, positive definite and factorised, whose diagonal changes now
/// and then. Terms k u u^T with a few entries in u are added and removed, too. With A + D in place
/// of A:
///
/// - Up to `most_rows` entries of D and terms are an update by the identity of Sherman, Morrison
///   and Woodbury [Golub & Van Loan 2013, sec. 2.1.4; Hager 1989], where E has the unit columns of
///   the changed rows:
///       (A + E D E^T)^-1 = A^-1 - W K W^T,  W = A^-1 E,  K = (D^-1 + E^T W)^-1.
///   For b = b_0 + E beta, with b_0 zero in those rows, y = A^-1 b_0 and t = E^T y, it is
///   computed as
///       x = y + W K (D^-1 beta - t),  E^T x = D^-1 K t + (E^T W) K D^-1 beta.
///   This subtracts nothing in the changed rows: however stiff an entry comes or goes, x has the
///   digits that A^-1 gives. Beyond a quarter of `most_rows` rows a new factor is made too. A term
///   is a further column u of E; it never becomes part of a factor. Its part of beta takes out of
///   b_0 what lies along the u in the unchanged rows.
/// - More of them, or an unsafe K, wait for a new factor, made on another thread. Until then
///       (A + D)^-1 is replaced by S A^-1 S,  S = diag(sqrt(a_ii/(a_ii + d_i))),
///   where a term is counted as its row sums k u_i sum_j u_j. This is not the inverse, but
///   symmetric positive definite and of the right size in each row.
///
/// If the solver is not direct (spd_solver.h), its H takes the place of A^-1. If entries come, the
/// update is that of H^-1 + D, which is as near to A + D as H^-1 is to A. If entries go, they wait
/// for a new factor, since H^-1 contains somewhat too much of a stiff entry.
///
/// The new factor is taken at a step that depends only on its size and on the length of a step; if
/// need be, that step waits for it. The same input gives the same bits, however busy the machine
/// is.
class UpdatableCholesky {
 public:
  /// lower: A's lower triangle in the order of elimination. earlier: another system with this
  /// pattern and precision, whose factor is copied if it has the same entries; or null.
  UpdatableCholesky(SpdSolver::Matrix lower, Precision precision, int most_rows,
                    const UpdatableCholesky* earlier = nullptr);

  /// False: A is not positive definite, and nothing can be solved.
  bool is_factored() const { return solver_ != nullptr; }

  /// k u u^T.
  struct Term {
    int count = 0;                    ///< of entries of u
    std::array<int, 4> rows{};        ///< each at most once
    std::array<double, 4> weights{};  ///< u in these rows, > 0
    double stiffness = 0;             ///< k, > 0

    bool has_column_of(const Term& other) const {
      return count == other.count && rows == other.rows && weights == other.weights;
    }
  };

  /// Replaces the diagonal, [n], positive and finite, and the terms beside the matrix. h: length of
  /// a step, s. Throws only std::bad_alloc; then the object solves as before or as after the call.
  void set_diagonal(std::vector<double> diagonal, double h, std::vector<Term> terms = {});

  /// Takes other entries in the same pattern, [nonzeros] of its lower triangle, and factorises them
  /// at once. False: they are not positive definite, and the matrix stays as it was. Throws only
  /// std::bad_alloc, with the matrix as it was.
  bool set_entries(const std::vector<double>& entries, Threads& threads);

  /// The matrix given last, at construction or by set_entries; its diagonal may have changed since.
  const SpdSolver::Matrix& lower() const { return *lower_; }
  const FactorPattern& pattern() const { return *pattern_; }
  const std::shared_ptr<const FactorPattern>& shared_pattern() const { return pattern_; }
  /// The diagonal of the matrix now, [n].
  const std::vector<double>& diagonal() const { return diagonal_; }
  /// Whether terms are part of it.
  bool has_terms() const { return !terms_.empty(); }

  /// Time that a factorisation takes, s, estimated only from the number of its operations.
  double factor_seconds() const { return factor_seconds_; }

  /// Begins a step: takes a factor that is due. Never throws: if memory runs out, or the matrix
  /// cannot be factorised, the old factor stays.
  void begin_step() noexcept;

  /// Whether solutions are those of the matrix, to rounding. If not, they are those of a symmetric
  /// positive definite one.
  bool is_exact() const { return solver_->is_direct() && correction_.kind != Kind::scaled; }
  /// Whether solutions are as accurate as the factor's own.
  bool is_followed() const { return correction_.kind != Kind::scaled; }
  /// Whether the factor is that of the current matrix.
  bool is_plain() const { return correction_.kind == Kind::none; }
  /// Whether a factor is being made.
  bool is_waiting() const { return build_.has_work(); }

  /// In place: b becomes x, one right-hand side or four interleaved (spd_solver.h).
  void solve(double* x, Threads& threads) { solve_sides<1>(x, threads); }
  void solve4(double* x, Threads& threads) { solve_sides<4>(x, threads); }
  /// From b to x; requires is_plain().
  void solve4(const double* b, double* x, Threads& threads) { solver_->solve4(b, x, threads); }
  /// From what `ends` brings to x, [4 n]; requires is_plain().
  void solve4_between(SolveEnds& ends, int n, double* x, Threads& threads) {
    solver_->solve4_between(ends, n, x, threads);
  }

  /// Whether solve4_between stops half way.
  bool has_half_way() const { return is_plain() && solver_->has_half_way(); }

  /// How often the matrix behind the solutions has changed.
  long num_changes() const { return num_changes_; }

  long long factor_entries() const { return solver_->factor_entries(); }
  /// Number of begin_step calls until a factor that is started now is taken, with steps of h, s.
  int steps_until_factor(double h) const;

 private:
  enum class Kind { none, low_rank, scaled };

  /// The difference between the factor and the matrix.
  struct Correction {
    Kind kind = Kind::none;
    std::vector<double> scale;  ///< scaled: S, [n]
    // low_rank:
    int num_rows = 0;                    ///< columns of single rows
    std::vector<Term> columns;           ///< [r], E D E^T: columns of rows, ascending, then of
                                         ///< terms
    bool is_refined = false;             ///< W has the digits of a double
    std::vector<double> W;               ///< [n][r]
    std::vector<double> to_sides_beta;   ///< K D^-1, [r][r]
    std::vector<double> to_sides_t;      ///< -K, [r][r]
    std::vector<double> to_rows_beta;    ///< E^T W K D^-1, [r][r]
    std::vector<double> to_rows_t;       ///< D^-1 K, [r][r]
    std::vector<double> beta, t, sides;  ///< [4 r]
    // For the columns of terms, with V their entries in rows that have no column of their own:
    std::vector<Term> free_parts;  ///< V
    std::vector<double> inverse;   ///< (V^T V)^+, row-major
    std::vector<double> along;     ///< [4 for each]
  };
  struct Factor {
    std::unique_ptr<SpdSolver> solver;  ///< null: not positive definite
    std::vector<double> diagonal;
  };

  bool wants_factor() const;
  std::vector<int> changed_rows(const std::vector<double>& diagonal) const;
  Correction correct(const std::vector<double>& diagonal, const std::vector<Term>& terms);
  bool make_low_rank(Correction& next);
  static void separate_terms(Correction& next);
  void find_columns(Correction& next);
  void multiply4(const double* x, double* product) const;
  void follow(std::vector<double> diagonal, std::vector<Term> terms);
  void start_build();
  void take_factor();
  template <int sides>
  void solve_sides(double* x, Threads& threads);
  template <int sides>
  void solve_low_rank(double* x, Threads& threads);

  bool has_factor_of(const SpdSolver::Matrix& lower) const;

  std::shared_ptr<const SpdSolver::Matrix>
      lower_;  ///< as given last, with the diagonal of that time
  std::shared_ptr<const FactorPattern> pattern_;
  Precision precision_;
  int most_rows_;
  double factor_seconds_ = 0;  ///< by the number of operations
  std::unique_ptr<SpdSolver> solver_;
  std::vector<double> factored_;  ///< [n], the diagonal in the factor
  std::vector<double> diagonal_;  ///< [n], of the matrix without terms
  std::vector<Term> terms_;
  Correction correction_;
  double h_ = 1;
  long num_changes_ = 0;
  int steps_left_ = 0;  ///< until the factor being made is taken
  Background<Factor> build_;
};

}  // namespace supple
