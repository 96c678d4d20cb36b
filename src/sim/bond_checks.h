#pragma once

#include <optional>
#include <string>

#include "supple/scene.h"

/// Checks of Scene::bonds and seams.
namespace supple {

/// A name in bonds or seams that no body has, or that two bodies have.
struct BondFault {
  std::string where;  ///< JSON pointer
  std::string message;
};
std::optional<BondFault> find_bond_fault(const Scene& scene);

/// Throws Error{invalid_input} at /bonds or /seams for such a fault, for stiffnesses, distances and
/// times out of their range, and if the method has no bonds.
void check_bonds(const Scene& scene);

/// Throws Error{invalid_input} at `where` if the scene's method has no bonds, and at
/// `where_stiffness` if the stiffness is 0 and the integrator needs one.
void require_bonds(const Scene& scene, double stiffness, const std::string& where,
                   const std::string& where_stiffness);

}  // namespace supple
