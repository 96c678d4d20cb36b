#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/index.h"
#include "base/stopwatch.h"
#include "sim/body_reads.h"
#include "sim/measures.h"
#include "sim/running_scene.h"

namespace supple {

namespace {

/// Barrier mode: how often moving colliders push what bodies have held back.
constexpr int most_pushes = 4;

/// StepReport::force_scale of a substep that was solved at z.
double force_scale(const Model& model, const Vec3& gravity, const PositionStep& step,
                   const std::vector<Vec3>& pin_targets, const VectorField& z) {
  double mass2 = 0, inertia2 = 0, size2 = 0, gravity2 = 0, pins2 = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double m2 = model.mass[i] * model.mass[i];
    mass2 += m2;
    for (int k = 0; k < 3; ++k) {
      const double away = z[i][k] - step.y[i][k];
      inertia2 += m2 * away * away;
    }
  }
  for (std::size_t i = 0; i < pin_targets.size(); ++i) {
    for (const double stretch : model.pins.stretch(i, z, pin_targets)) {
      const double force = model.pins.pins[i].stiffness * stretch;
      pins2 += force * force;
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Vec3& x : model.rest) {
      low = std::min(low, x[k]);
      high = std::max(high, x[k]);
    }
    if (high > low) size2 += (high - low) * (high - low);
    gravity2 += gravity[k] * gravity[k];
  }
  constexpr double rounding = 1e-7;  // single precision, which can be chosen, has 24 bits
  return std::max({std::sqrt(inertia2) * step.inverse_a2, std::sqrt(mass2 * gravity2),
                   std::sqrt(pins2), rounding * std::sqrt(mass2 * size2) * step.inverse_a2});
}

int num_shortened(std::span<const double> shares) {
  return static_cast<int>(
      std::count_if(shares.begin(), shares.end(), [](double share) { return share < 1; }));
}

}  // namespace

void RunningScene::add_to_report(const MinimiseReport& result, StepReport& report) {
  report.status = result.status;
  report.iterations += result.iterations;
  report.objective = result.value;
  report.gradient_norm = result.gradient_norm;
  report.start_gradient_norm = result.start_gradient_norm;
  report.expected_decrease = result.expected_decrease;
  report.solve_milliseconds += result.direction_milliseconds;
}

/// Does the substeps of a frame, each in so many parts. Returns false if the state must not be
/// used.
bool RunningScene::run_substeps(int parts, std::chrono::steady_clock::time_point started,
                                StepReport& report) {
  const StepClock clock = clock_;
  setup_.divide(parts);
  work_of_shapes_ = 0;
  if (parts > 1) clock_ = {.start = clock.at(0), .substeps_done = 0, .h = setup_.length()};
  const int count = scene_.time.substeps * parts;
  bool finite = true;
  for (int s = 0; s < count && finite; ++s) {
    finite = substep(report, {.deadline = deadline(s / parts, started)},
                     {.is_first = s == 0, .is_last = s == count - 1});
  }
  setup_.divide(1);
  clock_ = clock;
  clock_.substeps_done += scene_.time.substeps;
  state_.time = clock_.at(0);
  return finite;
}

/// If the first of two descents was the better one, the gradient is that of the other.
bool RunningScene::is_gradient_of(const MinimiseReport& result, const VectorField& gradient) {
  return algebra().norm(gradient) == result.gradient_norm;
}

/// With a position-based method, one substep of a frame is measured and stands for all.
void RunningScene::add_drift(const MinimiseReport& result, const PlaceInFrame& place) {
  if (scene_.solver.method == SolverMethod::pbd) return;
  if (position_solver_ && (!place.is_last || setup_.is_divided())) return;
  const VectorField& gradient = position_solver_ ? position_run_.gradient() : minimiser_.gradient();
  if (islands_.count() > 1 ? !has_gradients_ : !is_gradient_of(result, gradient)) return;
  drift_.add(objective_, z_, gradient,
             {.integrator = setup_.integrator(),
              .h = setup_.length(),
              .kept = setup_.kept(),
              .steps = position_solver_ ? scene_.time.substeps : 1});
  if (direction_) friction_error_.add(objective_, z_, gradient, setup_.length());
}

/// The substep as a position-based method reads it, once setup_ has prepared it.
PositionStep RunningScene::position_step(double inverse_a2, bool is_first) const {
  const double stage = setup_.integrator().stage;
  return {.y = setup_.target(),
          .x_start = state_.x,
          .inverse_a2 = inverse_a2,
          .time = clock_.at(stage),
          .h = stage * setup_.length(),
          .stage = stage,
          .first_of_frame = is_first};
}

RunningScene::Posed RunningScene::pose() {
  follow(clock_.at(setup_.integrator().stage));
  setup_.prepare(state_, clock_, objective_);
  objective_.find_contacts(state_.x);
  find_start(contact_ && contact_->touch().energy > 0);
  return {objective_, contact_.get(), setup_, z_, position_step(objective_.inverse_a2(), true),
          threads_};
}

bool RunningScene::substep(StepReport& report, const MinimiseOptions& options,
                           const PlaceInFrame& place) {
  follow_in_substep(clock_.at(setup_.integrator().is_explicit ? 0 : setup_.integrator().stage));
  if (setup_.integrator().is_explicit) return explicit_substep(report);
  MinimiseReport result;
  const int tunnelled = report.tunnelled, held_back = report.held_back;
  start_multipliers_ = state_.multipliers;
  contact_balance_ = {};
  if (!elastic_is_known_ && direction_) contact_energy_before_.reset();
  const double friction_work = report.friction_work;
  if (position_solver_) {
    // An unmeasured substep needs no objective and no copies of y.
    // Damped rods are carried on from where it began.
    const bool relaxes = model_.is_damped() && !model_.rods.empty();
    const bool measured = place.is_last || scene_.solver.tolerance > 0 || relaxes;
    double inverse_a2 = 0;
    if (measured) {
      setup_.prepare(state_, clock_, objective_);
      inverse_a2 = objective_.inverse_a2();
      algebra().copy(setup_.start(), z_);
    } else {
      inverse_a2 = setup_.prepare_target(state_, clock_, objective_);
    }
    const PositionStep step = position_step(inverse_a2, place.is_first);
    result = position_run_.run(objective_, *position_solver_, step, scene_.solver, place.is_last,
                               z_, options);
    add_to_report(result, report);
    if (place.is_first) find_first_contact_energy(place);
    if (place.is_last) report.tunnelled += objective_.hold_crossings(z_).crossings;
    const bool reads_material = scene_.solver.method != SolverMethod::pbd;
    if (place.is_last && reads_material)
      report.force_scale = force_scale(model_, scene_.gravity, step, objective_.pin_targets(), z_);
  } else {
    setup_.prepare(state_, clock_, objective_);
    // Pins that turn do their work where energies before a step are taken.
    if (objective_.rods() != nullptr && objective_.rods()->has_turned()) elastic_is_known_ = false;
    result = solve(report, options);
  }
  if (result.status == StepStatus::non_finite) return false;
  const Integrator& integrator = setup_.integrator();
  const bool may_gain = is_guarded() && !integrator.keeps_energy_down;
  if (is_guarded() && (may_gain || contact_)) {
    before_substep_.x = state_.x;
    before_substep_.v = state_.v;
    before_substep_.friction = state_.friction;
  }
  add_drift(result, place);
  is_crushed_ = false;
  const bool is_moved = hold_back(report);
  const auto do_again = [&](int parts) {
    report.tunnelled = tunnelled;
    report.friction_work = friction_work;
    if (!steady_substep(parts, report, options, place)) return false;
    end_substep();
    return true;
  };
  if (is_crushed_ && may_divide()) {
    report.held_back = held_back;
    return do_again(may_gain ? setup_.num_steady() : parts_of_gain);
  }
  const auto for_islands = [&](const auto& visit) {
    for (int i = 0; i < islands_.count(); ++i) {
      if (sleep_.stays_asleep(islands_[i])) continue;
      if (islands_.count() > 1) objective_.select(islands_[i]);
      visit(before_of_[at(i)]);
    }
    objective_.select_all();
  };
  if (is_guarded()) {
    for_islands([&](EnergyBefore& before) {
      before = energy_before();
      before.work = work_of_forces(state_.x, z_) / integrator.stage + work_of_friction();
    });
  }
  if (position_solver_ && place.is_last) work_of_friction_ = work_of_friction();
  if (direction_ && islands_.count() > 1) {
    if (is_moved) note_elastic({});
    elastic_of_is_known_ = true;
    elastic_ = 0;
    for (const double own : elastic_of_) elastic_ += own;
    num_inverted_ = objective_.num_inverted();
  } else {
    elastic_ = is_moved ? objective_.elastic_energy_at(z_) : result.elastic;
    num_inverted_ = is_moved ? objective_.num_inverted() : result.num_inverted;
  }
  elastic_is_known_ = setup_.ends_at_z() && (direction_ != nullptr || place.is_last);
  // If a frame is done again, what was seen the first time counts.
  if (contact_) report.friction_work += contact_->friction_work(z_[0].v);
  if (remembers_friction()) {
    next_friction_.share.resize(z_.size());
    next_friction_.partner.resize(z_.size());
    contact_->remember(z_[0].v, next_friction_);
  }
  if (place.is_last && !(position_solver_ && setup_.is_divided()))
    convergence_.frame_done(state_.frame + 1, objective_, direction_.get(), z_, result,
                            direction_ != nullptr && contact_balance_.at_start == 0);
  setup_.advance(z_, state_, algebra());
  if (remembers_friction()) std::swap(state_.friction, next_friction_);
  for (int body = 0; sleep_.count() > 0 && body < model_.num_bodies(); ++body) {
    if (sleep_.is_asleep(body)) lay_down(body);
  }
  if (is_guarded()) {
    if (!setup_.ends_at_z()) {
      find_elastic(state_.x);
      elastic_is_known_ = true;
    }
    bool is_kept = true;
    const double removed = report.energy_removed, gain = report.energy_gain;
    for_islands([&](const EnergyBefore& before) {
      is_kept = keep_energy_of_substep(before, report) && is_kept;
    });
    if (!elastic_is_known_) {
      find_elastic(state_.x);
      elastic_is_known_ = true;
    }
    if (!is_kept) {
      report.energy_removed = removed;
      report.energy_gain = gain;
      // Its parts have flowed.
      return do_again(may_gain ? setup_.num_steady() : parts_of_gain);
    }
    note_found_energy(report);
  }
  drift_.accept();
  friction_error_.accept();
  // What was held back or shortened is not at a minimum, so its forces are not those of the
  // constraints.
  if (has_multipliers() && report.held_back == held_back) {
    if (position_solver_) {
      take_multipliers(place);
    } else {
      for_islands([&](const EnergyBefore&) { next_multipliers(z_); });
      elastic_is_known_ = false;
    }
  }
  advance_rods();
  flow(report);
  end_substep();
  return true;
}

/// Keeps outside of colliders what is outside, in barrier mode. Returns whether z_ has moved.
bool RunningScene::keep_outside(StepReport& report) {
  unheld_z_.resize(z_.size());
  algebra().copy(z_, unheld_z_);
  const auto held = contact_->keep_outside(state_.x[0].v, z_[0].v, threads_);
  if (held.empty()) {
    report.tunnelled = contact_->num_inside();
    return false;
  }
  int num_held = static_cast<int>(std::count(held.begin(), held.end(), char{1}));
  const double allowed = is_guarded() ? elastic_if_not_crushed(unheld_z_) : 0;
  is_crushed_ = is_guarded() && objective_.elastic_energy_at(z_) > allowed;
  // What a step in parts still crushes goes only a share of its way, or stays.
  for (double share = 1; is_crushed_ && !may_divide() && share > 0;) {
    share = share > least_way ? share / 2 : 0;
    go_part_of_way(objective_.selected(), share, state_.x, unheld_z_, z_);
    contact_->keep_outside(state_.x[0].v, z_[0].v, threads_);
    num_held = model_.num_bodies();
    is_crushed_ = objective_.elastic_energy_at(z_) > allowed;
  }
  report.tunnelled = contact_->num_inside();
  report.held_back += num_held;
  return true;
}

/// Keeps apart surfaces that are apart: bodies that would meet stop before. Returns whether z_ has
/// moved.
bool RunningScene::hold_back(StepReport& report) {
  const bool is_moved = contact_ && contact_->is_barrier() && keep_outside(report);
  if (!pairs()) return is_moved;
  for (int round = 0;; ++round) {
    const auto shares = contact_->hold_back(state_.x[0].v, z_[0].v, threads_);
    report.held_back += num_shortened(shares);
    if (shares.empty()) return is_moved || round > 0;
    if (!contact_->is_barrier() || !contact_->has_moving_colliders()) return true;
    // A collider can push what was held back into the other body if there is no other way. What
    // was held back then enters the collider instead.
    if (round == most_pushes) {
      report.tunnelled = contact_->num_inside(state_.x[0].v, z_[0].v, threads_);
      return true;
    }
    if (!keep_outside(report)) return true;
  }
}

bool RunningScene::explicit_substep(StepReport& report) {
  if (pairs()) algebra().copy(state_.x, first_z_);
  setup_.step_explicitly(state_, clock_, objective_);
  if (pairs()) {
    const auto shares = contact_->hold_back(first_z_[0].v, state_.x[0].v, threads_);
    if (!shares.empty()) report.held_back += num_shortened(shares);
    for (std::size_t b = 0; b < shares.size(); ++b) {
      for (int i = model_.body_vertices[b]; shares[b] < 1 && i < model_.body_vertices[b + 1]; ++i) {
        for (int k = 0; k < 3; ++k) state_.v[static_cast<std::size_t>(i)][k] *= shares[b];
      }
    }
  }
  advance_rods();
  flow(report);
  end_substep();
  report.status = StepStatus::converged;
  const double sum = objective_.algebra().norm(state_.x) + objective_.algebra().norm(state_.v);
  return std::isfinite(sum);
}

bool RunningScene::remembers_friction() const {
  return contact_ && contact_->has_memory() && contact_->has_friction();
}

void RunningScene::end_substep() {
  ++clock_.substeps_done;
  state_.time = clock_.at(0);
}

/// When substep s of a frame must end: each gets an equal share of the budget.
std::optional<std::chrono::steady_clock::time_point> RunningScene::deadline(
    int substep_of_frame, std::chrono::steady_clock::time_point frame_started) const {
  if (scene_.solver.budget_ms == 0) return std::nullopt;
  const double share = (substep_of_frame + 1.0) / scene_.time.substeps;
  // More than a day is as good as no limit, and the clock counts in whole nanoseconds.
  const double milliseconds = std::min(scene_.solver.budget_ms * share, 1e8);
  return frame_started + std::chrono::nanoseconds(static_cast<std::int64_t>(milliseconds * 1e6));
}

/// Remembers the state before a frame. Sizes stay the same from the second frame on, so nothing is
/// allocated.
void RunningScene::remember() {
  const auto keep = [&](const VectorField& from, VectorField& to) {
    to.resize(from.size());
    if (!from.empty()) algebra().copy(from, to);
  };
  keep(state_.x, before_.x);
  keep(state_.v, before_.v);
  keep(state_.x_previous, before_.x_previous);
  keep(state_.v_previous, before_.v_previous);
  keep(state_.acceleration, before_.acceleration);
  before_.time = state_.time;
  before_.plastic = state_.plastic;
  before_.rods = state_.rods;
  before_.multipliers = state_.multipliers;
  before_.friction = state_.friction;
  before_.frame = state_.frame;
}

/// Returns to the remembered state. Nothing is allocated, because a step that ran out of memory
/// ends here too.
void RunningScene::restore() {
  objective_.select_all();
  std::swap(state_, before_);
  is_remembered_ = false;
  clock_ = clock_before_;
  setup_.divide(1);
  follow(state_.time);
  use_plastic();
  use_rods();
  use_multipliers();
  elastic_is_known_ = false;
}

/// Lays a body to sleep: it stays where it is, and integrators that look back find it at rest.
void RunningScene::lay_down(int body) {
  for (int i = model_.body_vertices[at(body)]; i < model_.body_vertices[at(body) + 1]; ++i) {
    const PaddedVector none{};
    state_.v[at(i)] = none;
    if (!state_.x_previous.empty()) state_.x_previous[at(i)] = state_.x[at(i)];
    if (!state_.v_previous.empty()) state_.v_previous[at(i)] = none;
    if (!state_.acceleration.empty()) state_.acceleration[at(i)] = none;
  }
}

/// Wakes bodies that some of the colliders marked 1 in `asked` may touch.
void RunningScene::wake_beside(const ContactEnergy* contact, const std::vector<char>& asked) {
  if (contact == nullptr || std::find(asked.begin(), asked.end(), char{1}) == asked.end()) return;
  for (int body = 0; sleep_.count() > 0 && body < model_.num_bodies(); ++body) {
    if (!sleep_.is_asleep(body)) continue;
    if (contact->comes_near(body, bounds_of(state_.x, model_, body), asked)) sleep_.wake(body);
  }
}

/// Moving colliders wake the bodies that they come near in the frame.
void RunningScene::wake_by_colliders() {
  if (!contact_ || sleep_.count() == 0) return;
  wake_beside(contact_.get(),
              contact_->move_colliders(clock_.at(scene_.time.substeps), scene_.time.step));
}

/// A frame in which all bodies sleep. What the last frame reported of them is still true.
void RunningScene::sleep_frame(StepReport& report) {
  clock_.substeps_done += scene_.time.substeps;
  state_.time = clock_.at(0);
  ++state_.frame;
  touching_.end_frame_as_before();
  attachments_.end_frame(false);
  report = asleep_;
}

void RunningScene::run_frame(StepReport& report) {
  const auto started = std::chrono::steady_clock::now();
  remember();
  clock_before_ = clock_;
  is_remembered_ = true;
  if (position_solver_ && setup_.ends_at_z() && !elastic_is_known_) {
    elastic_ = objective_.elastic_energy_at(state_.x);
    elastic_is_known_ = true;
    contact_energy_before_.reset();
  }
  unfold_bodies();
  report.unfolding_bodies = unfolding_.count();
  if (pairs()) pairs()->look_at_overlaps(state_.x[0].v);
  const double elastic_before =
      position_solver_ ? elastic_ - objective_.spring_multiplier_energy(state_.x) : elastic_;
  const bool was_known = elastic_is_known_;
  multipliers_fit_ = true;
  bool finite = run_substeps(1, started, report);
  if (finite && was_known && elastic_is_known_ && position_solver_ && has_energy_) {
    keep_energy_of_frame(elastic_before, 1, report);
    take_smaller_substeps(elastic_before, report);
    note_found_energy(report);
  }
  if (!finite) {
    restore();
    report.status = StepStatus::non_finite;
    report.friction_work = report.plastic_work = 0;
  }
  measure_frame(finite, report);
  has_multipliers_ = finite && position_solver_ != nullptr && multipliers_fit_;
  has_contacts_ = finite && contact_ != nullptr && !setup_.integrator().is_explicit;
  is_remembered_ = false;
  attachments_.end_frame(!finite);
  if (!finite) return;
  ++state_.frame;
  if (!sleep_.is_on()) return;
  sleep_.end_frame(islands_, guard_, before_.x, state_.x, state_.v, scene_.time.step,
                   [this](int body) { lay_down(body); });
  for (int body = 0; sleep_.count() > 0 && body < model_.num_bodies(); ++body) {
    if (!unfolding_.is_idle(at(body))) sleep_.wake(body);
  }
  report.sleeping_bodies = sleep_.count();
  if (sleep_.are_all_asleep()) {
    asleep_ = {.status = StepStatus::converged,
               .sleeping_bodies = report.sleeping_bodies,
               .inverted_tets = report.inverted_tets,
               .contacts = report.contacts,
               .contact_energy = report.contact_energy,
               .deepest_penetration = report.deepest_penetration,
               .overlaps = report.overlaps};
  }
}

/// Reports on the state at the end of the frame.
void RunningScene::measure_frame(bool finite, StepReport& report) {
  report.inverted_tets =
      elastic_is_known_ ? num_inverted_ : count_inverted(model_, state_.x, threads_);
  may_be_inverted_ = report.inverted_tets > 0;
  if (has_multipliers()) {
    report.constraint_error = constraint_error(model_, state_.x, objective_.volumes_at(state_.x));
  }
  if (pairs()) report.overlaps = static_cast<int>(pairs()->overlaps().size());
  if (contact_ && finite && !setup_.integrator().is_explicit) {
    objective_.find_contacts(state_.x);
    report.contacts = static_cast<int>(contact_->touching().size());
    report.contact_energy = contact_->touch().energy;
    report.deepest_penetration = contact_->touch().deepest;
    if (!setup_.ends_at_z()) objective_.find_contacts(z_);
    touching_.end_frame(contact_.get(), model_);
  } else if (finite) {
    touching_.end_frame(nullptr, model_);
  } else {
    touching_.end_frame_as_before();
  }
}

StepReport RunningScene::step() {
  const Stopwatch watch;
  StepReport report;
  objective_.reset_counters();
  attachments_.begin_frame(state_.time, state_.time + scene_.time.step);
  wake_by_colliders();
  if (sleep_.are_all_asleep()) {
    sleep_frame(report);
    report.unconverged = convergence_.softness();
    report.drift = drift_.share();
    report.friction_error = friction_error_.share();
    report.total_milliseconds = watch.milliseconds();
    return report;
  }
  if (!direction_ || !has_islands()) sleep_.stays_asleep(islands_[0]);
  queries_.moved();
  has_multipliers_ = has_contacts_ = false;
  try {
    run_frame(report);
  } catch (...) {
    if (is_remembered_) restore();
    attachments_.end_frame(true);
    clear_forces();
    throw;
  }
  clear_forces();
  report.evaluations = objective_.num_evaluations() - convergence_.evaluations();
  report.unconverged = convergence_.softness();
  report.drift = drift_.share();
  report.friction_error = friction_error_.share();
  report.local_milliseconds = objective_.local_milliseconds();
  report.contact_milliseconds = objective_.contact_milliseconds();
  report.total_milliseconds = watch.milliseconds();
  return report;
}

}  // namespace supple
