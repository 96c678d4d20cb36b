#include "studies/performance/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/stopwatch.h"
#include "studies/performance/yardstick.h"
#include "studies/reproduce/descent.h"
#include "supple/error.h"
#include "supple/simulation.h"

namespace supple::bench {

namespace {

using reproduce::median;

/// Above this many elements, the yardstick takes only every fifth frame, and L-BFGS alone computes
/// the converged answer: Newton's method would take minutes.
constexpr int some_elements = 12'000;
/// Above this many elements, only one converged answer is computed.
constexpr int many_elements = 50'000;

/// A simulation on a number of threads, with what its frames took.
struct Runner {
  Simulation simulation;
  std::vector<double> frame, local, solve, contact, rest, evaluations;

  Runner(const Scene& scene, int threads) : simulation(scene, {.threads = threads}) {}

  void step(bool counted) {
    const Stopwatch watch;
    const StepReport report = simulation.step();
    simulation.check_step();
    const double milliseconds = watch.milliseconds();
    if (report.status == StepStatus::non_finite) {
      throw Error(ErrorKind::non_finite, simulation.scene().name,
                  fmt::format("frame {} became non-finite", simulation.frame() + 1));
    }
    if (!counted) return;
    frame.push_back(milliseconds);
    local.push_back(report.local_milliseconds);
    solve.push_back(report.solve_milliseconds);
    contact.push_back(report.contact_milliseconds);
    rest.push_back(milliseconds - local.back() - solve.back() - contact.back());
    evaluations.push_back(report.evaluations);
  }

  Timing timing() const {
    Timing timing;
    timing.threads = simulation.num_threads();
    timing.frame = median(frame);
    timing.slowest = percentile(frame, 0.99);
    timing.local = median(local);
    timing.solve = median(solve);
    timing.contact = median(contact);
    timing.rest = median(rest);
    return timing;
  }
};

double diagonal(const Scene& scene) {
  const Box box = bounding_box(scene.bodies.front().mesh.vertices);
  return std::hypot(box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]);
}

double largest_distance(const Simulation& simulation, const Yardstick& plain) {
  std::vector<double> x(3 * static_cast<std::size_t>(simulation.num_vertices()));
  simulation.copy_positions(x);
  double largest = 0;
  for (Eigen::Index i = 0; i < plain.positions().rows(); ++i) {
    const double* const at = &x[3 * static_cast<std::size_t>(i)];
    const Eigen::RowVector3d ours(at[0], at[1], at[2]);
    largest = std::max(largest, (ours - plain.positions().row(i)).norm());
  }
  return largest;
}

/// True if the state before frame k of `frames`, counted from 0, is to be solved to convergence.
bool looked_at(int k, int frames, bool once) {
  if (once || frames < 4) return k == frames / 2;
  return k == frames / 4 || k == frames / 2 || k == 3 * frames / 4;
}

/// Runs the frames in turn. Returns the states that are to be solved to convergence.
std::vector<SimulationState> time_frames(SceneResult& result, std::vector<Runner>& runners,
                                         Yardstick& plain) {
  std::vector<double> plain_ms, plain_evaluations;
  std::vector<std::vector<double>> ratios(runners.size());
  std::vector<SimulationState> states;
  const int every = result.elements > some_elements ? 5 : 1;
  const int turns = static_cast<int>(runners.size()) + 1;
  for (int k = -1; k < result.frames; ++k) {
    const bool both = k >= 0 && k % every == 0;
    const bool kept = k >= 0 && looked_at(k, result.frames, result.elements > many_elements);
    if (both || kept) {
      const SimulationState state = runners.front().simulation.state();
      if (both) plain.set_state(state);
      if (kept) states.push_back(state);
    }
    for (int turn = 0; turn < turns; ++turn) {
      const int who = (turn + k + 1) % turns;
      if (who > 0) {
        runners[static_cast<std::size_t>(who - 1)].step(k >= 0);
      } else if (both) {
        const Stopwatch watch;
        plain.step();
        plain_ms.push_back(watch.milliseconds());
        plain_evaluations.push_back(plain.evaluations());
      }
    }
    if (!both) continue;
    result.distance = std::max(result.distance, largest_distance(runners.back().simulation, plain));
    for (std::size_t i = 0; i < runners.size(); ++i) {
      ratios[i].push_back(plain_ms.back() / runners[i].frame.back());
    }
  }
  result.yardstick = median(plain_ms);
  result.yardstick_evaluations = median(plain_evaluations);
  result.yardstick_frames = static_cast<int>(plain_ms.size());
  for (std::size_t i = 0; i < runners.size(); ++i) {
    result.timings.push_back(runners[i].timing());
    result.timings.back().ratio = median(ratios[i]);
  }
  return states;
}

reproduce::Problem problem_of(const Scene& scene, const SimulationState& state, int elements,
                              int threads) {
  if (elements <= some_elements)
    return reproduce::make_problem_by_descent(scene.name, scene, state, threads);
  constexpr int far = 2000;
  return {scene.name, "", scene, state,
          reproduce::descend_far(scene, state, "l_bfgs:history=20", far, threads)};
}

void measure_errors(SceneResult& result, const Scene& scene,
                    const std::vector<SimulationState>& states, const Measuring& how) {
  std::vector<double> relative, position;
  std::vector<std::vector<double>> coarse(result.timings.size()), fine(coarse);
  for (std::size_t s = 0; s < states.size(); ++s) {
    if (how.working) how.working(fmt::format("converged answer {} of {}", s + 1, states.size()));
    const reproduce::Problem problem = problem_of(scene, states[s], result.elements, how.threads);
    result.unconverged += problem.reference.converged ? 0 : 1;
    for (std::size_t i = 0; i < result.timings.size(); ++i) {
      const reproduce::Descent descent = reproduce::run_trial(
          problem, {"", "l_bfgs:history=5", trial_iterations}, 3, 300, result.timings[i].threads);
      if (!descent.ran()) throw Error(ErrorKind::non_finite, scene.name, descent.error);
      coarse[i].push_back(reproduce::milliseconds_to(descent, 1e-3));
      fine[i].push_back(reproduce::milliseconds_to(descent, 1e-6));
      if (i > 0) continue;
      const auto& points = descent.curve.points;
      const auto tenth = std::min(points.size() - 1, std::size_t{10});
      relative.push_back(reproduce::error_after(descent, 10));
      position.push_back(points[tenth].position_error);
    }
  }
  result.relative_error = median(relative);
  result.position_error = median(position);
  for (std::size_t i = 0; i < result.timings.size(); ++i) {
    result.timings[i].to_coarse = median(coarse[i]);
    result.timings[i].to_fine = median(fine[i]);
  }
}

}  // namespace

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  return values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

double setup_milliseconds(const Scene& scene, int threads, int repeats) {
  constexpr double enough = 600;
  std::vector<double> times;
  double spent = 0;
  while (static_cast<int>(times.size()) < repeats && spent < enough) {
    const Stopwatch watch;
    const Simulation simulation(scene, {.threads = threads});
    times.push_back(watch.milliseconds());
    spent += times.back();
  }
  return median(times);
}

SceneResult measure(const Entry& entry, const reproduce::Context& context, reproduce::Origin origin,
                    const Measuring& how) {
  const auto say = [&](const std::string& what) {
    if (how.working) how.working(what);
  };
  say("scene");
  Scene scene = entry.make(context, origin);
  scene.name = entry.name;
  const Body& body = scene.bodies.front();
  SceneResult result;
  result.name = entry.name;
  result.mesh = origin == reproduce::Origin::published ? "published" : "generated";
  result.material = entry.material;
  if (!context.quick()) result.paper = entry.paper;
  result.vertices = static_cast<int>(body.mesh.vertices.size());
  result.elements = static_cast<int>(body.mesh.tets.size() + body.springs.size());
  result.frames = how.frames.value_or(context.pick(entry.frames, 5));
  say("set-up");
  result.memory = memory_of([&] {
    const auto simulation = std::make_shared<Simulation>(scene, SimulationOptions{.threads = 1});
    simulation->step();
    simulation->check_step();
    return simulation;
  });
  std::vector<int> counts{1};
  if (how.threads > 1) counts.push_back(how.threads);
  std::vector<double> setup;
  for (const int threads : counts) setup.push_back(setup_milliseconds(scene, threads, 3));
  std::vector<SimulationState> states;
  {
    std::vector<Runner> runners;
    runners.reserve(counts.size());
    for (const int threads : counts) runners.emplace_back(scene, threads);
    const Stopwatch watch;
    Yardstick plain(scene);
    result.yardstick_setup = watch.milliseconds();
    say("frames");
    states = time_frames(result, runners, plain);

    result.evaluations = median(runners.front().evaluations);
    result.distance /= diagonal(scene);
  }
  for (std::size_t i = 0; i < setup.size(); ++i) result.timings[i].setup = setup[i];
  measure_errors(result, scene, states, how);
  return result;
}

}  // namespace supple::bench
