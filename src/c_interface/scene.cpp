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
  return supple_scene_parse_with(text, size, name, folder, overrides, num_overrides, nullptr);
}

SuppleScene* supple_scene_parse_with(const char* text, size_t size, const char* name,
                                     const char* folder, const SuppleOverride* overrides,
                                     size_t num_overrides, const SuppleMeshes* meshes) {
  return supple::made([&] {
    const std::string_view json(&given(text, "text"), size);
    const auto sources = supple::sources_in(folder != nullptr ? folder : "", meshes);
    return std::make_unique<SuppleScene>(
               SuppleScene{supple::parse_scene(json, name != nullptr ? name : "scene", sources,
                                               overrides_of(overrides, num_overrides))})
        .release();
  });
}

SuppleError supple_scene_set_springs(SuppleScene* scene, int32_t body, const int32_t* vertices,
                                     const double* stiffness, const double* rest_lengths,
                                     size_t count) {
  return supple::guarded([&] {
    supple::Body& own = supple::body_of(given(scene, "scene").loaded.scene, body);
    supple::require(own.mesh.tets.empty() && !own.membrane && !own.rod, "body",
                    "is no cloth or strand of springs: expected the material spring");
    if (count > 0) given(vertices, "vertices"), given(stiffness, "stiffness");
    std::vector<supple::Spring> springs(count);
    for (std::size_t i = 0; i < count; ++i) {
      supple::Spring& spring = springs[i];
      spring = {vertices[2 * i], vertices[2 * i + 1], stiffness[i], 0};
      const auto place = [&](int vertex) {
        supple::require(vertex >= 0 && static_cast<std::size_t>(vertex) < own.mesh.vertices.size(),
                        "vertices",
                        "spring " + std::to_string(i) + " names vertex " + std::to_string(vertex) +
                            "; the body has " + std::to_string(own.mesh.vertices.size()));
        return own.mesh.vertices[static_cast<std::size_t>(vertex)];
      };
      const supple::Vec3 a = place(spring.a), b = place(spring.b);
      spring.rest_length = rest_lengths != nullptr
                               ? rest_lengths[i]
                               : std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    }
    own.springs = std::move(springs);
  });
}

SuppleError supple_scene_set_inextensible(SuppleScene* scene, int32_t body, const int32_t* springs,
                                          size_t count) {
  return supple::guarded([&] {
    std::vector<supple::Spring>& own =
        supple::body_of(given(scene, "scene").loaded.scene, body).springs;
    if (count > 0) given(springs, "springs");
    for (std::size_t i = 0; i < count; ++i) {
      supple::require(springs[i] >= 0 && static_cast<std::size_t>(springs[i]) < own.size(),
                      "springs",
                      "names spring " + std::to_string(springs[i]) + "; the body has " +
                          std::to_string(own.size()));
    }
    for (supple::Spring& spring : own) spring.inextensible = false;
    for (std::size_t i = 0; i < count; ++i) {
      own[static_cast<std::size_t>(springs[i])].inextensible = true;
    }
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

namespace supple {

MaterialSettings energy_of(SuppleEnergyDensity energy, SuppleStress stress, SuppleHessian hessian,
                           void* user) {
  given(energy, "energy");
  given(stress, "stress");
  OwnFunctions functions;
  functions.energy_density = [=](const Mat3<double>& F) { return energy(user, &F.a[0][0]); };
  functions.stress = [=](const Mat3<double>& F) {
    Mat3<double> P;
    stress(user, &F.a[0][0], &P.a[0][0]);
    return P;
  };
  if (hessian != nullptr) {
    functions.hessian = [=](const Mat3<double>& F) {
      Matrix9<double> H;
      hessian(user, &F.a[0][0], H[0].data());
      return H;
    };
  }
  return own_material(std::move(functions));
}

}  // namespace supple

SuppleError supple_scene_set_energy(SuppleScene* scene, int32_t body, SuppleEnergyDensity energy,
                                    SuppleStress stress, SuppleHessian hessian, void* user) {
  return supple::guarded([&] {
    supple::MaterialSettings& material =
        supple::body_of(given(scene, "scene").loaded.scene, body).material;
    supple::MaterialSettings own = supple::energy_of(energy, stress, hessian, user);
    own.plasticity = material.plasticity;
    material = std::move(own);
  });
}

void supple_scene_destroy(SuppleScene* scene) { delete scene; }

const char* supple_scene_settings(const SuppleScene* scene) {
  return supple::made([&] { return given(scene, "scene").loaded.settings.c_str(); });
}
