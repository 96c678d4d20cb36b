#include "descent/sheet_normals.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/index.h"
#include "descent/hessian.h"
#include "descent/l_bfgs.h"
#include "descent/minimise.h"
#include "descent/newton.h"
#include "descent/test_problem.h"
#include "elements/vertex_adjacency.h"

namespace supple {
namespace {

using test::deformed;
using test::h;
using test::Problem;

constexpr double inverse_a2 = 1 / (h * h);

/// A sheet of springs, or of triangles with both kinds of bending.
Body sheet(const std::string& material, std::array<int, 2> cells = {5, 4}) {
  Body body;
  const SpringMesh mesh = generate(ClothGenerator{.cells = cells});
  body.mesh.vertices = mesh.vertices;
  body.triangles = mesh.triangles;
  body.mass = 0.2;
  if (material == "spring") {
    body.springs = make_springs(mesh, {200, 100, 5});
  } else {
    body.material.model = material;
    body.material.mu = 1e5;
    body.material.lambda = 8e4;
    body.membrane = MembraneSettings{.thickness = 1e-3, .bending = 1e-3};
  }
  return body;
}

Pin held(std::vector<int> vertices) {
  Pin pin;
  pin.vertices = std::move(vertices);
  pin.stiffness = 500;
  return pin;
}

std::unique_ptr<SheetNormals> with_normals(const Model& model) {
  return std::make_unique<SheetNormals>(model, inverse_a2,
                                        std::make_unique<Laplacian>(model, inverse_a2));
}

Eigen::VectorXd flat(const VectorField& field, int first, int last) {
  Eigen::VectorXd result(3 * (last - first));
  for (int i = first; i < last; ++i) {
    for (int k = 0; k < 3; ++k) result(3 * (i - first) + k) = field[at(i)][k];
  }
  return result;
}

Eigen::MatrixXd whole(const SpdSolver::Matrix& lower) {
  const Eigen::MatrixXd dense(lower);
  return dense.selfadjointView<Eigen::Lower>();
}

/// The direction in which each vertex of the last body is softest: [3 n][n], block by block.
Eigen::MatrixXd normals(const Model& model, const VectorField& x, int first) {
  const int n = model.num_vertices - first;
  std::vector<Eigen::Matrix3d> sum(at(n), Eigen::Matrix3d::Zero());
  const auto add = [&](int a, int b, double k) {
    const Eigen::Vector3d d = Eigen::Map<const Eigen::Vector3d>(x[at(a)].v) -
                              Eigen::Map<const Eigen::Vector3d>(x[at(b)].v);
    for (const int end : {a, b}) {
      sum[at(end - first)] += k * d.normalized() * d.normalized().transpose();
    }
  };
  for (const SpringSet::Spring& spring : model.springs.springs) {
    add(spring.a, spring.b, spring.stiffness);
  }
  // Each corner counts its own two edges, so an edge of a triangle counts at both ends.
  const MembraneSet& set = model.membranes;
  for (int lane = 0; lane < set.num_lanes(); ++lane) {
    for (int k = 0; k < 3 && set.is_triangle(lane); ++k) {
      add(set.vertex(lane, k), set.vertex(lane, (k + 1) % 3), set.energy_scale(lane));
    }
  }
  Eigen::MatrixXd N = Eigen::MatrixXd::Zero(3 * n, n);
  for (int i = 0; i < n; ++i) {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(sum[at(i)]);
    N.block<3, 1>(3 * i, i) = solver.eigenvectors().col(0);
  }
  return N;
}

/// What the matrix of normals adds to p for the last body, by dense algebra.
Eigen::VectorXd expected(Problem& problem, const VectorField& x, const VectorField& gradient) {
  const Model& model = problem.model;
  const int first = model.body_vertices[at(model.num_bodies() - 1)];
  const int n = model.num_vertices - first;
  std::vector<int> order(at(model.num_vertices));
  std::iota(order.begin(), order.end(), 0);
  HessianAssembly assembly(model, order, vertex_adjacency(model));
  assembly.assemble(x, inverse_a2, NegativeEigenvalues::clamp, problem.threads);
  const Eigen::MatrixXd H = whole(assembly.lower()).bottomRightCorner(3 * n, 3 * n);
  const Eigen::MatrixXd L =
      whole(laplacian_lower(model, 0, order, Pins::left_out)).bottomRightCorner(n, n);
  Eigen::MatrixXd tension = Eigen::MatrixXd::Zero(3 * n, 3 * n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      tension.block<3, 3>(3 * i, 3 * j) = 0.05 * L(i, j) * Eigen::Matrix3d::Identity();
    }
  }
  const Eigen::MatrixXd N = normals(model, x, first);
  const Eigen::MatrixXd S = N.transpose() * (H + tension) * N;
  Eigen::VectorXd w(n);
  for (int i = 0; i < n; ++i) w(i) = model.mass[at(first + i)] * inverse_a2;
  for (const PinnedVertex& pin : model.pins.pins) w(pin.vertex - first) += pin.stiffness;
  // Q = I - 1 w^T/(w . 1) for each coordinate.
  Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(3 * n, 3 * n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      Q.block<3, 3>(3 * i, 3 * j) -= w(j) / w.sum() * Eigen::Matrix3d::Identity();
    }
  }
  return -Q * (N * S.ldlt().solve(N.transpose() *
                                  (Q.transpose() * flat(gradient, first, model.num_vertices))));
}

struct Directions {
  VectorField gradient, with, without;
};

/// The first direction of a step that begins at x, with S and without.
Directions directions(Problem& problem, const VectorField& x) {
  Directions found{VectorField(x.size()), VectorField(x.size()), VectorField(x.size())};
  const double value = problem.objective.value_and_gradient(x, found.gradient);
  Laplacian laplacian(problem.model, inverse_a2);
  const auto both = with_normals(problem.model);
  laplacian.begin_step(problem.objective);
  both->begin_step(problem.objective);
  EXPECT_TRUE(laplacian.compute(problem.objective, {x, found.gradient, value}, found.without));
  EXPECT_TRUE(both->compute(problem.objective, {x, found.gradient, value}, found.with));
  return found;
}

TEST(SheetNormals, AddsTheInverseAlongTheNormals) {
  for (const char* material : {"spring", "neo_hookean"}) {
    SCOPED_TRACE(material);
    Scene scene = test::test_scene();
    scene.bodies.front().pins.clear();
    scene.bodies.push_back(sheet(material));
    scene.bodies.back().pins.push_back(held({0, 5}));
    Problem problem(scene);
    const int first = problem.model.body_vertices[1], last = problem.model.num_vertices;
    const VectorField x = deformed(problem.model, 0.03);
    const auto [gradient, p, without] = directions(problem, x);
    const Eigen::VectorXd added = flat(p, first, last) - flat(without, first, last);
    const Eigen::VectorXd answer = expected(problem, x, gradient);
    EXPECT_GT(answer.norm(), 0.5 * flat(without, first, last).norm());
    // The factor is in floats.
    EXPECT_LT((added - answer).norm(), 1e-4 * answer.norm());
    EXPECT_EQ(flat(p, 0, first), flat(without, 0, first)) << "the body of tets";
  }
}

TEST(SheetNormals, WhatNothingHoldsKeepsItsMomentum) {
  Scene scene;
  scene.bodies.push_back(sheet("spring"));
  Problem problem(scene);
  const VectorField x = deformed(problem.model, 0.03);
  const auto [gradient, p, without] = directions(problem, x);
  for (int k = 0; k < 3; ++k) {
    double moved = 0, force = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      moved += problem.model.mass[i] * inverse_a2 * p[i][k];
      size += problem.model.mass[i] * inverse_a2 * std::abs(p[i][k]);
      force -= gradient[i][k];
    }
    EXPECT_NEAR(moved, force, 1e-13 * size) << k;
  }
}

TEST(SheetNormals, StiffSheetsHaveTheirMatrixAlone) {
  Scene scene;
  scene.bodies.push_back(sheet("spring"));
  for (Spring& spring : scene.bodies.front().springs) spring.stiffness *= 1000;
  Problem problem(scene);
  const VectorField x = deformed(problem.model, 0.03);
  const auto [gradient, p, without] = directions(problem, x);
  const int n = problem.model.num_vertices;
  EXPECT_EQ(flat(p, 0, n), flat(without, 0, n));
}

/// What the method is for: a sheet that hangs from two corners, after it has swung for a while.
TEST(SheetNormals, ASheetThatSwingsConverges) {
  for (const char* material : {"spring", "neo_hookean"}) {
    SCOPED_TRACE(material);
    Scene scene;
    scene.bodies.push_back(sheet(material, {16, 16}));
    scene.bodies.back().pins.push_back(held({0, 16}));
    Problem problem(scene);
    Objective& objective = problem.objective;
    const std::size_t n = problem.model.rest.size();
    VectorField x(n), v(n), y(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (int k = 0; k < 3; ++k) x[i][k] = problem.model.rest[i][at(k)];
    }
    Minimiser minimiser(problem.model.num_vertices);
    /// g after some iterations from x, whose last iterate is then in z.
    VectorField z;
    const auto solved = [&](std::unique_ptr<Direction> direction, int iterations) {
      SolverSettings settings;
      settings.iterations = iterations;
      z = x;
      return minimiser.run(objective, *direction, settings, z).value;
    };
    const auto newton = [&](int iterations) {
      return solved(std::make_unique<Newton>(problem.model, SolverSettings{}, inverse_a2),
                    iterations);
    };
    const auto begin = [&] {
      for (std::size_t i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) y[i][k] = x[i][k] + h * v[i][k] - (k == 1 ? 9.8 * h * h : 0);
      }
      objective.begin_step({.y = y, .inverse_a2 = inverse_a2, .x_start = x, .time = h, .h = h});
    };
    for (int frame = 0; frame < 12; ++frame) {
      begin();
      newton(30);
      for (std::size_t i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) v[i][k] = (z[i][k] - x[i][k]) / h;
      }
      x = z;
    }
    begin();
    const double least = newton(60);
    const auto error = [&](std::unique_ptr<Direction> matrix) {
      return solved(std::make_unique<LBfgs>(problem.model, std::move(matrix), 5), 20) - least;
    };
    const double plain = error(std::make_unique<Laplacian>(problem.model, inverse_a2));
    const double with = error(with_normals(problem.model));
    EXPECT_GT(plain, 0);
    EXPECT_LT(with, 0.1 * plain) << plain << " " << with;
  }
}

}  // namespace
}  // namespace supple
