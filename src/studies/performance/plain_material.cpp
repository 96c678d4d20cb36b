#include "studies/performance/plain_material.h"

#include <Eigen/Dense>
#include <cmath>

#include "base/names.h"
#include "supple/error.h"

namespace supple::bench {

PlainMaterial::Kind PlainMaterial::kind_of(const std::string& model) {
  if (model == "neo_hookean") return Kind::neo_hookean;
  if (model == "corotated") return Kind::corotated;
  if (model == "polynomial") return Kind::polynomial;
  if (model == "spline") return Kind::spline;
  throw Error(
      ErrorKind::invalid_input, "yardstick",
      unknown_name("plain material", model, {"neo_hookean", "corotated", "polynomial", "spline"}));
}

PlainMaterial::PlainMaterial(const MaterialSettings& settings)
    : kind_(kind_of(settings.model)),
      mu_(settings.mu.value),
      lambda_(settings.lambda.value),
      a_(settings.spline_a.points, 1),
      b_(settings.spline_b.points, 1),
      c_(settings.spline_c.points, 1) {
  if (!settings.mu.per_tet.empty() || !settings.lambda.per_tet.empty()) {
    throw Error(ErrorKind::invalid_input, "yardstick",
                "there are material parameters per tet; expected one for all");
  }
}

double PlainMaterial::neo_hookean(const Eigen::Matrix3d& F, Eigen::Matrix3d& P) const {
  const double J = F.determinant();
  double log_J = 0, slope = 0;
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

double PlainMaterial::spline(const Eigen::Vector3d& s, Eigen::Vector3d& slope) const {
  const double J = s(0) * s(1) * s(2);
  double density = c_.integral(J);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    density += a_.integral(s(i)) + b_.integral(s(j) * s(k));
    slope(i) = a_.value(s(i)) + s(j) * b_.value(s(i) * s(j)) + s(k) * b_.value(s(i) * s(k)) +
               s(j) * s(k) * c_.value(J);
  }
  return density;
}

double PlainMaterial::of_stretches(const Eigen::Vector3d& s, Eigen::Vector3d& slope) const {
  if (kind_ == Kind::spline) return spline(s, slope);
  const Eigen::Vector3d e = s - Eigen::Vector3d::Ones();
  if (kind_ == Kind::polynomial) {
    slope = 4 * mu_ * e.array().cube();
    return mu_ * e.array().pow(4).sum();
  }
  slope = 2 * mu_ * e + lambda_ * e.sum() * Eigen::Vector3d::Ones();
  return mu_ * e.squaredNorm() + lambda_ / 2 * e.sum() * e.sum();
}

double PlainMaterial::density_and_stress(const Eigen::Matrix3d& F, Eigen::Matrix3d& P) const {
  if (kind_ == Kind::neo_hookean) return neo_hookean(F, P);
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Matrix3d U = svd.matrixU();
  Eigen::Vector3d s = svd.singularValues();
  if (U.determinant() * svd.matrixV().determinant() < 0) {
    U.col(2) *= -1;
    s(2) *= -1;
  }
  Eigen::Vector3d slope;
  const double density = of_stretches(s, slope);
  P = U * slope.asDiagonal() * svd.matrixV().transpose();
  return density;
}

}  // namespace supple::bench
