#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/range.h"
#include "supple/scene.h"

namespace supple {

/// Where the settings hold the value of an option.
using OptionValue = std::variant<int*, double*, std::pair<double, double>*, LineSearchType*,
                                 Recovery*, DescentStart*, InitialHessian*, LaplacianWeights*,
                                 LinearSolver*, PreconditionerType*, Definiteness*, Acceleration*,
                                 XpbdProjection*, XpbdMultipliers*, XpbdOrder*, XpbdPrecision*>;

/// An option of /solver. The table of options drives the checks, the scene reader with the viewer's
/// panels, and the lists; a test compares docs/scene.md with it.
struct SolverOption {
  const char* key;  ///< below /solver: "history", "line_search/type"
  OptionValue (*value)(SolverSettings& settings);
  std::vector<SolverMethod> methods;  ///< that read it; empty: all
  const char* text;                   ///< what it is
  Range range{};                      ///< of numbers

  bool is_used_by(SolverMethod method) const;
};

/// All options but `method`, in the order in which a scene is read and written: an option comes
/// after those that it depends on.
const std::vector<SolverOption>& solver_options();

/// The option with a key. Throws Error{invalid_input} for an unknown key.
const SolverOption& solver_option(std::string_view key);

/// Whether a method reads an option.
bool reads(SolverMethod method, std::string_view key);

/// Names that an option can have for a method; empty if it is not a choice.
std::vector<std::string> solver_choices(SolverMethod method, std::string_view key);

/// The numbers that an option can take, given the other settings.
Range range_of(const SolverOption& option, const SolverSettings& settings);

/// Why nothing reads the option, given the settings before it; empty if something does.
std::string unused_because(const SolverOption& option, const SolverSettings& settings);

/// Whether a method moves positions until constraints hold, instead of descending.
bool is_position_based(SolverMethod method);

/// The method of a scene file that names none: newton if every body is cloth or a strand, which
/// constant matrices follow slowly (docs/solvers.md); else l_bfgs.
SolverMethod suitable_method(const std::vector<Body>& bodies);

/// Whether the settings leave a system to /solver/linear_solver: the initial Hessians identity and
/// warped_rest do not.
bool uses_linear_solver(const SolverSettings& solver);

/// Whether the settings have Chebyshev acceleration around jacobi, gauss_seidel or
/// vertex_block_descent.
bool is_accelerated(const SolverSettings& solver);

/// Whether the method has the weights that /solver/weights sets.
bool uses_weights(const SolverSettings& solver);

/// Iterations before Chebyshev acceleration begins.
int plain_iterations(const SolverSettings& solver);

/// A key of /solver whose value conflicts with the others, and why.
struct SolverConflict {
  std::string key;
  std::string message;
};

/// The first conflict between settings that are each allowed on their own.
std::optional<SolverConflict> find_conflict(const SolverSettings& solver);

/// Throws Error{invalid_input} for values that are out of their range or conflict with others.
void check_solver(const SolverSettings& solver);

}  // namespace supple
