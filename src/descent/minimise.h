#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <optional>

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
  int num_inverted = 0;            ///< tets there with J < 0
  double gradient_norm = 0;        ///< |grad g| at the end, N
  double start_value = 0;          ///< g(x_0), J
  double start_gradient_norm = 0;  ///< |grad g(x_0)|, N
  /// -grad g . p / 2 of the last direction, J: the decrease of g that was still to be had before
  /// the last step, were g the parabola that the direction's matrix sees.
  double expected_decrease = 0;
  double direction_milliseconds = 0;
  bool ends_at_last = false;  ///< g was evaluated last where the minimisation ends
};

/// What bounds and what watches a minimisation.
struct MinimiseOptions {
  /// An iteration that would end after this, by the time the last ones took, is not begun.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// N: from where |grad g| is no larger this minimisation is at its limit of iterations. One that
  /// is done again after a small change of g ends where it is as good as before.
  double good_enough = 0;
  /// Called at the iterate that `look_at` iterations lead to, before more of them: whether g is
  /// another function from there on. The descent then begins anew with what is left of its budget.
  std::function<bool(const VectorField& z)> changes;
  int look_at = 0;
  /// Called at iterates where a round ends, the iterations from one call to the next: whether g is
  /// another function from there on, by so little that what was learnt of its shape still holds. A
  /// round ends after `iterations_of_round`, and before where nothing is left to do in it.
  std::function<bool(const VectorField& z)> next_round;
  int iterations_of_round = 0;
  /// Called at x_0 (iteration 0) and after every step, with |grad g|, N.
  std::function<void(int iteration, const Iterate& at, double gradient_norm)> visit;
};

/// The only descent loop [thesis Alg. 3]. Holds the memory that an iteration needs.
class Minimiser {
 public:
  explicit Minimiser(int num_vertices);

  /// Descends from z, which holds x_0 and then the last iterate: the lowest of them, unless the
  /// line search is switched off. When x_0 or all that the descent finds is not finite, the status
  /// is non_finite and z is not to be used.
  MinimiseReport run(Objective& objective, Direction& direction, const SolverSettings& settings,
                     VectorField& z, const MinimiseOptions& options = {});

  /// grad g where the last run ended, N.
  const VectorField& gradient() const { return gradient_; }

  /// Fields that say nothing between two runs: who has a use for some may write to them.
  std::array<VectorField*, 3> spare() { return {&p_, &trial_, &trial_gradient_}; }

 private:
  VectorField gradient_, p_, trial_, trial_gradient_;
};

}  // namespace supple
