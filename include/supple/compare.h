#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "supple/scene.h"
#include "supple/simulation.h"

#pragma GCC visibility push(default)

/// Compares many solvers on the same step, from the same state, with the converged answer.
namespace supple {

/// A solver with its name in tables and plots.
struct LabelledSolver {
  std::string label{};
  SolverSettings settings{};
};

/// An iterate of a descent; iteration 0 is x_0.
struct ConvergencePoint {
  int iteration = 0;
  double milliseconds = 0;   ///< wall clock since the step began
  double objective = 0;      ///< g, J
  double gradient_norm = 0;  ///< |grad g|, N
  /// (g(x_k) - g*) / (g(y) - g*) [Liu et al. 2017, eq. 17]. May be slightly negative once it
  /// reaches rounding.
  double relative_error = 0;
  /// rms of |x_k - x*| over the vertices, relative to the diagonal of the rest shape's box.
  double position_error = 0;
};

struct ConvergenceCurve {
  std::string label{};
  StepStatus status = StepStatus::iteration_limit;
  int evaluations = 0;            ///< of g and its gradient
  double build_milliseconds = 0;  ///< once, before the first step: factorisations
  double energy_scale = 0;        ///< rounding errors of g are relative to this, J
  std::vector<ConvergencePoint> points{};
  std::vector<double> positions{};  ///< the last iterate: [num_vertices * 3], m
};

/// The converged answer of a step.
struct ConvergedStep {
  double objective = 0;             ///< g*, J
  double start_objective = 0;       ///< g(y), J
  double gradient_norm = 0;         ///< |grad g(x*)|, N
  int iterations = 0;               ///< of Newton's method
  bool converged = false;           ///< to rounding, or to 1e-12 of the first gradient
  std::vector<double> positions{};  ///< x*: [num_vertices * 3], m
};

struct Comparison {
  ConvergedStep reference{};
  std::vector<ConvergenceCurve> curves{};  ///< in the order of the solvers
};

struct CompareOptions {
  int iterations = 50;  ///< of each solver; none stops early
  int threads = 0;      ///< 0: as many as the machine has
  /// Called before the converged answer, before each solver, and at the end with done = total, the
  /// number of solvers + 1, and an empty label.
  std::function<void(int done, int total, const std::string& label)> progress;
};

/// Converged answer of the first substep after `state`: Newton's method from x_0 until g no longer
/// decreases. Throws Error{non_finite} if there is none.
ConvergedStep solve_converged(const Scene& scene, const SimulationState& state, int threads = 0);

/// Solves the first substep after `state` with the scene's own solver settings and compares every
/// iterate with `reference`. The times exclude the recording.
ConvergenceCurve record_descent(const Scene& scene, const SimulationState& state,
                                const ConvergedStep& reference, int threads = 0);

/// Solves the first substep after `state` with every solver; the scene's own solver is ignored.
/// Throws Error{invalid_input}, naming the solver, for settings that cannot run.
Comparison compare_solvers(const Scene& scene, const SimulationState& state,
                           std::span<const LabelledSolver> solvers,
                           const CompareOptions& options = {});

/// How much stiffer or softer a body is whose converged step looks like a given unconverged one.
struct ApparentStiffness {
  /// s: scaling the energies of tets and springs by s brings the converged step closest to the
  /// given one. 1: the body is as stiff as its material says; above 1: it acts stiffer.
  double ratio = 1;
  /// |z - x*(s)| / |z - x*(1)|, mass-weighted: the share of the error that no change of stiffness
  /// explains.
  double unexplained = 0;
  /// rms distance from z to x*(1), relative to the diagonal of the rest shape's box.
  double position_error = 0;
  /// False if the step does not depend on the material (a body in free flight; `ratio` is 1) or no
  /// s from 1/1000 to 1000 describes it (`ratio` is the bound that was reached).
  bool defined = false;
};

/// Apparent stiffness of `positions` (z, [num_vertices * 3], m) as the end of the first substep
/// after `state`. s minimises |z - x*(s)|_M; secant steps in log s find it, and each one solves the
/// scaled scene to convergence. Throws what solve_converged throws.
ApparentStiffness apparent_stiffness(const Scene& scene, const SimulationState& state,
                                     std::span<const double> positions, int threads = 0);

/// The scene with the elastic energies of tets and springs multiplied by `factor` > 0. Pins and
/// contacts keep their stiffness.
Scene scale_stiffness(const Scene& scene, double factor);

}  // namespace supple

#pragma GCC visibility pop
