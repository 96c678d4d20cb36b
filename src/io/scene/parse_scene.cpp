#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/names.h"
#include "io/scene/json_text.h"
#include "io/scene/readers.h"
#include "io/scene/scene_json.h"
#include "sim/bond_checks.h"
#include "sim/separations.h"
#include "sim/stepper.h"
#include "sim/touches.h"
#include "supple/error.h"

namespace supple {

namespace {

constexpr int format_version = 1;

void check_version(ObjectReader& reader) {
  if (!reader.has("supple")) {
    reader.fail("the key 'supple' is missing: the version of the format, \"supple\": 1");
  }
  const long long version = reader.whole("supple", 0, 1'000'000);
  if (version != format_version) {
    reader.fail("supple",
                std::to_string(version) + " is not a version that this program reads; expected 1");
  }
}

/// The names in a list. They must differ.
class Names {
 public:
  /// Refuses a name that occurs earlier in the list. `at`: the object with that name.
  void add(const std::string& name, const ObjectReader& at) {
    const auto [first, is_new] = owners_.emplace(name, at.pointer());
    if (is_new) return;
    at.fail("name", "'" + pointer_step(name) + "' is the name of " + first->second +
                        "; expected one of its own");
  }

 private:
  std::map<std::string, std::string> owners_;
};

std::vector<Body> read_bodies(ObjectReader& reader, const SceneSources& sources) {
  std::vector<Body> bodies;
  Names names;
  std::size_t tets_left = sources.max_tets;
  reader.each("bodies", [&](ObjectReader& body) {
    bodies.push_back(read_body(body, bodies.size(), sources, tets_left));
    names.add(bodies.back().name, body);
    const Body& last = bodies.back();
    const std::size_t used =
        last.mesh.tets.size() + last.springs.size() + (last.membrane ? last.triangles.size() : 0);
    tets_left = used < tets_left ? tets_left - used : 0;
  });
  return bodies;
}

/// Checks that the colliders followed by pins exist.
void check_followers(const ObjectReader& reader, const Scene& scene) {
  std::vector<std::string> names;
  for (const Collider& collider : scene.colliders) names.push_back(collider.name);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    for (std::size_t p = 0; p < scene.bodies[b].pins.size(); ++p) {
      const std::string& name = scene.bodies[b].pins[p].collider;
      if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) continue;
      throw Error(ErrorKind::invalid_input,
                  json_place(reader.where(), "/bodies/" + std::to_string(b) + "/pins/" +
                                                 std::to_string(p) + "/collider"),
                  unknown_name("collider", name, names));
    }
  }
}

Scene read_scene(ObjectReader& reader, const std::string& default_name,
                 const SceneSources& sources) {
  Scene scene;
  reader.leave("$schema");
  reader.expect({"supple", "name", "time", "gravity", "solver", "bodies", "colliders", "blades",
                 "contact", "damping", "wind", "bonds", "seams"});
  check_version(reader);
  scene.name = reader.text("name", default_name);
  reader.object("time", [&](ObjectReader& time) { scene.time = read_time(time); });
  scene.gravity = reader.vector("gravity", any_number("m/s^2"), scene.gravity);
  scene.bodies = read_bodies(reader, sources);
  if (is_explicit(scene.time.integrator)) {
    reader.reject("solver", std::string(to_string(scene.time.integrator)) +
                                " solves nothing and reads no solver: leave it out (or remove "
                                "it with --set /solver=null)");
  } else {
    reader.object("solver", [&](ObjectReader& solver) {
      scene.solver = read_solver(solver, suitable_method(scene.bodies));
    });
  }
  Names names;
  reader.each("colliders", [&](ObjectReader& collider) {
    scene.colliders.push_back(read_collider(collider, scene.colliders.size(), sources));
    names.add(scene.colliders.back().name, collider);
  });
  Names of_blades;
  reader.each("blades", [&](ObjectReader& blade) {
    scene.blades.push_back(read_blade(blade, scene.blades.size()));
    of_blades.add(scene.blades.back().name, blade);
  });
  reader.object("contact", [&](ObjectReader& contact) { scene.contact = read_contact(contact); });
  reader.object("damping", [&](ObjectReader& damping) {
    damping.expect({"drag", "stiffness", "loss_factor", "frequency"});
    scene.damping.drag = damping.number("drag", from_zero("1/s"), scene.damping.drag);
    scene.damping.stiffness = read_damping_time(damping, scene.damping.stiffness);
  });
  reader.optional_object("wind", [&](ObjectReader& wind) { scene.wind = read_wind(wind); });
  reader.each("bonds",
              [&](ObjectReader& bond) { scene.bonds.push_back(read_bond(bond, scene.bodies)); });
  reader.each("seams",
              [&](ObjectReader& seam) { scene.seams.push_back(read_seam(seam, scene.bodies)); });
  reader.finish();
  // Unknown keys are reported first, because "bodys" may be a misspelling of "bodies".
  if (scene.bodies.empty()) reader.fail("bodies", "a scene needs at least one body");
  if (const auto fault = find_material_fault(scene, scene.solver.method)) {
    throw Error(ErrorKind::invalid_input, json_place(reader.where(), fault->where + fault->key),
                fault->message);
  }
  check_followers(reader, scene);
  if (const auto fault = find_bond_fault(scene)) {
    throw Error(ErrorKind::invalid_input, json_place(reader.where(), fault->where), fault->message);
  }
  if (const auto unknown = find_unknown_touch(scene)) {
    throw Error(ErrorKind::invalid_input, json_place(reader.where(), unknown->where),
                unknown->message);
  }
  try {
    check_separations(scene);
  } catch (const Error& error) {
    throw Error(ErrorKind::invalid_input, json_place(reader.where(), error.where()),
                error.message());
  }
  return scene;
}

}  // namespace

LoadedScene parse_scene(std::string_view text, const std::string& name, const SceneSources& sources,
                        const std::vector<Override>& overrides) {
  nlohmann::ordered_json document = parse_json(text, name);
  apply_overrides(overrides, name, document);
  ObjectReader reader(document, name, "");
  LoadedScene loaded;
  const std::string stem = std::filesystem::path(name).stem().string();
  loaded.scene = read_scene(reader, stem.empty() ? "scene" : stem, sources);
  constexpr int indent = 2;
  loaded.settings =
      reader.record().dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  loaded.fields = reader.fields();
  return loaded;
}

}  // namespace supple
