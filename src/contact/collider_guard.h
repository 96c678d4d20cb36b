#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/parallel_for.h"
#include "contact/collider.h"
#include "contact/mesh_way.h"
#include "contact/surface_points.h"

namespace supple {

/// Keeps the surfaces of bodies out of colliders, however a step was solved: what is outside stays
/// outside. Each collider is enlarged by a layer of its own, in which barriers push (barrier.h);
/// this class guards the true surface. A moving collider is taken as resting where it is at the end
/// of the step, and the start of each way is carried there with it: ways are as the collider sees
/// them.
///
/// Proof. While its corners move linearly through a step, a triangle stays in the hull of its
/// corners at both ends. Let d be the distance and n the unit normal at the middle q of such a
/// hull, and r the hull's radius. Then no corner p, and nothing between the corners, is nearer than
/// the least
///   d + n . (p - q) - c r^2/2 - rounding.
/// Here c is the most that the distance bends down. It is 0 for a convex collider, because the
/// plane with the normal n at the surface point nearest to q touches it [Boyd & Vandenberghe 2004,
/// sec. 3.1.3]. Whatever the collider, the hull is also no nearer than d - r. If that is not enough
/// for a proof, the hull is halved, across its longest edge or in time. For meshes that are not
/// convex, each triangle of the mesh is proved to stay apart (mesh_way.h).
///
/// Elements without a proof are moved: their corners go out to the plane at the last proved place
/// of their way, so what slides goes on sliding. After some rounds, elements that still have no
/// proof stay where they were, first their corners and then whole bodies, which needs no proof.
///
/// A moving collider may leave no such place, because another collider or a body is in the way of
/// what it pushes. Corners that were not moved out then go with the collider, and if that does not
/// help, the element is inside. While it is, its corners get no deeper unless something is in their
/// way. Colliders at rest still keep it out.
class ColliderGuard {
 public:
  /// body_of: for each vertex; -1: it touches nothing. layers: for each collider, m, > 0. holder:
  /// for each vertex the collider that holds it, which its elements do not touch; -1: none. Or
  /// empty.
  ColliderGuard(const std::vector<ContactSurface>& surfaces, std::vector<int> body_of,
                std::vector<double> layers, std::vector<int> holder = {});

  /// The thickness of a collider's layer, m.
  double layer(std::size_t collider) const { return layers_[collider]; }
  /// The part of all layers that has grown by that time, s.
  double part_of_layers(double time) const;

  /// Enlarges the colliders by their layers at that time, s.
  void inflate(std::vector<ColliderObject>& colliders, double time) const;

  /// Moves z so that nothing enters a collider on its way from x to x + (z - x)/stage. Returns for
  /// each body whether any of it was moved, or empty if none was. The same for any number of
  /// threads.
  std::span<const char> hold(const std::vector<ColliderObject>& colliders, const double* x,
                             double* z, double stage, Threads& threads);

  /// Finds the elements that start a step at x inside a collider that can move.
  void find_inside(const std::vector<ColliderObject>& colliders, const double* x, Threads& threads);
  /// Whether a vertex belongs to one of those elements: [num_vertices].
  const std::vector<char>& vertices_inside() const { return vertices_inside_; }

  /// The number of elements (triangles, segments or vertices) that were in a moving collider in the
  /// last `hold`, or that are on their way from x to x + (z - x)/stage.
  int num_inside() const;
  int num_inside(const std::vector<ColliderObject>& colliders, const double* x, const double* z,
                 double stage, Threads& threads);

  /// Moves elements that touch a collider, or are inside it by less than its layer, outside; the
  /// layers grow from there.
  void start_outside(std::vector<ColliderObject>& colliders, double* x);

  /// Throws Error{invalid_input} at the first body that is not wholly outside all colliders. fresh:
  /// the bodies that are looked for in colliders that can move, [bodies]; empty: all.
  void require_outside(const std::vector<ColliderObject>& colliders, const double* x,
                       const std::vector<char>& fresh = {}) const;

 private:
  /// A triangle, a segment, or a vertex that belongs to neither.
  struct Element {
    std::array<int, 3> corners;
    int count;
    int body;
    int met;       ///< collider that it meets; -1: none
    int inside;    ///< moving collider in which it starts the step; -1: none
    bool is_free;  ///< it has found no way out of moving colliders
  };

  ElementWay way_of(const ColliderObject& collider, const Element& own) const;
  void read_way(const double* x, const double* z, double stage);
  bool is_at_rest(const Element& own) const;
  bool may_touch(const ColliderObject& collider, int number, const Element& own) const;
  static bool is_clear(const ColliderObject& collider, const ElementWay& way);
  void look(const std::vector<ColliderObject>& colliders, Threads& threads);
  template <class Visit>
  void for_elements(Threads& threads, const Visit& visit);
  bool any_met() const;
  bool move_out(const ColliderObject& collider, const Element& own);
  bool push_out(const ColliderObject& collider, const Element& own);
  void stop(const Element& own);
  bool push_back(const ColliderObject& collider, const Element& own);
  void carry(const ColliderObject& collider, const Element& own);
  void move(int vertex, const Vec3& end);

  std::vector<Element> elements_;
  std::vector<int> body_of_;    ///< [num_vertices]
  std::vector<double> layers_;  ///< [colliders], m
  std::vector<int> holder_;     ///< [num_vertices]; or empty
  double first_part_ = 1;       ///< of the layers, at time 0
  std::size_t num_bodies_ = 0;
  // The current step.
  std::vector<Vec3> starts_, ends_;      ///< [num_vertices], m
  std::vector<char> is_moved_, bodies_;  ///< [num_vertices], [bodies]
  /// Whether a corner goes with a collider, or stays where it was: [num_vertices].
  enum class Stop : char { none, carried, stays };
  std::vector<Stop> stopped_;
  std::vector<char> vertices_inside_;  ///< [num_vertices]
};

}  // namespace supple
