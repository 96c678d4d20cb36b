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
/// outside. Each collider is larger by a layer of its own, in which barriers push (barrier.h); what
/// counts here is their true surface. A collider that moves is at rest where it is at the end of
/// the step, and what starts the step is carried there with it: ways are those that it sees.
///
/// Proof. On its way through a step, each corner linearly, a triangle stays in the hull of its
/// corners at both ends. With the distance d and the unit normal n at the middle q of such a hull
/// and its radius r, no corner p and nothing between them is nearer than the least
///   d + n . (p - q) - c r^2/2 - rounding,
/// as n . (x - p) = 0 touches a convex collider [Boyd & Vandenberghe 2004, sec. 3.1.3], and c, the
/// most that the distance bends down, is 0; nor is it nearer than d - r, whatever the collider.
/// Where that is not enough for a proof, the hull is halved, across its longest edge or in time.
/// Of meshes, which are not convex, each triangle is proved to stay apart (mesh_way.h).
///
/// What has no proof is moved: its corners out to the plane at the last place of its way that is
/// proved. So what slides goes on sliding. After some rounds what still has none stays where it
/// was, corners first and then bodies, which needs no proof.
///
/// A collider that moves may leave no such place: another one, or a body, is in the way of what it
/// pushes. Corners that were not moved out then go with it, and what that does not help is inside.
/// As long as it is, its corners get no deeper unless something is in their way. Of colliders at
/// rest it is kept out all the same.
class ColliderGuard {
 public:
  /// body_of: of each vertex; -1: it touches nothing. layers: of each collider, m, > 0. holder: the
  /// collider that holds a vertex, whose elements do not touch that one; -1: none. Or empty.
  ColliderGuard(const std::vector<ContactSurface>& surfaces, std::vector<int> body_of,
                std::vector<double> layers, std::vector<int> holder = {});

  /// The thickness of a collider's layer, m.
  double layer(std::size_t collider) const { return layers_[collider]; }
  /// Of all layers at that time, s.
  double part_of_layers(double time) const;

  /// Makes the colliders larger by their layers as they are at that time, s.
  void inflate(std::vector<ColliderObject>& colliders, double time) const;

  /// Moves z so that nothing enters a collider on its way from x to x + (z - x)/stage. Of each body
  /// whether any of it was moved, or empty where none was. The same whatever the number of threads.
  std::span<const char> hold(const std::vector<ColliderObject>& colliders, const double* x,
                             double* z, double stage, Threads& threads);

  /// Finds what starts a step at x in a collider that can move.
  void find_inside(const std::vector<ColliderObject>& colliders, const double* x, Threads& threads);
  /// Whether a vertex is one of those elements': [num_vertices].
  const std::vector<char>& vertices_inside() const { return vertices_inside_; }

  /// How many elements, triangles, segments or vertices, were in a collider that moves in the last
  /// `hold`, or are on their way from x to x + (z - x)/stage.
  int num_inside() const;
  int num_inside(const std::vector<ColliderObject>& colliders, const double* x, const double* z,
                 double stage, Threads& threads);

  /// Moves what touches a collider, or is in it by less than its layer, to before it; layers grow
  /// from where that is.
  void start_outside(std::vector<ColliderObject>& colliders, double* x);

  /// Throws Error{invalid_input} at the first body of which not all is outside of all colliders.
  /// fresh: which bodies are looked for in colliders that can move, [bodies]; empty: all.
  void require_outside(const std::vector<ColliderObject>& colliders, const double* x,
                       const std::vector<char>& fresh = {}) const;

 private:
  /// A triangle, a segment or a vertex that belongs to neither.
  struct Element {
    std::array<int, 3> corners;
    int count;
    int body;
    int met;       ///< collider; -1: none
    int inside;    ///< collider that moves, in which it starts the step; -1: none
    bool is_free;  ///< of colliders that move: it has found no way out
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
  // Of a step.
  std::vector<Vec3> starts_, ends_;      ///< [num_vertices], m
  std::vector<char> is_moved_, bodies_;  ///< [num_vertices], [bodies]
  /// Whether a corner goes with a collider, or stays where it was: [num_vertices].
  enum class Stop : char { none, carried, stays };
  std::vector<Stop> stopped_;
  std::vector<char> vertices_inside_;  ///< [num_vertices]
};

}  // namespace supple
