#pragma once

#include "descent/direction.h"
#include "supple/scene.h"
#include "supple/simulation.h"

namespace supple {

/// What a minimisation did.
struct MinimiseReport {
  StepStatus status = StepStatus::iteration_limit;
  int iterations = 0;
  double value = 0;                ///< g at the end, J
  double elastic = 0;              ///< elastic energy of the elements at the end, J
  double gradient_norm = 0;        ///< |grad g| at the end, N
  double start_gradient_norm = 0;  ///< |grad g(x_0)|, N
  double direction_milliseconds = 0;
};

/// The only descent loop [thesis Alg. 3]. Holds the memory that an iteration needs.
class Minimiser {
 public:
  explicit Minimiser(int num_vertices);

  /// Descends from z, which holds x_0 and then the result. When x_0 or all that the descent finds
  /// is not finite, the status is non_finite and z is not to be used.
  MinimiseReport run(Objective& objective, Direction& direction, const SolverSettings& settings,
                     VectorField& z);

 private:
  VectorField gradient_, p_, trial_, trial_gradient_;
};

}  // namespace supple
