#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "descent/gradient_descent.h"
#include "descent/hessian.h"
#include "descent/l_bfgs.h"
#include "descent/laplacian.h"
#include "descent/minimise.h"
#include "descent/newton.h"
#include "descent/test_problem.h"
#include "elements/vertex_adjacency.h"

namespace supple {
namespace {

using test::deformed;
using test::h;
using test::Problem;
using test::test_scene;

std::size_t size_of(const Problem& problem) {
  return static_cast<std::size_t>(problem.model.num_vertices);
}

TEST(ElementEnergy, ForcesAndTorquesOfAFreeBodySumToZero) {
  for (const char* name : {"corotated", "arap", "stvk", "neo_hookean", "stable_neo_hookean"}) {
    Problem problem(test_scene(true, name));
    const VectorField x = deformed(problem.model, 0.2);
    ElementEnergy elements(problem.model);
    elements.evaluate(x, problem.threads);
    Vec3 force{}, torque{};
    double scale = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const PaddedVector f = elements.gradient_of_vertex(static_cast<int>(i));
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t p = (k + 1) % 3, q = (k + 2) % 3;
        force[k] += f.v[k];
        torque[k] += x[i].v[p] * f.v[q] - x[i].v[q] * f.v[p];
        scale += std::abs(f.v[k]);
      }
      EXPECT_EQ(f.v[3], 0);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      // A rounding error of each of the hundred terms.
      EXPECT_NEAR(force[k], 0, 1e-14 * scale) << name;
      EXPECT_NEAR(torque[k], 0, 1e-14 * scale) << name;
    }
  }
}

TEST(ElementEnergy, AnyThreadCountGivesTheSameBits) {
  Scene scene = test_scene(true);
  scene.bodies[0].mesh = generate(BoxGenerator{.cells = {12, 12, 12}});
  std::vector<double> first;
  for (int count : {1, 2, 4}) {
    Problem problem(scene, count);
    const VectorField x = deformed(problem.model, 0.1);
    VectorField gradient(x.size());
    std::vector<double> bits = {problem.objective.value_and_gradient(x, gradient)};
    for (const PaddedVector& g : gradient) bits.insert(bits.end(), g.v, g.v + 3);
    if (first.empty()) first = bits;
    ASSERT_EQ(std::memcmp(first.data(), bits.data(), bits.size() * sizeof(double)), 0);
  }
}

TEST(Objective, TheGradientIsThatOfTheValue) {
  Problem problem(test_scene(true));
  const VectorField x = deformed(problem.model, 0.1);
  VectorField gradient(x.size()), unused(x.size());
  problem.objective.value_and_gradient(x, gradient);
  const double d = 1e-6;
  for (std::size_t i = 0; i < x.size(); i += 3) {
    for (int k = 0; k < 3; ++k) {
      VectorField plus = x, minus = x;
      plus[i][k] += d;
      minus[i][k] -= d;
      const double slope = (problem.objective.value_and_gradient(plus, unused) -
                            problem.objective.value_and_gradient(minus, unused)) /
                           (2 * d);
      // g is about 1e4 J: its rounding over 2 d is 1e-6 N, of gradients of 1e4 N.
      EXPECT_NEAR(gradient[i][k], slope, 1e-4);
    }
  }
}

Eigen::MatrixXd dense_hessian(Problem& problem, const VectorField& x) {
  const auto n = static_cast<Eigen::Index>(3 * x.size());
  Eigen::MatrixXd H(n, n);
  VectorField plus_gradient(x.size()), minus_gradient(x.size());
  const double d = 1e-6;
  for (Eigen::Index j = 0; j < n; ++j) {
    VectorField plus = x, minus = x;
    plus[static_cast<std::size_t>(j / 3)][static_cast<int>(j % 3)] += d;
    minus[static_cast<std::size_t>(j / 3)][static_cast<int>(j % 3)] -= d;
    problem.objective.value_and_gradient(plus, plus_gradient);
    problem.objective.value_and_gradient(minus, minus_gradient);
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto vertex = static_cast<std::size_t>(i / 3);
      const int k = static_cast<int>(i % 3);
      H(i, j) = (plus_gradient[vertex][k] - minus_gradient[vertex][k]) / (2 * d);
    }
  }
  return H;
}

Eigen::MatrixXd assembled_hessian(Problem& problem, const VectorField& x) {
  const Adjacency adjacency = vertex_adjacency(problem.model);
  const std::vector<int> order = fill_reducing_order(adjacency);
  HessianAssembly assembly(problem.model, order, adjacency);
  assembly.assemble(problem.objective, x);
  const Eigen::MatrixXd lower = assembly.lower();
  const auto n = lower.rows();
  Eigen::MatrixXd H(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      const auto row = 3 * order[static_cast<std::size_t>(i / 3)] + i % 3;
      const auto column = 3 * order[static_cast<std::size_t>(j / 3)] + j % 3;
      H(row, column) = H(column, row) = lower(i, j);
    }
  }
  return H;
}

TEST(Hessian, IsTheDerivativeOfTheGradientWhereElementsAreConvex) {
  for (const bool fiber : {false, true}) {
    Problem problem(test_scene(fiber));
    // Slightly stretched in all directions: every element's own Hessian is positive definite, so
    // the projection changes nothing.
    VectorField x(size_of(problem));
    std::mt19937 generator(3);
    std::uniform_real_distribution<double> uniform(-0.005, 0.005);
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        x[i][k] = 1.1 * problem.model.rest[i][static_cast<std::size_t>(k)] + uniform(generator);
      }
    }
    const Eigen::MatrixXd expected = dense_hessian(problem, x);
    const Eigen::MatrixXd found = assembled_hessian(problem, x);
    // Central differences of gradients of 1e4 N: rounding 1e-12 * 1e4 / 1e-6.
    EXPECT_LT((expected - found).cwiseAbs().maxCoeff(), 1e-6 * expected.cwiseAbs().maxCoeff());
  }
}

TEST(Hessian, IsPositiveDefiniteAtInvertedPositions) {
  Problem problem(test_scene(true, "stvk"));
  VectorField x(size_of(problem));
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  for (auto& p : x) {
    for (int k = 0; k < 3; ++k) p[k] = uniform(generator);
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(assembled_hessian(problem, x));
  EXPECT_GT(eigen.eigenvalues().minCoeff(), 0);
  EXPECT_TRUE(std::isfinite(eigen.eigenvalues().maxCoeff()));
}

/// A curve adds V k (g_a . d)(g_b . d) to the matrix, with its fitted k. kappa adds nothing.
TEST(Laplacian, KnowsTheFitOfCurvesOfFibersAlone) {
  const double inverse_a2 = 900, k = 5e4, a = 0.3;
  Scene plain = test_scene(), with_kappa = plain, curved = plain, muscle = plain;
  FiberSettings fiber{.direction = {1, 2, 2}, .kappa = 3e4};
  with_kappa.bodies[0].fibers = {fiber};
  fiber.curve.points = {{0.5, -0.5 * k}, {1, 0}, {2, k}};
  curved.bodies[0].fibers = {fiber};
  fiber.activation = a;
  muscle.bodies[0].fibers = {fiber};
  const auto matrix_of = [&](const Scene& scene) {
    const Model model = build_model(scene);
    std::vector<int> order(static_cast<std::size_t>(model.num_vertices));
    std::iota(order.begin(), order.end(), 0);
    return Eigen::MatrixXd(laplacian_lower(model, inverse_a2, order));
  };
  const Eigen::MatrixXd lower = matrix_of(plain);
  EXPECT_EQ(matrix_of(with_kappa), lower);
  const Model model = build_model(plain);
  Eigen::MatrixXd added = Eigen::MatrixXd::Zero(lower.rows(), lower.cols());
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    const std::array<Vec3, 4> gradient = model.shape_gradients(t);
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        const auto along = [&](std::size_t c) {
          const Vec3& g = gradient[c];
          return (g[0] + 2 * g[1] + 2 * g[2]) / 3;
        };
        if (model.tets[t][i] < model.tets[t][j]) continue;
        added(model.tets[t][i], model.tets[t][j]) += model.volume[t] * k * along(i) * along(j);
      }
    }
  }
  ASSERT_GT(added.norm(), 1);
  EXPECT_LT((matrix_of(curved) - lower - added).norm(), 1e-12 * lower.norm());
  EXPECT_EQ(matrix_of(muscle), matrix_of(curved));
}

TEST(Laplacian, InFewerBitsOrByMultigridIsNearAndKeepsTheMomentum) {
  Scene scene = test_scene();
  Body free = scene.bodies[0];  // makes two parts; the other one is pinned
  free.pins.clear();
  scene.bodies.push_back(free);
  Problem problem(scene);
  VectorField gradient(problem.y.size()), full(problem.y.size());
  const double value = problem.objective.value_and_gradient(problem.y, gradient);
  const Iterate at{problem.y, gradient, value};
  const double a2 = 1 / (h * h);
  Laplacian(problem.model, a2, Precision::full).compute(problem.objective, at, full);
  // Floats have seven digits, of which the matrix takes one or two; multigrid leaves a tenth.
  for (const auto& [precision, digits] :
       {std::pair{Precision::mixed, 1e-5}, std::pair{Precision::multigrid, 0.3}}) {
    VectorField rough(problem.y.size());
    Laplacian(problem.model, a2, precision).compute(problem.objective, at, rough);
    double distance = 0, size = 0, mass = 0;
    PaddedVector force{}, change{};
    const std::size_t half = problem.y.size() / 2;
    for (std::size_t i = 0; i < problem.y.size(); ++i) {
      mass += problem.model.mass[i];
      for (int c = 0; c < 3; ++c) {
        distance = std::max(distance, std::abs(rough[i][c] - full[i][c]));
        size = std::max(size, std::abs(full[i][c]));
        if (i < half) continue;
        force[c] += gradient[i][c];
        change[c] += problem.model.mass[i] * a2 * rough[i][c];
      }
    }
    EXPECT_LT(distance, digits * size);
    for (int c = 0; c < 3; ++c) {
      // The rounding of a sum of this size.
      EXPECT_NEAR(change[c], -force[c], 1e-13 * size * a2 * mass);
    }
  }
}

TEST(Laplacian, SolvesTheMatrixOfTheThesis) {
  Problem problem(test_scene());
  const Model& model = problem.model;
  const auto n = static_cast<Eigen::Index>(size_of(problem));
  // A = M/h^2 + sum k V G G^T + pins, G = [D^-T columns, minus their sum] [thesis sec. 8.1].
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) A(i, i) = model.mass[static_cast<std::size_t>(i)] / (h * h);
  for (std::size_t t = 0; t < model.tets.size(); ++t) {
    Eigen::Matrix3d Dm;
    const auto at = [&](std::size_t c) {
      const Vec3& r = model.rest[static_cast<std::size_t>(model.tets[t][c])];
      return Eigen::Vector3d(r[0], r[1], r[2]);
    };
    for (int c = 0; c < 3; ++c) Dm.col(c) = at(static_cast<std::size_t>(c) + 1) - at(0);
    Eigen::Matrix<double, 4, 3> G;
    G.bottomRows<3>() = Dm.inverse();
    G.row(0) = -G.bottomRows<3>().colwise().sum();
    const Eigen::Matrix4d L = model.stiffness[t] * Dm.determinant() / 6 * G * G.transpose();
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < 4; ++b) {
        A(model.tets[t][a], model.tets[t][b]) +=
            L(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
      }
    }
  }
  for (const PinnedVertex& pin : model.pins.pins) A(pin.vertex, pin.vertex) += pin.stiffness;

  Laplacian laplacian(model, 1 / (h * h), Precision::full);
  const VectorField x = deformed(model, 0.1);
  VectorField gradient(x.size()), p(x.size());
  const double value = problem.objective.value_and_gradient(x, gradient);
  ASSERT_TRUE(laplacian.compute(problem.objective, {x, gradient, value}, p));
  for (int k = 0; k < 3; ++k) {
    Eigen::VectorXd pk(n), gk(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      pk(i) = p[static_cast<std::size_t>(i)][k];
      gk(i) = gradient[static_cast<std::size_t>(i)][k];
    }
    EXPECT_LT((A * pk + gk).norm(), 1e-11 * gk.norm());
  }
}

TEST(LBfgs, WithoutHistoryItIsItsInnerDirection) {
  Problem problem(test_scene());
  const VectorField x = deformed(problem.model, 0.1);
  VectorField gradient(x.size()), p(x.size()), q(x.size());
  const double value = problem.objective.value_and_gradient(x, gradient);
  Laplacian inner(problem.model, 1 / (h * h));
  LBfgs outer(problem.model, std::make_unique<Laplacian>(problem.model, 1 / (h * h)), 0);
  outer.begin_step(problem.objective);
  VectorField moved = x;
  moved[0][0] += 0.1;
  outer.accept(problem.objective, {x, gradient, value}, {moved, gradient, value}, 1);
  inner.compute(problem.objective, {x, gradient, value}, p);
  outer.compute(problem.objective, {x, gradient, value}, q);
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (int k = 0; k < 3; ++k) EXPECT_EQ(p[i][k], q[i][k]);
  }
}

/// Another direction that does not say that it is linear.
class Opaque final : public Direction {
 public:
  explicit Opaque(std::unique_ptr<Direction> inner) : inner_(std::move(inner)) {}
  bool compute(Objective& objective, const Iterate& at, VectorField& p) override {
    return inner_->compute(objective, at, p);
  }

 private:
  std::unique_ptr<Direction> inner_;
};

/// L-BFGS around the constant matrix in doubles, with or without the recursion over numbers.
LBfgs l_bfgs(const Model& model, int history, bool is_linear) {
  auto inner = std::make_unique<Laplacian>(model, 1 / (h * h), Precision::full);
  if (is_linear) return {model, std::move(inner), history};
  return {model, std::make_unique<Opaque>(std::move(inner)), history};
}

TEST(LBfgs, MapsTheNewestChangeOfGradientToItsStep) {
  // The secant equation: B t = s for the newest pair, whatever the history.
  for (const bool is_linear : {false, true}) {
    Problem problem(test_scene());
    LBfgs direction = l_bfgs(problem.model, 3, is_linear);
    direction.begin_step(problem.objective);
    VectorField from = deformed(problem.model, 0.05, 1), from_gradient(from.size());
    double value = problem.objective.value_and_gradient(from, from_gradient);
    VectorField at_from(from.size()), at_to(from.size());
    ASSERT_TRUE(direction.compute(problem.objective, {from, from_gradient, value}, at_from));
    for (int k = 0; k < 7; ++k) {
      const double alpha = 1 / (2.0 + k);
      VectorField to(from.size()), to_gradient(from.size());
      problem.objective.algebra().step(from, alpha, at_from, to);
      const double to_value = problem.objective.value_and_gradient(to, to_gradient);
      direction.accept(problem.objective, {from, from_gradient, value}, {to, to_gradient, to_value},
                       alpha);
      // B is linear, so B t is a difference of two directions.
      direction.compute(problem.objective, {to, to_gradient, to_value, &from_gradient}, at_to);
      direction.compute(problem.objective, {from, from_gradient, value}, at_from);
      direction.compute(problem.objective, {to, to_gradient, to_value}, at_to);
      for (std::size_t i = 0; i < to.size(); ++i) {
        for (int c = 0; c < 3; ++c) {
          EXPECT_NEAR(at_from[i][c] - at_to[i][c], to[i][c] - from[i][c], 1e-12);
        }
      }
      from = to;
      from_gradient = to_gradient;
      value = to_value;
      at_from = at_to;
    }
  }
}

TEST(LBfgs, FieldsInCommonWithAnotherOneChangeNoBits) {
  for (const int other_history : {2, 5, 9}) {
    Problem problem(test_scene());
    std::vector<VectorField> ends[2];
    for (const bool in_common : {false, true}) {
      LBfgs own = l_bfgs(problem.model, 5, true);
      LBfgs other(problem.model,
                  std::make_unique<Laplacian>(problem.model, 1 / (h * h), Precision::full),
                  other_history, in_common ? own.fields() : nullptr);
      EXPECT_EQ(own.fields() == other.fields(), in_common);
      Minimiser minimiser(problem.model.num_vertices);
      SolverSettings settings;
      settings.iterations = 8;
      // In turn, each from another start.
      for (unsigned int k = 0; k < 4; ++k) {
        VectorField z = deformed(problem.model, 0.08, 4 + k);
        minimiser.run(problem.objective, k % 2 == 0 ? own : other, settings, z);
        ends[in_common ? 1 : 0].push_back(z);
      }
    }
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::size_t i = 0; i < ends[0][k].size(); ++i) {
        for (int c = 0; c < 3; ++c) EXPECT_EQ(ends[0][k][i][c], ends[1][k][i][c]);
      }
    }
  }
}

TEST(LBfgs, TheRecursionOverNumbersGivesTheSameIterates) {
  for (const int history : {1, 2, 5, 30}) {
    Problem problem(test_scene(true));
    std::vector<VectorField> iterates[2];
    for (const bool is_linear : {false, true}) {
      LBfgs direction = l_bfgs(problem.model, history, is_linear);
      Minimiser minimiser(problem.model.num_vertices);
      SolverSettings settings;
      settings.iterations = 12;
      VectorField z = deformed(problem.model, 0.08, 4);
      minimiser.run(problem.objective, direction, settings, z,
                    {.visit = [&](int, const Iterate& at, double) {
                      iterates[is_linear ? 1 : 0].push_back(at.x);
                    }});
    }
    ASSERT_EQ(iterates[0].size(), 13U);
    ASSERT_EQ(iterates[1].size(), 13U);
    for (std::size_t k = 0; k < 13; ++k) {
      double distance = 0;
      for (std::size_t i = 0; i < iterates[0][k].size(); ++i) {
        for (int c = 0; c < 3; ++c) {
          distance = std::max(distance, std::abs(iterates[0][k][i][c] - iterates[1][k][i][c]));
        }
      }
      // Rounding, which every iteration magnifies.
      EXPECT_LT(distance, 1e-10) << "history " << history << ", iterate " << k;
    }
  }
}

TEST(Newton, TakesAQuadraticObjectiveToItsMinimumAtOnce) {
  // An element so soft that g is the inertia: grad g after one full step is rounding.
  Scene scene = test_scene();
  for (auto* material : {&scene.bodies[0].material, &scene.bodies[0].regions[0].material}) {
    material->mu = 1e-9;
    material->lambda = 0;
  }
  Problem problem(scene);
  Newton newton(problem.model);
  const VectorField x = deformed(problem.model, 0.1, 5);
  VectorField gradient(x.size()), p(x.size()), z = x;
  const double value = problem.objective.value_and_gradient(x, gradient);
  ASSERT_TRUE(newton.compute(problem.objective, {x, gradient, value}, p));
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (int k = 0; k < 3; ++k) z[i][k] += p[i][k];
  }
  VectorField after(x.size());
  problem.objective.value_and_gradient(z, after);
  VectorAlgebra& algebra = problem.objective.algebra();
  EXPECT_LT(algebra.norm(after), 1e-9 * algebra.norm(gradient));
}

}  // namespace
}  // namespace supple
