// Microseconds per solve of (M/h^2 + L) x = b with three right-hand sides, and milliseconds of the
// set-up, beside Eigen's SimplicialLLT, on one thread and on two, and how fast the panels are read.
// Prints a table of medians and writes no file. `large` instead measures bodies whose factor does
// not fit in the caches, with a factor in floats and with multigrid in turn (entries, MB and GB/s
// of multigrid are those of the coarsest grid's factor alone):
//   build/release/bin/supple_solve_bench [large]

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "descent/laplacian.h"
#include "elements/vertex_adjacency.h"
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
  int bytes;  ///< per entry
  std::unique_ptr<SpdSolver> solver;
  std::vector<double> set_up = {}, one_thread = {}, two_threads = {};
};

supple::Model model_of(supple::TetMesh mesh) {
  supple::Scene scene;
  supple::Body body;
  body.mesh = std::move(mesh);
  const auto [mu, lambda] = supple::lame_parameters(1e5, 0.4);
  body.material = {.model = "neo_hookean", .mu = mu, .lambda = lambda};
  scene.bodies.push_back(std::move(body));
  return supple::build_model(scene);
}

void measure(const std::string& name, supple::TetMesh mesh, std::vector<Solver> solvers) {
  const supple::Model model = model_of(std::move(mesh));
  const Adjacency adjacency = supple::vertex_adjacency(model);
  const Stopwatch ordering;
  const std::vector<int> order = supple::fill_reducing_order(adjacency);
  const double order_ms = ordering.milliseconds();
  const SpdSolver::Matrix lower = supple::laplacian_lower(model, 900, order);
  supple::Threads one(1), two(2);
  std::vector<double> b(4 * static_cast<std::size_t>(model.num_vertices)), x(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i % 17) - 8;
  for (Solver& entry : solvers) {
    for (int k = 0; k < 3; ++k) {
      const Stopwatch watch;
      entry.solver->analyse(lower);
      if (!entry.solver->factor(lower, one)) return;
      entry.set_up.push_back(watch.milliseconds());
    }
  }
  const auto most = static_cast<double>(solvers.front().solver->factor_entries());
  const int turns = static_cast<int>(std::clamp(3e8 / most, 25.0, 300.0));
  for (int turn = 0; turn < turns; ++turn) {
    for (Solver& entry : solvers) {
      for (auto [threads, times] :
           {std::pair{&one, &entry.one_thread}, std::pair{&two, &entry.two_threads}}) {
        // The second solve finds in the caches what the first one left there, as in a descent.
        for (int k = 0; k < 2; ++k) {
          const Stopwatch watch;
          entry.solver->solve4(b.data(), x.data(), *threads);
          if (k == 1) times->push_back(1000 * watch.milliseconds());
        }
      }
    }
  }
  for (const Solver& entry : solvers) {
    const double us = median(entry.one_thread), us_of_two = median(entry.two_threads);
    const auto entries = static_cast<double>(entry.solver->factor_entries());
    const auto rate = [&](double time) { return 2e-3 * entries * entry.bytes / time; };
    fmt::print(
        "{:<12}{:>9}{:>9}{:>10.1f}{:>10}{:>12.0f}{:>8.1f}{:>11.1f}{:>10.1f}{:>7.1f}x{:>7.1f}"
        "{:>10.1f}{:>7.1f}\n",
        name, model.tets.size(), model.num_vertices, order_ms, entry.name, entries,
        1e-6 * entries * entry.bytes, median(entry.set_up), us,
        median(solvers.front().one_thread) / us, rate(us), us_of_two, rate(us_of_two));
  }
}

std::vector<Solver> solvers(bool is_large) {
  std::vector<Solver> list;
  if (!is_large) {
    // 12 bytes: a double and an index for each entry.
    list.push_back({"Eigen", 12, supple::make_eigen_cholesky()});
    list.push_back({"doubles", 8, supple::make_supernodal_cholesky(supple::Precision::full)});
  }
  list.push_back({"floats", 4, supple::make_supernodal_cholesky(supple::Precision::single)});
  if (is_large)
    list.push_back(
        {"multigrid", 4, supple::make_supernodal_cholesky(supple::Precision::multigrid)});
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_large = argc > 1 && std::string(argv[1]) == "large";
  fmt::print("{:<12}{:>9}{:>9}{:>10}{:>10}{:>12}{:>8}{:>11}{:>10}{:>8}{:>7}{:>10}{:>7}\n", "body",
             "tets", "vertices", "order ms", "solver", "entries", "MB", "factor ms", "1 thread",
             "ratio", "GB/s", "2 threads", "GB/s");
  if (is_large) {
    for (const int cells : {20, 22, 24, 26, 28, 32}) {
      measure("ball", supple::generate(supple::SphereGenerator{.radius = 1, .cells = cells}),
              solvers(true));
    }
    return 0;
  }
  measure("bar",
          supple::generate(
              supple::BoxGenerator{.size = {4, 1, 1}, .cells = {34, 7, 7}, .tets_per_cell = 6}),
          solvers(false));
  measure("ball", supple::generate(supple::SphereGenerator{.radius = 1, .cells = 17}),
          solvers(false));
  measure("long bar",
          supple::generate(
              supple::BoxGenerator{.size = {8, 1, 1}, .cells = {48, 6, 6}, .tets_per_cell = 6}),
          solvers(false));
  measure("cube",
          supple::generate(
              supple::BoxGenerator{.size = {1, 1, 1}, .cells = {24, 24, 24}, .tets_per_cell = 6}),
          solvers(false));
  return 0;
}
