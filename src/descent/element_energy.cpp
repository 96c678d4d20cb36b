#include "descent/element_energy.h"

#include "descent/batch_gather.h"
#include "materials/fiber.h"

namespace supple {

namespace {

/// Energy of one block, its corner forces added into `slots`. `Family` is a material model such as
/// NeoHookeanModel: the compiler sees one straight line of arithmetic for each.
template <bool has_fiber, class Family>
double evaluate_block(const Model& model, const ElementBlock& block, const ElementRange& range,
                      const Family& family, const VectorField& x, PaddedVector* slots) {
  for (int s = 0; s < block.num_slots; ++s) slots[s] = PaddedVector{};
  Batch8 energy = 0.0;
  for (int b = block.first_batch; b < block.first_batch + block.num_batches; ++b) {
    const ElementBatch& batch = model.batches[static_cast<std::size_t>(b)];
    const auto local = static_cast<std::size_t>(b - range.first_batch);
    Batch8 parameters[Family::num_parameters > 0 ? Family::num_parameters : 1];
    for (std::size_t p = 0; p < Family::num_parameters; ++p) {
      parameters[p] = Batch8::load(&range.parameters[(local * Family::num_parameters + p) * lanes]);
    }
    const Mat3<Batch8> inverse_Dm = detail::inverse_rest(batch);
    const Mat3<Batch8> F = detail::deformation_gradient(batch, x.data(), inverse_Dm);
    Mat3<Batch8> P;
    Batch8 density = family.template at<Batch8>(parameters).energy_and_stress(F, P);
    if constexpr (has_fiber) {
      const double* fiber = &range.fibers[local * 4 * lanes];
      const Fiber<Batch8> strand{
          {{Batch8::load(fiber), Batch8::load(fiber + lanes), Batch8::load(fiber + 2 * lanes)}},
          Batch8::load(fiber + 3 * lanes)};
      Mat3<Batch8> extra;
      density += strand.energy_and_stress(F, extra);
      P = P + extra;
    }
    const Batch8 volume = Batch8::load(batch.volume);
    energy += volume * density;
    const Mat3<Batch8> H = times_transpose(volume * P, inverse_Dm);
    const Vector3<Batch8> f1 = H.column(0), f2 = H.column(1), f3 = H.column(2);
    const Vector3<Batch8> f0 = Batch8(-1.0) * (f1 + f2 + f3);
    detail::scatter_add(f0, slots, batch.slot[0]);
    detail::scatter_add(f1, slots, batch.slot[1]);
    detail::scatter_add(f2, slots, batch.slot[2]);
    detail::scatter_add(f3, slots, batch.slot[3]);
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
    const ElementBatch& batch = model.batches[b];
    const Mat3<Batch8> F =
        detail::deformation_gradient(batch, x.data(), detail::inverse_rest(batch));
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
