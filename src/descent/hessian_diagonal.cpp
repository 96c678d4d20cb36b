#include "descent/hessian_diagonal.h"

#include "elements/damping.h"
#include "elements/element_kernels.h"

namespace supple {

SUPPLE_DEFINE_KERNELS(CornerKernels, corner_kernels, corner_table)

HessianDiagonal::HessianDiagonal(const Model& model)
    : model_(&model),
      kernels_(&corner_kernels(simd_level_in_use())),
      slots_(static_cast<std::size_t>(model.num_slots)) {}

void HessianDiagonal::evaluate_elements(const VectorField& z, const StepStart& start,
                                        Threads& threads) {
  threads.parallel_for(static_cast<int>(model_->blocks.size()), [&](int i) {
    const ElementBlock& block = model_->blocks[static_cast<std::size_t>(i)];
    const ElementRange& range = model_->ranges[static_cast<std::size_t>(block.range)];
    ElementWork work = work_of_block(*model_, block, z, slots_);
    work.viscosity =
        viscosity_of(range, static_cast<std::size_t>(block.first_batch - range.first_batch));
    work.start = start;
    kernels_->hessian_diagonal(work);
  });
}

PaddedVector HessianDiagonal::of_vertex(std::size_t vertex, const VectorField& z,
                                        const StepStart& start) const {
  const Model& model = *model_;
  PaddedVector sum;
  for (int s = model.slot_start[vertex]; s < model.slot_start[vertex + 1]; ++s) {
    const auto slot = static_cast<std::size_t>(model.slot_list[static_cast<std::size_t>(s)]);
    for (int k = 0; k < 3; ++k) sum[k] += slots_[slot][k];
  }
  const SpringSet& set = model.springs;
  for (int i = set.empty() ? 0 : set.start[vertex]; !set.empty() && i < set.start[vertex + 1];
       ++i) {
    const int entry = set.incident[static_cast<std::size_t>(i)];
    const SpringSet::Spring& spring = set.springs[static_cast<std::size_t>(entry / 2)];
    double block[9];
    spring_hessian(spring, z[static_cast<std::size_t>(spring.a)].v,
                   z[static_cast<std::size_t>(spring.b)].v, SpringHessian::clamp, block);
    for (int k = 0; k < 3; ++k) sum[k] += block[4 * k];
    if (!model.is_damped()) continue;
    spring_hessian(damper(model, spring, start), z[static_cast<std::size_t>(spring.a)].v,
                   z[static_cast<std::size_t>(spring.b)].v, SpringHessian::clamp, block);
    for (int k = 0; k < 3; ++k) sum[k] += block[4 * k];
  }
  const MembraneSet& membranes = model.membranes;
  if (membranes.empty()) return sum;
  for (int i = membranes.corner_start[vertex]; i < membranes.corner_start[vertex + 1]; ++i) {
    const int corner = membranes.corners[static_cast<std::size_t>(i)];
    const double* x[3];
    for (int c = 0; c < 3; ++c) {
      x[c] = z[static_cast<std::size_t>(membranes.vertex(corner / 3, c))].v;
    }
    double gradient[3], block[9];
    membranes.energy_at_corner(corner / 3, x, corner % 3, NegativeEigenvalues::clamp, gradient,
                               block);
    for (int k = 0; k < 3; ++k) sum[k] += block[4 * k];
    if (!model.is_damped()) continue;
    const SheetDamping damping(model, corner / 3, start);
    const Mat3<double> K =
        damping.block(damping.hessian(z, NegativeEigenvalues::clamp), corner % 3, corner % 3);
    for (int k = 0; k < 3; ++k) sum[k] += K(k, k);
  }
  for (int i = membranes.bend_start[vertex]; i < membranes.bend_start[vertex + 1]; ++i) {
    const auto& [bend, weight] = membranes.bends_of_vertex[static_cast<std::size_t>(i)];
    const double stiffness =
        membranes.bends[static_cast<std::size_t>(bend)].stiffness * weight * weight;
    for (int k = 0; k < 3; ++k) sum[k] += stiffness;
  }
  for (int i = membranes.hinge_start[vertex]; i < membranes.hinge_start[vertex + 1]; ++i) {
    const int corner = membranes.hinges_of_vertex[static_cast<std::size_t>(i)];
    const BentHinge hinge =
        bent_hinge(membranes.hinges[static_cast<std::size_t>(corner / 4)],
                   [&](int other) { return z[static_cast<std::size_t>(other)].v; });
    const Mat3<double> block = hinge.positive_block(corner % 4, corner % 4);
    for (int k = 0; k < 3; ++k) sum[k] += block(k, k);
  }
  return sum;
}

void HessianDiagonal::evaluate(const Objective& objective, const VectorField& z,
                               VectorField& diagonal) {
  const StepStart start = objective.start();
  evaluate_elements(z, start, objective.threads());
  for (std::size_t vertex = 0; vertex < diagonal.size(); ++vertex) {
    PaddedVector sum = of_vertex(vertex, z, start);
    for (int k = 0; k < 3; ++k) sum[k] += model_->mass[vertex] * objective.inverse_a2();
    diagonal[vertex] = sum;
  }
  for (std::size_t vertex = 0; vertex < model_->rods.bending_diagonal.size(); ++vertex) {
    const double bending = model_->rods.bending_diagonal[vertex];
    const double damped =
        bending + bending * model_->damping_of(static_cast<int>(vertex), start.inverse_a);
    for (int k = 0; k < 3; ++k) diagonal[vertex][k] += damped;
  }
  for (const PinnedVertex& pin : model_->pins.pins) {
    PaddedVector& at = diagonal[static_cast<std::size_t>(pin.vertex)];
    for (int k = 0; k < 3; ++k) at[k] += pin.stiffness;
  }
  for (std::size_t b = 0; b < model_->bonds.size(); ++b) {
    const PointBond& bond = model_->bonds.bonds[b];
    const Mat3<double> H =
        bond.hessian(objective.bond_lengths()[b], bond.span(z), BondHessian::clamp);
    for (std::size_t c = 0; c < static_cast<std::size_t>(bond.count); ++c) {
      PaddedVector& at = diagonal[static_cast<std::size_t>(bond.vertices[c])];
      for (int k = 0; k < 3; ++k) at[k] += bond.weights[c] * bond.weights[c] * H(k, k);
    }
  }
}

}  // namespace supple
