#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/parallel_for.h"
#include "contact/collider.h"
#include "supple/scene.h"

/// Contact of vertices with colliders.
///
/// Normal part. At the beginning of each iteration of the minimiser every vertex found inside a
/// collider gets a contact: the plane through its projection x_s on the collider's surface, with
/// the surface's normal n there. The plane is held while the line search of that iteration tries
/// positions x [thesis sec. 8.5]:
///   E_n(x) = k/2 min(0, (x - x_s)^T n)^2                               [thesis eq. 8.7,
///   unilateral]
/// The thesis has no min: it drops the term when the vertex and the collider move apart, so that
/// the spring never pulls. That test depends on velocities and makes the function that is minimised
/// jump between iterations: a vertex that is still inside but on its way out loses its whole energy
/// at once. With the min, a vertex that the line search takes past its plane feels nothing, there
/// is no glue, and E_n is continuously differentiable. And since the gap is the signed distance d
/// where the contact was chosen, with gradient n, value and gradient agree there with those of
///   k/2 sum min(0, d(x))^2,
/// one function, the same in every iteration: a step that has converged is a stationary point of g
/// with this energy, whatever the way to it.
///
/// Friction (Coulomb, coefficient mu), as a lagged, smoothed dissipation potential:
///   E_f(x) = mu N f(|u|),  u = (I - n n^T)(x - x_n - c),
///   f(s) = s^2 / (2 eps) for s <= eps, s - eps/2 above (Huber),  eps = friction_slip_speed * h,
/// x_n being the vertex at the start of the step and c the displacement over the step of the
/// collider's point at x_s. N = k * depth is the normal force where the contact was chosen; it and
/// n are held through the line search, so that E_f is a continuously differentiable convex function
/// of x. The force is at most mu N and opposes the slip.
namespace supple {

/// m/s. Below this speed of slip the friction force falls linearly to zero, so a body that friction
/// holds creeps at less than this: 1 mm in a second, which is not seen in motion. Smaller values
/// bring nothing visible and make E_f stiffer, mu N / eps per vertex: at 1/30 s and the weight of a
/// vertex of mass m for N, this one gives mu * 327 m / h^2, less than usual contact stiffnesses.
inline constexpr double friction_slip_speed = 1e-3;

/// A vertex inside a collider.
struct Contact {
  int vertex;
  int collider;         ///< into the list of colliders
  Vec3 surface;         ///< x_s, m
  Vec3 normal;          ///< n, unit, outward
  double depth;         ///< where the contact was chosen, m, > 0
  double normal_force;  ///< N = k depth there, N
  Vec3 anchor;          ///< x_n + c: where the vertex would be had it stuck to the collider, m
};

/// All contacts of a simulation. Everything is allocated at construction.
///
/// Positions and gradients are [4 * num_vertices]: vertex i at 4 i, 4 i + 1, 4 i + 2, then padding
/// that is neither read nor written.
class ContactEnergy {
 public:
  /// vertices: those to test, each >= 0. Throws Error{invalid_input} for a stiffness that is not
  /// positive, a negative coefficient of friction, either not finite, or a negative vertex.
  ContactEnergy(std::vector<ColliderObject> colliders, const ContactSettings& settings,
                std::vector<int> vertices);

  /// Poses the colliders at time_end, the end of a step of h > 0, s, and drops all contacts.
  /// x_n: positions at the start of the step; they must outlive the last call of `detect` in it.
  void begin_step(double time_end, double h, const double* x_n);

  /// Chooses the contacts at x: those of colliders that a vertex is inside, each giving its own.
  /// They are ordered by blocks of vertices, in them by collider, then by vertex, whatever the
  /// number of threads.
  void detect(const double* x, Threads& threads);

  /// Energy of the contacts at x, J; adds its gradient, N, to `gradient`.
  double add(const double* x, double* gradient) const;

  /// As `add`, of one contact with its vertex at x: [3]. Adds to the vertex's gradient: [3].
  double add(const Contact& contact, const double* x, double* gradient) const;

  /// Calls visit(int vertex, const double* block) for every contact with the Hessian of its energy
  /// at x, N/m: 9 numbers, 3x3 symmetric positive semi-definite. Some may be zero; a vertex with
  /// several contacts comes several times.
  template <class Visit>
  void visit_hessian(const double* x, const Visit& visit) const {
    double block[9];
    for (const Contact& contact : contacts()) {
      hessian(contact, x + 4 * static_cast<std::size_t>(contact.vertex), block);
      visit(contact.vertex, static_cast<const double*>(block));
    }
  }

  /// Hessian of the energy of one contact with its vertex at x: [3], as in `visit_hessian`.
  void hessian(const Contact& contact, const double* x, double* block) const;

  /// Coefficient of friction.
  double friction() const { return friction_; }

  /// Valid until the next call of `detect` or `begin_step`.
  std::span<const Contact> contacts() const { return {contacts_.get(), num_contacts_}; }
  /// There are never more contacts than this.
  std::size_t max_contacts() const { return vertices_.size() * colliders_.size(); }
  const std::vector<ColliderObject>& colliders() const { return colliders_; }

 private:
  std::size_t detect_block(std::size_t block, const double* x);

  std::vector<ColliderObject> colliders_;
  double stiffness_;  ///< k, N/m
  double friction_;   ///< mu
  std::vector<int> vertices_;
  const double* x_n_ = nullptr;
  double slip_ = 0;  ///< eps, m
  /// [max_contacts()], of which the first num_contacts_ are set. Left uninitialised, so that the
  /// system gives memory only to what is used: few vertices are in contact at a time.
  std::unique_ptr<Contact[]> contacts_;
  std::size_t num_contacts_ = 0;
  std::vector<std::size_t> found_in_block_;
};

}  // namespace supple
