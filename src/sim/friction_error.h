#pragma once

#include <vector>

#include "descent/objective.h"
#include "model/model.h"

namespace supple {

/// Estimates how much of the bodies' speed friction has wrongly taken or given because steps have
/// not converged.
///
/// A step that ends at z with grad g(z) left over is the converged step of a body on which that
/// force acted too (drift.h). Summed over a body, elastic forces cancel: M (z - y)/a^2 is F, the
/// sum of what touches it, plus a stray force s, the sum of grad g. A body that does not enter what
/// it touches moves as if F + s held it there, so s is no error of its motion. But friction in the
/// next step goes by the normal forces N in F alone. They miss the share <s, F>/(|F| sum N), and so
/// does friction, where it slips: what friction holds, it holds with any normal force. These
/// impulses are added up. What pushes to and fro cancels.
class FrictionError {
 public:
  explicit FrictionError(const Model& model);

  /// Begins with no error.
  void begin();

  /// Adds a substep of length h, s, that ended at z with gradient = grad g(z), N; it counts once it
  /// is accepted. Bodies that are held by pins or tied to others are not followed.
  void add(const Objective& objective, const VectorField& z, const VectorField& gradient, double h);
  /// Accepts what was added last: the substep is not done again in another way.
  void accept();

  /// The largest wrong impulse so far over mass times largest speed, of all bodies.
  double share() const;

 private:
  struct Body {
    int first = 0, last = 0;  ///< vertices
    double mass = 0;          ///< kg
    bool is_held = false;
    double missing = 0;   ///< share of the normal forces at the end of the last substep
    Vec3 wrong{0, 0, 0};  ///< N s
    double fastest = 0;   ///< m/s
    double worst = 0;     ///< of |wrong| over mass times fastest
    double next_missing = 0, next_speed = 0;  ///< of the substep that was added
    double normal = 0;                        ///< sum of normal forces, N
    Vec3 friction{0, 0, 0};                   ///< where it slips, N
  };
  void find_held();
  void find_forces(const ContactEnergy& contact, const VectorField& z);

  const Model* model_;
  std::vector<Body> bodies_;
  bool is_added_ = false;
  double h_ = 0;  ///< of the substep that was added, s
};

}  // namespace supple
