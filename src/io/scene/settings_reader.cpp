#include <fmt/format.h>

#include <limits>

#include "io/scene/readers.h"
#include "sim/stepper.h"

namespace supple {

namespace {

/// Refuses a key that the method does not read, naming the methods that do.
bool reads(ObjectReader& solver, const std::string& method, const std::string& key) {
  if (solver_entry(method).reads(key)) return true;
  std::string names;
  for (const SolverEntry& entry : solver_entries()) {
    if (entry.reads(key)) names += (names.empty() ? "" : ", ") + entry.description.name;
  }
  solver.reject(key, fmt::format("{} does not use it; used by {}", method,
                                 names.empty() ? "no method" : names));
  return false;
}

void read_line_search(ObjectReader& search, const std::string& method,
                      LineSearchSettings& settings) {
  settings.type = search.choice("type", "line search", solver_choices(method, "line_search/type"),
                                settings.type);
  const bool backtracking = settings.type == "backtracking";
  const bool wolfe = settings.type == "wolfe";
  const auto number = [&](const char* key, bool used, const Range& range, double& value) {
    if (used) {
      value = search.number(key, range, value);
    } else {
      search.reject(key, fmt::format("a line search of type {} does not use it", settings.type));
    }
  };
  number("sufficient_decrease", backtracking || wolfe, between(0, 0.5),
         settings.sufficient_decrease);
  number("shrink", backtracking, between(0, 1), settings.shrink);
  number("curvature", wolfe, between(settings.sufficient_decrease, 1), settings.curvature);
}

/// Keys that only some methods read.
void read_options(ObjectReader& solver, SolverSettings& settings) {
  const std::string& method = settings.method;
  const auto choice = [&](const char* key, const char* what, std::string& value) {
    if (reads(solver, method, key)) {
      value = solver.choice(key, what, solver_choices(method, key), value);
    }
  };
  const auto whole = [&](const char* key, int low, int high, int& value) {
    if (reads(solver, method, key)) {
      value = static_cast<int>(solver.whole(key, low, high, value));
    }
  };
  choice("recovery", "recovery", settings.recovery);
  whole("history", 0, 1000, settings.history);
  choice("initial_hessian", "initial Hessian", settings.initial_hessian);
  const bool ignores_linear_solver =
      solver_entry(method).reads("linear_solver") && !uses_linear_solver(settings);
  if (ignores_linear_solver) {
    for (const char* key : {"linear_solver", "linear_iterations", "preconditioner"}) {
      solver.reject(key, fmt::format("the initial Hessian {} does not use it; used by laplacian, "
                                     "rest, frame",
                                     settings.initial_hessian));
    }
  } else {
    choice("linear_solver", "linear solver", settings.linear_solver);
  }
  if (solver_entry(method).reads("linear_solver") && settings.linear_solver == "direct") {
    for (const char* key : {"linear_iterations", "preconditioner"}) {
      solver.reject(key, "the linear solver direct does not use it; used by cg");
    }
  } else {
    whole("linear_iterations", 1, 1'000'000, settings.linear_iterations);
    choice("preconditioner", "preconditioner", settings.preconditioner);
  }
  if (solver_entry(method).reads("weights") && !uses_weights(settings)) {
    solver.reject("weights",
                  settings.initial_hessian == "laplacian"
                      ? "the linear solver cg does not use it; used by direct"
                      : fmt::format("the initial Hessian {} does not use it; used by laplacian",
                                    settings.initial_hessian));
  } else {
    choice("weights", "weights", settings.weights);
  }
  choice("definiteness", "definiteness", settings.definiteness);
  if (const auto conflict = find_conflict(settings)) {
    solver.fail(conflict->key, conflict->message);
  }
  whole("refresh", 1, 1'000'000, settings.refresh);
  choice("acceleration", "acceleration", settings.acceleration);
  if (solver_entry(method).reads("acceleration") && !is_accelerated(settings)) {
    solver.reject("delay", "without acceleration nothing uses it");
  } else {
    whole("delay", 0, 1'000'000, settings.delay);
  }
  choice("projection", "projection", settings.projection);
  choice("multipliers", "multipliers", settings.multipliers);
  choice("order", "order", settings.order);
  choice("precision", "precision", settings.precision);
  const Range share{.low = 0, .high = 1, .low_included = true, .high_included = true};
  for (const auto& [key, value] : {std::pair{"stiffness", &settings.stiffness},
                                   std::pair{"volume_stiffness", &settings.volume_stiffness}}) {
    if (reads(solver, method, key)) *value = solver.number(key, share, *value);
  }
  if (reads(solver, method, "line_search")) {
    solver.object("line_search", [&](ObjectReader& search) {
      read_line_search(search, method, settings.line_search);
    });
  }
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
  settings.sleep_after = time.number("sleep_after", from_zero("s"), settings.sleep_after);
  settings.integrator =
      time.choice("integrator", "integrator", names_of(list_integrators()), settings.integrator);
  return settings;
}

SolverSettings read_solver(ObjectReader& solver) {
  SolverSettings settings;
  settings.method = solver.choice("method", "solver", names_of(list_solvers()), settings.method);
  settings.iterations =
      static_cast<int>(solver.whole("iterations", 1, 1'000'000, settings.iterations));
  const Range tolerance{.low = 0, .high = 1, .low_included = true};
  settings.tolerance = solver.number("tolerance", tolerance, settings.tolerance);
  settings.budget_ms = solver.number("budget_ms", from_zero("ms"), settings.budget_ms);
  if (is_position_based(settings.method)) {
    solver.reject("start", settings.method + " always starts from free flight");
    solver.reject("stiffness_range", settings.method + " fits no constant stiffness");
    read_options(solver, settings);
    return settings;
  }
  settings.start =
      solver.choice("start", "start", solver_choices(settings.method, "start"), settings.start);
  settings.stiffness_range =
      solver.pair("stiffness_range", above_zero(""), settings.stiffness_range);
  if (!(settings.stiffness_range.first < settings.stiffness_range.second)) {
    solver.fail("stiffness_range", "expected two stretches, the smaller one first");
  }
  read_options(solver, settings);
  return settings;
}

ContactSettings read_contact(ObjectReader& contact) {
  ContactSettings settings;
  settings.stiffness = contact.number("stiffness", from_zero("N/m"), settings.stiffness);
  settings.friction = contact.number("friction", from_zero(""), settings.friction);
  settings.mode = contact.choice("mode", "contact mode", contact_modes(), settings.mode);
  settings.bodies = contact.boolean("bodies", settings.bodies);
  settings.self = contact.boolean("self", settings.self);
  return settings;
}

WindSettings read_wind(ObjectReader& wind) {
  WindSettings settings;
  wind.expect({"velocity", "density", "drag", "lift"});
  settings.velocity = wind.vector("velocity", any_number("m/s"));
  settings.density = wind.number("density", above_zero("kg/m^3"), settings.density);
  settings.drag = wind.number("drag", from_zero(""), settings.drag);
  settings.lift = wind.number("lift", from_zero(""), settings.lift);
  return settings;
}

}  // namespace supple
