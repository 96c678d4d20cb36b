#include "contact/mesh_pairs.h"

#include <algorithm>
#include <array>
#include <string>
#include <variant>

#include "base/index.h"
#include "contact/closed_surface.h"
#include "contact/height_surface.h"
#include "contact/hull_surface.h"
#include "math/motion.h"

namespace supple {

TriangleMesh flat_surface(const ColliderShape& shape) {
  const std::string where = "/colliders";
  if (const auto* mesh = std::get_if<MeshShape>(&shape)) return closed_surface(mesh->mesh, where);
  if (const auto* hull = std::get_if<ConvexHullShape>(&shape)) return hull_surface(*hull, where);
  if (const auto* field = std::get_if<HeightFieldShape>(&shape)) {
    return height_surface(*field, where);
  }
  const auto* const box = std::get_if<BoxShape>(&shape);
  if (box == nullptr) return {};
  Pose frame = turned(box->axis, {0, 0, 0}, box->degrees);
  frame.translation = box->center;
  TriangleMesh mesh;
  for (int corner = 0; corner < 8; ++corner) {
    Vec3 x;
    for (std::size_t k = 0; k < 3; ++k) x[k] = ((corner >> k & 1) - 0.5) * box->size[k];
    mesh.vertices.push_back(frame.apply(x));
  }
  for (const auto& [a, b, c, d] : std::array<std::array<int, 4>, 6>{
           {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}}) {
    mesh.triangles.push_back({a, b, c});
    mesh.triangles.push_back({a, c, d});
  }
  return mesh;
}

namespace {

/// Pairs of bodies, whose surfaces come first, with meshes.
BodyPairs pairs_with(std::vector<BodyFeatures> bodies, std::vector<int> body_of,
                     std::vector<Vec3> rest, const std::vector<ColliderMesh>& meshes,
                     std::vector<std::pair<int, int>> apart,
                     std::vector<std::pair<int, int>> tied) {
  const int num_bodies = static_cast<int>(bodies.size());
  double thickest = 0;
  for (const ColliderMesh& mesh : meshes) thickest = std::max(thickest, mesh.layer);
  std::vector<double> layers(bodies.size(), thickest);
  PairSettings settings;
  for (auto* const list : {&apart, &tied}) {
    for (auto& pair : *list) pair.second += num_bodies;
  }
  settings.apart = std::move(apart);
  settings.tied_to_body = std::move(tied);
  for (const ColliderMesh& mesh : meshes) {
    const int first = static_cast<int>(rest.size());
    BodyFeatures own{
        .triangles = mesh.surface.triangles, .segments = {}, .is_fixed = !mesh.can_move};
    for (auto& triangle : own.triangles) {
      for (int& vertex : triangle) vertex += first;
    }
    rest.insert(rest.end(), mesh.surface.vertices.begin(), mesh.surface.vertices.end());
    body_of.resize(rest.size(), static_cast<int>(bodies.size()));
    bodies.push_back(std::move(own));
    layers.push_back(mesh.layer);
    settings.colliders.push_back(mesh.collider);
  }
  return {bodies, std::move(body_of), std::move(layers), std::move(rest), settings};
}

}  // namespace

MeshPairs::MeshPairs(std::vector<BodyFeatures> bodies, std::vector<int> body_of,
                     std::vector<Vec3> rest, const std::vector<ColliderMesh>& meshes,
                     std::vector<std::pair<int, int>> apart, std::vector<std::pair<int, int>> tied)
    : num_own_(rest.size()),
      pairs_(pairs_with(std::move(bodies), std::move(body_of), std::move(rest), meshes,
                        std::move(apart), std::move(tied))) {
  starts_.resize(4 * num_own_);
  for (const ColliderMesh& mesh : meshes) {
    if (mesh.can_move) {
      moving_.push_back({mesh.collider, starts_.size() / 4, mesh.surface.vertices});
    }
    for (const Vec3& x : mesh.surface.vertices) {
      starts_.insert(starts_.end(), {x[0], x[1], x[2], 0});
    }
  }
  ends_ = starts_;
}

int MeshPairs::find(const std::vector<ColliderObject>& colliders, const ContactWay& way, bool held,
                    SurfacePoints& points, Threads& threads) {
  const auto put = [](const Vec3& x, std::vector<double>& to, std::size_t vertex) {
    std::copy_n(x.data(), 3, &to[4 * vertex]);
  };
  for (std::size_t v = 0; v < num_own_; ++v) {
    put(way.start(static_cast<int>(v)), starts_, v);
    put(way.end(static_cast<int>(v)), ends_, v);
  }
  for (const Moving& own : moving_) {
    const ColliderObject& collider = colliders[at(own.collider)];
    for (std::size_t i = 0; i < own.vertices.size(); ++i) {
      put(collider.posed(own.vertices[i], ColliderObject::Moment::start), starts_, own.first + i);
      put(collider.posed(own.vertices[i], ColliderObject::Moment::end), ends_, own.first + i);
    }
  }
  return pairs_.find({starts_.data(), ends_.data(), 1}, held, points, threads);
}

}  // namespace supple
