#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "c_interface/fault.h"
#include "c_interface/handles.h"
#include "supple/own_material.h"
#include "supple/version.h"

namespace {

using supple::given;

std::vector<supple::Override> overrides_of(const SuppleOverride* overrides, std::size_t count) {
  if (count > 0) given(overrides, "overrides");
  std::vector<supple::Override> list;
  for (std::size_t i = 0; i < count; ++i) {
    list.push_back({&given(overrides[i].pointer, "overrides: pointer"),
                    &given(overrides[i].value, "overrides: value")});
  }
  return list;
}

/// Mesh files that a scene names, in a folder.
supple::SceneSources sources_in(const std::filesystem::path& folder) {
  supple::SceneSources sources;
  sources.tet_mesh = [folder](const std::string& name) {
    return supple::read_tet_mesh(folder / name);
  };
  sources.triangle_mesh = [folder](const std::string& name) {
    return supple::read_triangle_mesh(folder / name);
  };
  sources.strands = [folder](const std::string& name) {
    return supple::read_strands(folder / name);
  };
  sources.height_grid = [folder](const std::string& name) {
    return supple::read_heights(folder / name);
  };
  return sources;
}

}  // namespace

const char* supple_version() { return supple::version(); }
int32_t supple_version_number() { return supple::version_number(); }

SuppleScene* supple_scene_load(const char* file, const SuppleOverride* overrides,
                               size_t num_overrides) {
  return supple::made([&] {
    return std::make_unique<SuppleScene>(
               SuppleScene{supple::load_scene_with_settings(
                   &given(file, "file"), overrides_of(overrides, num_overrides))})
        .release();
  });
}

SuppleScene* supple_scene_parse(const char* text, size_t size, const char* name, const char* folder,
                                const SuppleOverride* overrides, size_t num_overrides) {
  return supple::made([&] {
    const std::string_view json(&given(text, "text"), size);
    const auto sources = sources_in(folder != nullptr ? folder : "");
    return std::make_unique<SuppleScene>(
               SuppleScene{supple::parse_scene(json, name != nullptr ? name : "scene", sources,
                                               overrides_of(overrides, num_overrides))})
        .release();
  });
}

SuppleError supple_scene_add_distance(SuppleScene* scene, const char* name, SuppleDistance distance,
                                      void* user, double friction) {
  return supple::guarded([&] {
    std::vector<supple::Collider>& colliders = given(scene, "scene").loaded.scene.colliders;
    given(distance, "distance");
    supple::require(std::isfinite(friction), "friction", "is not a finite number");
    supple::Collider collider;
    collider.name = name != nullptr ? name : "distance_" + std::to_string(colliders.size());
    collider.shape =
        supple::DistanceShape{[distance, user](const supple::Vec3& x, supple::Vec3& gradient) {
          return distance(user, x.data(), gradient.data());
        }};
    if (friction >= 0) collider.friction = friction;
    for (const supple::Collider& other : colliders) {
      supple::require(other.name != collider.name, "name",
                      "is that of another collider of the scene: '" + collider.name + "'");
    }
    colliders.push_back(std::move(collider));
  });
}

SuppleError supple_scene_set_energy(SuppleScene* scene, int32_t body, SuppleEnergyDensity energy,
                                    SuppleStress stress, SuppleHessian hessian, void* user) {
  using supple::Mat3;
  return supple::guarded([&] {
    std::vector<supple::Body>& bodies = given(scene, "scene").loaded.scene.bodies;
    given(energy, "energy");
    given(stress, "stress");
    supple::require(body >= 0 && static_cast<std::size_t>(body) < bodies.size(), "body",
                    "there is no body " + std::to_string(body) + "; the scene has " +
                        std::to_string(bodies.size()));
    supple::OwnFunctions functions;
    functions.energy_density = [=](const Mat3<double>& F) { return energy(user, &F.a[0][0]); };
    functions.stress = [=](const Mat3<double>& F) {
      Mat3<double> P;
      stress(user, &F.a[0][0], &P.a[0][0]);
      return P;
    };
    if (hessian != nullptr) {
      functions.hessian = [=](const Mat3<double>& F) {
        supple::Matrix9<double> H;
        hessian(user, &F.a[0][0], H[0].data());
        return H;
      };
    }
    supple::MaterialSettings& material = bodies[static_cast<std::size_t>(body)].material;
    supple::MaterialSettings own = supple::own_material(std::move(functions));
    own.plasticity = material.plasticity;
    material = std::move(own);
  });
}

void supple_scene_destroy(SuppleScene* scene) { delete scene; }

const char* supple_scene_settings(const SuppleScene* scene) {
  return supple::made([&] { return given(scene, "scene").loaded.settings.c_str(); });
}
