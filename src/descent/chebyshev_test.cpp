#include "descent/chebyshev.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <memory>

#include "descent/gauss_seidel.h"
#include "descent/jacobi.h"
#include "descent/laplacian.h"
#include "descent/minimise.h"
#include "descent/newton.h"
#include "descent/test_problem.h"
#include "descent/vertex_block_descent.h"

namespace supple {
namespace {

using test::h;

TEST(ChebyshevWeights, MakeTheIterationTheChebyshevPolynomial) {
  // One unknown with G = mu: the error after p steps is T_p(mu/rho)/T_p(1/rho).
  const double rho = 0.9;
  for (const double mu : {-0.7, 0.1, 0.85, 0.95}) {
    ChebyshevWeights weights;
    double before = 0, error = 1;
    double t_before = 1, t = mu / rho;  // T_0, T_1
    for (int p = 1; p <= 30; ++p) {
      const double omega = weights.next(rho);
      const double next = omega * (mu * error - before) + before;
      before = error;
      error = next;
      EXPECT_EQ(weights.steps(), p);
      EXPECT_NEAR(error * ChebyshevWeights::polynomial(p, 1 / rho), t, 1e-10 * std::abs(t) + 1e-9);
      const double t_next = 2 * mu / rho * t - t_before;
      t_before = t;
      t = t_next;
    }
  }
}

TEST(ChebyshevWeights, TendToTheirLimit) {
  ChebyshevWeights weights;
  EXPECT_EQ(weights.next(0.99), 1);
  EXPECT_EQ(weights.next(0.99), 2 / (2 - 0.99 * 0.99));
  double omega = 0;
  for (int i = 0; i < 200; ++i) omega = weights.next(0.99);
  // The fixed point of omega = 4/(4 - rho^2 omega).
  EXPECT_NEAR(omega, 2 / (1 + std::sqrt(1 - 0.99 * 0.99)), 1e-12);
  weights.restart();
  EXPECT_EQ(weights.next(0.99), 1);
}

/// A net of springs without rest length: g is quadratic.
Scene quadratic_scene() {
  Scene scene;
  Body body;
  const SpringMesh cloth = generate(ClothGenerator{.cells = {7, 7}});
  body.mesh.vertices = cloth.vertices;
  body.triangles = cloth.triangles;
  body.density = 0.2;
  body.springs = make_springs(cloth, {.stiffness = 300, .shear = 100});
  for (Spring& spring : body.springs) spring.rest_length = 0;
  scene.bodies.push_back(body);
  return scene;
}

/// A bar of 324 tets whose ends turn against each other.
Scene bar_scene() {
  Scene scene;
  Body body;
  body.mesh = generate(BoxGenerator{.size = {4, 1, 1}, .cells = {6, 3, 3}, .tets_per_cell = 6});
  body.material.model = "neo_hookean";
  body.material.mu = 3.5e4;
  body.material.lambda = 14e4;
  for (const double side : {-1.0, 1.0}) {
    Pin pin;
    pin.box = {{side * 2 - 0.01, -1, -1}, {side * 2 + 0.01, 1, 1}};
    pin.stiffness = 1e6;
    pin.motion.rotate = Rotation{{1, 0, 0}, {0, 0, 0}, side * 900};
    body.pins.push_back(pin);
  }
  scene.bodies.push_back(body);
  return scene;
}

/// A step from rest to time h.
struct RestStep {
  explicit RestStep(const Scene& scene)
      : model(build_model(scene)), objective(model, nullptr, threads) {
    x = initial_state(scene, model).x;
    objective.begin_step(
        {.y = x, .inverse_a2 = 1 / (h * h), .x_start = x, .time = h, .h = h, .weight = {0, 0, 0}});
  }
  /// g after some iterations from `from`.
  double value_after(Direction& direction, int iterations, const VectorField& from) {
    Minimiser minimiser(model.num_vertices);
    SolverSettings settings;
    settings.iterations = iterations;
    VectorField z = from;
    return minimiser.run(objective, direction, settings, z).value;
  }
  Threads threads;
  Model model;
  Objective objective;
  VectorField x;
};

TEST(Chebyshev, MeasuresTheSpectralRadiusOfAQuadraticProblem) {
  RestStep step(quadratic_scene());
  // G = I - D^-1 H, similar to the symmetric I - D^-1/2 H D^-1/2.
  const auto n = static_cast<Eigen::Index>(step.x.size());
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    H(i, i) = step.model.mass[static_cast<std::size_t>(i)] / (h * h);
  }
  for (const SpringSet::Spring& spring : step.model.springs.springs) {
    H(spring.a, spring.a) += spring.stiffness;
    H(spring.b, spring.b) += spring.stiffness;
    H(spring.a, spring.b) -= spring.stiffness;
    H(spring.b, spring.a) -= spring.stiffness;
  }
  const Eigen::VectorXd root = H.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd G =
      Eigen::MatrixXd::Identity(n, n) - root.asDiagonal() * H * root.asDiagonal();
  const double radius =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(G).eigenvalues().cwiseAbs().maxCoeff();
  ASSERT_GT(radius, 0.9);

  const VectorField start = test::deformed(step.model, 0.2, 3);
  Chebyshev chebyshev(step.model, std::make_unique<Jacobi>(step.model, 1000, 1 / (h * h)), 10);
  Newton newton(step.model);
  Jacobi jacobi(step.model, 1000, 1 / (h * h));
  const double lowest = step.value_after(newton, 5, start);
  double last = 0;
  for (const int iterations : {12, 20, 40}) {
    const double value = step.value_after(chebyshev, iterations, start);
    // The radius is approached from below; the first estimate comes from eleven steps.
    EXPECT_LE(chebyshev.spectral_radius(), radius * (1 + 1e-9));
    EXPECT_GE(chebyshev.spectral_radius(), last);
    last = chebyshev.spectral_radius();
    const double plain = step.value_after(jacobi, iterations, start);
    EXPECT_LT(value - lowest, plain - lowest);
    if (iterations == 40) {
      EXPECT_LT(value - lowest, 0.02 * (plain - lowest));
    }
  }
  EXPECT_GT(last, 0.97 * radius);
}

TEST(Chebyshev, LowersTheErrorOfATwistedBarAfterFiftyIterations) {
  RestStep step(bar_scene());
  Newton newton(step.model);
  const double lowest = step.value_after(newton, 60, step.x);
  const double a2 = 1 / (h * h);
  const auto make = [&](int which) -> std::unique_ptr<Direction> {
    if (which == 0) return std::make_unique<Jacobi>(step.model, 10, a2);
    if (which == 1) return std::make_unique<GaussSeidel>(step.model, 10, a2);
    if (which == 2) return std::make_unique<VertexBlockDescent>(step.model, a2);
    return std::make_unique<Laplacian>(step.model, a2);
  };
  for (int which = 0; which < 4; ++which) {
    Chebyshev chebyshev(step.model, make(which), 10);
    const auto plain = make(which);
    const double with = step.value_after(chebyshev, 50, step.x) - lowest;
    const double without = step.value_after(*plain, 50, step.x) - lowest;
    EXPECT_LT(with, 0.2 * without) << which;
  }
}

TEST(Chebyshev, AfterAFailureTheNextStepIsPlainAndTheRadiusSmaller) {
  RestStep step(bar_scene());
  Chebyshev chebyshev(step.model, std::make_unique<Laplacian>(step.model, 1 / (h * h)), 5);
  step.value_after(chebyshev, 9, step.x);
  const double radius = chebyshev.spectral_radius();
  ASSERT_GT(radius, 0.2);
  // The descent is in its tenth iteration, whose direction is accelerated.
  VectorField gradient(step.x.size()), p(step.x.size()), plain(step.x.size());
  const double value = step.objective.value_and_gradient(step.x, gradient);
  const Iterate at{step.x, gradient, value};
  Laplacian laplacian(step.model, 1 / (h * h));
  laplacian.compute(step.objective, at, plain);
  ASSERT_TRUE(chebyshev.restart());
  EXPECT_LT(chebyshev.spectral_radius(), radius);
  ASSERT_TRUE(chebyshev.compute(step.objective, at, p));
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (int k = 0; k < 3; ++k) EXPECT_EQ(p[i][k], plain[i][k]);
  }
  // A plain step that fails is left to the inner method, and this one has no remedy.
  EXPECT_FALSE(chebyshev.restart());
}

TEST(Chebyshev, IsPlainDuringTheDelay) {
  RestStep step(bar_scene());
  Chebyshev chebyshev(step.model, std::make_unique<Laplacian>(step.model, 1 / (h * h)), 10);
  Laplacian laplacian(step.model, 1 / (h * h));
  EXPECT_EQ(step.value_after(chebyshev, 10, step.x), step.value_after(laplacian, 10, step.x));
  EXPECT_LT(step.value_after(chebyshev, 11, step.x), step.value_after(laplacian, 11, step.x));
}

}  // namespace
}  // namespace supple
