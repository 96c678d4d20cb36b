#pragma once

#include "descent/minimise.h"
#include "position/position_solver.h"

namespace supple {

/// Runs a position-based method through a substep and measures it as a descent is: by g and
/// |grad g|, the primal residual of the constraints [Macklin & Mueller 2021, eq. 5].
class PositionRun {
 public:
  /// z: x_0 = y, then where the positions are. `objective` has begun the same step. Where
  /// `measured` is false, nothing watches and the settings ask for no tolerance, g is not
  /// evaluated, and the report's value and norms are 0.
  MinimiseReport run(Objective& objective, PositionSolver& solver, const PositionStep& step,
                     const SolverSettings& settings, bool measured, VectorField& z,
                     const MinimiseOptions& options = {});

  /// grad g where the last run that was measured ended, N.
  const VectorField& gradient() const { return gradient_; }

 private:
  /// |grad g| at z, N, where with_multipliers with the forces of hard constraints; puts g into the
  /// report.
  double measure(Objective& objective, const PositionSolver& solver, const VectorField& z,
                 bool with_multipliers, MinimiseReport& report);

  VectorField gradient_;  ///< no room before it is measured
};

}  // namespace supple
