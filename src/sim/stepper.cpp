#include "sim/stepper.h"

#include "descent/chebyshev.h"
#include "descent/frame_hessian.h"
#include "descent/gauss_seidel.h"
#include "descent/gradient_descent.h"
#include "descent/jacobi.h"
#include "descent/l_bfgs.h"
#include "descent/laplacian.h"
#include "descent/laplacian_cg.h"
#include "descent/newton.h"
#include "descent/projective_dynamics.h"
#include "descent/rest_hessian.h"
#include "descent/scaled_identity.h"
#include "descent/vertex_block_descent.h"
#include "descent/warped_rest.h"
#include "position/pbd.h"
#include "position/step_and_project.h"
#include "position/xpbd.h"

namespace supple {

namespace {

/// A matrix to put before the gradient, as /solver/initial_hessian names it.
std::unique_ptr<Direction> make_matrix(const Model& model, const SolverSettings& settings,
                                       double inverse_a2) {
  const std::string& name = settings.initial_hessian;
  if (name == "identity") return std::make_unique<ScaledIdentity>(model, inverse_a2);
  if (name == "rest") return std::make_unique<RestHessian>(model, settings, inverse_a2);
  if (name == "warped_rest") return std::make_unique<WarpedRest>(model, inverse_a2);
  if (name == "frame") return std::make_unique<FrameHessian>(model, settings, inverse_a2);
  if (settings.linear_solver != "direct") {
    return std::make_unique<LaplacianCg>(model, settings, inverse_a2);
  }
  return std::make_unique<Laplacian>(model, inverse_a2);
}

/// A method with the acceleration that /solver/acceleration names.
std::unique_ptr<Direction> accelerated(const Model& model, const SolverSettings& settings,
                                       std::unique_ptr<Direction> method) {
  if (settings.acceleration == "none") return method;
  return std::make_unique<Chebyshev>(model, std::move(method), settings.delay);
}

}  // namespace

const std::vector<SolverEntry>& solver_entries() {
  static const std::vector<SolverEntry> entries = {
      {{"l_bfgs",
        "L-BFGS around a matrix [Liu et al. 2017]: iterations, history, initial_hessian "
        "(laplacian, "
        "identity, rest, warped_rest, frame), linear_solver (direct, cg), linear_iterations, "
        "preconditioner"},
       {"line_search", "history", "initial_hessian", "linear_solver", "linear_iterations",
        "preconditioner"},
       [](const Model& model, const SolverSettings& settings,
          double inverse_a2) -> std::unique_ptr<Direction> {
         return std::make_unique<LBfgs>(model, make_matrix(model, settings, inverse_a2),
                                        settings.history);
       }},
      {{"quasi_newton",
        "that matrix alone, by default the constant M/h^2 + L, prefactored [Liu et al. 2017]: "
        "iterations, initial_hessian, linear_solver, linear_iterations, preconditioner"},
       {"line_search", "initial_hessian", "linear_solver", "linear_iterations", "preconditioner"},
       make_matrix},
      {{"projective_dynamics",
        "local/global steps with the constant matrix [Bouaziz et al. 2014]; arap, strain_limit, "
        "volume, fibers and springs: iterations"},
       {},
       [](const Model& model, const SolverSettings&,
          double inverse_a2) -> std::unique_ptr<Direction> {
         return std::make_unique<ProjectiveDynamics>(model, inverse_a2);
       }},
      {{"newton",
        "Newton's method: iterations, definiteness (clamp, absolute, tikhonov, none), "
        "linear_solver (direct, cg, truncated_cg), linear_iterations, preconditioner"},
       {"line_search", "definiteness", "linear_solver", "linear_iterations", "preconditioner"},
       [](const Model& model, const SolverSettings& settings,
          double inverse_a2) -> std::unique_ptr<Direction> {
         return std::make_unique<Newton>(model, settings, inverse_a2);
       }},
      {{"gradient_descent", "the gradient with an adaptive scale: iterations"},
       {"line_search"},
       [](const Model& model, const SolverSettings&,
          double inverse_a2) -> std::unique_ptr<Direction> {
         return std::make_unique<GradientDescent>(model, inverse_a2);
       }},
      {{"jacobi",
        "the Hessian's diagonal [Wang & Yang 2016]: iterations, refresh, acceleration (none, "
        "chebyshev), delay"},
       {"line_search", "refresh", "acceleration", "delay"},
       [](const Model& model, const SolverSettings& settings,
          double inverse_a2) -> std::unique_ptr<Direction> {
         return accelerated(model, settings,
                            std::make_unique<Jacobi>(model, settings.refresh, inverse_a2));
       }},
      {{"gauss_seidel",
        "block sweeps of the Hessian over coloured vertices [Fratarcangeli et al. 2016]: "
        "iterations, refresh, acceleration (none, chebyshev), delay"},
       {"line_search", "refresh", "acceleration", "delay"},
       [](const Model& model, const SolverSettings& settings,
          double inverse_a2) -> std::unique_ptr<Direction> {
         return accelerated(model, settings,
                            std::make_unique<GaussSeidel>(model, settings.refresh, inverse_a2));
       }},
      {{"vertex_block_descent",
        "a Newton step of each vertex, colour after colour [Chen et al. 2024]: iterations, "
        "acceleration (none, chebyshev), delay"},
       {"acceleration", "delay"},
       [](const Model& model, const SolverSettings& settings,
          double inverse_a2) -> std::unique_ptr<Direction> {
         return accelerated(model, settings,
                            std::make_unique<VertexBlockDescent>(model, inverse_a2));
       }},
      {{"chebyshev",
        "the Chebyshev semi-iterative method around M/h^2 + L [Wang 2015; Liu et al. 2017]: "
        "iterations, delay"},
       {"line_search", "delay"},
       [](const Model& model, const SolverSettings& settings,
          double inverse_a2) -> std::unique_ptr<Direction> {
         return std::make_unique<Chebyshev>(model, std::make_unique<Laplacian>(model, inverse_a2),
                                            settings.delay);
       }},
      {{"xpbd",
        "compliant constraints one after the other [Macklin & Mueller 2021], Poisson's ratio up to "
        "0.5: iterations, projection (stress, sequential, block), multipliers (zero, kept), order "
        "(parts, colours, cells, natural), precision (double, float)"},
       {"projection", "multipliers", "order", "precision"},
       nullptr,
       make_xpbd},
      {{"pbd",
        "lengths and volumes kept, whatever the material [Mueller et al. 2007]: iterations, "
        "stiffness, volume_stiffness"},
       {"stiffness", "volume_stiffness"},
       nullptr,
       make_pbd},
      {{"step_and_project",
        "all constraints at once by a sparse factorisation [Goldenthal et al. 2007]: iterations"},
       {},
       nullptr,
       make_step_and_project},
  };
  return entries;
}

std::unique_ptr<Direction> make_direction(const Model& model, const SolverSettings& settings,
                                          double inverse_a2) {
  return solver_entry(settings.method).make(model, settings, inverse_a2);
}

std::unique_ptr<PositionSolver> make_position_solver(const Model& model, ContactEnergy* contact,
                                                     const SolverSettings& settings) {
  return solver_entry(settings.method).make_position(model, contact, settings);
}

}  // namespace supple
