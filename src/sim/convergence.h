#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "descent/l_bfgs.h"
#include "descent/laplacian.h"
#include "descent/minimise.h"
#include "descent/objective.h"
#include "sim/energy_guard.h"
#include "supple/scene.h"

namespace supple {

/// Estimates by which factor a body acts too soft because its steps are not converged.
///
/// Some steps are looked at. From a copy of where such a step ended, z, L-BFGS around M/a^2 + L
/// goes on to z*; the way p = z* - z is what the method had still to go. It is held against how z*
/// moves when the elastic energy is scaled by s,
///   q = dz*/d log s = -(M/a^2 + L)^-1 dE_elastic/dz,
/// which makes E = <p, q>_M/<q, q>_M the softness to first order, as `--honesty` measures it by
/// converged steps (docs/solvers.md). Far from convergence that saturates. One mode of frequency w,
/// kappa = a^2 w^2, of whose elastic displacement the share phi was made, is as soft as
///   f = (1 + kappa (1 - phi))/phi,  1 - phi = E/(1 + kappa),
///   1 + kappa = a^2 <q, -dE_elastic/dz>/<q, q>_M
/// times its material. A motion that the method holds back or lets go without deforming the body
/// counts by the share of |z* - y|_M that p is, if a tenth of p is rigid. A body that no pins hold
/// and that touches something also counts by the share of its mean acceleration that p is: what
/// slides is pushed by far smaller a force than carries it. Each body is looked at by itself.
///
/// Where neither comes to anything that could be seen, the factor is 1: an elastic deflection of
/// less than 1e-4 of the body's size, an acceleration of less than 2e-3 of it a s^2.
///
/// Where one tet is much stiffer than another, a second L-BFGS bends the warped rest Hessian. They
/// take 6 iterations, and more where these find something. A look costs about as much as a frame of
/// ten iterations. Looks become rarer and rarer, until they cost a hundredth of the frames; the
/// factor keeps its value between them. One that crosses the bound of a warning, and a step whose
/// last direction still promised much, bring the next look sooner. Where that direction sees the
/// whole body and promised next to nothing, the factor is 1 without a look, but for the first.
class ConvergenceProbe {
 public:
  /// What a state must keep so that a run that goes on from it reports the same.
  struct Schedule {
    double softness = 1;
    std::int64_t next = 0;      ///< frame that is looked at
    std::int64_t interval = 0;  ///< between that and the one looked at before
  };

  /// inverse_a2: 1/a^2 of a step, 1/s^2. minimiser, z: that of the steps and a field, both for
  /// frame_done to use. Builds nothing yet.
  ConvergenceProbe(const Model& model, const Scene& scene, double inverse_a2, Minimiser& minimiser,
                   VectorField& z);
  ~ConvergenceProbe();

  /// Between two steps, as of a Direction.
  void pins_changed(const PinChange& change);
  /// The next frame is looked at.
  void materials_changed(const Scene& scene);
  void contact_changed();
  /// Other numbers of what was built: gravity, iterations, budget.
  void settings_changed(const Scene& scene);

  Schedule schedule() const { return schedule_; }
  void set_schedule(const Schedule& schedule) { schedule_ = schedule; }

  /// The last step of frame `frame` (from 1) ended at z; `objective` still poses it. Looks at it
  /// when its time has come: then the objective is evaluated elsewhere, and at z in the end.
  /// `direction`: what the simulation descends with, or null. The first look allocates, as does the
  /// first after materials or contacts are others. What cannot be measured leaves the factor as it
  /// was. Never throws.
  void frame_done(std::int64_t frame, Objective& objective, Direction* direction,
                  const VectorField& z, const MinimiseReport& result);

  /// Estimated factor by which the body acts too soft; below 1: too stiff.
  double softness() const { return schedule_.softness; }

  /// Evaluations of the objective in the last call of frame_done.
  int evaluations() const { return evaluations_; }

 private:
  struct Room;
  bool sees_all(Direction* direction) const;
  bool is_quiet(double promised, double inertia) const;
  bool is_due(std::int64_t frame, bool promises_much, bool touches) const;
  void find_long_steps();
  void find_material(const Scene& scene);
  void make_room(Objective& objective, Direction* direction);
  void look(Objective& objective, Direction* direction, const VectorField& z);
  /// The factor as far as one descent from z finds it; none where that is not finite.
  std::optional<double> go_on(Objective& objective, LBfgs& descent, const VectorField& z);
  double estimate(Objective& objective, const VectorField& z);
  double factor_of(std::size_t body, const Objective& objective) const;
  double sliding_factor(std::size_t body, const Objective& objective, const VectorField& z) const;
  void find_elastic_gradient(Objective& objective);
  void plan_next(std::int64_t frame, bool is_blind, double softness_before, int iterations);

  const Model* model_;
  Minimiser* minimiser_;
  VectorField* z_;  ///< where the probe is, m
  SolverSettings solver_;
  int substeps_;
  double inverse_a2_;
  Vec3 gravity_;  ///< m/s^2
  EnergyGuard guard_;
  std::vector<double> size_;  ///< diagonal of each body's box at rest, m
  std::vector<double> mass_;  ///< of each body, kg
  double mass_norm_ = 0;      ///< root of the sum of the squares of all vertices' masses, kg
  std::unique_ptr<Room> room_;
  Schedule schedule_;
  int evaluations_ = 0;
  bool is_defined_ = false;    ///< the method reads a material, and none is incompressible
  bool is_long_ = false;       ///< bodies would fall far in a step
  bool is_graded_ = false;     ///< a part of a body is much stiffer than another
  std::vector<char> is_tied_;  ///< [num_bodies], by bonds, in a group with others
};

}  // namespace supple
