#pragma once

#include <cstddef>
#include <cstdint>

#include "base/simd_level.h"
#include "materials/material.h"
#include "math/mat3.h"
#include "position/positions.h"

/// The projection of tets, a run of batches at a time: compiled once for each level of vectors
/// (base/simd_level.h). Every level gives the same bits, and so does the serial form.
///
/// A constraint of a tet is an energy A Psi(F), A = a^2 V, F = sum x_i b_i^T, and the impulse
/// matrix Q that it has applied: corner i got w_i Q b_i, w_i = 1/m_i. With G = sum w_i b_i b_i^T,
/// this changes F by Q G. Every impulse has this form, so linear momentum is kept up to rounding.
/// The torque about the current positions is the axial vector of F Q^T, which vanishes if Q F^T is
/// symmetric.
namespace supple {

/// How a constraint is projected.
enum class TetProjection {
  /// Q is replaced by the minimiser of a local model of g, dQ = -(Q + A P(F) + ...) H. The sum of
  /// all Q is M (z - y) at any time, and a fixed point is a stationary point of g. Linear momentum
  /// is kept at every visit, angular momentum at the fixed point (there Q = -A P(F)).
  stress,
  /// Like `stress`, but for badly shaped tets of stable_neo_hookean: far from rest it moves only
  /// along the gradients of its two constraints. For other materials it is `stress`.
  careful_stress,
  /// One scalar constraint after the other, with multipliers that are summed [Macklin & Mueller
  /// 2021, eqs. 19 and 20]. dQ is a multiple of F, of cof F, of F - p(F) or of F d d^T. So each
  /// constraint keeps linear momentum, and angular momentum about the positions that it finds.
  /// Impulses of earlier visits do not turn with the tet, so the torque of M (z - y) about z does
  /// not vanish with more iterations.
  sequential,
  /// Like `sequential`, but solves the two constraints of stable_neo_hookean by their 2x2 system.
  block
};

/// Whether the whole Q is stored.
constexpr bool keeps_matrix(TetProjection projection) {
  return projection == TetProjection::stress || projection == TetProjection::careful_stress;
}

/// Materials with constraints are isotropic. So F can be taken from a rest shape that is turned by
/// any rotation R, F R, and so can Q and P. Each tet is turned so that its G is diagonal, R^T G R
/// (the b_i become R^T b_i), and no product with G remains.
///
/// What a batch stores for each lane, in rows of one number a lane:
///   Tets: b_1, b_2, b_3 (9, 1/m), w_0, -w_1, -w_2, -w_3 (1/kg), the diagonal of G, then
///     stable_neo_hookean: V mu (J), 1/(V lambda) (1/J; 0: incompressible)
///     materials of a projection: V (m^3), their parameters
///     and if the tet is damped: V tau k (J s)
///   Fibers, e_i = d . b_i: e_1, e_2, e_3, w_0, -w_1, -w_2, -w_3, sum w_i e_i^2, V kappa
/// and then the multipliers, kg m^2:
///   stress: Q, row-major (and s = A lambda (J - gamma) of stable_neo_hookean);
///     for fibers q, Q = q d^T
///   else: l, or l_D and l_H
namespace tet_rows {
inline constexpr int gradients = 0, weights = 9, mobility = 13, material = 16;
inline constexpr int fiber_gradients = 0, fiber_weights = 3, fiber_mobility = 7,
                     fiber_stiffness = 8, fiber_multipliers = 9;
}  // namespace tet_rows

/// One row: 64 bytes.
template <class T>
inline constexpr int row_lanes = static_cast<int>(64 / sizeof(T));

/// What a constraint of a tet stands for.
struct TetForm {
  const MaterialModel* material = nullptr;  ///< null: fibers
  bool damped = false;  ///< with the damping of a step (materials/step_damping.h)

  bool operator==(const TetForm& other) const {
    if (material == nullptr || other.material == nullptr) return material == other.material;
    return damped == other.damped && material->index() == other.material->index();
  }
};

/// A run of batches of one form, in the order in which they are projected.
template <class T>
struct TetWork {
  TetForm form{};
  TetProjection projection = TetProjection::stress;
  bool first = false;  ///< the first visit of a substep: multipliers are zero, whatever is stored
  bool far = false;    ///< the batches of the body do not fit the caches
  int num_batches = 0;
  const std::uint32_t* places = nullptr;       ///< [num_batches][4][row_lanes], bytes from x on
  T* rows = nullptr;                           ///< [num_batches][num_rows][row_lanes]
  PaddedPosition<T>* x = nullptr;              ///< [num_vertices], m
  const PaddedPosition<T>* x_start = nullptr;  ///< where the substep begins, [num_vertices], m
  T a = 0, a2 = 0;                             ///< a, s, and a^2, s^2
};

/// The number of rows of a constraint, and where among them its multipliers begin. Damping needs
/// whole impulse matrices (keeps_matrix).
int num_tet_rows(const TetForm& form, TetProjection projection);
int first_multiplier(const TetForm& form);

template <class T>
struct TetKernels {
  /// Projects the batches. Returns the largest |J - gamma + l_H/(A lambda)| before the visit, over
  /// the tets of stable_neo_hookean that can move; 0 for other materials.
  T (*project)(const TetWork<T>& work);
  /// Scales the stored multipliers by `scale`, then adds M^-1 times their impulses to positions. If
  /// only scalars are stored, they act along the gradients at x_start.
  void (*apply)(const TetWork<T>& work, T scale);
};

/// The kernels of a level of vectors; T: float or double.
template <class T>
const TetKernels<T>& tet_kernels(SimdLevel level);
template <>
const TetKernels<double>& tet_kernels(SimdLevel level);
template <>
const TetKernels<float>& tet_kernels(SimdLevel level);

/// Lane after lane, in scalar arithmetic: the order of a serial schedule.
template <class T>
const TetKernels<T>& serial_tet_kernels();

/// Writes the stored impulse matrices Q, kg m^2, for the rest shape as it is given (not turned),
/// whose positions are x_rest: [num_batches][row_lanes]. If only scalars are stored, they act along
/// the gradients at x.
template <class T>
void read_impulses(const TetWork<T>& work, const PaddedPosition<T>* x,
                   const PaddedPosition<T>* x_rest, Mat3<T>* Q);
extern template void read_impulses(const TetWork<double>&, const PaddedPosition<double>*,
                                   const PaddedPosition<double>*, Mat3<double>*);
extern template void read_impulses(const TetWork<float>&, const PaddedPosition<float>*,
                                   const PaddedPosition<float>*, Mat3<float>*);

struct TetTables {
  TetKernels<double> of_double;
  TetKernels<float> of_float;
};

inline namespace SUPPLE_SIMD {
extern const TetTables tet_table;
}

}  // namespace supple
