#pragma once

#include <span>
#include <vector>

#include "linear/spd_solver.h"
#include "position/constraint_rows.h"

namespace supple {

/// dC M^-1 dC^T over rows of constraints, in an elimination order with little fill.
class ConstraintMatrix {
 public:
  /// Throws Error{invalid_input} at /solver/method if more than 50 million pairs of constraints
  /// share a vertex, or if the factor would have more than 200 million entries: another method is
  /// then the right one.
  ConstraintMatrix(const Model& model, std::span<const ConstraintRow> rows);

  /// Computes the matrix from the gradients in `values`, [num_rows], and adds `diagonal`,
  /// [num_rows].
  void assemble(std::span<const ConstraintValue> values, std::span<const double> diagonal);

  /// The lower triangle, its rows in the order of elimination.
  const SpdSolver::Matrix& lower() const { return lower_; }
  /// place()[r]: where row r is in that order.
  const std::vector<int>& place() const { return place_; }

 private:
  /// A row at a vertex: values[row].gradient[corner].
  struct Incidence {
    int row;
    int corner;
  };

  void list_incidences(const Model& model, std::span<const ConstraintRow> rows);
  void find_entries();

  std::vector<int> place_;             ///< [num_rows]
  std::vector<double> weight_;         ///< [num_vertices], 1/kg
  std::vector<int> start_;             ///< [num_vertices + 1], into incidences_
  std::vector<Incidence> incidences_;  ///< of each vertex with mass, by place
  std::vector<int> entry_;  ///< for each pair of rows at a vertex, into the values of lower_
  SpdSolver::Matrix lower_;
};

}  // namespace supple
