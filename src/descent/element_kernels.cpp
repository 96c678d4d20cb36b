#include "descent/element_kernels.h"

#include <type_traits>

#include "descent/batch_gather.h"
#include "materials/fiber.h"
#include "materials/projection.h"
#include "materials/visit.h"
#include "math/batch_pair.h"

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {

constexpr int width = register_lanes;
/// As many numbers as fill a register, and two such side by side.
using One = RegisterBatch;
using Two = BatchPair<One>;
template <class S>
inline constexpr bool is_pair = std::is_same_v<S, Two>;

constexpr std::size_t cache_line = 64;  // bytes
constexpr int vertices_ahead = 16;      // whose positions are asked for

/// Where registers hold a whole batch the second of a pair is the next batch, else the next lanes.
constexpr bool whole = width == lanes;
constexpr int next_lane = whole ? 0 : width;

/// Corner forces of a batch whose lanes come a few at a time: they are added when all are there, so
/// that the order of the sums does not depend on the width.
struct Forces {
  PaddedVector of[3][lanes];  ///< corner from the second on, lane
};

template <class S>
SUPPLE_INLINE S load_lanes(const double* p, std::size_t stride) {
  if constexpr (is_pair<S>) {
    return {One::load(p), One::load(p + (whole ? stride : next_lane))};
  } else {
    return S::load(p);
  }
}

/// The forces of the corners 1 to 3, of corner 0 minus their sum, to their slots, or kept until the
/// batch's other lanes are there.
template <class Index>
SUPPLE_INLINE void place_forces(const Vector3<One> (&f)[3], const Index (*slot)[lanes], int first,
                                Forces& forces, PaddedVector* slots) {
  if constexpr (whole) {
    detail::scatter_add(f, slots, slot);
  } else {
    for (int c = 0; c < 3; ++c) detail::spread_lanes(f[c], forces.of[c] + first);
  }
}

/// Columns: the forces of the corners 1 to 3, V P Dm^-T.
SUPPLE_INLINE void add_forces(const Mat3<One>& P, const ElementBatch& batch, int first,
                              Forces& forces, PaddedVector* slots) {
  const Mat3<One> H = times_transpose(One::load(batch.volume + first) * P,
                                      detail::inverse_rest_of<width>(batch, first));
  const Vector3<One> f[3] = {H.column(0), H.column(1), H.column(2)};
  place_forces(f, batch.slot, first, forces, slots);
}

/// What add_forces has kept of a batch.
template <class SomeBatch>
SUPPLE_INLINE void add_kept(const SomeBatch& batch, const Forces& forces, PaddedVector* slots) {
  if constexpr (whole) return;
  using Four = Batch<double, 4>;
  const auto add = [&](int corner, int lane, const Four& force) {
    PaddedVector& slot = detail::named(slots, batch.slot[corner][lane]);
    (Four::load(slot.v) + force).store(slot.v);
  };
  for (int lane = 0; lane < lanes; ++lane) {
    const Four f1 = Four::load(forces.of[0][lane].v), f2 = Four::load(forces.of[1][lane].v),
               f3 = Four::load(forces.of[2][lane].v);
    add(0, lane, -(f1 + f2 + f3));
    add(1, lane, f1);
    add(2, lane, f2);
    add(3, lane, f3);
  }
}

SUPPLE_INLINE Mat3<One> deformation_gradient(const ElementBatch& batch, int first,
                                             const PaddedVector* x) {
  return detail::deformation_gradient_of<width>(batch, first, x,
                                                detail::inverse_rest_of<width>(batch, first));
}

/// T of some lanes, and what is done with it [packed_elements.h].
template <class S>
struct RestTriangle {
  S t[6];

  SUPPLE_INLINE static RestTriangle load(const PackedBatch& batch, int first) {
    RestTriangle T;
    for (int i = 0; i < 6; ++i) T.t[i] = S::load(batch.rest[i] + first);
    return T;
  }

  /// F Q = Ds T.
  SUPPLE_INLINE Mat3<S> turned_gradient(const Vector3<S> (&edge)[3]) const {
    Mat3<S> F;
    F.set_column(0, t[0] * edge[0] + t[1] * edge[1] + t[3] * edge[2]);
    F.set_column(1, t[2] * edge[1] + t[4] * edge[2]);
    F.set_column(2, t[5] * edge[2]);
    return F;
  }
};

SUPPLE_INLINE Mat3<One> turned_gradient(const PackedBatch& batch, int first,
                                        const PaddedVector* x) {
  Vector3<One> edge[3];
  detail::gather_edges<width>(x, batch.slot, first, edge);
  return RestTriangle<One>::load(batch, first).turned_gradient(edge);
}

/// H = V P Q. Columns: the forces of the corners 1 to 3, H T^T.
SUPPLE_INLINE void add_forces(const Mat3<One>& H, const PackedBatch& batch, int first,
                              Forces& forces, PaddedVector* slots) {
  const auto [t] = RestTriangle<One>::load(batch, first);
  const Vector3<One> f[3] = {t[0] * H.column(0), t[1] * H.column(0) + t[2] * H.column(1),
                             t[3] * H.column(0) + t[4] * H.column(1) + t[5] * H.column(2)};
  place_forces(f, batch.slot, first, forces, slots);
}

/// Whether energy and stress of a material are proportional to its parameters, for values of zero,
/// too: the volume is then put into these instead of into ten numbers.
template <class Family>
inline constexpr bool proportional = requires {
  Family::proportional;
};

/// Counts lane by lane: one sum over the lanes at the end.
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

/// Adds the energy and the corner forces of some lanes from `first` on; everything is added in the
/// order of the batches, so that all ways have the same bits. energy: of each `width` lanes.
template <class S, bool has_fiber, class Family>
SUPPLE_INLINE void add_lanes(const PackedBatch* batch, int first, const double* parameter_lanes,
                             std::size_t parameter_stride, const double* fiber_lanes,
                             const Family& family, const PaddedVector* x, PaddedVector* slots,
                             Forces& forces, One* energy, MaskCount& inverted) {
  constexpr std::size_t num_parameters = Family::num_parameters;
  const PackedBatch& second = batch[whole ? 1 : 0];
  const S volume = [&] {
    const One own = One::load(batch->volume + first);
    if constexpr (is_pair<S>) {
      return S{own, One::load(second.volume + first + next_lane)};
    } else {
      return own;
    }
  }();
  S parameters[num_parameters > 0 ? num_parameters : 1];
  for (std::size_t p = 0; p < num_parameters; ++p) {
    parameters[p] = load_lanes<S>(parameter_lanes + p * lanes + first, parameter_stride);
    if constexpr (proportional<Family>) parameters[p] *= volume;
  }
  Mat3<S> F, P;
  if constexpr (is_pair<S>) {
    // In the order of memory: as arguments of one call g++ takes the second first.
    const Mat3<One> of_first = turned_gradient(batch[0], first, x);
    F = paired(of_first, turned_gradient(second, first + next_lane, x));
  } else {
    F = turned_gradient(*batch, first, x);
  }
  S own_energy = family.template at<S>(parameters).energy_and_stress(F, P);
  // Most materials have the determinant by the same products, which are then done once.
  inverted.add((determinant(F) < S(0.0)) & (volume > S(0.0)));
  if constexpr (!proportional<Family>) {
    own_energy *= volume;
    P = volume * P;
  }
  if constexpr (has_fiber) {
    const auto lane = [&](std::size_t i) {
      return load_lanes<S>(fiber_lanes + i * lanes + first, 4 * lanes);
    };
    const Fiber<S> strand{{{lane(0), lane(1), lane(2)}}, volume * lane(3)};
    Mat3<S> extra;
    own_energy += strand.energy_and_stress(F, extra);
    P = P + extra;
  }
  if constexpr (is_pair<S>) {
    energy[0] += own_energy.lo;
    energy[whole ? 0 : 1] += own_energy.hi;
    add_forces(first_of(P), *batch, first, forces, slots);
    add_forces(second_of(P), second, first + next_lane, forces, slots);
  } else {
    energy[0] += own_energy;
    add_forces(P, *batch, first, forces, slots);
  }
}

/// Two at once are faster but where the material is so short that its chain is no longer than the
/// processor's own look-ahead: there they cost registers (stvk: 10.6 ns a tet against 8.7).
template <class Family>
inline constexpr bool in_pairs =
    !std::is_same_v<Family, StvkModel> && !std::is_same_v<Family, StableNeoHookeanModel>;

/// Asks for `count` batches in two batches' time. Left to itself the processor waits for memory for
/// a third of the local step of bodies that no cache holds; where one does, nothing is lost
/// (docs/performance.md). Nothing is read behind the last batch.
SUPPLE_INLINE void fetch_ahead(const PackedBatch* batch, int count) {
  const char* const ahead = reinterpret_cast<const char*>(batch + 2);
  for (std::size_t byte = 0; byte < static_cast<std::size_t>(count) * sizeof(PackedBatch);
       byte += cache_line) {
    __builtin_prefetch(ahead + byte);
  }
}

/// Positions of a block's vertices, in the order of its slots: they stay in the first cache.
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
  Forces forces;
  const PackedBatch* batch = work.batches;
  const double* parameters = work.parameters;
  const double* fibers = work.fibers;
  const auto stride = static_cast<std::size_t>(work.parameter_stride);
  const auto advance = [&](int count) {
    batch += count;
    parameters += static_cast<std::ptrdiff_t>(count) * work.parameter_stride;
    if (has_fiber) fibers += static_cast<std::ptrdiff_t>(count) * 4 * lanes;
  };
  int left = work.num_batches;
  if constexpr (whole && in_pairs<Family>) {
    for (; left >= 2; left -= 2, advance(2)) {
      fetch_ahead(batch, 2);
      add_lanes<Two, has_fiber>(batch, 0, parameters, stride, fibers, family, x, work.slots, forces,
                                energy, inverted);
    }
  }
  using S = std::conditional_t<!whole && in_pairs<Family>, Two, One>;
  constexpr int step = is_pair<S> ? 2 * width : width;
  for (; left > 0; --left, advance(1)) {
    fetch_ahead(batch, 1);
    for (int first = 0; first < lanes; first += step) {
      add_lanes<S, has_fiber>(batch, first, parameters, stride, fibers, family, x, work.slots,
                              forces, energy + first / width, inverted);
    }
    add_kept(*batch, forces, work.slots);
  }
  BlockSums sums{.num_inverted = inverted.total()};
  for (const One& part : energy) {
    for (int lane = 0; lane < width; ++lane) sums.energy += part[lane];
  }
  return sums;
}

/// `Family` is a material model such as NeoHookeanModel: the compiler sees one straight line of
/// arithmetic for each.
BlockSums energy_and_forces(const PackedWork& work) {
  return visit_model(*work.material, [&](const auto& family) {
    return work.fibers != nullptr ? evaluate<true>(work, family) : evaluate<false>(work, family);
  });
}

int count_inverted(const ElementBatch* batches, int num_batches, const PaddedVector* x) {
  int found = 0;
  for (const ElementBatch* batch = batches; batch != batches + num_batches; ++batch) {
    for (int first = 0; first < lanes; first += width) {
      // J has the sign of det Ds, as rest shapes have a positive volume.
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
  Forces forces;
  for (std::size_t b = 0; b < static_cast<std::size_t>(work.num_batches); ++b) {
    const ElementBatch& batch = work.batches[b];
    for (int first = 0; first < lanes; first += width) {
      One parameters[num_parameters];
      for (std::size_t p = 0; p < num_parameters; ++p) {
        parameters[p] = One::load(work.parameters + (b * num_parameters + p) * lanes + first);
      }
      const auto material = family.template at<One>(parameters);
      const Mat3<One> F = deformation_gradient(batch, first, work.x);
      Mat3<One> target = material.projection_weight() * project(material, F);
      if (work.fibers != nullptr) {
        const auto lane = [&](std::size_t i) {
          return One::load(work.fibers + (b * 4 + i) * lanes + first);
        };
        const Fiber<One> fiber{{{lane(0), lane(1), lane(2)}}, lane(3)};
        const Vector3<One> n = fiber.kappa * fiber.project(F);
        for (int i = 0; i < 9; ++i) {
          target(i / 3, i % 3) = target(i / 3, i % 3) + n[i / 3] * fiber.direction[i % 3];
        }
      }
      add_forces(target, batch, first, forces, work.slots);
    }
    add_kept(batch, forces, work.slots);
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

}  // namespace

const ElementKernels element_table{energy_and_forces, count_inverted, project_block};

}  // namespace SUPPLE_SIMD

}  // namespace supple
