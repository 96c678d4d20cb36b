#pragma once

#include <optional>
#include <string>

#include "supple/scene.h"

/// What Scene::bonds and seams may be.
namespace supple {

/// A name in bonds or seams that no body has, or two of them.
struct BondFault {
  std::string where;  ///< JSON pointer
  std::string message;
};
std::optional<BondFault> find_bond_fault(const Scene& scene);

/// Throws Error{invalid_input} at /bonds or /seams for such a fault, for stiffnesses, distances and
/// times out of their range, and where the method has no bonds.
void check_bonds(const Scene& scene);

/// Throws Error{invalid_input} at `where` where the scene's method has no bonds, or the integrator
/// none with a stiffness of 0.
void require_bonds(const Scene& scene, double stiffness, const std::string& where,
                   const std::string& where_stiffness);

}  // namespace supple
