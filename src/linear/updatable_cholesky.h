#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/background.h"
#include "linear/spd_solver.h"

namespace supple {

/// A system A x = b whose diagonal changes now and then, A being symmetric, positive definite and
/// factorised; terms k u u^T with a few entries in u come and go too. With A + D in place of A,
///
/// up to `most_rows` entries of D   are an update by the identity of Sherman, Morrison and Woodbury
///     [Golub & Van Loan 2013, sec. 2.1.4; Hager 1989], E being the unit columns of these rows:
///       (A + E D E^T)^-1 = A^-1 - W K W^T,  W = A^-1 E,  K = (D^-1 + E^T W)^-1.
///     For b = b_0 + E beta, b_0 zero in those rows, and with y = A^-1 b_0, t = E^T y, it is taken
///     as
///       x = y + W K (D^-1 beta - t),  E^T x = D^-1 K t + (E^T W) K D^-1 beta,
///     which subtracts nothing in the rows that change: however stiff an entry comes or goes, x
///     has the digits that A^-1 gives. Beyond a quarter of `most_rows` a new factor is made too.
///     A term is a further column u of E; it never becomes part of a factor. Its part of beta takes
///     out of b_0 what lies along the u in the rows that do not change.
/// more, or an unsafe K             wait for a new factor, made on another thread. Until then
///       (A + D)^-1 is taken as S A^-1 S,  S = diag(sqrt(a_ii/(a_ii + d_i))), a term being counted
///     as its row sums k u_i sum_j u_j,
///     which is not the inverse, but symmetric positive definite and of the right size in each row.
///
/// Where the solver is not direct (spd_solver.h), its H stands for A^-1: an update by what comes is
/// that of H^-1 + D, as near to A + D as H^-1 is to A. What goes waits for a new factor: of a stiff
/// entry H^-1 has some part too much.
///
/// The new factor is taken at a step that depends on its size and the step's length alone, by
/// waiting if need be: the same input gives the same bits, however busy the machine is.
class UpdatableCholesky {
 public:
  /// lower: A's lower triangle in the order of elimination. earlier: another one with this pattern
  /// and precision, whose factor may be that of the same entries; or null.
  UpdatableCholesky(SpdSolver::Matrix lower, Precision precision, int most_rows,
                    const UpdatableCholesky* earlier = nullptr);

  /// False: A is not positive definite, nothing can be solved.
  bool is_factored() const { return solver_ != nullptr; }

  /// k u u^T.
  struct Term {
    int count = 0;                    ///< of entries of u
    std::array<int, 4> rows{};        ///< each once
    std::array<double, 4> weights{};  ///< u there, > 0
    double stiffness = 0;             ///< k, > 0

    bool has_column_of(const Term& other) const {
      return count == other.count && rows == other.rows && weights == other.weights;
    }
  };

  /// The matrix has this diagonal from now on: [n], positive and finite, and beside it these terms.
  /// h: length of a step, s. Throws std::bad_alloc alone; the object solves as before or as after
  /// the call then.
  void set_diagonal(std::vector<double> diagonal, double h, std::vector<Term> terms = {});

  /// Other entries in the same pattern, [nonzeros] of its lower triangle, factorised at once.
  /// False: they are not positive definite, and the matrix is what it was. Throws std::bad_alloc
  /// alone, with the matrix as it was.
  bool set_entries(const std::vector<double>& entries, Threads& threads);

  /// The matrix that was factorised last; its diagonal may be another one by now.
  const SpdSolver::Matrix& lower() const { return *lower_; }
  const FactorPattern& pattern() const { return *pattern_; }

  /// What a factorisation takes, s, by the number of its operations alone.
  double factor_seconds() const { return factor_seconds_; }

  /// A step begins: takes a factor that is due. It never throws: where there is no memory, or the
  /// matrix cannot be factorised, the old factor stays.
  void begin_step() noexcept;

  /// Whether solutions are those of the matrix, to rounding. If not, they are those of a symmetric
  /// positive definite one.
  bool is_exact() const { return solver_->is_direct() && correction_.kind != Kind::scaled; }
  /// Whether solutions are as near as the factor's own.
  bool is_followed() const { return correction_.kind != Kind::scaled; }
  /// Whether the factor is that of the matrix as it is.
  bool is_plain() const { return correction_.kind == Kind::none; }
  /// Whether a factor is being made.
  bool is_waiting() const { return build_.has_work(); }

  /// In place: b becomes x, one right-hand side or four interleaved (spd_solver.h).
  void solve(double* x, Threads& threads) { solve_sides<1>(x, threads); }
  void solve4(double* x, Threads& threads) { solve_sides<4>(x, threads); }
  /// From b to x, where is_plain().
  void solve4(const double* b, double* x, Threads& threads) { solver_->solve4(b, x, threads); }
  /// From what `ends` brings to x, [4 n], where is_plain().
  void solve4_between(SolveEnds& ends, int n, double* x, Threads& threads) {
    solver_->solve4_between(ends, n, x, threads);
  }

  /// Whether that stops half way.
  bool has_half_way() const { return is_plain() && solver_->has_half_way(); }

  /// How often solutions have become those of another matrix.
  long num_changes() const { return num_changes_; }

  long long factor_entries() const { return solver_->factor_entries(); }
  /// begin_steps until a factor that is begun now is taken, for steps of h, s.
  int steps_until_factor(double h) const;

 private:
  enum class Kind { none, low_rank, scaled };

  /// What stands between the factor and the matrix.
  struct Correction {
    Kind kind = Kind::none;
    std::vector<double> scale;  ///< scaled: S, [n]
    // low_rank:
    int num_rows = 0;                    ///< columns of single rows
    std::vector<Term> columns;           ///< [r], E D E^T: those of rows, ascending, then terms
    bool is_refined = false;             ///< W has the digits of a double
    std::vector<double> W;               ///< [n][r]
    std::vector<double> to_sides_beta;   ///< K D^-1, [r][r]
    std::vector<double> to_sides_t;      ///< -K, [r][r]
    std::vector<double> to_rows_beta;    ///< E^T W K D^-1, [r][r]
    std::vector<double> to_rows_t;       ///< D^-1 K, [r][r]
    std::vector<double> beta, t, sides;  ///< [4 r]
    // Of the columns of terms, V being their entries in rows that have no column of their own:
    std::vector<Term> free_parts;  ///< V
    std::vector<double> inverse;   ///< (V^T V)^+, row-major
    std::vector<double> along;     ///< [4 for each]
  };
  struct Factor {
    std::unique_ptr<SpdSolver> solver;  ///< none: not positive definite
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

  std::shared_ptr<const SpdSolver::Matrix> lower_;  ///< its diagonal is that of the first factor
  std::shared_ptr<const FactorPattern> pattern_;
  Precision precision_;
  int most_rows_;
  double factor_seconds_ = 0;  ///< by the number of operations
  std::unique_ptr<SpdSolver> solver_;
  std::vector<double> factored_;  ///< [n], diagonal that the factor has
  std::vector<double> diagonal_;  ///< [n], of the matrix without terms
  std::vector<Term> terms_;
  Correction correction_;
  double h_ = 1;
  long num_changes_ = 0;
  int steps_left_ = 0;  ///< until the factor that is being made is taken
  Background<Factor> build_;
};

}  // namespace supple
