#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "session/command_list.h"
#include "session/session_state.h"
#include "sim/stepper.h"
#include "supple/compare.h"
#include "supple/error.h"

namespace supple {

namespace {

/// A step that Newton's method has not solved within these iterations is shown as it is, so that
/// nothing hangs.
constexpr int most_newton_iterations = 100;
constexpr double newton_tolerance = 1e-10;        // relative to the gradient at the start
constexpr double longest_converged_frame = 5000;  // ms
constexpr int least_lanes = 2, most_lanes = 4;
constexpr std::size_t most_solvers = 8;  // of a convergence plot
/// Limit of iterations times vertices times solvers of a convergence plot: about a minute.
constexpr double most_work = 1e8;

SolverSettings newton_settings() {
  SolverSettings settings;
  settings.method = SolverMethod::newton;
  settings.iterations = most_newton_iterations;
  settings.tolerance = newton_tolerance;
  settings.budget_ms = longest_converged_frame;
  return settings;
}

std::unique_ptr<Simulation> with_solver(Scene scene, const SolverSettings& solver, int threads) {
  scene.solver = solver;
  return std::make_unique<Simulation>(scene, SimulationOptions{.threads = threads});
}

Scene scene_now(SessionState& s) { return composed(s, *s.asked, s.simulation->time()); }

void refuse_explicit(const SessionState& s, const std::string& where) {
  const TimeIntegrator integrator = s.asked->scene().time.integrator;
  if (!is_explicit(integrator)) return;
  throw Error(ErrorKind::invalid_input, where,
              std::string(to_string(integrator)) +
                  " solves nothing: there is no converged answer to compare with");
}

/// Gives the other simulation the pins, the pulls of hands and the colliders of the scene that is
/// shown.
void follow(const SessionState& s, Simulation& other) {
  const double end = s.simulation->time() + s.running->scene().time.step;
  const Setup& setup = *s.asked;
  for (std::size_t b = 0; b < setup.scene().bodies.size(); ++b) {
    other.set_pins(static_cast<int>(b), pins_of_body(s, setup, b, end));
  }
  if (!setup.scene().colliders.empty()) other.set_colliders(colliders_over_step(s, end));
}

std::vector<double> positions_of(const Simulation& simulation) {
  std::vector<double> x(3 * static_cast<std::size_t>(simulation.num_vertices()));
  simulation.copy_positions(x);
  return x;
}

double squared_distance(const std::vector<double>& a, const std::vector<double>& b,
                        std::size_t vertex) {
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double d = a[3 * vertex + k] - b[3 * vertex + k];
    sum += d * d;
  }
  return sum;
}

/// Starts all lanes from a state.
void set_off(Race& race, const SimulationState& state) {
  race.converged->set_state(state);
  for (Race::Lane& lane : race.lanes) lane.simulation->set_state(state);
}

void race_a_frame(SessionState& s) {
  Race& race = *s.race;
  follow(s, *race.converged);
  bool separated = race.converged->step().separated > 0;
  const std::vector<double> goal = positions_of(*race.converged);
  const std::size_t count = goal.size() / 3;
  for (Race::Lane& lane : race.lanes) {
    follow(s, *lane.simulation);
    lane.report = lane.simulation->step();
    lane.simulation->check_step();
    separated = separated || lane.report.separated > 0;
    if (separated) break;
    const std::vector<double> x = positions_of(*lane.simulation);
    double sum = 0;
    for (std::size_t v = 0; v < count; ++v) sum += squared_distance(x, goal, v);
    lane.error =
        std::sqrt(sum / static_cast<double>(count)) / std::max(s.topology.diagonal, 1e-300);
  }
  if (separated) end_race_apart(s);
}

ordered_json curve_json(const ConvergenceCurve& curve) {
  ordered_json points = ordered_json::array();
  for (const ConvergencePoint& p : curve.points) {
    points.push_back({{"iteration", p.iteration},
                      {"milliseconds", p.milliseconds},
                      {"objective", number_or_null(p.objective)},
                      {"gradient_norm", number_or_null(p.gradient_norm)},
                      {"relative_error", number_or_null(p.relative_error)},
                      {"position_error", number_or_null(p.position_error)}});
  }
  return {{"label", curve.label},
          {"status", to_string(curve.status)},
          {"build_milliseconds", curve.build_milliseconds},
          {"points", points}};
}

/// Reads a list of solvers with options.
std::vector<LabelledSolver> read_solvers(Command& command, std::size_t least, std::size_t most) {
  const ordered_json list = take_raw(command, "solvers");
  const std::string where = command.name + ": /solvers";
  if (!list.is_array() || list.size() < least || list.size() > most) {
    throw Error(ErrorKind::invalid_input, where,
                fmt::format("expected a list of {} to {} solvers", least, most));
  }
  std::vector<LabelledSolver> solvers;
  for (const ordered_json& spec : list) {
    if (!spec.is_string() || spec.get<std::string>().size() > 1000) {
      throw Error(ErrorKind::invalid_input, where, "expected texts such as l_bfgs:history=5");
    }
    solvers.push_back(parse_solver(spec.get<std::string>()));
  }
  return solvers;
}

}  // namespace

void end_race_apart(SessionState& s) {
  if (!s.race) return;
  s.race.reset();
  s.out.note({}, "info", "the race has ended: something has come apart");
}

void check_colour(const SessionState& s, const std::string& colour) {
  if (colour != "error") return;
  refuse_explicit(s, "show: /colour");
  if (const auto fault = find_material_fault(s.asked->scene(), SolverMethod::newton)) {
    throw Error(ErrorKind::invalid_input, "show: /colour",
                "there is no converged answer by energies: " + fault->message);
  }
}

std::vector<float> error_colours(const SessionState& s) {
  const auto count = static_cast<std::size_t>(s.simulation->num_vertices());
  return s.distances.size() == count ? s.distances : std::vector<float>(count, 0);
}

void before_step(SessionState& s) {
  if (s.race && s.race->reading != s.asked->reading) {
    s.race.reset();
    s.out.note({}, "info", "the race has ended: the scene is another one");
  }
  if (s.show.colour != "error") {
    s.converged.reset();
    return;
  }
  if (s.converged == nullptr || s.converged_reading != s.running->reading) {
    try {
      check_colour(s, "error");
      s.converged = with_solver(scene_now(s), newton_settings(), s.options.threads);
      s.converged_reading = s.running->reading;
    } catch (const Error& error) {
      s.show.colour = "none";
      s.converged.reset();
      s.out.note({}, "warning", error.what());
      return;
    }
  }
  s.converged->set_state(s.simulation->state());
  follow(s, *s.converged);
}

void after_step(SessionState& s) {
  if (s.converged != nullptr) {
    s.converged->step();
    const std::vector<double> x = positions_of(*s.simulation), goal = positions_of(*s.converged);
    s.distances.resize(x.size() / 3);
    for (std::size_t v = 0; v < s.distances.size(); ++v) {
      s.distances[v] = static_cast<float>(std::sqrt(squared_distance(x, goal, v)));
    }
  }
  if (s.race) race_a_frame(s);
  record_frame(s);
}

void after_jump(SessionState& s) {
  s.colliders_before = s.asked->edit.colliders;
  s.stepped.reset();
  s.force_scale = {};
  s.distances.clear();
  s.converged.reset();
  if (!s.race) return;
  if (s.race->reading != s.asked->reading) {
    s.race.reset();
    return;
  }
  set_off(*s.race, s.simulation->state());
}

Work begin_convergence(SessionState& s, Command& command, ObjectReader& keys) {
  const std::vector<LabelledSolver> solvers = read_solvers(command, 1, most_solvers);
  const auto iterations = static_cast<int>(keys.whole("iterations", 1, 1000, 50));
  keys.finish();
  const double work = static_cast<double>(iterations) * s.simulation->num_vertices() *
                      static_cast<double>(solvers.size());
  if (work > most_work) {
    keys.fail("iterations",
              fmt::format("{} iterations of {} solvers on {} vertices are too many; "
                          "expected a product of at most {:.0e}",
                          iterations, solvers.size(), s.simulation->num_vertices(), most_work));
  }
  const Scene scene = composed(s, *s.asked, s.simulation->time() + s.asked->scene().time.step);
  return [scene, state = s.simulation->state(), solvers, iterations,
          threads = s.options.threads]() -> Finish {
    const Comparison comparison =
        compare_solvers(scene, state, solvers, {.iterations = iterations, .threads = threads});
    Answer answer;
    const ConvergedStep& reference = comparison.reference;
    answer.content["reference"] = {{"objective", number_or_null(reference.objective)},
                                   {"start_objective", number_or_null(reference.start_objective)},
                                   {"gradient_norm", number_or_null(reference.gradient_norm)},
                                   {"iterations", reference.iterations},
                                   {"converged", reference.converged}};
    ordered_json& curves = answer.content["curves"] = ordered_json::array();
    for (const ConvergenceCurve& curve : comparison.curves) curves.push_back(curve_json(curve));
    return [answer](SessionState&) { return answer; };
  };
}

Work begin_race(SessionState& s, Command& command, ObjectReader& keys) {
  const std::vector<LabelledSolver> solvers = read_solvers(command, least_lanes, most_lanes);
  const Range range{.low = 0, .high = 1000, .high_included = true, .unit = "ms"};
  const double budget = keys.number("budget_ms", range);
  keys.finish();
  refuse_explicit(s, "race");
  return [scene = scene_now(s), reading = s.asked->reading, solvers, budget,
          threads = s.options.threads]() -> Finish {
    const auto race = std::make_shared<Race>();
    race->reading = reading;
    race->converged = with_solver(scene, newton_settings(), threads);
    for (const LabelledSolver& solver : solvers) {
      SolverSettings settings = solver.settings;
      settings.budget_ms = budget;
      settings.iterations = 100'000;  // the time decides
      race->lanes.push_back({solver.label, with_solver(scene, settings, threads), {}, 0});
    }
    return [race](SessionState& session) {
      session.race = std::move(*race);
      set_off(*session.race, session.simulation->state());
      session.frame_is_new = true;
      return Answer();
    };
  };
}

Answer do_end_race(SessionState& s, Command&, ObjectReader& keys) {
  keys.finish();
  s.race.reset();
  s.frame_is_new = true;
  return {};
}

}  // namespace supple
