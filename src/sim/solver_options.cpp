#include "sim/solver_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/names.h"
#include "base/refuse.h"
#include "supple/simulation.h"

namespace supple {

namespace {

using Methods = std::vector<SolverMethod>;

template <auto member>
OptionValue held(SolverSettings& settings) {
  return &(settings.*member);
}
template <auto member>
OptionValue held_by_search(SolverSettings& settings) {
  return &(settings.line_search.*member);
}

constexpr double many = 1'000'000;

/// Some methods do not offer all values of a choice.
template <Choice T>
bool offers(SolverMethod /*method*/, T /*value*/) {
  return true;
}
bool offers(SolverMethod method, DescentStart start) {
  if (start == DescentStart::adaptive) return method == SolverMethod::vertex_block_descent;
  return start != DescentStart::extrapolated || !is_position_based(method);
}
bool offers(SolverMethod method, LinearSolver solver) {
  return solver != LinearSolver::truncated_cg || method == SolverMethod::newton;
}

template <Choice T>
std::vector<std::string> offered(SolverMethod method, const T* /*of*/) {
  std::vector<std::string> names;
  for (const T value : all_choices<T>()) {
    if (offers(method, value)) names.emplace_back(to_string(value));
  }
  return names;
}
template <class Number>
std::vector<std::string> offered(SolverMethod /*method*/, const Number* /*of*/) {
  return {};
}

std::string names_of(const Methods& methods) {
  std::vector<std::string> names;
  for (const SolverMethod method : methods) names.emplace_back(to_string(method));
  return joined(names);
}

// The value that an option has, and the values that it can have.
std::string text_of(const SolverOption& option, const int* value) {
  return fmt::format("{}; a whole number from {} to {}", *value, option.range.low,
                     option.range.high);
}
std::string text_of(const SolverOption& option, const double* value) {
  return fmt::format("{}; {}", *value, text_of(option.range));
}
std::string text_of(const SolverOption& option, const std::pair<double, double>* value) {
  return fmt::format("[{}, {}]; each {}", value->first, value->second, text_of(option.range));
}
template <Choice T>
std::string text_of(const SolverOption& /*option*/, const T* value) {
  return fmt::format("\"{}\"; {}", to_string(*value), joined(names_of(choices(T{}).entries)));
}

}  // namespace

const std::vector<SolverOption>& solver_options() {
  using S = SolverSettings;
  using Search = LineSearchSettings;
  using enum SolverMethod;
  static const Methods descending{l_bfgs,       quasi_newton,         projective_dynamics,
                                  newton,       gradient_descent,     jacobi,
                                  gauss_seidel, vertex_block_descent, chebyshev};
  static const Methods all{}, of_l_bfgs{l_bfgs}, of_newton{newton}, of_xpbd{xpbd}, of_pbd{pbd},
      with_matrix{l_bfgs, quasi_newton}, solving{l_bfgs, quasi_newton, newton},
      refreshing{jacobi, gauss_seidel}, accelerated{jacobi, gauss_seidel, vertex_block_descent},
      delaying{jacobi, gauss_seidel, vertex_block_descent, chebyshev},
      searching{l_bfgs, quasi_newton, newton, gradient_descent, jacobi, gauss_seidel, chebyshev},
      recovering{l_bfgs,       quasi_newton,         newton,   gradient_descent, jacobi,
                 gauss_seidel, vertex_block_descent, chebyshev};
  static const std::vector<SolverOption> options{
      {"iterations", held<&S::iterations>, all, "limit for each step", from_to(1, many)},
      {"tolerance", held<&S::tolerance>, all,
       "a step ends when the gradient is this small compared with the first one; 0: all iterations "
       "are done",
       Range{.low = 0, .high = 1, .low_included = true}},
      {"budget_ms", held<&S::budget_ms>, all, "wall-clock limit of a frame, ms; 0: none",
       from_zero("ms")},
      {"start", held<&S::start>, descending, "where the descent starts"},
      {"stiffness_range", held<&S::stiffness_range>, descending,
       "range of stretches over which each material's constant stiffness is fitted",
       above_zero("")},
      {"recovery", held<&S::recovery>, recovering,
       "the material of a body that is inside out, until it has unfolded; none: its own material"},
      {"history", held<&S::history>, of_l_bfgs,
       "number of past iterations that l_bfgs learns from; 0 makes it quasi_newton",
       from_to(0, 1000)},
      {"initial_hessian", held<&S::initial_hessian>, with_matrix, "the matrix before the gradient"},
      {"linear_solver", held<&S::linear_solver>, solving, "how the matrix is solved"},
      {"linear_iterations", held<&S::linear_iterations>, solving,
       "cg, truncated_cg: number of iterations", from_to(1, many)},
      {"preconditioner", held<&S::preconditioner>, solving, "cg, truncated_cg: the preconditioner"},
      {"weights", held<&S::weights>, with_matrix,
       "laplacian with direct: the stiffness it gives each tet"},
      {"definiteness", held<&S::definiteness>, of_newton,
       "what is done about a Hessian that is not positive definite"},
      {"refresh", held<&S::refresh>, refreshing,
       "iterations between evaluations of the diagonal or the Hessian", from_to(1, many)},
      {"acceleration", held<&S::acceleration>, accelerated,
       "automatic is chebyshev for vertex_block_descent alone"},
      {"delay", held<&S::delay>, delaying,
       "Chebyshev acceleration: plain iterations before it starts; 0: 3 for vertex_block_descent, "
       "else 10",
       from_to(0, many)},
      {"projection", held<&S::projection>, of_xpbd, "how a tet is projected"},
      {"multipliers", held<&S::multipliers>, of_xpbd, "at the start of a substep"},
      {"order", held<&S::order>, of_xpbd, "order in which tets are visited"},
      {"precision", held<&S::precision>, of_xpbd, "of positions and multipliers"},
      {"stiffness", held<&S::stiffness>, of_pbd,
       "the fraction of the way to its length that an edge moves in an iteration", from_to(0, 1)},
      {"volume_stiffness", held<&S::volume_stiffness>, of_pbd,
       "the fraction of the way to its volume that a tet moves in an iteration", from_to(0, 1)},
      {"line_search/type", held_by_search<&Search::type>, searching,
       "which step along the direction is accepted"},
      {"line_search/sufficient_decrease", held_by_search<&Search::sufficient_decrease>, searching,
       "backtracking and wolfe: share of what the slope promises by which g falls",
       between(0, 0.5)},
      {"line_search/shrink", held_by_search<&Search::shrink>, searching,
       "backtracking: largest factor of the next trial", between(0, 1)},
      {"line_search/curvature", held_by_search<&Search::curvature>, searching,
       "wolfe: share of the first slope that is left at most, above sufficient_decrease",
       between(0, 1)},
  };
  return options;
}

bool SolverOption::is_used_by(SolverMethod method) const {
  return methods.empty() || std::find(methods.begin(), methods.end(), method) != methods.end();
}

const SolverOption& solver_option(std::string_view key) {
  for (const SolverOption& option : solver_options()) {
    if (option.key == key) return option;
  }
  refuse("/solver/" + std::string(key), "there is no such option");
}

bool reads(SolverMethod method, std::string_view key) {
  return solver_option(key).is_used_by(method);
}

std::vector<std::string> solver_choices(SolverMethod method, std::string_view key) {
  SolverSettings settings;
  return std::visit([&](const auto* value) { return offered(method, value); },
                    solver_option(key).value(settings));
}

Range range_of(const SolverOption& option, const SolverSettings& settings) {
  if (std::string_view(option.key) != "line_search/curvature") return option.range;
  return between(settings.line_search.sufficient_decrease, option.range.high);
}

std::string unused_because(const SolverOption& option, const SolverSettings& settings) {
  const std::string_view key = option.key;
  const std::string method = to_string(settings.method);
  const std::string hessian = to_string(settings.initial_hessian);
  if (is_position_based(settings.method)) {
    if (key == "start") return method + " always starts from free flight";
    if (key == "stiffness_range") return method + " fits no constant stiffness";
  }
  if (!option.is_used_by(settings.method)) {
    return method + " does not use it; used by " + names_of(option.methods);
  }
  const bool is_of_cg = key == "linear_iterations" || key == "preconditioner";
  if ((is_of_cg || key == "linear_solver") && !uses_linear_solver(settings)) {
    return "the initial Hessian " + hessian + " does not use it; used by laplacian, rest, frame";
  }
  if (is_of_cg && settings.linear_solver == LinearSolver::direct) {
    return "the linear solver direct does not use it; used by cg";
  }
  if (key == "weights" && !uses_weights(settings)) {
    return settings.initial_hessian == InitialHessian::laplacian
               ? "the linear solver cg does not use it; used by direct"
               : "the initial Hessian " + hessian + " does not use it; used by laplacian";
  }
  if (key == "delay" && settings.method != SolverMethod::chebyshev && !is_accelerated(settings)) {
    return "without acceleration nothing uses it";
  }
  const LineSearchType type = settings.line_search.type;
  const bool armijo = type == LineSearchType::backtracking, wolfe = type == LineSearchType::wolfe;
  if ((key == "line_search/sufficient_decrease" && !armijo && !wolfe) ||
      (key == "line_search/shrink" && !armijo) || (key == "line_search/curvature" && !wolfe)) {
    return std::string("a line search of type ") + to_string(type) + " does not use it";
  }
  return "";
}

bool is_position_based(SolverMethod method) {
  return method == SolverMethod::xpbd || method == SolverMethod::pbd ||
         method == SolverMethod::step_and_project;
}

SolverMethod suitable_method(const std::vector<Body>& bodies) {
  const bool is_thin =
      !bodies.empty() && std::all_of(bodies.begin(), bodies.end(),
                                     [](const Body& body) { return body.mesh.tets.empty(); });
  return is_thin ? SolverMethod::newton : SolverMethod::l_bfgs;
}

bool uses_linear_solver(const SolverSettings& solver) {
  if (!reads(solver.method, "linear_solver")) return false;
  return !reads(solver.method, "initial_hessian") ||
         (solver.initial_hessian != InitialHessian::identity &&
          solver.initial_hessian != InitialHessian::warped_rest);
}

bool uses_weights(const SolverSettings& solver) {
  return reads(solver.method, "weights") && solver.initial_hessian == InitialHessian::laplacian &&
         solver.linear_solver == LinearSolver::direct;
}

bool is_accelerated(const SolverSettings& solver) {
  if (!reads(solver.method, "acceleration")) return false;
  if (solver.acceleration == Acceleration::automatic)
    return solver.method == SolverMethod::vertex_block_descent;
  return solver.acceleration != Acceleration::none;
}

int plain_iterations(const SolverSettings& solver) {
  if (solver.delay > 0) return solver.delay;
  // A sweep of exact Newton steps of each vertex shows its radius after three iterations.
  return solver.method == SolverMethod::vertex_block_descent ? 3 : 10;
}

std::optional<SolverConflict> find_conflict(const SolverSettings& solver) {
  if (!reads(solver.method, "linear_solver") || solver.linear_solver == LinearSolver::direct)
    return std::nullopt;
  const bool has_matrix = reads(solver.method, "initial_hessian");
  if (!uses_linear_solver(solver)) {
    return SolverConflict{"linear_solver", std::string("the initial Hessian ") +
                                               to_string(solver.initial_hessian) +
                                               " does not use it; used by laplacian, rest, frame"};
  }
  const bool is_own = solver.preconditioner != PreconditionerType::laplacian &&
                      solver.preconditioner != PreconditionerType::rest;
  if (has_matrix && solver.initial_hessian == InitialHessian::laplacian && !is_own) {
    return SolverConflict{"preconditioner",
                          std::string(to_string(solver.preconditioner)) +
                              " is for Hessians (initial_hessian rest or frame, newton); laplacian "
                              "takes none, jacobi, incomplete_cholesky"};
  }
  if (reads(solver.method, "definiteness") && solver.definiteness == Definiteness::tikhonov) {
    return SolverConflict{
        "linear_solver",
        std::string("definiteness tikhonov tries factorisations and takes direct; ") +
            to_string(solver.linear_solver) + " goes with clamp, absolute, none"};
  }
  return std::nullopt;
}

namespace {

/// Messages are made only when needed, so settings that change while a scene runs cost nothing.
template <Choice T>
void check_offered(SolverMethod method, const T& value, const std::string& where) {
  require_choice(value, where);
  if (offers(method, value)) return;
  refuse(where, unknown_name(choices(T{}).what, to_string(value), offered(method, &value)));
}

}  // namespace

void check_solver(const SolverSettings& solver) {
  require_choice(solver.method, "/solver/method");
  if (!offers(solver.method, solver.start)) {  // methods that do not descend have only one
    check_offered(solver.method, solver.start, "/solver/start");
  }
  SolverSettings settings = solver;
  for (const SolverOption& option : solver_options()) {
    if (!option.is_used_by(solver.method)) continue;
    const std::string where = std::string("/solver/") + option.key;
    const Range range = range_of(option, solver);
    const auto check = [&]<class T>(const T* value) {
      if constexpr (Choice<T>) {
        check_offered(solver.method, *value, where);
      } else if constexpr (std::is_same_v<T, int>) {
        if (range.contains(*value)) return;
        refuse(where, fmt::format("expected a number from {} to {}", range.low, range.high));
      } else if constexpr (std::is_same_v<T, double>) {
        if (!range.contains(*value)) refuse(where, "expected " + text_of(range));
      } else {
        require(range.contains(value->first) && range.contains(value->second) &&
                    value->first < value->second,
                where, "expected two stretches above 0, the smaller one first");
      }
    };
    std::visit(check, option.value(settings));
  }
  if (const auto conflict = find_conflict(solver)) {
    refuse("/solver/" + conflict->key, conflict->message);
  }
}

std::vector<Description> list_solvers() {
  std::vector<Description> list = choices(SolverMethod{}).entries;
  for (const SolverMethod method : all_choices<SolverMethod>()) {
    std::vector<std::string> keys{"iterations"};
    for (const SolverOption& option : solver_options()) {
      if (option.methods.empty() || !option.is_used_by(method)) continue;
      const std::string_view path = option.key;
      const std::string key(path.substr(0, path.find('/')));
      if (key != keys.back()) keys.push_back(key);
    }
    list[static_cast<std::size_t>(method)].text += ": " + joined(keys);
  }
  return list;
}

std::vector<Description> list_solver_options() {
  std::vector<Description> list;
  SolverSettings defaults;
  for (const SolverOption& option : solver_options()) {
    const std::string text = std::visit([&](const auto* value) { return text_of(option, value); },
                                        option.value(defaults));
    list.push_back({option.key, text + "; " +
                                    (option.methods.empty() ? "all" : names_of(option.methods)) +
                                    "; " + option.text});
  }
  return list;
}

}  // namespace supple
