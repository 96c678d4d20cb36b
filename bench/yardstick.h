#pragma once

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <deque>
#include <string>
#include <vector>

#include "supple/scene.h"

namespace supple::bench {

/// The same method as the library's, written the plain way with Eigen: what a careful engineer has
/// after an afternoon. One tet after another in double, Eigen's JacobiSVD, SimplicialLLT with one
/// solve for three right-hand sides, L-BFGS by the two-loop recursion. The benchmarks measure
/// against it in the same run. One body without fibers; neo_hookean, corotated, polynomial.
class Yardstick {
 public:
  explicit Yardstick(const Scene& scene);

  /// Elastic energy, J, and its gradient, N: [num_vertices, 3].
  double elastic(const Eigen::MatrixX3d& x, Eigen::MatrixX3d& gradient) const;

  /// One backward Euler step of L-BFGS with the scene's iterations and history.
  void step();

  const Eigen::MatrixX3d& positions() const { return x_; }
  double objective() const { return value_; }
  int num_tets() const { return static_cast<int>(tets_.size()); }

 private:
  double density_and_stress(const Eigen::Matrix3d& F, Eigen::Matrix3d& P) const;
  double value_and_gradient(const Eigen::MatrixX3d& x, Eigen::MatrixX3d& gradient) const;
  Eigen::MatrixX3d direction(const Eigen::MatrixX3d& gradient) const;

  struct Pair {
    Eigen::MatrixX3d s, t;
    double rho;
  };
  struct Target {
    int vertex;
    double stiffness;
    Eigen::RowVector3d rest, at;
    const Motion* motion;
  };

  const Scene scene_;
  std::string material_;
  double mu_, lambda_, h_;
  std::vector<std::array<int, 4>> tets_;
  std::vector<Eigen::Matrix3d> inverse_rest_;
  std::vector<double> volume_;
  Eigen::VectorXd mass_;
  std::vector<Target> targets_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> cholesky_;
  Eigen::MatrixX3d x_, v_, y_;
  std::deque<Pair> pairs_;
  double time_ = 0, value_ = 0;
};

/// The twisting bar of the benchmarks: 9,996 tets, both ends turned.
Scene twisting_bar(const std::string& material);

}  // namespace supple::bench
