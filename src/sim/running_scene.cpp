#include "sim/running_scene.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/index.h"
#include "base/refuse.h"
#include "base/stopwatch.h"
#include "descent/fiber_field.h"
#include "descent/laplacian.h"
#include "model/pin_selection.h"
#include "sim/contact_reads.h"
#include "sim/contact_setup.h"
#include "sim/measures.h"
#include "sim/stepper.h"
#include "sim/touches.h"
#include "supple/error.h"

namespace supple {

namespace {

/// Share of the energy of free flight by which a step may end above where it began. Nothing at all
/// would have a body that rests on the ground, whose start y lies below it, do every step twice for
/// the last digits; a hundredth is less than backward Euler damps.
constexpr double allowed_rise = 0.01;
/// Times that a step is solved anew because paths crossed a collider.
constexpr int most_holds = 3;
/// Of its kinetic energy: what a step may gain before it is solved with more iterations, up to so
/// many times the budget more. Less is taken out of the velocities at once.
constexpr double serious_gain = 0.01;
constexpr int most_rounds = 2;
/// Parts of a substep, of each of those, and the most of them in one.
constexpr int smaller = 4, smallest = 16;
/// Of its kinetic energy: by how much the energy of an integrator may swing in a step that keeps
/// the energy of small vibrations, but not that of large ones.
constexpr double allowed_swing = 0.01;
/// Of the energies at hand: their rounding.
constexpr double energy_rounding = 1e-13;

void add_to_report(const MinimiseReport& result, StepReport& report) {
  report.status = result.status;
  report.iterations += result.iterations;
  report.objective = result.value;
  report.gradient_norm = result.gradient_norm;
  report.start_gradient_norm = result.start_gradient_norm;
  report.expected_decrease = result.expected_decrease;
  report.solve_milliseconds += result.direction_milliseconds;
}

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
  constexpr double rounding = 1e-7;  // single precision, which is a choice, has 24 bits
  return std::max({std::sqrt(inertia2) * step.inverse_a2, std::sqrt(mass2 * gravity2),
                   std::sqrt(pins2), rounding * std::sqrt(mass2 * size2) * step.inverse_a2});
}

int num_shortened(std::span<const double> shares) {
  return static_cast<int>(
      std::count_if(shares.begin(), shares.end(), [](double share) { return share < 1; }));
}

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
                           Attachments attachments, const Earlier<RunningScene>& earlier)
    : threads_(options.threads, options.tasks),
      scene_((check_settings(scene), with_fiber_directions(scene, threads_))),
      model_(build_model(scene_)),
      state_(initial_state(scene_, model_)),
      numbering_(model_, part_of(earlier, &RunningScene::numbering_)),
      attachments_(std::move(attachments)),
      surface_(surface_of(scene_, model_, numbering_, part_of(earlier, &RunningScene::surface_))),
      contact_((hold_attachments(), make_contact(scene_, model_, numbering_, surface_))),
      objective_(model_, contact_.get(), threads_),
      flow_(model_),
      setup_(scene_, model_),
      minimiser_(model_.num_vertices),
      guard_(model_),
      is_held_(scene_.bodies.size(), 0),
      is_changed_(is_held_),
      position_run_(model_.num_vertices),
      convergence_(model_, scene_, setup_.inverse_a2()),
      drift_(model_, scene_),
      unfolding_(scene_.bodies.size()),
      z_(state_.x),
      first_z_(z_),
      potential_(scene_.bodies.size()),
      islands_(scene_.bodies.size()),
      before_of_(scene_.bodies.size()),
      elastic_of_(scene_.bodies.size()),
      before_(state_),
      queries_(scene_, model_, numbering_, surface_, state_.x),
      clock_(clock_of(0, 0, scene_.time)) {
  check_touches(scene_);
  touching_.reset(scene_.bodies.size(), scene_.colliders.size());
  state_ = numbering_.to_model(state_);
  if (begin == Begin::later) {
    if (contact_) start_ = state_.x;
  } else {
    start_apart(state_.x);
  }
  if (setup_.integrator().is_explicit) return;
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

/// Where a scene starts.
void RunningScene::start_apart(VectorField& x) {
  if (pairs()) pairs()->start_apart(x[0].v);
  if (contact_ && contact_->is_barrier()) contact_->start_outside(x[0].v);
}

/// Before anything is made from the model's pins.
void RunningScene::hold_attachments() {
  if (!attachments_.empty()) model_.pins = all_pins();
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

bool RunningScene::is_guarded() const {
  return direction_ && setup_.integrator().has_inertia && scene_.solver.line_search.type != "none";
}

/// Whether what nothing couples is minimised by itself: neither does a hard body then cost an easy
/// one anything, nor does its step depend on it. Integrators whose steps may gain energy are done
/// again as a whole.
bool RunningScene::has_islands() const {
  return scene_.bodies.size() > 1 && objective_.can_select() &&
         direction_->can_select(objective_) && setup_.integrator().keeps_energy_down;
}

/// The elastic energies at x, all together and of each body.
void RunningScene::find_elastic(const VectorField& x) {
  elastic_ = objective_.elastic_energy_at(x);
  num_inverted_ = objective_.num_inverted();
  for (std::size_t body = 0; body < elastic_of_.size(); ++body) {
    elastic_of_[body] = objective_.elastic_energy_of(static_cast<int>(body));
  }
}

double RunningScene::elastic_of_selected() const {
  if (objective_.selected().size() == elastic_of_.size()) return elastic_;
  double sum = 0;
  for (const int body : objective_.selected()) sum += elastic_of_[at(body)];
  return sum;
}

double RunningScene::potential_of_selected() const {
  double sum = 0;
  for (const int body : objective_.selected()) sum += potential_[at(body)];
  return sum;
}

/// Minimises from the start of the substep, island after island.
MinimiseReport RunningScene::solve(StepReport& report, const MinimiseOptions& options) {
  std::fill(potential_.begin(), potential_.end(), 0.0);
  const bool are_apart = has_islands();
  islands_.find(are_apart ? contact_.get() : nullptr, are_apart);
  if (islands_.count() > 1) return solve_islands(report, options);
  // Its sum by bodies has other digits.
  if (!elastic_is_known_ || elastic_of_is_known_) {
    elastic_ = objective_.elastic_energy_at(state_.x);
  }
  elastic_of_is_known_ = false;
  return descend(report, options);
}

namespace {

StepStatus worse(StepStatus a, StepStatus b) {
  for (const StepStatus status : {StepStatus::non_finite, StepStatus::out_of_time,
                                  StepStatus::iteration_limit, StepStatus::stalled}) {
    if (a == status || b == status) return status;
  }
  return a;
}

/// What islands came to, as if they had been minimised at once.
void join(const MinimiseReport& own, MinimiseReport& all) {
  all.status = worse(all.status, own.status);
  all.iterations = std::max(all.iterations, own.iterations);
  all.value += own.value;
  all.elastic += own.elastic;
  all.num_inverted += own.num_inverted;
  all.gradient_norm = std::hypot(all.gradient_norm, own.gradient_norm);
  all.start_value += own.start_value;
  all.start_gradient_norm = std::hypot(all.start_gradient_norm, own.start_gradient_norm);
  all.expected_decrease += own.expected_decrease;
}

}  // namespace

MinimiseReport RunningScene::solve_islands(StepReport& report, const MinimiseOptions& options) {
  if (!elastic_is_known_ || !elastic_of_is_known_) find_elastic(state_.x);
  MinimiseReport all{.status = StepStatus::converged};
  has_gradients_ = true;
  const int evaluations = objective_.num_evaluations(), iterations = report.iterations;
  int most_evaluations = 0, most_iterations = 0, vertices_left = model_.num_vertices;
  for (int i = 0; i < islands_.count(); ++i) {
    objective_.select(islands_[i]);
    report.iterations = 0;
    objective_.set_evaluations(0);
    MinimiseOptions own_options = options;
    if (options.deadline) {
      // Of the time that is left as large a part as of the vertices.
      int own = 0;
      for (const int body : islands_[i]) {
        own += model_.body_vertices[at(body) + 1] - model_.body_vertices[at(body)];
      }
      const auto now = std::chrono::steady_clock::now();
      own_options.deadline = now + (*options.deadline - now) * own / std::max(vertices_left, 1);
      vertices_left -= own;
    }
    const MinimiseReport result = descend(report, own_options);
    has_gradients_ = has_gradients_ && is_gradient_of(result, minimiser_.gradient());
    note_elastic(result);
    join(result, all);
    most_iterations = std::max(most_iterations, report.iterations);
    most_evaluations = std::max(most_evaluations, objective_.num_evaluations());
    if (all.status == StepStatus::non_finite) break;
  }
  objective_.set_evaluations(evaluations + most_evaluations);
  report.iterations = iterations + most_iterations;
  objective_.select_all();
  if (all.status == StepStatus::non_finite) return all;
  meet(all, report, options);
  objective_.find_contacts(z_);
  report.status = all.status;
  report.objective = all.value;
  report.gradient_norm = all.gradient_norm;
  report.start_gradient_norm = all.start_gradient_norm;
  report.expected_decrease = all.expected_decrease;
  return all;
}

/// Of the bodies that are selected, in z_.
void RunningScene::note_elastic(const MinimiseReport& result) {
  if (!result.ends_at_last) objective_.elastic_energy_at(z_);
  for (const int body : objective_.selected()) {
    elastic_of_[at(body)] = objective_.elastic_energy_of(body);
  }
}

/// What islands do to each other on their ways couples them: those that meet are solved again
/// together.
void RunningScene::meet(MinimiseReport& all, StepReport& report, const MinimiseOptions& options) {
  if (contact_ == nullptr) return;
  const auto has_news = [&](std::span<const int> bodies) {
    bool any = false;
    for (const int body : bodies) any = contact_->take_news(body) || any;
    return any;
  };
  has_news(objective_.selected());
  for (int attempt = 0; all.status != StepStatus::non_finite; ++attempt) {
    if (!objective_.hold_meetings(z_).anything() || attempt == most_holds) return;
    islands_.find(contact_.get(), true);
    MinimiseReport again{.status = StepStatus::converged};
    for (int i = 0; i < islands_.count(); ++i) {
      if (!has_news(islands_[i])) continue;
      objective_.select(islands_[i]);
      const MinimiseReport result = minimise(report, options);
      note_elastic(result);
      join(result, again);
    }
    objective_.select_all();
    all.status = worse(all.status, again.status);
    all.expected_decrease = std::max(all.expected_decrease, again.expected_decrease);
    all.gradient_norm = std::max(all.gradient_norm, again.gradient_norm);
  }
}

/// Minimises from z_ on, and again while the way there meets what was not known yet: paths that
/// cross a collider, edges and faces in one. Most of it is met early, when there is budget left.
MinimiseReport RunningScene::minimise(StepReport& report, MinimiseOptions options) {
  options.look_at = std::max(1, scene_.solver.iterations / 4);
  if (contact_) {
    options.changes = [this](const VectorField& z) {
      return objective_.hold_crossings(z, false).anything();
    };
  }
  MinimiseReport result = minimiser_.run(objective_, *direction_, scene_.solver, z_, options);
  options.changes = nullptr;
  add_to_report(result, report);
  for (int attempt = 0; result.status != StepStatus::non_finite; ++attempt) {
    const Encounters met = objective_.hold_crossings(z_);
    if (!met.anything()) break;
    if (attempt == most_holds) {
      report.tunnelled += met.crossings;
      break;
    }
    options.good_enough = result.gradient_norm;
    result = minimiser_.run(objective_, *direction_, scene_.solver, z_, options);
    add_to_report(result, report);
  }
  return result;
}

/// Puts z_ to the lower of two places that cost no elastic energy: where the bodies are, with
/// g = value_at_start, and where they would be had they moved on rigidly.
void RunningScene::start_safely(double value_at_start) {
  if (setup_.integrator().has_inertia) {
    const double time = setup_.integrator().stage * setup_.length();
    const auto bodies = objective_.selected();
    guard_.move_rigidly(bodies, state_.x, state_.v, scene_.gravity, time, z_);
    guard_.push(bodies, setup_.loads(), setup_.push_scale(), z_);
    const double moved =
        objective_.value_with(z_, elastic_of_selected() + objective_.inertia_energy(z_));
    if (moved < value_at_start) return;
  }
  algebra().copy(state_.x, z_);
}

/// The descent starts at y, as in the papers, or where the settings say. Where that is a bad start
/// (a body that turns inside out in free flight, an energy that overflows) the budget can end above
/// g(x_n), and such a step would add energy: it is done again from a place where g is no higher,
/// from where every descent ends below, and the better of both is taken. So
///   |z - y|_M^2/(2 a^2) + E(z) <= |x_n - y|_M^2/(2 a^2) + E(x_n)
/// holds for every step, every budget and every integrator, but for `allowed_rise`: z is no worse
/// than standing still. A quasi-static step begins at x_n anyway.
MinimiseReport RunningScene::descend(StepReport& report, const MinimiseOptions& options) {
  const double elastic = elastic_of_selected();
  const double inertia = objective_.inertia_energy(state_.x);
  const double value_at_start = objective_.value_with(state_.x, elastic + inertia);
  potential_[at(objective_.selected().front())] = objective_.potential(elastic, state_.x, state_.x);
  algebra().copy(setup_.start(), z_);
  MinimiseReport result = minimise(report, options);
  // Whoever switches the line search off wants to see what it prevents.
  if (scene_.solver.line_search.type == "none") return result;
  // Without inertia this is the potential of the weight, which may be negative.
  const double allowed =
      value_at_start + allowed_rise * std::max(0.0, inertia) + 1e-12 * std::abs(value_at_start);
  const bool finite = result.status != StepStatus::non_finite;
  if (finite && result.value <= allowed) return solve_better(result, report, options);
  ++report.repeated_substeps;
  algebra().copy(z_, first_z_);
  const MinimiseReport first = result;
  start_safely(value_at_start);
  result = minimise(report, options);
  if (finite && !(result.value <= first.value)) {
    algebra().copy(first_z_, z_);
    result = first;
    result.ends_at_last = false;
  }
  return solve_better(result, report, options);
}

/// Of what is selected, at the start of a substep; its work is not known yet.
RunningScene::EnergyBefore RunningScene::energy_before() const {
  return {.kinetic =
              setup_.kept() * setup_.kept() * guard_.kinetic(objective_.selected(), state_.v)};
}

/// With backward Euler a step that is solved gains no energy where E is convex: one that gains
/// much is not solved yet.
MinimiseReport RunningScene::solve_better(MinimiseReport result, StepReport& report,
                                          const MinimiseOptions& options) {
  if (!is_guarded() || !setup_.integrator().keeps_energy_down) return result;
  if (result.status == StepStatus::non_finite) return result;
  EnergyBefore before = energy_before();
  for (int round = 0; round < most_rounds; ++round) {
    const double kinetic =
        guard_.kinetic_of_way(objective_.selected(), state_.x, z_, setup_.length());
    before.work = work_of_forces(state_.x, z_) + work_of_friction();
    const double gained = energy_gained(result.elastic, z_, kinetic, before);
    if (!(gained > serious_gain * std::max(kinetic, before.kinetic))) break;
    ++report.repeated_substeps;
    const MinimiseReport next = minimise(report, options);
    if (next.status == StepStatus::non_finite) break;
    const bool no_better = next.iterations == 0 || !(next.value < result.value);
    result = next;
    if (no_better) break;
  }
  return result;
}

/// Mechanical energy that the substep gains beyond the work of the weight and forces, J, from
/// `before` to the state that z_ makes, whose positions x and velocities have the energies given.
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

/// What colliders do on what they drag along from state_ to z_, J; known before the state advances.
double RunningScene::work_of_friction() const {
  return contact_ ? std::max(0.0, contact_->friction_work(z_[0].v)) : 0;
}

/// Takes a step's excess of energy out of the velocities that it has come to. What is left, J.
double RunningScene::keep_energy(double gained, StepReport& report) {
  const auto bodies = objective_.selected();
  const double slack =
      energy_rounding * (std::abs(potential_of_selected()) + objective_.energy_scale() +
                         guard_.kinetic(bodies, state_.v));
  if (!(gained > slack)) return 0;
  objective_.find_held_bodies(is_held_);
  const double taken = guard_.dissipate(bodies, gained, is_held_, state_.x, state_.v);
  report.energy_removed += taken;
  report.energy_gain += gained - taken;
  // What remembers the velocities before would bring them back.
  if (taken > serious_gain * guard_.kinetic(bodies, state_.v)) {
    state_.x_previous.clear();
    state_.v_previous.clear();
  }
  return gained - taken;
}

/// From the start of the substep on by backward Euler, in as many steps as the matrix is made for.
/// The middle of a step of the midpoint rule is such a step, so that half of the work is done again
/// and the energy which its second half found in nothing is not.
bool RunningScene::steady_substep(StepReport& report, const MinimiseOptions& options,
                                  const PlaceInFrame& place) {
  algebra().copy(before_substep_.x, state_.x);
  algebra().copy(before_substep_.v, state_.v);
  state_.x_previous.clear();
  state_.v_previous.clear();
  state_.acceleration.clear();
  elastic_is_known_ = false;
  ++report.repeated_substeps;
  ++report.steady_substeps;
  const StepClock clock = clock_;
  const int parts = setup_.num_steady();
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

/// Of a frame of a position-based method, whose energies are known at its end alone.
void RunningScene::keep_energy_of_frame(double elastic_before, int parts, StepReport& report) {
  const double kept = std::pow(setup_.kept(), 2.0 * scene_.time.substeps);
  // Of what colliders drag along the last substep is known.
  const auto bodies = objective_.selected();
  const EnergyBefore before{.kinetic = kept * guard_.kinetic(bodies, before_.v),
                            .work = work_of_forces(before_.x, state_.x) +
                                    scene_.time.substeps * parts * work_of_friction_ +
                                    work_of_shapes_ - report.plastic_work};
  potential_.assign(potential_.size(), 0.0);
  potential_[0] = objective_.potential(elastic_before, before_.x, before_.x);
  const double gained = energy_gained(elastic_, state_.x, guard_.kinetic(bodies, state_.v), before);
  if (std::isfinite(gained) && gained > 0) keep_energy(gained, report);
}

/// The substeps of a frame, each in so many parts. False: the state is not to be used.
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

/// A frame of a position-based method that gained what its velocities cannot give back was not
/// solved: a constraint at a time does not crush a body evenly that moves on by a tet or more. It
/// is done again in smaller substeps, which each move it by less, and the one that gains least is
/// taken.
void RunningScene::take_smaller_substeps(double elastic_before, StepReport& report) {
  if (scene_.solver.budget_ms > 0 || !setup_.integrator().keeps_energy_down || setup_.looks_back())
    return;
  if (report.energy_gain == 0) return;
  const double at_hand = std::max(guard_.kinetic(objective_.selected(), before_.v),
                                  guard_.weight_times_size(scene_.gravity));
  for (int parts = smaller; parts <= smallest; parts *= smaller) {
    if (!(report.energy_gain > serious_gain * at_hand)) return;
    const StepReport first = report;
    const double elastic = elastic_;
    const int num_inverted = num_inverted_;
    algebra().copy(state_.x, before_substep_.x);
    algebra().copy(state_.v, before_substep_.v);
    algebra().copy(z_, first_z_);
    before_substep_.plastic = state_.plastic;
    algebra().copy(before_.x, state_.x);
    algebra().copy(before_.v, state_.v);
    state_.plastic = before_.plastic;
    use_plastic();
    clock_.substeps_done -= scene_.time.substeps;
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
    use_plastic();
    elastic_ = elastic;
    num_inverted_ = num_inverted;
    elastic_is_known_ = true;
    multipliers_fit_ = false;
    const int iterations = report.iterations, repeated = report.repeated_substeps;
    report = first;
    report.iterations = iterations;
    report.repeated_substeps = repeated;
    return;
  }
}

/// The activation of muscles and growth do their work where energies before a step are taken, as
/// pins do.
void RunningScene::follow(double time) {
  const bool contracts = contract_fibers(model_, time);
  if (grow(model_, state_.plastic, time) || contracts) tell_shapes();
}

void RunningScene::tell_shapes() {
  objective_.shapes_changed();
  if (direction_) direction_->shapes_changed(model_);
  if (position_solver_) position_solver_->shapes_changed();
  std::fill(model_.has_new_rest.begin(), model_.has_new_rest.end(), 0);
  elastic_is_known_ = false;
}

/// The state has flowed otherwise.
void RunningScene::use_plastic() {
  if (state_.plastic.empty()) return;
  write_rest_shapes(model_, state_.plastic);
  tell_shapes();
}

/// After a substep.
void RunningScene::flow(StepReport& report) {
  const std::optional<double> taken =
      flow_.advance(model_, state_.x, setup_.length(), state_.plastic, threads_);
  if (!taken) return;
  report.plastic_work += *taken;
  multipliers_fit_ = false;  // they are those of the shapes before
  const bool was_known = elastic_is_known_;
  tell_shapes();
  if (!was_known) return;
  find_elastic(state_.x);
  elastic_is_known_ = true;
}

/// The same at the start of a substep. Position-based methods take energies at the start of a frame
/// alone, and so must know what this has done since.
void RunningScene::follow_in_substep(double time) {
  const bool is_asked = position_solver_ && has_energy_ && !model_.growth.empty();
  const double before = is_asked ? objective_.elastic_energy_at(state_.x) : 0;
  follow(time);
  if (is_asked) work_of_shapes_ += objective_.elastic_energy_at(state_.x) - before;
}

/// Of what is selected, at the end of a substep; false: more was left than its energy may swing by.
bool RunningScene::keep_energy_of_substep(const EnergyBefore& before, StepReport& report) {
  const bool may_gain = !setup_.integrator().keeps_energy_down;
  const double kinetic = guard_.kinetic(objective_.selected(), state_.v);
  const double gained = energy_gained(elastic_of_selected(), state_.x, kinetic, before);
  // Other integrators let energy swing about what they keep; where bodies touch, steps that gain
  // follow each other.
  const double swing = may_gain ? allowed_swing * std::max(kinetic, before.kinetic) : 0;
  const double allowed = contact_ && !contact_->contacts().empty() ? 0 : swing;
  return !(gained > allowed && keep_energy(gained - allowed, report) > swing);
}

/// Where the better of two descents was the first, the gradient is that of the other one.
bool RunningScene::is_gradient_of(const MinimiseReport& result, const VectorField& gradient) {
  return algebra().norm(gradient) == result.gradient_norm;
}

/// Of a position-based method one substep of a frame is measured, and stands for all.
void RunningScene::add_drift(const MinimiseReport& result, const PlaceInFrame& place) {
  if (setup_.integrator().name != "backward_euler" || scene_.solver.method == "pbd") return;
  if (position_solver_ && (!place.is_last || setup_.is_divided())) return;
  const VectorField& gradient = position_solver_ ? position_run_.gradient() : minimiser_.gradient();
  if (islands_.count() > 1 ? !has_gradients_ : !is_gradient_of(result, gradient)) return;
  drift_.add(objective_, z_, gradient, setup_.kept(), position_solver_ ? scene_.time.substeps : 1);
}

bool RunningScene::substep(StepReport& report, const MinimiseOptions& options,
                           const PlaceInFrame& place) {
  follow_in_substep(clock_.at(setup_.integrator().is_explicit ? 0 : setup_.integrator().stage));
  if (setup_.integrator().is_explicit) return explicit_substep(report);
  MinimiseReport result;
  const int tunnelled = report.tunnelled;
  const double friction_work = report.friction_work;
  if (position_solver_) {
    // What is not measured needs no objective, and no copies of y.
    const bool measured = place.is_last || scene_.solver.tolerance > 0;
    double inverse_a2 = 0;
    if (measured) {
      setup_.prepare(state_, clock_, objective_);
      inverse_a2 = objective_.inverse_a2();
      algebra().copy(setup_.start(), z_);
    } else {
      inverse_a2 = setup_.prepare_target(state_, clock_, objective_);
    }
    const double stage = setup_.integrator().stage;
    const PositionStep step{.y = setup_.target(),
                            .x_start = state_.x,
                            .inverse_a2 = inverse_a2,
                            .time = clock_.at(stage),
                            .h = stage * setup_.length(),
                            .stage = stage,
                            .first_of_frame = place.is_first};
    result = position_run_.run(objective_, *position_solver_, step, scene_.solver, place.is_last,
                               z_, options);
    add_to_report(result, report);
    if (place.is_last) report.tunnelled += objective_.hold_crossings(z_).crossings;
    const bool reads_material = scene_.solver.method != "pbd";
    if (place.is_last && reads_material)
      report.force_scale = force_scale(model_, scene_.gravity, step, objective_.pin_targets(), z_);
  } else {
    setup_.prepare(state_, clock_, objective_);
    result = solve(report, options);
  }
  if (result.status == StepStatus::non_finite) return false;
  const Integrator& integrator = setup_.integrator();
  const bool may_gain = is_guarded() && !integrator.keeps_energy_down;
  if (may_gain) {
    before_substep_.x = state_.x;
    before_substep_.v = state_.v;
  }
  add_drift(result, place);
  const bool is_moved = hold_back(report);
  const auto for_islands = [&](const auto& visit) {
    for (int i = 0; i < islands_.count(); ++i) {
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
  // Of a frame that is done again what was seen the first time counts.
  if (contact_) report.friction_work += contact_->friction_work(z_[0].v);
  if (place.is_last && !(position_solver_ && setup_.is_divided()))
    convergence_.frame_done(state_.frame + 1, objective_, direction_.get(), z_, result);
  setup_.advance(z_, state_, algebra());
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
    if (!is_kept && may_gain) {
      report.energy_removed = removed;
      report.energy_gain = gain;
      report.tunnelled = tunnelled;
      report.friction_work = friction_work;
      // Its parts have flowed.
      if (!steady_substep(report, options, place)) return false;
      end_substep();
      return true;
    }
  }
  flow(report);
  end_substep();
  return true;
}

/// What is outside of colliders stays so, in barrier mode; whether z_ is another place now.
bool RunningScene::keep_outside(StepReport& report) {
  const auto held = contact_->keep_outside(state_.x[0].v, z_[0].v, threads_);
  report.tunnelled = 0;
  report.held_back += static_cast<int>(std::count(held.begin(), held.end(), char{1}));
  return !held.empty();
}

/// Surfaces that are apart stay so: bodies that would meet stop before. Whether z_ is another place
/// now.
bool RunningScene::hold_back(StepReport& report) {
  const bool is_moved = contact_ && contact_->is_barrier() && keep_outside(report);
  if (!pairs()) return is_moved;
  const auto shares = contact_->hold_back(state_.x[0].v, z_[0].v, threads_);
  report.held_back += num_shortened(shares);
  return is_moved || !shares.empty();
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
  flow(report);
  end_substep();
  report.status = StepStatus::converged;
  const double sum = objective_.algebra().norm(state_.x) + objective_.algebra().norm(state_.v);
  return std::isfinite(sum);
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
  // More than a day is as good as none, and the clock counts in whole nanoseconds.
  const double milliseconds = std::min(scene_.solver.budget_ms * share, 1e8);
  return frame_started + std::chrono::nanoseconds(static_cast<std::int64_t>(milliseconds * 1e6));
}

/// The state as it is before a frame. Of the same sizes from the second one on: nothing is
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
  before_.frame = state_.frame;
}

/// The state as it was remembered. Nothing is allocated: this is also the end of a step for which
/// there was no memory.
void RunningScene::restore() {
  objective_.select_all();
  std::swap(state_, before_);
  is_remembered_ = false;
  clock_ = clock_before_;
  setup_.divide(1);
  follow(state_.time);
  use_plastic();
  elastic_is_known_ = false;
}

void RunningScene::run_frame(StepReport& report) {
  const auto started = std::chrono::steady_clock::now();
  remember();
  clock_before_ = clock_;
  is_remembered_ = true;
  if (position_solver_ && setup_.ends_at_z() && !elastic_is_known_) {
    elastic_ = objective_.elastic_energy_at(state_.x);
    elastic_is_known_ = true;
  }
  unfold_bodies();
  report.unfolding_bodies = unfolding_.count();
  if (pairs()) pairs()->look_at_overlaps(state_.x[0].v);
  const double elastic_before = elastic_;
  const bool was_known = elastic_is_known_;
  multipliers_fit_ = true;
  bool finite = run_substeps(1, started, report);
  if (finite && was_known && elastic_is_known_ && position_solver_ && has_energy_) {
    keep_energy_of_frame(elastic_before, 1, report);
    take_smaller_substeps(elastic_before, report);
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
  if (finite) ++state_.frame;
}

/// What a report says about the state that the frame has come to.
void RunningScene::measure_frame(bool finite, StepReport& report) {
  report.inverted_tets =
      elastic_is_known_ ? num_inverted_ : count_inverted(model_, state_.x, threads_);
  may_be_inverted_ = report.inverted_tets > 0;
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
  queries_.moved();
  has_multipliers_ = has_contacts_ = false;
  attachments_.begin_frame(state_.time, state_.time + scene_.time.step);
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
  report.local_milliseconds = objective_.local_milliseconds();
  report.contact_milliseconds = objective_.contact_milliseconds();
  report.total_milliseconds = watch.milliseconds();
  return report;
}

/// Exchanges the model's pins for these, with all that was made from them; on an error they are
/// exchanged back.
void RunningScene::use_pins(PinSet pins) {
  std::swap(model_.pins, pins);
  try {
    setup_.check_pins(scene_);
    objective_.pins_changed();
    if (direction_) {
      direction_->pins_changed({model_, setup_.inverse_a2(), setup_.length()});
    }
    if (position_solver_) position_solver_->pins_changed();
    convergence_.pins_changed({model_, setup_.inverse_a2(), setup_.length()});
  } catch (...) {
    std::swap(model_.pins, pins);
    objective_.pins_changed();
    throw;
  }
  state_.acceleration.clear();  // it was that of the other pins
}

/// Those of the scene and the attachments.
PinSet RunningScene::all_pins() const {
  PinSet set = pins_of(scene_);
  for (PinnedVertex& pin : set.pins) pin.vertex = numbering_.to_model(pin.vertex);
  attachments_.add_to(set, numbering_);
  return set;
}

/// Energies know nothing of what keeps an incompressible body's volume, and pbd nothing of
/// energies.
void RunningScene::find_energy() {
  has_energy_ = scene_.solver.method != "pbd" && !find_material_fault(scene_, "newton");
}

void RunningScene::set_pins(int body, std::vector<Pin> pins) {
  std::vector<Pin>& own = scene_.bodies[static_cast<std::size_t>(body)].pins;
  std::swap(own, pins);
  try {
    use_pins(all_pins());
  } catch (...) {
    std::swap(own, pins);
    throw;
  }
}

void RunningScene::use_attachments(Attachments attachments) {
  std::swap(attachments_, attachments);
  try {
    use_pins(all_pins());
  } catch (...) {
    std::swap(attachments_, attachments);
    throw;
  }
}

Attachment RunningScene::attach(Grip grip) {
  Attachments next = attachments_;
  const Attachment added = next.add(std::move(grip));
  use_attachments(std::move(next));
  return added;
}

void RunningScene::detach(Attachment attachment) {
  Attachments next = attachments_;
  next.remove(attachment);
  use_attachments(std::move(next));
}

/// In barrier mode.
void RunningScene::require_apart(ContactEnergy* contact, const VectorField& x) {
  if (contact != nullptr && contact->is_barrier()) contact->require_apart(x[0].v);
}

void RunningScene::use_contact(ContactEnergy* contact) {
  if (contact != nullptr && contact->pairs() != nullptr) {
    contact->pairs()->find_overlaps(state_.x[0].v);
  }
  objective_.contact_changed(contact);
  has_contacts_ = false;
  convergence_.contact_changed();
  if (position_solver_) position_solver_->contact_changed(contact);
}

/// Matrices hold no contacts, so that there is nothing to factorise; no contact outlives its step.
void RunningScene::set_colliders(std::vector<Collider> colliders) {
  std::swap(scene_.colliders, colliders);
  try {
    check_touches(scene_);
    check_contact(scene_);
    std::unique_ptr<ContactEnergy> contact = make_contact(scene_, model_, numbering_, surface_);
    setup_.check_motions(scene_);
    require_apart(contact.get(), state_.x);
    use_contact(contact.get());
    contact_ = std::move(contact);
  } catch (...) {
    std::swap(scene_.colliders, colliders);
    use_contact(contact_.get());
    throw;
  }
  touching_.keep(scene_.bodies.size(), scene_.colliders.size());
  state_.acceleration.clear();  // it may be that of the other colliders
}

/// Exchanges the model's elements for these, with all that refers to them; on an error they are
/// exchanged back.
void RunningScene::use_elements(ElementLayout& elements) {
  ElementLayout& own = model_;
  const bool same = same_places(own, elements);
  const auto tell = [&] {
    if (!model_.inverse_change.empty()) write_rest_shapes(model_, state_.plastic);
    flow_.make_room(model_);
    if (direction_) direction_->materials_changed({model_, setup_.inverse_a2(), same});
    if (position_solver_) position_solver_->materials_changed(same);
    objective_.materials_changed();
    convergence_.materials_changed(scene_);
  };
  std::swap(own, elements);
  try {
    tell();
  } catch (...) {
    std::swap(own, elements);
    tell();
    throw;
  }
}

/// Whoever switches the line search off wants to see what it prevents.
bool RunningScene::unfolds() const {
  return direction_ && solver_entry(scene_.solver.method).reads("recovery") &&
         scene_.solver.recovery == "arap" && scene_.solver.line_search.type != "none";
}

/// Bodies that are inside out are turned right first: see Unfolding.
void RunningScene::unfold_bodies() {
  if (!unfolds()) return;
  const bool is_right = !may_be_inverted_ && unfolding_.is_idle();
  if (!is_right && unfolding_.begin_frame(scene_, model_, state_.x)) use_unfolded();
  unfolding_.frame_began();
}

/// The stiffnesses in matrices and of contacts stay as they are.
void RunningScene::use_unfolded() {
  ElementLayout elements = lay_out_materials(scene_, model_, unfolding_.bodies());
  use_elements(elements);
  state_.acceleration.clear();  // it was that of the other material
  elastic_is_known_ = false;
}

void RunningScene::set_material(int body, MaterialSettings material) {
  MaterialSettings& own = scene_.bodies[static_cast<std::size_t>(body)].material;
  // What has flowed would be lost, or there is no place for it.
  require(own.plasticity.has_value() == material.plasticity.has_value(),
          "/bodies/" + std::to_string(body) + "/material/plasticity",
          "comes and goes with the scene alone (Simulation::change); its values may change");
  std::swap(own, material);
  try {
    check_settings(scene_);
    ElementLayout elements = lay_out_materials(scene_, model_, unfolding_.bodies());
    use_elements(elements);
  } catch (...) {
    std::swap(own, material);
    throw;
  }
  is_changed_[at(body)] = 1;
  state_.acceleration.clear();  // it was that of the other material
  std::unique_ptr<ContactEnergy> contact = make_contact(scene_, model_, numbering_, surface_);
  use_contact(contact.get());
  contact_ = std::move(contact);
  find_energy();
  elastic_is_known_ = false;
  has_multipliers_ = false;
}

void RunningScene::adjust(const std::function<void(Scene&)>& edit) {
  const Vec3 gravity = scene_.gravity;
  const SolverSettings solver = scene_.solver;
  const DampingSettings damping = scene_.damping;
  const ContactSettings settings = scene_.contact;
  std::unique_ptr<ContactEnergy> contact;
  edit(scene_);
  try {
    check_settings(scene_);
    // How much contacts bear goes by the weight.
    const bool same = gravity == scene_.gravity && settings.friction == scene_.contact.friction;
    if (contact_ && !same) contact = make_contact(scene_, model_, numbering_, surface_);
    setup_.settings_changed(scene_);
  } catch (...) {
    scene_.gravity = gravity;
    scene_.solver = solver;
    scene_.damping = damping;
    scene_.contact = settings;
    throw;
  }
  if (contact) {
    use_contact(contact.get());
    contact_ = std::move(contact);
  }
  convergence_.settings_changed(scene_);
  limit_factors();
  state_.acceleration.clear();  // it may be that of another gravity or friction
}

void RunningScene::require_inertia(const char* what) const {
  const Integrator& integrator = setup_.integrator();
  if (integrator.has_inertia) return;
  refuse("/time/integrator", integrator.name + " takes no " + what +
                                 "; expected an integrator with inertia, for example "
                                 "backward_euler with drag");
}

void RunningScene::add_forces(const std::vector<Push>& forces) {
  for (const Push& force : forces) {
    setup_.given_loads().add(force.vertex, force.amount, model_.num_vertices);
  }
}

/// Changes the velocity of a vertex as from outside: what is remembered must not take it for
/// something that the body did and does again.
void RunningScene::kick(int vertex, const Vec3& change) {
  const auto i = static_cast<std::size_t>(vertex);
  for (int k = 0; k < 3; ++k) state_.v[i][k] += change[static_cast<std::size_t>(k)];
  forget_kick(i, change, state_);
}

void RunningScene::add_impulses(const std::vector<Push>& impulses) {
  for (const auto& [vertex, impulse] : impulses) {
    const double mass = model_.mass[static_cast<std::size_t>(vertex)];
    kick(vertex, {impulse[0] / mass, impulse[1] / mass, impulse[2] / mass});
  }
}

void RunningScene::set_velocity(int body, const Vec3& velocity) {
  const auto b = static_cast<std::size_t>(body);
  for (int i = model_.body_vertices[b]; i < model_.body_vertices[b + 1]; ++i) {
    PaddedVector& v = state_.v[static_cast<std::size_t>(i)];
    if (!(model_.mass[static_cast<std::size_t>(i)] > 0)) continue;
    kick(i, {velocity[0] - v[0], velocity[1] - v[1], velocity[2] - v[2]});
    for (int k = 0; k < 3; ++k) v[k] = velocity[static_cast<std::size_t>(k)];
  }
}

SimulationState RunningScene::state() const {
  SimulationState state = save_state(numbering_.to_scene(state_));
  const ConvergenceProbe::Schedule& schedule = convergence_.schedule();
  state.unconverged = schedule.softness;
  state.next_look = schedule.next;
  state.look_interval = schedule.interval;
  if (const FollowingWeights* const weights = following_weights()) {
    FollowingWeights::Memory memory = weights->memory();
    state.weights = std::move(memory.weights);
    state.weights_spent = memory.spent;
    state.weights_worked = memory.worked;
  }
  // Of no use where the next frame has nothing to look at.
  if (may_be_inverted_ || unfolding_.has_unfolded()) state.unfolding = unfolding_.memory();
  return state;
}

void RunningScene::set_state(const SimulationState& state) {
  State loaded = numbering_.to_model(load_state(model_, state));
  require_apart(contact_.get(), loaded.x);
  Unfolding unfolding(scene_.bodies.size());
  unfolding.set_memory(state.unfolding);
  if (!unfolds()) unfolding = Unfolding(scene_.bodies.size());
  const auto before = unfolding_.bodies(), after = unfolding.bodies();
  const bool is_other = !std::equal(before.begin(), before.end(), after.begin(), after.end());
  std::swap(unfolding_, unfolding);
  try {
    if (is_other) use_unfolded();
    if (Laplacian* const matrix = direction_ ? direction_->constant_matrix() : nullptr) {
      matrix->set_memory({state.weights, state.weights_spent, state.weights_worked}, model_,
                         threads_);
    }
  } catch (...) {
    std::swap(unfolding_, unfolding);
    if (is_other) use_unfolded();
    throw;
  }
  may_be_inverted_ = true;
  state_ = std::move(loaded);
  find_layers();
  if (pairs()) pairs()->find_overlaps(state_.x[0].v);
  queries_.moved();
  elastic_is_known_ = false;
  has_multipliers_ = has_contacts_ = false;
  touching_.reset(scene_.bodies.size(), scene_.colliders.size());
  convergence_.set_schedule({state.unconverged, state.next_look, state.look_interval});
  drift_.begin();
  clock_ = clock_of(state.time, state.frame, scene_.time);
  follow(state_.time);
  use_plastic();
  clear_forces();
}

/// What has flowed in another scene of the same vertices, for the tets that there are here too.
std::vector<double> RunningScene::plastic_of(const RunningScene& other) const {
  if (state_.plastic.empty() || other.state_.plastic.empty()) return {};
  const auto corners = [](const RunningScene& scene, std::size_t tet) {
    std::array<int, 4> vertices = scene.model_.tets[tet];
    for (int& v : vertices) v = scene.numbering_.to_scene(v);
    std::sort(vertices.begin(), vertices.end());
    return vertices;
  };
  std::map<std::array<int, 4>, std::size_t> known;
  for (std::size_t t = 0; t < other.model_.tets.size(); ++t) known[corners(other, t)] = t;
  State next;
  next.plastic.resize(model_.tets.size());
  for (std::size_t t = 0; t < model_.tets.size(); ++t) {
    const auto found = known.find(corners(*this, t));
    if (model_.plasticity_of_tet[t] < 0 || found == known.end()) continue;
    next.plastic[t] = other.state_.plastic[found->second];
  }
  return save_state(next).plastic;
}

void RunningScene::take_over(const RunningScene& other) {
  SimulationState state = other.state();
  state.accelerations.clear();
  state.look_interval = 0;
  state.plastic = plastic_of(other);
  // Another scene, other weights.
  state.weights.clear();
  state.weights_spent = state.weights_worked = 0;
  // What this one does not keep up to date must not wait for one that reads it.
  if (setup_.length() != other.setup_.length() || !setup_.looks_back()) {
    state.previous_positions.clear();
    state.previous_velocities.clear();
  }
  set_state(state);
  if (!other.attachments_.empty()) use_attachments(other.attachments_);
  carry_forces(other, [](int vertex) { return vertex; });
}

/// next_vertex: of a vertex of the other scene that of this one, -1: none.
template <class NextVertex>
void RunningScene::carry_forces(const RunningScene& other, const NextVertex& next_vertex) {
  if (!setup_.integrator().has_inertia) return;
  other.setup_.given_loads().for_each([&](std::size_t i, const PaddedVector& force) {
    const int next = next_vertex(other.numbering_.to_scene(static_cast<int>(i)));
    if (next < 0) return;
    const int vertex = numbering_.to_model(next);
    if (!(model_.mass[static_cast<std::size_t>(vertex)] > 0)) return;
    setup_.given_loads().add(vertex, {force[0], force[1], force[2]}, model_.num_vertices);
  });
}

/// While layers grow from what they were at time 0, that must be known.
void RunningScene::find_layers() {
  if (start_.empty() || !BodyPairs::are_growing(state_.time)) return;
  start_apart(start_);
  start_.clear();
}

/// The state of this scene as it starts, with what a state like `before` remembers beside it.
SimulationState RunningScene::start_of_added(const SimulationState& before) const {
  State start = state_;
  if (!before.previous_positions.empty()) {
    start.x_previous = start.x;
    start.v_previous = start.v;
    setup_.free_flight(start.x, start.v, start.x_previous, start.v_previous);
  }
  // They are found where the state is.
  if (!before.accelerations.empty()) start.acceleration.resize(start.x.size());
  SimulationState saved = save_state(numbering_.to_scene(start));
  if (!before.weights.empty()) saved.weights = model_.stiffness;
  return saved;
}

void RunningScene::move_added_apart(const Survivors& survivors) {
  std::vector<char> is_added(scene_.bodies.size());
  for (std::size_t b = 0; b < is_added.size(); ++b) is_added[b] = survivors.is_added(b) ? 1 : 0;
  const VectorField before = state_.x;
  pairs()->add_apart(state_.x[0].v, is_added, state_.time);
  if (state_.x_previous.empty()) return;
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (int k = 0; k < 3; ++k) state_.x_previous[i][k] += state_.x[i][k] - before[i][k];
  }
}

void RunningScene::go_on_from(const RunningScene& before, const Survivors& survivors) {
  const SimulationState state = before.state();
  set_state(survivors.join(state, start_of_added(state)));
  if (pairs() && survivors.adds()) move_added_apart(survivors);
  require_apart(contact_.get(), state_.x);
  if (!state.accelerations.empty() && survivors.adds()) {
    const VectorField found = setup_.find_accelerations(state_, clock_, objective_);
    for (int i = 0; i < model_.num_vertices; ++i) {
      if (survivors.is_added(at(model_.body_of(i)))) state_.acceleration[at(i)] = found[at(i)];
    }
  }
  const std::vector<int>& vertices = survivors.vertices();
  carry_forces(before, [&](int vertex) { return vertices[at(vertex)]; });
  touching_.go_on_from(before.touching_, survivors.origin());
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
  energies.elastic = objective_.elastic_energy_at(state_.x);
  std::vector<Vec3> targets(model_.pins.pins.size());
  model_.pins.targets(state_.time, targets);
  VectorField gradient(state_.x.size());
  energies.pins = model_.pins.add(state_.x, targets, gradient);
  if (!model_.pressures.empty()) {
    PressureEnergy pressure(model_.pressures);
    pressure.set_time(state_.time);
    energies.pressure = pressure.evaluate(state_.x, threads_);
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
  if (!has_contacts_) return std::vector<ColliderForce>(scene_.colliders.size());
  objective_.find_contacts(z_);
  return read_collider_forces(*contact_, z_);
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
