#include "studies/reproduce/papers.h"

#include <algorithm>

#include "base/names.h"
#include "studies/reproduce/liu2017/experiments.h"
#include "studies/reproduce/macklin2021/experiments.h"
#include "supple/error.h"

namespace supple::reproduce {

namespace {

Paper liu2017_paper() {
  using namespace liu2017;
  return {"liu2017",
          "T. Liu, S. Bouaziz, L. Kavan: Quasi-Newton Methods for Real-Time Simulation of "
          "Hyperelastic Materials, ACM Transactions on Graphics 36 (2017), with the figures of T. "
          "Liu's thesis on the same methods",
          {{"table_1", "Table 1: ten iterations of L-BFGS and one of Newton's method", table_1},
           {"figure_2", "Figure 2: without a line search", figure_2},
           {"figure_6", "Figure 6: history, Chebyshev acceleration and Newton's method", figure_6},
           {"figure_7", "Figure 7: initial Hessians of L-BFGS", figure_7},
           {"figure_8", "Figure 8: a rapidly shaken bar (our side of it)", figure_8},
           {"figure_9", "Figure 9: strain limits in Projective Dynamics", figure_9},
           {"figure_10", "Figure 10: wrinkles of mass-springs with and without L-BFGS", figure_10},
           {"figure_11", "Figure 11: direct solvers and conjugate gradients", figure_11},
           {"figure_12", "Figure 12 and thesis Figure 7.5: length of the history", figure_12},
           {"figure_13", "Figure 13 and thesis Figure 7.6: interval of the stiffness", figure_13},
           {"figure_14", "Figure 14: a randomised body", figure_14},
           {"thesis_figure_5_1", "Thesis Figure 5.1: mass-springs and Newton's method",
            thesis_figure_5_1},
           {"thesis_figure_5_3", "Thesis Figure 5.3: stiffness and resolution of mass-springs",
            thesis_figure_5_3},
           {"thesis_figure_7_4", "Thesis Figure 7.4: the rest Hessian of a turned cube",
            thesis_figure_7_4},
           {"thesis_table_7_1", "Thesis Table 7.1: condition numbers, 0 and 90 degrees",
            thesis_table_7_1},
           {"thesis_figure_7_8", "Thesis Figure 7.8: preconditioned conjugate gradients",
            thesis_figure_7_8}},
          true};
}

Paper macklin2021_paper() {
  using namespace macklin2021;
  return {"macklin2021",
          "M. Macklin, M. Mueller: A Constraint-based Formulation of Stable Neo-Hookean Materials, "
          "Motion, Interaction and Games (2021)",
          {{"figure_2", "Figure 2: boxes hung from bars", figure_2},
           {"table_1", "Table 1 and Figure 4: the stretch test", table_1},
           {"figure_5", "Figure 5: cube twist", figure_5},
           {"figure_6", "Figure 6: the crazy cube, scrambled", figure_6},
           {"figure_7", "Figure 7: the crazy cube, compressed and stretched", figure_7},
           {"figure_8", "Figure 8: bodies unfold from a plane", figure_8}},
          false};
}

}  // namespace

const std::vector<Paper>& papers() {
  static const std::vector<Paper> list = {liu2017_paper(), macklin2021_paper()};
  return list;
}

const Paper& find_paper(const std::string& name) {
  std::vector<std::string> known;
  for (const Paper& paper : papers()) {
    if (paper.name == name) return paper;
    known.push_back(paper.name);
  }
  throw Error(ErrorKind::invalid_input, "reproduce", unknown_name("paper", name, known));
}

Paper select(const Paper& paper, const std::vector<std::string>& ids) {
  if (ids.empty()) return paper;
  std::vector<std::string> known;
  for (const Experiment& experiment : paper.experiments) known.push_back(experiment.id);
  for (const std::string& id : ids) {
    if (std::find(known.begin(), known.end(), id) == known.end()) {
      throw Error(ErrorKind::invalid_input, "--only", unknown_name("experiment", id, known));
    }
  }
  Paper some{paper.name, paper.citation, {}, paper.published_meshes};
  for (const Experiment& experiment : paper.experiments) {
    if (std::find(ids.begin(), ids.end(), experiment.id) != ids.end()) {
      some.experiments.push_back(experiment);
    }
  }
  return some;
}

}  // namespace supple::reproduce
