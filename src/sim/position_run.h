#pragma once

#include "descent/minimise.h"
#include "position/position_solver.h"

namespace supple {

/// Runs a position-based method through a substep and measures it like a descent: by g and
/// |grad g|, the primal residual of the constraints [Macklin & Mueller 2021, eq. 5].
class PositionRun {
 public:
  /// z: x_0 = y on entry, the resulting positions on return. `objective` has begun the same step.
  /// If `measured` is false, nothing watches and the settings ask for no tolerance, g is not
  /// evaluated, and the report's value and norms are 0.
  MinimiseReport run(Objective& objective, PositionSolver& solver, const PositionStep& step,
                     const SolverSettings& settings, bool measured, VectorField& z,
                     const MinimiseOptions& options = {});

  /// grad g at the end of the last measured run, N.
  const VectorField& gradient() const { return gradient_; }

 private:
  /// |grad g| at z, N, if with_multipliers including the forces of hard constraints; puts g into
  /// the report.
  double measure(Objective& objective, PositionSolver& solver, const VectorField& z,
                 bool with_multipliers, MinimiseReport& report);

  VectorField gradient_;  ///< empty before anything is measured
};

}  // namespace supple
