#include "descent/hessian_diagonal.h"

#include "descent/batch_gather.h"
#include "descent/corner_block.h"
#include "materials/fiber.h"
#include "math/svd.h"

namespace supple {

namespace {

/// The diagonals of the corners' blocks of a block's tets, added into `slots`.
template <bool has_fiber, class Family>
void evaluate_block(const Model& model, const ElementBlock& block, const ElementRange& range,
                    const Family& family, const VectorField& x, PaddedVector* slots) {
  for (int s = 0; s < block.num_slots; ++s) slots[s] = PaddedVector{};
  for (int b = block.first_batch; b < block.first_batch + block.num_batches; ++b) {
    const ElementBatch& batch = model.batches[static_cast<std::size_t>(b)];
    const auto local = static_cast<std::size_t>(b - range.first_batch);
    Batch8 parameters[Family::num_parameters > 0 ? Family::num_parameters : 1];
    for (std::size_t p = 0; p < Family::num_parameters; ++p) {
      parameters[p] = Batch8::load(&range.parameters[(local * Family::num_parameters + p) * lanes]);
    }
    const Mat3<Batch8> inverse_Dm = detail::inverse_rest(batch);
    const Mat3<Batch8> F = detail::deformation_gradient(batch, x.data(), inverse_Dm);
    const Svd<Batch8> frame = svd(F);
    const PrincipalHessian<Batch8> H =
        principal_hessian(family.template at<Batch8>(parameters), frame.s, true);
    const Batch8 volume = Batch8::load(batch.volume);
    const Mat3<Batch8> Vt = transpose(frame.V);
    Vector3<Batch8> gradient[4];
    gradient[0] = {{Batch8(0.0), Batch8(0.0), Batch8(0.0)}};
    for (int a = 1; a < 4; ++a) {
      for (int k = 0; k < 3; ++k) gradient[a][k] = inverse_Dm(a - 1, k);
      gradient[0] = gradient[0] - gradient[a];
    }
    Mat3<Batch8> fiber_block = Mat3<Batch8>::zero();
    Vector3<Batch8> direction = gradient[0];
    if constexpr (has_fiber) {
      const double* f = &range.fibers[local * 4 * lanes];
      const Fiber<Batch8> fiber{
          {{Batch8::load(f), Batch8::load(f + lanes), Batch8::load(f + 2 * lanes)}},
          Batch8::load(f + 3 * lanes)};
      fiber_block = fiber.hessian_block(F, true);
      direction = fiber.direction;
    }
    for (int a = 0; a < 4; ++a) {
      const Mat3<Batch8> K = detail::corner_block(H, frame.U, Vt * gradient[a]);
      Vector3<Batch8> entries{{K(0, 0), K(1, 1), K(2, 2)}};
      if constexpr (has_fiber) {
        const Batch8 along = dot(direction, gradient[a]);
        for (int k = 0; k < 3; ++k) entries[k] += (along * along) * fiber_block(k, k);
      }
      detail::scatter_add(volume * entries, slots, batch.slot[a]);
    }
  }
}

}  // namespace

HessianDiagonal::HessianDiagonal(const Model& model)
    : model_(&model), slots_(static_cast<std::size_t>(model.num_slots)) {}

void HessianDiagonal::evaluate_elements(const VectorField& z, Threads& threads) {
  const Model& model = *model_;
  threads.parallel_for(static_cast<int>(model.blocks.size()), [&](int i) {
    const ElementBlock& block = model.blocks[static_cast<std::size_t>(i)];
    const ElementRange& range = model.ranges[static_cast<std::size_t>(block.range)];
    PaddedVector* slots = &slots_[static_cast<std::size_t>(block.first_slot)];
    std::visit(
        [&](const auto& family) {
          if (range.has_fiber) {
            evaluate_block<true>(model, block, range, family, z, slots);
          } else {
            evaluate_block<false>(model, block, range, family, z, slots);
          }
        },
        range.material);
  });
}

PaddedVector HessianDiagonal::of_vertex(std::size_t vertex, const VectorField& z) const {
  const Model& model = *model_;
  PaddedVector sum;
  for (int s = model.slot_start[vertex]; s < model.slot_start[vertex + 1]; ++s) {
    const auto slot = static_cast<std::size_t>(model.slot_list[static_cast<std::size_t>(s)]);
    for (int k = 0; k < 3; ++k) sum[k] += slots_[slot][k];
  }
  const SpringSet& set = model.springs;
  if (set.empty()) return sum;
  for (int i = set.start[vertex]; i < set.start[vertex + 1]; ++i) {
    const int entry = set.incident[static_cast<std::size_t>(i)];
    const SpringSet::Spring& spring = set.springs[static_cast<std::size_t>(entry / 2)];
    double block[9];
    spring_hessian(spring, z[static_cast<std::size_t>(spring.a)].v,
                   z[static_cast<std::size_t>(spring.b)].v, SpringHessian::clamp, block);
    for (int k = 0; k < 3; ++k) sum[k] += block[4 * k];
  }
  return sum;
}

void HessianDiagonal::evaluate(const Objective& objective, const VectorField& z,
                               VectorField& diagonal) {
  evaluate_elements(z, objective.threads());
  for (std::size_t vertex = 0; vertex < diagonal.size(); ++vertex) {
    PaddedVector sum = of_vertex(vertex, z);
    for (int k = 0; k < 3; ++k) sum[k] += model_->mass[vertex] * objective.inverse_a2();
    diagonal[vertex] = sum;
  }
  for (const PinnedVertex& pin : model_->pins.pins) {
    PaddedVector& at = diagonal[static_cast<std::size_t>(pin.vertex)];
    for (int k = 0; k < 3; ++k) at[k] += pin.stiffness;
  }
}

}  // namespace supple
