#include "descent/following_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <string>
#include <utility>

#include "base/index.h"
#include "supple/error.h"

namespace supple {

namespace {

/// What a tet costs in one evaluation, s: between the times of the materials on one core.
constexpr double seconds_per_tet = 4e-8;
/// Part of a tet's largest eigenvalue that its weight must be: along a step of -A^-1 grad g, the
/// function g decreases if A > H/2.
constexpr double needed_part = 0.5;
/// A weight that is too small or too large by no more than this factor stays.
constexpr double margin = 1.1;
/// Another matrix is worth a try when one part in so many of the work goes into tries beyond the
/// first.
constexpr double work_per_spent = 3;
/// If raised weights have not made the steps longer, the next look waits for as much work as so
/// many factors cost.
constexpr double futile_prices = 10;
/// The dearest factor that is made costs as much as so many evaluations: it lengthens one step.
constexpr double dearest = 30;
/// Batches that a thread looks at in one go.
constexpr int batches_per_piece = batches_per_block;

}  // namespace

FollowingWeights::FollowingWeights(const Model& model)
    : kernels_(&hessian_kernels(simd_level_in_use())), fitted_(model.stiffness) {}

void FollowingWeights::count(const Objective& objective) {
  const int evaluations = objective.num_evaluations();
  const int tries = evaluations_ < 0 ? 0 : evaluations - evaluations_;
  evaluations_ = evaluations;
  if (tries <= 0) return;
  const double try_seconds = seconds_per_tet * objective.model().num_tets;
  spent_ += (tries - 1) * try_seconds;
  worked_ += tries * try_seconds;
}

void FollowingWeights::begin_step(Objective& objective, BodyMatrices& matrix) {
  evaluations_ = -1;
  const Model& model = objective.model();
  if (objective.contact() != nullptr) {
    spent_ = worked_ = 0;
    if (!is_raised_) return;
    try {
      refactor(model, objective.threads(), matrix, fitted_.all());
    } catch (const std::bad_alloc&) {  // raised weights serve until there is memory
    }
    return;
  }
  // A look at the weights costs about an evaluation.
  const double look = seconds_per_tet * model.num_tets;
  const double price = matrix.factor_seconds() + look;
  const bool is_paid = spent_ >= std::max(price, worked_ / work_per_spent);
  if (!is_paid && worked_ < work_per_spent * price) return;
  spent_ = worked_ = is_paid && is_raised_ ? -futile_prices * price : 0;
  if ((!is_paid && !is_raised_) || price > std::min(longest_factor_, dearest * look)) {
    return;
  }
  try {
    std::vector<double> next = find_eigenvalues(model, objective.x_start(), objective.threads());
    if (choose(next)) refactor(model, objective.threads(), matrix, std::move(next));
  } catch (const std::bad_alloc&) {  // the matrix stays as it is
  }
}

/// Largest eigenvalue of each tet, summed over its layers: [num_tets], Pa.
std::vector<double> FollowingWeights::find_eigenvalues(const Model& model, const VectorField& z,
                                                       Threads& threads) const {
  std::vector<double> of_lane(model.num_batches() * lanes);
  for (const ElementRange& range : model.ranges) {
    const int pieces = (range.num_batches + batches_per_piece - 1) / batches_per_piece;
    threads.parallel_for(pieces, [&](int piece) {
      const int first = piece * batches_per_piece,
                count = std::min(batches_per_piece, range.num_batches - first);
      const std::vector<ElementBatch> batches =
          model.make_batches(at(range.first_batch + first), at(count));
      kernels_->find_largest_eigenvalues(
          {.material = &range.material,
           .batches = batches.data(),
           .num_batches = count,
           .parameters = range.parameters_of(at(first)),
           .parameter_stride = range.parameter_stride,
           .x = z.data(),
           .eigenvalues = &of_lane[at(range.first_batch + first) * lanes]});
    });
  }
  std::vector<double> eigenvalues(fitted_.size(), 0.0);
  for (std::size_t lane = 0; lane < of_lane.size(); ++lane) {
    const int tet = model.tet_of_lane[lane];
    if (tet >= 0) eigenvalues[at(tet)] += of_lane[lane];
  }
  return eigenvalues;
}

/// Turns eigenvalues into weights. Returns whether some of them are new.
bool FollowingWeights::choose(std::vector<double>& next) const {
  bool are_new = false;
  for (std::size_t t = 0; t < next.size(); ++t) {
    // std::max takes the fitted one if the state is not finite.
    const double wanted = std::min(std::max(fitted_[t], needed_part * next[t]), most * fitted_[t]);
    next[t] = weight(t);
    if (wanted <= margin * next[t] && margin * wanted >= next[t]) continue;
    next[t] = wanted;
    are_new = true;
  }
  return are_new;
}

bool FollowingWeights::refactor(const Model& model, Threads& threads, BodyMatrices& matrix,
                                std::vector<double> next) {
  std::vector<PrefactoredSystem::Entry> addition;
  for (std::size_t t = 0; t < next.size(); ++t) {
    if (next[t] == fitted_[t]) continue;
    const double more = (next[t] - fitted_[t]) * model.volume[t];
    const std::array<Vec3, 4> gradient = model.shape_gradients(t);
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        const Vec3 &ga = gradient[a], &gb = gradient[b];
        addition.push_back({model.tets[t][a], model.tets[t][b],
                            more * (ga[0] * gb[0] + ga[1] * gb[1] + ga[2] * gb[2])});
      }
    }
  }
  if (!matrix.set_addition(model, addition, threads)) return false;
  is_raised_ = !addition.empty();
  raised_ = is_raised_ ? std::move(next) : std::vector<double>{};
  return true;
}

FollowingWeights::Memory FollowingWeights::memory() const {
  return {.weights = raised_, .spent = spent_, .worked = worked_};
}

void FollowingWeights::set_memory(const Memory& memory, const Model& model, Threads& threads,
                                  BodyMatrices& matrix) {
  const std::vector<double> next = memory.weights.empty() ? fitted_.all() : memory.weights;
  const bool are_sound =
      std::all_of(next.begin(), next.end(), [](double k) { return std::isfinite(k) && k > 0; });
  if (next.size() != fitted_.size() || !are_sound || !std::isfinite(memory.spent) ||
      !std::isfinite(memory.worked)) {
    throw Error(ErrorKind::invalid_input, "weights",
                "expected a positive number for each of the " + std::to_string(fitted_.size()) +
                    " tets, or none");
  }
  const bool is_new = next != (is_raised_ ? raised_ : fitted_.all());
  if (is_new && !refactor(model, threads, matrix, next)) {
    throw Error(ErrorKind::invalid_input, "weights",
                "the matrix is not positive definite with them");
  }
  spent_ = memory.spent;
  worked_ = memory.worked;
}

}  // namespace supple
