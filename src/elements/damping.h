#pragma once

#include <span>
#include <vector>

#include "base/body_pieces.h"
#include "elements/element_kernels.h"
#include "materials/principal.h"
#include "model/model.h"

namespace supple {

/// The damper of a spring in a step, c/2 (l - l_n)^2 with c = k tau/a: the minimum of
/// c/2 |d - R d_n|^2 over all rotations R. It is itself a spring.
SpringSet::Spring damper(const Model& model, const SpringSet::Spring& spring,
                         const StepStart& start);

/// A spring and its damper in one: the spring with their energy, up to a constant.
SpringSet::Spring with_damper(const Model& model, const SpringSet::Spring& spring,
                              const StepStart& start);

/// The damping of a membrane triangle in a step, as in materials/step_damping.h, with the constant
/// matrix's k along each axis. Bending is not damped.
class SheetDamping {
 public:
  SheetDamping(const Model& model, int lane, const StepStart& start);

  /// Energy in J with the corners at x. Writes dE/dx of the corners 1 and 2 to `forces`, N.
  double energy_and_forces(const double* const (&x)[3], Vector3<double> (&forces)[2]) const;

  /// Energy in J. If `gradient` is not null, adds dE/dx of a corner, N, and its 3x3 block, N/m.
  double energy_at_corner(const double* const (&x)[3], int corner, double* gradient,
                          double* hessian) const;

  /// The 3x3 blocks of pairs of corners with the triangle at z, N/m.
  using Hessian = StepDamping<double>::Hessian;
  Hessian hessian(const VectorField& z, NegativeEigenvalues mode) const {
    const Mat3<double> F = at(corners_of(z));
    return mode == NegativeEigenvalues::keep ? damping_.hessian(F) : damping_.positive_hessian(F);
  }
  Mat3<double> block(const Hessian& hessian, int row, int column) const {
    return hessian.block(gradient_[row], gradient_[column]);
  }

 private:
  struct Corners {
    const double* x[3];
  };
  Corners corners_of(const VectorField& z) const { return corners_of(z.data()); }
  Corners corners_of(const PaddedVector* x) const;
  /// F, each column times the square root of V k tau/a of its axis. The third column is zero.
  Mat3<double> at(const Corners& corners) const;

  int vertex_[3];
  Vector3<double> gradient_[3];  ///< of the corners' shape functions, times these square roots
  StepDamping<double> damping_;
};

/// Energy and forces of the damping of all bodies in a step (materials/step_damping.h):
///   D(z) = sum_j tau k_j V_j/(2 a) min_R |F_j(z) - R F_j(x_n)|^2,
/// where the sum runs over tets, springs and triangles of membranes, each with its own rotation R.
/// The order of summation depends only on the model.
class Damping {
 public:
  explicit Damping(const Model& model);

  /// Call this when the model's elements or materials have changed.
  void elements_changed();

  /// From now on `add` works only on the tets and springs of these bodies, in ascending order.
  /// Allocates nothing.
  void select(std::span<const int> bodies) {
    blocks_.select(bodies);
    springs_.select(bodies);
  }

  /// Returns D, J. Adds its forces to those that the last evaluation of tets, springs and membranes
  /// left, N.
  double add(const VectorField& z, const StepStart& start, Threads& threads, VectorField& slots,
             SpringEnergy& spring_energy, VectorField& membrane_slots);

 private:
  double add_elements(const VectorField& z, const StepStart& start, Threads& threads,
                      VectorField& slots);
  double add_springs(const VectorField& z, const StepStart& start, Threads& threads,
                     SpringEnergy& energy);
  double add_membranes(const VectorField& z, const StepStart& start, Threads& threads,
                       VectorField& slots);

  const Model* model_;
  const ElementKernels* kernels_;
  std::vector<PieceRange> spring_chunks_;
  BodyPieces blocks_, springs_;
  std::vector<double> block_energy_;     ///< [num_blocks], J
  std::vector<double> spring_energy_;    ///< [num_chunks], J
  std::vector<double> membrane_energy_;  ///< [num_chunks], J
};

}  // namespace supple
