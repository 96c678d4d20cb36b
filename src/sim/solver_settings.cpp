#include <algorithm>
#include <cmath>

#include "base/names.h"
#include "base/refuse.h"
#include "integrate/integrator.h"
#include "model/material_assignment.h"
#include "model/model.h"
#include "sim/bond_checks.h"
#include "sim/separations.h"
#include "sim/stepper.h"
#include "supple/error.h"

namespace supple {

bool is_explicit(TimeIntegrator integrator) {
  const Integrator* const found = find_integrator(integrator);
  return found != nullptr && found->is_explicit;
}

namespace {

void check_body_damping(const Scene& scene, double stiffness, const std::string& where) {
  require(std::isfinite(stiffness) && stiffness >= 0, where, "expected a time of at least 0 in s");
  if (stiffness == 0) return;
  const Integrator& integrator = *find_integrator(scene.time.integrator);
  require(integrator.has_velocity_at_z, where,
          std::string(integrator.name()) +
              " cannot damp how bodies deform; expected 0, or the integrator backward_euler or "
              "implicit_midpoint");
  const SolverMethod method = scene.solver.method;
  require(method != SolverMethod::xpbd || scene.solver.projection == XpbdProjection::stress, where,
          "xpbd damps only whole stresses; expected 0, or the projection stress");
  require(!is_position_based(method) || method == SolverMethod::xpbd, where,
          std::string(to_string(method)) +
              " has no damping of its constraints; expected 0, or another method, for example "
              "xpbd or l_bfgs");
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

/// Whether a method moves vertices one by one.
bool is_local(SolverMethod method) {
  return method == SolverMethod::jacobi || method == SolverMethod::gauss_seidel ||
         method == SolverMethod::vertex_block_descent;
}

/// When one vertex moves, pressure on a volume needs the volume within its whole surface. Some
/// methods lack that, or have it only while the pressure does not depend on it.
void check_pressure(const Scene& scene) {
  const SolverMethod method = scene.solver.method;
  const std::string name = to_string(method);
  if (find_integrator(scene.time.integrator)->is_explicit) return;
  const bool has_none = (is_position_based(method) && method != SolverMethod::xpbd) ||
                        method == SolverMethod::projective_dynamics;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const auto& pressure = scene.bodies[b].pressure;
    if (!pressure) continue;
    const std::string where = "/bodies/" + std::to_string(b) + "/pressure";
    require(!has_none, where,
            name + " has no pressure; expected another method, for example l_bfgs");
    require(!is_local(method) || !pressure->ambient, where,
            name +
                " moves vertices one by one, but gas in a body couples them all; expected "
                "overpressure, or another method of descent, for example l_bfgs");
  }
}

/// Only methods that minimise, and xpbd, find multipliers, and the multiplier of a volume couples
/// all vertices of its surface.
void check_exact(const Scene& scene) {
  const SolverMethod method = scene.solver.method;
  const bool is_explicit = find_integrator(scene.time.integrator)->is_explicit;
  const std::string name = is_explicit ? to_string(scene.time.integrator) : to_string(method);
  const bool has_lengths =
      !is_explicit && (method == SolverMethod::xpbd || !is_position_based(method));
  const bool has_volumes =
      has_lengths && !is_local(method) && method != SolverMethod::projective_dynamics;
  const char* const expected =
      "; expected an implicit integrator and another method, for example newton or xpbd";
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const std::vector<Spring>& springs = scene.bodies[b].springs;
    const std::string where = "/bodies/" + std::to_string(b);
    require(has_lengths || std::none_of(springs.begin(), springs.end(),
                                        [](const Spring& spring) { return spring.inextensible; }),
            where + "/material/inextensible", name + " has no inextensible springs" + expected);
    require(has_volumes || scene.bodies[b].volume == BodyVolume::free, where + "/volume",
            name + " has no exact volumes" + expected);
  }
}

/// Its constraints on fibers are made once. (pbd has no fibers.)
void check_muscles(const Scene& scene) {
  const SolverMethod method = scene.solver.method;
  const std::string name = to_string(method);
  if (find_integrator(scene.time.integrator)->is_explicit) return;
  if (method != SolverMethod::step_and_project) return;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    for (std::size_t k = 0; k < body.fibers.size(); ++k) {
      require(!changes(body.fibers[k].activation),
              place_of_fiber(body, "/bodies/" + std::to_string(b), k) + "/activation",
              name +
                  " has fibers of one length; expected a number, or another method, for example "
                  "xpbd or l_bfgs");
    }
  }
}

bool flows(const Body& body) {
  return body.material.plasticity ||
         std::any_of(body.regions.begin(), body.regions.end(), [](const MaterialRegion& region) {
           return region.material.plasticity.has_value();
         });
}

/// Some constraints are made from one rest shape, and kept multipliers belong to one rest shape.
void check_rest_changes(const Scene& scene) {
  const SolverSettings& solver = scene.solver;
  if (find_integrator(scene.time.integrator)->is_explicit) return;
  if (!is_position_based(solver.method)) return;
  const bool keeps =
      solver.method == SolverMethod::xpbd && solver.multipliers == XpbdMultipliers::kept;
  if (solver.method == SolverMethod::xpbd && !keeps) return;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    if (!flows(body) && body.growth.empty()) continue;
    const std::string where = "/bodies/" + std::to_string(b);
    refuse(where + (body.growth.empty() ? "/material/plasticity" : "/growth"),
           std::string(keeps ? "xpbd with multipliers kept" : to_string(solver.method)) +
               " has constraints of one rest shape; expected none, or another solver, for example "
               "l_bfgs or xpbd with multipliers zero");
  }
}

/// Bodies that do not deform need a matrix that knows of them, and an integrator for which they end
/// at z.
void check_rigid(const Scene& scene) {
  const auto rigid = std::find_if(scene.bodies.begin(), scene.bodies.end(),
                                  [](const Body& body) { return is_rigid(body); });
  if (rigid == scene.bodies.end()) return;
  const std::string where =
      "/bodies/" + std::to_string(rigid - scene.bodies.begin()) + "/material/model";
  const TimeIntegrator integrator = scene.time.integrator;
  require(integrator == TimeIntegrator::backward_euler || integrator == TimeIntegrator::bdf2, where,
          std::string(to_string(integrator)) +
              " has no rigid bodies; expected another material, or the integrator backward_euler "
              "or bdf2");
  const SolverSettings& solver = scene.solver;
  require(solver.method == SolverMethod::l_bfgs || solver.method == SolverMethod::quasi_newton,
          where,
          std::string(to_string(solver.method)) +
              " has no rigid bodies; expected another material, or the method l_bfgs or "
              "quasi_newton");
  require(solver.initial_hessian == InitialHessian::laplacian &&
              solver.linear_solver == LinearSolver::direct,
          where,
          "rigid bodies need the initial_hessian laplacian with the linear_solver direct; expected "
          "these, or another material");
}

}  // namespace

void check_contact(const Scene& scene) {
  require(std::isfinite(scene.contact.friction) && scene.contact.friction >= 0, "/contact/friction",
          "expected a coefficient of at least 0");
  require_choice(scene.contact.mode, "/contact/mode");
  if (scene.contact.mode != ContactMode::barrier) return;
  require(!is_explicit(scene.time.integrator), "/time/integrator",
          std::string(to_string(scene.time.integrator)) +
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
  require_choice(time.integrator, "/time/integrator");
  require(std::isfinite(time.sleep_after) && time.sleep_after >= 0, "/time/sleep_after",
          "expected a time of at least 0 in s");
  require(time.sleep_after == 0 || find_integrator(time.integrator)->has_inertia,
          "/time/sleep_after",
          std::string(to_string(time.integrator)) + " has no velocities to rest from; expected 0");
  require(time.separate_after >= 0 && time.separate_after <= most_separate_after,
          "/time/separate_after",
          "expected a number from 0 to " + std::to_string(most_separate_after));
  for (double g : scene.gravity) {
    require(std::isfinite(g), "/gravity", "expected finite numbers in m/s^2");
  }
  check_contact(scene);
  check_solver(scene.solver);
  const Integrator& integrator = *find_integrator(time.integrator);
  if (is_position_based(scene.solver.method) && !integrator.is_explicit) {
    require(integrator.has_inertia, "/time/integrator",
            std::string(integrator.name()) + " has no inertia, and " +
                to_string(scene.solver.method) +
                " moves vertices by their masses; expected one that has, for example "
                "backward_euler (with a large /damping/drag a body comes to rest)");
  }
  check_bonds(scene);
  check_damping(scene);
  check_pressure(scene);
  check_exact(scene);
  check_muscles(scene);
  check_rest_changes(scene);
  check_rigid(scene);
  check_separations(scene);
  if (const auto fault = find_material_fault(scene, scene.solver.method)) {
    throw Error(ErrorKind::invalid_input, fault->where, fault->message);
  }
}

}  // namespace supple
