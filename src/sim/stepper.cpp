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
#include "descent/sheet_normals.h"
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
  const InitialHessian hessian = settings.initial_hessian;
  if (hessian == InitialHessian::identity)
    return std::make_unique<ScaledIdentity>(model, inverse_a2);
  if (hessian == InitialHessian::rest)
    return std::make_unique<RestHessian>(model, settings, inverse_a2);
  if (hessian == InitialHessian::warped_rest)
    return std::make_unique<WarpedRest>(model, inverse_a2);
  if (hessian == InitialHessian::frame)
    return std::make_unique<FrameHessian>(model, settings, inverse_a2);
  if (settings.linear_solver != LinearSolver::direct) {
    return std::make_unique<LaplacianCg>(model, settings, inverse_a2);
  }
  auto matrix = std::make_unique<ContactMatrix>(model, inverse_a2, settings.weights, earlier);
  if (settings.weights == LaplacianWeights::constant || !SheetNormals::is_for(model)) return matrix;
  return std::make_unique<SheetNormals>(model, inverse_a2, std::move(matrix));
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
  switch (settings.method) {
    case SolverMethod::l_bfgs:
      return std::make_unique<LBfgs>(model, make_matrix(model, settings, inverse_a2, earlier),
                                     settings.history);
    case SolverMethod::quasi_newton:
      return make_matrix(model, settings, inverse_a2, earlier);
    case SolverMethod::projective_dynamics:
      return std::make_unique<ProjectiveDynamics>(model, inverse_a2);
    case SolverMethod::newton:
      return std::make_unique<Newton>(model, settings, inverse_a2);
    case SolverMethod::gradient_descent:
      return std::make_unique<GradientDescent>(model, inverse_a2);
    case SolverMethod::jacobi:
      return accelerated(model, settings,
                         std::make_unique<Jacobi>(model, settings.refresh, inverse_a2));
    case SolverMethod::gauss_seidel:
      return accelerated(model, settings,
                         std::make_unique<GaussSeidel>(model, settings.refresh, inverse_a2));
    case SolverMethod::vertex_block_descent:
      return accelerated(model, settings, std::make_unique<VertexBlockDescent>(model, inverse_a2));
    case SolverMethod::chebyshev:
      return std::make_unique<Chebyshev>(
          model,
          std::make_unique<Laplacian>(model, inverse_a2, Precision::mixed, Weights::constant,
                                      earlier),
          plain_iterations(settings));
    case SolverMethod::xpbd:
    case SolverMethod::pbd:
    case SolverMethod::step_and_project:
      break;
  }
  throw std::logic_error(std::string(to_string(settings.method)) + " is no descent method");
}

std::unique_ptr<PositionSolver> make_position_solver(const Model& model, ContactEnergy* contact,
                                                     const SolverSettings& settings) {
  switch (settings.method) {
    case SolverMethod::xpbd:
      return make_xpbd(model, contact, settings);
    case SolverMethod::pbd:
      return make_pbd(model, contact, settings);
    case SolverMethod::step_and_project:
      return make_step_and_project(model, contact, settings);
    default:
      throw std::logic_error(std::string(to_string(settings.method)) +
                             " is no position-based method");
  }
}

}  // namespace supple
