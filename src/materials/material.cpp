#include "materials/material.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/names.h"
#include "base/refuse.h"
#include "materials/material_table.h"
#include "supple/simulation.h"

namespace supple {

namespace {

void check_values(const Parameter& parameter, const Range& range, const std::string& where) {
  const std::size_t count = std::max<std::size_t>(parameter.per_tet.size(), 1);
  for (std::size_t t = 0; t < count; ++t) {
    const double value = parameter[t];
    if (range.contains(value)) continue;
    const std::string at = parameter.per_tet.empty() ? "" : fmt::format(" in tet {}", t);
    const std::string unit = range.unit[0] == '\0' ? "" : std::string(" ") + range.unit;
    refuse(where, fmt::format("{}{} is not a finite number of at least 0{}", value, at, unit));
  }
}

const Parameter& value_in(const MaterialSettings& settings, const MaterialParameter& parameter) {
  return settings.*std::get<Parameter MaterialSettings::*>(parameter.member);
}

/// The number of tets with their own parameters; 1 if each parameter is a single value.
std::size_t common_length(const MaterialSettings& settings, const MaterialRow& row,
                          const std::string& where) {
  std::size_t length = 0;
  for (const MaterialParameter& parameter : row.parameters) {
    const std::size_t size = value_in(settings, parameter).per_tet.size();
    if (size == 0) continue;
    if (length != 0 && size != length) {
      refuse(where + "/" + parameter.key,
             fmt::format("has {} values, another parameter {}", size, length));
    }
    length = size;
  }
  return std::max<std::size_t>(length, 1);
}

/// Checks that every parameter is finite and not negative, and that the moduli are not all zero in
/// any tet.
void check_parameters(const MaterialSettings& settings, const MaterialRow& row,
                      const std::string& where) {
  std::string names;
  for (const MaterialParameter& parameter : row.parameters) {
    check_values(value_in(settings, parameter), parameter.range, where + "/" + parameter.key);
    if (!parameter.is_modulus()) continue;
    names += (names.empty() ? "" : " or ") + std::string(parameter.key);
  }
  const std::size_t length = common_length(settings, row, where);
  for (std::size_t t = 0; t < length; ++t) {
    const bool all_zero = std::all_of(
        row.parameters.begin(), row.parameters.end(), [&](const MaterialParameter& parameter) {
          return !parameter.is_modulus() || value_in(settings, parameter)[t] == 0;
        });
    if (all_zero) {
      const std::string at = length == 1 ? "" : fmt::format(" in tet {}", t);
      refuse(where, fmt::format("{} needs a positive {} in Pa{}", settings.model, names, at));
    }
  }
}

/// The keys that a scene uses for a material, as lists show them.
std::string keys_of(const MaterialRow& row) {
  std::vector<std::string> keys;
  for (const MaterialParameter& parameter : row.parameters) keys.emplace_back(parameter.key);
  const std::string all = joined(keys);
  if (row.by_young) return all + ", or young and poisson";
  if (!row.has_curves()) return all;
  return std::holds_alternative<SplineCurve MaterialSettings::*>(row.parameters[0].member)
             ? "control points of " + all
             : "terms of " + all + ", or functions in code";
}

std::vector<Description> list_rows(bool of_membranes_alone) {
  std::vector<Description> list;
  for (const MaterialRow& row : material_table()) {
    if (row.is_of_membranes_alone() != of_membranes_alone) continue;
    list.push_back({row.name, std::string(row.text) + "; " + keys_of(row)});
  }
  return list;
}

}  // namespace

MaterialModel make_material(const MaterialSettings& settings, const std::string& where) {
  if (settings.model == OwnModel::name) return make_own(settings, where);
  const MaterialRow* const row = find_material_row(settings.model);
  if (row == nullptr || row->is_of_membranes_alone()) {
    refuse(where + "/model", unknown_name("material", settings.model, names_of(list_materials())));
  }
  if (!row->has_curves()) check_parameters(settings, *row, where);
  return row->make(settings, where);
}

std::vector<const Parameter*> material_parameters(const MaterialSettings& settings) {
  std::vector<const Parameter*> parameters;
  const MaterialRow* const row = find_material_row(settings.model);
  if (row == nullptr || row->is_of_membranes_alone() || row->has_curves()) return parameters;
  for (const MaterialParameter& parameter : row->parameters) {
    parameters.push_back(&value_in(settings, parameter));
  }
  return parameters;
}

std::vector<Description> list_materials() { return list_rows(false); }

std::vector<Description> list_membrane_materials() { return list_rows(true); }

std::vector<Description> list_bending_models() { return choices(BendingModel{}).entries; }

std::vector<Description> list_spring_materials() {
  return {{"spring",
           "cloth and strands: k/2 (l - r)^2 for each spring [Liu et al. 2013]; stiffness "
           "(structural), shear, bending, inextensible"},
          {"rod",
           "strands that resist stretch, bending and twist, with a rest shape that may be curved "
           "[Bergou et al. 2008]; young, poisson or shear, radius, rest_shape, rest_twist, "
           "inextensible"}};
}

std::vector<Description> list_rigid_materials() {
  return {{rigid_name, "tets: the body does not deform; no parameters"}};
}

}  // namespace supple
