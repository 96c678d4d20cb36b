#include <algorithm>
#include <cmath>

#include "base/names.h"
#include "base/refuse.h"
#include "integrate/integrator.h"
#include "sim/bond_checks.h"
#include "sim/separations.h"
#include "sim/stepper.h"
#include "supple/error.h"

namespace supple {

namespace {

void require_known(const std::string& name, const std::vector<std::string>& known,
                   const std::string& what, const std::string& where) {
  for (const std::string& candidate : known) {
    if (candidate == name) return;
  }
  throw Error(ErrorKind::invalid_input, where, unknown_name(what, name, known));
}

std::vector<std::string> names_of(const std::vector<Description>& list) {
  std::vector<std::string> names;
  names.reserve(list.size());
  for (const Description& entry : list) names.push_back(entry.name);
  return names;
}

}  // namespace

bool SolverEntry::reads(const std::string& key) const {
  return std::find(options.begin(), options.end(), key) != options.end();
}

const SolverEntry& solver_entry(const std::string& method) {
  for (const SolverEntry& entry : solver_entries()) {
    if (entry.description.name == method) return entry;
  }
  throw Error(ErrorKind::invalid_input, "/solver/method",
              unknown_name("solver", method, names_of(list_solvers())));
}

bool is_position_based(const std::string& method) { return solver_entry(method).is_position_based; }

std::vector<std::string> solver_choices(const std::string& method, const std::string& key) {
  if (key == "start") {
    if (is_position_based(method)) return {"automatic", "inertia"};
    if (method == "vertex_block_descent") {
      return {"automatic", "inertia", "extrapolated", "adaptive"};
    }
    return {"automatic", "inertia", "extrapolated"};
  }
  if (key == "projection") return {"stress", "sequential", "block"};
  if (key == "multipliers") return {"zero", "kept"};
  if (key == "order") return {"parts", "colours", "cells", "natural"};
  if (key == "precision") return {"double", "float"};
  if (key == "line_search/type") return {"backtracking", "wolfe", "exact", "none"};
  if (key == "initial_hessian") return {"laplacian", "identity", "rest", "warped_rest", "frame"};
  if (key == "weights") return {"following", "constant"};
  if (key == "recovery") return {"arap", "none"};
  if (key == "linear_solver") {
    if (method == "newton") return {"direct", "cg", "truncated_cg"};
    return {"direct", "cg"};
  }
  if (key == "preconditioner") {
    return {"none", "jacobi", "incomplete_cholesky", "laplacian", "rest"};
  }
  if (key == "definiteness") return {"clamp", "absolute", "tikhonov", "none"};
  if (key == "acceleration") return {"automatic", "none", "chebyshev"};
  return {};
}

bool uses_linear_solver(const SolverSettings& solver) {
  const SolverEntry& entry = solver_entry(solver.method);
  if (!entry.reads("linear_solver")) return false;
  return !entry.reads("initial_hessian") ||
         (solver.initial_hessian != "identity" && solver.initial_hessian != "warped_rest");
}

bool uses_weights(const SolverSettings& solver) {
  return solver_entry(solver.method).reads("weights") && solver.initial_hessian == "laplacian" &&
         solver.linear_solver == "direct";
}

bool is_accelerated(const SolverSettings& solver) {
  if (!solver_entry(solver.method).reads("acceleration")) return false;
  if (solver.acceleration == "automatic") return solver.method == "vertex_block_descent";
  return solver.acceleration != "none";
}

int plain_iterations(const SolverSettings& solver) {
  if (solver.delay > 0) return solver.delay;
  // A sweep of exact Newton steps of each vertex tells its radius after three.
  return solver.method == "vertex_block_descent" ? 3 : 10;
}

std::optional<SolverConflict> find_conflict(const SolverSettings& solver) {
  const SolverEntry& entry = solver_entry(solver.method);
  if (!entry.reads("linear_solver") || solver.linear_solver == "direct") return std::nullopt;
  const bool has_matrix = entry.reads("initial_hessian");
  if (!uses_linear_solver(solver)) {
    return SolverConflict{"linear_solver", "the initial Hessian " + solver.initial_hessian +
                                               " does not use it; used by laplacian, rest, frame"};
  }
  const bool is_own = solver.preconditioner != "laplacian" && solver.preconditioner != "rest";
  if (has_matrix && solver.initial_hessian == "laplacian" && !is_own) {
    return SolverConflict{"preconditioner",
                          solver.preconditioner +
                              " is for Hessians (initial_hessian rest or frame, newton); laplacian "
                              "takes none, jacobi, incomplete_cholesky"};
  }
  if (entry.reads("definiteness") && solver.definiteness == "tikhonov") {
    return SolverConflict{"linear_solver",
                          "definiteness tikhonov tries factorisations and takes direct; " +
                              solver.linear_solver + " goes with clamp, absolute, none"};
  }
  return std::nullopt;
}

void check_solver(const SolverSettings& solver) {
  const SolverEntry& entry = solver_entry(solver.method);
  const auto require_choice = [&](const std::string& key, const std::string& value,
                                  const std::string& what) {
    require_known(value, solver_choices(solver.method, key), what, "/solver/" + key);
  };
  require(solver.iterations >= 1 && solver.iterations <= 1000000, "/solver/iterations",
          "expected a number from 1 to 1000000");
  require(solver.tolerance >= 0 && solver.tolerance < 1, "/solver/tolerance",
          "expected a number from 0 to below 1");
  require(std::isfinite(solver.budget_ms) && solver.budget_ms >= 0, "/solver/budget_ms",
          "expected a time of at least 0 in ms");
  require_choice("start", solver.start, "start");
  if (entry.reads("line_search")) {
    const LineSearchSettings& search = solver.line_search;
    require_choice("line_search/type", search.type, "line search");
    require(search.sufficient_decrease > 0 && search.sufficient_decrease < 0.5,
            "/solver/line_search/sufficient_decrease", "expected a number between 0 and 0.5");
    require(search.shrink > 0 && search.shrink < 1, "/solver/line_search/shrink",
            "expected a number between 0 and 1");
    require(search.curvature > search.sufficient_decrease && search.curvature < 1,
            "/solver/line_search/curvature", "expected a number between sufficient_decrease and 1");
  }
  if (entry.reads("history")) {
    require(solver.history >= 0 && solver.history <= 1000, "/solver/history",
            "expected a number from 0 to 1000");
  }
  if (entry.reads("initial_hessian")) {
    require_choice("initial_hessian", solver.initial_hessian, "initial Hessian");
  }
  if (entry.reads("recovery")) require_choice("recovery", solver.recovery, "recovery");
  if (entry.reads("weights")) require_choice("weights", solver.weights, "weights");
  if (entry.reads("linear_solver")) {
    require_choice("linear_solver", solver.linear_solver, "linear solver");
    require(solver.linear_iterations >= 1 && solver.linear_iterations <= 1000000,
            "/solver/linear_iterations", "expected a number from 1 to 1000000");
    require_choice("preconditioner", solver.preconditioner, "preconditioner");
  }
  if (entry.reads("definiteness")) {
    require_choice("definiteness", solver.definiteness, "definiteness");
  }
  if (const auto conflict = find_conflict(solver)) {
    throw Error(ErrorKind::invalid_input, "/solver/" + conflict->key, conflict->message);
  }
  if (entry.reads("refresh")) {
    require(solver.refresh >= 1 && solver.refresh <= 1000000, "/solver/refresh",
            "expected a number from 1 to 1000000");
  }
  if (entry.reads("acceleration")) {
    require_choice("acceleration", solver.acceleration, "acceleration");
  }
  if (entry.reads("delay")) {
    require(solver.delay >= 0 && solver.delay <= 1000000, "/solver/delay",
            "expected a number from 0 to 1000000");
  }
  using Choice = std::pair<const char*, const std::string&>;
  for (const auto& [key, value] :
       {Choice{"projection", solver.projection}, Choice{"multipliers", solver.multipliers},
        Choice{"order", solver.order}, Choice{"precision", solver.precision}}) {
    if (entry.reads(key)) require_choice(key, value, key);
  }
  for (const auto& [key, value] : {std::pair{"stiffness", solver.stiffness},
                                   std::pair{"volume_stiffness", solver.volume_stiffness}}) {
    require(!entry.reads(key) || (value >= 0 && value <= 1), "/solver/" + std::string(key),
            "expected a share from 0 to 1");
  }
}

bool is_explicit(const std::string& integrator) {
  const Integrator* const found = find_integrator(integrator);
  return found != nullptr && found->is_explicit;
}

namespace {

void check_body_damping(const Scene& scene, double stiffness, const std::string& where) {
  require(std::isfinite(stiffness) && stiffness >= 0, where, "expected a time of at least 0 in s");
  if (stiffness == 0) return;
  const Integrator& integrator = *find_integrator(scene.time.integrator);
  require(integrator.has_velocity_at_z, where,
          integrator.name +
              " cannot damp how bodies deform; expected 0, or the integrator backward_euler or "
              "implicit_midpoint");
  require(!is_position_based(scene.solver.method), where,
          scene.solver.method +
              " has no damping of its constraints; expected 0, or a method of descent, for "
              "example l_bfgs");
}

void check_damping(const Scene& scene) {
  require(std::isfinite(scene.damping.drag) && scene.damping.drag >= 0, "/damping/drag",
          "expected a drag of at least 0 in 1/s");
  check_body_damping(scene, scene.damping.stiffness, "/damping/stiffness");
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (!scene.bodies[b].damping) continue;
    check_body_damping(scene, scene.bodies[b].damping->stiffness,
                       "/bodies/" + std::to_string(b) + "/damping/stiffness");
  }
}

/// What pushes on a volume needs the volume of all its surface where one vertex moves; a method may
/// lack that, or have it only while the pressure does not depend on it.
void check_pressure(const Scene& scene) {
  const std::string& method = scene.solver.method;
  if (find_integrator(scene.time.integrator)->is_explicit) return;
  const bool has_none = is_position_based(method) || method == "projective_dynamics";
  const bool is_local =
      method == "jacobi" || method == "gauss_seidel" || method == "vertex_block_descent";
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const auto& pressure = scene.bodies[b].pressure;
    if (!pressure) continue;
    const std::string where = "/bodies/" + std::to_string(b) + "/pressure";
    require(!has_none, where,
            method + " has no pressure; expected another method of descent, for example l_bfgs");
    require(!is_local || !pressure->ambient, where,
            method +
                " moves vertices one by one, which gas in a body couples all; expected "
                "overpressure, or another method of descent, for example l_bfgs");
  }
}

/// Constraints on fibers are made once.
void check_muscles(const Scene& scene) {
  const std::string& method = scene.solver.method;
  if (find_integrator(scene.time.integrator)->is_explicit) return;
  if (!is_position_based(method) || method == "pbd") return;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const auto& fiber = scene.bodies[b].fiber;
    require(!fiber || !changes(fiber->activation),
            "/bodies/" + std::to_string(b) + "/fiber/activation",
            method +
                " has fibers of one length; expected a number, or a method of descent, for "
                "example l_bfgs");
  }
}

bool flows(const Body& body) {
  return body.material.plasticity ||
         std::any_of(body.regions.begin(), body.regions.end(), [](const MaterialRegion& region) {
           return region.material.plasticity.has_value();
         });
}

/// Some constraints are made of one rest shape, and multipliers that are kept are those of one.
void check_rest_changes(const Scene& scene) {
  const SolverSettings& solver = scene.solver;
  if (find_integrator(scene.time.integrator)->is_explicit) return;
  if (!is_position_based(solver.method)) return;
  const bool keeps = solver.method == "xpbd" && solver.multipliers == "kept";
  if (solver.method == "xpbd" && !keeps) return;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    if (!flows(body) && body.growth.empty()) continue;
    const std::string where = "/bodies/" + std::to_string(b);
    refuse(where + (body.growth.empty() ? "/material/plasticity" : "/growth"),
           (keeps ? std::string("xpbd with multipliers kept") : solver.method) +
               " has constraints of one rest shape; expected none, or another solver, for example "
               "l_bfgs or xpbd with multipliers zero");
  }
}

}  // namespace

const std::vector<std::string>& contact_modes() {
  static const std::vector<std::string> modes{"soft", "barrier"};
  return modes;
}

void check_contact(const Scene& scene) {
  require(std::isfinite(scene.contact.friction) && scene.contact.friction >= 0, "/contact/friction",
          "expected a coefficient of at least 0");
  require_known(scene.contact.mode, contact_modes(), "contact mode", "/contact/mode");
  if (scene.contact.mode != "barrier") return;
  require(!is_explicit(scene.time.integrator), "/time/integrator",
          scene.time.integrator +
              " takes no barriers, which are too stiff for it; expected an integrator that solves, "
              "for example backward_euler, or the contact mode soft");
  for (std::size_t c = 0; c < scene.colliders.size(); ++c) {
    if (!std::holds_alternative<DistanceShape>(scene.colliders[c].shape)) continue;
    refuse("/colliders/" + std::to_string(c) + "/distance",
           "the contact mode barrier cannot prove that nothing enters a function; expected another "
           "shape, for example a mesh, or the contact mode soft");
  }
}

void check_settings(const Scene& scene) {
  const TimeSettings& time = scene.time;
  require(std::isfinite(time.step) && time.step > 0, "/time/step",
          "expected a positive time step in s");
  require(time.substeps >= 1 && time.substeps <= 100000, "/time/substeps",
          "expected a number from 1 to 100000");
  require(time.frames >= 0, "/time/frames", "expected a number of at least 0");
  require_known(time.integrator, names_of(list_integrators()), "integrator", "/time/integrator");
  require(std::isfinite(time.sleep_after) && time.sleep_after >= 0, "/time/sleep_after",
          "expected a time of at least 0 in s");
  require(time.sleep_after == 0 || find_integrator(time.integrator)->has_inertia,
          "/time/sleep_after", time.integrator + " has no velocities to rest from; expected 0");
  for (double g : scene.gravity) {
    require(std::isfinite(g), "/gravity", "expected finite numbers in m/s^2");
  }
  check_contact(scene);
  check_solver(scene.solver);
  const Integrator& integrator = *find_integrator(time.integrator);
  if (is_position_based(scene.solver.method) && !integrator.is_explicit) {
    require(integrator.has_inertia, "/time/integrator",
            integrator.name + " has no inertia, and " + scene.solver.method +
                " moves vertices by their masses; expected one that has, for example "
                "backward_euler (with a large /damping/drag a body comes to rest)");
  }
  check_bonds(scene);
  check_damping(scene);
  check_pressure(scene);
  check_muscles(scene);
  check_rest_changes(scene);
  check_separations(scene);
  if (const auto fault = find_material_fault(scene, scene.solver.method)) {
    throw Error(ErrorKind::invalid_input, fault->where, fault->message);
  }
}

}  // namespace supple
