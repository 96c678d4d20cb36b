#pragma once

#include <vector>

#include "descent/objective.h"
#include "integrate/integrator.h"
#include "model/model.h"
#include "supple/scene.h"

namespace supple {

/// Estimates how far bodies of tets that pins hold have come off the motion of converged steps.
///
/// A step that ends at z with grad g(z) left over is the converged step of a body on which that
/// force acted as well: M (z - y)/a^2 = -grad E(z) + grad g(z). What a run has gone wrong by is
/// therefore how the body answers to these forces. Of each body the motion along its displacement
/// from rest is followed, u = z - rest: an oscillator whose coordinate d is a length in |.|_M, and
/// which goes by the integrator of the body itself, with y of d and of its velocity, from
///   (1 + kappa) z_d = y_d + a^2 <grad g, u>/|u|_M,
///   kappa = -a^2 <M (z - y)/a^2 - grad g, u>/<u, u>_M.
/// d turns with u. What pushes one way adds up over a swing, what pushes to and fro cancels; with
/// integrators that damp, an error of a fast motion is forgotten, one of a slow motion stays.
/// Against Newton's method with 40 iterations |d| is right within a third in most of the swings of
/// held bodies under their weight, by backward Euler (correlation of the logarithms 0.97).
class Drift {
 public:
  /// Follows nothing where the scene has materials without an energy to ask.
  Drift(const Model& model, const Scene& scene);

  /// Bodies are where they are without any error.
  void begin();

  /// How a substep goes.
  struct Step {
    const Integrator& integrator;
    double h;     ///< s
    double kept;  ///< of a velocity, by drag
    int steps;    ///< as many follow each other as this one
  };
  /// A substep that ended at z with gradient = grad g(z), N; it counts once it is accepted. Nothing
  /// happens where a is infinite; a body that touches something is where it is without any error.
  void add(const Objective& objective, const VectorField& z, const VectorField& gradient,
           const Step& step);
  /// What was added last has not been done again in another way.
  void accept();

  /// The largest |d| over the largest |u|_M so far, of the body with the most; 0 where no body has
  /// come off by 1e-4 of its size.
  double share() const;

 private:
  struct Held {
    int first = 0, last = 0;  ///< vertices
    double visible = 0;       ///< |.|_M of what can be seen of it
    State now, next;          ///< of one vertex: d is its first coordinate
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
