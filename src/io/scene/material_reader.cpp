#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <variant>

#include "base/names.h"
#include "io/scene/json_text.h"
#include "io/scene/readers.h"
#include "materials/material_table.h"
#include "materials/spline.h"
#include "mesh/surface.h"
#include "potentials/membrane.h"
#include "supple/error.h"

namespace supple {

namespace {

/// The default stiffness of bending springs, as a share of the structural stiffness.
constexpr double bending_share = 0.1;

std::string tet_text(const Parameter& parameter, std::size_t tet) {
  return parameter.per_tet.empty() ? "" : fmt::format(" in tet {}", tet);
}

/// A number, or {"field": "name"}: the values of a field of the mesh. text: what it is.
Parameter read_parameter(ObjectReader& material, const char* key, const char* text,
                         const TetMesh& mesh, const char* unit = "Pa") {
  Parameter parameter;
  if (!material.is_object(key)) {
    parameter = material.number(key, any_number(unit));
    material.explain(text);
    return parameter;
  }
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

/// 0.5 is only for the material whose volume can be a constraint. Whether the solver treats it as
/// one is checked where the solver is known.
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

/// mu and lambda per tet, or for all tets if both young and poisson are numbers.
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
    const Parameter young = read_parameter(material, "young", "Young's modulus", mesh);
    const Parameter poisson = read_parameter(material, "poisson", "Poisson's ratio", mesh);
    return convert(material, model, young, poisson);
  }
  const std::vector<MaterialParameter>& lame_pair = find_material_row("corotated")->parameters;
  const Parameter mu = read_parameter(material, "mu", lame_pair[0].text, mesh);
  return {mu, read_parameter(material, "lambda", lame_pair[1].text, mesh)};
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

/// Reads a preset: curves that are made from the moduli at small strains.
void read_spline_preset(ObjectReader& material, const TetMesh& mesh, bool is_sheet,
                        MaterialSettings& settings) {
  material.expect({"model", "preset", "young", "poisson", "mu", "lambda"});
  const std::string preset = material.choice("preset", "preset", {"A", "B"});
  const auto [mu, lambda] = read_lame(material, settings.model, mesh);
  if (!mu.per_tet.empty() || !lambda.per_tet.empty()) {
    material.fail("preset", "takes numbers, not fields: its curves are those of the whole body");
  }
  try {
    // For a sheet: its thickness adjusts freely.
    settings = spline_preset(preset.front(), mu.value,
                             is_sheet ? plane_stress_lambda(mu.value, lambda.value) : lambda.value);
  } catch (const Error& error) {
    material.fail(error.message());
  }
}

/// `side`: the default for a direction. has_defaults: `settings` holds the defaults of numbers.
void read_value(ObjectReader& material, const MaterialRow& row, const MaterialParameter& parameter,
                const TetMesh& mesh, const std::optional<Vec3>& side, bool has_defaults,
                MaterialSettings& settings) {
  const char* const key = parameter.key;
  const auto read = [&]<class T>(T MaterialSettings::*member) {
    T& value = settings.*member;
    if constexpr (std::is_same_v<T, Parameter>) {
      // make_material checks its range for all tets.
      if (!row.is_of_membranes_alone()) {
        value = read_parameter(material, key, parameter.text, mesh, parameter.range.unit);
        return;
      }
      value = material.number(key, parameter.range);
    } else if constexpr (std::is_same_v<T, double>) {
      value =
          material.number(key, parameter.range, has_defaults ? std::optional(value) : std::nullopt);
    } else if constexpr (std::is_same_v<T, std::array<double, 2>>) {
      std::tie(value[0], value[1]) = material.pair(key, parameter.range);
    } else if constexpr (std::is_same_v<T, Vec3>) {
      value = material.direction(key, side);
    } else if constexpr (std::is_same_v<T, SplineCurve>) {
      value.points = material.pairs(key);
    } else {
      value = read_function(material, key);
      return;  // it has its own fields
    }
    material.explain(parameter.text);
  };
  std::visit(read, parameter.member);
}

void read_parameters(ObjectReader& material, const TetMesh& mesh, bool is_sheet,
                     const std::optional<Vec3>& side, bool has_defaults,
                     MaterialSettings& settings) {
  if (settings.model == SplineModel::name && material.has("preset")) {
    read_spline_preset(material, mesh, is_sheet, settings);
    return;
  }
  const MaterialRow& row = *find_material_row(settings.model);
  const bool has_lambda = row.parameters.size() == 2;
  const bool may_convert = row.by_young && (has_lambda || has_young(material));
  std::vector<std::string_view> keys{"model"};
  if (may_convert) keys.insert(keys.end(), {"young", "poisson"});
  for (const MaterialParameter& parameter : row.parameters) keys.emplace_back(parameter.key);
  if (!row.has_curves()) material.expect(keys);
  if (may_convert && has_lambda) {
    read_pair(material, mesh, settings);
  } else if (may_convert) {
    settings.mu = read_lame(material, settings.model, mesh).first;
  } else {
    for (const MaterialParameter& parameter : row.parameters) {
      read_value(material, row, parameter, mesh, side, has_defaults, settings);
    }
  }
}

constexpr const char* rod_name = "rod";

bool is_spring(const std::string& model) { return model == "spring"; }
bool is_woven(const std::string& model) {
  const MaterialRow* const row = find_material_row(model);
  return row != nullptr && row->is_of_membranes_alone();
}

/// The materials that a membrane can have.
std::vector<std::string> sheet_names() {
  std::vector<std::string> names;
  for (const std::string& name : names_of(list_materials())) {
    if (name != VolumeModel::name) names.push_back(name);
  }
  for (const std::string& name : names_of(list_membrane_materials())) names.push_back(name);
  return names;
}

/// All names are known, so that a body of another kind is refused with a reason.
std::string read_model(ObjectReader& material, std::vector<std::string> of_this_kind) {
  std::vector<std::string> known = names_of(list_materials());
  for (const std::string& name : names_of(list_membrane_materials())) known.push_back(name);
  for (const std::string& name : names_of(list_spring_materials())) known.push_back(name);
  known.emplace_back(rigid_name);
  return material.choice("model", "material", known, std::move(of_this_kind));
}

/// Reads the parameters of a sheet whose model has been read, and checks them. has_defaults: see
/// read_value.
void read_sheet_parameters(ObjectReader& material, const SpringMesh& mesh, bool has_defaults,
                           MaterialSettings& settings) {
  if (settings.model == rigid_name) {
    material.fail("model", "rigid needs tets: cloth is not rigid");
  }
  // A generated cloth is woven along its first side; its second vertex lies there.
  std::optional<Vec3> side;
  if (!mesh.structural.empty()) {
    const Vec3 &a = mesh.vertices[0], &b = mesh.vertices[1];
    side = Vec3{b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  }
  read_parameters(material, {}, true, side, has_defaults, settings);
  make_sheet(settings, material.where());  // its checks point below `where`
}

/// Bending stiffness of a plate of the material, N m.
double plate_bending(const MaterialSettings& settings, double thickness) {
  const Sheet sheet = make_sheet(settings, "");
  double values[most_sheet_parameters] = {};
  for (std::size_t p = 0; p < sheet.parameters.size(); ++p) values[p] = sheet.parameters[p].value;
  return rest_stiffness(sheet.model, values) * thickness * thickness * thickness / 12;
}

/// Reads a membrane whose model has been read.
void read_membrane(ObjectReader& material, const SpringMesh& mesh, Body& body) {
  if (body.material.model == VolumeModel::name) {
    material.fail("model", "volume needs tets: a membrane has no volume to keep");
  }
  MembraneSettings membrane;
  material.know("bending");
  material.know("bending_model");
  Fabric fabric = Fabric::custom;
  if (body.material.model == OrthotropicSheetModel::name) {
    fabric = material.choice("fabric", fabric);
    material.explain("a measured fabric: the defaults of all numbers");
    material.know("thickness");
  }
  const bool is_measured = fabric != Fabric::custom;
  membrane.thickness = material.number(
      "thickness", above_zero("m"), is_measured ? std::optional(fabric_thickness) : std::nullopt);
  if (is_measured) {
    const double density = body.density;  // of the fabric, unless it is given
    set_fabric(body, fabric, membrane.thickness);
    body.density = density;
  }
  read_sheet_parameters(material, mesh, is_measured, body.material);
  membrane.bending = material.number(
      "bending", from_zero("N m"),
      is_measured ? *body.membrane->bending : plate_bending(body.material, membrane.thickness));
  membrane.bending_model = material.choice("bending_model", membrane.bending_model);
  body.membrane = membrane;
}

std::vector<Spring> read_springs(ObjectReader& material, SpringMesh mesh) {
  if (mesh.structural.empty()) connect_triangles(mesh);  // a surface from a file
  SpringSettings settings;
  material.expect({"model", "stiffness", "shear", "bending", "inextensible"});
  settings.stiffness = material.number("stiffness", above_zero("N/m"));
  if (mesh.shear.empty()) {
    material.reject("shear", mesh.triangles.empty()
                                 ? "a strand has no shear springs"
                                 : "only a cloth in cells has shear springs; triangles resist "
                                   "shear by their edges");
  } else {
    settings.shear = material.number("shear", from_zero("N/m"), settings.stiffness);
  }
  settings.bending =
      material.number("bending", from_zero("N/m"), bending_share * settings.stiffness);
  settings.inextensible = material.boolean("inextensible", settings.inextensible);
  return make_springs(mesh, settings);
}

/// Reads a round rod, or one with given stiffnesses in place of its own.
void read_rod(ObjectReader& material, const SpringMesh& mesh, Body& body) {
  material.expect({"model", "young", "poisson", "shear", "radius", "stretch", "bending", "twist",
                   "rest_shape", "rest_twist", "inextensible"});
  const double young = material.number("young", above_zero("Pa"));
  const double radius = material.number("radius", above_zero("m"));
  double shear = 0;
  if (material.has("shear")) {
    material.reject("poisson", "conflicts with shear; expected only one of the two");
    shear = material.number("shear", above_zero("Pa"));
  } else {
    const double poisson =
        material.number("poisson", {.low = -1, .high = 0.5, .high_included = true, .unit = ""});
    shear = young / (2 * (1 + poisson));
  }
  RodStiffness round;
  try {
    round = rod_stiffness(young, 0, radius);
  } catch (const Error& error) {
    material.fail("radius", error.message());
  }
  round.twist *= shear / (young / 2);
  const double stretch = material.number("stretch", above_zero("N"), round.stretch);
  RodSettings rod;
  rod.bending = material.number("bending", above_zero("N m^2"), round.bending);
  rod.twist = material.number("twist", above_zero("N m^2"), round.twist);
  rod.rest_shape = material.choice("rest_shape", rod.rest_shape);
  rod.rest_twist = material.number("rest_twist", {.low = -1e9, .high = 1e9, .unit = "degrees"}, 0);
  body.springs = make_springs(mesh, stretch, material.boolean("inextensible", false));
  body.rod = rod;
}

PlasticitySettings read_plasticity(ObjectReader& reader) {
  PlasticitySettings settings;
  reader.expect({"yield", "creep", "hardening", "max"});
  settings.yield = reader.number("yield", from_zero(""));
  if (reader.has("creep")) {
    settings.creep = reader.number("creep", above_zero("1/s"));
  } else {
    reader.know("creep");
    if (settings.yield == 0) {
      reader.fail("yield",
                  "a material that bears no strain and flows at once has no shape; expected a "
                  "strain above 0, or a creep");
    }
  }
  settings.hardening = reader.number("hardening", from_zero(""), settings.hardening);
  settings.max =
      reader.number("max", {.low = 0, .high = 3, .high_included = true, .unit = ""}, settings.max);
  return settings;
}

}  // namespace

MaterialSettings read_material(ObjectReader& material, const TetMesh& mesh) {
  MaterialSettings settings;
  std::vector<std::string> of_tets = names_of(list_materials());
  of_tets.emplace_back(rigid_name);
  settings.model = read_model(material, std::move(of_tets));
  const bool is_rod = settings.model == rod_name;
  if (is_spring(settings.model) || is_rod || is_woven(settings.model)) {
    material.fail("model", settings.model + " is for " +
                               (is_woven(settings.model) ? "membranes"
                                : is_rod                 ? "strands"
                                                         : "cloth and strands") +
                               ", but this body has tets; expected a material of tets, for "
                               "example neo_hookean");
  }
  material.know("plasticity");
  if (settings.model == rigid_name) {
    material.expect({"model"});
    return settings;
  }
  read_parameters(material, mesh, false, {}, false, settings);
  make_material(settings, material.where());  // its checks point below `where`
  material.optional_object("plasticity", [&](ObjectReader& plasticity) {
    settings.plasticity = read_plasticity(plasticity);
  });
  return settings;
}

MaterialSettings read_sheet(ObjectReader& material, const SpringMesh& mesh) {
  MaterialSettings settings;
  material.reject("plasticity", "plastic flow needs tets, but this body is a membrane");
  settings.model = read_model(material, sheet_names());
  if (is_spring(settings.model) || settings.model == rod_name) {
    material.fail("model", "a membrane has no " + settings.model +
                               (is_spring(settings.model) ? "s" : "") +
                               "; expected another material of it");
  }
  read_sheet_parameters(material, mesh, false, settings);
  return settings;
}

void read_cloth_material(ObjectReader& material, const SpringMesh& mesh, Body& body) {
  material.reject("plasticity", "plastic flow needs tets, but this body has none");
  std::vector<std::string> offered = names_of(list_spring_materials());
  if (!mesh.triangles.empty()) {
    offered.erase(std::find(offered.begin(), offered.end(), rod_name));
    for (std::string& name : sheet_names()) offered.push_back(std::move(name));
  }
  const std::string model = read_model(material, std::move(offered));
  if (is_spring(model)) {
    body.springs = read_springs(material, mesh);
    return;
  }
  if (mesh.triangles.empty()) {
    if (model != rod_name) {
      material.fail("model", model +
                                 " needs tets or triangles, but this body is a strand; expected "
                                 "spring or rod");
    }
    read_rod(material, mesh, body);
    return;
  }
  if (model == rod_name) {
    material.fail("model",
                  "rod is for strands, but this body has triangles; expected spring, or "
                  "a material of a membrane, for example neo_hookean with a thickness");
  }
  body.material.model = model;
  read_membrane(material, mesh, body);
}

}  // namespace supple
