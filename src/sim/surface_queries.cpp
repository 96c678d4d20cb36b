#include "sim/surface_queries.h"

#include <cmath>
#include <string>

#include "base/index.h"
#include "base/refuse.h"
#include "math/vec3.h"
#include "mesh/surface.h"
#include "model/pin_selection.h"
#include "sim/pushes.h"

namespace supple {

namespace {

void require_distance(double distance) {
  require(distance >= 0, "max_distance", "expected a number of metres from 0");
}

void require_sphere(const SphereShape& sphere) {
  require_finite(sphere.center, "sphere.center");
  require(sphere.radius >= 0 && std::isfinite(sphere.radius), "sphere.radius",
          "expected a finite number of metres from 0");
}

void require_box(const Box& box) {
  require_finite(box.min, "box.min");
  require_finite(box.max, "box.max");
  for (std::size_t k = 0; k < 3; ++k) {
    require(box.min[k] <= box.max[k], "box", "expected min <= max");
  }
}

}  // namespace

SceneSurface surface_of(const Scene& scene, const Model& model, const Numbering& numbering,
                        const Earlier<SceneSurface>& earlier) {
  SceneSurface surface;
  surface.body_vertices = model.body_vertices;
  surface.body_tets.assign(1, 0);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    const int first_vertex = model.body_vertices[b], first_tet = surface.body_tets.back();
    const auto num_tets = static_cast<int>(body.mesh.tets.size());
    surface.body_triangles.push_back(static_cast<int>(surface.triangles.size()));
    surface.body_tets.push_back(first_tet + num_tets);
    const auto add = [&](std::array<int, 3> triangle, int vertex_shift, int tet) {
      for (int& vertex : triangle) vertex += vertex_shift;
      surface.triangles.push_back(triangle);
      surface.tets.push_back(tet);
    };
    if (const int origin = earlier.of(b); origin >= 0) {
      const SceneSurface& other = *earlier.made;
      const std::size_t o = at(origin);
      for (int t = other.body_triangles[o]; t < other.body_triangles[o + 1]; ++t) {
        const int tet = other.tets[at(t)];
        add(other.triangles[at(t)], first_vertex - other.body_vertices[o],
            tet < 0 ? tet : tet + first_tet - other.body_tets[o]);
      }
      continue;
    }
    for (const auto& triangle : body.triangles) add(triangle, first_vertex, -1);
    if (!body.triangles.empty()) continue;
    TetMesh mesh{.vertices = body.mesh.vertices, .tets = {}};
    for (int t = first_tet; t < first_tet + num_tets; ++t) {
      std::array<int, 4> tet = model.tets[at(t)];
      for (int& vertex : tet) vertex = numbering.to_scene(vertex) - first_vertex;
      mesh.tets.push_back(tet);
    }
    for (const SurfaceFace& face : surface_faces(mesh)) {
      add(face.corners, first_vertex, first_tet + face.tet);
    }
  }
  surface.body_triangles.push_back(static_cast<int>(surface.triangles.size()));
  return surface;
}

SurfaceQueries::SurfaceQueries(const Scene& scene, const Model& model, const Numbering& numbering,
                               const SceneSurface& surface, const VectorField& x)
    : scene_(&scene), model_(&model), numbering_(&numbering), surface_(&surface), x_(&x) {}

const SurfaceTree& SurfaceQueries::tree() {
  fit_.ensure([&] {
    if (!tree_) {
      std::vector<BodySurface> bodies(at(model_->num_bodies()));
      for (std::size_t b = 0; b < bodies.size(); ++b) {
        const auto add = [&](int i, int j, int k) {
          bodies[b].triangles.push_back(
              {numbering_->to_model(i), numbering_->to_model(j), numbering_->to_model(k)});
        };
        for (int t = surface_->body_triangles[b]; t < surface_->body_triangles[b + 1]; ++t) {
          const auto& [i, j, k] = surface_->triangles[at(t)];
          add(i, j, k);
        }
        const Body& body = scene_->bodies[b];
        bodies[b].is_closed = !body.mesh.tets.empty() && body.triangles.empty();
        for (const auto& [i, j] : body.segments) {
          const int first = model_->body_vertices[b];
          add(first + i, first + j, first + j);
        }
      }
      tree_.emplace(bodies, model_->rest);
    }
    tree_->refit(*x_);
  });
  return *tree_;
}

std::optional<SurfaceHit> SurfaceQueries::hit(const SurfacePlace& place) const {
  if (place.body < 0) return std::nullopt;
  SurfaceHit hit;
  hit.body = place.body;
  const std::size_t b = at(place.body);
  const int triangle = surface_->body_triangles[b] + place.triangle;
  if (triangle < surface_->body_triangles[b + 1]) {
    hit.triangle = triangle;
    hit.tet = surface_->tets[at(triangle)];
    hit.vertices = surface_->triangles[at(triangle)];
  } else {
    const int first = model_->body_vertices[b];
    const auto& [i, j] = scene_->bodies[b].segments[at(triangle - surface_->body_triangles[b + 1])];
    hit.vertices = {first + i, first + j, first + j};
  }
  hit.weights = place.weights;
  hit.point = place.point;
  hit.normal = place.normal;
  hit.distance = place.distance;
  return hit;
}

std::optional<SurfaceHit> SurfaceQueries::raycast(const Vec3& origin, const Vec3& direction,
                                                  double max_distance) {
  require_finite(origin, "origin");
  require_finite(direction, "direction");
  require_distance(max_distance);
  const Vec3 unit = vec3::direction(direction, {0, 0, 0});
  require(unit != Vec3{0, 0, 0}, "direction", "expected a vector that is not zero");
  return hit(tree().raycast(*x_, origin, unit, max_distance));
}

std::optional<SurfaceHit> SurfaceQueries::closest_point(const Vec3& point, double max_distance) {
  require_finite(point, "point");
  require_distance(max_distance);
  return hit(tree().closest(*x_, point, max_distance));
}

std::vector<int> SurfaceQueries::overlap(const Box& box) {
  require_box(box);
  std::vector<int> bodies;
  tree().overlap(*x_, box, bodies);
  return bodies;
}

std::vector<int> SurfaceQueries::overlap(const SphereShape& sphere) {
  require_sphere(sphere);
  std::vector<int> bodies;
  tree().overlap(*x_, sphere, bodies);
  return bodies;
}

template <class Holds>
std::vector<int> SurfaceQueries::vertices_where(const Holds& holds) const {
  std::vector<int> vertices;
  for (int i = 0; i < model_->num_vertices; ++i) {
    const PaddedVector& x = (*x_)[at(numbering_->to_model(i))];
    if (holds(Vec3{x[0], x[1], x[2]})) vertices.push_back(i);
  }
  return vertices;
}

std::vector<int> SurfaceQueries::vertices_in(const Box& box) const {
  require_box(box);
  return vertices_where([&](const Vec3& x) { return contains(box, x); });
}

std::vector<int> SurfaceQueries::vertices_in(const SphereShape& sphere) const {
  require_sphere(sphere);
  return vertices_where([&](const Vec3& x) {
    return vec3::norm(vec3::operator-(x, sphere.center)) <= sphere.radius;
  });
}

}  // namespace supple
