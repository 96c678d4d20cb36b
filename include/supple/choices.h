#pragma once

#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

/// The choices of a scene. Scene files and messages name each value as its enumerator is named;
/// scenes in code take the enumerator.
namespace supple {

/// A name with the line that `supple list` prints for it.
struct Description {
  std::string name{};
  std::string text{};  ///< what it is and its parameters
};

/// All values of a choice, in the order of its enumerators.
struct ChoiceList {
  std::string what{};  ///< what they are, for messages: "linear solver"
  std::vector<Description> entries{};
};

/// SolverSettings::method (docs/solvers.md, docs/position.md).
enum class SolverMethod {
  l_bfgs,
  quasi_newton,
  projective_dynamics,
  newton,
  gradient_descent,
  jacobi,
  gauss_seidel,
  vertex_block_descent,
  chebyshev,
  xpbd,
  pbd,
  step_and_project
};
/// TimeSettings::integrator (docs/integrators.md).
enum class TimeIntegrator {
  backward_euler,
  implicit_midpoint,
  bdf2,
  newmark,
  quasi_static,
  symplectic_euler,
  forward_euler
};
/// LineSearchSettings::type.
enum class LineSearchType { backtracking, wolfe, exact, none };
/// SolverSettings::recovery.
enum class Recovery { arap, none };
/// SolverSettings::start.
enum class DescentStart { automatic, inertia, extrapolated, adaptive };
/// SolverSettings::initial_hessian.
enum class InitialHessian { laplacian, identity, rest, warped_rest, frame };
/// SolverSettings::weights.
enum class LaplacianWeights { following, constant };
/// SolverSettings::linear_solver.
enum class LinearSolver { direct, cg, truncated_cg };
/// SolverSettings::preconditioner.
enum class PreconditionerType { none, jacobi, incomplete_cholesky, laplacian, rest };
/// SolverSettings::definiteness.
enum class Definiteness { clamp, absolute, tikhonov, none };
/// SolverSettings::acceleration.
enum class Acceleration { automatic, none, chebyshev };
/// SolverSettings::projection.
enum class XpbdProjection { stress, sequential, block };
/// SolverSettings::multipliers.
enum class XpbdMultipliers { zero, kept };
/// SolverSettings::order.
enum class XpbdOrder { parts, colours, cells, natural };
/// SolverSettings::precision. Their names are "double" and "float".
enum class XpbdPrecision { float64, float32 };
/// ContactSettings::mode.
enum class ContactMode { soft, barrier };
/// MembraneSettings::bending_model.
enum class BendingModel { quadratic, dihedral };
/// Measured fabrics; `custom` is none of them (fabric_properties).
enum class Fabric {
  custom,
  ivory_rib_knit,
  pink_ribbon_brown,
  white_dots_on_black,
  navy_sparkle_sweat,
  camel_ponte_roma,
  gray_interlock,
  black_denim_11oz,
  white_swim_solid,
  tango_red_jet_set,
  royal_target
};
/// RodSettings::rest_shape.
enum class RodRestShape { mesh, straight };
/// PressureSettings::surface.
enum class PressureSurface { outer, cavities };
/// Body::volume.
enum class BodyVolume { free, exact };

/// The list of a choice; the argument's value does not matter.
const ChoiceList& choices(SolverMethod);
const ChoiceList& choices(TimeIntegrator);
const ChoiceList& choices(LineSearchType);
const ChoiceList& choices(Recovery);
const ChoiceList& choices(DescentStart);
const ChoiceList& choices(InitialHessian);
const ChoiceList& choices(LaplacianWeights);
const ChoiceList& choices(LinearSolver);
const ChoiceList& choices(PreconditionerType);
const ChoiceList& choices(Definiteness);
const ChoiceList& choices(Acceleration);
const ChoiceList& choices(XpbdProjection);
const ChoiceList& choices(XpbdMultipliers);
const ChoiceList& choices(XpbdOrder);
const ChoiceList& choices(XpbdPrecision);
const ChoiceList& choices(ContactMode);
const ChoiceList& choices(BendingModel);
const ChoiceList& choices(Fabric);
const ChoiceList& choices(RodRestShape);
const ChoiceList& choices(PressureSurface);
const ChoiceList& choices(BodyVolume);

template <class T>
concept Choice = requires(T value) {
  { choices(value) } -> std::same_as<const ChoiceList&>;
};

/// Name of the value at an index; "unknown" if the list has no such index.
const char* choice_name(const ChoiceList& list, std::size_t index) noexcept;

/// Index of a name. Throws Error{invalid_input} at `where` that lists the known names.
std::size_t choice_index(const ChoiceList& list, std::string_view name, std::string_view where);

/// Name of a value: to_string(LinearSolver::cg) is "cg".
template <Choice T>
const char* to_string(T value) {
  return choice_name(choices(value), static_cast<std::size_t>(value));
}

/// Value of a name: from_string<LinearSolver>("cg"). Throws Error{invalid_input} at `where` for an
/// unknown name, listing the known ones.
template <Choice T>
T from_string(std::string_view name, std::string_view where = {}) {
  return static_cast<T>(choice_index(choices(T{}), name, where));
}

/// All values, in the order of the docs.
template <Choice T>
std::vector<T> all_choices() {
  std::vector<T> values;
  for (std::size_t i = 0; i < choices(T{}).entries.size(); ++i) {
    values.push_back(static_cast<T>(i));
  }
  return values;
}

/// Writes the name of a value.
template <Choice T>
std::ostream& operator<<(std::ostream& out, T value) {
  return out << to_string(value);
}

}  // namespace supple

#pragma GCC visibility pop
