#include "descent/element_energy.h"

#include <type_traits>

#include "descent/batch_gather.h"
#include "materials/fiber.h"
#include "math/batch_pair.h"

namespace supple {

namespace {

/// Lanes of one batch, or of two that stand `stride` numbers apart.
template <class S>
SUPPLE_INLINE S load_lanes(const double* p, std::size_t stride) {
  if constexpr (std::is_same_v<S, Batch16>) {
    return {Batch8::load(p), Batch8::load(p + stride)};
  } else {
    return S::load(p);
  }
}

/// Columns: the forces of the corners 1 to 3, V P Dm^-T; corner 0 takes minus their sum.
SUPPLE_INLINE void add_forces(const Mat3<Batch8>& P, const ElementBatch& batch,
                              PaddedVector* slots) {
  const Mat3<Batch8> H =
      times_transpose(Batch8::load(batch.volume) * P, detail::inverse_rest(batch));
  const Vector3<Batch8> f1 = H.column(0), f2 = H.column(1), f3 = H.column(2);
  detail::scatter_add(Batch8(-1.0) * (f1 + f2 + f3), slots, batch.slot[0]);
  detail::scatter_add(f1, slots, batch.slot[1]);
  detail::scatter_add(f2, slots, batch.slot[2]);
  detail::scatter_add(f3, slots, batch.slot[3]);
}

SUPPLE_INLINE Mat3<Batch8> deformation_gradient(const ElementBatch& batch, const PaddedVector* x) {
  return detail::deformation_gradient(batch, x, detail::inverse_rest(batch));
}

/// Adds the energy and the corner forces of one batch, or of two at once; everything is added in
/// the order of the batches, so that both ways have the same bits.
template <class S, bool has_fiber, class Family>
SUPPLE_INLINE void add_batches(const ElementBatch* batch, const double* parameter_lanes,
                               const double* fiber_lanes, const Family& family,
                               const PaddedVector* x, PaddedVector* slots, Batch8& energy) {
  constexpr bool two = std::is_same_v<S, Batch16>;
  constexpr std::size_t num_parameters = Family::num_parameters;
  S parameters[num_parameters > 0 ? num_parameters : 1];
  for (std::size_t p = 0; p < num_parameters; ++p) {
    parameters[p] = load_lanes<S>(parameter_lanes + p * lanes, num_parameters * lanes);
  }
  Mat3<S> F, P;
  if constexpr (two) {
    const Mat3<Batch8> first = deformation_gradient(batch[0], x);
    F = paired(first, deformation_gradient(batch[1], x));
  } else {
    F = deformation_gradient(*batch, x);
  }
  S density = family.template at<S>(parameters).energy_and_stress(F, P);
  if constexpr (has_fiber) {
    const auto lane = [&](std::size_t i) {
      return load_lanes<S>(fiber_lanes + i * lanes, 4 * lanes);
    };
    const Fiber<S> strand{{{lane(0), lane(1), lane(2)}}, lane(3)};
    Mat3<S> extra;
    density += strand.energy_and_stress(F, extra);
    P = P + extra;
  }
  if constexpr (two) {
    energy += Batch8::load(batch[0].volume) * density.lo;
    energy += Batch8::load(batch[1].volume) * density.hi;
    add_forces(first_of(P), batch[0], slots);
    add_forces(second_of(P), batch[1], slots);
  } else {
    energy += Batch8::load(batch->volume) * density;
    add_forces(P, *batch, slots);
  }
}

/// Two batches at once are faster but where the material is so short that its chain is no longer
/// than the processor's own look-ahead: there they cost registers (stvk: 10.6 ns a tet
/// against 8.7).
template <class Family>
inline constexpr bool in_pairs =
    !std::is_same_v<Family, StvkModel> && !std::is_same_v<Family, StableNeoHookeanModel>;

/// Energy of one block, its corner forces added into `slots`. `Family` is a material model such as
/// NeoHookeanModel: the compiler sees one straight line of arithmetic for each.
template <bool has_fiber, class Family>
double evaluate_block(const Model& model, const ElementBlock& block, const ElementRange& range,
                      const Family& family, const VectorField& x, PaddedVector* slots) {
  for (int s = 0; s < block.num_slots; ++s) slots[s] = PaddedVector{};
  Batch8 energy = 0.0;
  const auto local = static_cast<std::size_t>(block.first_batch - range.first_batch);
  const ElementBatch* batch = &model.batches[static_cast<std::size_t>(block.first_batch)];
  const double* parameters = range.parameters.data() + local * Family::num_parameters * lanes;
  const double* fibers = range.fibers.data() + (has_fiber ? local * 4 * lanes : 0);
  int left = block.num_batches;
  if constexpr (in_pairs<Family>) {
    for (; left >= 2; left -= 2, batch += 2) {
      add_batches<Batch16, has_fiber>(batch, parameters, fibers, family, x.data(), slots, energy);
      parameters += 2 * Family::num_parameters * lanes;
      if (has_fiber) fibers += std::size_t{2} * 4 * lanes;
    }
  }
  for (; left > 0; --left, ++batch) {
    add_batches<Batch8, has_fiber>(batch, parameters, fibers, family, x.data(), slots, energy);
    parameters += Family::num_parameters * lanes;
    if (has_fiber) fibers += 4 * lanes;
  }
  return sum(energy);
}

}  // namespace

ElementEnergy::ElementEnergy(const Model& model)
    : model_(&model),
      slots_(static_cast<std::size_t>(model.num_slots)),
      block_energy_(model.blocks.size()) {}

double ElementEnergy::evaluate(const VectorField& x, Threads& threads) {
  const Model& model = *model_;
  threads.parallel_for(static_cast<int>(model.blocks.size()), [&](int i) {
    const ElementBlock& block = model.blocks[static_cast<std::size_t>(i)];
    const ElementRange& range = model.ranges[static_cast<std::size_t>(block.range)];
    PaddedVector* slots = &slots_[static_cast<std::size_t>(block.first_slot)];
    block_energy_[static_cast<std::size_t>(i)] = std::visit(
        [&](const auto& family) {
          return range.has_fiber ? evaluate_block<true>(model, block, range, family, x, slots)
                                 : evaluate_block<false>(model, block, range, family, x, slots);
        },
        range.material);
  });
  double energy = 0;
  for (double e : block_energy_) energy += e;
  return energy;
}

std::vector<Mat3<double>> deformation_gradients(const Model& model, const VectorField& x) {
  std::vector<Mat3<double>> result(static_cast<std::size_t>(model.num_tets));
  for (std::size_t b = 0; b < model.batches.size(); ++b) {
    const Mat3<Batch8> F = deformation_gradient(model.batches[b], x.data());
    for (int lane = 0; lane < lanes; ++lane) {
      const int tet = model.tet_of_lane[b * lanes + static_cast<std::size_t>(lane)];
      if (tet < 0) continue;
      for (int i = 0; i < 9; ++i) {
        result[static_cast<std::size_t>(tet)](i / 3, i % 3) = F(i / 3, i % 3)[lane];
      }
    }
  }
  return result;
}

}  // namespace supple
