#pragma once

#include <array>
#include <span>
#include <vector>

#include "contact/aabb_tree.h"
#include "supple/scene.h"

namespace supple {

/// Finds the material points of a body that are nearest to points in the world.
class NearestPlace {
 public:
  /// x: positions of the body's vertices, m; they must outlive this object.
  NearestPlace(const Body& body, std::span<const Vec3> x);

  /// The point sum_i w_i x_i with sum_i w_i = 1.
  struct Place {
    int count = 0;
    std::array<int, 4> vertices{};  ///< of the body, each once
    std::array<double, 4> weights{};
    double beside = 0;    ///< distance between it and the point asked for, m
    double distance = 0;  ///< distance of that point from the body, m; 0 inside
  };
  /// Inside a body of tets: the point itself. Outside: the point itself in the continuation of the
  /// nearest tet, with weights below 0, if these are not too large. Otherwise the nearest point of
  /// the surface, cloth or strand.
  Place find(const Vec3& point) const;

 private:
  struct Feature {
    int count;  ///< number of corners: 1 to 3
    std::array<int, 3> corners;
    int tet;  ///< the tet whose face it is; -1: none
  };
  const Vec3& place(int vertex) const { return x_[static_cast<std::size_t>(vertex)]; }
  std::array<double, 4> weights_in(int tet, const Vec3& point) const;
  Place nearest_feature(const Vec3& point, int& tet) const;
  Place nearest_of(const Feature& feature, const Vec3& point) const;

  const std::vector<std::array<int, 4>>& tets_;
  std::span<const Vec3> x_;
  std::vector<Feature> features_;
  AabbTree tet_tree_, feature_tree_;
};

}  // namespace supple
