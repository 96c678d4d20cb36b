#pragma once

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <array>
#include <deque>
#include <vector>

#include "studies/performance/plain_material.h"
#include "supple/scene.h"
#include "supple/simulation.h"

namespace supple::bench {

/// The library's method written the plain way with Eigen: what a careful engineer has after an
/// afternoon. It takes one tet or spring after another in double, Eigen's JacobiSVD, SimplicialLLT
/// with one solve for three right-hand sides, and L-BFGS by the two-loop recursion around M/h^2 + L
/// [Liu et al. 2017, Alg. 2]. The benchmarks measure the library against it in the same run.
///
/// It handles one body of tets (PlainMaterial) or springs that starts at rest or stretched, with
/// pins, gravity, and rings as colliders that stand still and have no friction.
class Yardstick {
 public:
  /// Throws Error{invalid_input} for a scene with anything else.
  explicit Yardstick(const Scene& scene);

  /// Elastic energy of tets and springs, J, and its gradient, N: [num_vertices, 3].
  double elastic(const Eigen::MatrixX3d& x, Eigen::MatrixX3d& gradient) const;

  /// One backward Euler step of L-BFGS with the scene's iterations and history.
  void step();

  /// Continues from a state of a simulation of the same scene and forgets everything before.
  void set_state(const SimulationState& state);

  const Eigen::MatrixX3d& positions() const { return x_; }
  /// Evaluations of the energy and its gradient in the last step.
  int evaluations() const { return evaluations_; }
  int num_tets() const { return static_cast<int>(tets_.size()); }

 private:
  using Entries = std::vector<Eigen::Triplet<double>>;
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
  struct Ring {
    Eigen::RowVector3d center, axis;
    double major, minor;
  };
  /// A vertex inside a ring, with the plane that holds it until the next iteration [thesis sec.
  /// 8.5].
  struct Touch {
    int vertex;
    Eigen::RowVector3d surface, normal;
  };
  /// A point of the descent: g and its gradient, without and with contact.
  struct Place {
    Eigen::MatrixX3d x, smooth_gradient, gradient;
    double smooth_value, value;
  };

  void add_tets(const Body& body, Entries& entries);
  void add_springs(const Body& body, Entries& entries);
  void add_pins(const Body& body, Entries& entries);
  double value_and_gradient(const Eigen::MatrixX3d& x, Eigen::MatrixX3d& gradient) const;
  void choose_contacts(const Eigen::MatrixX3d& x);
  void evaluate_at(Place& place);
  void add_contacts(Place& place) const;
  Eigen::MatrixX3d direction(const Eigen::MatrixX3d& gradient) const;
  bool search_line(const Place& from, Place& to);

  const Scene scene_;
  double h_;
  std::vector<PlainMaterial> material_;  ///< of the tets; empty if there are none
  std::vector<std::array<int, 4>> tets_;
  std::vector<Eigen::Matrix3d> inverse_rest_;
  std::vector<double> volume_;
  Eigen::VectorXd mass_;
  std::vector<Target> targets_;
  std::vector<Ring> rings_;
  std::vector<Touch> touches_;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> cholesky_;
  Eigen::MatrixX3d x_, v_, y_;
  std::deque<Pair> pairs_;
  double time_ = 0;
  int evaluations_ = 0;
  double energy_scale_ = 0;  ///< J: what rounding of the energy is relative to
};

}  // namespace supple::bench
