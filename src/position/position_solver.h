#pragma once

#include <vector>

#include "base/parallel_for.h"
#include "contact/contact_energy.h"
#include "math/vector_field.h"
#include "model/model.h"
#include "supple/simulation.h"

namespace supple {

/// A substep as position-based methods see it: where the body would go, and what holds it back.
/// With compliances alpha, the constraints C of the step ask for the z with
///   M (z - y) = dC^T l,  C(z) + (alpha/a^2) l = 0   [Macklin & Mueller 2021, eqs. 19 and 20],
/// which is the minimum of |z - y|_M^2/(2 a^2) + sum C^2/(2 alpha). y and a are those of the
/// integrator, so any implicit integrator can be used.
struct PositionStep {
  const VectorField& y;        ///< [num_vertices], m
  const VectorField& x_start;  ///< positions at the start of the substep, m
  double inverse_a2 = 0;       ///< 1/a^2, 1/s^2, > 0
  double time = 0;             ///< time of z, s
  double h = 0;                ///< from the start of the substep to z, s
  double stage = 1;            ///< where z is in the substep; contacts are at its end (ContactStep)
  /// Multipliers then begin at zero even if they are kept, because a frame begins from the state.
  bool first_of_frame = true;
};

/// The same substep for contacts. There must be vertices.
inline ContactStep contact_step(const PositionStep& step) {
  return ContactStep::to_stage(step.time, step.h, step.stage, step.x_start[0].v, step.y[0].v);
}

/// 1/m of a vertex, 1/kg; 0 without mass: such a vertex stays.
inline double inverse_mass_of(const Model& model, int vertex) {
  const double mass = model.mass[static_cast<std::size_t>(vertex)];
  return mass > 0 ? 1 / mass : 0;
}

/// A position-based method: PBD, step-and-project or XPBD. It reads the model as constraints and
/// moves positions until they hold. It lives as long as its model and allocates nothing after the
/// first substep.
class PositionSolver {
 public:
  virtual ~PositionSolver() = default;

  /// Begins a substep at z = y, or where kept multipliers put it. `step` and what it refers to must
  /// outlive the substep.
  virtual void begin(const PositionStep& step, Threads& threads) = 0;

  /// One iteration: projects every constraint once. False: positions are no longer finite.
  virtual bool iterate(Threads& threads) = 0;

  /// The current positions, m: [num_vertices].
  virtual void copy_positions(VectorField& z) const = 0;

  /// The model's pins have changed.
  virtual void pins_changed() = 0;

  /// The model's bonds have changed. Methods without bonds are not run with any (check_bonds).
  virtual void bonds_changed() {}

  /// The model's materials have changed. same_places: whether the elements kept their places
  /// (model.h).
  virtual void materials_changed(bool same_places) = 0;

  /// The model's rest shapes have changed. Allocates nothing. Methods whose constraints assume one
  /// rest shape are not run with bodies that grow or flow (check_settings).
  virtual void shapes_changed() {}

  /// The model's fibers have another length at rest. Allocates nothing. Methods whose fibers stay
  /// as they are made are not run with muscles whose activation changes (check_settings).
  virtual void fibers_changed() {}

  /// The colliders have changed; null: there are none. Nothing is kept of contacts with the old
  /// ones.
  virtual void contact_changed(ContactEnergy* contact) = 0;

  /// Groups of constraints that are projected together, in the order of an iteration.
  virtual std::vector<ConstraintGroup> groups() const = 0;

  /// Vertices in contact in the last iteration.
  virtual int num_contacts() const = 0;

  /// The largest |C(z) + (alpha/a^2) l| among volumes (a ratio): how far the last iteration was
  /// from holding them. 0 if there are none.
  virtual double worst_violation() const = 0;

  /// Adds what energies leave out to the gradient of g at z, N: the forces of multipliers that
  /// stand for infinite stiffness (tets of an infinite lambda, beyond the pressure -mu at rest that
  /// StableNeoHookean's energy has; inextensible springs and exact volumes, beyond what the model's
  /// multipliers and stiffnesses say).
  virtual void add_constraint_forces(const VectorField& /*z*/, Threads& /*threads*/,
                                     VectorField& /*gradient*/) {}

  /// The forces of multipliers with the vertices at z, as SimulationState::multipliers has them.
  /// False: the method has none, and `multipliers` is unchanged.
  virtual bool copy_multipliers(const VectorField& /*z*/,
                                std::vector<double>& /*multipliers*/) const {
    return false;
  }

  /// The stresses of each tet of the model at z. False: the method has no multipliers, and
  /// `stresses` is unchanged. Tets without a constraint form of two multipliers have zeros.
  virtual bool copy_stresses(const VectorField& /*z*/,
                             std::vector<MultiplierStress>& /*stresses*/) const {
    return false;
  }
};

}  // namespace supple
