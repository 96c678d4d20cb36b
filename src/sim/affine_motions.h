#pragma once

#include <span>
#include <vector>

#include "descent/objective.h"
#include "model/model.h"

namespace supple {

/// The affine motions of each body, among which a single step of Newton's method finds what
/// thousands of small ones around M/a^2 + L do not: L resists a motion across a sheet or a strand
/// as much as one along it, so a pendulum that should turn is held up.
class AffineMotions {
 public:
  /// Fields of [num_vertices] to work in.
  struct Fields {
    VectorField& moved;
    VectorField& gradient;
    VectorField& step;  ///< the result, m
  };

  explicit AffineMotions(const Model& model);
  ~AffineMotions();

  /// For each selected body of the objective, the step -H^-1 grad g from z among its affine
  /// motions. H is the Hessian of g there, by differences of gradients at which all bodies are
  /// moved at once by 1e-5 of their size, m. Its eigenvalues count as 1/a^2 at least, as if the
  /// elastic energy were convex. Evaluates the gradient 25 times, last at z. Allocates nothing.
  void find_step(Objective& objective, const VectorField& z, std::span<const double> size,
                 const Fields& fields);

 private:
  class Functions;
  struct Body;
  const Model* model_;
  std::vector<Body> bodies_;  ///< [num_bodies]
};

}  // namespace supple
