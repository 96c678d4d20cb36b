#include "render/scene_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/motion.h"
#include "render/bounds.h"
#include "render/shapes.h"
#include "render/tubes.h"
#include "render/vec.h"
#include "supple/error.h"

namespace supple {

using namespace vec;

namespace {

/// Transparent, and light enough for the body to keep its colour.
const Colour collider_colour = srgb(0x6E7987);
constexpr double collider_opacity = 0.42;
/// Radius of a line as a share of the scene's diagonal: about three pixels of a picture.
constexpr double tube_share = 0.004;

/// 1, 2 or 5 times a power of ten, at most x.
double round_length(double x) {
  if (!(x > 0) || !std::isfinite(x)) return 1;
  const double power = std::pow(10, std::floor(std::log10(x)));
  const double digit = x / power;
  return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

std::vector<Vec3> points(std::span<const double> positions, std::size_t first, std::size_t count) {
  std::vector<Vec3> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double* x = &positions[3 * (first + i)];
    result[i] = {x[0], x[1], x[2]};
  }
  return result;
}

void check(const ViewedBody& body, std::size_t number, std::size_t num_vertices) {
  const std::string where = fmt::format("body {}", number);
  if (body.first_vertex < 0 || body.num_vertices < 0 ||
      static_cast<std::size_t>(body.first_vertex) + static_cast<std::size_t>(body.num_vertices) >
          num_vertices) {
    throw Error(ErrorKind::invalid_input, where,
                fmt::format("vertices {} to {} of {}", body.first_vertex,
                            static_cast<std::int64_t>(body.first_vertex) + body.num_vertices,
                            num_vertices));
  }
  const auto check_indices = [&](const auto& elements, const char* what) {
    for (const auto& element : elements) {
      for (const int v : element) {
        if (v >= 0 && v < body.num_vertices) continue;
        throw Error(ErrorKind::invalid_input, where,
                    fmt::format("a {} has the vertex {} of {}", what, v, body.num_vertices));
      }
    }
  };
  check_indices(body.triangles, "triangle");
  check_indices(body.segments, "segment");
}

}  // namespace

SceneView::SceneView(const ViewedScene& scene, Threads& threads)
    : threads_(threads),
      num_vertices_(scene.rest.size() / 3),
      up_(unit(-scene.gravity, {0, 1, 0})),
      tube_radius_(tube_share * length(scene.motion.max - scene.motion.min)) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const ViewedBody& body = scene.bodies[i];
    check(body, i, num_vertices_);
    const auto rest = points(scene.rest, static_cast<std::size_t>(body.first_vertex),
                             static_cast<std::size_t>(body.num_vertices));
    Body& added = bodies_.emplace_back();
    added.view = body;
    added.colour = body_colour(static_cast<int>(i));
    if (body.triangles.empty()) {
      added.view.triangles = tube_triangles(body.segments.size());
    } else {
      added.view.segments.clear();
    }
    added.smoothing = find_smoothing(surface_points(added, rest), added.view.triangles);
  }
  find_ground(scene);
  add_colliders(scene);
  view_ = box_of_view(scene);
}

std::vector<Vec3> SceneView::surface_points(const Body& body, std::vector<Vec3> vertices) const {
  if (body.view.segments.empty()) return vertices;
  return tube_points(vertices, body.view.segments, tube_radius_);
}

void SceneView::find_ground(const ViewedScene& scene) {
  const Box& box = scene.motion;
  const double diagonal = length(box.max - box.min);
  ground_.focus = 0.5 * (box.min + box.max);
  ground_.radius = diagonal > 0 && std::isfinite(diagonal) ? 0.6 * diagonal : 1;
  ground_.cell = round_length(ground_.radius / 3);
  double best = 0.5;  // steeper than 60 degrees is a wall
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    const auto* plane = std::get_if<PlaneShape>(&scene.colliders[i].shape);
    if (plane == nullptr) continue;
    const double size = length(plane->normal);
    const Vec3 normal = unit(plane->normal, {0, 1, 0});
    if (dot(normal, up_) > best) {
      best = dot(normal, up_);
      ground_collider_ = i;
      ground_motion_ = scene.colliders[i].motion;
      ground_.normal = normal;
      ground_.offset = size > 0 ? plane->offset / size : plane->offset;
    }
  }
  if (ground_collider_) return;
  ground_.solid = false;
  ground_.normal = up_;
  ground_.offset = std::numeric_limits<double>::infinity();
  for (unsigned i = 0; i < 8; ++i) {
    const Vec3 corner{(i & 1U) != 0 ? box.max[0] : box.min[0],
                      (i & 2U) != 0 ? box.max[1] : box.min[1],
                      (i & 4U) != 0 ? box.max[2] : box.min[2]};
    ground_.offset = std::min(ground_.offset, dot(up_, corner));
  }
}

void SceneView::add_colliders(const ViewedScene& scene) {
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    if (ground_collider_ == i) continue;
    const Collider& collider = scene.colliders[i];
    Solid& solid = solids_.emplace_back();
    solid.plane = std::holds_alternative<PlaneShape>(collider.shape);
    solid.mesh = tessellate(collider.shape, ground_.focus, 1.2 * ground_.radius);
    solid.smoothing = find_smoothing(solid.mesh.vertices, solid.mesh.triangles);
    solid.motion = collider.motion;
  }
}

Box SceneView::box_of_view(const ViewedScene& scene) const {
  Bounds view;
  view.add(scene.motion.min);
  view.add(scene.motion.max);
  const Box bodies = view.box();
  // A collider is shown as far as it lies near the path of the bodies: a large one must not make
  // them small.
  const double reach = 0.35 * length(bodies.max - bodies.min);
  constexpr int times = 16;
  for (const Solid& solid : solids_) {
    if (solid.plane) continue;
    for (int i = 0; i <= times; ++i) {
      const Pose pose = evaluate(solid.motion, scene.duration * i / times);
      for (Vec3 x : solid.mesh.vertices) {
        x = pose.apply(x);
        for (std::size_t d = 0; d < 3; ++d) {
          x[d] = std::clamp(x[d], bodies.min[d] - reach, bodies.max[d] + reach);
        }
        view.add(x);
      }
    }
  }
  return view.box();
}

Image SceneView::draw(std::span<const double> positions, double time, int width, int height) const {
  if (positions.size() != 3 * num_vertices_) {
    throw Error(ErrorKind::invalid_input, "picture",
                fmt::format("{} coordinates for {} vertices", positions.size(), num_vertices_));
  }
  const Camera camera = fit_camera(view_, up_, static_cast<double>(width) / std::max(height, 1));
  Picture picture;
  picture.up = up_;
  picture.ground = ground_;
  const Pose ground_pose = evaluate(ground_motion_, time);
  picture.ground->normal = ground_pose.rotate(ground_.normal);
  picture.ground->offset = ground_.offset + dot(picture.ground->normal, ground_pose.translation);

  std::vector<std::vector<Vec3>> vertices;
  for (const Body& body : bodies_) {
    vertices.push_back(
        surface_points(body, points(positions, static_cast<std::size_t>(body.view.first_vertex),
                                    static_cast<std::size_t>(body.view.num_vertices))));
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = bodies_[i];
    picture.drawables.push_back(
        {vertices[i], body.view.triangles, &body.smoothing, body.colour, 1, {}});
  }
  for (const Solid& solid : solids_) {
    const Pose pose = evaluate(solid.motion, time);
    if (solid.plane) {
      // A wall seen from behind would only veil the scene.
      const auto& t = solid.mesh.triangles[0];
      const Vec3 a = pose.apply(solid.mesh.vertices[static_cast<std::size_t>(t[0])]);
      const Vec3 b = pose.apply(solid.mesh.vertices[static_cast<std::size_t>(t[1])]);
      const Vec3 c = pose.apply(solid.mesh.vertices[static_cast<std::size_t>(t[2])]);
      if (!(dot(cross(b - a, c - a), camera.eye - a) > 0)) continue;
    }
    picture.drawables.push_back({solid.mesh.vertices, solid.mesh.triangles, &solid.smoothing,
                                 collider_colour, collider_opacity, pose});
  }
  return render(picture, camera, width, height, threads_);
}

}  // namespace supple
