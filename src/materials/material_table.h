#pragma once

#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/range.h"
#include "materials/material.h"

namespace supple {

/// Where the settings store a parameter.
using ParameterMember =
    std::variant<Parameter MaterialSettings::*, double MaterialSettings::*,
                 std::array<double, 2> MaterialSettings::*, Vec3 MaterialSettings::*,
                 SplineCurve MaterialSettings::*, ScalarFunction MaterialSettings::*>;

/// A parameter of a material, under its name in scenes.
struct MaterialParameter {
  const char* key;
  ParameterMember member;
  Range range;       ///< of each number; if its unit is Pa, the parameter is a modulus
  const char* text;  ///< what it is

  bool is_modulus() const { return std::string_view(range.unit) == "Pa"; }
};

/// A material. Checks, the scene reader, the viewer's panels and its conversions between materials,
/// and the lists all follow the table of these; a test compares docs/scene.md with it.
struct MaterialRow {
  const char* name;
  const char* text;                           ///< its energy
  std::vector<MaterialParameter> parameters;  ///< those per tet in the order of the model's `at`
  /// Makes the model and checks what ranges cannot express; null for materials that only membranes
  /// have (make_sheet in membrane.h).
  MaterialModel (*make)(const MaterialSettings&, const std::string& where);
  /// Whether Young's modulus and Poisson's ratio can replace its parameters in a scene.
  bool by_young = false;
  /// Whether it has the moduli mu and lambda of linear elasticity at small strains.
  bool is_linear_at_rest = true;
  /// Sets the parameters in the settings to these moduli, Pa, or to about this stiffness if the
  /// material is not linear at rest; null: something else does that.
  void (*set_moduli)(double mu, double lambda, MaterialSettings& settings) = nullptr;

  bool is_of_membranes_alone() const { return make == nullptr; }
  /// Whether it has curves or functions, and no numbers.
  bool has_curves() const {
    return std::holds_alternative<SplineCurve MaterialSettings::*>(parameters[0].member) ||
           std::holds_alternative<ScalarFunction MaterialSettings::*>(parameters[0].member);
  }
};

/// All materials except the host program's own energies.
const std::vector<MaterialRow>& material_table();

/// Null if there is no such material.
const MaterialRow* find_material_row(std::string_view name);

}  // namespace supple
