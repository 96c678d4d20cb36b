#pragma once

#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/range.h"
#include "materials/material.h"

namespace supple {

/// Where the settings hold a parameter.
using ParameterMember =
    std::variant<Parameter MaterialSettings::*, double MaterialSettings::*,
                 std::array<double, 2> MaterialSettings::*, Vec3 MaterialSettings::*,
                 SplineCurve MaterialSettings::*, ScalarFunction MaterialSettings::*>;

/// A parameter of a material, as it is called in scenes.
struct MaterialParameter {
  const char* key;
  ParameterMember member;
  Range range;       ///< of each number; in Pa: it is a modulus
  const char* text;  ///< what it is

  bool is_modulus() const { return std::string_view(range.unit) == "Pa"; }
};

/// A material. The table of them drives checks, the scene reader with the viewer's panels and its
/// changes from one material to another, and the lists; docs/scene.md is held against it.
struct MaterialRow {
  const char* name;
  const char* text;                           ///< its energy
  std::vector<MaterialParameter> parameters;  ///< those of tets in the order of the model's `at`
  /// Checks what is more than the ranges; null: of membranes alone (make_sheet in membrane.h).
  MaterialModel (*make)(const MaterialSettings&, const std::string& where);
  /// Young's modulus and Poisson's ratio may stand for its parameters in a scene.
  bool by_young = false;
  /// Has the moduli mu and lambda of linear elasticity at small strains.
  bool is_linear_at_rest = true;
  /// Gives the settings parameters for these moduli, or of about this stiffness where it is not
  /// linear at rest, Pa; null: others know how.
  void (*set_moduli)(double mu, double lambda, MaterialSettings& settings) = nullptr;

  bool is_of_membranes_alone() const { return make == nullptr; }
  /// Curves or functions, and no numbers.
  bool has_curves() const {
    return std::holds_alternative<SplineCurve MaterialSettings::*>(parameters[0].member) ||
           std::holds_alternative<ScalarFunction MaterialSettings::*>(parameters[0].member);
  }
};

/// All but a program's own energies.
const std::vector<MaterialRow>& material_table();

/// Null for a material that is not there.
const MaterialRow* find_material_row(std::string_view name);

}  // namespace supple
