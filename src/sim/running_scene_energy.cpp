#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/index.h"
#include "sim/measures.h"
#include "sim/running_scene.h"

namespace supple {

namespace {

/// A substep is divided into this many parts, and each of those again, up to the second number.
constexpr int smaller = 4, smallest = 16;
/// Some integrators keep the energy of small vibrations but not of large ones. Their energy may
/// swing in a step by this share of the kinetic energy.
constexpr double allowed_swing = 0.01;
/// Rounding of energies, as a share of the energies at hand.
constexpr double energy_rounding = 1e-13;
/// Contact planes that change with each substep may gain up to this share of the energies at hand
/// without being reported. Rods that rub along each other gain up to 0.011 and lose it again.
constexpr double found_gain = 0.1;

}  // namespace

bool RunningScene::is_guarded() const {
  return direction_ && setup_.integrator().has_inertia &&
         scene_.solver.line_search.type != LineSearchType::none;
}

/// Energies of the selected bodies at the start of a substep. The work is not known yet.
RunningScene::EnergyBefore RunningScene::energy_before() const {
  return {.kinetic =
              setup_.kept() * setup_.kept() * guard_.kinetic(objective_.selected(), state_.v) +
              setup_.swing(objective_.selected())};
}

/// Mechanical energy that the substep gains beyond the work of the weight and of forces, J, from
/// `before` to the state made from z_, whose positions x and velocities have the energies given.
/// Pins and moving colliders do their work where `before` is taken: at the positions before with
/// the targets and poses of the end.
double RunningScene::energy_gained(double elastic, const VectorField& x, double kinetic,
                                   const EnergyBefore& before) {
  const double potential = objective_.potential(elastic, x, x);
  return potential - potential_of_selected() + kinetic - before.kinetic - before.work;
}

double RunningScene::work_of_forces(const VectorField& from, const VectorField& to) const {
  const auto bodies = objective_.selected();
  const auto acts = [&](std::size_t vertex) {
    return bodies.size() == scene_.bodies.size() ||
           std::binary_search(bodies.begin(), bodies.end(),
                              model_.body_of(static_cast<int>(vertex)));
  };
  return guard_.work_of_weight(bodies, scene_.gravity, from, to) +
         setup_.loads().work(from, to, acts);
}

/// Work of colliders on what they drag along from state_ to z_, J. Can be computed before the state
/// advances.
double RunningScene::work_of_friction() const {
  return contact_ ? std::max(0.0, contact_->friction_work(z_[0].v)) : 0;
}

/// Rounding error of the selected bodies' energies, J.
double RunningScene::rounding_of_energy() const {
  return energy_rounding * (std::abs(potential_of_selected()) + objective_.energy_scale() +
                            guard_.kinetic(objective_.selected(), state_.v));
}

/// Takes a step's excess of energy out of the velocities at its end. Returns what is left, J.
double RunningScene::keep_energy(double gained, StepReport& report) {
  const auto bodies = objective_.selected();
  if (!(gained > rounding_of_energy())) return 0;
  objective_.find_held_bodies(is_held_);
  const double taken = guard_.dissipate(bodies, gained, is_held_, state_.x, state_.v);
  report.energy_removed += taken;
  report.energy_gain += gained - taken;
  // A memory of the velocities before would bring them back.
  if (taken > serious_gain * guard_.kinetic(bodies, state_.v)) {
    state_.x_previous.clear();
    state_.v_previous.clear();
  }
  return gained - taken;
}

/// Energy that the positions of the selected bodies gain beyond all energy that there was, J:
/// contacts that were found late have thrown them, and no velocity can give that back. Contacts
/// found on the way may also push at the start; that energy is not counted.
double RunningScene::thrown_by(double gained, const EnergyBefore& before) {
  const VectorField& from = before_substep_.x;
  const double allowed = rounding_of_energy() + guard_.kinetic(objective_.selected(), state_.v) +
                         serious_gain * (before.kinetic + std::max(0.0, before.work));
  if (!(gained > allowed)) return 0;
  const double pushes = objective_.potential(objective_.elastic_energy_at(from), from, from) -
                        potential_of_selected();
  return std::max(0.0, gained - allowed - std::max(0.0, pushes));
}

/// x = from + share (to - from) for these bodies.
void RunningScene::go_part_of_way(std::span<const int> bodies, double share,
                                  const VectorField& from, const VectorField& to,
                                  VectorField& x) const {
  for (const int body : bodies) {
    for (int v = model_.body_vertices[at(body)]; v < model_.body_vertices[at(body) + 1]; ++v) {
      for (int k = 0; k < 3; ++k) {
        x[at(v)][k] = from[at(v)][k] + share * (to[at(v)][k] - from[at(v)][k]);
      }
    }
  }
}

/// The elastic energy up to which keeping bodies out of colliders has not deformed them much, J:
/// hardly more than at the start of the substep or in its solution.
double RunningScene::elastic_if_not_crushed(const VectorField& solution) {
  const double before =
      std::max(objective_.elastic_energy_at(solution), objective_.elastic_energy_at(state_.x));
  const double at_hand = std::max({before, guard_.kinetic(objective_.selected(), state_.v),
                                   guard_.weight_times_size(scene_.gravity)});
  return before + serious_gain * at_hand;
}

/// Whether a substep may be done again in parts.
bool RunningScene::may_divide() const {
  return scene_.solver.budget_ms == 0 && !setup_.is_divided();
}

/// A part of a step that is still thrown goes as much of its way as its energy pays for; if it
/// stays in place, it gains nothing. Returns what it gains after all, J. Afterwards the energies of
/// the state are not known.
double RunningScene::shorten_way(double gained, const EnergyBefore& before, StepReport& report) {
  const std::span<const int> bodies = objective_.selected();
  const VectorField& from = before_substep_.x;
  const double work_of_way = work_of_forces(from, z_);
  double left = gained;
  EnergyBefore now = before;
  for (double share = 1; share > 0 && thrown_by(left, now) > 0;) {
    const double next = share > least_way ? share / 2 : 0;
    go_part_of_way(bodies, next, from, z_, state_.x);
    for (const int body : bodies) {
      for (int v = model_.body_vertices[at(body)]; v < model_.body_vertices[at(body) + 1]; ++v) {
        for (int k = 0; k < 3; ++k) state_.v[at(v)][k] *= next / share;
      }
    }
    share = next;
    now.work = before.work + work_of_forces(from, state_.x) - work_of_way;
    left = energy_gained(objective_.elastic_energy_at(state_.x), state_.x,
                         guard_.kinetic(bodies, state_.v), now);
  }
  for (const int body : bodies) {
    std::copy(state_.x.begin() + model_.body_vertices[at(body)],
              state_.x.begin() + model_.body_vertices[at(body) + 1],
              z_.begin() + model_.body_vertices[at(body)]);
  }
  state_.x_previous.clear();
  state_.v_previous.clear();
  elastic_is_known_ = false;
  report.energy_removed += gained - left;
  report.held_back += static_cast<int>(bodies.size());
  return left;
}

/// Keeps the energy of the selected bodies at the end of a substep. Returns false if the substep
/// should be done again in parts: because more was left than its energy may swing by, or because
/// contacts that were found late made it gain. A body that falls less far in a step meets them
/// earlier.
bool RunningScene::keep_energy_of_substep(const EnergyBefore& before, StepReport& report) {
  const bool may_gain = !setup_.integrator().keeps_energy_down;
  const double kinetic = guard_.kinetic(objective_.selected(), state_.v);
  double gained = energy_gained(elastic_of_selected(), state_.x, kinetic, before);
  contact_balance_.gained += gained;
  if (contact_) contact_balance_.at_end += contact_->touch().energy;
  // Barriers that are entered far store much energy, and give it back.
  const bool is_soft = contact_ && !contact_->is_barrier() && !may_gain;
  const bool divides = is_soft && may_divide();
  if (is_soft && !divides && thrown_by(gained, before) > 0) {
    gained = shorten_way(gained, before, report);
  }
  // Other integrators let the energy swing about what they keep. While bodies touch, steps that
  // gain can follow each other.
  const double swing = may_gain ? allowed_swing * std::max(kinetic, before.kinetic) : 0;
  const double allowed = contact_ && !contact_->contacts().empty() ? 0 : swing;
  const double left = gained > allowed ? keep_energy(gained - allowed, report) : 0;
  if (may_gain) return left <= swing;
  return left == 0 || !divides ||
         left <= serious_gain * std::max(before.kinetic, guard_.weight_times_size(scene_.gravity));
}

/// Contacts are found anew in each substep. Contacts that existed at the end of the last substep
/// but were not found then hold an energy that nothing has paid for. What they have thrown by the
/// end of this substep, or by that of the frame of a position-based method, is reported.
void RunningScene::note_found_energy(StepReport& report) {
  const std::optional<double> before = std::exchange(contact_energy_before_, {});
  const bool is_closed = contact_ != nullptr && setup_.integrator().keeps_energy_down &&
                         !contact_->has_moving_colliders() && sleep_.count() == 0;
  if (!is_closed) return;
  contact_energy_before_ = contact_balance_.at_end;
  const double found = contact_balance_.at_start - before.value_or(contact_balance_.at_start);
  if (!(found > 0)) return;
  const double gained = contact_balance_.gained + found;
  double elastic = elastic_;
  for (const Body& body : scene_.bodies) elastic -= energy_at_rest(body);
  const double at_hand =
      std::max(guard_.weight_times_size(scene_.gravity),
               guard_.kinetic(objective_.selected(), state_.v) + elastic - gained);
  if (gained > found_gain * at_hand) report.energy_gain += gained;
}

/// Does the substep again from its start with backward Euler, in so many steps. The middle of a
/// step of the midpoint rule is such a step, for which the matrix is made, so half of the work is
/// repeated, without the energy that its second half found in nothing.
bool RunningScene::steady_substep(int parts, StepReport& report, const MinimiseOptions& options,
                                  const PlaceInFrame& place) {
  algebra().copy(before_substep_.x, state_.x);
  algebra().copy(before_substep_.v, state_.v);
  state_.x_previous.clear();
  state_.v_previous.clear();
  state_.acceleration.clear();
  state_.multipliers = start_multipliers_;
  state_.friction = before_substep_.friction;
  use_multipliers();
  elastic_is_known_ = false;
  ++report.repeated_substeps;
  ++report.steady_substeps;
  const StepClock clock = clock_;
  setup_.divide(parts);
  clock_ = {.start = clock.at(0), .substeps_done = 0, .h = setup_.length()};
  bool finite = true;
  for (int part = 0; part < parts && finite; ++part) {
    finite = substep(report, options, {place.is_first, place.is_last && part + 1 == parts});
  }
  setup_.divide(1);
  clock_ = clock;
  return finite;
}

/// In the first substep of a frame of a position-based method, before the state advances.
void RunningScene::find_first_contact_energy(const PlaceInFrame& place) {
  first_contact_energy_.reset();
  if (!contact_ || !has_energy_ || place.is_last) return;
  contact_->detect(state_.x[0].v, threads_);
  first_contact_energy_ = contact_->energy_of(OfColliders::without_motion);
}

/// Keeps the energy of a frame of a position-based method, whose energies are known only at the
/// frame's end. elastic_before: without what multipliers add. How far exact lengths and volumes are
/// off stores nothing.
void RunningScene::keep_energy_of_frame(double elastic_before, int parts, StepReport& report) {
  const double kept = std::pow(setup_.kept(), 2.0 * scene_.time.substeps);
  // What colliders drag along is known only for the last substep.
  const auto bodies = objective_.selected();
  const EnergyBefore before{.kinetic = kept * guard_.kinetic(bodies, before_.v),
                            .work = work_of_forces(before_.x, state_.x) +
                                    scene_.time.substeps * parts * work_of_friction_ +
                                    work_of_shapes_ - report.plastic_work};
  potential_.assign(potential_.size(), 0.0);
  potential_[0] = objective_.potential(
      elastic_before + objective_.spring_multiplier_energy(before_.x), before_.x, before_.x);
  if (contact_ && first_contact_energy_) {
    // What colliders with a motion hold there now is their work. The planes of edges and faces are
    // those of the last substep, and say nothing about the start of the frame.
    potential_[0] += *first_contact_energy_ - contact_->energy_of(OfColliders::without_motion);
  }
  if (contact_) {
    contact_balance_.at_start = first_contact_energy_.value_or(contact_->touch().energy);
  }
  const auto of_constraints = [&](const VectorField& x) {
    return constraint_energy(model_, bodies, x, objective_.volumes_at(x));
  };
  double gained = energy_gained(elastic_, state_.x, guard_.kinetic(bodies, state_.v), before);
  if (has_multipliers()) gained += of_constraints(before_.x) - of_constraints(state_.x);
  contact_balance_.gained = gained;
  if (contact_) contact_balance_.at_end = contact_->touch().energy;
  if (std::isfinite(gained) && gained > 0) keep_energy(gained, report);
}

/// A frame of a position-based method that gained more than its velocities can give back was not
/// solved: one constraint at a time does not crush a body evenly if the body moves by a tet or
/// more. The frame is done again in smaller and still smaller substeps, in each of which the body
/// moves less, and the attempt that gains least is taken.
void RunningScene::take_smaller_substeps(double elastic_before, StepReport& report) {
  if (scene_.solver.budget_ms > 0 || !setup_.integrator().keeps_energy_down || setup_.looks_back())
    return;
  if (report.energy_gain == 0) return;
  const double at_hand = std::max(guard_.kinetic(objective_.selected(), before_.v),
                                  guard_.weight_times_size(scene_.gravity));
  for (int parts = smaller; parts <= smallest; parts *= smaller) {
    if (!(report.energy_gain > serious_gain * at_hand)) return;
    const StepReport first = report;
    const ContactBalance balance = contact_balance_;
    const double elastic = elastic_;
    const int num_inverted = num_inverted_;
    algebra().copy(state_.x, before_substep_.x);
    algebra().copy(state_.v, before_substep_.v);
    algebra().copy(z_, first_z_);
    before_substep_.plastic = state_.plastic;
    before_substep_.rods = state_.rods;
    before_substep_.friction = state_.friction;
    before_substep_.multipliers = state_.multipliers;
    algebra().copy(before_.x, state_.x);
    algebra().copy(before_.v, state_.v);
    clock_.substeps_done -= scene_.time.substeps;
    state_.time = clock_.at(0);
    state_.plastic = before_.plastic;
    state_.rods = before_.rods;
    state_.friction = before_.friction;
    state_.multipliers = before_.multipliers;
    use_plastic();
    use_rods();
    use_multipliers();
    report.energy_gain = report.energy_removed = 0;
    report.tunnelled = 0;
    report.friction_work = 0;
    report.plastic_work = 0;
    report.repeated_substeps += scene_.time.substeps;
    const bool finite = run_substeps(parts, {}, report);
    if (finite) keep_energy_of_frame(elastic_before, parts, report);
    if (finite && report.energy_gain < first.energy_gain) continue;
    algebra().copy(before_substep_.x, state_.x);
    algebra().copy(before_substep_.v, state_.v);
    algebra().copy(first_z_, z_);
    state_.plastic = before_substep_.plastic;
    state_.rods = before_substep_.rods;
    state_.friction = before_substep_.friction;
    state_.multipliers = before_substep_.multipliers;
    use_plastic();
    use_rods();
    use_multipliers();
    contact_balance_ = balance;
    elastic_ = elastic;
    num_inverted_ = num_inverted;
    elastic_is_known_ = true;
    multipliers_fit_ = false;
    const int iterations = report.iterations, repeated = report.repeated_substeps;
    report = first;
    report.iterations = iterations;
    report.repeated_substeps = repeated;
  }
}

}  // namespace supple
