#include "sim/contact_setup.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "contact/mesh_pairs.h"
#include "descent/laplacian.h"
#include "integrate/integrator.h"
#include "sim/touches.h"
#include "supple/mesh.h"

namespace supple {

namespace {

/// How much stiffer than the body a contact is, at the depth at which bodies rest. The softer it
/// is, the sooner a step converges. At 100, ten iterations on a stiff body leave errors of several
/// times its weight in contacts that come and go, and in friction, which follows them.
constexpr double contact_ratio = 3;
/// At most this many m/a^2 of the body's stiffness count in such a contact. A step without contact
/// ends h^2 |g| lower, and the depth that bears the weight must be found to a fraction of itself.
/// With this limit the depth is about a hundredth of that way, whatever the material. On a block of
/// 1e9 Pa it would otherwise be a hundred-thousandth, which ten iterations do not reach: contacts
/// would come and go for a second, and friction would let the block slide when it should stick.
constexpr double resting_ratio = 100;
/// Like contact_ratio, for deeper contacts, where what falls fast or is pressed hard must stop.
constexpr double deep_ratio = 100;
/// Like deep_ratio, for cloth and strands. They resist a contact by bending or by being pulled
/// tight, which is far softer than own_stiffness, the resistance along their surface: at 100, a
/// contact some millimetres deep holds more energy than all of a cloth.
constexpr double thin_deep_ratio = 10;
/// Like deep_ratio, for barriers of tets where little of the layer is left. With 3, a ball that is
/// squeezed by a fifth gets through the layer; with 100, a ball of a millimetre that falls by nine
/// times its size in a step is thrown.
constexpr double squeezed_ratio = 30;
/// Depth at which a body rests on as many vertices as one of its sides has, as a share of its size.
constexpr double rest_depth = 1e-3;

/// Depth to which contacts are soft, as a share of the body's size. Nothing rests deeper, and few
/// bodies land deeper.
constexpr double soft_depth = 2e-3;

/// How far around a surface it keeps others off, as a share of the body's size. Three times as deep
/// as the contacts that bear its weight sink in.
constexpr double layer_share = 3e-3;
/// Barriers of stiff bodies are at most this many times m/a^2 stiff. Stiffer ones let bodies hop
/// within their layer, and friction, which depends on the normal force of the step before, comes
/// out a third too weak (or, at 1e8 Pa, is lost). At 3, bodies that meet at 4 m/s are held back.
constexpr double barrier_ratio = 20;
/// Barrier mode: ContactSurface::detail. Bodies go into the surface of a collider but not through a
/// layer, and the layer is only three times as thick as the detail that is looked for here between
/// the vertices of edges and faces.
constexpr double barrier_detail = 0.2;

/// The weight on a body counts up to this many times the body's own. What bears it is that much
/// stiffer.
constexpr double most_above = 16;

/// The vertices on one side of a rigid body together count as this many m/a^2 of the whole body.
/// Three times that is a contact that gives by a ninetieth of what a step without it falls.
constexpr double rigid_ratio = 30;

/// Stiffness in explicit steps, as a share of m/h^2, at any depth. With this, forward Euler lets a
/// bounce grow by a twentieth.
constexpr double explicit_share = 1e-3;

struct BodyScale {
  double size = 0;    ///< diagonal of its box at rest, m
  double weight = 0;  ///< N
};

BodyScale scale_of_body(const Scene& scene, const Model& model, int first, int last) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Vec3 low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};
  double mass = 0;
  for (int i = first; i < last; ++i) {
    const auto v = static_cast<std::size_t>(i);
    if (!(model.mass[v] > 0)) continue;
    mass += model.mass[v];
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], model.rest[v][k]);
      high[k] = std::max(high[k], model.rest[v][k]);
    }
  }
  if (!(mass > 0)) return {};
  const Vec3& g = scene.gravity;
  return {std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]),
          mass * std::hypot(g[0], g[1], g[2])};
}

/// The surface triangles of the tets, body after body, with the model's numbers.
std::vector<std::array<int, 3>> faces_of_tets(const Scene& scene, const Model& model,
                                              const Numbering& numbering,
                                              const SceneSurface& surface) {
  std::vector<std::array<int, 3>> faces;
  faces.reserve(surface.triangles.size());
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].triangles.empty()) {
      for (int t = surface.body_triangles[b]; t < surface.body_triangles[b + 1]; ++t) {
        faces.push_back(surface.triangles[static_cast<std::size_t>(t)]);
        for (int& vertex : faces.back()) vertex = numbering.to_model(vertex);
      }
    } else if (surface.body_tets[b + 1] > surface.body_tets[b]) {
      // The scene's surface of this body is a different one.
      const std::vector<std::array<int, 3>> own =
          surface_triangles({.vertices = model.rest,
                             .tets = {model.tets.begin() + surface.body_tets[b],
                                      model.tets.begin() + surface.body_tets[b + 1]}});
      faces.insert(faces.end(), own.begin(), own.end());
    }
  }
  return faces;
}

/// The parts of a surface that have mass.
BodyFeatures with_mass(const ContactSurface& surface, const std::vector<double>& mass) {
  const auto has_mass = [&](const auto& corners) {
    return std::all_of(corners.begin(), corners.end(),
                       [&](int vertex) { return mass[static_cast<std::size_t>(vertex)] > 0; });
  };
  BodyFeatures kept;
  std::copy_if(surface.triangles.begin(), surface.triangles.end(),
               std::back_inserter(kept.triangles), has_mass);
  std::copy_if(surface.segments.begin(), surface.segments.end(), std::back_inserter(kept.segments),
               has_mass);
  return kept;
}

/// Vertices that can meet something: those of the surface, and those of no tet.
std::vector<char> is_outside(const Model& model, const std::vector<std::array<int, 3>>& surface) {
  std::vector<char> outside(static_cast<std::size_t>(model.num_vertices), 1);
  for (const auto& tet : model.tets) {
    for (const int vertex : tet) outside[static_cast<std::size_t>(vertex)] = 0;
  }
  for (const auto& triangle : surface) {
    for (const int vertex : triangle) outside[static_cast<std::size_t>(vertex)] = 1;
  }
  return outside;
}

/// m/a^2 + L_ii of every vertex, N/m; for an explicit integrator, what its step can bear.
std::vector<double> own_stiffness(const Scene& scene, const Model& model) {
  const Integrator& integrator = *find_integrator(scene.time.integrator);
  const double h = scene.time.step / scene.time.substeps;
  if (!integrator.is_explicit) {
    return own_diagonal(model, integrator.inverse_a2(h, false));
  }
  std::vector<double> stiffness;
  for (const double mass : model.mass) {
    stiffness.push_back(explicit_share / contact_ratio * mass / (h * h));
  }
  return stiffness;
}

/// For barrier mode. The layer in front of each collider is the thinnest of the bodies that touch
/// it.
std::unique_ptr<ColliderGuard> make_guard(const std::vector<ColliderObject>& colliders,
                                          const std::vector<ContactSurface>& surfaces,
                                          const std::vector<int>& body_of,
                                          const std::vector<double>& mass,
                                          const std::vector<int>& holder) {
  std::vector<double> layers;
  for (const ColliderObject& collider : colliders) {
    double size = std::numeric_limits<double>::infinity();
    for (const ContactSurface& surface : surfaces) {
      if (surface.size > 0 && collider.touches(surface.body)) size = std::min(size, surface.size);
    }
    layers.push_back(std::isfinite(size) ? layer_share * size : 0);
  }
  std::vector<int> touching = body_of;
  for (std::size_t v = 0; v < touching.size(); ++v) {
    if (!(mass[v] > 0)) touching[v] = -1;
  }
  return std::make_unique<ColliderGuard>(surfaces, std::move(touching), std::move(layers), holder);
}

/// For barrier mode: the colliders with flat sides and what can touch them; null: there are none.
std::unique_ptr<MeshPairs> make_mesh_pairs(
    const Scene& scene, const std::vector<ColliderObject>& colliders, const ColliderGuard& guard,
    const std::vector<BodyFeatures>& features, const std::vector<int>& body_of,
    const std::vector<int>& holder, const std::vector<Vec3>& rest) {
  std::vector<ColliderMesh> meshes;
  std::vector<std::pair<int, int>> apart, tied;
  for (std::size_t c = 0; c < colliders.size(); ++c) {
    if (!colliders[c].has_flat_sides() || !(guard.layer(c) > 0)) continue;
    const int number = static_cast<int>(meshes.size());
    meshes.push_back({.collider = static_cast<int>(c),
                      .surface = flat_surface(scene.colliders[c].shape),
                      .layer = guard.layer(c),
                      .can_move = colliders[c].can_move()});
    for (int body = 0; body < static_cast<int>(features.size()); ++body) {
      if (!colliders[c].touches(body)) apart.emplace_back(body, number);
    }
    for (int v = 0; v < static_cast<int>(holder.size()); ++v) {
      if (holder[static_cast<std::size_t>(v)] == static_cast<int>(c)) tied.emplace_back(v, number);
    }
  }
  if (meshes.empty()) return nullptr;
  std::sort(apart.begin(), apart.end());
  std::sort(tied.begin(), tied.end());
  return std::make_unique<MeshPairs>(features, body_of, rest, meshes, std::move(apart),
                                     std::move(tied));
}

/// Vertices that bonds tie do not touch: see BodyPairs.
void add_ties(const Model& model, PairSettings& settings) {
  for (const PointBond& bond : model.bonds.bonds) {
    const int own = bond.vertices[0], body = model.body_of(own),
              other = model.body_of(bond.vertices[1]);
    if (body != other) settings.tied_to_body.emplace_back(own, other);
    if (body != other && bond.count == 2)
      settings.tied_to_body.emplace_back(bond.vertices[1], body);
    for (std::size_t i = 1; body == other && i < static_cast<std::size_t>(bond.count); ++i) {
      settings.tied_vertices.emplace_back(own, bond.vertices[i]);
      settings.tied_vertices.emplace_back(bond.vertices[i], own);
    }
  }
  for (auto* const list : {&settings.tied_to_body, &settings.tied_vertices}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
}

/// The collider that a vertex's pin follows: [num_vertices], -1: none.
std::vector<int> holders_of(const Model& model) {
  std::vector<int> holder(static_cast<std::size_t>(model.num_vertices), -1);
  for (const PinnedVertex& pin : model.pins.pins) {
    if (pin.motion < 0) continue;
    const int collider = model.pins.colliders[static_cast<std::size_t>(pin.motion)];
    if (collider >= 0) holder[static_cast<std::size_t>(pin.vertex)] = collider;
  }
  return holder;
}

}  // namespace

std::unique_ptr<ContactEnergy> make_contact(const Scene& scene, const Model& model,
                                            const Numbering& numbering,
                                            const SceneSurface& scene_surface,
                                            std::vector<Vec3> rest) {
  const bool has_pairs = scene.contact.self || (scene.contact.bodies && scene.bodies.size() > 1);
  if (scene.colliders.empty() && !has_pairs) return nullptr;
  std::vector<ColliderObject> colliders;
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    colliders.emplace_back(scene.colliders[i], "/colliders/" + std::to_string(i),
                           touching_bodies(scene, scene.colliders[i]));
  }
  const bool is_barrier = scene.contact.mode == ContactMode::barrier;
  const bool is_explicit = find_integrator(scene.time.integrator)->is_explicit;
  const double given = scene.contact.stiffness;
  const std::vector<double> own = given > 0 ? std::vector<double>() : own_stiffness(scene, model);
  const std::vector<std::array<int, 3>> surface =
      faces_of_tets(scene, model, numbering, scene_surface);
  const std::vector<char> outside = is_outside(model, surface);
  std::vector<char> in_tet(static_cast<std::size_t>(model.num_vertices), 0);
  for (const auto& tet : model.tets) {
    for (const int vertex : tet) in_tet[static_cast<std::size_t>(vertex)] = 1;
  }
  // Explicit integrators have no inertia here, and no barriers; a quasi-static step has none
  // either.
  const double inertia = is_explicit
                             ? 0
                             : find_integrator(scene.time.integrator)
                                   ->inverse_a2(scene.time.step / scene.time.substeps, false);
  std::vector<ContactSurface> surfaces;
  std::vector<double> layers;
  std::vector<int> body_of(static_cast<std::size_t>(model.num_vertices), 0);
  double weight = 0;
  for (const double mass : model.mass) {
    weight += mass * std::hypot(scene.gravity[0], scene.gravity[1], scene.gravity[2]);
  }
  std::vector<ContactVertex> vertices;
  for (std::size_t b = 0; b + 1 < model.body_vertices.size(); ++b) {
    const int first = model.body_vertices[b], last = model.body_vertices[b + 1];
    const BodyScale body = scale_of_body(scene, model, first, last);
    std::fill(body_of.begin() + first, body_of.begin() + last, static_cast<int>(b));
    layers.push_back(layer_share * body.size);
    surfaces.push_back({.triangles = {},
                        .segments = {},
                        .size = body.size,
                        .body = static_cast<int>(b),
                        .detail = is_barrier ? barrier_detail : 1});
    if (body.size > 0) {
      const auto begin = std::partition_point(surface.begin(), surface.end(),
                                              [&](const auto& t) { return t[0] < first; });
      const auto end =
          std::partition_point(begin, surface.end(), [&](const auto& t) { return t[0] < last; });
      surfaces.back().triangles.assign(begin, end);
      for (auto triangle : scene.bodies[b].triangles) {
        for (int& vertex : triangle) vertex = numbering.to_model(first + vertex);
        surfaces.back().triangles.push_back(triangle);
      }
      for (auto segment : scene.bodies[b].segments) {
        for (int& vertex : segment) vertex = numbering.to_model(first + vertex);
        surfaces.back().segments.push_back(segment);
      }
    }
    const double of_a_side = std::max(1.0, std::pow(last - first, 2.0 / 3) / 8);
    const double bearing =
        body.size > 0 && !is_explicit ? body.weight / (rest_depth * body.size * of_a_side) : 0;
    const double heaviest = std::min(weight, most_above * body.weight);
    const double between = body.weight > 0 ? bearing * heaviest / body.weight : 0;
    // An explicit step cannot bear stiffer friction.
    const double slip_speed =
        friction_slip_speed * (body.size > 0 && !is_explicit ? std::min(1.0, body.size) : 1);
    for (int i = first; i < last; ++i) {
      const auto v = static_cast<std::size_t>(i);
      if (!(model.mass[v] > 0)) continue;
      const bool is_inner = outside[v] == 0;
      if (given != 0) {
        // A body that rests deep on soft contacts does not count as starting inside.
        vertices.push_back({.vertex = i,
                            .stiffness = given,
                            .slip_speed = slip_speed,
                            .is_inner = is_inner,
                            .body = static_cast<int>(b)});
        continue;
      }
      const bool is_rigid = model.is_rigid_body(static_cast<int>(b));
      const double most = (is_barrier ? barrier_ratio : resting_ratio) * inertia * model.mass[v];
      const double of_body = is_rigid ? rigid_ratio / of_a_side * own[v] : own[v];
      const double counts = most > 0 && !is_rigid ? std::min(of_body, most) : of_body;
      const double stiffness = std::max(contact_ratio * counts, bearing);
      const double hard_ratio = is_barrier ? squeezed_ratio : deep_ratio;
      const double ratio = in_tet[v] != 0 ? hard_ratio : thin_deep_ratio;
      const double below = is_explicit ? stiffness : std::max(ratio * of_body, bearing);
      vertices.push_back({.vertex = i,
                          .stiffness = stiffness,
                          .added = below - stiffness,
                          .soft_depth = soft_depth * body.size,
                          .bearing = between,
                          .size = body.size,
                          .slip_speed = slip_speed,
                          .is_inner = is_inner,
                          .body = static_cast<int>(b)});
    }
  }
  const std::vector<int> holder = holders_of(model);
  for (ContactVertex& vertex : vertices) {
    vertex.held_by = holder[static_cast<std::size_t>(vertex.vertex)];
  }
  std::unique_ptr<ColliderGuard> guard;
  if (is_barrier) guard = make_guard(colliders, surfaces, body_of, model.mass, holder);
  std::vector<BodyFeatures> features;
  for (const auto& outside_of : surfaces) features.push_back(with_mass(outside_of, model.mass));
  std::unique_ptr<MeshPairs> meshes;
  if (guard) {
    meshes = make_mesh_pairs(scene, colliders, *guard, features, body_of, holder, rest);
  }
  std::unique_ptr<BodyPairs> pairs;
  if (has_pairs) {
    PairSettings settings{.between_bodies = scene.contact.bodies,
                          .within_bodies = scene.contact.self,
                          .apart = bodies_apart(scene)};
    add_ties(model, settings);
    pairs = std::make_unique<BodyPairs>(features, std::move(body_of), std::move(layers),
                                        std::move(rest), settings);
  }
  return std::make_unique<ContactEnergy>(std::move(colliders), scene.contact.friction,
                                         std::move(vertices), surfaces, std::move(pairs),
                                         std::move(guard), std::move(meshes));
}

}  // namespace supple
