#include "elements/element_kernels.h"

#include <type_traits>

#include "elements/batch_gather.h"
#include "materials/projection.h"
#include "materials/visit.h"
#include "math/interleaved_batch.h"
#include "model/range_fibers.h"

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {

constexpr int width = register_lanes;
/// As many numbers as fill a register, and two such batches side by side.
using One = RegisterBatch;
using Two = InterleavedBatch<One>;
template <class S>
inline constexpr bool is_pair = std::is_same_v<S, Two>;

constexpr std::size_t cache_line = 64;  // bytes
constexpr int vertices_ahead = 16;      // whose positions are prefetched

using TetForces = detail::WaitingForces<width, 3, std::int32_t>;
using PairForces = detail::WaitingForces<width, 4, SlotPlace>;

/// Keeps the columns of V P Dm^-T, the forces of the corners 1 to 3.
SUPPLE_INLINE void keep_forces(const Mat3<One>& P, const ElementBatch& batch, int first,
                               TetForces& forces) {
  const Mat3<One> H = times_transpose(One::load(batch.volume + first) * P,
                                      detail::inverse_rest_of<width>(batch, first));
  const Vector3<One> f[3] = {H.column(0), H.column(1), H.column(2)};
  forces.keep(f, first);
}

SUPPLE_INLINE Mat3<One> deformation_gradient(const ElementBatch& batch, int first,
                                             const PaddedVector* x) {
  return detail::deformation_gradient_of<width>(batch, first, x,
                                                detail::inverse_rest_of<width>(batch, first));
}

/// T of the pairs in some lanes [face_pair_batches.h].
struct RestPair {
  One face[3];
  One apex[2][3];

  SUPPLE_INLINE RestPair(const FacePairBatch& pair, int first) {
    for (int i = 0; i < 3; ++i) {
      face[i] = One::load(pair.face[i] + first);
      for (int side = 0; side < 2; ++side) apex[side][i] = One::load(pair.apex[side][i] + first);
    }
  }
};

/// The columns of a matrix of each tet. The first two columns belong to both tets, as in
/// F Q = Ds T, or are sums over both, as in V P Q.
struct PairColumns {
  Vector3<One> first, second;
  Vector3<One> third[2];
};

/// F Q.
SUPPLE_INLINE PairColumns turned_gradient(const RestPair& T, const Vector3<One> (&edge)[4]) {
  const auto third = [&](int side) {
    const auto& t = T.apex[side];
    return t[0] * edge[0] + t[1] * edge[1] + t[2] * edge[2 + side];
  };
  return {T.face[0] * edge[0], T.face[1] * edge[0] + T.face[2] * edge[1], {third(0), third(1)}};
}

SUPPLE_INLINE Mat3<One> matrix_of(const PairColumns& columns, int side) {
  Mat3<One> m;
  m.set_column(0, columns.first);
  m.set_column(1, columns.second);
  m.set_column(2, columns.third[side]);
  return m;
}

/// The forces of the corners from 1 on: the columns of H T^T, H = V P Q.
SUPPLE_INLINE void forces_of(const RestPair& T, const PairColumns& H, Vector3<One> (&f)[4]) {
  const auto& [a, b] = T.apex;
  f[0] = (T.face[0] * H.first + T.face[1] * H.second) + (a[0] * H.third[0] + b[0] * H.third[1]);
  f[1] = T.face[2] * H.second + (a[1] * H.third[0] + b[1] * H.third[1]);
  f[2] = a[2] * H.third[0];
  f[3] = b[2] * H.third[1];
}

/// Counts lane by lane and sums over the lanes at the end.
struct MaskCount {
  MaskOf<One> lanes{};

  SUPPLE_INLINE void add(const MaskOf<One>& mask) { lanes.v += mask.v; }
  SUPPLE_INLINE void add(const MaskPair<MaskOf<One>>& mask) { lanes.v += mask.lo.v + mask.hi.v; }
  int total() const {
    int sum = 0;
    for (int lane = 0; lane < width; ++lane) sum -= static_cast<int>(lanes.v[lane]);
    return sum;
  }
};

template <class S>
SUPPLE_INLINE S load_lanes(const double* p, std::ptrdiff_t to_second) {
  if constexpr (is_pair<S>) {
    return {One::load(p), One::load(p + to_second)};
  } else {
    return S::load(p);
  }
}

/// Where the numbers of some lanes start.
struct LaneNumbers {
  const double* volume;
  const double* parameters;
  FiberBatches fibers;
  std::ptrdiff_t parameter_stride;  ///< from the first tets to the second ones
};

/// The material of some lanes. If energy and stress are proportional to the parameters, these
/// include the volume.
template <class S, class Family>
SUPPLE_INLINE auto material_of(const Family& family, const LaneNumbers& at, const S& volume) {
  constexpr int num_parameters = Family::num_parameters;
  S parameters[num_parameters > 0 ? num_parameters : 1];
  for (int p = 0; p < num_parameters; ++p) {
    parameters[p] = load_lanes<S>(at.parameters + p * lanes, at.parameter_stride);
    if constexpr (proportional<Family>) parameters[p] *= volume;
  }
  return family.template at<S>(parameters);
}

/// V Psi and V P of some lanes, or of both tets of these lanes.
template <class S, bool has_fiber, class Family>
SUPPLE_INLINE S energy_and_stress(const Family& family, const LaneNumbers& at, const Mat3<S>& F,
                                  Mat3<S>& P, MaskCount& inverted) {
  const S volume = load_lanes<S>(at.volume, lanes);
  S energy = material_of<S>(family, at, volume).energy_and_stress(F, P);
  // Most materials compute the determinant by the same products, so those are computed once.
  inverted.add((determinant(F) < S(0.0)) & (volume > S(0.0)));
  if constexpr (!proportional<Family>) {
    energy *= volume;
    P = volume * P;
  }
  if constexpr (has_fiber) {
    const auto load = [&](const double* p) { return load_lanes<S>(p, at.fibers.stride()); };
    for (int k = 0; k < at.fibers.count; ++k) {
      Mat3<S> extra;
      energy += load_fiber(at.fibers, k, load, volume).energy_and_stress(F, extra);
      P = P + extra;
    }
  }
  return energy;
}

/// Evaluating both tets of a lane at once is faster, except for materials so short that their
/// chain of operations is no longer than the processor's own look-ahead. For these it only costs
/// registers.
template <class Family>
inline constexpr bool at_once =
    !std::is_same_v<Family, StvkModel> && !std::is_same_v<Family, StableNeoHookeanModel>;

/// Adds the energies and returns the columns of V P Q for those of F Q.
template <bool has_fiber, class Family>
SUPPLE_INLINE PairColumns stress_of(const Family& family, const LaneNumbers& at,
                                    const PairColumns& F, One& energy, MaskCount& inverted) {
  Mat3<One> H[2];
  if constexpr (at_once<Family>) {
    Mat3<Two> P;
    const Two both = energy_and_stress<Two, has_fiber>(
        family, at, paired(matrix_of(F, 0), matrix_of(F, 1)), P, inverted);
    energy += both.lo + both.hi;
    H[0] = first_of(P), H[1] = second_of(P);
  } else {
    const LaneNumbers next{at.volume + lanes, at.parameters + at.parameter_stride,
                           at.fibers.from(1), 0};
    const One own = energy_and_stress<One, has_fiber>(family, at, matrix_of(F, 0), H[0], inverted);
    energy +=
        own + energy_and_stress<One, has_fiber>(family, next, matrix_of(F, 1), H[1], inverted);
  }
  return {H[0].column(0) + H[1].column(0),
          H[0].column(1) + H[1].column(1),
          {H[0].column(2), H[1].column(2)}};
}

/// The same if Psi = mu/2 (tr F^T F - 3) + c(J): P = mu F + c'(J) cof F. What the cofactors of both
/// tets have in common is computed once.
template <class Family>
SUPPLE_INLINE PairColumns quadratic_stress_of(const Family& family, const LaneNumbers& at,
                                              const PairColumns& F, One& energy,
                                              MaskCount& inverted) {
  const Two volume = load_lanes<Two>(at.volume, lanes);
  const auto material = material_of<Two>(family, at, volume);
  const Vector3<One> n = cross(F.first, F.second);
  const Two J{dot(n, F.third[0]), dot(n, F.third[1])};
  inverted.add((J < Two(0.0)) & (volume > Two(0.0)));
  Two shear = material.mu, pressure;
  Two of_volume = material.volume_energy_and_slope(J, pressure);
  if constexpr (!proportional<Family>) {
    shear *= volume;
    pressure *= volume;
    of_volume *= volume;
  }
  const One of_face = dot(F.first, F.first) + dot(F.second, F.second) - One(3.0);
  const Two norms{of_face + dot(F.third[0], F.third[0]), of_face + dot(F.third[1], F.third[1])};
  const Two both = Two(0.5) * (shear * norms) + of_volume;
  energy += both.lo + both.hi;
  const One shears = shear.lo + shear.hi;
  const Vector3<One> q = pressure.lo * F.third[0] + pressure.hi * F.third[1];
  return {shears * F.first + cross(F.second, q),
          shears * F.second + cross(q, F.first),
          {shear.lo * F.third[0] + pressure.lo * n, shear.hi * F.third[1] + pressure.hi * n}};
}

/// Adds the energy of the lanes from `first` on and keeps their forces. Forces kept before are
/// added in between: the processor does that while it waits for a logarithm.
template <bool has_fiber, class Family>
SUPPLE_INLINE void add_lanes(const FacePairBatch& pair, int first, const LaneNumbers& at,
                             const Family& family, const PaddedVector* x, PaddedVector* slots,
                             PairForces& forces, One& energy, MaskCount& inverted) {
  Vector3<One> edge[4];
  detail::gather_edges<width>(x, pair.slot, first, edge);
  const RestPair T(pair, first);
  const PairColumns F = turned_gradient(T, edge);
  forces.add_to(slots);
  PairColumns H;
  if constexpr (!has_fiber && quadratic_but_for_volume<Family>) {
    H = quadratic_stress_of(family, at, F, energy, inverted);
  } else {
    H = stress_of<has_fiber>(family, at, F, energy, inverted);
  }
  Vector3<One> f[4];
  forces_of(T, H, f);
  forces.keep(f, first);
}

/// Prefetches the pair after the next. Left to itself, the processor waits for memory for a third
/// of the local step of bodies that no cache holds; for bodies that fit a cache, nothing is lost
/// (docs/notes/what_makes_it_fast.md). Nothing is read beyond the last pair.
SUPPLE_INLINE void fetch_ahead(const FacePairBatch* pair) {
  const char* const ahead = reinterpret_cast<const char*>(pair + 2);
  for (std::size_t byte = 0; byte < sizeof(FacePairBatch); byte += cache_line) {
    __builtin_prefetch(ahead + byte);
  }
}

/// Positions of a block's vertices, in the order of its slots. They stay in the L1 cache.
struct Positions {
  alignas(64) double room[4 * most_slots];  // not set to zero

  SUPPLE_INLINE PaddedVector* fill(const PackedWork& work) {
    auto* const x = reinterpret_cast<PaddedVector*>(room);
    for (std::ptrdiff_t s = 0; s < work.num_slots; ++s) {
      if (s + vertices_ahead < work.num_slots) {
        __builtin_prefetch(&work.x[work.vertex_of_slot[s + vertices_ahead]]);
      }
      const PaddedVector& from = work.x[work.vertex_of_slot[s]];
      for (int k = 0; k < 4; ++k) room[4 * s + k] = from.v[k];
    }
    return x;
  }
};

template <bool has_fiber, class Family>
BlockSums evaluate(const PackedWork& work, const Family& family) {
  Positions positions;
  const PaddedVector* const x = positions.fill(work);
  for (int s = 0; s < work.num_slots; ++s) work.slots[s] = PaddedVector{};
  One energy[lanes / width];
  for (One& part : energy) part = One(0.0);
  MaskCount inverted;
  PairForces forces;
  for (std::ptrdiff_t i = 0; i < work.num_pairs; ++i) {
    const FacePairBatch& pair = work.pairs[i];
    fetch_ahead(&pair);
    const double* const parameters = work.parameters + 2 * i * work.parameter_stride;
    for (int first = 0; first < lanes; first += width) {
      const LaneNumbers at{pair.volume[0] + first, parameters + first,
                           work.fibers.from(2 * i, first), work.parameter_stride};
      add_lanes<has_fiber>(pair, first, at, family, x, work.slots, forces, energy[first / width],
                           inverted);
    }
    forces.complete(pair.slot);
  }
  forces.add_to(work.slots);
  BlockSums sums{.num_inverted = inverted.total()};
  for (const One& part : energy) {
    for (int lane = 0; lane < width; ++lane) sums.energy += part[lane];
  }
  return sums;
}

/// `Family` is a material model such as NeoHookeanModel. For each of them the compiler sees
/// straight-line arithmetic.
BlockSums energy_and_forces(const PackedWork& work) {
  return visit_model(*work.material, [&](const auto& family) {
    if constexpr (is_own<decltype(family)>) {
      return BlockSums{};
    } else {
      return work.fibers.count > 0 ? evaluate<true>(work, family) : evaluate<false>(work, family);
    }
  });
}

BlockSums own_energy_and_forces(const ElementWork& work) {
  const OwnModel& own = *std::get_if<OwnModel>(work.material);
  for (int s = 0; s < work.num_slots; ++s) work.slots[s] = PaddedVector{};
  One energy[lanes / width];
  for (One& part : energy) part = One(0.0);
  MaskCount inverted;
  TetForces forces;
  for (std::ptrdiff_t b = 0; b < work.num_batches; ++b) {
    const ElementBatch& batch = work.batches[b];
    OwnBlock block;
    for (int first = 0; first < lanes; first += width) {
      const Mat3<One> F = deformation_gradient(batch, first, work.x);
      inverted.add((determinant(F) < One(0.0)) & (One::load(batch.volume + first) > One(0.0)));
      detail::store_lanes(F, block.F, first);
    }
    own.energy->energy_and_stress(block.F, block.psi, block.P);
    for (int first = 0; first < lanes; first += width) {
      One density = One::load(block.psi + first) - One(own.at_rest);
      Mat3<One> P = detail::load_lanes<width>(block.P, first);
      for (int k = 0; k < work.fibers.count; ++k) {
        Mat3<One> extra;
        density += detail::fiber_at<One>(work.fibers, b, first, k)
                       .energy_and_stress(detail::load_lanes<width>(block.F, first), extra);
        P = P + extra;
      }
      energy[first / width] += One::load(batch.volume + first) * density;
      keep_forces(P, batch, first, forces);
    }
    forces.complete(batch.slot);
    forces.add_to(work.slots);
  }
  BlockSums sums{.num_inverted = inverted.total()};
  for (const One& part : energy) {
    for (int lane = 0; lane < width; ++lane) sums.energy += part[lane];
  }
  return sums;
}

int count_inverted(const ElementBatch* batches, int num_batches, const PaddedVector* x) {
  int found = 0;
  for (const ElementBatch* batch = batches; batch != batches + num_batches; ++batch) {
    for (int first = 0; first < lanes; first += width) {
      // J has the sign of det Ds, since rest shapes have a positive volume.
      const Mat3<One> Ds = detail::edges_of<width>(*batch, first, x);
      const One volume = One::load(batch->volume + first);
      found += count((determinant(Ds) < One(0.0)) & (volume > One(0.0)));
    }
  }
  return found;
}

template <class Family>
void project_batches(const ElementWork& work, const Family& family) {
  constexpr std::size_t num_parameters = Family::num_parameters;
  TetForces forces;
  for (std::size_t b = 0; b < static_cast<std::size_t>(work.num_batches); ++b) {
    const ElementBatch& batch = work.batches[b];
    for (int first = 0; first < lanes; first += width) {
      One parameters[num_parameters];
      for (std::size_t p = 0; p < num_parameters; ++p) {
        parameters[p] =
            One::load(work.parameters + static_cast<std::ptrdiff_t>(b) * work.parameter_stride +
                      static_cast<std::ptrdiff_t>(p) * lanes + first);
      }
      const auto material = family.template at<One>(parameters);
      const Mat3<One> F = deformation_gradient(batch, first, work.x);
      Mat3<One> target = material.projection_weight() * project(material, F);
      for (int k = 0; k < work.fibers.count; ++k) {
        const Fiber<One> fiber =
            detail::fiber_at<One>(work.fibers, static_cast<std::ptrdiff_t>(b), first, k);
        const Vector3<One> n = fiber.kappa * fiber.project(F);
        for (int i = 0; i < 9; ++i) {
          target(i / 3, i % 3) = target(i / 3, i % 3) + n[i / 3] * fiber.direction[i % 3];
        }
      }
      keep_forces(target, batch, first, forces);
    }
    forces.complete(batch.slot);
    forces.add_to(work.slots);
  }
}

void project_block(const ElementWork& work) {
  for (int s = 0; s < work.num_slots; ++s) work.slots[s] = PaddedVector{};
  visit_model(*work.material, [&](const auto& family) {
    using Family = std::decay_t<decltype(family)>;
    if constexpr (Projective<decltype(family.template at<One>(nullptr))>) {
      project_batches<Family>(work, family);
    }
  });
}

double add_damping(const DampingWork& work) {
  One energy[lanes / width];
  for (One& part : energy) part = One(0.0);
  TetForces forces;
  for (std::ptrdiff_t b = 0; b < work.num_batches; ++b) {
    const ElementBatch& batch = work.batches[b];
    for (int first = 0; first < lanes; first += width) {
      const StepDamping<One> damping{
          One(work.start.inverse_a) * One::load(work.viscosity + b * lanes + first),
          deformation_gradient(batch, first, work.start.x)};
      Mat3<One> P;
      const One density = damping.energy_and_stress(deformation_gradient(batch, first, work.x), P);
      energy[first / width] += One::load(batch.volume + first) * density;
      keep_forces(P, batch, first, forces);
    }
    forces.complete(batch.slot);
    forces.add_to(work.slots);
  }
  double sum = 0;
  for (const One& part : energy) {
    for (int lane = 0; lane < width; ++lane) sum += part[lane];
  }
  return sum;
}

}  // namespace

const ElementKernels element_table{energy_and_forces, own_energy_and_forces, count_inverted,
                                   project_block, add_damping};

}  // namespace SUPPLE_SIMD

}  // namespace supple
