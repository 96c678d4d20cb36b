#include "render/shapes.h"

#include <cmath>
#include <numbers>

#include "contact/height_surface.h"
#include "contact/hull_surface.h"
#include "math/motion.h"
#include "render/vec.h"
#include "supple/error.h"

namespace supple {

using namespace vec;

namespace {

constexpr double pi = std::numbers::pi;

/// A point of a profile: its distance from the axis and its position along it.
struct ProfilePoint {
  double radius, height;
};

/// The surface that a profile sweeps around an axis. The profile runs upward on the outer side. It
/// is either closed, or ends at the axis with points of radius 0.
TriangleMesh revolve(const std::vector<ProfilePoint>& profile, bool closed, const Vec3& origin,
                     const Vec3& axis, int segments) {
  const Vec3 w = unit(axis, {0, 1, 0});
  const Vec3 u = across(w), v = cross(w, u);
  TriangleMesh mesh;
  std::vector<int> first;  // vertex of each profile point
  for (const ProfilePoint& p : profile) {
    first.push_back(static_cast<int>(mesh.vertices.size()));
    const int copies = p.radius > 0 ? segments : 1;
    for (int j = 0; j < copies; ++j) {
      const double angle = 2 * pi * j / segments;
      mesh.vertices.push_back(origin + p.radius * std::cos(angle) * u +
                              p.radius * std::sin(angle) * v + p.height * w);
    }
  }
  const std::size_t bands = profile.size() - (closed ? 0 : 1);
  for (std::size_t i = 0; i < bands; ++i) {
    const std::size_t next = (i + 1) % profile.size();
    const bool from_pole = !(profile[i].radius > 0), to_pole = !(profile[next].radius > 0);
    for (int j = 0; j < segments; ++j) {
      const int k = (j + 1) % segments;
      const int a = first[i] + (from_pole ? 0 : j), b = first[i] + (from_pole ? 0 : k);
      const int c = first[next] + (to_pole ? 0 : k), d = first[next] + (to_pole ? 0 : j);
      if (!from_pole) mesh.triangles.push_back({a, b, c});
      if (!to_pole) mesh.triangles.push_back({a, c, d});
    }
  }
  return mesh;
}

/// Half a circle or part of one about (0, height), from one angle above the equator to another.
void append_arc(std::vector<ProfilePoint>& profile, double radius, double height, double from,
                double to, int pieces) {
  for (int i = 0; i <= pieces; ++i) {
    const double angle = from + (to - from) * i / pieces;
    const bool pole = std::abs(std::abs(angle) - pi / 2) < 1e-9;
    profile.push_back({pole ? 0 : radius * std::cos(angle), height + radius * std::sin(angle)});
  }
}

struct Tessellator {
  Vec3 plane_center;
  double plane_radius;

  TriangleMesh operator()(const PlaneShape& plane) const {
    const Vec3 n = unit(plane.normal, {0, 1, 0});
    // The scene's plane is normal . x = offset with the normal as given.
    const double given = length(plane.normal);
    const double offset = given > 0 ? plane.offset / given : plane.offset;
    const Vec3 c = plane_center - (dot(n, plane_center) - offset) * n;
    const Vec3 u = plane_radius * across(n), v = plane_radius * cross(n, across(n));
    return {{c - u - v, c + u - v, c + u + v, c - u + v}, {{0, 1, 2}, {0, 2, 3}}};
  }

  TriangleMesh operator()(const SphereShape& sphere) const {
    std::vector<ProfilePoint> profile;
    append_arc(profile, sphere.radius, 0, -pi / 2, pi / 2, 32);
    return revolve(profile, false, sphere.center, {0, 1, 0}, 64);
  }

  TriangleMesh operator()(const BoxShape& box) const {
    TriangleMesh mesh;
    const Pose pose = turned(box.axis, box.center, box.degrees);
    for (unsigned i = 0; i < 8; ++i) {
      Vec3 x = box.center;
      for (unsigned d = 0; d < 3; ++d) x[d] += ((i >> d & 1U) != 0 ? 0.5 : -0.5) * box.size[d];
      mesh.vertices.push_back(pose.apply(x));
    }
    mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                      {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    return mesh;
  }

  TriangleMesh operator()(const CapsuleShape& capsule) const {
    const Vec3 core = capsule.b - capsule.a;
    std::vector<ProfilePoint> profile;
    append_arc(profile, capsule.radius, 0, -pi / 2, 0, 16);
    append_arc(profile, capsule.radius, length(core), 0, pi / 2, 16);
    return revolve(profile, false, capsule.a, core, 64);
  }

  TriangleMesh operator()(const CylinderShape& cylinder) const {
    const double h = 0.5 * cylinder.height, r = cylinder.radius;
    return revolve({{0, -h}, {r, -h}, {r, h}, {0, h}}, false, cylinder.center, cylinder.axis, 64);
  }

  TriangleMesh operator()(const TorusShape& torus) const {
    std::vector<ProfilePoint> profile;
    for (int i = 0; i < 32; ++i) {
      const double angle = 2 * pi * i / 32;
      profile.push_back(
          {torus.major + torus.minor * std::cos(angle), torus.minor * std::sin(angle)});
    }
    return revolve(profile, true, torus.center, torus.axis, 96);
  }

  TriangleMesh operator()(const MeshShape& shape) const { return shape.mesh; }

  // If a shape has no surface, the picture omits the collider; a simulation reports what is wrong
  // with it.
  TriangleMesh operator()(const ConvexHullShape& shape) const {
    return or_nothing([&] { return hull_surface(shape, ""); });
  }
  TriangleMesh operator()(const HeightFieldShape& shape) const {
    return or_nothing([&] { return height_ground(shape, ""); });
  }
  TriangleMesh operator()(const DistanceShape& /*shape*/) const { return {}; }

 private:
  template <class Make>
  static TriangleMesh or_nothing(const Make& make) {
    try {
      return make();
    } catch (const Error&) {
      return {};
    }
  }
};

}  // namespace

TriangleMesh tessellate(const ColliderShape& shape, const Vec3& plane_center, double plane_radius) {
  return std::visit(Tessellator{plane_center, plane_radius}, shape);
}

}  // namespace supple
