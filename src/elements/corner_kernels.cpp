#include "elements/corner_kernels.h"

#include "elements/batch_gather.h"
#include "elements/corner_block.h"
#include "materials/visit.h"
#include "math/svd.h"
#include "model/range_fibers.h"

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {

constexpr int width = register_lanes;
using One = RegisterBatch;

SUPPLE_INLINE Mat3<One> load_matrix(const double (*m)[lanes], int first) {
  return detail::load_lanes<width>(m, first);
}
SUPPLE_INLINE Vector3<One> load_vector(const double (*v)[lanes], int first) {
  return {{One::load(v[0] + first), One::load(v[1] + first), One::load(v[2] + first)}};
}
SUPPLE_INLINE void store_matrix(const Mat3<One>& m, double (*to)[lanes], int first) {
  detail::store_lanes(m, to, first);
}
SUPPLE_INLINE void store_vector(const Vector3<One>& v, double (*to)[lanes], int first) {
  for (int k = 0; k < 3; ++k) v[k].store(to[k] + first);
}

/// F with the first corner at `own`.
SUPPLE_INLINE Mat3<One> deformation_gradient(const StencilBatch& batch, const Mat3<One>& inverse_Dm,
                                             const PaddedVector* x, const Vector3<One>& own,
                                             int first) {
  Mat3<One> Ds;
  for (int c = 0; c < 3; ++c) {
    Ds.set_column(c, detail::gather_lanes<width>(x, batch.vertex[c + 1] + first) - own);
  }
  return Ds * inverse_Dm;
}

template <class Family>
SUPPLE_INLINE auto material_at(const Family& family, const double* all, std::ptrdiff_t stride,
                               int b, int first) {
  constexpr int num_parameters = Family::num_parameters;
  One parameters[num_parameters > 0 ? num_parameters : 1];
  for (int p = 0; p < num_parameters; ++p) {
    parameters[p] = One::load(all + b * stride + std::ptrdiff_t{p} * lanes + first);
  }
  return family.template at<One>(parameters);
}

/// The damping of the pairs, the same code for all materials.
template <bool energy_alone>
void add_damping(const PairWork& work, double* energies, PairSums* sums) {
  for (int first = 0; first < lanes; first += width) {
    const Vector3<One> own = load_vector(work.own, first);
    const Vector3<One> own_start = detail::gather_lanes<width>(work.start.x, work.vertex + first);
    One energy = One::load(energies + first);
    Vector3<One> gradient;
    Mat3<One> hessian;
    if constexpr (!energy_alone) {
      gradient = load_vector(sums->gradient, first);
      hessian = load_matrix(sums->hessian, first);
    }
    for (int b = 0; b < work.num_batches; ++b) {
      const StencilBatch& batch = work.batches[b];
      const Mat3<One> inverse_Dm = load_matrix(batch.inverse_rest, first);
      const Mat3<One> F = deformation_gradient(batch, inverse_Dm, work.x, own, first);
      const One viscosity = One::load(work.viscosity + std::ptrdiff_t{b} * lanes + first);
      const StepDamping<One> damping{
          One(work.start.inverse_a) * (One::load(batch.volume + first) * viscosity),
          deformation_gradient(batch, inverse_Dm, work.start.x, own_start, first)};
      if constexpr (energy_alone) {
        energy += damping.energy_density(F);
      } else {
        Vector3<One> shape;
        for (int k = 0; k < 3; ++k) {
          shape[k] = One(-1.0) * (inverse_Dm(0, k) + inverse_Dm(1, k) + inverse_Dm(2, k));
        }
        Mat3<One> P;
        energy += damping.energy_and_stress(F, P);
        gradient = gradient + P * shape;
        hessian = hessian + damping.positive_hessian(F).block(shape, shape);
      }
    }
    energy.store(energies + first);
    if constexpr (!energy_alone) {
      store_vector(gradient, sums->gradient, first);
      store_matrix(hessian, sums->hessian, first);
    }
  }
}

/// The deformation gradients of a batch of pairs.
SUPPLE_INLINE void own_gradients(const PairWork& work, const StencilBatch& batch,
                                 double (*F)[lanes]) {
  for (int first = 0; first < lanes; first += width) {
    store_matrix(deformation_gradient(batch, load_matrix(batch.inverse_rest, first), work.x,
                                      load_vector(work.own, first), first),
                 F, first);
  }
}

/// volume x for a user's own energy, which can be infinite in an empty lane.
SUPPLE_INLINE One in_lanes(const One& volume, const One& x) {
  return select(volume > One(0.0), volume * x, One(0.0));
}

void add_own_energy(const PairWork& work, const OwnModel& own, double* energy) {
  for (int b = 0; b < work.num_batches; ++b) {
    OwnBlock block;
    own_gradients(work, work.batches[b], block.F);
    own.energy->energy_density(block.F, block.psi);
    for (int first = 0; first < lanes; first += width) {
      One density = One::load(block.psi + first) - One(own.at_rest);
      for (int k = 0; k < work.fibers.count; ++k) {
        density += detail::fiber_at<One>(work.fibers, b, first, k)
                       .energy_density(load_matrix(block.F, first));
      }
      const One volume = One::load(work.batches[b].volume + first);
      (One::load(energy + first) + in_lanes(volume, density)).store(energy + first);
    }
  }
}

void add_own_pairs(const PairWork& work, const OwnModel& own, PairSums& sums) {
  double all[own_entries][lanes];
  for (int b = 0; b < work.num_batches; ++b) {
    const StencilBatch& batch = work.batches[b];
    OwnBlock block;
    own_gradients(work, batch, block.F);
    own.energy->energy_and_stress(block.F, block.psi, block.P);
    own.energy->hessian(block.F, all);
    for (int first = 0; first < lanes; first += width) {
      const Mat3<One> inverse_Dm = load_matrix(batch.inverse_rest, first);
      Vector3<One> shape;
      for (int k = 0; k < 3; ++k) {
        shape[k] = One(-1.0) * (inverse_Dm(0, k) + inverse_Dm(1, k) + inverse_Dm(2, k));
      }
      One density = One::load(block.psi + first) - One(own.at_rest);
      Mat3<One> P = load_matrix(block.P, first);
      const OwnHessian<One> H = detail::own_hessian_of<width>(all, first, One(1.0));
      Mat3<One> K = H.block(shape, H.columns(shape));
      for (int k = 0; k < work.fibers.count; ++k) {
        const Fiber<One> fiber = detail::fiber_at<One>(work.fibers, b, first, k);
        const Mat3<One> F = load_matrix(block.F, first);
        Mat3<One> extra;
        density += fiber.energy_and_stress(F, extra);
        P = P + extra;
        const One share = dot(fiber.direction, shape);
        K = K + (share * share) * fiber.hessian_block(F, false);
      }
      const One volume = One::load(batch.volume + first);
      const Vector3<One> force = P * shape;
      (One::load(sums.energy + first) + in_lanes(volume, density)).store(sums.energy + first);
      for (int k = 0; k < 3; ++k) {
        double* const to = sums.gradient[k] + first;
        (One::load(to) + in_lanes(volume, force[k])).store(to);
      }
      for (int i = 0; i < 9; ++i) {
        double* const to = sums.hessian[i] + first;
        (One::load(to) + in_lanes(volume, K(i / 3, i % 3))).store(to);
      }
    }
  }
}

void add_energy(const PairWork& work, double* energy) {
  visit_model(*work.material, [&](const auto& family) {
    if constexpr (is_own<decltype(family)>) {
      add_own_energy(work, family, energy);
    } else {
      for (int first = 0; first < lanes; first += width) {
        const Vector3<One> own = load_vector(work.own, first);
        One sum = One::load(energy + first);
        for (int b = 0; b < work.num_batches; ++b) {
          const StencilBatch& batch = work.batches[b];
          const Mat3<One> F = deformation_gradient(batch, load_matrix(batch.inverse_rest, first),
                                                   work.x, own, first);
          One density = material_at(family, work.parameters, work.parameter_stride, b, first)
                            .energy_density(F);
          for (int k = 0; k < work.fibers.count; ++k) {
            density += detail::fiber_at<One>(work.fibers, b, first, k).energy_density(F);
          }
          sum += One::load(batch.volume + first) * density;
        }
        sum.store(energy + first);
      }
    }
  });
  if (work.viscosity != nullptr) add_damping<true>(work, energy, nullptr);
}

void add_pairs(const PairWork& work, PairSums& sums) {
  visit_model(*work.material, [&](const auto& family) {
    if constexpr (is_own<decltype(family)>) {
      add_own_pairs(work, family, sums);
    } else {
      for (int first = 0; first < lanes; first += width) {
        const Vector3<One> own = load_vector(work.own, first);
        One energy = One::load(sums.energy + first);
        Vector3<One> gradient = load_vector(sums.gradient, first);
        Mat3<One> hessian = load_matrix(sums.hessian, first);
        for (int b = 0; b < work.num_batches; ++b) {
          const StencilBatch& batch = work.batches[b];
          const Mat3<One> inverse_Dm = load_matrix(batch.inverse_rest, first);
          const Mat3<One> F = deformation_gradient(batch, inverse_Dm, work.x, own, first);
          const auto material =
              material_at(family, work.parameters, work.parameter_stride, b, first);
          const One volume = One::load(batch.volume + first);
          Vector3<One> shape;
          for (int k = 0; k < 3; ++k) {
            shape[k] = One(-1.0) * (inverse_Dm(0, k) + inverse_Dm(1, k) + inverse_Dm(2, k));
          }
          const Svd<One> frame = svd(F);
          const Vector3<One> q = transpose(frame.V) * shape;
          // P grad N = U diag(dPsi/ds) V^T grad N
          Vector3<One> along = principal_stress(material, frame.s);
          for (int k = 0; k < 3; ++k) along[k] = along[k] * q[k];
          gradient = gradient + volume * (frame.U * along);
          const PrincipalHessian<One> H = principal_hessian(material, frame.s, false);
          hessian = hessian + volume * detail::corner_block(H, frame.U, q);
          One density = material.energy_density(F);
          for (int k = 0; k < work.fibers.count; ++k) {
            const Fiber<One> fiber = detail::fiber_at<One>(work.fibers, b, first, k);
            Mat3<One> P;
            density += fiber.energy_and_stress(F, P);
            gradient = gradient + volume * (P * shape);
            const One share = dot(fiber.direction, shape);
            hessian = hessian + (volume * (share * share)) * fiber.hessian_block(F, false);
          }
          energy += volume * density;
        }
        energy.store(sums.energy + first);
        store_vector(gradient, sums.gradient, first);
        store_matrix(hessian, sums.hessian, first);
      }
    }
  });
  if (work.viscosity != nullptr) add_damping<false>(work, sums.energy, &sums);
}

void solve_absolute(const double (*hessian)[lanes], const double (*b)[lanes], const double* floor,
                    double (*d)[lanes]) {
  for (int first = 0; first < lanes; first += width) {
    store_vector(detail::solve_absolute(load_matrix(hessian, first), load_vector(b, first),
                                        One::load(floor + first)),
                 d, first);
  }
}

/// The gradients of the shape functions of the four corners.
SUPPLE_INLINE void shape_gradients(const Mat3<One>& inverse_Dm, Vector3<One> (&gradient)[4]) {
  gradient[0] = {{One(0.0), One(0.0), One(0.0)}};
  for (int a = 1; a < 4; ++a) {
    gradient[a] = inverse_Dm.row(a - 1);
    gradient[0] = gradient[0] - gradient[a];
  }
}

/// Adds the fibers' part to the entries of the corners.
SUPPLE_INLINE void add_fiber_diagonals(const FiberBatches& fibers, int b, int first,
                                       const Mat3<One>& F, const Vector3<One> (&gradient)[4],
                                       Vector3<One> (&entries)[4]) {
  for (int family = 0; family < fibers.count; ++family) {
    const Fiber<One> fiber = detail::fiber_at<One>(fibers, b, first, family);
    const Mat3<One> block = fiber.hessian_block(F, true);
    for (int a = 0; a < 4; ++a) {
      const One along = dot(fiber.direction, gradient[a]);
      for (int k = 0; k < 3; ++k) entries[a][k] += (along * along) * block(k, k);
    }
  }
}

/// The same for a user's own energy with given Hessians [own_entries][lanes].
SUPPLE_INLINE void own_diagonals(const ElementWork& work, const double (*all)[lanes], int b,
                                 int first, Vector3<One> (&entries)[4]) {
  const ElementBatch& batch = work.batches[b];
  const Mat3<One> inverse_Dm = detail::inverse_rest_of<width>(batch, first);
  const One volume = One::load(batch.volume + first);
  const OwnHessian<One> H = detail::own_hessian_of<width>(all, first, One(1.0));
  Vector3<One> gradient[4];
  shape_gradients(inverse_Dm, gradient);
  for (int a = 0; a < 4; ++a) {
    const Mat3<One> K = H.block(gradient[a], H.columns(gradient[a]));
    entries[a] = {{K(0, 0), K(1, 1), K(2, 2)}};
  }
  if (work.fibers.count > 0) {
    const Mat3<One> F = detail::deformation_gradient_of<width>(batch, first, work.x, inverse_Dm);
    add_fiber_diagonals(work.fibers, b, first, F, gradient, entries);
  }
  for (int a = 0; a < 4; ++a) entries[a] = volume * entries[a];
}

/// The diagonal entries of the four corners in some lanes of a batch.
template <class Family>
SUPPLE_INLINE void corner_diagonals(const ElementWork& work, const Family& family, int b, int first,
                                    Vector3<One> (&entries)[4]) {
  const ElementBatch& batch = work.batches[b];
  const Mat3<One> inverse_Dm = detail::inverse_rest_of<width>(batch, first);
  const Mat3<One> F = detail::deformation_gradient_of<width>(batch, first, work.x, inverse_Dm);
  const Svd<One> frame = svd(F);
  const PrincipalHessian<One> H = principal_hessian(
      material_at(family, work.parameters, work.parameter_stride, b, first), frame.s, true);
  const One volume = One::load(batch.volume + first);
  const Mat3<One> Vt = transpose(frame.V);
  Vector3<One> gradient[4];
  shape_gradients(inverse_Dm, gradient);
  for (int a = 0; a < 4; ++a) {
    const Mat3<One> K = detail::corner_block(H, frame.U, Vt * gradient[a]);
    entries[a] = {{K(0, 0), K(1, 1), K(2, 2)}};
  }
  add_fiber_diagonals(work.fibers, b, first, F, gradient, entries);
  for (int a = 0; a < 4; ++a) entries[a] = volume * entries[a];
}

/// The same for the damping.
SUPPLE_INLINE void damped_diagonals(const ElementWork& work, int b, int first,
                                    Vector3<One> (&entries)[4]) {
  const ElementBatch& batch = work.batches[b];
  const Mat3<One> inverse_Dm = detail::inverse_rest_of<width>(batch, first);
  const One viscosity = One::load(work.viscosity + std::ptrdiff_t{b} * lanes + first);
  const StepDamping<One> damping{
      One(work.start.inverse_a) * (One::load(batch.volume + first) * viscosity),
      detail::deformation_gradient_of<width>(batch, first, work.start.x, inverse_Dm)};
  const auto hessian = damping.positive_hessian(
      detail::deformation_gradient_of<width>(batch, first, work.x, inverse_Dm));
  Vector3<One> gradient[4];
  shape_gradients(inverse_Dm, gradient);
  for (int a = 0; a < 4; ++a) {
    const Mat3<One> K = hessian.block(gradient[a], gradient[a]);
    entries[a] = {{K(0, 0), K(1, 1), K(2, 2)}};
  }
}

/// Adds the entries that entries_of(b, first, entries) gives for each batch to the slots.
template <class EntriesOf>
SUPPLE_INLINE void add_diagonals(const ElementWork& work, const EntriesOf& entries_of) {
  for (int b = 0; b < work.num_batches; ++b) {
    double all[4][3][lanes];
    for (int first = 0; first < lanes; first += width) {
      Vector3<One> entries[4];
      entries_of(b, first, entries);
      for (int a = 0; a < 4; ++a) store_vector(entries[a], all[a], first);
    }
    for (int a = 0; a < 4; ++a) {
      for (int lane = 0; lane < lanes; ++lane) {
        PaddedVector& slot = work.slots[work.batches[b].slot[a][lane]];
        for (int k = 0; k < 3; ++k) slot[k] += all[a][k][lane];
      }
    }
  }
}

void hessian_diagonal(const ElementWork& work) {
  for (int s = 0; s < work.num_slots; ++s) work.slots[s] = PaddedVector{};
  visit_model(*work.material, [&](const auto& family) {
    if constexpr (is_own<decltype(family)>) {
      double all[own_entries][lanes];
      int batch = -1;
      add_diagonals(work, [&](int b, int first, Vector3<One>(&entries)[4]) {
        if (b != batch) {
          double F[9][lanes];
          detail::deformation_gradients_of<width>(work.batches[b], work.x, F);
          family.energy->hessian(F, all);
          mend_hessians(all, NegativeEigenvalues::clamp);
          batch = b;
        }
        own_diagonals(work, all, b, first, entries);
      });
      return;
    } else {
      add_diagonals(work, [&](int b, int first, Vector3<One>(&entries)[4]) {
        corner_diagonals(work, family, b, first, entries);
      });
    }
  });
  if (work.viscosity == nullptr) return;
  add_diagonals(work, [&](int b, int first, Vector3<One>(&entries)[4]) {
    damped_diagonals(work, b, first, entries);
  });
}

void decompose(const double (*m)[lanes], LaneFrames& frames) {
  for (int first = 0; first < lanes; first += width) {
    const Svd<One> frame = svd(load_matrix(m, first));
    store_matrix(frame.U, frames.U, first);
    store_vector(frame.s, frames.s, first);
    store_matrix(frame.V, frames.V, first);
  }
}

}  // namespace

const CornerKernels corner_table{add_pairs, add_energy, solve_absolute, hessian_diagonal,
                                 decompose};

}  // namespace SUPPLE_SIMD

}  // namespace supple
