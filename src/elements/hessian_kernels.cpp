#include "elements/hessian_kernels.h"

#include "elements/batch_gather.h"
#include "elements/corner_block.h"
#include "materials/visit.h"
#include "math/svd.h"

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {

constexpr int width = register_lanes;
using One = RegisterBatch;

/// The blocks of a batch. Its lanes can be filled a few at a time.
struct Blocks {
  double corner[4][6][lanes];        ///< lower triangle of K_aa, row after row
  double edge[num_edges][9][lanes];  ///< K_ab or its transpose, row-major
};

/// K^_ab of hessian.h for corner gradients p = V^T grad N_a, q = V^T grad N_b.
SUPPLE_INLINE Mat3<One> rotated_block(const PrincipalHessian<One>& H, const Vector3<One>& p,
                                      const Vector3<One>& q) {
  Mat3<One> K;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, l = (i + 2) % 3;
    // The pair (i, j) is stored under the index that is neither.
    K(i, i) = H.A[i][i] * (p[i] * q[i]) + H.alpha[l] * (p[j] * q[j]) + H.alpha[j] * (p[l] * q[l]);
    const One ij = p[i] * q[j], ji = p[j] * q[i];
    K(i, j) = H.A[i][j] * ij + H.beta[l] * ji;
    K(j, i) = H.A[j][i] * ji + H.beta[l] * ij;
  }
  return K;
}

/// Stores all blocks. Only those of corners 1 to 3 are computed: the blocks of a row and of a
/// column add up to zero, since a translation costs nothing.
SUPPLE_INLINE void store_blocks(const Mat3<One>* corner, const Mat3<One>* edge,
                                const std::int32_t* edges, int first, Blocks& out) {
  // Rows of corners 1 to 3, columns of corner 0: K_a0 = -(K_a1 + K_a2 + K_a3).
  const Mat3<One> minus[3] = {corner[0] + transpose(edge[0]) + transpose(edge[1]),
                              edge[0] + corner[1] + transpose(edge[2]),
                              edge[1] + edge[2] + corner[2]};
  const Mat3<One> first_corner = minus[0] + minus[1] + minus[2];
  const auto store_corner = [&](const Mat3<One>& K, int a) {
    for (int r = 0, e = 0; r < 3; ++r) {
      for (int c = 0; c <= r; ++c, ++e) K(r, c).store(out.corner[a][e] + first);
    }
  };
  store_corner(first_corner, 0);
  for (int a = 1; a < 4; ++a) store_corner(corner[a - 1], a);
  for (int e = 0; e < num_edges; ++e) {
    One place;
    for (int lane = 0; lane < width; ++lane) place.set(lane, edges[e * lanes + first + lane]);
    const auto turned = place < One(0.0);
    const Mat3<One> K = e < 3 ? One(-1.0) * minus[e] : edge[e - 3];
    for (int i = 0; i < 9; ++i) {
      select(turned, K(i % 3, i / 3), K(i / 3, i % 3)).store(out.edge[e][i] + first);
    }
  }
}

/// Computes the blocks of corners 1 to 3 and of the edges between them.
SUPPLE_INLINE void principal_blocks(PrincipalHessian<One> H, const Svd<One>& frame,
                                    const Mat3<One>& inverse_Dm, const One& volume,
                                    Mat3<One>* corner, Mat3<One>* edge) {
  for (int i = 0; i < 3; ++i) {
    H.alpha[i] = volume * H.alpha[i];
    H.beta[i] = volume * H.beta[i];
    for (int k = 0; k < 3; ++k) H.A[i][k] = volume * H.A[i][k];
  }
  // Rows of Dm^-1 are the gradients of corners 1 to 3.
  const Mat3<One> rotated = inverse_Dm * frame.V;
  Vector3<One> gradient[3];
  for (int a = 0; a < 3; ++a) gradient[a] = {{rotated(a, 0), rotated(a, 1), rotated(a, 2)}};

  for (int a = 0; a < 3; ++a) corner[a] = detail::corner_block(H, frame.U, gradient[a]);
  for (int e = 0; e < 3; ++e) {
    const Mat3<One> inner =
        rotated_block(H, gradient[edge_a[e + 3] - 1], gradient[edge_b[e + 3] - 1]);
    edge[e] = frame.U * times_transpose(inner, frame.U);
  }
}

/// Adds the fibers' blocks of some lanes of a batch.
SUPPLE_INLINE void add_fibers(const FiberBatches& fibers, std::size_t b, int first,
                              const Mat3<One>& F, const Mat3<One>& inverse_Dm, const One& volume,
                              NegativeEigenvalues mode, Mat3<One>* corner, Mat3<One>* edge) {
  for (int family = 0; family < fibers.count; ++family) {
    const Fiber<One> fiber =
        detail::fiber_at<One>(fibers, static_cast<std::ptrdiff_t>(b), first, family);
    const Mat3<One> block = volume * fiber.hessian_block(F, mode);
    const Vector3<One> along = inverse_Dm * fiber.direction;
    for (int a = 0; a < 3; ++a) corner[a] = corner[a] + (along[a] * along[a]) * block;
    for (int e = 0; e < 3; ++e) {
      edge[e] = edge[e] + (along[edge_a[e + 3] - 1] * along[edge_b[e + 3] - 1]) * block;
    }
  }
}

/// The blocks of `width` tets from lane `first` on, N/m.
template <bool has_fiber, class Family>
SUPPLE_INLINE void evaluate_batch(const HessianWork& work, const Family& family, std::size_t b,
                                  int first, Blocks& out) {
  const ElementBatch& batch = work.batches[b];
  One parameters[Family::num_parameters > 0 ? Family::num_parameters : 1];
  for (std::size_t p = 0; p < Family::num_parameters; ++p) {
    parameters[p] =
        One::load(work.parameters + static_cast<std::ptrdiff_t>(b) * work.parameter_stride +
                  static_cast<std::ptrdiff_t>(p) * lanes + first);
  }
  const Mat3<One> inverse_Dm = detail::inverse_rest_of<width>(batch, first);
  const Mat3<One> F = detail::deformation_gradient_of<width>(batch, first, work.x, inverse_Dm);
  const Svd<One> frame = svd(F);
  PrincipalHessian<One> H =
      principal_hessian(family.template at<One>(parameters), frame.s, work.mode);
  const One volume = One::load(batch.volume + first);
  Mat3<One> corner[3], edge[3];
  principal_blocks(H, frame, inverse_Dm, volume, corner, edge);
  if constexpr (has_fiber) {
    add_fibers(work.fibers, b, first, F, inverse_Dm, volume, work.mode, corner, edge);
  }
  store_blocks(corner, edge, work.edges + b * num_edges * lanes, first, out);
}

/// The same for a user's own energy with given F and d2Psi/dF2. The latter still has to be mended
/// in principal stretches (is_principal), or is used as it is.
SUPPLE_INLINE void evaluate_own(const HessianWork& work, const double (*gradients)[lanes],
                                const double (*hessians)[lanes], bool is_principal, std::size_t b,
                                int first, Blocks& out) {
  const ElementBatch& batch = work.batches[b];
  const Mat3<One> inverse_Dm = detail::inverse_rest_of<width>(batch, first);
  const One volume = One::load(batch.volume + first);
  Mat3<One> corner[3], edge[3];
  if (is_principal) {
    const OwnHessian<One> H = detail::own_hessian_of<width>(hessians, first, One(1.0));
    const Svd<One> frame = svd(detail::load_lanes<width>(gradients, first));
    principal_blocks(detail::principal_hessian_of(H, frame, work.mode), frame, inverse_Dm, volume,
                     corner, edge);
  } else {
    const OwnHessian<One> H = detail::own_hessian_of<width>(hessians, first, volume);
    for (int a = 0; a < 3; ++a) {
      const auto columns = H.columns(inverse_Dm.row(a));
      corner[a] = H.block(inverse_Dm.row(a), columns);
      for (int e = 0; e < 3; ++e) {
        if (edge_b[e + 3] - 1 == a) edge[e] = H.block(inverse_Dm.row(edge_a[e + 3] - 1), columns);
      }
    }
  }
  if (work.fibers.count > 0) {
    add_fibers(work.fibers, b, first, detail::load_lanes<width>(gradients, first), inverse_Dm,
               volume, work.mode, corner, edge);
  }
  store_blocks(corner, edge, work.edges + b * num_edges * lanes, first, out);
}

/// Adds lane after lane, so that the order of the sums does not depend on the width.
SUPPLE_INLINE void add_batch(const Blocks& blocks, const ElementBatch& batch,
                             const std::int32_t* edges, double* sums) {
  for (int lane = 0; lane < lanes; ++lane) {
    for (int a = 0; a < 4; ++a) {
      double* to = sums + std::ptrdiff_t{entries_per_sum} * batch.slot[a][lane];
      for (int r = 0, e = 0; r < 3; ++r) {
        for (int c = 0; c <= r; ++c, ++e) to[3 * r + c] += blocks.corner[a][e][lane];
      }
    }
    for (int e = 0; e < num_edges; ++e) {
      const std::int32_t place = edges[e * lanes + lane];
      double* to = sums + std::ptrdiff_t{entries_per_sum} * (place < 0 ? ~place : place);
      for (int i = 0; i < 9; ++i) to[i] += blocks.edge[e][i][lane];
    }
  }
}

template <bool has_fiber, class Family>
void add_block(const HessianWork& work, const Family& family) {
  for (std::ptrdiff_t i = 0; i < std::ptrdiff_t{entries_per_sum} * work.num_sums; ++i) {
    work.sums[i] = 0;
  }
  Blocks blocks;
  for (std::size_t b = 0; b < static_cast<std::size_t>(work.num_batches); ++b) {
    for (int first = 0; first < lanes; first += width) {
      evaluate_batch<has_fiber>(work, family, b, first, blocks);
    }
    add_batch(blocks, work.batches[b], work.edges + b * num_edges * lanes, work.sums);
  }
}

void add_own_block(const HessianWork& work, const OwnModel& own) {
  for (std::ptrdiff_t i = 0; i < std::ptrdiff_t{entries_per_sum} * work.num_sums; ++i) {
    work.sums[i] = 0;
  }
  Blocks blocks;
  double F[9][lanes], H[own_entries][lanes];
  for (std::size_t b = 0; b < static_cast<std::size_t>(work.num_batches); ++b) {
    detail::deformation_gradients_of<width>(work.batches[b], work.x, F);
    own.energy->hessian(F, H);
    const bool mends = work.mode != NegativeEigenvalues::keep;
    const bool is_principal = mends && own.is_isotropic;
    if (mends && !is_principal) mend_hessians(H, work.mode);
    for (int first = 0; first < lanes; first += width) {
      evaluate_own(work, F, H, is_principal, b, first, blocks);
    }
    add_batch(blocks, work.batches[b], work.edges + b * num_edges * lanes, work.sums);
  }
}

/// The damping of `width` tets from lane `first` on, N/m.
SUPPLE_INLINE void evaluate_damping(const HessianWork& work, std::size_t b, int first,
                                    Blocks& out) {
  const ElementBatch& batch = work.batches[b];
  const Mat3<One> inverse_Dm = detail::inverse_rest_of<width>(batch, first);
  const One viscosity = One::load(work.viscosity + b * lanes + static_cast<std::size_t>(first));
  const StepDamping<One> damping{
      One(work.start.inverse_a) * (One::load(batch.volume + first) * viscosity),
      detail::deformation_gradient_of<width>(batch, first, work.start.x, inverse_Dm)};
  const Mat3<One> F = detail::deformation_gradient_of<width>(batch, first, work.x, inverse_Dm);
  const auto hessian =
      work.mode == NegativeEigenvalues::keep ? damping.hessian(F) : damping.positive_hessian(F);
  Vector3<One> gradient[3];
  for (int a = 0; a < 3; ++a) {
    gradient[a] = {{inverse_Dm(a, 0), inverse_Dm(a, 1), inverse_Dm(a, 2)}};
  }
  Mat3<One> corner[3], edge[3];
  for (int a = 0; a < 3; ++a) corner[a] = hessian.block(gradient[a], gradient[a]);
  for (int e = 0; e < 3; ++e) {
    edge[e] = hessian.block(gradient[edge_a[e + 3] - 1], gradient[edge_b[e + 3] - 1]);
  }
  store_blocks(corner, edge, work.edges + b * num_edges * lanes, first, out);
}

void add_damping(const HessianWork& work) {
  Blocks blocks;
  for (std::size_t b = 0; b < static_cast<std::size_t>(work.num_batches); ++b) {
    for (int first = 0; first < lanes; first += width) evaluate_damping(work, b, first, blocks);
    add_batch(blocks, work.batches[b], work.edges + b * num_edges * lanes, work.sums);
  }
}

void add_elements(const HessianWork& work) {
  visit_model(*work.material, [&](const auto& family) {
    if constexpr (is_own<decltype(family)>) {
      add_own_block(work, family);
    } else if (work.fibers.count > 0) {
      add_block<true>(work, family);
    } else {
      add_block<false>(work, family);
    }
  });
  if (work.viscosity != nullptr) add_damping(work);
}

/// Uses the modes to which the eigenvalues of the other materials belong. If the energy is not
/// isotropic, the values are lower bounds.
void find_own_eigenvalues(const LargestEigenvalueWork& work, const OwnModel& own) {
  double gradients[9][lanes], hessians[own_entries][lanes];
  for (std::size_t b = 0; b < static_cast<std::size_t>(work.num_batches); ++b) {
    detail::deformation_gradients_of<width>(work.batches[b], work.x, gradients);
    own.energy->hessian(gradients, hessians);
    for (int first = 0; first < lanes; first += width) {
      const OwnHessian<One> H = detail::own_hessian_of<width>(hessians, first, One(1.0));
      const Svd<One> frame = svd(detail::load_lanes<width>(gradients, first));
      const auto dyad = [&](int i, int k) {
        Mat3<One> m;
        for (int e = 0; e < 9; ++e) m(e / 3, e % 3) = frame.U(e / 3, i) * frame.V(e % 3, k);
        return m;
      };
      One largest = One(0.0);
      const auto look_along = [&](const Mat3<One>& mode, double weight) {
        const One value = One(weight) * H.along(mode);
        largest = select(largest < value, value, largest);
      };
      for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        look_along(dyad(k, k), 1);
        look_along(dyad(i, j) + dyad(j, i), 0.5);
        look_along(dyad(i, j) - dyad(j, i), 0.5);
      }
      largest.store(work.eigenvalues + b * lanes + static_cast<std::size_t>(first));
    }
  }
}

void find_largest_eigenvalues(const LargestEigenvalueWork& work) {
  visit_model(*work.material, [&](const auto& family) {
    if constexpr (is_own<decltype(family)>) {
      find_own_eigenvalues(work, family);
      return;
    } else {
      constexpr std::size_t count = std::decay_t<decltype(family)>::num_parameters;
      for (std::size_t b = 0; b < static_cast<std::size_t>(work.num_batches); ++b) {
        for (int first = 0; first < lanes; first += width) {
          const ElementBatch& batch = work.batches[b];
          One parameters[count > 0 ? count : 1];
          for (std::size_t p = 0; p < count; ++p) {
            parameters[p] =
                One::load(work.parameters + static_cast<std::ptrdiff_t>(b) * work.parameter_stride +
                          static_cast<std::ptrdiff_t>(p) * lanes + first);
          }
          const Mat3<One> inverse_Dm = detail::inverse_rest_of<width>(batch, first);
          const Mat3<One> F =
              detail::deformation_gradient_of<width>(batch, first, work.x, inverse_Dm);
          const PrincipalModes<One> modes =
              principal_modes(family.template at<One>(parameters), svd(F).s);
          One largest = One(0.0);
          for (int k = 0; k < 3; ++k) {
            for (const One& value : {modes.A[k][k], modes.symmetric[k], modes.skew[k]}) {
              largest = select(largest < value, value, largest);
            }
          }
          largest.store(work.eigenvalues + b * lanes + static_cast<std::size_t>(first));
        }
      }
    }
  });
}

}  // namespace

const HessianKernels hessian_table{add_elements, find_largest_eigenvalues};

}  // namespace SUPPLE_SIMD

}  // namespace supple
