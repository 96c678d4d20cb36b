#include <array>
#include <span>
#include <string>
#include <vector>

#include "c_interface/fault.h"
#include "c_interface/handles.h"

namespace {

using supple::BodyHandle;
using supple::given;
using supple::guarded;
using supple::simulation_of;

BodyHandle handle_of(SuppleBody body) { return supple::from_c<BodyHandle>(body); }

/// The bodies of a scene. Names that the reader made up are cleared, because bodies in the
/// simulation have the same ones.
std::vector<supple::Body> bodies_of(const SuppleScene* scene) {
  std::vector<supple::Body> bodies = given(scene, "scene").loaded.scene.bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (bodies[b].name == "body_" + std::to_string(b)) bodies[b].name.clear();
  }
  return bodies;
}

}  // namespace

SuppleError supple_simulation_add_body(SuppleSimulation* simulation, const SuppleScene* scene,
                                       SuppleBody* body) {
  return guarded([&] {
    const std::vector<supple::Body> bodies = bodies_of(scene);
    if (bodies.size() != 1) {
      supple::refuse("scene", "has " + std::to_string(bodies.size()) + " bodies, expected one");
    }
    const BodyHandle added = simulation_of(simulation).add_body(bodies[0]);
    if (body != nullptr) *body = supple::in_c(added);
  });
}

SuppleError supple_simulation_remove_body(SuppleSimulation* simulation, SuppleBody body) {
  return guarded([&] { simulation_of(simulation).remove_body(handle_of(body)); });
}

SuppleError supple_simulation_change_bodies(SuppleSimulation* simulation, const SuppleBody* removed,
                                            size_t num_removed, const SuppleScene* scene,
                                            SuppleBody* added, size_t num_added) {
  return guarded([&] {
    if (num_removed > 0) given(removed, "removed");
    std::vector<BodyHandle> gone;
    for (size_t i = 0; i < num_removed; ++i) gone.push_back(handle_of(removed[i]));
    std::vector<supple::Body> bodies;
    if (scene != nullptr) bodies = bodies_of(scene);
    supple::check_array(added, num_added, bodies.size(), "added");
    for (const BodyHandle& handle : simulation_of(simulation).change_bodies(gone, bodies)) {
      *added++ = supple::in_c(handle);
    }
  });
}

SuppleError supple_simulation_is_asleep(const SuppleSimulation* simulation, int32_t body,
                                        int32_t* asleep) {
  return guarded([&] {
    const bool is = simulation_of(simulation).is_asleep(body);
    given(asleep, "asleep") = is ? 1 : 0;
  });
}

SuppleError supple_simulation_cut(SuppleSimulation* simulation, const double* triangles,
                                  size_t num_triangles, const int32_t* bodies, size_t num_bodies,
                                  int32_t* separated) {
  return guarded([&] {
    if (num_triangles > 0) given(triangles, "triangles");
    if (num_bodies > 0) given(bodies, "bodies");
    std::vector<std::array<supple::Vec3, 3>> cutting(num_triangles);
    for (std::size_t i = 0; i < 9 * num_triangles; ++i) {
      cutting[i / 9][i / 3 % 3][i % 3] = triangles[i];
    }
    const std::vector<int> cut(bodies, bodies + num_bodies);
    const int count = simulation_of(simulation).cut(cutting, cut);
    if (separated != nullptr) *separated = count;
  });
}

SuppleError supple_simulation_separate(SuppleSimulation* simulation, int32_t body,
                                       const int32_t* elements, size_t num_pairs,
                                       int32_t* separated) {
  return guarded([&] {
    if (num_pairs > 0) given(elements, "elements");
    std::vector<std::array<int, 2>> pairs(num_pairs);
    for (std::size_t i = 0; i < num_pairs; ++i) pairs[i] = {elements[2 * i], elements[2 * i + 1]};
    const int count = simulation_of(simulation).separate(body, pairs);
    if (separated != nullptr) *separated = count;
  });
}

SuppleError supple_simulation_wake(SuppleSimulation* simulation, int32_t body) {
  return guarded([&] { simulation_of(simulation).wake(body); });
}

SuppleError supple_simulation_is_alive(const SuppleSimulation* simulation, SuppleBody body,
                                       int32_t* is_alive) {
  return guarded([&] {
    const bool is = simulation_of(simulation).is_alive(handle_of(body));
    given(is_alive, "is_alive") = is ? 1 : 0;
  });
}

SuppleError supple_simulation_body_index(const SuppleSimulation* simulation, SuppleBody body,
                                         int32_t* index) {
  return guarded([&] {
    const int found = simulation_of(simulation).index(handle_of(body));
    given(index, "index") = found;
  });
}

SuppleError supple_simulation_body_handle(const SuppleSimulation* simulation, int32_t index,
                                          SuppleBody* body) {
  return guarded([&] {
    const BodyHandle found = simulation_of(simulation).handle(index);
    given(body, "body") = supple::in_c(found);
  });
}

SuppleError supple_simulation_set_user_data(SuppleSimulation* simulation, SuppleBody body,
                                            uint64_t data) {
  return guarded([&] { simulation_of(simulation).set_user_data(handle_of(body), data); });
}

SuppleError supple_simulation_user_data(const SuppleSimulation* simulation, SuppleBody body,
                                        uint64_t* data) {
  return guarded([&] {
    const uint64_t found = simulation_of(simulation).user_data(handle_of(body));
    given(data, "data") = found;
  });
}
