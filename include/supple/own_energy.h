#pragma once

#pragma GCC visibility push(default)

namespace supple {

/// An energy density, evaluated for eight deformation gradients at once. Matrices are [9][8]: row
/// after row, tet after tet. It is called from several threads at once. An exception from it ends a
/// step as StepStatus::failed.
class OwnEnergy {
 public:
  static constexpr int block = 8;

  virtual ~OwnEnergy() = default;

  /// psi: [8], J/m^3.
  virtual void energy_density(const double (*F)[block], double* psi) const = 0;

  /// The same, and P = dPsi/dF, [9][8], Pa.
  virtual void energy_and_stress(const double (*F)[block], double* psi,
                                 double (*P)[block]) const = 0;

  /// d2Psi/dF_i dF_k, i >= k, Pa: lower triangle row after row, [45][8].
  virtual void hessian(const double (*F)[block], double (*H)[block]) const = 0;
};

}  // namespace supple

#pragma GCC visibility pop
