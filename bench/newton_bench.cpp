// One Newton iteration stage by stage, on one and two threads: the element Hessians, their sum in
// the matrix, its factorisation, the solve and the line search; then the whole iteration with what
// replaces factor and solve for matrices of this size. Bodies: a twisting bar (60 degrees at each
// end) and a stretched ring of the size of the papers' hippo. Then whole steps of bars of several
// sizes: the time from the first point until the gradient has fallen to given parts. Prints medians
// in milliseconds and writes no file:
//   build/release/bin/supple_newton_bench [repeats, 60] [tets of the largest bar, 200000]

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "descent/hessian.h"
#include "descent/laplacian.h"
#include "descent/line_search.h"
#include "descent/minimise.h"
#include "descent/newton.h"
#include "elements/vertex_adjacency.h"
#include "linear/ordering.h"
#include "model/model.h"
#include "supple/simulation.h"

namespace {

using supple::NegativeEigenvalues;
using supple::Scene;
using supple::Stopwatch;
using supple::VectorField;

constexpr double h = 1.0 / 30;  // s

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A bar whose ends are turned by 60 degrees each, in opposite senses, after 30 frames.
Scene bar(const std::string& material, int cells = 7) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  supple::Body body;
  body.mesh = supple::generate(supple::BoxGenerator{
      .size = {4, 1, 1}, .cells = {34 * cells / 7, cells, cells}, .tets_per_cell = 6});
  const auto [mu, lambda] = supple::lame_parameters(1e5, 0.4);
  body.material = {.model = material, .mu = mu, .lambda = lambda};
  for (const double side : {-1.0, 1.0}) {
    supple::Pin pin;
    pin.box = {{2 * side - 0.01, -1, -1}, {2 * side + 0.01, 1, 1}};
    pin.stiffness = 1e6;
    pin.motion.rotate = supple::Rotation{{1, 0, 0}, {0, 0, 0}, side * 60};
    body.pins.push_back(pin);
  }
  scene.bodies.push_back(std::move(body));
  return scene;
}

/// A ring, free and stretched at the start.
Scene ring(const std::string& material) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  supple::Body body;
  body.mesh = supple::generate(
      supple::TorusGenerator{.major = 0.6, .minor = 0.25, .segments = 29, .cells = 7});
  body.mass = 10;
  body.material = {.model = material, .mu = 20, .lambda = 100};
  body.initial = supple::Stretch{{1.5, 0.7, 1}};
  scene.bodies.push_back(std::move(body));
  return scene;
}

/// Positions after some frames, and where they would go without forces: Newton's method starts
/// there.
struct Start {
  VectorField x, y;
};
Start moving(Scene scene, int frames) {
  const bool is_large = scene.bodies[0].mesh.tets.size() > 20000;
  scene.solver.method = is_large ? supple::SolverMethod::l_bfgs : supple::SolverMethod::newton;
  scene.solver.iterations = is_large ? 20 : 3;
  supple::Simulation simulation(scene, {.threads = 1});
  Start start;
  const auto n = static_cast<std::size_t>(simulation.num_vertices());
  std::vector<double> positions(3 * n);
  start.x.resize(n);
  start.y.resize(n);
  for (int k = 0; k <= frames; ++k) {
    simulation.step();
    if (k == frames - 1 || k == frames) simulation.copy_positions(positions);
    for (std::size_t i = 0; k >= frames - 1 && i < n; ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        // x_n + (x_n - x_n-1)
        const double before = start.x[i].v[c];
        start.x[i].v[c] = positions[3 * i + c];
        start.y[i].v[c] = 2 * start.x[i].v[c] - before;
      }
    }
  }
  return start;
}

/// Poses the step that follows frame `frames` + 1.
void pose(supple::Objective& objective, const Start& start, int frames) {
  objective.begin_step({.y = start.y,
                        .inverse_a2 = 1 / (h * h),
                        .x_start = start.x,
                        .time = (frames + 2) * h,
                        .h = h});
}

void measure(const std::string& name, const Scene& scene, int frames, int threads_count,
             int repeats) {
  const supple::Model model = supple::build_model(scene);
  const Start start = moving(scene, frames);
  supple::Threads threads(threads_count);
  supple::Objective objective(model, nullptr, threads);
  pose(objective, start, frames);
  const supple::Adjacency adjacency = supple::vertex_adjacency(model);
  const std::vector<int> order = supple::fill_reducing_order(adjacency);
  supple::HessianAssembly hessian(model, order, adjacency);
  const auto solver = supple::make_supernodal_cholesky(supple::Precision::refined);
  solver->analyse(hessian.lower());
  const std::size_t n = order.size();
  std::vector<double> right_side(3 * n);
  VectorField gradient(n), p(n), trial(n), trial_gradient(n);
  const double value = objective.value_and_gradient(start.y, gradient);
  const supple::Iterate at{start.y, gradient, value};
  supple::Newton newton(model, supple::SolverSettings{}, 1 / (h * h));
  std::vector<double> elements, sums, factor, solve, search, total, iteration;
  for (int k = 0; k < repeats; ++k) {
    const Stopwatch all;
    hessian.assemble(objective, start.y, NegativeEigenvalues::clamp);
    elements.push_back(hessian.last_milliseconds().elements);
    sums.push_back(hessian.last_milliseconds().sums);
    const Stopwatch watch_factor;
    if (!solver->factor(hessian.lower(), threads)) {
      fmt::print("{}: the matrix is not positive definite\n", name);
      return;
    }
    factor.push_back(watch_factor.milliseconds());
    const Stopwatch watch_solve;
    for (std::size_t i = 0; i < n; ++i) {
      const auto& from = gradient[static_cast<std::size_t>(order[i])];
      for (int c = 0; c < 3; ++c) right_side[3 * i + static_cast<std::size_t>(c)] = from[c];
    }
    solver->solve(right_side.data(), right_side.data(), threads);
    for (std::size_t i = 0; i < n; ++i) {
      auto& to = p[static_cast<std::size_t>(order[i])];
      for (int c = 0; c < 3; ++c) to[c] = -right_side[3 * i + static_cast<std::size_t>(c)];
    }
    solve.push_back(watch_solve.milliseconds());
    const Stopwatch watch_search;
    supple::search_line({objective, at, p, trial, trial_gradient}, {},
                        supple::LineSearchSettings{});
    search.push_back(watch_search.milliseconds());
    total.push_back(all.milliseconds());
    const Stopwatch watch_iteration;
    newton.begin_step(objective);
    newton.compute(objective, at, p);
    supple::search_line({objective, at, p, trial, trial_gradient}, {},
                        supple::LineSearchSettings{});
    iteration.push_back(watch_iteration.milliseconds());
  }
  fmt::print("{:<18}{:>8}{:>9}{:>10.2f}{:>7.2f}{:>9.2f}{:>8.2f}{:>8.2f}{:>9.2f}{:>11.2f}\n", name,
             model.num_tets, threads_count, median(elements), median(sums), median(factor),
             median(solve), median(search), median(total), median(iteration));
}

/// Newton's iterations of one step, starting where the body would go without forces.
void measure_step(const std::string& name, const Scene& scene, int frames, int repeats) {
  const supple::Model model = supple::build_model(scene);
  const Start start = moving(scene, frames);
  for (const int threads_count : {1, 2}) {
    supple::Threads threads(threads_count);
    supple::Objective objective(model, nullptr, threads);
    pose(objective, start, frames);
    supple::SolverSettings settings;
    settings.iterations = 6;
    supple::Newton newton(model, settings, 1 / (h * h));
    supple::Minimiser minimiser(model.num_vertices);
    constexpr int num_parts = 3;
    constexpr double parts[num_parts] = {1e-2, 1e-4, 1e-6};
    std::vector<double> until[num_parts], iteration;
    for (int k = 0; k < repeats; ++k) {
      VectorField z = start.y;
      int reached = 0;
      double first = 0;
      const Stopwatch watch;
      const auto visit = [&](int i, const supple::Iterate&, double gradient) {
        if (i == 0) first = gradient;
        for (; reached < num_parts && gradient <= parts[reached] * first; ++reached) {
          until[reached].push_back(watch.milliseconds());
        }
      };
      newton.begin_step(objective);
      const supple::MinimiseReport report =
          minimiser.run(objective, newton, settings, z, {.visit = visit});
      iteration.push_back(watch.milliseconds() / std::max(1, report.iterations));
    }
    fmt::print("{:<18}{:>8}{:>9}{:>11.1f}", name, model.num_tets, threads_count, median(iteration));
    for (const std::vector<double>& times : until) {
      fmt::print("{:>10}", times.empty() ? "-" : fmt::format("{:.1f}", median(times)));
    }
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 60;
  fmt::print("{:<18}{:>8}{:>9}{:>10}{:>7}{:>9}{:>8}{:>8}{:>9}{:>11}\n", "body", "tets", "threads",
             "elements", "sums", "factor", "solve", "search", "total", "two grids");
  for (const int threads : {1, 2}) {
    measure("bar neo_hookean", bar("neo_hookean"), 30, threads, repeats);
    measure("bar corotated", bar("corotated"), 30, threads, repeats);
    measure("ring corotated", ring("corotated"), 2, threads, repeats);
  }
  const int most_tets = argc > 2 ? std::max(1, std::atoi(argv[2])) : 200000;
  fmt::print("\n{:<18}{:>8}{:>9}{:>11}{:>10}{:>10}{:>10}\n", "step of", "tets", "threads",
             "iteration", "to 1e-2", "1e-4", "1e-6");
  for (const int cells : {7, 10, 12, 15, 19}) {
    if (34 * cells / 7 * cells * cells * 6 > most_tets) break;
    measure_step("bar neo_hookean", bar("neo_hookean", cells), 30,
                 cells > 7 ? 1 + repeats / 20 : repeats);
  }
  return 0;
}
