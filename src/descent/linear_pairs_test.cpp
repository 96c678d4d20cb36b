#include "descent/linear_pairs.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>

namespace supple {
namespace {

using Kept = LinearPairs::Kept;

/// Vertices that tets hold together in two parts, [0, first) and [first, n).
Model two_parts(int first, int n) {
  Model model;
  model.num_vertices = n;
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> uniform(0.5, 2);
  for (int i = 0; i < n; ++i) model.mass.push_back(uniform(generator));
  for (int i = 0; i + 3 < n; ++i) {
    if (i + 3 < first || i >= first) model.tets.push_back({i + 2, i, i + 3, i + 1});
  }
  return model;
}

Eigen::MatrixXd random_matrix(int rows, int columns, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Eigen::MatrixXd m(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j) {
    for (Eigen::Index i = 0; i < rows; ++i) m(i, j) = uniform(generator);
  }
  return m;
}

VectorField field_of(const Eigen::VectorXd& flat) {
  VectorField field(static_cast<std::size_t>(flat.size() / 3));
  for (Eigen::Index i = 0; i < flat.size(); ++i) {
    field[static_cast<std::size_t>(i / 3)][static_cast<int>(i % 3)] = flat(i);
  }
  return field;
}

Eigen::VectorXd flat_of(const VectorField& field) {
  Eigen::VectorXd flat(static_cast<Eigen::Index>(3 * field.size()));
  for (Eigen::Index i = 0; i < flat.size(); ++i) {
    flat(i) = field[static_cast<std::size_t>(i / 3)][static_cast<int>(i % 3)];
  }
  return flat;
}

/// H of the pairs, the oldest first [Nocedal & Wright 2006, eq. 6.17].
Eigen::MatrixXd bfgs(Eigen::MatrixXd H,
                     const std::vector<std::pair<Eigen::VectorXd, Eigen::VectorXd>>& pairs) {
  const auto I = Eigen::MatrixXd::Identity(H.rows(), H.cols());
  for (const auto& [s, t] : pairs) {
    const double rho = 1 / t.dot(s);
    H = ((I - rho * s * t.transpose()) * H * (I - rho * t * s.transpose()) +
         rho * s * s.transpose())
            .eval();
  }
  return H;
}

/// Compares the directions of a made-up descent with the formula. Each gradient is the last one
/// plus a symmetric positive definite matrix times the step. In the iterations `against` it is
/// minus that: then the pair has no positive curvature.
void follow(Kept kept, int history, const std::vector<int>& against, double tolerance) {
  const int n = 11, size = 3 * n;
  const Model model = two_parts(6, n);
  Threads threads(1);
  const std::vector<int> body{0, n};
  VectorAlgebra algebra(body, threads);
  const auto spd = [&](unsigned seed) -> Eigen::MatrixXd {
    const Eigen::MatrixXd m = random_matrix(size, size, seed);
    return m * m.transpose() / size + Eigen::MatrixXd::Identity(size, size);
  };
  const Eigen::MatrixXd inner = spd(1), curvature = spd(2);
  LinearPairs linear(model, history, kept);
  linear.begin_step(algebra);
  EXPECT_TRUE(linear.is_empty());
  std::vector<std::pair<Eigen::VectorXd, Eigen::VectorXd>> pairs;
  Eigen::VectorXd g = random_matrix(size, 1, 3);
  VectorField before = field_of(g);
  for (int k = 0; k < 14; ++k) {
    const Eigen::VectorXd expected = -bfgs(inner, pairs) * g;
    VectorField p = field_of(-inner * g), ahead(p.size());
    const VectorField x = field_of(random_matrix(size, 1, 4)), gradient = field_of(g);
    linear.correct(algebra, {x, gradient, 0, &before, &ahead}, p);
    before = gradient;
    for (std::size_t i = 0; i < p.size(); ++i) {
      for (int c = 0; c < 3; ++c) EXPECT_EQ(ahead[i][c], x[i][c] + p[i][c]);
    }
    const Eigen::VectorXd found = flat_of(p);
    EXPECT_LT((found - expected).norm(), tolerance * expected.norm()) << "iteration " << k;
    EXPECT_NEAR(linear.slope(), g.dot(found), 10 * tolerance * g.norm() * found.norm());
    EXPECT_EQ(linear.is_empty(), pairs.empty());
    const double alpha = 1 / (1.0 + k % 3);
    const bool wrong = std::find(against.begin(), against.end(), k) != against.end();
    const Eigen::VectorXd s = alpha * expected;
    const Eigen::VectorXd t = (wrong ? -1 : 1) * (curvature * s);
    linear.accept(alpha);
    // A pair that is left out has taken the oldest one's place.
    if (static_cast<int>(pairs.size()) == history) pairs.erase(pairs.begin());
    if (!wrong) pairs.emplace_back(s, t);
    g += t;
  }
}

TEST(LinearPairs, AreTheFormulaOfBfgs) {
  // In floats, a direction errs by their rounding, which the pairs magnify.
  for (const int history : {1, 2, 5, 20}) {
    follow(Kept::in_doubles, history, {}, 1e-12);
    follow(Kept::in_floats, history, {}, 1e-5);
  }
}

TEST(LinearPairs, APairWithoutPositiveCurvatureIsLeftOut) {
  for (const int history : {2, 5}) {
    follow(Kept::in_doubles, history, {3, 4}, 1e-12);
    follow(Kept::in_floats, history, {3, 4}, 1e-5);
  }
}

TEST(LinearPairs, ANewStepAndARestartBeginWithTheInnerDirection) {
  const Model model = two_parts(6, 11);
  Threads threads(1);
  const std::vector<int> body{0, 11};
  VectorAlgebra algebra(body, threads);
  LinearPairs linear(model, 3);
  const Eigen::VectorXd g = random_matrix(33, 1, 1), z = random_matrix(33, 1, 2);
  VectorField before;
  const auto direct = [&](const Eigen::VectorXd& gradient) {
    VectorField p = field_of(z);
    const VectorField now = field_of(gradient);
    linear.correct(algebra, {p, now, 0, before.empty() ? nullptr : &before}, p);
    before = now;
    return flat_of(p);
  };
  linear.begin_step(algebra);
  EXPECT_EQ(direct(-z), z);
  linear.accept(1);
  EXPECT_NE(direct(-0.5 * z + 0.1 * g), z);
  linear.clear();
  EXPECT_EQ(direct(g), z);
  linear.begin_step(algebra);
  EXPECT_EQ(direct(g), z);
}

TEST(LinearPairs, InFloatsKeepTheMeanOfEachPart) {
  // The parts meet inside a chunk of vertices.
  const int first = 700, n = 2100;
  const Model model = two_parts(first, n);
  Threads threads(2);
  const std::vector<int> body{0, n};
  VectorAlgebra algebra(body, threads);
  const auto mean = [&](const VectorField& p, int begin, int end) {
    Eigen::Vector4d sum = Eigen::Vector4d::Zero();
    for (int i = begin; i < end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      for (int c = 0; c < 4; ++c) sum(c) += model.mass[at] * p[at][c];
    }
    return sum;
  };
  const auto without_mean = [&](VectorField p) {
    for (const auto& [begin, end] : {std::pair{0, first}, std::pair{first, n}}) {
      double mass = 0;
      for (int i = begin; i < end; ++i) mass += model.mass[static_cast<std::size_t>(i)];
      const Eigen::Vector4d shift = mean(p, begin, end) / mass;
      for (int i = begin; i < end; ++i) {
        for (int c = 0; c < 4; ++c) p[static_cast<std::size_t>(i)][c] -= shift(c);
      }
    }
    return p;
  };
  LinearPairs linear(model, 5, Kept::in_floats);
  linear.begin_step(algebra);
  Eigen::VectorXd gradient = random_matrix(3 * n, 1, 1);
  VectorField before = field_of(gradient);
  double largest = 0;  // of all that is kept
  for (int k = 0; k < 10; ++k) {
    VectorField p = without_mean(field_of(-gradient));
    const VectorField now = field_of(gradient);
    linear.correct(algebra, {p, now, 0, &before}, p);
    before = now;
    for (const PaddedVector& v : p) {
      for (int c = 0; c < 3; ++c) largest = std::max(largest, std::abs(v[c]));
      EXPECT_EQ(v[3], 0);
    }
    // A sum of 2,100 numbers of this size in doubles; in floats, each would err by 1e-7 of it.
    EXPECT_LT(mean(p, 0, first).norm(), 1e-12 * largest) << k;
    EXPECT_LT(mean(p, first, n).norm(), 1e-12 * largest) << k;
    linear.accept(1);
    const Eigen::VectorXd step = flat_of(p);
    for (Eigen::Index i = 0; i < step.size(); ++i) {
      gradient(i) += (0.3 + 0.1 * static_cast<double>(i % 7)) * step(i);
    }
  }
}

}  // namespace
}  // namespace supple
