#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "supple/scene.h"
#include "supple/simulation.h"

/// One step solved by many solvers from the same state, against the converged answer.
namespace supple {

/// A solver with the name that it has in tables and plots.
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
  /// (g(x_k) - g*) / (g(y) - g*), the measure of Liu et al. 2017, eq. 17. Not below rounding: it
  /// may be slightly negative there.
  double relative_error = 0;
  /// rms over the vertices of |x_k - x*|, over the diagonal of the rest shape's box.
  double position_error = 0;
};

struct ConvergenceCurve {
  std::string label{};
  StepStatus status = StepStatus::iteration_limit;
  int evaluations = 0;            ///< of g and its gradient
  double build_milliseconds = 0;  ///< once, before the first step: factorisations
  double energy_scale = 0;        ///< J: what rounding in g is relative to
  std::vector<ConvergencePoint> points{};
  std::vector<double> positions{};  ///< where it ended: [num_vertices * 3], m
};

/// The converged answer of a step.
struct ConvergedStep {
  double objective = 0;             ///< g*, J
  double start_objective = 0;       ///< g(y), J
  double gradient_norm = 0;         ///< |grad g(x*)|, N
  int iterations = 0;               ///< of Newton's method
  bool converged = false;           ///< to rounding, or to 1e-12 of the gradient at x_0
  std::vector<double> positions{};  ///< x*: [num_vertices * 3], m
};

struct Comparison {
  ConvergedStep reference{};
  std::vector<ConvergenceCurve> curves{};  ///< in the order of the solvers
};

struct CompareOptions {
  int iterations = 50;  ///< of each solver, without early stop
  int threads = 0;      ///< 0: as many as the machine has
  /// Called before each solver with its place and how many there are (the converged answer first).
  std::function<void(int done, int total, const std::string& label)> progress;
};

/// The converged answer of the first substep after `state`: Newton's method from x_0 until nothing
/// decreases any more. Throws Error{non_finite} where there is none.
ConvergedStep solve_converged(const Scene& scene, const SimulationState& state, int threads = 0);

/// One descent of the first substep after `state` by the scene's own solver settings, with every
/// iterate recorded against `reference`. Recording is not part of the times.
ConvergenceCurve record_descent(const Scene& scene, const SimulationState& state,
                                const ConvergedStep& reference, int threads = 0);

/// The first substep after `state` by every solver. The scene's own solver is not used.
/// Throws Error{invalid_input} naming the solver for settings that it cannot run.
Comparison compare_solvers(const Scene& scene, const SimulationState& state,
                           std::span<const LabelledSolver> solvers,
                           const CompareOptions& options = {});

/// What the end of an unconverged step looks like: the converged step of a stiffer or softer body.
struct ApparentStiffness {
  /// s: with the energies of tets and springs times s, the converged step comes nearest to the
  /// given one. 1: the material is what the scene says; above 1: the body acts stiffer.
  double ratio = 1;
  /// |z - x*(s)| over |z - x*(1)|, mass-weighted: the share of the error that no stiffness
  /// explains.
  double unexplained = 0;
  /// rms distance of z to x*(1), over the diagonal of the rest shape's box.
  double position_error = 0;
  /// False where the step does not depend on the material (a body in free flight), or where no s
  /// from 1/1000 to 1000 describes it: `ratio` is then 1, or the bound that was reached.
  bool defined = false;
};

/// The apparent stiffness of `positions`, [num_vertices * 3], m, as the end of the first substep
/// after `state`: s minimises |z - x*(s)|_M, found by secant steps in log s, each a converged step
/// of the scaled scene. Throws as solve_converged does.
ApparentStiffness apparent_stiffness(const Scene& scene, const SimulationState& state,
                                     std::span<const double> positions, int threads = 0);

/// The scene with every elastic energy of tets and springs multiplied by a factor > 0; pins and
/// contacts stay.
Scene scale_stiffness(const Scene& scene, double factor);

}  // namespace supple
