#include <iterator>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <variant>

#include "io/scene/schema.h"
#include "materials/material_table.h"
#include "sim/solver_options.h"
#include "supple/error.h"

namespace supple {

using nlohmann::ordered_json;

namespace {

/// Scenes for everything that is not in a table.
const char* const written[] = {
    // Meshes, springs and rods.
    R"({ "supple": 1, "bodies": [
      { "mesh": { "box": {} }, "material": { "model": "arap", "mu": 1 } },
      { "mesh": { "bar": { "cells": [1, 1, 1] } }, "material": { "model": "arap", "mu": 1 } },
      { "mesh": { "sphere": { "cells": 2 } }, "material": { "model": "arap", "mu": 1 } },
      { "mesh": { "cylinder": { "cells": 2 } }, "material": { "model": "arap", "mu": 1 } },
      { "mesh": { "torus": {} }, "material": { "model": "arap", "mu": 1 } },
      { "mesh": { "tetrahedron": {} }, "material": { "model": "arap", "mu": 1 } },
      { "mesh": { "cloth": {} }, "material": { "model": "spring", "stiffness": 1 } },
      { "mesh": { "icosphere": {} }, "material": { "model": "spring", "stiffness": 1 } },
      { "mesh": { "strand": {} }, "material": { "model": "spring", "stiffness": 1 } },
      { "mesh": { "polyline": { "points": [[0, 0, 0], [1, 0, 0]] } },
        "material": { "model": "rod", "young": 1e6, "poisson": 0.3, "radius": 0.01 } },
      { "mesh": { "helix": {} },
        "material": { "model": "rod", "young": 1e6, "shear": 1e6, "radius": 0.01 } } ] })",
    // Bodies.
    R"({ "supple": 1, "name": "bodies", "wind": { "velocity": [1, 0, 0] }, "bodies": [
      { "name": "a", "mesh": { "tetrahedron": {} }, "mass": 3,
        "transform": { "scale": 2, "rotate": { "axis": [0, 1, 0], "degrees": 90 },
                       "translate": [0, 1, 0] },
        "material": { "model": "arap", "mu": 1 }, "layers": [ { "model": "volume", "mu": 1 } ],
        "regions": [ { "box": [[-9, -9, -9], [9, 9, 9]],
                       "material": { "model": "arap", "mu": 2 } } ],
        "fiber": { "direction": [1, 0, 0], "kappa": 1,
                   "activation": { "keyframes": [ { "time": 0, "value": 0 },
                                                  { "time": 1, "value": 0.5 } ] } },
        "growth": [ { "stretch": 1.1, "direction": "fiber", "box": [[-9, -9, -9], [9, 9, 9]] },
                    { "stretch": { "keyframes": [ { "time": 0, "value": 1 } ] },
                      "direction": [1, 0, 0] },
                    { "stretch": 1 } ],
        "damping": { "stiffness": 0.1 }, "velocity": [1, 0, 0], "touches": [],
        "initial": { "randomize": { "box": [[0, 0, 0], [1, 1, 1]] } },
        "pins": [
          { "select": { "vertices": [0] },
            "motion": { "rotate": { "axis": [1, 0, 0], "degrees_per_second": 45 },
                        "translate": { "velocity": [0, 0.5, 0] } } },
          { "select": { "box": [[-9, -9, -9], [9, 9, 9]] },
            "motion": { "keyframes": [ { "time": 0 },
                                       { "time": 1, "rotate": { "axis": [0, 0, 1], "degrees": 9 } } ] } },
          { "select": { "vertices": [1] }, "collider": "floor" } ],
        "pressure": { "gas": { "keyframes": [ { "time": 0, "value": 1 } ] } } },
      { "mesh": { "tetrahedron": {} }, "material": { "model": "arap", "mu": 1 },
        "transform": { "scale": [1, 1, 2] }, "fiber": { "radial": {}, "kappa": 1 },
        "damping": { "loss_factor": 0.1, "frequency": 2 },
        "initial": { "flatten": { "axis": "z" } }, "pressure": { "gas": 1 } },
      { "mesh": { "tetrahedron": {} }, "material": { "model": "arap", "mu": 1 },
        "fiber": { "laplace": { "from": { "vertices": [0] }, "to": { "vertices": [1] } },
                   "kappa": 1 },
        "initial": { "stretch": [1, 1, 2] }, "volume": "exact" },
      { "mesh": { "file": "fields.mesh" }, "pressure": { "overpressure": { "keyframes": [ { "time": 0, "value": 1 } ] } },
        "material": { "model": "stvk", "young": { "field": "one" }, "poisson": { "field": "third" } },
        "fiber": { "direction": { "x": "one", "y": "one", "z": "one" }, "kappa": 1 } },
      { "mesh": { "file": "fields.mesh" }, "material": { "model": "arap", "mu": 1 },
        "fiber": [ { "direction": { "x": "one", "y": "one", "z": "one" }, "kappa": 1,
                     "activation": { "keyframes": [ { "time": 0, "value": 0 },
                                                    { "time": 1, "value": 0.5 } ] } },
                   { "direction": [1, 0, 0], "curve": [[1, 0], [2, 1]] },
                   { "radial": {}, "kappa": 1 },
                   { "laplace": { "from": { "vertices": [0] },
                                  "to": { "box": [[-9, -9, -9], [9, 9, 9]] } }, "kappa": 1 } ] },
      { "mesh": { "tetrahedron": {} }, "material": { "model": "arap", "mu": 1 },
        "fiber": { "direction": [1, 0, 0], "curve": [[1, 0], [2, 1]] } },
      { "mesh": { "tetrahedron": {} }, "pressure": 1, "initial": "rest",
        "material": { "model": "arap", "young": 1, "poisson": 0.3,
                      "plasticity": { "yield": 0.05, "creep": 3 } } },
      { "mesh": { "tetrahedron": {} },
        "material": { "model": "arap", "mu": 1, "plasticity": { "yield": 0.05 } } },
      { "mesh": { "file": "fields.mesh" },
        "material": { "model": "spline", "preset": "A", "young": 1e5, "poisson": 0.3 } },
      { "mesh": { "file": "fields.mesh" },
        "material": { "model": "spline", "preset": "B", "mu": 1e5, "lambda": 1e5 } },
      { "mesh": { "cloth": { "cells": [1, 1] } },
        "material": { "model": "arap", "mu": 1e5, "thickness": 0.001, "bending": 1, "bending_model": "dihedral" },
        "folds": [ { "select": { "vertices": [0, 1, 2, 3] }, "degrees": 90 } ] },
      { "mesh": { "cloth": { "cells": [1, 1] } },
        "material": { "model": "orthotropic_stvk", "fabric": "gray_interlock" } } ],
      "colliders": [
        { "name": "floor", "plane": {}, "friction": 0.1, "touches": [] },
        { "sphere": {}, "motion": { "translate": { "velocity": [1, 0, 0] } } },
        { "box": {} }, { "capsule": {} }, { "cylinder": {} }, { "torus": {} },
        { "mesh": { "file": "surface.obj" }, "transform": {} },
        { "convex_hull": { "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] } },
        { "convex_hull": { "file": "surface.obj" } },
        { "height_field": { "heights": [[0, 0], [0, 0]] } },
        { "height_field": { "file": "heights.txt" } } ] })",
    // Things that tie bodies together, and things that separate them.
    R"({ "supple": 1, "bodies": [
      { "name": "a", "mesh": { "tetrahedron": {} }, "material": { "model": "arap", "mu": 1 } },
      { "name": "b", "mesh": { "tetrahedron": {} }, "material": { "model": "arap", "mu": 1 } },
      { "name": "c", "mesh": { "cloth": { "cells": [1, 1] } }, "material": { "model": "spring", "stiffness": 1 } },
      { "name": "d", "mesh": { "cloth": { "cells": [1, 1] } }, "material": { "model": "spring", "stiffness": 1 } } ],
      "bonds": [ { "body": "a", "select": { "vertices": [0] }, "to": "b" },
                 { "body": "a", "select": { "vertices": [1] }, "to": "b", "distance": 1 } ],
      "seams": [ { "a": { "body": "c", "select": { "vertices": [0, 1] } },
                   "b": { "body": "d", "select": { "vertices": [0, 1] } } } ] })",
    R"({ "supple": 1, "bodies": [
      { "name": "a", "mesh": { "tetrahedron": {} }, "material": { "model": "arap", "mu": 1 },
        "tearing": { "stretch": 2 } },
      { "mesh": { "tetrahedron": {} }, "material": { "model": "arap", "mu": 1 },
        "tearing": { "stress": 1e5 } },
      { "mesh": { "strand": {} }, "material": { "model": "spring", "stiffness": 1 },
        "tearing": { "force": 1 } } ],
      "blades": [ { "segment": [[0, 0, 0], [1, 0, 0]], "cuts": ["a"],
                    "motion": { "translate": { "velocity": [1, 0, 0] } } },
                  { "triangle": [[0, 0, 0], [1, 0, 0], [0, 1, 0]] } ] })",
    // A limit that depends on another one.
    R"({ "supple": 1, "solver": { "line_search": { "type": "wolfe", "sufficient_decrease": 0.2 } },
      "bodies": [ { "mesh": { "tetrahedron": {} }, "material": { "model": "arap", "mu": 1 } } ] })"};

ordered_json with_body(const ordered_json& material, const char* mesh) {
  return {{"supple", 1},
          {"bodies", {{{"mesh", ordered_json::parse(mesh)}, {"material", material}}}}};
}

/// A value for a parameter; by_field: taken from the mesh if that is possible.
ordered_json value_of(const MaterialParameter& parameter, const MaterialSettings& settings,
                      bool by_field) {
  const auto value = [&]<class T>(T MaterialSettings::*member) -> ordered_json {
    if constexpr (std::is_same_v<T, Parameter>) {
      return by_field ? ordered_json{{"field", "one"}} : ordered_json((settings.*member).value);
    } else if constexpr (std::is_same_v<T, double>) {
      return 0.5;
    } else if constexpr (std::is_same_v<T, SplineCurve>) {
      return ordered_json::parse("[[0, -1], [1, 0], [2, 1]]");
    } else if constexpr (std::is_same_v<T, ScalarFunction>) {
      return ordered_json::parse(
          R"([{"coefficient": 1, "power": 2}, {"coefficient": 1, "log_power": 2}])");
    } else if constexpr (std::is_same_v<T, Vec3>) {
      return settings.*member;
    } else {
      return ordered_json::array({(settings.*member)[0], (settings.*member)[1]});
    }
  };
  return std::visit(value, parameter.member);
}

/// Adds each material for tets, with its parameters as numbers and as fields, and for a membrane,
/// whether the combination exists or not.
void add_materials(std::vector<ordered_json>& scenes) {
  for (const MaterialRow& row : material_table()) {
    MaterialSettings settings;
    settings.mu = settings.lambda = 1;
    if (row.set_moduli != nullptr) row.set_moduli(1, 1, settings);
    for (const bool by_field : {false, true}) {
      ordered_json material{{"model", row.name}};
      for (const MaterialParameter& parameter : row.parameters) {
        material[parameter.key] = value_of(parameter, settings, by_field);
      }
      material["plasticity"] = {{"yield", 0.1}};
      scenes.push_back(with_body(material, R"({"file": "fields.mesh"})"));
      material.erase("plasticity");
      material["thickness"] = 0.001;
      scenes.push_back(with_body(material, R"({"cloth": {"cells": [1, 1]}})"));
      scenes.push_back(with_body(material, R"({"file": "surface.obj"})"));
    }
    if (!row.by_young) continue;
    ordered_json material{{"model", row.name}, {"young", 1}, {"poisson", 0.3}};
    scenes.push_back(with_body(material, R"({"file": "fields.mesh"})"));
  }
}

/// Adds each method with each choice of each option, whether they are compatible or not.
void add_solvers(std::vector<ordered_json>& scenes) {
  ordered_json scene = with_body({{"model", "arap"}, {"mu", 1}}, R"({"tetrahedron": {}})");
  for (const SolverMethod method : all_choices<SolverMethod>()) {
    scene["solver"] = {{"method", to_string(method)}};
    scenes.push_back(scene);
    for (const SolverOption& option : solver_options()) {
      for (const std::string& choice : solver_choices(method, option.key)) {
        scene["solver"] = {{"method", to_string(method)}};
        const ordered_json::json_pointer place("/solver/" + std::string(option.key));
        scene[place] = choice;
        scenes.push_back(scene);
      }
    }
  }
}

}  // namespace

std::vector<std::string> schema_examples() {
  std::vector<ordered_json> made;
  add_materials(made);
  add_solvers(made);
  std::vector<std::string> examples(std::begin(written), std::end(written));
  for (const ordered_json& scene : made) {
    examples.push_back(scene.dump());
    try {
      parse_scene(examples.back(), "example", schema_sources());
    } catch (const Error&) {
      examples.pop_back();
    }
  }
  return examples;
}

SceneSources schema_sources() {
  SceneSources sources;
  sources.tet_mesh = [](const std::string&) {
    TetMesh mesh = generate(TetrahedronGenerator{});
    mesh.tet_fields["one"] = {1};
    mesh.tet_fields["third"] = {1.0 / 3};
    return mesh;
  };
  sources.triangle_mesh = [](const std::string&) {
    TriangleMesh mesh;
    mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    return mesh;
  };
  sources.height_grid = [](const std::string&) { return HeightGrid{2, 2, {0, 0, 0, 0}}; };
  return sources;
}

}  // namespace supple
