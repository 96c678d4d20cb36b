#include "elements/element_energy.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/index.h"
#include "elements/batch_gather.h"

namespace supple {

SUPPLE_DEFINE_KERNELS(ElementKernels, element_kernels, element_table)

namespace {

/// The blocks of each body, sorted by the mean number of their vertices. Passes over vertices give
/// each thread a contiguous range of vertices. With this order a thread finds the forces that it
/// reads and the positions that it writes in its own cache. Without it, if the curve of the tets
/// runs against the numbering of the vertices, every cache line changes hands twice.
std::vector<int> by_vertices(const Model& model) {
  std::vector<double> mean;
  mean.reserve(model.blocks.size());
  for (const ElementBlock& block : model.blocks) {
    double sum = 0;
    const auto first = model.tet_of_lane.begin() + std::ptrdiff_t{block.first_batch} * lanes;
    std::for_each(first, first + std::ptrdiff_t{block.num_batches} * lanes, [&](int name) {
      for (const int vertex : model.tets[at(name < 0 ? ~name : name)]) sum += vertex;
    });
    mean.push_back(sum / block.num_batches);
  }
  std::vector<int> order(mean.size());
  std::iota(order.begin(), order.end(), 0);
  const auto body = [&](int block) { return model.ranges[at(model.blocks[at(block)].range)].body; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return body(a) != body(b) ? body(a) < body(b) : mean[at(a)] < mean[at(b)];
  });
  return order;
}

}  // namespace

const double* viscosity_of(const ElementRange& range, std::size_t local) {
  return range.viscosity.empty() ? nullptr : range.viscosity.data() + local * lanes;
}

BodyPieces blocks_of_bodies(const Model& model) {
  std::vector<int> first(at(model.num_bodies()) + 1, 0);
  for (const ElementBlock& block : model.blocks)
    ++first[at(model.ranges[at(block.range)].body) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  return BodyPieces(std::move(first));
}

ElementWork work_of_block(const Model& model, const ElementBlock& block, const VectorField& x,
                          VectorField& slots) {
  const ElementRange& range = model.ranges[static_cast<std::size_t>(block.range)];
  const auto local = static_cast<std::size_t>(block.first_batch - range.first_batch);
  return {.material = &range.material,
          .batches = &model.batches()[static_cast<std::size_t>(block.first_batch)],
          .num_batches = block.num_batches,
          .parameters = range.parameters_of(local),
          .parameter_stride = range.parameter_stride,
          .fibers = fibers_from(range, local),
          .x = x.data(),
          .slots = slots.data() + block.first_slot,
          .num_slots = block.num_slots};
}

ElementEnergy::ElementEnergy(const Model& model)
    : model_(&model), kernels_(&element_kernels(simd_level_in_use())), packed_(model) {
  prepare();
}

void ElementEnergy::elements_changed() {
  packed_ = FacePairBatches(*model_);
  prepare();
}

void ElementEnergy::prepare() {
  slots_.resize(static_cast<std::size_t>(model_->num_slots));
  block_sums_.resize(model_->blocks.size());
  turn_ = by_vertices(*model_);
  pieces_ = blocks_of_bodies(*model_);
}

PackedWork ElementEnergy::work_of(std::size_t b, const VectorField& x) {
  const ElementBlock& block = model_->blocks[b];
  const auto r = static_cast<std::size_t>(block.range);
  const ElementRange& range = model_->ranges[r];
  const FacePairBatches::Range& packed = packed_.ranges[r];
  const int first = packed_.block_start[b];
  // Number of the range's pairs before the block.
  const std::ptrdiff_t before = first - packed.first_pair;
  return {.material = &range.material,
          .pairs = packed_.pairs.data() + first,
          .num_pairs = packed_.block_start[b + 1] - first,
          .parameters = packed.parameters.data() + 2 * before * packed.parameter_stride,
          .parameter_stride = packed.parameter_stride,
          .fibers = FiberBatches{packed.fibers.data(), range.curves.data(), range.num_fibers}.from(
              2 * before),
          .x = x.data(),
          .vertex_of_slot = packed_.vertex_of_slot.data() + block.first_slot,
          .slots = slots_.data() + block.first_slot,
          .num_slots = block.num_slots};
}

double ElementEnergy::evaluate(const VectorField& x, Threads& threads) {
  pieces_.parallel_for(threads, [&](int i) {
    const auto b = at(turn_[at(i)]);
    const ElementBlock& block = model_->blocks[b];
    block_sums_[b] = std::holds_alternative<OwnModel>(model_->ranges[at(block.range)].material)
                         ? kernels_->own_energy_and_forces(work_of_block(*model_, block, x, slots_))
                         : kernels_->energy_and_forces(work_of(b, x));
  });
  double energy = 0;
  // A body has the same range of indices in turn_ as in the blocks.
  for (const int b : pieces_.selected()) energy += block_sums_[at(b)].energy;
  return energy;
}

double ElementEnergy::energy_of(int body) const {
  double energy = 0;
  for (int b = pieces_.first(body); b < pieces_.first(body + 1); ++b) {
    energy += block_sums_[at(b)].energy;
  }
  return energy;
}

int ElementEnergy::num_inverted() const {
  int found = 0;
  for (const int b : pieces_.selected()) {
    const int range = model_->blocks[at(b)].range;
    if (model_->ranges[at(range)].layer == 0) found += block_sums_[at(b)].num_inverted;
  }
  return found;
}

std::vector<Mat3<double>> deformation_gradients(const Model& model, const VectorField& x) {
  std::vector<Mat3<double>> result(static_cast<std::size_t>(model.num_tets));
  for (std::size_t first = 0; first < model.num_batches(); first += batches_per_block) {
    const std::vector<ElementBatch> batches = model.make_batches(
        first, std::min<std::size_t>(batches_per_block, model.num_batches() - first));
    for (std::size_t b = 0; b < batches.size(); ++b) {
      const Mat3<Batch8> F =
          detail::deformation_gradient(batches[b], x.data(), detail::inverse_rest(batches[b]));
      for (int lane = 0; lane < lanes; ++lane) {
        const int tet = model.tet_of_lane[(first + b) * lanes + at(lane)];
        if (tet < 0) continue;
        for (int i = 0; i < 9; ++i) result[at(tet)](i / 3, i % 3) = F(i / 3, i % 3)[lane];
      }
    }
  }
  return result;
}

}  // namespace supple
