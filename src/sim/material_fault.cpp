#include <cmath>

#include "base/names.h"
#include "model/material_assignment.h"
#include "position/constraint_forms.h"
#include "sim/stepper.h"

namespace supple {

namespace {

bool is_incompressible(const MaterialSettings& material) {
  if (material.model != StableNeoHookeanModel::name) return false;
  const Parameter& lambda = material.lambda;
  for (const double value : lambda.per_tet) {
    if (std::isinf(value)) return true;
  }
  return lambda.per_tet.empty() && std::isinf(lambda.value);
}

/// A method that evaluates energies vertex by vertex would have to turn the material of all other
/// segments each time; other methods have no form of rods.
bool runs_rods(SolverMethod method) {
  return (method == SolverMethod::xpbd || !is_position_based(method)) &&
         method != SolverMethod::projective_dynamics &&
         method != SolverMethod::vertex_block_descent;
}

/// Whether a method runs fiber curves. Some need squared distances or constraints.
bool runs_fiber_curves(SolverMethod method) {
  return method == SolverMethod::pbd ||
         (!is_position_based(method) && method != SolverMethod::projective_dynamics);
}

/// What is wrong with a material; empty if nothing is.
std::string fault_of(const MaterialSettings& material, SolverMethod method, bool explicit_step) {
  if (!explicit_step && method == SolverMethod::pbd) return "";
  if (!explicit_step && is_position_based(method)) {
    for (const std::string& name : materials_with_constraint_form()) {
      if (name == material.model) return "";
    }
    return material.model + " has no form as constraints, which " + to_string(method) +
           " needs; those that have: " + joined(materials_with_constraint_form());
  }
  if (!is_incompressible(material)) return "";
  return "is incompressible (Poisson's ratio 0.5, lambda infinite), which energies cannot take; "
         "expected a smaller ratio, for example 0.499, or the solver xpbd, which keeps volume as a "
         "constraint";
}

}  // namespace

std::optional<MaterialFault> find_material_fault(const Scene& scene, SolverMethod method) {
  const bool explicit_step = is_explicit(scene.time.integrator);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    const std::string where = "/bodies/" + std::to_string(b);
    if (body.membrane && !explicit_step && is_position_based(method) &&
        method != SolverMethod::xpbd) {
      return MaterialFault{where + "/material", "/model",
                           std::string("a membrane has no form as constraints, which ") +
                               to_string(method) +
                               " needs; expected xpbd, a method of descent, for example l_bfgs, "
                               "or a cloth of springs"};
    }
    if (body.rod && !explicit_step && !runs_rods(method)) {
      return MaterialFault{where + "/material", "/model",
                           std::string(to_string(method)) +
                               " has no rods, whose twist couples a whole strand; expected a "
                               "method that has, for example newton or l_bfgs, or a strand of "
                               "springs"};
    }
    if (body.mesh.tets.empty()) continue;
    std::optional<MaterialFault> fault;
    const auto check = [&](const MaterialSettings& material, const std::string& place) {
      const std::string message = fault_of(material, method, explicit_step);
      if (fault || message.empty()) return;
      fault = {where + place, is_incompressible(material) ? "/poisson" : "/model", message};
    };
    check(body.material, "/material");
    for (std::size_t r = 0; r < body.regions.size(); ++r) {
      check(body.regions[r].material, "/regions/" + std::to_string(r) + "/material");
    }
    for (std::size_t l = 0; l < body.layers.size(); ++l) {
      check(body.layers[l], "/layers/" + std::to_string(l));
    }
    for (std::size_t k = 0; k < body.fibers.size() && !fault; ++k) {
      if (body.fibers[k].curve.points.empty()) continue;
      if (explicit_step || runs_fiber_curves(method)) continue;
      fault = {place_of_fiber(body, where, k) + "/curve", "",
               std::string(to_string(method)) +
                   " cannot run fibers with a curve; expected `kappa`, or another method of "
                   "descent, for example l_bfgs"};
    }
    if (fault) return fault;
  }
  return std::nullopt;
}

}  // namespace supple
