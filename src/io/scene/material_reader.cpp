#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/names.h"
#include "io/scene/json_text.h"
#include "io/scene/readers.h"
#include "materials/material.h"
#include "materials/spline.h"
#include "supple/error.h"

namespace supple {

namespace {

/// Of the structural stiffness: what bending springs have by default.
constexpr double bending_share = 0.1;

std::string tet_text(const Parameter& parameter, std::size_t tet) {
  return parameter.per_tet.empty() ? "" : fmt::format(" in tet {}", tet);
}

/// A number, or {"field": "name"}: the values of a field of the mesh.
Parameter read_parameter(ObjectReader& material, const char* key, const TetMesh& mesh,
                         const char* unit = "Pa") {
  if (!material.is_object(key)) return material.number(key, any_number(unit));
  Parameter parameter;
  material.object(key, [&](ObjectReader& reader) {
    reader.expect({"field"});
    const std::string name = reader.text("field");
    const auto found = mesh.tet_fields.find(name);
    if (found == mesh.tet_fields.end()) {
      std::vector<std::string> known;
      for (const auto& field : mesh.tet_fields) known.push_back(field.first);
      if (known.empty()) reader.fail("field", "the body's mesh has no fields");
      reader.fail("field", unknown_name("field of the mesh", pointer_step(name), known));
    }
    parameter.per_tet = found->second;
  });
  return parameter;
}

/// 0.5 is for the material whose volume can be a constraint; whether the solver reads it as one is
/// looked at where it is known.
void check_poisson(const ObjectReader& material, const std::string& model, double poisson,
                   const std::string& where) {
  const bool may_be_half = model == StableNeoHookeanModel::name;
  if (poisson > -1 && (poisson < 0.5 || (may_be_half && poisson == 0.5))) return;
  const char* const expected = "expected a value above -1 and below 0.5";
  if (poisson == 0.5) {
    material.fail(
        "poisson",
        fmt::format("0.5{} is incompressible, which the energy of {} cannot take; {}, for "
                    "example 0.499, or stable_neo_hookean with the solver xpbd",
                    where, model, expected));
  }
  material.fail("poisson", fmt::format("{}{} is out of range: {}", poisson, where, expected));
}

/// mu and lambda per tet, or for all where both are numbers.
std::pair<Parameter, Parameter> convert(const ObjectReader& material, const std::string& model,
                                        const Parameter& young, const Parameter& poisson) {
  Parameter mu, lambda;
  const std::size_t length = std::max(young.per_tet.size(), poisson.per_tet.size());
  for (std::size_t t = 0; t < std::max<std::size_t>(length, 1); ++t) {
    if (!(young[t] > 0)) {
      material.fail("young", fmt::format("{}{} is out of range: expected a number above 0 Pa",
                                         young[t], tet_text(young, t)));
    }
    check_poisson(material, model, poisson[t], tet_text(poisson, t));
    const auto [m, l] = lame_parameters(young[t], poisson[t]);
    if (length == 0) return {m, l};
    mu.per_tet.push_back(m);
    lambda.per_tet.push_back(l);
  }
  return {mu, lambda};
}

bool has_young(const ObjectReader& material) {
  const bool young = material.has("young") || material.has("poisson");
  const char* const lame = material.has("mu") ? "mu" : "lambda";
  if (young && material.has(lame)) {
    material.fail(lame, "conflicts with young and poisson; expected only one of the two pairs");
  }
  return young;
}

/// mu and lambda, or young and poisson.
std::pair<Parameter, Parameter> read_lame(ObjectReader& material, const std::string& model,
                                          const TetMesh& mesh) {
  const bool lame = material.has("mu") || material.has("lambda");
  if (has_young(material) || !lame) {
    if (!material.has("poisson")) material.one_of("stiffness", {"young", "mu"});
    const Parameter young = read_parameter(material, "young", mesh);
    const Parameter poisson = read_parameter(material, "poisson", mesh);
    return convert(material, model, young, poisson);
  }
  const Parameter mu = read_parameter(material, "mu", mesh);
  return {mu, read_parameter(material, "lambda", mesh)};
}

void read_pair(ObjectReader& material, const TetMesh& mesh, MaterialSettings& settings) {
  std::tie(settings.mu, settings.lambda) = read_lame(material, settings.model, mesh);
  const Parameter& lambda = settings.lambda;
  for (std::size_t t = 0; t < std::max<std::size_t>(lambda.per_tet.size(), 1); ++t) {
    if (!(lambda[t] < 0) || !material.has("poisson")) continue;
    material.fail("poisson",
                  "a negative value gives a negative lambda, which this model does not "
                  "take; expected at least 0");
  }
}

void read_spline(ObjectReader& material, const TetMesh& mesh, MaterialSettings& settings) {
  if (!material.has("preset")) {
    settings.spline_a.points = material.pairs("a");
    settings.spline_b.points = material.pairs("b");
    settings.spline_c.points = material.pairs("c");
    return;
  }
  material.expect({"model", "preset", "young", "poisson", "mu", "lambda"});
  const std::string preset = material.choice("preset", "preset", {"A", "B"});
  const auto [mu, lambda] = read_lame(material, settings.model, mesh);
  if (!mu.per_tet.empty() || !lambda.per_tet.empty()) {
    material.fail("preset", "takes numbers, not fields: its curves are those of the whole body");
  }
  try {
    settings = spline_preset(preset.front(), mu.value, lambda.value);
  } catch (const Error& error) {
    material.fail(error.message());
  }
}

void read_parameters(ObjectReader& material, const TetMesh& mesh, MaterialSettings& settings) {
  const std::string& model = settings.model;
  if (model == "arap" && has_young(material)) {
    material.expect({"model", "young", "poisson", "mu"});
    settings.mu = read_lame(material, settings.model, mesh).first;
  } else if (model == "arap" || model == "polynomial" || model == "volume") {
    material.expect({"model", "mu"});
    settings.mu = read_parameter(material, "mu", mesh);
  } else if (model == "strain_limit") {
    material.expect({"model", "mu", "min", "max"});
    settings.mu = read_parameter(material, "mu", mesh);
    settings.min = read_parameter(material, "min", mesh, "");
    settings.max = read_parameter(material, "max", mesh, "");
  } else if (model == "mooney_rivlin") {
    material.expect({"model", "c1", "c2", "bulk"});
    settings.c1 = read_parameter(material, "c1", mesh);
    settings.c2 = read_parameter(material, "c2", mesh);
    settings.bulk = read_parameter(material, "bulk", mesh);
  } else if (model == "spline") {
    read_spline(material, mesh, settings);
  } else if (model == "valanis_landel") {
    settings.a = read_function(material, "a");
    settings.b = read_function(material, "b");
    settings.c = read_function(material, "c");
  } else {
    material.expect({"model", "young", "poisson", "mu", "lambda"});
    read_pair(material, mesh, settings);
  }
}

bool is_spring(const std::string& model) { return model == "spring"; }

/// All names are known, that a body of the other kind be refused with a reason.
std::string read_model(ObjectReader& material, const std::vector<Description>& of_this_kind) {
  std::vector<std::string> known = names_of(list_materials());
  for (const std::string& name : names_of(list_spring_materials())) known.push_back(name);
  return material.choice("model", "material", known, names_of(of_this_kind));
}

}  // namespace

MaterialSettings read_material(ObjectReader& material, const TetMesh& mesh) {
  MaterialSettings settings;
  settings.model = read_model(material, list_materials());
  if (is_spring(settings.model)) {
    material.fail("model", settings.model +
                               " is for cloth and strands, but this body has tets; expected a "
                               "material of tets, for example neo_hookean");
  }
  read_parameters(material, mesh, settings);
  make_material(settings, material.where());  // its checks point below `where`
  return settings;
}

std::vector<Spring> read_springs(ObjectReader& material, const SpringMesh& mesh) {
  const std::string model = read_model(material, list_spring_materials());
  if (!is_spring(model)) {
    material.fail("model", model + " needs tets, but this body has only springs; expected spring");
  }
  SpringSettings settings;
  material.expect({"model", "stiffness", "shear", "bending"});
  settings.stiffness = material.number("stiffness", above_zero("N/m"));
  if (mesh.shear.empty()) {
    material.reject("shear", "a strand has no shear springs");
  } else {
    settings.shear = material.number("shear", from_zero("N/m"), settings.stiffness);
  }
  settings.bending =
      material.number("bending", from_zero("N/m"), bending_share * settings.stiffness);
  return make_springs(mesh, settings);
}

}  // namespace supple
