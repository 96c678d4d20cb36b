#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>

#include "supple/scene.h"

namespace supple {

/// mu and lambda, Pa, of the linear elasticity that approximates a material near its rest shape.
/// They follow from the derivatives of P at F = 1:
///   dP_11/dF_11 = lambda + 2 mu,  dP_11/dF_22 = lambda
/// If parameters are given per tet, those of the first tet count. Nothing if the material has no
/// such moduli (polynomial, volume, strain_limit).
std::optional<std::pair<double, double>> small_strain_moduli(const MaterialSettings& material);

/// Young's modulus, Pa, and Poisson's ratio from Lame's parameters; lambda may be infinite.
std::pair<double, double> young_and_poisson(double mu, double lambda);

/// Converts the JSON of a material to another model. Between models that take Young's modulus and
/// Poisson's ratio (or Lame's parameters) the given values are kept. Other conversions match the
/// behaviour at small strains, if the material has moduli for them. `old`: the material as written
/// in the document; `settings`: as it was read.
nlohmann::ordered_json converted_material(const nlohmann::ordered_json& old,
                                          const MaterialSettings& settings,
                                          const std::string& model);

/// The same for cloth: between springs, orthotropic_stvk and the materials of a membrane. Young's
/// modulus times the thickness is the stiffness of springs. Also converts a strand between springs
/// and a rod.
nlohmann::ordered_json converted_cloth_material(const nlohmann::ordered_json& old,
                                                const MaterialSettings& settings,
                                                const std::string& model);

/// The curves of a spline as control points: {"a": [[x, y], ...], ...}. Empty curves are left out.
nlohmann::ordered_json curve_points(const MaterialSettings& settings);

}  // namespace supple
