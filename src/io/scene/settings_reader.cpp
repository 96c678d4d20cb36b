#include <fmt/format.h>

#include <limits>

#include "io/scene/readers.h"
#include "sim/stepper.h"

namespace supple {

namespace {

/// "history is used by l_bfgs": the methods that read a key.
std::string methods_with(bool SolverEntry::*flag) {
  std::string names;
  for (const SolverEntry& entry : solver_entries()) {
    if (entry.*flag) names += (names.empty() ? "" : ", ") + entry.description.name;
  }
  return names.empty() ? "no method" : names;
}

void reject_unused(const ObjectReader& solver, const char* key, const std::string& method,
                   bool SolverEntry::*flag) {
  solver.reject(key, fmt::format("{} does not use it; used by {}", method, methods_with(flag)));
}

LineSearchSettings read_line_search(ObjectReader& search) {
  LineSearchSettings settings;
  settings.type = search.choice("type", "line search", {"backtracking"}, settings.type);
  settings.sufficient_decrease =
      search.number("sufficient_decrease", between(0, 0.5), settings.sufficient_decrease);
  settings.shrink = search.number("shrink", between(0, 1), settings.shrink);
  return settings;
}

}  // namespace

std::vector<std::string> names_of(const std::vector<Description>& list) {
  std::vector<std::string> names;
  names.reserve(list.size());
  for (const Description& entry : list) names.push_back(entry.name);
  return names;
}

TimeSettings read_time(ObjectReader& time) {
  TimeSettings settings;
  settings.step = time.number("step", above_zero("s"), settings.step);
  settings.frames = static_cast<int>(time.whole("frames", 0, 10'000'000, settings.frames));
  settings.substeps = static_cast<int>(time.whole("substeps", 1, 100'000, settings.substeps));
  settings.integrator =
      time.choice("integrator", "integrator", names_of(list_integrators()), settings.integrator);
  return settings;
}

SolverSettings read_solver(ObjectReader& solver) {
  SolverSettings settings;
  settings.method = solver.choice("method", "solver", names_of(list_solvers()), settings.method);
  settings.iterations =
      static_cast<int>(solver.whole("iterations", 1, 1'000'000, settings.iterations));
  for (const SolverEntry& entry : solver_entries()) {
    if (entry.description.name != settings.method) continue;
    if (entry.uses_history) {
      settings.history = static_cast<int>(solver.whole("history", 0, 1000, settings.history));
    } else {
      reject_unused(solver, "history", settings.method, &SolverEntry::uses_history);
    }
    if (entry.uses_initial_hessian) {
      settings.initial_hessian = solver.choice("initial_hessian", "initial Hessian", {"laplacian"},
                                               settings.initial_hessian);
    } else {
      reject_unused(solver, "initial_hessian", settings.method, &SolverEntry::uses_initial_hessian);
    }
  }
  const Range tolerance{.low = 0, .high = 1, .low_included = true};
  settings.tolerance = solver.number("tolerance", tolerance, settings.tolerance);
  settings.stiffness_range =
      solver.pair("stiffness_range", above_zero(""), settings.stiffness_range);
  if (!(settings.stiffness_range.first < settings.stiffness_range.second)) {
    solver.fail("stiffness_range", "expected two stretches, the smaller one first");
  }
  solver.object("line_search",
                [&](ObjectReader& search) { settings.line_search = read_line_search(search); });
  return settings;
}

ContactSettings read_contact(ObjectReader& contact) {
  ContactSettings settings;
  settings.stiffness = contact.number("stiffness", above_zero("N/m"), settings.stiffness);
  settings.friction = contact.number("friction", from_zero(""), settings.friction);
  if (contact.boolean("self", false)) {
    contact.fail("self", "self-collision is not available in this version; expected false");
  }
  return settings;
}

}  // namespace supple
