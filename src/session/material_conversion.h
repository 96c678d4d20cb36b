#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>

#include "supple/scene.h"

namespace supple {

/// mu and lambda, Pa, of the linear elasticity that a material is near its rest shape: of the
/// derivatives of P at F = 1, dP_11/dF_11 = lambda + 2 mu and dP_11/dF_22 = lambda. With parameters
/// per tet those of the first. Nothing where the material has no such (polynomial, volume,
/// strain_limit).
std::optional<std::pair<double, double>> small_strain_moduli(const MaterialSettings& material);

/// Young's modulus, Pa, and Poisson's ratio of Lame's parameters; lambda may be infinite.
std::pair<double, double> young_and_poisson(double mu, double lambda);

/// The JSON of a material of another model. Between models that take Young's modulus and Poisson's
/// ratio (or Lame's parameters) what is given stays as it is; to and from others the material of
/// the same small strains is taken, where there are such. `old`: as it stands in the document;
/// `settings`: as it was read.
nlohmann::ordered_json converted_material(const nlohmann::ordered_json& old,
                                          const MaterialSettings& settings,
                                          const std::string& model);

/// The same of cloth: between springs, orthotropic_stvk and the materials of a membrane. Young's
/// modulus times the thickness is the stiffness of springs. Of a strand between springs and rod.
nlohmann::ordered_json converted_cloth_material(const nlohmann::ordered_json& old,
                                                const MaterialSettings& settings,
                                                const std::string& model);

/// The curves of a spline as control points: {"a": [[x, y], ...], ...}, those that are not empty.
nlohmann::ordered_json curve_points(const MaterialSettings& settings);

}  // namespace supple
