#pragma once

#include <span>
#include <vector>

#include "math/mat3.h"
#include "model/model.h"
#include "sim/loads.h"

namespace supple {

/// Keeps the mechanical energy of a step from growing beyond the work that was done, if solving the
/// step better does not: takes the excess out of the velocities. A body loses what it moves by
/// beside a rigid motion, so it keeps its linear and angular momentum. A body that something holds
/// or touches can lose rigid motion too. `bodies` are the ones that a call is about, ascending.
class EnergyGuard {
 public:
  explicit EnergyGuard(const Model& model);

  /// Kinetic energy, J.
  double kinetic(std::span<const int> bodies, const VectorField& v) const;

  /// Kinetic energy of a motion from x to z in h, s, J.
  double kinetic_of_way(std::span<const int> bodies, const VectorField& x, const VectorField& z,
                        double h) const;

  /// Work of the weight from one place to another, J.
  double work_of_weight(std::span<const int> bodies, const Vec3& gravity, const VectorField& from,
                        const VectorField& to) const;

  /// Sum over the bodies of weight times size, J: the energy of a fall by its own size.
  double weight_times_size(const Vec3& gravity) const;

  /// |.|_M^2 of the rigid part of a field v of a body at x: the shift and the turn with the same
  /// momenta.
  double rigid_square(std::size_t body, const VectorField& x, const VectorField& v) const;

  /// Takes up to `excess` J out of the velocities at x. is_held: whether something outside acts on
  /// a body, [num_bodies]. Returns what was taken, J.
  double dissipate(std::span<const int> bodies, double excess, const std::vector<char>& is_held,
                   const VectorField& x, VectorField& v);

  /// Where the bodies would be if they had moved rigidly for a time t, s, under gravity alone: a
  /// start of a descent that costs no elastic energy.
  void move_rigidly(std::span<const int> bodies, const VectorField& x, const VectorField& v,
                    const Vec3& gravity, double t, VectorField& moved);

  /// Shifts each body as a whole by scale, s^2, times the acceleration that the forces give it.
  void push(std::span<const int> bodies, const Loads& loads, double scale, VectorField& moved);

 private:
  using Vector = Vector3<double>;
  /// The rigid motion of a body at x with v.
  struct Rigid {
    double mass = 0;                                ///< kg
    Vector center{{0, 0, 0}}, velocity{{0, 0, 0}};  ///< m, m/s
    Vector spin{{0, 0, 0}};                         ///< 1/s
    Vector at(const PaddedVector& x) const;
  };
  template <class Visit>
  void for_vertices(std::span<const int> bodies, const Visit& visit) const;
  Rigid rigid_of(std::size_t body, const VectorField& x, const VectorField& v) const;

  const Model* model_;
  std::vector<Rigid> rigid_;  ///< [num_bodies]
};

}  // namespace supple
