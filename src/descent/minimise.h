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
  double value = 0;          ///< g at the end, J
  double elastic = 0;        ///< elastic energy of the elements at the end, J
  int num_inverted = 0;      ///< tets there with J < 0
  double gradient_norm = 0;  ///< |grad g| at the end, N
  double start_value = 0;    ///< g(x_0), J
  /// |grad g(x_0)|, but at least MinimiseOptions::least_start_norm, N
  double start_gradient_norm = 0;
  /// -grad g . p / 2 of the last direction, J: the decrease that was still possible before the last
  /// step if g were the parabola of the direction's matrix.
  double expected_decrease = 0;
  double direction_milliseconds = 0;
  bool ends_at_last = false;  ///< the last evaluation of g was where the minimisation ends
};

/// Limits and callbacks of a minimisation.
struct MinimiseOptions {
  /// No iteration begins that would end after this, judging by the time of the last ones.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Ends as at the limit of iterations once |grad g| is not above this, N. A minimisation that is
  /// repeated after a small change of g thus ends when it is as good as before.
  double good_enough = 0;
  /// N: what `tolerance` refers to if |grad g(x_0)| is less, because x_0 is almost the solution.
  double least_start_norm = 0;
  /// Called at the iterate after `look_at` iterations. True: g is another function from here on;
  /// the descent starts anew with the rest of its budget.
  std::function<bool(const VectorField& z)> changes;
  int look_at = 0;
  /// Called at the end of each round of iterations. True: g is another function from here on, but
  /// so similar that what was learnt of its shape still holds. A round ends after
  /// `iterations_of_round`, or earlier if nothing is left to do in it.
  std::function<bool(const VectorField& z)> next_round;
  int iterations_of_round = 0;
  /// Called at x_0 (iteration 0) and after every step, with |grad g|, N.
  std::function<void(int iteration, const Iterate& at, double gradient_norm)> visit;
};

/// The only descent loop [thesis Alg. 3]. Holds the memory that an iteration needs.
class Minimiser {
 public:
  explicit Minimiser(int num_vertices);

  /// Descends from z = x_0 and leaves the last iterate in z; that is the lowest one, unless the
  /// line search is switched off. If g is not finite at x_0, or anywhere the descent looks, the
  /// status is non_finite and z must not be used.
  MinimiseReport run(Objective& objective, Direction& direction, const SolverSettings& settings,
                     VectorField& z, const MinimiseOptions& options = {});

  /// grad g at the end of the last run, N.
  const VectorField& gradient() const { return gradient_; }

  /// Fields that are free between two runs: callers may write to them.
  std::array<VectorField*, 3> spare() { return {&p_, &trial_, &trial_gradient_}; }

 private:
  VectorField gradient_, p_, trial_, trial_gradient_;
};

}  // namespace supple
