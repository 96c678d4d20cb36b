#include "sim/affine_motions.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/index.h"

namespace supple {

namespace {

constexpr double share = 1e-5;  ///< of the size: how far bodies are moved for a difference

using Column = Eigen::Matrix<double, 12, 1>;
using Matrix = Eigen::Matrix<double, 12, 12>;

}  // namespace

/// Affine functions of the places of a body's vertices that are orthonormal in the mass,
/// 1/kg^(1/2). Flat bodies have three, straight ones two.
class AffineMotions::Functions {
 public:
  Functions() = default;
  Functions(const Model& model, std::size_t body, const VectorField& z)
      : first(model.body_vertices[body]), last(model.body_vertices[body + 1]) {
    double mass = 0;
    for (int i = first; i < last; ++i) {
      mass += model.mass[at(i)];
      center_ += model.mass[at(i)] * place(z, i);
    }
    center_ /= mass;
    constant_ = 1 / std::sqrt(mass);
    Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
    for (int i = first; i < last; ++i) {
      const Eigen::Vector3d arm = place(z, i) - center_;
      inertia += model.mass[at(i)] * arm * arm.transpose();
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(inertia);
    for (int j = 0; j < 3; ++j) {
      // A body is flat if it is less than a ten-thousandth as thick as long.
      if (!(axes.eigenvalues()[j] > 1e-8 * axes.eigenvalues()[2])) continue;
      axes_[at(num_axes_++)] = axes.eigenvectors().col(j) / std::sqrt(axes.eigenvalues()[j]);
    }
    for (int i = first; i < last; ++i) {
      for (int j = 0; j <= num_axes_; ++j) {
        most_[at(j)] = std::max(most_[at(j)], std::abs((*this)(j, z, i)));
      }
    }
  }

  int first = 0, last = 0;  ///< vertices

  /// Motion 3 j + k moves along axis k by function j.
  int num_motions() const { return 3 * (num_axes_ + 1); }
  /// Function j at a vertex of the body.
  double operator()(int j, const VectorField& z, int vertex) const {
    return j == 0 ? constant_ : axes_[at(j - 1)].dot(place(z, vertex) - center_);
  }
  double most(int j) const { return most_[at(j)]; }

 private:
  static Eigen::Vector3d place(const VectorField& z, int vertex) {
    const PaddedVector& x = z[at(vertex)];
    return {x[0], x[1], x[2]};
  }

  Eigen::Vector3d center_ = Eigen::Vector3d::Zero();
  double constant_ = 0;
  int num_axes_ = 0;
  std::array<Eigen::Vector3d, 3> axes_{};
  std::array<double, 4> most_{};  ///< largest of each function
};

struct AffineMotions::Body {
  Functions functions;
  Column slope = Column::Zero(), ahead = Column::Zero();
  Matrix hessian = Matrix::Zero();
};

AffineMotions::AffineMotions(const Model& model)
    : model_(&model), bodies_(model.body_vertices.size() - 1) {}

AffineMotions::~AffineMotions() = default;

void AffineMotions::find_step(Objective& objective, const VectorField& z,
                              std::span<const double> size, const Fields& fields) {
  const auto selected = objective.selected();
  for (const int b : selected) bodies_[at(b)].functions = Functions(*model_, at(b), z);
  const auto way = [&](int b, int motion) {
    return share * size[at(b)] / bodies_[at(b)].functions.most(motion / 3);
  };
  // The derivatives along all motions of all bodies where they are moved along one; -1: not moved.
  const auto find_slopes = [&](int motion, double sign) {
    objective.algebra().copy(z, fields.moved);
    for (const int b : selected) {
      const Functions& functions = bodies_[at(b)].functions;
      if (motion < 0 || motion >= functions.num_motions()) continue;
      for (int i = functions.first; i < functions.last; ++i) {
        fields.moved[at(i)][motion % 3] += sign * way(b, motion) * functions(motion / 3, z, i);
      }
    }
    objective.value_and_gradient(fields.moved, fields.gradient);
    for (const int b : selected) {
      Body& body = bodies_[at(b)];
      body.slope.setZero();
      for (int i = body.functions.first; i < body.functions.last; ++i) {
        for (int m = 0; m < body.functions.num_motions(); ++m) {
          body.slope[m] += body.functions(m / 3, z, i) * fields.gradient[at(i)][m % 3];
        }
      }
    }
  };
  for (int motion = 0; motion < 12; ++motion) {
    find_slopes(motion, 1);
    for (const int b : selected) bodies_[at(b)].ahead = bodies_[at(b)].slope;
    find_slopes(motion, -1);
    for (const int b : selected) {
      Body& body = bodies_[at(b)];
      if (motion >= body.functions.num_motions()) {
        body.hessian.col(motion).setZero();
      } else {
        body.hessian.col(motion) = (body.ahead - body.slope) / (2 * way(b, motion));
      }
    }
  }
  find_slopes(-1, 0);
  for (const int b : selected) {
    const Body& body = bodies_[at(b)];
    const Matrix both = body.hessian.transpose() + body.hessian;
    const Eigen::SelfAdjointEigenSolver<Matrix> modes(0.5 * both);
    const Column stiffness = modes.eigenvalues().cwiseMax(objective.inverse_a2());
    const Column along = modes.eigenvectors().transpose() * body.slope;
    const Column step = -(modes.eigenvectors() * along.cwiseQuotient(stiffness));
    for (int i = body.functions.first; i < body.functions.last; ++i) {
      for (int k = 0; k < 3; ++k) {
        double p = 0;
        for (int m = k; m < body.functions.num_motions(); m += 3) {
          p += step[m] * body.functions(m / 3, z, i);
        }
        fields.step[at(i)][k] = p;
      }
    }
  }
}

}  // namespace supple
