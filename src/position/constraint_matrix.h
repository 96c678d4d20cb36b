#pragma once

#include <span>
#include <vector>

#include "linear/spd_solver.h"
#include "position/constraint_rows.h"

namespace supple {

/// dC M^-1 dC^T over rows of constraints, in an elimination order of little fill.
class ConstraintMatrix {
 public:
  /// Throws Error{invalid_input} at /solver/method where the matrix or its factor would have more
  /// than some hundred million entries: then another method is the right one.
  ConstraintMatrix(const Model& model, std::span<const ConstraintRow> rows);

  /// Takes the gradients: [num_rows]. `diagonal` is added: [num_rows].
  void assemble(std::span<const ConstraintValue> values, std::span<const double> diagonal);

  /// The lower triangle, its rows in the order of elimination.
  const SpdSolver::Matrix& lower() const { return lower_; }
  /// place()[r]: where row r stands.
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
  std::vector<int> entry_;  ///< of each pair of rows at a vertex, into the values of lower_
  SpdSolver::Matrix lower_;
};

}  // namespace supple
