#include "yardstick.h"

#include <Eigen/SVD>
#include <cmath>

#include "materials/material.h"
#include "math/motion.h"

namespace supple::bench {

namespace {

Eigen::Matrix3d edges(const Eigen::MatrixX3d& x, const std::array<int, 4>& tet) {
  Eigen::Matrix3d D;
  for (int c = 0; c < 3; ++c) {
    D.col(c) = (x.row(tet[static_cast<std::size_t>(c) + 1]) - x.row(tet[0])).transpose();
  }
  return D;
}

}  // namespace

Yardstick::Yardstick(const Scene& scene)
    : scene_(scene),
      material_(scene.bodies[0].material.model),
      mu_(scene.bodies[0].material.mu.value),
      lambda_(scene.bodies[0].material.lambda.value),
      h_(scene.time.step) {
  const Body& body = scene_.bodies[0];
  const auto n = static_cast<Eigen::Index>(body.mesh.vertices.size());
  x_.resize(n, 3);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Vec3& p = body.mesh.vertices[static_cast<std::size_t>(i)];
    x_.row(i) << p[0], p[1], p[2];
  }
  v_ = Eigen::MatrixX3d::Zero(n, 3);
  mass_ = Eigen::VectorXd::Zero(n);
  tets_ = body.mesh.tets;
  const MaterialModel model = make_material(body.material, "bench");
  const double parameters[2] = {mu_, lambda_};
  const double k = fit_stiffness(model, parameters, scene.solver.stiffness_range);
  std::vector<Eigen::Triplet<double>> entries;
  for (const auto& tet : tets_) {
    const Eigen::Matrix3d Dm = edges(x_, tet);
    volume_.push_back(Dm.determinant() / 6);
    inverse_rest_.push_back(Dm.inverse());
    Eigen::Matrix<double, 4, 3> G;
    G.bottomRows<3>() = inverse_rest_.back();
    G.row(0) = -G.bottomRows<3>().colwise().sum();
    const Eigen::Matrix4d L = k * volume_.back() * G * G.transpose();
    for (std::size_t a = 0; a < 4; ++a) {
      mass_(tet[a]) += body.density * volume_.back() / 4;
      for (std::size_t b = 0; b < 4; ++b) {
        entries.emplace_back(tet[a], tet[b],
                             L(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)));
      }
    }
  }
  for (Eigen::Index i = 0; i < n; ++i) entries.emplace_back(i, i, mass_(i) / (h_ * h_));
  for (const Pin& pin : body.pins) {
    for (Eigen::Index i = 0; i < n; ++i) {
      bool inside = true;
      for (int c = 0; c < 3; ++c) {
        const auto axis = static_cast<std::size_t>(c);
        inside = inside && x_(i, c) >= pin.box.min[axis] && x_(i, c) <= pin.box.max[axis];
      }
      if (!inside) continue;
      targets_.push_back({static_cast<int>(i), pin.stiffness, x_.row(i), x_.row(i), &pin.motion});
      entries.emplace_back(i, i, pin.stiffness);
    }
  }
  Eigen::SparseMatrix<double> A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  cholesky_.compute(A);
}

double Yardstick::density_and_stress(const Eigen::Matrix3d& F, Eigen::Matrix3d& P) const {
  if (material_ == "neo_hookean") {
    const double J = F.determinant();
    double log_J, slope;
    if (J < 0.1) {
      const double r = (J - 0.1) / 0.1;
      log_J = std::log(0.1) + r - r * r / 2;
      slope = (1 - r) / 0.1;
    } else {
      log_J = std::log(J);
      slope = 1 / J;
    }
    Eigen::Matrix3d K;
    K.col(0) = F.col(1).cross(F.col(2));
    K.col(1) = F.col(2).cross(F.col(0));
    K.col(2) = F.col(0).cross(F.col(1));
    P = mu_ * F + (lambda_ * log_J - mu_) * slope * K;
    return mu_ / 2 * (F.squaredNorm() - 3) - mu_ * log_J + lambda_ / 2 * log_J * log_J;
  }
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Matrix3d U = svd.matrixU();
  Eigen::Vector3d s = svd.singularValues();
  if (U.determinant() * svd.matrixV().determinant() < 0) {
    U.col(2) *= -1;
    s(2) *= -1;
  }
  const Eigen::Vector3d e = s - Eigen::Vector3d::Ones();
  if (material_ == "polynomial") {
    P = U * (4 * mu_ * e.array().cube()).matrix().asDiagonal() * svd.matrixV().transpose();
    return mu_ * e.array().pow(4).sum();
  }
  const Eigen::Vector3d g = 2 * mu_ * e + lambda_ * e.sum() * Eigen::Vector3d::Ones();
  P = U * g.asDiagonal() * svd.matrixV().transpose();
  return mu_ * e.squaredNorm() + lambda_ / 2 * e.sum() * e.sum();
}

double Yardstick::elastic(const Eigen::MatrixX3d& x, Eigen::MatrixX3d& gradient) const {
  gradient.setZero(x.rows(), 3);
  double energy = 0;
  for (std::size_t t = 0; t < tets_.size(); ++t) {
    Eigen::Matrix3d P;
    energy += volume_[t] * density_and_stress(edges(x, tets_[t]) * inverse_rest_[t], P);
    const Eigen::Matrix3d H = volume_[t] * P * inverse_rest_[t].transpose();
    for (int c = 0; c < 3; ++c) {
      gradient.row(tets_[t][static_cast<std::size_t>(c) + 1]) += H.col(c).transpose();
      gradient.row(tets_[t][0]) -= H.col(c).transpose();
    }
  }
  return energy;
}

double Yardstick::value_and_gradient(const Eigen::MatrixX3d& x, Eigen::MatrixX3d& gradient) const {
  double value = elastic(x, gradient);
  const Eigen::MatrixX3d d = x - y_;
  const Eigen::MatrixX3d inertia = mass_.asDiagonal() * d / (h_ * h_);
  gradient += inertia;
  value += 0.5 * d.cwiseProduct(inertia).sum();
  for (const Target& target : targets_) {
    const Eigen::RowVector3d offset = x.row(target.vertex) - target.at;
    value += 0.5 * target.stiffness * offset.squaredNorm();
    gradient.row(target.vertex) += target.stiffness * offset;
  }
  return value;
}

Eigen::MatrixX3d Yardstick::direction(const Eigen::MatrixX3d& gradient) const {
  Eigen::MatrixX3d q = gradient;
  std::vector<double> zeta(pairs_.size());
  for (std::size_t i = pairs_.size(); i-- > 0;) {
    zeta[i] = pairs_[i].s.cwiseProduct(q).sum() / pairs_[i].rho;
    q -= zeta[i] * pairs_[i].t;
  }
  Eigen::MatrixX3d r = cholesky_.solve(q);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    r += (zeta[i] - pairs_[i].t.cwiseProduct(r).sum() / pairs_[i].rho) * pairs_[i].s;
  }
  return -r;
}

void Yardstick::step() {
  time_ += h_;
  const Eigen::RowVector3d g(scene_.gravity[0], scene_.gravity[1], scene_.gravity[2]);
  y_ = x_ + h_ * v_ + h_ * h_ * g.replicate(x_.rows(), 1);
  for (Target& target : targets_) {
    const Vec3 at =
        evaluate(*target.motion, time_).apply({target.rest(0), target.rest(1), target.rest(2)});
    target.at << at[0], at[1], at[2];
  }
  pairs_.clear();
  Eigen::MatrixX3d z = y_, gradient, trial, trial_gradient;
  value_ = value_and_gradient(z, gradient);
  for (int k = 0; k < scene_.solver.iterations; ++k) {
    const Eigen::MatrixX3d p = direction(gradient);
    const double slope = gradient.cwiseProduct(p).sum();
    double alpha = 1, value = 0;
    for (int i = 0; i < 40; ++i, alpha *= 0.5) {
      trial = z + alpha * p;
      value = value_and_gradient(trial, trial_gradient);
      if (value <= value_ + 0.03 * alpha * slope) break;
    }
    Pair pair{trial - z, trial_gradient - gradient, 0};
    pair.rho = pair.s.cwiseProduct(pair.t).sum();
    if (pair.rho > 0) pairs_.push_back(pair);
    if (static_cast<int>(pairs_.size()) > scene_.solver.history) pairs_.pop_front();
    z = trial;
    gradient = trial_gradient;
    value_ = value;
  }
  v_ = (z - x_) / h_;
  x_ = z;
}

Scene twisting_bar(const std::string& material) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  Body body;
  body.mesh = generate(BoxGenerator{.size = {4, 1, 1}, .cells = {34, 7, 7}, .tets_per_cell = 6});
  body.material.model = material;
  const auto [mu, lambda] = lame_parameters(1e5, 0.4);
  body.material.mu = material == "polynomial" ? 20 * mu : mu;
  body.material.lambda = lambda;
  body.material.c1 = 0.4 * mu;
  body.material.c2 = 0.1 * mu;
  body.material.bulk = lambda;
  if (material == "spline") body.material = spline_preset('A', mu, lambda);
  for (double side : {-1.0, 1.0}) {
    Pin pin;
    pin.box = {{side * 2 - 0.01, -1, -1}, {side * 2 + 0.01, 1, 1}};
    pin.motion.rotate = Rotation{{1, 0, 0}, {0, 0, 0}, side * 60};
    body.pins.push_back(pin);
  }
  scene.bodies.push_back(body);
  return scene;
}

}  // namespace supple::bench
