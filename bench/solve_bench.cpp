// Microseconds a solve of (M/h^2 + L) x = b with three right-hand sides, and milliseconds of the
// set-up, beside Eigen's SimplicialLLT. Prints a table of medians and writes no file:
//   build/release/bin/supple_solve_bench

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/stopwatch.h"
#include "descent/laplacian.h"
#include "linear/ordering.h"
#include "model/model.h"

namespace {

using supple::Adjacency;
using supple::SpdSolver;
using supple::Stopwatch;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Solver {
  std::string name;
  std::unique_ptr<SpdSolver> solver;
};

void measure(const std::string& name, supple::TetMesh mesh) {
  supple::Scene scene;
  supple::Body body;
  body.mesh = std::move(mesh);
  const auto [mu, lambda] = supple::lame_parameters(1e5, 0.4);
  body.material = {.model = "neo_hookean", .mu = mu, .lambda = lambda};
  scene.bodies.push_back(std::move(body));
  const supple::Model model = supple::build_model(scene);
  const Adjacency adjacency = supple::vertex_adjacency(model);
  const Stopwatch ordering;
  const std::vector<int> order = supple::fill_reducing_order(adjacency);
  const double order_ms = ordering.milliseconds();
  const SpdSolver::Matrix lower = supple::laplacian_lower(model, 900, order);
  supple::Threads threads(1);
  std::vector<Solver> solvers;
  solvers.push_back({"Eigen", supple::make_eigen_cholesky()});
  solvers.push_back({"doubles", supple::make_supernodal_cholesky(supple::Precision::full)});
  solvers.push_back({"floats", supple::make_supernodal_cholesky(supple::Precision::mixed)});
  std::vector<double> b(4 * static_cast<std::size_t>(model.num_vertices)), x(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i % 17) - 8;
  double first = 0;
  for (Solver& entry : solvers) {
    std::vector<double> set_up, solve;
    for (int k = 0; k < 3; ++k) {
      const Stopwatch watch;
      entry.solver->analyse(lower);
      if (!entry.solver->factor(lower, threads)) return;
      set_up.push_back(watch.milliseconds());
    }
    const int repeats = static_cast<int>(
        std::clamp(3e8 / static_cast<double>(entry.solver->factor_entries()), 5.0, 300.0));
    for (int k = 0; k < repeats; ++k) {
      const Stopwatch watch;
      entry.solver->solve4(b.data(), x.data(), threads);
      solve.push_back(1000 * watch.milliseconds());
    }
    if (first == 0) first = median(solve);
    fmt::print("{:<12}{:>9}{:>9}{:>10.1f}{:>10}{:>12}{:>10.1f}{:>10.1f}{:>8.1f}x\n", name,
               model.tets.size(), model.num_vertices, order_ms, entry.name,
               entry.solver->factor_entries(), median(set_up), median(solve),
               first / median(solve));
  }
}

}  // namespace

int main() {
  fmt::print("{:<12}{:>9}{:>9}{:>10}{:>10}{:>12}{:>10}{:>10}{:>9}\n", "body", "tets", "vertices",
             "order ms", "solver", "entries", "factor ms", "solve us", "ratio");
  measure("bar", supple::generate(supple::BoxGenerator{
                     .size = {4, 1, 1}, .cells = {34, 7, 7}, .tets_per_cell = 6}));
  measure("ball", supple::generate(supple::SphereGenerator{.radius = 1, .cells = 17}));
  measure("long bar", supple::generate(supple::BoxGenerator{
                          .size = {8, 1, 1}, .cells = {48, 6, 6}, .tets_per_cell = 6}));
  measure("cube", supple::generate(supple::BoxGenerator{
                      .size = {1, 1, 1}, .cells = {24, 24, 24}, .tets_per_cell = 6}));
  return 0;
}
