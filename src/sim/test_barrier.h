#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <variant>
#include <vector>

#include "contact/ccd.h"
#include "contact/collider.h"
#include "contact/height_surface.h"
#include "math/motion.h"
#include "sim/test_scenes.h"

/// Scenes of the contact mode barrier, and checks of whether anything meets in them.
namespace supple::test::barrier {

inline Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vec3 operator*(double s, const Vec3& a) { return {s * a[0], s * a[1], s * a[2]}; }

/// A block whose weight makes it sag by the same share at any size.
inline Body block(const Vec3& center, double size, int cells, double stiffness = 1) {
  Body body{.mesh = generate(BoxGenerator{
                .size = {size, size, size}, .cells = {cells, cells, cells}, .center = center})};
  body.material = test::soft_material("stable_neo_hookean");
  body.material.mu = stiffness * 2 * size * body.material.mu.value;
  body.material.lambda = stiffness * 2 * size * body.material.lambda.value;
  return body;
}

/// Turned about the axis (1, 1, 0) through a point.
inline void turn(Body& body, double degrees, const Vec3& center) {
  const double a = degrees * std::numbers::pi / 180, c = std::cos(a), s = std::sin(a);
  const double u = std::numbers::sqrt2 / 2;
  for (Vec3& x : body.mesh.vertices) {
    const Vec3 q = x + -1 * center;
    const double along = u * (q[0] + q[1]);
    const Vec3 across{u * q[2], -u * q[2], u * (q[1] - q[0])};
    for (std::size_t k = 0; k < 3; ++k) {
      x[k] = center[k] + c * q[k] + s * across[k] + (k < 2 ? (1 - c) * along * u : 0);
    }
  }
}

inline Scene barrier_scene(std::vector<Body> bodies) {
  Scene scene;
  scene.bodies = std::move(bodies);
  scene.time.step = 1.0 / 60;
  scene.gravity = {0, -9.81, 0};
  scene.contact.mode = ContactMode::barrier;
  return scene;
}

/// Number of edges of the surface not proved to be apart from a face that they may touch and with
/// which they share no vertex. An edge counts as the way of a point from one end to the other
/// (contact/ccd.h).
inline int num_intersections(const Simulation& simulation) {
  const std::vector<Vec3> x = test::positions_of(simulation);
  const auto at = [&](int v) { return x[static_cast<std::size_t>(v)]; };
  const auto& bodies = simulation.body_vertices();
  const auto body_of = [&](int v) { return std::upper_bound(bodies.begin(), bodies.end(), v); };
  const bool self = simulation.scene().contact.self;
  int count = 0;
  for (const auto& own : simulation.surface()) {
    for (std::size_t i = 0; i < 3; ++i) {
      const int a = own[i], b = own[(i + 1) % 3];
      for (const auto& t : simulation.surface()) {
        if (!self && body_of(t[0]) == body_of(a)) continue;
        if (std::find(t.begin(), t.end(), a) != t.end()) continue;
        if (std::find(t.begin(), t.end(), b) != t.end()) continue;
        const std::array<Vec3, 4> before{at(a), at(t[0]), at(t[1]), at(t[2])};
        std::array<Vec3, 4> after = before;
        after[0] = at(b);
        count += vertex_face_ccd(before, after).meets ? 1 : 0;
      }
    }
  }
  return count;
}

/// The surface of a collider that is made of triangles, at a time, s; otherwise none.
inline TriangleMesh surface_at(const Collider& collider, double time) {
  TriangleMesh mesh;
  if (const auto* own = std::get_if<MeshShape>(&collider.shape)) mesh = own->mesh;
  if (const auto* field = std::get_if<HeightFieldShape>(&collider.shape)) {
    mesh = height_surface(*field, "/height_field");
  }
  const Pose pose = evaluate(collider.motion, time);
  for (Vec3& x : mesh.vertices) x = pose.apply(x);
  return mesh;
}

/// Does the same for triangles and segments of bodies and the triangles of meshes and height
/// fields.
inline int num_collider_intersections(const Simulation& simulation) {
  const std::vector<Vec3> x = test::positions_of(simulation);
  using Corners = std::array<Vec3, 3>;
  const auto corners = [](const std::vector<Vec3>& of, const std::array<int, 3>& t) {
    return Corners{of[static_cast<std::size_t>(t[0])], of[static_cast<std::size_t>(t[1])],
                   of[static_cast<std::size_t>(t[2])]};
  };
  const auto are_near = [](const Corners& a, const Corners& b) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [low_a, high_a] = std::minmax({a[0][k], a[1][k], a[2][k]});
      const auto [low_b, high_b] = std::minmax({b[0][k], b[1][k], b[2][k]});
      if (low_a > high_b || low_b > high_a) return false;
    }
    return true;
  };
  int count = 0;
  for (const Collider& collider : simulation.scene().colliders) {
    const TriangleMesh mesh = surface_at(collider, simulation.time());
    std::vector<std::array<int, 3>> elements = simulation.surface();
    for (std::size_t b = 0; b < simulation.scene().bodies.size(); ++b) {
      const int first = simulation.body_vertices()[b];
      for (const auto& [i, j] : simulation.scene().bodies[b].segments) {
        elements.push_back({first + i, first + j, first + j});
      }
    }
    for (const auto& own : elements) {
      const Corners a = corners(x, own);
      for (const auto& t : mesh.triangles) {
        const Corners b = corners(mesh.vertices, t);
        if (!are_near(a, b)) continue;
        for (std::size_t i = 0; i < 3; ++i) {
          const std::size_t j = (i + 1) % 3;
          count += vertex_face_ccd({a[i], b[0], b[1], b[2]}, {a[j], b[0], b[1], b[2]}).meets;
          count += vertex_face_ccd({b[i], a[0], a[1], a[2]}, {b[j], a[0], a[1], a[2]}).meets;
        }
      }
    }
  }
  return count;
}

/// The least distance from any surface to a collider, in sizes, over a grid on each triangle and
/// all vertices.
inline double least_distance(const Simulation& simulation) {
  const std::vector<Vec3> x = test::positions_of(simulation);
  double least = 1e300;
  for (std::size_t c = 0; c < simulation.scene().colliders.size(); ++c) {
    ColliderObject collider(simulation.scene().colliders[c], "/colliders");
    collider.move(simulation.time(), 0);
    for (const Vec3& own : x) least = std::min(least, collider.surface(own).distance);
    for (const auto& t : simulation.surface()) {
      for (int i = 0; i <= 6; ++i) {
        for (int j = 0; i + j <= 6; ++j) {
          const Vec3 p = (i / 6.0) * x[static_cast<std::size_t>(t[0])] +
                         (j / 6.0) * x[static_cast<std::size_t>(t[1])] +
                         (1 - (i + j) / 6.0) * x[static_cast<std::size_t>(t[2])];
          least = std::min(least, collider.surface(p).distance);
        }
      }
    }
  }
  return least;
}

/// Runs frames and fails the test if anything meets.
inline StepReport run_apart(Simulation& simulation, int frames) {
  StepReport report;
  for (int frame = 0; frame < frames; ++frame) {
    report = simulation.step();
    EXPECT_NE(report.status, StepStatus::non_finite) << frame;
    EXPECT_EQ(num_intersections(simulation), 0) << frame;
    EXPECT_EQ(num_collider_intersections(simulation), 0) << frame;
    EXPECT_GT(least_distance(simulation), 0) << frame;
    EXPECT_EQ(report.tunnelled, 0) << frame;
    EXPECT_EQ(report.deepest_penetration, 0) << frame;
    EXPECT_EQ(report.overlaps, 0) << frame;
    if (testing::Test::HasFailure()) break;
  }
  return report;
}

inline std::vector<std::string> all_solvers() {
  std::vector<std::string> names;
  for (const Description& solver : list_solvers()) names.push_back(solver.name);
  return names;
}

/// Two blocks: one is turned and thrown down; pins press the upper side of the other down by 0.9 m,
/// which is more than its height.
inline Scene fallen_and_pressed(const std::string& method, double size, const Vec3& thrown,
                                const Vec3& under) {
  Body falling = block(thrown, size, 3), pressed = block(under, size, 3);
  turn(falling, 30, thrown);
  falling.velocity = {0, -8, 0};
  pressed.pins = {
      {.box = {{-9, under[1] + 0.4 * size, -9}, {9, 9, 9}},
       .stiffness = 1e4,
       .motion = {.keyframes = {{.time = 0}, {.time = 0.2, .translate = {0, -0.9, 0}}}}}};
  for (Body* body : {&falling, &pressed}) {
    body->material = test::soft_material(test::material_of(method));
  }
  Scene scene = barrier_scene({falling, pressed});
  scene.solver.method = from_string<SolverMethod>(method);
  return scene;
}

inline Vec3 middle_of(const Simulation& simulation, std::size_t body) {
  const std::vector<Vec3> x = test::positions_of(simulation);
  const int first = simulation.body_vertices()[body], last = simulation.body_vertices()[body + 1];
  Vec3 sum{0, 0, 0};
  for (int i = first; i < last; ++i) {
    sum = sum + (1.0 / (last - first)) * x[static_cast<std::size_t>(i)];
  }
  return sum;
}

}  // namespace supple::test::barrier
