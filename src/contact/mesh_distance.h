#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "contact/aabb_tree.h"
#include "contact/surface_point.h"
#include "contact/triangle.h"
#include "supple/scene.h"

namespace supple {

/// Solid within a closed triangle mesh. The distance is that to the nearest triangle, found in a
/// tree of boxes. Its sign is that of (x - p) . m, where p is the nearest point and m the
/// angle-weighted pseudo-normal of the feature that p lies on [Baerentzen & Aanaes 2005]: for a
/// face its normal, for an edge the sum of its faces' normals, for a vertex the sum of its faces'
/// normals, each times the face's angle there.
class MeshDistance {
 public:
  /// Throws Error{invalid_input} at `where` for a mesh that is no closed surface (see
  /// closed_surface.h).
  MeshDistance(const MeshShape& shape, const std::string& where);

  /// Beyond about 1e150 m, and for an x that is not finite, the distance is infinite.
  SurfacePoint surface(const Vec3& x) const;

  /// Some triangles, by their places in the order of the tree.
  struct Some {
    static constexpr std::size_t room = 32;
    std::array<int, room> places;
    std::size_t count = 0;
  };
  /// Finds the triangles that can be nearest to a place within `radius` of `center`, at which the
  /// distance is `distance`, m. Returns false if there is no room for them.
  bool find_near(const Vec3& center, double distance, double radius, Some& found) const;
  /// The same as surface(x), if one of these triangles is nearest to x.
  SurfacePoint surface(const Vec3& x, const Some& near) const;

  /// True for points outside the mesh's box; these are not inside the mesh.
  bool outside_box(const Vec3& x) const;
  /// A triangle of the mesh with the corners and edges (from each corner to the next) that it owns.
  /// Each of them is owned by one triangle.
  struct Face {
    const Triangle* triangle;
    std::uint8_t owned;
    bool owns_corner(int i) const { return (owned >> i & 1) != 0; }
    bool owns_edge(int i) const { return (owned >> (3 + i) & 1) != 0; }
  };
  /// Calls visit(face) for the triangles whose boxes touch a box, until it returns true. Returns
  /// whether it did.
  template <class Visit>
  bool any_near(const Box& box, const Visit& visit) const {
    const auto touches = [&](const Box& other) {
      for (std::size_t k = 0; k < 3; ++k) {
        if (other.min[k] > box.max[k] || box.min[k] > other.max[k]) return false;
      }
      return true;
    };
    return tree_.any(touches, [&](int place) {
      const auto i = static_cast<std::size_t>(place);
      const Vec3(&c)[3] = triangles_[i].corner;
      Box own{c[0], c[0]};
      for (const Vec3& p : c) own = AabbTree::join(own, {p, p});
      return touches(own) && visit(Face{&triangles_[i], owned_[i]});
    });
  }

  /// The size of its coordinates, for rounding: diagonal of its box plus its distance from 0, m.
  double scale() const { return scale_; }

  /// A lower bound of the distance of x from the surface if x is outside the mesh's box; otherwise
  /// 0.
  double distance_to_box(const Vec3& x) const;

 private:
  struct Nearest {
    TrianglePoint point;
    int place;
  };
  Nearest none() const {
    return {{triangles_[0].corner[0], std::numeric_limits<double>::infinity(), 0}, -1};
  }
  /// Takes a triangle if it is nearer to x.
  void take_nearer(int place, const Vec3& x, Nearest& nearest) const;
  SurfacePoint surface_at(const Vec3& x, const Nearest& nearest) const;

  /// Unit normals, indexed by TrianglePoint::feature.
  using Normals = std::array<Vec3, 7>;

  AabbTree tree_;
  std::vector<Triangle> triangles_;  ///< in the order of the tree
  std::vector<Normals> normals_;     ///< in the order of the tree
  std::vector<std::uint8_t> owned_;  ///< as in Face; in the order of the tree
  double scale_;                     ///< m
};

}  // namespace supple
