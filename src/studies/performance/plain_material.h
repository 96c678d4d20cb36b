#pragma once

#include <Eigen/Core>

#include "math/cubic_spline.h"
#include "supple/scene.h"

namespace supple::bench {

/// The materials of the benchmark scenes as one writes them first: a tet at a time, Eigen's
/// JacobiSVD where stretches are needed. Equations: docs/materials.md.
class PlainMaterial {
 public:
  /// neo_hookean, corotated, polynomial and spline, of one parameter set. Throws
  /// Error{invalid_input} for another model and for parameters per tet.
  explicit PlainMaterial(const MaterialSettings& settings);

  /// Energy density, J/m^3; sets P, the first Piola-Kirchhoff stress, Pa.
  double density_and_stress(const Eigen::Matrix3d& F, Eigen::Matrix3d& P) const;

 private:
  enum class Kind { neo_hookean, corotated, polynomial, spline };
  static Kind kind_of(const std::string& model);
  double neo_hookean(const Eigen::Matrix3d& F, Eigen::Matrix3d& P) const;
  /// Density of the stretches, J/m^3; sets its derivatives by them, Pa.
  double of_stretches(const Eigen::Vector3d& s, Eigen::Vector3d& slope) const;
  double spline(const Eigen::Vector3d& s, Eigen::Vector3d& slope) const;

  Kind kind_;
  double mu_, lambda_;
  CubicSpline a_, b_, c_;
};

}  // namespace supple::bench
