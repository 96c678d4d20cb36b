#pragma once

#include <vector>

#include "descent/objective.h"
#include "elements/corner_kernels.h"

namespace supple {

/// Diagonal of the projected Hessian of the objective (hessian.h). Contacts are left out: they come
/// and go between its computations. It takes a pass over the elements like that of the gradient.
class HessianDiagonal {
 public:
  explicit HessianDiagonal(const Model& model);

  /// The model's elements are in other places now.
  void places_changed() { slots_.resize(static_cast<std::size_t>(model_->num_slots)); }

  /// Writes the entries of x, y and z at each vertex, N/m, >= 0: [num_vertices].
  void evaluate(const Objective& objective, const VectorField& z, VectorField& diagonal);

 private:
  void evaluate_elements(const VectorField& z, const StepStart& start, Threads& threads);
  PaddedVector of_vertex(std::size_t vertex, const VectorField& z, const StepStart& start) const;

  const Model* model_;
  const CornerKernels* kernels_;
  VectorField slots_;  ///< [num_slots]
};

}  // namespace supple
