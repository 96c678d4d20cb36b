#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/parallel_for.h"
#include "contact/collider.h"
#include "contact/surface_points.h"

namespace supple {

/// Keeps the surfaces of bodies out of colliders, however a step was solved: what is outside stays
/// outside. The colliders are at rest, and each is larger by a layer of its own, in which barriers
/// push (barrier.h); what counts here is their true surface.
///
/// Proof. On its way through a step, each corner linearly, a triangle stays in the hull of its
/// corners at both ends. With the distance d and the unit normal n at the middle q of such a hull
/// and its radius r, no corner p and nothing between them is nearer than the least
///   d + n . (p - q) - c r^2/2 - rounding,
/// as n . (x - p) = 0 touches a convex collider [Boyd & Vandenberghe 2004, sec. 3.1.3], and c, the
/// most that the distance bends down, is 0; nor is it nearer than d - r, whatever the collider.
/// Where that is not enough for a proof, the hull is halved, across its longest edge or in time.
///
/// What has no proof is moved: its corners out to the plane at the last place of its way that is
/// proved. So what slides goes on sliding. After some rounds what still has none stays where it
/// was, corners first and then bodies, which needs no proof.
class ColliderGuard {
 public:
  /// body_of: of each vertex; -1: it touches nothing. layers: of each collider, m, > 0.
  ColliderGuard(const std::vector<ContactSurface>& surfaces, std::vector<int> body_of,
                std::vector<double> layers);

  /// Makes the colliders larger by their layers as they are at that time, s.
  void inflate(std::vector<ColliderObject>& colliders, double time) const;

  /// Moves z so that nothing enters a collider on its way from x to x + (z - x)/stage. Of each body
  /// whether any of it was moved, or empty where none was. The same whatever the number of threads.
  std::span<const char> hold(const std::vector<ColliderObject>& colliders, const double* x,
                             double* z, double stage, Threads& threads);

  /// Moves what touches a collider, or is in it by less than its layer, to before it; layers grow
  /// from where that is.
  void start_outside(std::vector<ColliderObject>& colliders, double* x);

  /// Throws Error{invalid_input} at the first body of which not all is outside of all colliders.
  void require_outside(const std::vector<ColliderObject>& colliders, const double* x) const;

 private:
  /// A triangle, a segment or a vertex that belongs to neither.
  struct Element {
    std::array<int, 3> corners;
    int count;
    int body;
    int met;  ///< collider; -1: none
  };
  using Hull = std::array<std::array<Vec3, 3>, 2>;  ///< corners at both ends of the way

  Hull hull_of(const Element& own) const;
  bool is_at_rest(const Element& own) const;
  bool is_clear(const ColliderObject& collider, const Element& own) const;
  void look(const std::vector<ColliderObject>& colliders, Threads& threads);
  bool any_met() const;
  bool push_out(const ColliderObject& collider, const Element& own);
  bool stop(const Element& own);
  void move(int vertex, const Vec3& end);

  std::vector<Element> elements_;
  std::vector<int> body_of_;    ///< [num_vertices]
  std::vector<double> layers_;  ///< [colliders], m
  double first_part_ = 1;       ///< of the layers, at time 0
  std::size_t num_bodies_ = 0;
  // Of a step.
  std::vector<Vec3> starts_, ends_;                   ///< [num_vertices], m
  std::vector<char> is_moved_, is_stopped_, bodies_;  ///< [num_vertices], the same, [bodies]
};

}  // namespace supple
