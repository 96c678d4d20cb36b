// Does a frame end in time? Runs the twisting bar of about 10,000 tets with a budget of
// milliseconds and unlimited iterations: how long the frames took, how many iterations they had,
// and the relative error that was left. Prints a table and writes no file:
//   build/release/bin/supple_budget_bench [frames]

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "studies/performance/scenes.h"
#include "supple/compare.h"

namespace {

using supple::Simulation;

double share(std::vector<double> values, double at) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(at * static_cast<double>(values.size() - 1))];
}

void measure(supple::Scene scene, double budget, int frames) {
  scene.solver.iterations = 1000000;
  scene.solver.budget_ms = budget;
  Simulation simulation(scene, {.threads = 1});
  std::vector<double> times, iterations, gradients;
  int out_of_time = 0;
  for (int k = 0; k < frames; ++k) {
    const supple::StepReport report = simulation.step();
    times.push_back(report.total_milliseconds);
    iterations.push_back(report.iterations);
    gradients.push_back(report.gradient_norm / report.start_gradient_norm);
    if (report.status == supple::StepStatus::out_of_time) ++out_of_time;
  }
  fmt::print("{:<14}{:>8.1f}{:>10.2f}{:>10.2f}{:>10.2f}{:>12.0f}{:>14}{:>12.1e}\n",
             supple::to_string(scene.solver.method), budget, share(times, 0.5), share(times, 0.99),
             share(times, 1), share(iterations, 0.5), fmt::format("{} of {}", out_of_time, frames),
             share(gradients, 0.5));
}

}  // namespace

int main(int argc, char** argv) {
  const int frames = argc > 1 ? std::max(1, std::atoi(argv[1])) : 60;
  fmt::print("{:<14}{:>8}{:>10}{:>10}{:>10}{:>12}{:>14}{:>12}\n", "solver", "budget", "median ms",
             "99 %", "worst", "iterations", "out of time", "|grad g|");
  for (const char* method : {"l_bfgs", "quasi_newton", "newton"}) {
    for (const double budget : {2.0, 4.0, 8.0, 16.0}) {
      supple::Scene scene = supple::bench::turned_bar("neo_hookean");
      scene.solver.method = supple::from_string<supple::SolverMethod>(method);
      measure(scene, budget, frames);
    }
  }
  return 0;
}
