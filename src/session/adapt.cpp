#include <algorithm>
#include <charconv>
#include <map>

#include "io/scene/json_text.h"
#include "session/command_list.h"
#include "session/material_conversion.h"
#include "session/session_state.h"
#include "supple/error.h"

namespace supple {

namespace {

/// At most this many keys that a new choice refuses are removed, one after another.
constexpr int most_repairs = 60;

std::vector<std::string> steps_of(const std::string& pointer) {
  std::vector<std::string> steps;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      steps.emplace_back();
    } else if (!steps.empty()) {
      steps.back() += pointer[i];
    }
  }
  return steps;
}

/// The value that a pointer leads to in a document; null if there is none.
ordered_json* find(ordered_json& document, const std::vector<std::string>& steps) {
  ordered_json* at = &document;
  for (const std::string& step : steps) {
    if (at->is_object() && at->contains(step)) {
      at = &(*at)[step];
      continue;
    }
    std::size_t index = 0;
    const char* const end = step.data() + step.size();
    const auto read = std::from_chars(step.data(), end, index);
    if (!at->is_array() || read.ec != std::errc() || read.ptr != end || index >= at->size()) {
      return nullptr;
    }
    at = &(*at)[index];
  }
  return at;
}

/// Lists on the way to a value that are missing in the document are taken from the defaults.
void fill_in_lists(ordered_json& document, const ordered_json& settings,
                   const std::vector<std::string>& steps) {
  ordered_json defaults = settings;
  for (std::size_t n = 1; n < steps.size(); ++n) {
    const std::vector<std::string> way(steps.begin(), steps.begin() + static_cast<long>(n));
    if (find(document, way) != nullptr) continue;
    const ordered_json* const list = find(defaults, way);
    if (list == nullptr || !list->is_array()) return;
    std::vector<std::string> above = way;
    above.pop_back();
    ordered_json* const object = find(document, above);
    if (object == nullptr || !object->is_object()) return;
    (*object)[way.back()] = *list;
    return;
  }
}

/// A material in a scene: the position of its object in the document, and what was read from it.
struct FoundMaterial {
  std::vector<std::string> place;
  const MaterialSettings* settings;
  std::string key;  ///< the key of the material that the pointer leads to
  bool is_cloth = false;
};

/// The material that a pointer leads into: /bodies/b/material, /layers/l or /regions/r/material.
std::optional<FoundMaterial> material_of(const Scene& scene,
                                         const std::vector<std::string>& steps) {
  const auto index = [](const std::string& step, std::size_t size) -> std::optional<std::size_t> {
    std::size_t value = 0;
    const auto read = std::from_chars(step.data(), step.data() + step.size(), value);
    if (read.ec != std::errc() || read.ptr != step.data() + step.size() || value >= size) return {};
    return value;
  };
  if (steps.size() < 4 || steps[0] != "bodies") return {};
  const auto b = index(steps[1], scene.bodies.size());
  if (!b) return {};
  const Body& body = scene.bodies[*b];
  const MaterialSettings* settings = nullptr;
  std::size_t length = 0;
  if (steps[2] == "material") {
    settings = &body.material;
    length = 3;
  } else if (const auto l = index(steps[3], body.layers.size()); steps[2] == "layers" && l) {
    settings = &body.layers[*l];
    length = 4;
  } else if (const auto r = index(steps[3], body.regions.size());
             steps[2] == "regions" && r && steps.size() > 4 && steps[4] == "material") {
    settings = &body.regions[*r].material;
    length = 5;
  }
  const bool is_cloth = body.mesh.tets.empty();
  if (is_cloth && length != 3) return {};
  if (settings == nullptr || steps.size() <= length) return {};
  // For strands, only a new model changes other keys.
  if (is_cloth && body.triangles.empty() && steps[length] != "model") return {};
  return FoundMaterial{{steps.begin(), steps.begin() + static_cast<long>(length)},
                       settings,
                       steps[length],
                       is_cloth};
}

/// Replaces one pair of moduli by the other if a modulus of the other pair is being set, and a
/// preset by its points if one of its curves is being edited.
void prepare_material(ordered_json& material, const FoundMaterial& found, bool is_leaf) {
  const MaterialSettings& settings = *found.settings;
  const std::string& key = found.key;
  const auto erase = [&](std::initializer_list<const char*> keys) {
    for (const char* name : keys) material.erase(name);
  };
  const bool by_lame = material.contains("mu") || material.contains("lambda");
  const bool by_young = material.contains("young") || material.contains("poisson");
  double mu = settings.mu.per_tet.empty() ? settings.mu.value : settings.mu.per_tet[0];
  double lambda =
      settings.lambda.per_tet.empty() ? settings.lambda.value : settings.lambda.per_tet[0];
  const bool of_preset = material.contains("preset");
  if (of_preset) {
    const auto moduli = small_strain_moduli(settings);
    if (!moduli) return;
    std::tie(mu, lambda) = *moduli;
  }
  if (is_leaf && (key == "young" || key == "poisson") && by_lame && !by_young) {
    const auto [young, poisson] = young_and_poisson(mu, lambda);
    erase({"mu", "lambda"});
    material["young"] = young;
    material["poisson"] = poisson;
  } else if (is_leaf && (key == "mu" || key == "lambda") && by_young && !by_lame) {
    erase({"young", "poisson"});
    material["mu"] = mu;
    if (settings.model != "arap") material["lambda"] = lambda;
  } else if (of_preset && (key == "a" || key == "b" || key == "c")) {
    erase({"preset", "young", "poisson", "mu", "lambda"});
    material.update(curve_points(settings));
  }
}

/// A measured fabric's numbers replace those that are there. Without a fabric they become the
/// material's own.
void prepare_fabric(ordered_json& material, const Body& body, const ordered_json& fabric) {
  const MaterialSettings& settings = body.material;
  const std::pair<const char*, double> numbers[] = {
      {"warp", settings.warp},
      {"weft", settings.weft},
      {"shear", settings.shear},
      {"poisson", settings.poisson},
      {"thickness", body.membrane->thickness},
      {"bending", body.membrane->bending.value_or(0)}};
  const bool is_measured = fabric.is_string() && fabric != to_string(Fabric::custom);
  for (const auto& [key, number] : numbers) {
    if (is_measured) {
      material.erase(key);
    } else if (!material.contains(key)) {
      material[key] = number;
    }
  }
}

/// Prepares the neighbours of a value before it is inserted.
void prepare(ordered_json& document, const SceneOrigin& origin, const Setup& setup,
             const std::string& pointer, const ordered_json& value) {
  const std::vector<std::string> steps = steps_of(pointer);
  fill_in_lists(document, setup.settings(), steps);
  if (pointer == "/time/integrator" && !document.contains("solver") &&
      origin.document().contains("solver")) {
    document["solver"] = origin.document()["solver"];  // an explicit integrator had none
  }
  if (pointer == "/time/integrator" && value == "quasi_static") {
    // quasi_static has nothing to extrapolate, which is noticed only when the scene is built.
    ordered_json* const solver = find(document, {"solver"});
    if (solver != nullptr && solver->is_object() && solver->value("start", "") == "extrapolated") {
      solver->erase("start");
    }
  }
  const auto found = material_of(setup.scene(), steps);
  if (!found) return;
  ordered_json* const material = find(document, found->place);
  if (material == nullptr || !material->is_object()) return;
  const bool is_leaf = steps.size() == found->place.size() + 1;
  if (found->key == "model" && is_leaf && value.is_string()) {
    const auto& convert = found->is_cloth ? converted_cloth_material : converted_material;
    *material = convert(*material, *found->settings, value.get<std::string>());
  } else if (found->key == "fabric" && is_leaf) {
    for (const Body& body : setup.scene().bodies) {
      if (&body.material == found->settings && body.membrane)
        prepare_fabric(*material, body, value);
    }
  } else {
    prepare_material(*material, *found, is_leaf);
  }
}

bool begins_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

/// Is a refusal at `place` caused by a value that was given elsewhere?
bool follows_from(const std::string& place, const ordered_json& values) {
  bool of_choice = false;
  for (const auto& item : values.items()) {
    const std::string& given = item.key();
    if (place == given || begins_with(place, given + "/")) return false;
    const bool in_solver = begins_with(given, "/solver/") && begins_with(place, "/solver/");
    const bool by_integrator =
        given == "/time/integrator" && (place == "/solver" || begins_with(place, "/solver/"));
    of_choice = of_choice || in_solver || by_integrator;
  }
  return of_choice;
}

/// Removes the refused value. False if it was itself asked for, or if the refusal does not follow
/// from what was.
bool repair(ordered_json& document, const std::string& where, const ordered_json& values) {
  const std::size_t begin = where.find('/');
  if (begin == std::string::npos) return false;
  const std::string place = where.substr(begin);
  if (!follows_from(place, values)) return false;
  std::vector<std::string> steps = steps_of(place);
  if (find(document, steps) == nullptr) return false;
  const std::string key = steps.back();
  steps.pop_back();
  ordered_json* const object = find(document, steps);
  if (object == nullptr || !object->is_object()) return false;
  object->erase(key);
  return true;
}

}  // namespace

const MaterialSettings* find_material(const Scene& scene, const std::string& pointer) {
  const auto found = material_of(scene, steps_of(pointer + "/model"));
  return found && found->key == "model" ? found->settings : nullptr;
}

SetupPointer with_values(std::size_t max_tets, SceneOrigin& origin, const Setup& setup,
                         const ordered_json& values) {
  ordered_json document = ordered_json::parse(*setup.edit.document);
  std::vector<Override> overrides;
  for (const auto& [pointer, value] : values.items()) {
    prepare(document, origin, setup, pointer, value);
    apply_overrides({{pointer, value.dump(-1, ' ', false, ordered_json::error_handler_t::replace)}},
                    origin.source(), document);
  }
  for (int repairs = 0;; ++repairs) {
    try {
      return read_setup(max_tets, origin, document, setup.edit);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::invalid_input || repairs == most_repairs ||
          !repair(document, error.where(), values)) {
        throw;
      }
    }
  }
}

}  // namespace supple
