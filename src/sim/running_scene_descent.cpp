#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "sim/running_scene.h"
#include "sim/solver_options.h"

namespace supple {

namespace {

/// A step may end above its start by this share of the energy of free flight. With no allowance, a
/// body that rests on the ground, whose start y lies below it, would do every step twice for the
/// last digits. A hundredth is less than what backward Euler damps.
constexpr double allowed_rise = 0.01;
/// How often a step is solved again because paths crossed a collider.
constexpr int most_holds = 3;
/// How many more budgets a step that gains energy gets.
constexpr int most_rounds = 2;
/// Iterations between two updates of multipliers: the least number, and the divisor of the total.
constexpr int least_of_round = 2, most_updates = 4;

StepStatus worse(StepStatus a, StepStatus b) {
  for (const StepStatus status : {StepStatus::non_finite, StepStatus::out_of_time,
                                  StepStatus::iteration_limit, StepStatus::stalled}) {
    if (a == status || b == status) return status;
  }
  return a;
}

/// Adds the result of an island to `all`, as if the islands had been minimised at once.
void join(const MinimiseReport& own, MinimiseReport& all) {
  all.status = worse(all.status, own.status);
  all.iterations = std::max(all.iterations, own.iterations);
  all.elastic += own.elastic;
  all.num_inverted += own.num_inverted;
  all.start_value += own.start_value;
  all.start_gradient_norm = std::hypot(all.start_gradient_norm, own.start_gradient_norm);
  all.expected_decrease += own.expected_decrease;
}

}  // namespace

/// Whether bodies that nothing couples are minimised separately. Then a hard body neither makes an
/// easy one more expensive nor affects its step. Integrators whose steps may gain energy repeat a
/// step as a whole.
bool RunningScene::has_islands() const {
  return scene_.bodies.size() > 1 && objective_.can_select() &&
         direction_->can_select(objective_) && setup_.integrator().keeps_energy_down;
}

/// Finds the elastic energies at x, in total and of each body.
void RunningScene::find_elastic(const VectorField& x) {
  elastic_ = objective_.elastic_energy_at(x);
  num_inverted_ = objective_.num_inverted();
  for (std::size_t body = 0; body < elastic_of_.size(); ++body) {
    elastic_of_[body] = objective_.elastic_energy_of(static_cast<int>(body));
  }
}

/// Does the same at the start of a substep. If clamps have turned since, their work includes what
/// the turn costs the damping of rods.
void RunningScene::find_elastic_at_start() {
  find_elastic(state_.x);
  const RodEnergy* const rods = objective_.rods();
  if (rods == nullptr) return;
  elastic_ += rods->damping_energy();
  for (std::size_t body = 0; body < elastic_of_.size(); ++body) {
    elastic_of_[body] += rods->damping_energy_of(static_cast<int>(body));
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
  sleep_.stays_asleep(islands_[0]);
  // Its sum over bodies has other digits.
  if (!elastic_is_known_ || elastic_of_is_known_) find_elastic_at_start();
  elastic_of_is_known_ = false;
  return descend(report, options);
}

MinimiseReport RunningScene::solve_islands(StepReport& report, const MinimiseOptions& options) {
  if (!elastic_is_known_ || !elastic_of_is_known_) find_elastic_at_start();
  for (std::size_t body = 0; body < elastic_of_.size(); ++body) {
    const int own = static_cast<int>(body);
    elastic_at_start_[body] =
        elastic_of_[body] - spring_multiplier_energy(model_, std::span(&own, 1), state_.x);
  }
  std::fill(ends_.begin(), ends_.end(), IslandEnd());
  MinimiseReport all{.status = StepStatus::converged};
  has_gradients_ = true;
  const int evaluations = objective_.num_evaluations(), iterations = report.iterations;
  int most_evaluations = 0, most_iterations = 0, vertices_left = model_.num_vertices;
  for (int i = 0; i < islands_.count(); ++i) {
    objective_.select(islands_[i]);
    if (sleep_.stays_asleep(islands_[i])) {
      algebra().copy(state_.x, z_);
      has_gradients_ = false;
      continue;
    }
    report.iterations = 0;
    objective_.set_evaluations(0);
    MinimiseOptions own_options = options;
    if (options.deadline) {
      // Each island gets its vertices' share of the time that is left.
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
    note_end(result);
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
  add_ends(all);
  objective_.find_contacts(z_);
  report.status = all.status;
  report.objective = all.value;
  report.gradient_norm = all.gradient_norm;
  report.start_gradient_norm = all.start_gradient_norm;
  report.expected_decrease = all.expected_decrease;
  return all;
}

/// Notes the elastic energies of the selected bodies at z_.
void RunningScene::note_elastic(const MinimiseReport& result) {
  if (!result.ends_at_last) objective_.elastic_energy_at(z_);
  for (const int body : objective_.selected()) {
    elastic_of_[at(body)] = objective_.elastic_energy_of(body);
  }
}

void RunningScene::note_end(const MinimiseReport& result) {
  for (const int body : objective_.selected()) ends_[at(body)] = {};
  ends_[at(objective_.selected().front())] = {result.value, result.gradient_norm};
}

void RunningScene::add_ends(MinimiseReport& all) const {
  for (const IslandEnd& own : ends_) {
    all.value += own.value;
    all.gradient_norm = std::hypot(all.gradient_norm, own.gradient_norm);
  }
}

/// Solves islands that meet on their way again together: what they do to each other couples them.
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
      if (!has_news(islands_[i]) || sleep_.stays_asleep(islands_[i])) continue;
      objective_.select(islands_[i]);
      double elastic = 0;
      for (const int body : islands_[i]) elastic += elastic_at_start_[at(body)];
      const MinimiseReport result = descend_on(elastic, report, options);
      note_elastic(result);
      note_end(result);
      join(result, again);
    }
    objective_.select_all();
    all.status = worse(all.status, again.status);
    all.expected_decrease = std::max(all.expected_decrease, again.expected_decrease);
  }
}

/// Minimises from z_ on, and again while the way meets something that was not known yet: paths that
/// cross a collider, edges and faces in one. Most of it is met early, while there is budget left.
MinimiseReport RunningScene::minimise(StepReport& report, MinimiseOptions options,
                                      Multipliers multipliers) {
  options.look_at = std::max(1, scene_.solver.iterations / 4);
  if (contact_) {
    options.changes = [this](const VectorField& z) {
      return objective_.hold_crossings(z, false).anything();
    };
  }
  if (has_multipliers() && multipliers == Multipliers::follow) {
    options.next_round = [this](const VectorField& z) { return next_multipliers(z); };
    options.iterations_of_round = std::max(least_of_round, scene_.solver.iterations / most_updates);
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

/// Sets z_ to the lower of two places that cost no elastic energy: where the bodies are, with g =
/// value_at_start, and where they would be if they had moved on rigidly.
void RunningScene::start_safely(double elastic, double value_at_start) {
  if (setup_.integrator().has_inertia) {
    const double time = setup_.integrator().stage * setup_.length();
    const auto bodies = objective_.selected();
    guard_.move_rigidly(bodies, state_.x, state_.v, scene_.gravity, time, z_);
    guard_.push(bodies, setup_.loads(), setup_.push_scale(), z_);
    const double moved = objective_.value_with(z_, elastic + objective_.inertia_energy(z_));
    if (moved < value_at_start) return;
  }
  algebra().copy(state_.x, z_);
}

/// Sets z_ to y, or, if the bodies touch something at x_n, to y without the fall of this step where
/// g is lower there: then something carries them. Returns whether it does. A user's own choice is
/// kept, and multipliers are left alone, since they are updated on the way from y.
bool RunningScene::find_start(bool touches) {
  const VectorField& y = setup_.target();
  const bool has_choice = touches && setup_.integrator().has_inertia && !has_multipliers() &&
                          scene_.solver.start == DescentStart::automatic && &setup_.start() == &y &&
                          !is_position_based(scene_.solver.method);
  if (has_choice) {
    const double a2 = 1 / objective_.inverse_a2();
    algebra().for_chunks([&](int, int first, int last) {
      for (auto i = at(first); i < at(last); ++i) {
        const double held = model_.mass[i] > 0 ? a2 : 0;
        for (std::size_t k = 0; k < 3; ++k) z_[i][k] = y[i][k] - held * scene_.gravity[k];
      }
    });
    // The elastic energies of the two places differ at pins alone, and are left out.
    const double carried = objective_.value_with(z_, objective_.inertia_energy(z_));
    if (carried < objective_.value_with(y, 0)) return true;
  }
  algebra().copy(setup_.start(), z_);
  return false;
}

/// |M (x_n - y)|/a^2 of the selected bodies, N: the norm of their weights if they rest.
double RunningScene::force_of_inertia() const {
  const VectorField& y = setup_.target();
  double sum = 0;
  for (const int body : objective_.selected()) {
    for (auto i = at(model_.body_vertices[at(body)]); i < at(model_.body_vertices[at(body) + 1]);
         ++i) {
      for (int k = 0; k < 3; ++k) {
        const double force = model_.mass[i] * (state_.x[i][k] - y[i][k]);
        sum += force * force;
      }
    }
  }
  return std::sqrt(sum) * objective_.inverse_a2();
}

/// The descent starts at y, as in the papers, nearer to x_n if something carries the bodies, or
/// where the settings say. From a bad start (a body turns inside out in free flight, an energy
/// overflows), it can run out of budget above g(x_n), and such a step would add energy. The step is
/// then done again from a place where g is no higher than that, from which every descent ends below
/// g(x_n), and the better of the two results is taken. So
///   |z - y|_M^2/(2 a^2) + E(z) <= |x_n - y|_M^2/(2 a^2) + E(x_n)
/// holds for every step, every budget and every integrator, up to `allowed_rise`: z is no worse
/// than standing still. A quasi-static step begins at x_n anyway.
MinimiseReport RunningScene::descend(StepReport& report, const MinimiseOptions& options) {
  const double elastic = elastic_of_selected();
  potential_[at(objective_.selected().front())] = objective_.potential(elastic, state_.x, state_.x);
  const double touched = contact_ ? contact_->touch().energy : 0;
  contact_balance_.at_start += touched;
  MinimiseOptions own_options = options;
  if (find_start(touched > 0)) own_options.least_start_norm = force_of_inertia();
  return descend_on(elastic - objective_.spring_multiplier_energy(state_.x), report, own_options);
}

/// Does the same from z_ on. elastic: the elastic energy at x_n without what the multipliers of
/// springs add, J.
MinimiseReport RunningScene::descend_on(double elastic, StepReport& report,
                                        const MinimiseOptions& options) {
  const double inertia = objective_.inertia_energy(state_.x);
  const double of_multipliers = objective_.multiplier_energy(state_.x);
  elastic += objective_.spring_multiplier_energy(state_.x);
  const double value_at_start = objective_.value_with(state_.x, elastic + inertia);
  MinimiseReport result = minimise(report, options);
  // Users who switch the line search off want to see what it prevents.
  if (scene_.solver.line_search.type == LineSearchType::none) return result;
  // g with the multipliers as they are now. Without inertia this is the potential of the weight,
  // which can be negative.
  const double standing =
      value_at_start + (objective_.multiplier_energy(state_.x) - of_multipliers);
  const double allowed =
      standing + allowed_rise * std::max(0.0, inertia) + 1e-12 * std::abs(standing);
  const bool finite = result.status != StepStatus::non_finite;
  if (finite && result.value <= allowed) return solve_better(result, report, options);
  ++report.repeated_substeps;
  algebra().copy(z_, first_z_);
  const MinimiseReport first = result;
  double first_value = first.value - objective_.multiplier_energy(first_z_);
  reset_multipliers(model_, objective_.selected(), start_multipliers_, state_.multipliers);
  start_safely(elastic, value_at_start);
  result = minimise(report, options);
  first_value += objective_.multiplier_energy(first_z_);
  if (finite && !(result.value <= first_value)) {
    algebra().copy(first_z_, z_);
    result = first;
    result.value = first_value;
    result.ends_at_last = false;
  }
  return solve_better(result, report, options);
}

/// With backward Euler, a solved step gains no energy where E is convex, so a step that gains much
/// is not solved yet.
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
    const MinimiseReport next = minimise(report, options, Multipliers::stay);
    if (next.status == StepStatus::non_finite) break;
    const bool no_better = next.iterations == 0 || !(next.value < result.value);
    result = next;
    if (no_better) break;
  }
  return result;
}

}  // namespace supple
