#include "sim/running_scene.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/index.h"
#include "descent/laplacian.h"
#include "elements/fiber_field.h"
#include "sim/bond_setup.h"
#include "sim/contact_reads.h"
#include "sim/contact_setup.h"
#include "sim/measures.h"
#include "sim/stepper.h"
#include "sim/swallowed_colliders.h"
#include "sim/touches.h"
#include "supple/error.h"

namespace supple {

namespace {

void copy_field(const VectorField& field, const Numbering& numbering, std::span<double> out) {
  if (out.size() != 3 * field.size()) {
    throw Error(ErrorKind::invalid_input, "out",
                "expected room for " + std::to_string(3 * field.size()) +
                    " numbers, there is for " + std::to_string(out.size()));
  }
  numbering.unpad_to_scene(field, out);
}

}  // namespace

RunningScene::RunningScene(const Scene& scene, const SimulationOptions& options, Begin begin,
                           Attachments attachments, const Earlier<RunningScene>& earlier,
                           const TornBodies& torn)
    : threads_(options.threads, options.tasks),
      scene_((check_settings(scene), with_fiber_directions(scene, threads_))),
      model_(build_model(scene_)),
      state_(initial_state(scene_, model_)),
      numbering_(model_, part_of(earlier, &RunningScene::numbering_), torn),
      attachments_(std::move(attachments)),
      surface_(surface_of(scene_, model_, numbering_, part_of(earlier, &RunningScene::surface_))),
      split_(split_vertices(torn)),
      contact_((hold_attachments(torn), new_contact())),
      objective_(model_, contact_.get(), threads_),
      flow_(model_),
      setup_(scene_, model_),
      minimiser_(model_.num_vertices),
      guard_(model_),
      is_held_(scene_.bodies.size(), 0),
      is_changed_(is_held_),
      convergence_(model_, scene_, setup_.inverse_a2(), minimiser_, first_z_),
      drift_(model_, scene_),
      friction_error_(model_),
      sleep_(scene_, model_),
      unfolding_(scene_.bodies.size()),
      tear_finder_(scene_, model_, torn.spring_shares),
      z_(state_.x),
      first_z_(z_),
      potential_(scene_.bodies.size()),
      islands_(scene_.bodies.size()),
      before_of_(scene_.bodies.size()),
      elastic_of_(scene_.bodies.size()),
      elastic_at_start_(scene_.bodies.size()),
      ends_(scene_.bodies.size()),
      before_(state_),
      queries_(scene_, model_, numbering_, surface_, state_.x),
      clock_(clock_of(0, 0, scene_.time)) {
  check_touches(scene_);
  islands_.set_groups(model_.bonds.groups(model_.body_vertices));
  touching_.reset(scene_.bodies.size(), scene_.colliders.size());
  state_ = numbering_.to_model(state_);
  if (begin == Begin::at_start) {
    start_apart(state_.x);
  } else if (contact_) {
    start_ = state_.x;
  }
  if (setup_.integrator().is_explicit || begin == Begin::to_be_posed) return;
  if (is_position_based(scene_.solver.method)) {
    position_solver_ = make_position_solver(model_, contact_.get(), scene_.solver);
    before_substep_ = before_;
    find_energy();
  } else {
    Direction* const before = earlier.made != nullptr ? earlier.made->direction_.get() : nullptr;
    const Laplacian* const matrix = before != nullptr ? before->constant_matrix() : nullptr;
    direction_ =
        make_direction(model_, scene_.solver, setup_.inverse_a2(), {matrix, earlier.origin});
    limit_factors();
  }
}

std::vector<int> RunningScene::unchanged(std::vector<int> origin) const {
  for (int& body : origin) {
    if (body >= 0 && is_changed_[at(body)] != 0) body = -1;
  }
  return origin;
}

/// Moves the positions at which a scene starts out of contact.
void RunningScene::start_apart(VectorField& x) {
  if (pairs()) pairs()->start_apart(x[0].v);
  if (!contact_ || !contact_->is_barrier()) return;
  contact_->start_outside(x[0].v);
  require_none_swallowed(scene_, model_, numbering_, *contact_, x, Swallowed::any);
}

/// To be called before anything is made from the model's pins.
void RunningScene::hold_attachments(const TornBodies& torn) {
  if (attachments_.has_targets()) model_.pins = all_pins();
  if (!scene_.bonds.empty() || !scene_.seams.empty()) {
    model_.bonds = make_bonds(scene_, model_, numbering_, torn.copies);
  }
  num_scene_bonds_ = model_.bonds.size();
  attachments_.add_to(model_.bonds, numbering_);
}

FollowingWeights* RunningScene::following_weights() const {
  Laplacian* const matrix = direction_ ? direction_->constant_matrix() : nullptr;
  return matrix != nullptr ? matrix->weights() : nullptr;
}

/// A matrix that is factorised anew must leave most of the budget to the descent.
void RunningScene::limit_factors() {
  FollowingWeights* const weights = following_weights();
  if (weights == nullptr) return;
  const double budget = scene_.solver.budget_ms / 1000;
  weights->set_longest_factor(budget > 0 ? budget / 4 : std::numeric_limits<double>::infinity());
}
Energies RunningScene::energies() {
  const std::lock_guard lock(reading_);
  Energies energies;
  for (std::size_t i = 0; i < state_.x.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const double v = state_.v[i][k];
      energies.kinetic += 0.5 * model_.mass[i] * v * v;
      energies.gravity -=
          model_.mass[i] * scene_.gravity[static_cast<std::size_t>(k)] * state_.x[i][k];
    }
  }
  energies.elastic =
      objective_.elastic_energy_at(state_.x) - objective_.spring_multiplier_energy(state_.x);
  std::vector<Vec3> targets(model_.pins.pins.size());
  model_.pins.targets(state_.time, targets);
  energies.pins = model_.pins.energy(state_.x, targets, model_.pins.all().pins);
  std::vector<double> lengths(model_.bonds.size());
  model_.bonds.lengths(state_.time, lengths);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const int own = static_cast<int>(i);
    energies.pins += model_.bonds.energy(state_.x, lengths, {&own, 1});
  }
  if (!model_.pressures.empty()) {
    PressureEnergy pressure(model_.pressures);
    pressure.set_time(state_.time);
    energies.pressure = pressure.evaluate(state_.x, threads_);
    energies.pressure -=
        volume_multiplier_energy(model_, objective_.selected(), pressure.volumes());
  }
  return energies;
}

ElementMeasures RunningScene::measure(std::span<const double> positions) const {
  if (positions.size() != 3 * static_cast<std::size_t>(model_.num_vertices)) {
    throw Error(ErrorKind::invalid_input, "positions",
                "expected " + std::to_string(3 * model_.num_vertices) + " numbers, there are " +
                    std::to_string(positions.size()));
  }
  VectorField x(static_cast<std::size_t>(model_.num_vertices));
  pad(positions, x);
  ElementMeasures measures = measure_elements(model_, numbering_.to_model(x));
  for (const PlasticStrain& own : state_.plastic) {
    measures.plastic_strain.push_back(own.accumulated);
  }
  return measures;
}

std::vector<MultiplierStress> RunningScene::multiplier_stresses() {
  const std::lock_guard lock(reading_);
  std::vector<MultiplierStress> stresses;
  if (has_multipliers_) position_solver_->copy_stresses(z_, stresses);
  return stresses;
}

std::vector<BodyContact> RunningScene::contacts() {
  const std::lock_guard lock(reading_);
  if (!has_contacts_) return {};
  objective_.find_contacts(z_);
  return read_contacts(*contact_, model_, z_);
}

std::vector<ColliderForce> RunningScene::collider_forces() {
  const std::lock_guard lock(reading_);
  std::vector<ColliderForce> forces(scene_.colliders.size());
  if (has_contacts_) {
    objective_.find_contacts(z_);
    forces = read_collider_forces(*contact_, z_);
  }
  for (std::size_t c = 0; contact_ && !has_contacts_ && c < forces.size(); ++c) {
    forces[c].center = contact_->colliders()[c].center();
  }
  add_pin_forces(model_.pins, state_.time, state_.x, forces);
  return forces;
}

void RunningScene::copy_contact_forces(std::span<double> out) {
  const std::lock_guard lock(reading_);
  VectorField forces(state_.x.size());
  if (has_contacts_) {
    objective_.find_contacts(z_);
    add_contact_forces(*contact_, z_, forces);
  }
  copy_field(forces, numbering_, out);
}

std::vector<ConstraintGroup> RunningScene::constraint_groups() const {
  return position_solver_ ? position_solver_->groups() : std::vector<ConstraintGroup>();
}

void RunningScene::copy_positions(std::span<double> out) const {
  copy_field(state_.x, numbering_, out);
}
void RunningScene::copy_velocities(std::span<double> out) const {
  copy_field(state_.v, numbering_, out);
}

}  // namespace supple
