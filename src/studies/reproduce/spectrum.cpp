#include "studies/reproduce/spectrum.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <memory>

#include "descent/objective.h"
#include "model/model.h"
#include "sim/stepper.h"
#include "supple/error.h"
#include "supple/io.h"

namespace supple::reproduce {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr Index max_coordinates = 3000;

double& coordinate(VectorField& field, Index i) {
  return field[static_cast<std::size_t>(i / 3)][static_cast<int>(i % 3)];
}

void copy_column(VectorField& field, MatrixXd& matrix, Index column) {
  for (Index i = 0; i < matrix.rows(); ++i) matrix(i, column) = coordinate(field, i);
}

/// The Hessian by central differences. The errors are the gradient's rounding over the step and the
/// step squared, both near 1e-10 of a body's stiffness for a step of a millionth of its size.
MatrixXd hessian(Objective& objective, VectorField& x, double size) {
  const auto n = static_cast<Index>(3 * x.size());
  const double d = 1e-6 * size;
  MatrixXd H(n, n);
  VectorField plus(x.size()), minus(x.size());
  for (Index j = 0; j < n; ++j) {
    const double there = coordinate(x, j);
    coordinate(x, j) = there + d;
    objective.value_and_gradient(x, plus);
    coordinate(x, j) = there - d;
    objective.value_and_gradient(x, minus);
    coordinate(x, j) = there;
    for (Index i = 0; i < n; ++i) H(i, j) = (coordinate(plus, i) - coordinate(minus, i)) / (2 * d);
  }
  return 0.5 * (H + H.transpose());
}

MatrixXd inverse_matrix(Objective& objective, Direction& direction, const VectorField& x) {
  const auto n = static_cast<Index>(3 * x.size());
  MatrixXd B(n, n);
  VectorField gradient(x.size()), p(x.size());
  direction.begin_step(objective);
  for (Index j = 0; j < n; ++j) {
    coordinate(gradient, j) = -1;
    if (!direction.compute(objective, {x, gradient, 0}, p)) {
      throw Error(ErrorKind::invalid_input, "spectrum", "the method gives no direction");
    }
    coordinate(gradient, j) = 0;
    copy_column(p, B, j);
  }
  return 0.5 * (B + B.transpose());
}

}  // namespace

double Spectrum::condition_number() const { return largest / smallest; }

Spectrum spectrum(const Scene& scene, const std::vector<double>& positions,
                  const std::string& solver) {
  const Model model = build_model(scene);
  const auto count = static_cast<std::size_t>(model.num_vertices);
  if (positions.size() != 3 * count || static_cast<Index>(3 * count) > max_coordinates) {
    throw Error(ErrorKind::invalid_input, "spectrum",
                "expected the positions of a body of at most 1000 vertices");
  }
  const double h = scene.time.step / scene.time.substeps;
  const double inverse_a2 = 1 / (h * h);
  Threads threads(1);
  Objective objective(model, nullptr, threads);
  VectorField x(count);
  pad(positions, x);
  const VectorField start = x;
  objective.begin_step({.y = start, .inverse_a2 = inverse_a2, .x_start = start, .time = h, .h = h});
  const std::unique_ptr<Direction> direction =
      make_direction(model, parse_solver(solver).settings, inverse_a2);
  const MatrixXd H = hessian(objective, x, model.diagonal_length);
  VectorField gradient(count);
  objective.value_and_gradient(x, gradient);
  const MatrixXd B = inverse_matrix(objective, *direction, x);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(
      H, B, Eigen::EigenvaluesOnly | Eigen::BAx_lx);
  if (eigen.info() != Eigen::Success) {
    throw Error(ErrorKind::invalid_input, "spectrum", "the eigenvalues could not be found");
  }
  const Eigen::VectorXd sizes = eigen.eigenvalues().cwiseAbs();
  return {sizes.minCoeff(), sizes.maxCoeff()};
}

}  // namespace supple::reproduce
