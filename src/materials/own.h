#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "materials/principal.h"
#include "math/mat3.h"
#include "supple/own_energy.h"
#include "supple/scene.h"

/// Energies of the host program (supple/own_material.h). They have no form in principal stretches
/// and need not be isotropic. Kernels evaluate them for whole batches.
namespace supple {

/// What is evaluated for eight deformation gradients; the rows of a matrix follow each other.
struct OwnBlock {
  static constexpr int size = OwnEnergy::block;
  double F[9][size];
  double psi[size];
  double P[9][size];
};

struct Own {
  const OwnEnergy* energy;  ///< of an OwnModel, which must outlive it
  double at_rest;           ///< Psi(1), J/m^3, which is subtracted: the energy at rest is 0

  double energy_density(const Mat3<double>& F) const;
  Mat3<double> stress(const Mat3<double>& F) const;
  double energy_and_stress(const Mat3<double>& F, Mat3<double>& P) const;
};

struct OwnModel {
  static constexpr const char* name = "own";
  static constexpr int num_parameters = 0;
  std::shared_ptr<const OwnEnergy> energy;
  double at_rest = 0;         ///< as in Own
  bool is_isotropic = false;  ///< whether also Psi(F R) = Psi(F)
  template <class S>
  Own at(const S*) const {
    return {energy.get(), at_rest};
  }
};

template <class Family>
inline constexpr bool is_own = std::is_same_v<std::decay_t<Family>, OwnModel>;

/// The model for settings with an energy, which is evaluated on fixed samples of small strain.
/// Throws Error{invalid_input} at `where` if there is none, or if it throws, is not finite, changes
/// with the frame, has a stress or a negative stiffness at rest, or has a stress or Hessian that is
/// not its derivative.
OwnModel make_own(const MaterialSettings& settings, const std::string& where);

/// The k of fit_stiffness (material.h) for an energy: the largest one along stretches in thirteen
/// directions. pieces, norm: of the integrals.
double fit_own_stiffness(const OwnModel& model, const std::vector<double>& pieces, double norm);

// -------------------------------------------------------------------------------- Hessians

/// Entries of the lower triangle of d2Psi/dF2, row after row.
inline constexpr int own_entries = 45;
constexpr int own_entry(int i, int k) { return i < k ? own_entry(k, i) : i * (i + 1) / 2 + k; }

/// Treats the negative eigenvalues of eight Hessians as `mode` says; Hessians without any keep
/// their bits. H: [own_entries][8].
void mend_hessians(double (*H)[OwnEnergy::block], NegativeEigenvalues mode);

/// d2Psi/dF2 of some lanes.
template <class S>
struct OwnHessian {
  S entry[own_entries];

  SUPPLE_INLINE const S& operator()(int i, int k) const { return entry[own_entry(i, k)]; }

  /// H : e_r' q^T for each r', which `block` shares; the nine rows follow the entries of F row by
  /// row.
  struct Columns {
    S of[9][3];
  };
  SUPPLE_INLINE Columns columns(const Vector3<S>& q) const {
    Columns t;
    for (int i = 0; i < 9; ++i) {
      for (int r = 0; r < 3; ++r) {
        const Vector3<S> row{{(*this)(i, 3 * r), (*this)(i, 3 * r + 1), (*this)(i, 3 * r + 2)}};
        t.of[i][r] = dot(row, q);
      }
    }
    return t;
  }

  /// d2Psi/dx_a dx_b for the corner gradients p of a and q of b; `of_q` has the columns of q:
  ///   K_rr' = sum_cc' p_c H_(rc)(r'c') q_c'.
  SUPPLE_INLINE static Mat3<S> block(const Vector3<S>& p, const Columns& of_q) {
    Mat3<S> K;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        K(r, c) = sum_of_products(p[0], of_q.of[3 * r][c], p[1], of_q.of[3 * r + 1][c], p[2],
                                  of_q.of[3 * r + 2][c]);
      }
    }
    return K;
  }

  /// m : H : m.
  SUPPLE_INLINE S along(const Mat3<S>& m) const {
    S sum = S(0.0);
    for (int i = 0; i < 9; ++i) {
      S row = S(0.0);
      for (int k = 0; k < 9; ++k) row = row + (*this)(i, k) * m(k / 3, k % 3);
      sum = sum + row * m(i / 3, i % 3);
    }
    return sum;
  }
};

}  // namespace supple
