#pragma once

#include <vector>

#include "descent/direction.h"
#include "descent/hessian_diagonal.h"

namespace supple {

/// Descent with Jacobi preconditioning [Wang & Yang 2016, sec. 3; GAMES103]:
///   p = -alpha D^-1 grad g,  D = the diagonal of the projected Hessian of g,
/// computed every `refresh` iterations; the current contacts are added to it. In each step alpha
/// starts at 1 and is multiplied by every accepted step length, up to at most 1, so that rejected
/// lengths are not tried again [sec. 4.2, step length adjustment].
///
/// D depends on the coordinate axes: rotating the scene by 90 degrees about one of them permutes
/// its entries and rotates the result; rotating it by another angle changes the iterates.
class Jacobi final : public Direction {
 public:
  Jacobi(const Model& model, int refresh, double inverse_a2);
  void pins_changed(const PinChange& change) override;
  void materials_changed(const MaterialChange& change) override;
  void begin_step(Objective&) override;
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override;
  void accept(Objective&, const Iterate& from, const Iterate& to, double alpha) override;

  /// D of the last `compute`, N/m: [num_vertices].
  const VectorField& diagonal() const { return with_contacts_; }

 private:
  HessianDiagonal hessian_;
  int refresh_;
  int age_ = 0;  ///< iterations since D was computed; 0: it is to be computed
  double scale_ = 1;
  std::vector<double> floor_;  ///< [num_vertices], least entries of D, N/m
  VectorField diagonal_;       ///< without contacts, N/m
  VectorField with_contacts_;  ///< N/m
};

}  // namespace supple
