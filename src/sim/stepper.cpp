#include "sim/stepper.h"

#include <cmath>

#include "base/names.h"
#include "descent/gradient_descent.h"
#include "descent/l_bfgs.h"
#include "descent/laplacian.h"
#include "descent/newton.h"
#include "supple/error.h"

namespace supple {

namespace {

void require(bool condition, const std::string& where, const std::string& message) {
  if (!condition) throw Error(ErrorKind::invalid_input, where, message);
}

void require_known(const std::string& name, const std::vector<std::string>& known,
                   const std::string& what, const std::string& where) {
  for (const std::string& candidate : known) {
    if (candidate == name) return;
  }
  throw Error(ErrorKind::invalid_input, where, unknown_name(what, name, known));
}

std::vector<std::string> names_of(const std::vector<Description>& list) {
  std::vector<std::string> names;
  names.reserve(list.size());
  for (const Description& entry : list) names.push_back(entry.name);
  return names;
}

}  // namespace

const std::vector<SolverEntry>& solver_entries() {
  static const std::vector<SolverEntry> entries = {
      {{"l_bfgs",
        "L-BFGS around a constant, prefactored matrix [Liu et al. 2017]: iterations, history, "
        "initial_hessian (laplacian)"},
       true,
       true,
       [](const Model& model, const SolverSettings& settings,
          double inverse_a2) -> std::unique_ptr<Direction> {
         return std::make_unique<LBfgs>(model, std::make_unique<Laplacian>(model, inverse_a2),
                                        settings.history);
       }},
      {{"quasi_newton", "the constant matrix M/h^2 + L, prefactored [Liu et al. 2017]: iterations"},
       false,
       false,
       [](const Model& model, const SolverSettings&,
          double inverse_a2) -> std::unique_ptr<Direction> {
         return std::make_unique<Laplacian>(model, inverse_a2);
       }},
      {{"newton", "Newton's method, each element's Hessian projected, sparse Cholesky: iterations"},
       false,
       false,
       [](const Model& model, const SolverSettings&, double) -> std::unique_ptr<Direction> {
         return std::make_unique<Newton>(model);
       }},
      {{"gradient_descent", "the gradient with an adaptive scale: iterations"},
       false,
       false,
       [](const Model& model, const SolverSettings&,
          double inverse_a2) -> std::unique_ptr<Direction> {
         return std::make_unique<GradientDescent>(model, inverse_a2);
       }},
  };
  return entries;
}

std::unique_ptr<Direction> make_direction(const Model& model, const SolverSettings& settings,
                                          double inverse_a2) {
  for (const SolverEntry& entry : solver_entries()) {
    if (entry.description.name == settings.method) {
      return entry.make(model, settings, inverse_a2);
    }
  }
  throw Error(ErrorKind::invalid_input, "/solver/method",
              unknown_name("solver", settings.method, names_of(list_solvers())));
}

void check_settings(const Scene& scene) {
  const TimeSettings& time = scene.time;
  require(std::isfinite(time.step) && time.step > 0, "/time/step",
          "expected a positive time step in s");
  require(time.substeps >= 1 && time.substeps <= 100000, "/time/substeps",
          "expected a number from 1 to 100000");
  require(time.frames >= 0, "/time/frames", "expected a number of at least 0");
  require_known(time.integrator, names_of(list_integrators()), "integrator", "/time/integrator");
  for (double g : scene.gravity) {
    require(std::isfinite(g), "/gravity", "expected finite numbers in m/s^2");
  }
  require(std::isfinite(scene.damping.drag) && scene.damping.drag >= 0, "/damping/drag",
          "expected a drag of at least 0 in 1/s");
  const SolverSettings& solver = scene.solver;
  require_known(solver.method, names_of(list_solvers()), "solver", "/solver/method");
  require(solver.iterations >= 1 && solver.iterations <= 1000000, "/solver/iterations",
          "expected a number from 1 to 1000000");
  require(solver.history >= 0 && solver.history <= 1000, "/solver/history",
          "expected a number from 0 to 1000");
  require_known(solver.initial_hessian, {"laplacian"}, "initial Hessian",
                "/solver/initial_hessian");
  require(solver.tolerance >= 0 && solver.tolerance < 1, "/solver/tolerance",
          "expected a number from 0 to below 1");
  const LineSearchSettings& search = solver.line_search;
  require_known(search.type, {"backtracking"}, "line search", "/solver/line_search/type");
  require(search.sufficient_decrease > 0 && search.sufficient_decrease < 0.5,
          "/solver/line_search/sufficient_decrease", "expected a number between 0 and 0.5");
  require(search.shrink > 0 && search.shrink < 1, "/solver/line_search/shrink",
          "expected a number between 0 and 1");
}

}  // namespace supple
