#include "sim/bond_checks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/names.h"
#include "base/refuse.h"
#include "integrate/integrator.h"
#include "sim/stepper.h"

namespace supple {

namespace {

/// Methods that have no constraint for bonds.
constexpr std::array without_bonds{SolverMethod::pbd, SolverMethod::step_and_project};

std::string place_of(const char* list, std::size_t index) {
  return std::string("/") + list + "/" + std::to_string(index);
}

void check_stiffness(double stiffness, const std::string& where) {
  require(std::isfinite(stiffness) && stiffness >= 0, where,
          "expected a stiffness of at least 0 in N/m");
}

}  // namespace

std::optional<BondFault> find_bond_fault(const Scene& scene) {
  std::vector<std::string> names;
  for (const Body& body : scene.bodies) names.push_back(body.name);
  const auto fault_of = [&](const std::string& name,
                            const std::string& where) -> std::optional<BondFault> {
    const auto count = std::count(names.begin(), names.end(), name);
    if (count == 1) return std::nullopt;
    if (count == 0) return BondFault{where, unknown_name("body", name, names)};
    return BondFault{where, "'" + name + "' is the name of several bodies"};
  };
  for (std::size_t k = 0; k < scene.bonds.size(); ++k) {
    const Bond& bond = scene.bonds[k];
    const std::string where = place_of("bonds", k);
    if (auto fault = fault_of(bond.body, where + "/body")) return fault;
    if (auto fault = fault_of(bond.to, where + "/to")) return fault;
    if (bond.body == bond.to) {
      return BondFault{
          where + "/to",
          "is the body whose vertices are tied; expected another one: a seam sews parts "
          "of one body together"};
    }
  }
  for (std::size_t k = 0; k < scene.seams.size(); ++k) {
    const std::string where = place_of("seams", k);
    if (auto fault = fault_of(scene.seams[k].a.body, where + "/a/body")) return fault;
    if (auto fault = fault_of(scene.seams[k].b.body, where + "/b/body")) return fault;
  }
  return std::nullopt;
}

void require_bonds(const Scene& scene, double stiffness, const std::string& where,
                   const std::string& where_stiffness) {
  if (is_explicit(scene.time.integrator)) {
    require(
        stiffness > 0, where_stiffness,
        std::string(to_string(scene.time.integrator)) +
            " cannot choose a stiffness; expected one above 0 in N/m, or an implicit integrator, "
            "for example backward_euler");
    return;
  }
  const SolverMethod method = scene.solver.method;
  require(std::find(without_bonds.begin(), without_bonds.end(), method) == without_bonds.end(),
          where,
          std::string(to_string(method)) +
              " has no bonds between bodies; expected another method, for example l_bfgs");
}

void check_bonds(const Scene& scene) {
  if (const auto fault = find_bond_fault(scene)) refuse(fault->where, fault->message);
  for (std::size_t k = 0; k < scene.bonds.size(); ++k) {
    const Bond& bond = scene.bonds[k];
    const std::string where = place_of("bonds", k);
    check_stiffness(bond.stiffness, where + "/stiffness");
    require(!bond.distance || (std::isfinite(*bond.distance) && *bond.distance >= 0),
            where + "/distance", "expected a distance of at least 0 in m");
    require_bonds(scene, bond.stiffness, where, where + "/stiffness");
  }
  for (std::size_t k = 0; k < scene.seams.size(); ++k) {
    const Seam& seam = scene.seams[k];
    const std::string where = place_of("seams", k);
    check_stiffness(seam.stiffness, where + "/stiffness");
    require(std::isfinite(seam.close) && seam.close >= 0, where + "/close",
            "expected a time of at least 0 in s");
    require_bonds(scene, seam.stiffness, where, where + "/stiffness");
  }
}

}  // namespace supple
