#pragma once

#include <Eigen/Core>

#include "math/cubic_spline.h"
#include "supple/scene.h"

namespace supple::bench {

/// The materials of the benchmark scenes as one would first write them: one tet at a time, with
/// Eigen's JacobiSVD if stretches are needed. Equations: docs/materials.md.
class PlainMaterial {
 public:
  /// Takes neo_hookean, corotated, polynomial or spline with one parameter set. Throws
  /// Error{invalid_input} for another model and for parameters per tet.
  explicit PlainMaterial(const MaterialSettings& settings);

  /// Energy density, J/m^3; sets P, the first Piola-Kirchhoff stress, Pa.
  double density_and_stress(const Eigen::Matrix3d& F, Eigen::Matrix3d& P) const;

 private:
  enum class Kind { neo_hookean, corotated, polynomial, spline };
  static Kind kind_of(const std::string& model);
  double neo_hookean(const Eigen::Matrix3d& F, Eigen::Matrix3d& P) const;
  /// Energy density as a function of the stretches, J/m^3; sets its derivatives with respect to
  /// them, Pa.
  double of_stretches(const Eigen::Vector3d& s, Eigen::Vector3d& slope) const;
  double spline(const Eigen::Vector3d& s, Eigen::Vector3d& slope) const;

  Kind kind_;
  double mu_, lambda_;
  CubicSpline a_, b_, c_;
};

}  // namespace supple::bench
