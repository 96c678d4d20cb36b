#include "sim/stepper.h"

#include <stdexcept>

#include "descent/chebyshev.h"
#include "descent/contact_matrix.h"
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
                                       double inverse_a2, const Earlier<Laplacian>& earlier) {
  const std::string& name = settings.initial_hessian;
  if (name == "identity") return std::make_unique<ScaledIdentity>(model, inverse_a2);
  if (name == "rest") return std::make_unique<RestHessian>(model, settings, inverse_a2);
  if (name == "warped_rest") return std::make_unique<WarpedRest>(model, inverse_a2);
  if (name == "frame") return std::make_unique<FrameHessian>(model, settings, inverse_a2);
  if (settings.linear_solver != "direct") {
    return std::make_unique<LaplacianCg>(model, settings, inverse_a2);
  }
  return std::make_unique<ContactMatrix>(
      model, inverse_a2, settings.weights == "following" ? Weights::following : Weights::constant,
      earlier);
}

/// A method with the acceleration that /solver/acceleration names.
std::unique_ptr<Direction> accelerated(const Model& model, const SolverSettings& settings,
                                       std::unique_ptr<Direction> method) {
  if (!is_accelerated(settings)) return method;
  return std::make_unique<Chebyshev>(model, std::move(method), plain_iterations(settings));
}

}  // namespace

std::unique_ptr<Direction> make_direction(const Model& model, const SolverSettings& settings,
                                          double inverse_a2, const Earlier<Laplacian>& earlier) {
  const std::string& method = solver_entry(settings.method).description.name;
  if (method == "l_bfgs") {
    return std::make_unique<LBfgs>(model, make_matrix(model, settings, inverse_a2, earlier),
                                   settings.history);
  }
  if (method == "quasi_newton") return make_matrix(model, settings, inverse_a2, earlier);
  if (method == "projective_dynamics") {
    return std::make_unique<ProjectiveDynamics>(model, inverse_a2);
  }
  if (method == "newton") return std::make_unique<Newton>(model, settings, inverse_a2);
  if (method == "gradient_descent") return std::make_unique<GradientDescent>(model, inverse_a2);
  if (method == "jacobi") {
    return accelerated(model, settings,
                       std::make_unique<Jacobi>(model, settings.refresh, inverse_a2));
  }
  if (method == "gauss_seidel") {
    return accelerated(model, settings,
                       std::make_unique<GaussSeidel>(model, settings.refresh, inverse_a2));
  }
  if (method == "vertex_block_descent") {
    return accelerated(model, settings, std::make_unique<VertexBlockDescent>(model, inverse_a2));
  }
  if (method == "chebyshev") {
    return std::make_unique<Chebyshev>(
        model,
        std::make_unique<Laplacian>(model, inverse_a2, Precision::mixed, Weights::constant,
                                    earlier),
        plain_iterations(settings));
  }
  throw std::logic_error(method + " is listed, but make_direction does not know it");
}

std::unique_ptr<PositionSolver> make_position_solver(const Model& model, ContactEnergy* contact,
                                                     const SolverSettings& settings) {
  const std::string& method = solver_entry(settings.method).description.name;
  if (method == "xpbd") return make_xpbd(model, contact, settings);
  if (method == "pbd") return make_pbd(model, contact, settings);
  if (method == "step_and_project") return make_step_and_project(model, contact, settings);
  throw std::logic_error(method + " is listed, but is no position-based method that is made here");
}

}  // namespace supple
