#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "linear/updatable_cholesky.h"
#include "math/vector_field.h"
#include "model/model.h"
#include "vectors/vector_kernels.h"

namespace supple {

/// A constant matrix of a descent, or one body's part of it: A = M/a^2 + L + pins. L is constant,
/// the pins change now and then (linear/updatable_cholesky.h). A is n x n and the same for x, y
/// and z, or 3n x 3n. Pinned points are terms k w w^T. If there are many, some are replaced by pins
/// of their corners, which hold more (potentials/pins.h).
///
/// L does not resist a shift of the whole, so 1^T A x = w . x on every connected part of the
/// matrix, with w = M 1/a^2 + the pins of each vertex. If x is not A^-1 b to the last digit, it is
/// shifted, part by part, so that w . x = 1^T b holds exactly: what nothing holds then keeps its
/// momentum to the last digit. When H differs from A^-1 by more than rounding (on two grids, or
/// while a new factor is being made), the result is
///   x = P H P^T b + 1 1^T b/(w . 1),  P = I - 1 w^T/(w . 1),
/// and the matrix before b is symmetric positive definite again.
class PrefactoredSystem {
 public:
  enum class Coupling {
    none,  ///< n x n
    full,  ///< 3n x 3n; row 3 k + c is coordinate c of vertex order[k]
  };

  /// order: of all vertices, or of those of some consecutive bodies. lower: the matrix without
  /// pins; row k is that of vertex order[k]. pins: those of these vertices. earlier: a system with
  /// the same sparsity pattern, or null. Throws Error{invalid_input}, naming the matrix by `name`,
  /// if it is not positive definite.
  PrefactoredSystem(const Model& model, double inverse_a2, std::vector<int> order,
                    SpdSolver::Matrix lower, Coupling coupling, Precision precision,
                    std::string name, const PinSet::Some& pins,
                    const PrefactoredSystem* earlier = nullptr);
  /// For all vertices, with all pins.
  PrefactoredSystem(const Model& model, double inverse_a2, std::vector<int> order,
                    const SpdSolver::Matrix& lower, Coupling coupling, Precision precision,
                    std::string name)
      : PrefactoredSystem(model, inverse_a2, std::move(order), lower, coupling, precision,
                          std::move(name), model.pins.all()) {}

  /// The model's pins have changed. h: length of a step, s. Throws Error{invalid_input} for pins
  /// that the matrix cannot hold; nothing changes then.
  void pins_changed(const Model& model, const PinSet::Some& pins, double h);
  void pins_changed(const Model& model, double h) { pins_changed(model, model.pins.all(), h); }
  /// The same in two parts: what can throw that error, and the rest.
  void require_pins(const Model& model, const PinSet::Some& pins) const;
  void take_pins(const Model& model, const PinSet::Some& pins, double h);

  /// Calls visit(row, column, value), ascending, for the original entries of some columns of the
  /// lower triangle, without pins and additions.
  template <class Visit>
  void visit_first(int first_column, int last_column, const Visit& visit) const {
    const SpdSolver::Matrix& lower = matrix_.lower();
    for (int j = first_column; j < last_column; ++j) {
      for (int k = lower.outerIndexPtr()[j]; k < lower.outerIndexPtr()[j + 1]; ++k) {
        const auto place = static_cast<std::size_t>(k);
        const double value = !first_.empty()                 ? first_[place]
                             : k == lower.outerIndexPtr()[j] ? free_[static_cast<std::size_t>(j)]
                                                             : lower.valuePtr()[place];
        visit(lower.innerIndexPtr()[place], j, value);
      }
    }
  }

  /// An addition to L between two vertices, N/m: to the diagonal if they are the same, otherwise to
  /// both entries.
  struct Entry {
    int vertex, other;
    double value;
  };
  /// Makes L what it was originally plus these entries, which must be in its pattern. Only if the
  /// matrix is n x n. False: the result is not positive definite, and L stays as it was. Throws
  /// nothing but std::bad_alloc.
  bool set_addition(const Model& model, const PinSet::Some& pins, std::span<const Entry> entries,
                    Threads& threads);

  /// A step begins.
  void begin_step() noexcept { matrix_.begin_step(); }

  /// Whether solves can stop half way. If so, all vertices are connected.
  bool has_half_way() const {
    return rows_of_vertex_ == 1 && is_in_order_ && is_rough_ && parts_.size() == 1 &&
           matrix_.has_half_way();
  }

  /// Whether p is -A^-1 b to rounding. If not, it is -H b with a symmetric positive definite H.
  bool is_exact() const { return matrix_.is_exact() && has_all_points_; }

  /// p = -A^-1 b. Both are [num_vertices] of the model; only the vertices of the order are read and
  /// written.
  void solve(const VectorField& b, VectorField& p, Threads& threads);
  /// `solve` without what `finish` does, which must follow for all vertices.
  void begin_solve(const VectorField& b, VectorField& p, Threads& threads);
  /// The same, stopping half way; only if has_half_way(). taken: 1^T of what half_way takes off b,
  /// N; read after the solve.
  void begin_solve(const VectorField& b, VectorField& p, HalfWay& half_way,
                   const PaddedVector& taken, Threads& threads);
  /// Finishes vertices first .. last - 1 of p. Threads can call it for different vertices at once.
  void finish(int first, int last, VectorField& p) const;

  /// How many times stiffer its rows are than w, which is what their inertia and pins resist:
  /// trace(A)/sum(w). Conjugate gradients need about the root of that. Only if is_known().
  double stiffness_beside_inertia() const;

  /// The vertices of its rows.
  const std::vector<int>& order() const { return order_; }
  const UpdatableCholesky& matrix() const { return matrix_; }
  /// Whether row i is that of the i-th vertex, and the entries and the diagonal of matrix() are all
  /// of A, which solves with it invert.
  bool is_known() const {
    return rows_of_vertex_ == 1 && is_in_order_ && is_exact() && !matrix_.has_terms();
  }

 private:
  /// Rows begin .. end - 1, by vertices, that are coupled to no others.
  struct Part {
    std::size_t begin, end;
    double weight = 0;        ///< w . 1, N/m
    PaddedVector force = {};  ///< 1^T b, N
    PaddedVector shift = {};  ///< m
  };
  /// Vertices begin .. end - 1 of one part and one run of rows (linear/solve_ends.h).
  struct Piece {
    std::size_t part;
    std::size_t begin, end;
    PaddedVector sum = {};
    double largest = 0;  ///< entry of b, N
    int count() const { return static_cast<int>(end - begin); }
  };
  /// The matrix with its pins.
  struct Pinned {
    std::vector<double> diagonal;  ///< [rows]
    std::vector<UpdatableCholesky::Term> terms;
    std::vector<double> weight;  ///< w, [num_vertices], in elimination order, N/m
  };

  Pinned with_pins(const Model& model, const PinSet::Some& pins, std::vector<double> free) const;
  void add_held_by_rigid(const Model& model);
  void find_parts(const std::vector<int>& parent);
  void weigh_parts(std::vector<double> weight);
  void cut_parts();
  bool solves_in_order() const {
    return rows_of_vertex_ == 1 && is_in_order_ && matrix_.is_plain();
  }
  void make_room();
  template <class Work>
  void for_groups(Threads& threads, const Work& work);
  class Ends;
  void solve_in_order(const VectorField& b, VectorField& p, HalfWay* half_way,
                      const PaddedVector& taken, Threads& threads);
  template <int stride>
  void solve_as(const VectorField& b, VectorField& p, Threads& threads);

  std::vector<int> order_;    ///< [num_vertices], elimination order
  std::size_t first_vertex_;  ///< the smallest one in it
  std::vector<double> mass_;  ///< [num_vertices], in elimination order: M/a^2 and what rigid
                              ///< bodies hold, N/m
  const VectorKernels* kernels_;
  std::size_t rows_of_vertex_;  ///< 1 or 3
  bool is_rough_;               ///< the factor is not in doubles
  std::string name_;            ///< for errors
  std::vector<double> free_;    ///< [rows], diagonal without pins, N/m
  std::vector<double> first_;   ///< original entries, without pins; made when needed
  std::vector<Part> parts_;     ///< all vertices, in elimination order
  std::vector<Piece> pieces_;   ///< of the parts, in their order
  std::vector<int> run_piece_;  ///< [runs + 1], first piece of each
  std::vector<int> groups_;     ///< first piece of each group for a thread, and pieces_.size()
  bool is_in_order_;            ///< order_ is ascending
  bool has_all_points_ = true;  ///< no pinned point is replaced by pins of its corners
  bool is_unfinished_ = false;  ///< p of the last solve lacks its shift and its sign
  std::vector<double> weight_;  ///< w, N/m
  UpdatableCholesky matrix_;
  std::vector<double> work_;  ///< [rows], or four interleaved sides; empty if solves_in_order()
};

}  // namespace supple
