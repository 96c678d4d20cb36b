#pragma once

#include <Eigen/Dense>
#include <random>

#include "linear/spd_solver.h"

/// Matrices for the tests of linear solvers.
namespace supple::test {

/// Grid of w x w points connected to their four neighbours.
inline Adjacency grid(int w) {
  Adjacency adjacency;
  adjacency.start.push_back(0);
  for (int y = 0; y < w; ++y) {
    for (int x = 0; x < w; ++x) {
      if (y > 0) adjacency.neighbour.push_back((y - 1) * w + x);
      if (x > 0) adjacency.neighbour.push_back(y * w + x - 1);
      if (x + 1 < w) adjacency.neighbour.push_back(y * w + x + 1);
      if (y + 1 < w) adjacency.neighbour.push_back((y + 1) * w + x);
      adjacency.start.push_back(static_cast<int>(adjacency.neighbour.size()));
    }
  }
  return adjacency;
}

/// Random symmetric matrix in the pattern with a constant diagonal; positive definite from 5 on.
inline Eigen::MatrixXd random_matrix(const Adjacency& adjacency, unsigned seed,
                                     double diagonal = 5) {
  const int n = adjacency.size();
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    A(i, i) = diagonal;
    for (int a = adjacency.start[static_cast<std::size_t>(i)];
         a < adjacency.start[static_cast<std::size_t>(i) + 1]; ++a) {
      const int j = adjacency.neighbour[static_cast<std::size_t>(a)];
      if (j < i) A(i, j) = A(j, i) = uniform(generator);
    }
  }
  return A;
}

inline SpdSolver::Matrix lower_of(const Eigen::MatrixXd& A) {
  const SpdSolver::Matrix full = A.sparseView();
  SpdSolver::Matrix lower = full.triangularView<Eigen::Lower>();
  lower.makeCompressed();
  return lower;
}

/// The Laplacian of a grid of w x w points, weakly held: its condition number is about w^2.
inline Eigen::MatrixXd grid_laplacian(int w) {
  const Adjacency adjacency = grid(w);
  Eigen::MatrixXd A = 1e-3 * Eigen::MatrixXd::Identity(w * w, w * w);
  for (int i = 0; i < w * w; ++i) {
    for (int a = adjacency.start[static_cast<std::size_t>(i)];
         a < adjacency.start[static_cast<std::size_t>(i) + 1]; ++a) {
      A(i, adjacency.neighbour[static_cast<std::size_t>(a)]) = -1;
      A(i, i) += 1;
    }
  }
  return A;
}

}  // namespace supple::test
