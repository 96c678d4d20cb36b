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
/// The probe looks at some of the steps. From a copy of z, the place where such a step ended,
/// L-BFGS around M/a^2 + L goes on to z*. The way p = z* - z is what the method still had to go. It
/// is compared with how z* moves when the elastic energy is scaled by s,
///   q = dz*/d log s = -(M/a^2 + L)^-1 dE_elastic/dz,
/// which makes E = <p, q>_M/<q, q>_M the softness to first order, as `--honesty` measures it by
/// converged steps (docs/solvers.md). Far from convergence this estimate saturates. One mode of
/// frequency w, kappa = a^2 w^2, of whose elastic displacement the share phi was made, is as soft
/// as
///   f = (1 + kappa (1 - phi))/phi,  1 - phi = E/(1 + kappa),
///   1 + kappa = a^2 <q, -dE_elastic/dz>/<q, q>_M
/// times its material. A motion that the method holds back or lets go without deforming the body
/// counts by |p|_M as a share of |z* - y|_M, if a tenth of p is rigid. A body that no pins hold and
/// that touches something also counts by p as a share of its mean acceleration: the force that
/// pushes a sliding body is far smaller than the one that carries it. Each body is looked at
/// separately.
///
/// The factor is 1 if nothing of this could be seen: if the elastic deflection is less than 1e-4 of
/// the body's size, and the acceleration less than 2e-3 sizes per s^2.
///
/// L-BFGS around M/a^2 + L sees nothing of a thin body that it holds back: L resists a motion
/// across a sheet or a strand as much as one along it. In scenes of such bodies alone a look also
/// takes a step of Newton's method among the affine motions of each, with a Hessian by differences
/// of gradients. What it finds counts as a motion that is held back or let go.
///
/// If one tet is much stiffer than another, a second L-BFGS bends the warped rest Hessian. Each
/// descent takes 6 iterations, and more if these find something. A look costs about as much as a
/// frame of ten iterations. Looks become rarer until they cost a hundredth of the frames; between
/// looks the factor keeps its value. A factor that crosses the bound of a warning brings the next
/// look sooner, and so does a step whose last direction still promised much, or in which something
/// begins to touch. If that direction sees the whole body and promised next to nothing, the factor
/// is 1 without a look, except for the first look. A descent that finds no way down although forces
/// do not balance is stuck, as the probe's would be: the body counts as held back without a look.
class ConvergenceProbe {
 public:
  /// What a state must keep so that a run that continues from it reports the same.
  struct Schedule {
    double softness = 1;
    std::int64_t next = 0;      ///< the next frame to look at
    std::int64_t interval = 0;  ///< from the last look to `next`
  };

  /// inverse_a2: 1/a^2 of a step, 1/s^2. frame_done uses minimiser, the one of the steps, and the
  /// field z. Builds nothing yet.
  ConvergenceProbe(const Model& model, const Scene& scene, double inverse_a2, Minimiser& minimiser,
                   VectorField& z);
  ~ConvergenceProbe();

  /// To be called between two steps, like the same function of a Direction.
  void pins_changed(const PinChange& change);
  /// Makes the probe look at the next frame.
  void materials_changed(const Scene& scene);
  void contact_changed();
  /// Changes numbers that nothing is built from: gravity, iterations, budget.
  void settings_changed(const Scene& scene);

  Schedule schedule() const { return schedule_; }
  void set_schedule(const Schedule& schedule) { schedule_ = schedule; }

  /// The last step of frame `frame` (from 1) ended at z, and `objective` still poses it. Looks at
  /// the step if a look is due; the objective is then evaluated elsewhere, and at z again in the
  /// end. `direction`: what the simulation descends with, or null. The first look allocates, and so
  /// does the first one after materials or contacts have changed. If something cannot be measured,
  /// the factor stays as it was. Never throws.
  /// begins_to_touch: nothing touched at the step's start.
  void frame_done(std::int64_t frame, Objective& objective, Direction* direction,
                  const VectorField& z, const MinimiseReport& result, bool begins_to_touch);

  /// Estimated factor by which the body acts too soft; below 1: too stiff.
  double softness() const { return schedule_.softness; }

  /// Evaluations of the objective in the last call of frame_done.
  int evaluations() const { return evaluations_; }

 private:
  struct Room;
  bool sees_all(Direction* direction) const;
  bool is_quiet(double promised, double inertia) const;
  double unseen_acceleration() const;
  bool is_due(std::int64_t frame, bool promises_much, bool touches) const;
  bool is_impact(std::int64_t frame) const;
  void find_long_steps();
  void find_material(const Scene& scene);
  void make_room(Objective& objective, Direction* direction);
  void look(Objective& objective, Direction* direction, const VectorField& z);
  /// The factor as one descent from z finds it; none if it is not finite.
  std::optional<double> go_on(Objective& objective, LBfgs& descent, const VectorField& z);
  double estimate(Objective& objective, const VectorField& z);
  double factor_of(std::size_t body, const Objective& objective) const;
  double held_factor(std::size_t body, double pp, double pc, double cc) const;
  double sliding_factor(std::size_t body, const Objective& objective, const VectorField& z) const;
  double affine_factor(Objective& objective, const VectorField& z);
  void find_elastic_gradient(Objective& objective);
  void plan_next(std::int64_t frame, bool is_blind, double softness_before, int iterations);

  const Model* model_;
  Minimiser* minimiser_;
  VectorField* z_;  ///< position of the probe, m
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
  bool is_defined_ = false;  ///< the method reads a material, and none is incompressible
  bool is_long_ = false;     ///< bodies would fall far in a step
  bool is_graded_ = false;   ///< a part of a body is much stiffer than another
  bool is_thin_ = false;     ///< all bodies are cloth or strands
  bool ties_rigid_ = false;  ///< bonds tie bodies that do not deform
  /// [num_bodies]: 1: tied by bonds to other bodies, 2: some of them do not deform.
  std::vector<char> is_tied_;
};

}  // namespace supple
