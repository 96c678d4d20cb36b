#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "contact/contact_energy.h"
#include "elements/damping.h"
#include "elements/element_energy.h"
#include "model/model.h"
#include "model/multipliers.h"
#include "model/rigid_bodies.h"
#include "potentials/pressure_energy.h"
#include "potentials/rod_energy.h"
#include "vectors/vector_algebra.h"

namespace supple {

/// What a step minimises, as its integrator sees it.
struct StepTarget {
  const VectorField& y;        ///< inertial target, m; outlives the step
  double inverse_a2 = 0;       ///< 1/a^2, 1/s^2; 0: no inertia (quasi-static)
  const VectorField& x_start;  ///< positions at the step's beginning, m; outlives the step
  double time = 0;             ///< at which pins and colliders stand, s
  double h = 0;                ///< from x_start to `time`, s
  double stage = 1;            ///< share of the step that h is; contacts stand at the step's end
  /// Acceleration of a potential -sum m weight . z, m/s^2: gravity, unless y contains it.
  Vec3 weight{0, 0, 0};
  Vec3 fall{0, 0, 0};  ///< by how much gravity moves y, m
};

/// Whether the contacts that were found last are those of the point where g is evaluated.
enum class Contacts { to_be_found, are_found };

/// The function that an implicit step minimises [thesis eqs. 3.30 and 3.31]:
///   g(z) = |z - y|_M^2 / (2 a^2) - sum_i m_i weight . z_i + E(z) + D(z).
/// E is the energy of the tets, springs, membranes and rods, the pins, the bonds, the pressures and
/// the contacts. D is what damping of the deformation costs from the start of the step to z
/// (damping.h). Backward Euler has a = h and no weight.
class Objective {
 public:
  Objective(const Model& model, ContactEnergy* contact, Threads& threads);

  /// The model's pins have changed.
  void pins_changed();

  /// The model's bonds have changed.
  void bonds_changed();

  /// Whether `select` can leave bodies out: not if there are membranes or pressures.
  bool can_select() const { return model_->membranes.empty() && model_->pressures.empty(); }

  /// Restricts g, and everything that is derived from it, to these bodies, contacts included. The
  /// others stay where they are and are not looked at. bodies: ascending, none of them bound to a
  /// body outside the selection. Between two steps all bodies must be selected. Allocates nothing.
  void select(std::span<const int> bodies);
  void select_all() { select(all_bodies_); }
  std::span<const int> selected() const { return selected_; }

  /// Elastic energy of one body in the last call of value_and_gradient or elastic_energy_at in
  /// which it was selected, J.
  double elastic_energy_of(int body) const {
    return elements_.energy_of(body) + springs_.energy_of(body) +
           (rods_ ? rods_->energy_of(body) : 0);
  }

  /// The model's materials have changed.
  void materials_changed();

  /// Only the fibers of the model's muscles or its rest shapes have changed. Allocates nothing.
  /// all: looks at all rest shapes, for callers that have not reported each change.
  void shapes_changed(bool all = false) { elements_.shapes_changed(all); }

  /// There are other colliders, or none. Nothing of the old ones is kept.
  void contact_changed(ContactEnergy* contact);

  void begin_step(const StepTarget& target);

  /// Bodies that do not deform. g must be evaluated where they are rigid, and its gradient leaves
  /// out what would deform them (RigidBodies::keep_tangent).
  const RigidBodies& rigid() const { return rigid_; }
  /// Moves the rigid ones of the selected bodies to the nearest rigid place.
  void make_rigid(VectorField& z) const { rigid_.make_rigid(selected_, z); }

  /// g, J, and its gradient, N: grad g = M (z - y)/a^2 - M weight + dE/dz + dD/dz. Finds the
  /// contacts at z unless they are found.
  double value_and_gradient(const VectorField& z, VectorField& gradient,
                            Contacts contacts = Contacts::to_be_found);

  /// sqrt(sum_j (k_j V_j)^2 + sum_s (k_s r_s^2/10)^2 + ...), J. An element's energy is a sum of
  /// terms of size k_j V_j that cancel at rest, as the two lengths of a spring do. The rounding
  /// error of the elastic energy is therefore this times the rounding of a number. A joint of a rod
  /// counts as its bending stiffness, a pressure as the pressure times its volume.
  double energy_scale() const;

  /// |z - y|_M^2 / (2 a^2) - sum m weight . z, J.
  double inertia_energy(const VectorField& z);

  /// g at z, J, if nothing is deformed on the way from the start of the step. energy: the elastic
  /// energy of elements and springs plus the inertia energy, J. Evaluates only pins, bonds,
  /// pressures and contacts. Finds the contacts at z.
  double value_with(const VectorField& z, double energy);

  /// Elastic energy of the elements and springs at z, J. Does not count as an evaluation.
  double elastic_energy_at(const VectorField& z) {
    return elements_.evaluate(z, *threads_) + springs_.evaluate(z, *threads_) +
           membranes_.evaluate(z, *threads_) + (rods_ ? rods_->evaluate(z, *threads_) : 0);
  }

  /// Elastic energy of the elements and springs in the last call of value_and_gradient, J.
  double elastic_energy() const { return elastic_energy_; }

  /// Number of tets that were inverted where the elements were evaluated last.
  int num_inverted() const { return elements_.num_inverted(); }

  /// Mechanical potential energy without that of the weight and the multipliers, J: `elastic`, that
  /// of the elements and springs, plus that of pins, bonds and pressures with the vertices at x,
  /// plus that of the normal forces of contacts with the unknown at z.
  double potential(double elastic, const VectorField& x, const VectorField& z);

  /// What the multipliers of inextensible springs of the selected bodies add to the elastic energy
  /// at x, J (multipliers.h).
  double spring_multiplier_energy(const VectorField& x) const {
    return supple::spring_multiplier_energy(*model_, selected_, x);
  }
  /// What all multipliers of the selected bodies add to g at x, J. `potential` leaves it out.
  double multiplier_energy(const VectorField& x) {
    return spring_multiplier_energy(x) +
           volume_multiplier_energy(*model_, selected_, volumes_at(x));
  }

  /// Volume of each chamber of the model at x, m^3. Valid until energies are evaluated again.
  std::span<const double> volumes_at(const VectorField& x) {
    if (!pressure_) return {};
    pressure_->evaluate(x, *threads_);
    return pressure_->volumes();
  }

  /// Finds the contacts at z, for callers of `contact` that have since tried other positions.
  void find_contacts(const VectorField& z);

  /// Follows the way from the start of the step to z. Returns what it meets that was not known yet
  /// and adds that to g.
  /// at_end: the minimisation has ended.
  Encounters hold_crossings(const VectorField& z, bool at_end = true);

  /// As `hold_crossings`, only for bodies that meet each other.
  Encounters hold_meetings(const VectorField& z);

  /// 1 for each selected body that has a pinned or touching vertex, or that is bound to such a
  /// body; 0 for the others: [num_bodies].
  void find_held_bodies(std::vector<char>& is_held) const;

  const Model& model() const { return *model_; }
  Threads& threads() const { return *threads_; }
  VectorAlgebra& algebra() { return algebra_; }
  const ContactEnergy* contact() const { return contact_; }
  /// The rods as they are in the step; null: no body has any.
  RodEnergy* rods() const { return rods_.get(); }
  /// The pressures as they are in the step; null: no body has any.
  PressureEnergy* pressure() const { return pressure_.get(); }
  /// 1/a^2, 1/s^2.
  double inverse_a2() const { return inverse_a2_; }
  const VectorField& inertial_target() const { return *y_; }
  /// Positions at the step's beginning, m.
  const VectorField& x_start() const { return *x_start_; }
  /// The start of the step, from which damping measures.
  StepStart start() const { return {x_start_->data(), std::sqrt(inverse_a2_)}; }
  const Vec3& weight() const { return weight_; }
  const Vec3& fall() const { return fall_; }
  /// Targets of the model's pins in the step, m.
  const std::vector<Vec3>& pin_targets() const { return pin_targets_; }
  /// Lengths of the model's bonds in the step, m.
  const std::vector<double>& bond_lengths() const { return bond_lengths_; }

  int num_evaluations() const { return evaluations_; }
  /// For bodies that were evaluated one after the other: they count as if evaluated together.
  void set_evaluations(int evaluations) { evaluations_ = evaluations; }
  double local_milliseconds() const { return local_milliseconds_; }
  double contact_milliseconds() const { return contact_milliseconds_; }
  void reset_counters();

 private:
  /// As inertia_energy. If `gradient` is not null, also writes the gradient of g at z without pins
  /// and contacts; z must be where the elements and springs were evaluated last.
  double inertia(const VectorField& z, PaddedVector* gradient);
  double add_held(const VectorField& z, VectorField& gradient) const;
  double held_energy(const VectorField& z) const;
  void make_room_for_contact();
  void find_energy_scale();

  const Model* model_;
  ContactEnergy* contact_;  ///< null: no contact
  Threads* threads_;
  ElementEnergy elements_;
  SpringEnergy springs_;
  MembraneEnergy membranes_;
  std::unique_ptr<RodEnergy> rods_;
  Damping damping_;
  std::unique_ptr<PressureEnergy> pressure_;
  RigidBodies rigid_;
  VectorAlgebra algebra_;
  const VectorField *y_ = nullptr, *x_start_ = nullptr;
  double inverse_a2_ = 0;
  Vec3 weight_{0, 0, 0}, fall_{0, 0, 0};
  double elastic_energy_ = 0;
  std::vector<double> energy_scale_;  ///< of the elements of each body, J
  std::vector<Vec3> pin_targets_;
  std::vector<int> all_bodies_;
  std::span<const int> selected_;             ///< bodies
  std::vector<PinSet::Some> pins_of_bodies_;  ///< [num_bodies]
  std::vector<int> selected_pins_;
  std::vector<double> bond_lengths_;
  std::vector<std::vector<int>> bonds_of_bodies_;  ///< [num_bodies]
  std::vector<int> selected_bonds_;
  VectorField unused_gradient_;  ///< of contacts, when only the value is wanted
  int evaluations_ = 0;
  double local_milliseconds_ = 0;
  double contact_milliseconds_ = 0;
};

}  // namespace supple
