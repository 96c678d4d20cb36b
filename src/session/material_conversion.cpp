#include "session/material_conversion.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "materials/material.h"
#include "materials/material_table.h"
#include "session/material_sample.h"

namespace supple {

using nlohmann::ordered_json;

namespace {

double number_in(const ordered_json& object, const char* key, double fallback) {
  return object.contains(key) && object[key].is_number() ? object[key].get<double>() : fallback;
}

/// Is the model given by Young's modulus and Poisson's ratio, or by Lame's parameters?
bool takes_pair(const std::string& model) {
  const MaterialRow* const row = find_material_row(model);
  return row != nullptr && row->by_young;
}

ordered_json points_json(const SplineCurve& curve) {
  ordered_json list = ordered_json::array();
  for (const auto& [x, y] : curve.points) list.push_back(ordered_json::array({x, y}));
  return list;
}

/// mu and lambda to start from: those of small strains, or else the number that stands for mu.
std::pair<double, double> moduli_of(const MaterialSettings& settings) {
  if (const auto moduli = small_strain_moduli(settings)) return *moduli;
  const Parameter& mu = settings.mu;
  const double value = mu.per_tet.empty() ? mu.value : mu.per_tet[0];
  return {value > 0 ? value : 1e5, 0};
}

/// Only one model can represent a Poisson's ratio of 0.5.
double usual_poisson(double poisson) { return std::clamp(poisson, 0.0, 0.49); }

/// Keeps the pair of moduli as written in the old material. False if it has none.
bool keep_pair(const ordered_json& old, ordered_json& material) {
  const bool by_young = old.contains("young") && old.contains("poisson");
  const bool by_lame =
      old.contains("mu") && (old.contains("lambda") || material["model"] == "arap");
  if (!by_young && !by_lame) return false;
  for (const char* key : {"young", "poisson", "mu", "lambda"}) {
    if (key == std::string("lambda") && material["model"] == "arap") continue;
    if (old.contains(key)) material[key] = old[key];
  }
  return true;
}

}  // namespace

std::optional<std::pair<double, double>> small_strain_moduli(const MaterialSettings& material) {
  const MaterialRow* const row = find_material_row(material.model);
  if (material.model == rigid_name || (row != nullptr && !row->is_linear_at_rest)) return {};
  constexpr double e = 1e-5;  // the error of the differences is about e^2
  const auto slope = [&](const Vec3& direction) {
    const Vec3 forth{1 + e * direction[0], 1 + e * direction[1], 1 + e * direction[2]};
    const Vec3 back{1 - e * direction[0], 1 - e * direction[1], 1 - e * direction[2]};
    return (principal_stress(material, forth)[0] - principal_stress(material, back)[0]) / (2 * e);
  };
  const double along = slope({1, 0, 0}), across = slope({0, 1, 0});
  const double mu = (along - across) / 2;
  const bool sound = mu > 0 && std::isfinite(mu) && std::isfinite(across) && along > across;
  if (!sound && !std::isinf(material.lambda.value)) return {};
  if (std::isinf(material.lambda.value)) return std::pair(material.mu.value, infinity_modulus);
  return std::pair(mu, across);
}

std::pair<double, double> young_and_poisson(double mu, double lambda) {
  if (std::isinf(lambda)) return {3 * mu, 0.5};
  return {mu * (3 * lambda + 2 * mu) / (lambda + mu), lambda / (2 * (lambda + mu))};
}

ordered_json curve_points(const MaterialSettings& settings) {
  ordered_json curves = ordered_json::object();
  for (const MaterialParameter& parameter : find_material_row(SplineModel::name)->parameters) {
    const auto& curve = settings.*std::get<SplineCurve MaterialSettings::*>(parameter.member);
    if (!curve.points.empty()) curves[parameter.key] = points_json(curve);
  }
  return curves;
}

ordered_json converted_material(const ordered_json& old, const MaterialSettings& settings,
                                const std::string& model) {
  if (model == settings.model) return old;
  ordered_json material = ordered_json::object();
  material["model"] = model;
  if (model == rigid_name) return material;
  if (takes_pair(model) && takes_pair(settings.model) && keep_pair(old, material)) return material;
  const auto [mu, lambda] = moduli_of(settings);
  auto [young, poisson] = young_and_poisson(mu, lambda);
  poisson = usual_poisson(poisson);
  const double finite_lambda = 2 * mu * poisson / (1 - 2 * poisson);
  if (const MaterialRow& row = *find_material_row(model); row.set_moduli != nullptr) {
    MaterialSettings made;
    made.model = model;
    row.set_moduli(mu, finite_lambda, made);
    const std::vector<const Parameter*> values = material_parameters(made);
    for (std::size_t i = 0; i < row.parameters.size(); ++i) {
      material[row.parameters[i].key] = values[i]->value;
    }
  } else if (model == "valanis_landel") {
    material["a"] = {{{"coefficient", mu}, {"power", 2}, {"about", 1}}};
    material["c"] = {{{"coefficient", finite_lambda / 2}, {"log_power", 2}}};
  } else {
    if (model == "spline") material["preset"] = "A";
    material["young"] = young;
    material["poisson"] = poisson;
  }
  return material;
}

namespace {

/// Converts between the springs of a strand and a rod, for segments of 5 cm.
ordered_json converted_strand_material(const ordered_json& old, const std::string& model) {
  constexpr double length = 0.05, pi = 3.14159265358979323846;
  const double radius = number_in(old, "radius", 1e-3), area = pi * radius * radius;
  if (model == "rod") {
    return {{"model", model},
            {"young", number_in(old, "stiffness", 1e3) * length / area},
            {"poisson", 0.3},
            {"radius", radius}};
  }
  const double stretch = number_in(old, "stretch", number_in(old, "young", 1e7) * area);
  return {{"model", model}, {"stiffness", stretch / length}};
}

}  // namespace

ordered_json converted_cloth_material(const ordered_json& old, const MaterialSettings& settings,
                                      const std::string& model) {
  const std::string from = old.value("model", "");
  if (model == from) return old;
  if (model == "rod" || from == "rod") return converted_strand_material(old, model);
  const double thickness =
      number_in(old, "thickness", old.contains("fabric") ? fabric_thickness : 1e-3);
  double young = 0, poisson = 0.3;
  if (from == "spring") {
    young = number_in(old, "stiffness", 1e3) / thickness;
  } else if (from == "orthotropic_stvk") {
    young = std::sqrt(settings.warp * settings.weft);
    poisson = settings.poisson;
  } else {
    // For a sheet, lambda of stable_neo_hookean is that of linear elasticity, too.
    const bool is_stable = from == "stable_neo_hookean";
    const auto [mu, lambda] =
        is_stable ? std::pair(settings.mu[0], settings.lambda[0]) : moduli_of(settings);
    std::tie(young, poisson) = young_and_poisson(mu, lambda);
  }
  poisson = usual_poisson(poisson);
  if (model == "spring") return {{"model", model}, {"stiffness", young * thickness}};
  ordered_json material;
  material["model"] = model;
  if (model == "orthotropic_stvk") {
    material["warp"] = material["weft"] = young;
    material["shear"] = young / (2 * (1 + poisson));
    material["poisson"] = poisson;
  } else if (model == "woven_limit") {
    material["mu"] = young / (2 * (1 + poisson));
    material["warp_limits"] = material["weft_limits"] = {0.9, 1.1};
  } else if (takes_pair(model)) {
    if (!takes_pair(from) || !keep_pair(old, material)) {
      material["young"] = young;
      material["poisson"] = std::max(poisson, 0.01);  // stable_neo_hookean needs some
    }
  } else {
    MaterialSettings same;
    same.mu = young / (2 * (1 + poisson));
    same.lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    material = converted_material(ordered_json::object(), same, model);
    if (model == "mooney_rivlin") {
      // Half the share of c2 that tets get leaves a sheet enough bulk stiffness.
      const double c2 = std::min(0.1 * same.mu.value, same.lambda.value / 8);
      material["c1"] = same.mu.value / 2 - c2;
      material["c2"] = c2;
      material["bulk"] = same.lambda.value - 4 * c2;
    }
  }
  const MaterialRow* const row = find_material_row(model);
  const bool is_woven = row != nullptr && row->is_of_membranes_alone();
  if (is_woven && old.contains("direction")) material["direction"] = old["direction"];
  material["thickness"] = thickness;
  for (const char* const key : {"bending", "bending_model"}) {
    if (old.contains(key) && from != "spring") material[key] = old[key];
  }
  return material;
}

}  // namespace supple
