// Thesis Figure 7.4 and Table 7.1: the rest Hessian of a body that has turned.

#include <fmt/format.h>

#include <cmath>

#include "studies/reproduce/convergence.h"
#include "studies/reproduce/csv.h"
#include "studies/reproduce/liu2017/experiments.h"
#include "studies/reproduce/motion_record.h"
#include "studies/reproduce/plots.h"
#include "studies/reproduce/scenes.h"
#include "studies/reproduce/spectrum.h"
#include "supple/error.h"

namespace supple::reproduce::liu2017 {

namespace {

constexpr double stretch = 1.2;
const std::string ours = "M/h^2 + L", rest = "rest Hessian";

/// The cube stretched along x about its centre and released. In the second configuration it is also
/// turned by 90 degrees about z, while its rest shape is not.
SimulationState released(const Scene& scene, bool turned) {
  SimulationState state;
  state.positions = rest_positions(scene);
  state.velocities.assign(state.positions.size(), 0);
  for (std::size_t i = 0; i < state.positions.size(); i += 3) {
    double &x = state.positions[i], &y = state.positions[i + 1];
    x *= stretch;
    if (turned) {
      const double before = x;
      x = -y;
      y = before;
    }
  }
  return state;
}

std::string setting(const Scene& scene) {
  return fmt::format(
      "A Neo-Hookean cube of {} tets (mu = 20 Pa, lambda = 100 Pa), released at rest from a state "
      "that is stretched by {} along x: as it is (configuration 1) and turned by 90 degrees "
      "(configuration 2), the rest shape staying where it is.",
      scene.bodies.front().mesh.tets.size(), stretch);
}

std::string configuration(bool turned) { return turned ? "config 2" : "config 1"; }

/// Largest factor between the errors of two curves at one iteration.
double largest_factor(const Descent& a, const Descent& b, int iterations) {
  if (!a.ran() || !b.ran()) return std::nan("");
  double factor = 1;
  for (int k = 0; k <= iterations; ++k) {
    const double one = error_after(a, k), two = error_after(b, k);
    // Close to rounding, two curves of the same descent differ.
    if (std::min(one, two) < 1e-10) break;
    factor = std::max(factor, std::max(one / two, two / one));
  }
  return factor;
}

}  // namespace

void thesis_figure_7_4(Context& context, Finding& finding) {
  const Scene scene = cube(context);
  finding.scene = setting(scene) + " L-BFGS (m = 5) around either matrix.";
  finding.claims = {
      {"In configuration 1 the rest Hessian converges faster than M/h^2 + L.",
       {"iterations to a relative error of 1e-8, rest Hessian over M/h^2 + L", Relation::below, 1},
       {}},
      {"In configuration 2 the rest Hessian is slower.",
       {"iterations to a relative error of 1e-8, rest Hessian over M/h^2 + L", Relation::above, 1},
       {}},
      {"M/h^2 + L converges alike in both.",
       {"largest factor between the two curves, down to 1e-10", Relation::at_most, 1.01},
       {}}};
  std::vector<Descent> all;
  for (const bool turned : {false, true}) {
    const Problem problem = make_problem(configuration(turned), scene, released(scene, turned),
                                         context.settings().threads);
    std::vector<Descent> descents = context.descend(
        problem,
        {{ours, "l_bfgs:history=5", 40}, {rest, "l_bfgs:history=5,initial_hessian=rest", 40}});
    const Curves curves(descents);
    const Measured measured = curves.iterations_ratio(rest, ours, 1e-8);
    finding.claims[turned ? 1 : 0].measure(configuration(turned), measured.value, measured.text);
    for (const std::string& line : failures(problem.subject, descents)) {
      finding.notes.push_back(line);
    }
    if (finding.data.empty()) finding.data.push_back({"convergence.csv", ""});
    append_csv(finding.data.front().content, problem.subject, descents);
    for (Descent& descent : descents) {
      descent.label += ", " + configuration(turned);
      all.push_back(descent);
    }
  }
  const double factor = largest_factor(all[0], all[2], 40);
  finding.claims[2].measure("both", factor, fmt::format("factor {:.6f}", factor));
  finding.figures.push_back(iterations_plot("the cube", all, 40));
}

void thesis_table_7_1(Context& context, Finding& finding) {
  const Scene scene = cube(context);
  finding.scene = setting(scene) +
                  " The condition number is that of the eigenvalues of A^-1 H, H being the exact "
                  "Hessian of g at the beginning of the frame, and A^-1 what the program applies.";
  finding.claims = {
      {"In configuration 1 the rest Hessian gives the smaller condition number (2.45 to 9.94).",
       {"condition number, rest Hessian over M/h^2 + L", Relation::below, 1},
       {}},
      {"In configuration 2 it gives the larger one (45.5 to 9.94).",
       {"condition number, rest Hessian over M/h^2 + L", Relation::above, 1},
       {}},
      {"That of M/h^2 + L is the same in both.",
       {"condition number of configuration 2 over that of configuration 1, distance from 1",
        Relation::at_most, 1e-3},
       {}}};
  Table table{.caption = "Condition numbers of A^-1 H",
              .columns = {"A", "config 1", "config 2", "thesis, 1", "thesis, 2"},
              .rows = {}};
  double numbers[2][2];
  const std::string solvers[2] = {"quasi_newton", "quasi_newton:initial_hessian=rest"};
  for (int method = 0; method < 2; ++method) {
    for (const bool turned : {false, true}) {
      context.working((method == 0 ? ours : rest) + ", " + configuration(turned));
      double& number = numbers[method][turned ? 1 : 0];
      try {
        number =
            spectrum(scene, released(scene, turned).positions, solvers[method]).condition_number();
      } catch (const Error& error) {
        number = std::nan("");
        finding.notes.push_back(solvers[method] + ": could not be run: " + error.what());
      }
    }
  }
  for (int i = 0; i < 2; ++i) {
    const Measured measured = ratio(rest, numbers[1][i], ours, numbers[0][i]);
    finding.claims[static_cast<std::size_t>(i)].measure(configuration(i == 1), measured.value,
                                                        measured.text);
  }
  const double change = std::abs(numbers[0][1] / numbers[0][0] - 1);
  finding.claims[2].measure("both", change,
                            fmt::format("{:.6g} and {:.6g}", numbers[0][0], numbers[0][1]));
  table.rows = {{rest, number(numbers[1][0]), number(numbers[1][1]), "2.45", "45.5"},
                {ours, number(numbers[0][0]), number(numbers[0][1]), "9.94", "9.94"}};
  finding.data.push_back({"condition_numbers.csv", csv_text(table)});
  finding.tables.push_back(table);
  finding.notes.push_back(
      "The thesis does not give the cube's size, mass, stiffness or stretch: the order of the "
      "numbers is compared, not their values.");
}

}  // namespace supple::reproduce::liu2017
