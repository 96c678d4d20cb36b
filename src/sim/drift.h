#pragma once

#include <vector>

#include "descent/objective.h"
#include "integrate/integrator.h"
#include "model/model.h"
#include "supple/scene.h"

namespace supple {

/// Estimates how far bodies of tets that are held by pins have come off the motion of converged
/// steps.
///
/// A step that ends at z with grad g(z) left over is the converged step of a body on which that
/// force acted too: M (z - y)/a^2 = -grad E(z) + grad g(z). The error of a run is therefore how the
/// body responds to these forces. For each body the motion along u = z - rest, its displacement
/// from rest, is followed as an oscillator. Its coordinate d is a length in |.|_M. It follows the
/// integrator of the body itself, with y formed from d and its velocity, by
///   (1 + kappa) z_d = y_d + a^2 <grad g, u>/|u|_M,
///   kappa = -a^2 <M (z - y)/a^2 - grad g, u>/<u, u>_M.
/// d turns with u. Forces that push one way add up over a swing, and forces that push to and fro
/// cancel. With integrators that damp, an error of a fast motion is forgotten and one of a slow
/// motion stays. Compared with Newton's method with 40 iterations, |d| is right to within a third
/// in most swings of held bodies under their weight, with backward Euler (correlation of the
/// logarithms 0.97).
class Drift {
 public:
  /// Follows nothing if the scene has materials whose energy cannot be evaluated.
  Drift(const Model& model, const Scene& scene);

  /// Begins with bodies that are where they are without any error.
  void begin();

  /// How a substep is done.
  struct Step {
    const Integrator& integrator;
    double h;     ///< s
    double kept;  ///< share of a velocity that drag leaves
    int steps;    ///< number of substeps like this one that follow each other
  };
  /// Adds a substep that ended at z with gradient = grad g(z), N; it counts once it is accepted.
  /// Does nothing if a is infinite. A body that touches something is taken to be free of error.
  void add(const Objective& objective, const VectorField& z, const VectorField& gradient,
           const Step& step);
  /// Accepts what was added last: the substep is not done again in another way.
  void accept();

  /// The largest |d| over the largest |u|_M so far, for the body with the largest ratio; 0 if no
  /// body has come off by 1e-4 of its size.
  double share() const;

 private:
  struct Held {
    int first = 0, last = 0;  ///< vertices
    double visible = 0;       ///< |.|_M of the least visible displacement
    State now, next;          ///< of one vertex, whose first coordinate is d
    double u_next = 0;
    double worst = 0, most = 0;  ///< of |d| and |u|_M
  };
  void move(Held& body, const Step& step, double kappa, double way);

  const Model* model_;
  Model one_;  ///< of one vertex of mass 1
  VectorField z_;
  std::vector<Held> bodies_;
  bool is_added_ = false;
};

}  // namespace supple
