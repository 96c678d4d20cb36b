#include "descent/following_weights.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <string>

#include "base/index.h"
#include "supple/error.h"

namespace supple {

namespace {

/// What a tet costs in one evaluation, s: between the models' times on one core.
constexpr double seconds_per_tet = 4e-8;
/// Of the weight that a tet has, that it needs before it gets another one.
constexpr double raised_above = 2, lowered_below = 0.5;
/// Factors that must have been spent on tries beyond the first before another one is made.
constexpr double spent_to_raise = 1, spent_to_raise_again = 2;
/// Tries beyond the first that are no reason for another matrix, however cheap it is.
constexpr double fewest_tries = 8;
/// Factors that must have been worked for, and evaluations, before raised weights are looked at.
constexpr double worked_to_look = 8, fewest_to_look = 40;
/// Of a factor and a column of its inverse, s: three columns take a solve.
constexpr double seconds_per_entry = 1e-10;
/// Batches that a thread looks at in one go.
constexpr int batches_per_piece = batches_per_block;

}  // namespace

FollowingWeights::FollowingWeights(const Model& model)
    : kernels_(&hessian_kernels(simd_level_in_use())),
      fitted_(model.stiffness),
      weights_(fitted_) {}

void FollowingWeights::begin_step() {
  // What is not spent again and again is no reason for another matrix.
  spent_ /= 2;
}

bool FollowingWeights::follow(Objective& objective, const VectorField& z, int tries,
                              PinnedMatrix& matrix, std::size_t columns) {
  const double try_seconds = seconds_per_tet * objective.model().num_tets,
               price = matrix.matrix().factor_seconds() +
                       static_cast<double>(columns) * seconds_per_entry *
                           static_cast<double>(matrix.matrix().factor_entries());
  spent_ += (tries - 1) * try_seconds;
  worked_ += tries * try_seconds;
  const double factors = is_raised_ ? spent_to_raise_again : spent_to_raise;
  const bool is_paid = spent_ >= std::max(factors * price, fewest_tries * try_seconds),
             is_due = is_raised_ &&
                      worked_ >= std::max(worked_to_look * price, fewest_to_look * try_seconds);
  if (!is_paid && !is_due) return false;
  spent_ = worked_ = 0;
  try {
    find_eigenvalues(objective.model(), z, objective.threads());
    return choose() && refactor(objective.model(), objective.threads(), matrix);
  } catch (const std::bad_alloc&) {  // the matrix that there is serves
    return false;
  }
}

void FollowingWeights::find_eigenvalues(const Model& model, const VectorField& z,
                                        Threads& threads) {
  of_lane_.resize(model.batches.size() * lanes);
  for (const ElementRange& range : model.ranges) {
    const int pieces = (range.num_batches + batches_per_piece - 1) / batches_per_piece;
    threads.parallel_for(pieces, [&](int piece) {
      const int first = piece * batches_per_piece,
                count = std::min(batches_per_piece, range.num_batches - first);
      kernels_->find_largest_eigenvalues(
          {.material = &range.material,
           .batches = &model.batches[at(range.first_batch + first)],
           .num_batches = count,
           .parameters = range.parameters.data() + at(first) * at(range.num_parameters) * lanes,
           .x = z.data(),
           .eigenvalues = &of_lane_[at(range.first_batch + first) * lanes]});
    });
  }
  next_.assign(fitted_.size(), 0.0);
  for (std::size_t lane = 0; lane < of_lane_.size(); ++lane) {
    const int tet = model.tet_of_lane[lane];
    if (tet >= 0) next_[at(tet)] += of_lane_[lane];
  }
}

/// Puts the weights of the eigenvalues in next_; whether some are others than those there are.
bool FollowingWeights::choose() {
  bool are_others = false;
  for (std::size_t t = 0; t < next_.size(); ++t) {
    // Not a number where the state is none.
    const double needed = std::min(next_[t], most * fitted_[t]);
    next_[t] = weights_[t];
    const bool is_up = needed > raised_above * weights_[t],
               is_down = weights_[t] > fitted_[t] && needed < lowered_below * weights_[t];
    if (!is_up && !is_down) continue;
    next_[t] = std::max(needed, fitted_[t]);
    are_others = true;
  }
  return are_others;
}

bool FollowingWeights::refactor(const Model& model, Threads& threads, PinnedMatrix& matrix) {
  addition_.clear();
  for (std::size_t t = 0; t < next_.size(); ++t) {
    if (next_[t] == fitted_[t]) continue;
    const double more = (next_[t] - fitted_[t]) * model.volume[t];
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        const Vec3 &ga = model.shape_gradient[t][a], &gb = model.shape_gradient[t][b];
        addition_.push_back({model.tets[t][a], model.tets[t][b],
                             more * (ga[0] * gb[0] + ga[1] * gb[1] + ga[2] * gb[2])});
      }
    }
  }
  if (!matrix.set_addition(model, addition_, threads)) return false;
  std::swap(weights_, next_);
  is_raised_ = !addition_.empty();
  return true;
}

FollowingWeights::Memory FollowingWeights::memory() const {
  return {
      .weights = is_raised_ ? weights_ : std::vector<double>{}, .spent = spent_, .worked = worked_};
}

void FollowingWeights::set_memory(const Memory& memory, const Model& model, Threads& threads,
                                  PinnedMatrix& matrix) {
  next_ = memory.weights.empty() ? fitted_ : memory.weights;
  const bool are_sound =
      std::all_of(next_.begin(), next_.end(), [](double k) { return std::isfinite(k) && k > 0; });
  if (next_.size() != fitted_.size() || !are_sound || !std::isfinite(memory.spent) ||
      !std::isfinite(memory.worked)) {
    throw Error(ErrorKind::invalid_input, "weights",
                "expected a positive number for each of the " + std::to_string(fitted_.size()) +
                    " tets, or none");
  }
  if (next_ != weights_ && !refactor(model, threads, matrix)) {
    throw Error(ErrorKind::invalid_input, "weights",
                "the matrix is not positive definite with them");
  }
  spent_ = memory.spent;
  worked_ = memory.worked;
}

}  // namespace supple
