#include "elements/damping.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "descent/hessian.h"
#include "descent/hessian_diagonal.h"
#include "descent/laplacian.h"
#include "descent/test_problem.h"
#include "elements/vertex_adjacency.h"

namespace supple {
namespace {

using test::deformed;
using test::h;
using test::Problem;

/// A block of two materials with a fiber, a layer and springs, a cloth of springs, and a membrane
/// that is not damped unless `all` are.
Scene mixed_scene(double tau, bool all = true) {
  Scene scene = test::test_scene(true);
  Body& block = scene.bodies[0];
  block.layers.push_back(block.material);
  block.springs = {{0, 35, 500, 1}, {3, 0, 800, 0.2}};
  const SpringMesh mesh = generate(ClothGenerator{.center = {0, 2, 0}, .cells = {4, 3}});
  Body cloth;
  cloth.mesh.vertices = mesh.vertices;
  cloth.triangles = mesh.triangles;
  cloth.density = 0.4;
  Body membrane = cloth;
  cloth.springs = make_springs(mesh, {2000, 1000, 100});
  membrane.membrane = MembraneSettings{.thickness = 0.001, .bending = 0.01};
  membrane.material.model = "orthotropic_stvk";
  membrane.material.warp = 4e6;
  membrane.material.weft = 1e6;
  membrane.material.shear = 3e5;
  membrane.damping = BodyDamping{all ? tau : 0};
  scene.bodies.push_back(cloth);
  scene.bodies.push_back(membrane);
  scene.damping.stiffness = tau;
  return scene;
}

/// The field turned about an axis and shifted.
VectorField turned(const VectorField& x) {
  VectorField to = x;
  const double c = std::cos(0.7), s = std::sin(0.7);
  for (std::size_t i = 0; i < x.size(); ++i) {
    to[i][0] = c * x[i][0] - s * x[i][1] + 1;
    to[i][1] = s * x[i][0] + c * x[i][1] - 2;
  }
  return to;
}

/// Gradient of the damping alone.
VectorField damping_gradient(Problem& damped, Problem& plain, const VectorField& z) {
  VectorField with(z.size()), without(z.size());
  damped.objective.value_and_gradient(z, with);
  plain.objective.value_and_gradient(z, without);
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (int k = 0; k < 3; ++k) with[i][k] -= without[i][k];
  }
  return with;
}

double largest(const VectorField& field) {
  double most = 0;
  for (const PaddedVector& v : field) {
    for (int k = 0; k < 3; ++k) most = std::max(most, std::abs(v[k]));
  }
  return most;
}

TEST(Damping, TheGradientIsThatOfTheValue) {
  Problem problem(mixed_scene(0.05)), plain(mixed_scene(0));
  const VectorField x = deformed(problem.model, 0.05);
  VectorField gradient(x.size()), unused(x.size());
  problem.objective.value_and_gradient(x, gradient);
  EXPECT_GT(largest(damping_gradient(problem, plain, x)), 0.1 * largest(gradient));
  const double d = 1e-6;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      VectorField plus = x, minus = x;
      plus[i][k] += d;
      minus[i][k] -= d;
      const double slope = (problem.objective.value_and_gradient(plus, unused) -
                            problem.objective.value_and_gradient(minus, unused)) /
                           (2 * d);
      // The rounding of g, about 1e4 J, over 2 d; gradients are about 1e4 N.
      EXPECT_NEAR(gradient[i][k], slope, 1e-4);
    }
  }
}

TEST(Damping, NeitherFlightNorTurningCostsAnything) {
  Problem damped(mixed_scene(0.05)), plain(mixed_scene(0));
  const VectorField z = turned(damped.y);
  VectorField gradient(z.size());
  const double value = damped.objective.value_and_gradient(z, gradient);
  const double without = plain.objective.value_and_gradient(z, gradient);
  EXPECT_NEAR(value, without, 1e-12 * std::abs(without));
  // k V/a tau times the gradient of a shape function times the rounding of a rotation.
  EXPECT_LT(largest(damping_gradient(damped, plain, z)), 1e-9 * largest(gradient));
}

TEST(Damping, TheEnergyThatTheModelStoresIsNotOfIt) {
  Problem damped(mixed_scene(0.05)), plain(mixed_scene(0));
  const VectorField x = deformed(damped.model, 0.05);
  VectorField gradient(x.size());
  const double value = damped.objective.value_and_gradient(x, gradient);
  EXPECT_GT(value, plain.objective.value_and_gradient(x, gradient));
  EXPECT_EQ(damped.objective.elastic_energy(), plain.objective.elastic_energy());
}

TEST(Damping, OfABodyOfItsOwnComesBeforeThatOfTheScene) {
  const Model model = build_model(mixed_scene(0.05, false));
  EXPECT_EQ(model.damping, (std::vector<double>{0.05, 0.05, 0}));
  EXPECT_TRUE(build_model(mixed_scene(0)).damping.empty());
}

Eigen::MatrixXd hessian_at(Problem& problem, const VectorField& z) {
  const Adjacency adjacency = vertex_adjacency(problem.model);
  std::vector<int> order(static_cast<std::size_t>(problem.model.num_vertices));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  HessianAssembly assembly(problem.model, order, adjacency);
  assembly.assemble(problem.objective, z);
  const Eigen::MatrixXd lower = assembly.lower();
  return lower.selfadjointView<Eigen::Lower>();
}

TEST(Damping, TheHessianIsThatOfAStepThatTurns) {
  Problem damped(mixed_scene(0.05)), plain(mixed_scene(0));
  const VectorField z = turned(damped.y);
  const Eigen::MatrixXd found = hessian_at(damped, z) - hessian_at(plain, z);
  double difference = 0;
  const double d = 1e-6;
  for (std::size_t j = 0; j < 3 * z.size(); ++j) {
    VectorField plus = z, minus = z;
    plus[j / 3][static_cast<int>(j % 3)] += d;
    minus[j / 3][static_cast<int>(j % 3)] -= d;
    plus = damping_gradient(damped, plain, plus);
    minus = damping_gradient(damped, plain, minus);
    for (std::size_t i = 0; i < 3 * z.size(); ++i) {
      const int k = static_cast<int>(i % 3);
      const double expected = (plus[i / 3][k] - minus[i / 3][k]) / (2 * d);
      difference = std::max(
          difference,
          std::abs(found(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) - expected));
    }
  }
  // Gradients of 1e4 N are rounded and divided by d; entries are 1e4 N/m and more.
  EXPECT_LT(difference, 1e-5 * found.cwiseAbs().maxCoeff());

  VectorField of_damped(z.size()), of_plain(z.size());
  HessianDiagonal(damped.model).evaluate(damped.objective, z, of_damped);
  HessianDiagonal(plain.model).evaluate(plain.objective, z, of_plain);
  for (std::size_t i = 0; i < 3 * z.size(); ++i) {
    const int k = static_cast<int>(i % 3);
    const auto row = static_cast<Eigen::Index>(i);
    EXPECT_NEAR(of_damped[i / 3][k] - of_plain[i / 3][k], found(row, row),
                1e-10 * found.cwiseAbs().maxCoeff());
  }
}

/// M/a^2 + L of the mixed scene with a damping of `tau`.
Eigen::MatrixXd constant_matrix(double tau, double inverse_a2, const MembraneSettings& membrane) {
  Scene scene = mixed_scene(tau);
  scene.bodies[2].membrane = membrane;
  scene.bodies[0].fibers.resize(1);  // the second one has a curve, whose part of L is not damped
  const Model model = build_model(scene);
  std::vector<int> order(static_cast<std::size_t>(model.num_vertices));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  return laplacian_lower(model, inverse_a2, order, Pins::left_out);
}

TEST(Damping, LeavesBendingInTheConstantMatrixAsItIs) {
  for (const char* const model : {"quadratic", "dihedral"}) {
    const auto of_bending = [&](double tau) {
      MembraneSettings membrane{
          .thickness = 0.001, .bending = 10, .bending_model = from_string<BendingModel>(model)};
      const Eigen::MatrixXd with = constant_matrix(tau, 1 / (h * h), membrane);
      membrane.bending = 0;
      return Eigen::MatrixXd(with - constant_matrix(tau, 1 / (h * h), membrane));
    };
    const Eigen::MatrixXd plain = of_bending(0);
    EXPECT_GT(plain.cwiseAbs().maxCoeff(), 10) << model;
    // What is damped has entries of some 1e7 N/m.
    EXPECT_LT((of_bending(0.05) - plain).cwiseAbs().maxCoeff(), 1e-7) << model;
  }
}

/// Every weight but that of bending is multiplied by 1 + tau/a, to the rounding of doubles.
TEST(Damping, ScalesTheConstantMatrix) {
  constexpr double tau = 0.05;
  const auto matrix = [](double stiffness, double inverse_a2) {
    return constant_matrix(stiffness, inverse_a2, {.thickness = 0.001, .bending = 0.0});
  };
  const double inverse_a2 = 1 / (h * h);
  const Eigen::MatrixXd L = matrix(0, 0), with_mass = matrix(0, inverse_a2);
  const Eigen::MatrixXd expected = with_mass + tau / h * L;
  EXPECT_LT((matrix(tau, inverse_a2) - expected).cwiseAbs().maxCoeff(),
            1e-12 * expected.cwiseAbs().maxCoeff());
}

/// The damping lies below the quadratic function of the constant matrix that touches it.
TEST(Damping, IsBoundedByTheConstantMatrix) {
  Problem damped(mixed_scene(0.05)), plain(mixed_scene(0));
  const std::size_t n = damped.y.size();
  const auto difference_of = [&](const VectorField& z) {
    VectorField unused(n);
    return damped.objective.value_and_gradient(z, unused) -
           plain.objective.value_and_gradient(z, unused);
  };
  std::vector<int> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<int>(i);
  const Eigen::MatrixXd lower = laplacian_lower(damped.model, 1 / (h * h), order) -
                                laplacian_lower(plain.model, 1 / (h * h), order);
  const Eigen::MatrixXd L = lower.selfadjointView<Eigen::Lower>();
  for (unsigned seed = 1; seed < 6; ++seed) {
    const VectorField from = deformed(damped.model, 0.1, seed);
    const VectorField to = deformed(damped.model, 0.3, seed + 10);
    const VectorField gradient = damping_gradient(damped, plain, from);
    double slope = 0, square = 0;
    for (int k = 0; k < 3; ++k) {
      Eigen::VectorXd way(static_cast<Eigen::Index>(n));
      for (std::size_t i = 0; i < n; ++i) {
        way[static_cast<Eigen::Index>(i)] = to[i][k] - from[i][k];
        slope += gradient[i][k] * (to[i][k] - from[i][k]);
      }
      square += way.dot(L * way);
    }
    EXPECT_LE(difference_of(to), difference_of(from) + slope + 0.5 * square + 1e-9 * square);
  }
}

TEST(Damping, HasTheSameBitsOnAnyNumberOfThreads) {
  Problem one(mixed_scene(0.05), 1), many(mixed_scene(0.05), 3);
  const VectorField x = deformed(one.model, 0.05);
  VectorField first(x.size()), other(x.size());
  EXPECT_EQ(one.objective.value_and_gradient(x, first),
            many.objective.value_and_gradient(x, other));
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int k = 0; k < 3; ++k) EXPECT_EQ(first[i][k], other[i][k]);
  }
}

}  // namespace
}  // namespace supple
