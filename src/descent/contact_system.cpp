#include "descent/contact_system.h"

#include <cmath>
#include <utility>

#include "base/index.h"
#include "math/vec3.h"

namespace supple {

SUPPLE_DEFINE_KERNELS(ContactKernels, contact_kernels, contact_table)

namespace {

/// Largest component along an axis of the frame that counts as zero: rounding leaves so much in
/// directions that are meant to lie in one plane.
constexpr double in_frame = 1e-9;
/// Most sweeps of Gauss-Seidel. They end earlier when one changes less than the given part of what
/// the first one changed.
constexpr int most_sweeps = 30;
constexpr float settled = 1e-3F;
/// Most rounds of an active set: what has not settled by then is left to the line search.
constexpr int most_set_rounds = 6;

}  // namespace

void ContactSystem::make_room(std::size_t rows) {
  capacity_ = std::min(most_rows, rows);
  const std::size_t entries = blocks_.size() * capacity_ * capacity_;
  const auto largest = static_cast<std::size_t>(std::sqrt(static_cast<double>(entries)));
  capacity_of_one_ = std::min(largest, rows);
  for (Block& block : blocks_) {
    for (auto* list : {&block.rows, &block.members}) list->reserve(capacity_of_one_);
    block.right.reserve(capacity_of_one_);
  }
  for (auto* matrices : {&systems_, &factors_}) matrices->resize(entries);
  front_.resize(capacity_of_one_ * capacity_of_one_);
  factored_.resize(capacity_of_one_ * (capacity_of_one_ + 1) / 2);
  // As many rows as three blocks hold when they are equal, which is when they hold most.
  const std::size_t all = blocks_.size() * capacity_;
  for (auto* list : {&block_of_row_, &block_of_factor_}) list->reserve(all);
  members_.reserve(all);
  next_.reserve(capacity_of_one_);
  gap_.resize(capacity_of_one_);
  for (auto* list : {&free_gap_, &set_forces_, &work_}) list->reserve(capacity_of_one_);
  directions_.resize(3 * capacity_of_one_);
  points_.resize(capacity_of_one_);
}

void ContactSystem::choose_frame(std::span<const ContactRow> rows) {
  if (rows.empty()) return;
  frame_[0] = rows[0].direction;
  const Vec3 away = std::abs(frame_[0][0]) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  frame_[1] = vec3::direction(vec3::cross(frame_[0], away), {0, 0, 0});
  for (const ContactRow& own : rows) {
    if (std::abs(vec3::dot(own.direction, frame_[0])) > in_frame) continue;
    frame_[1] = own.direction;
    break;
  }
  frame_[2] = vec3::cross(frame_[0], frame_[1]);
}

int ContactSystem::axis_of(const Vec3& direction) const {
  int axis = -1;
  for (int k = 0; k < 3; ++k) {
    if (std::abs(vec3::dot(direction, frame_[k])) <= in_frame) continue;
    if (axis >= 0) return -1;
    axis = k;
  }
  return axis;
}

void ContactSystem::find_fitting(std::span<const ContactRow> rows, std::size_t kept,
                                 std::size_t most_of_axis, std::vector<char>& fits) {
  const auto count_outside = [&](std::span<const ContactRow> some) {
    return std::count_if(some.begin(), some.end(),
                         [&](const ContactRow& own) { return !is_in_frame(own.direction); });
  };
  // One row across the frame makes one block of all rows. If the kept rows are too many for one
  // block, that row stays out.
  const bool is_one = is_coupled_ || (kept <= capacity_ && count_outside(rows) > 0);
  const std::size_t most = is_one ? capacity_ : most_of_axis;
  std::array<std::size_t, 3> count{};
  std::size_t room = systems_.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int axis = is_one ? 0 : axis_of(rows[i].direction);
    const bool has_room = axis >= 0 && count[at(axis)] < most && 2 * count[at(axis)] + 1 <= room;
    fits[i] = static_cast<char>(has_room && fits[i] != 0);
    if (fits[i] != 0) room -= 2 * count[at(axis)]++ + 1;
  }
}

void ContactSystem::fill(std::span<const ContactRow> rows, std::span<const int> point_of,
                         std::span<const double> between, std::size_t num_points) {
  const bool is_one =
      is_coupled_ || std::any_of(rows.begin(), rows.end(), [&](const ContactRow& own) {
        return !is_in_frame(own.direction);
      });
  for (Block& block : blocks_) block.rows.clear();
  block_of_row_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int axis = is_one ? 0 : axis_of(rows[i].direction);
    blocks_[at(axis)].rows.push_back(static_cast<int>(i));
    block_of_row_.push_back(static_cast<signed char>(axis));
  }
  float* system = systems_.data();
  for (Block& block : blocks_) {
    const std::size_t n = block.rows.size();
    block.system = std::exchange(system, system + n * n);
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3& direction = rows[at(block.rows[i])].direction;
      for (std::size_t k = 0; k < 3; ++k) directions_[k * n + i] = direction[k];
      points_[i] = point_of[at(block.rows[i])];
    }
    for (std::size_t i = 0; i < n; ++i) {
      const ContactRow& own = rows[at(block.rows[i])];
      float* const row = &block.system[i * n];
      kernels_->fill_row(own.direction.data(), directions_.data(),
                         between.data() + at(points_[i]) * num_points, points_.data(),
                         static_cast<int>(n), row);
      row[i] += static_cast<float>(1 / own.stiffness);
    }
  }
}

void ContactSystem::add(const LowRank& matrix) {
  const auto& [left, right, count] = matrix;
  Block& block = blocks_[0];
  const std::size_t n = block.rows.size();
  products_.resize(count * n);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t j = 0; j < n; ++j) {
      products_[k * n + j] = static_cast<float>(right[j * count + k]);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < count; ++k) {
      kernels_->add(static_cast<float>(left[i * count + k]), &products_[k * n], static_cast<int>(n),
                    &block.system[i * n]);
    }
  }
}

void ContactSystem::relax(std::span<ContactRow> rows) {
  for (Block& block : blocks_) relax(block, rows);
  gather_members();
}

/// Starts from the forces that the direction assumes at the contacts: their gaps contain these.
void ContactSystem::relax(Block& block, std::span<ContactRow> rows) {
  const std::size_t n = block.rows.size();
  for (std::size_t i = 0; i < n; ++i) {
    ContactRow& own = rows[at(block.rows[i])];
    own.force = own.assumed;
    gap_[i] = static_cast<float>(own.gap + own.assumed / own.stiffness);
  }
  float first = 0;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    float largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const float* const column = &block.system[i * n];
      ContactRow& own = rows[at(block.rows[i])];
      const double pushes = own.allowed(own.force - static_cast<double>(gap_[i] / column[i]));
      const auto change = static_cast<float>(pushes - own.force);
      own.force = pushes;
      if (change == 0) continue;
      largest = std::max(largest, std::abs(change) * column[i]);
      kernels_->add(change, column, static_cast<int>(n), gap_.data());
    }
    if (sweep == 0) first = largest;
    if (largest <= settled * first) break;
  }
  block.members.clear();
  for (std::size_t i = 0; i < n; ++i) {
    if (rows[at(block.rows[i])].is_free()) block.members.push_back(static_cast<int>(i));
  }
}

bool ContactSystem::find_set(std::span<ContactRow> rows, bool is_kept) {
  bool is_factored = true;
  for (Block& block : blocks_) is_factored = find_set(block, rows, is_kept) && is_factored;
  gather_members();
  block_of_factor_.clear();
  for (const int i : members_) block_of_factor_.push_back(block_of_row_[at(i)]);
  return is_factored;
}

bool ContactSystem::find_set(Block& block, std::span<ContactRow> rows, bool is_kept) {
  const std::size_t n = block.rows.size();
  std::vector<int>& members = block.members;
  work_.clear();
  for (const int i : block.rows) work_.push_back(static_cast<float>(rows[at(i)].assumed));
  free_gap_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const ContactRow& own = rows[at(block.rows[i])];
    const float own_part = kernels_->dot(&block.system[i * n], work_.data(), static_cast<int>(n));
    free_gap_.push_back(static_cast<float>(own.gap + own.assumed / own.stiffness) - own_part);
  }
  block.size = 0;
  for (int round = 0; round < most_set_rounds && !members.empty(); ++round) {
    if (!factor(block, is_kept)) {
      members.clear();
      block.size = 0;
      return false;
    }
    // What is not free keeps its force.
    set_forces_.clear();
    for (const int i : block.rows) set_forces_.push_back(static_cast<float>(rows[at(i)].force));
    for (const int i : members) set_forces_[at(i)] = 0;
    const auto gap = [&](std::size_t i) {
      return free_gap_[i] +
             kernels_->dot(&block.system[i * n], set_forces_.data(), static_cast<int>(n));
    };
    block.right.clear();
    for (const int i : members) block.right.push_back(-gap(at(i)));
    solve(block);
    for (std::size_t j = 0; j < members.size(); ++j) set_forces_[at(members[j])] = block.right[j];
    next_.clear();
    std::size_t k = 0;
    for (std::size_t i = 0; i < n; ++i) {
      ContactRow& own = rows[at(block.rows[i])];
      bool is_next;
      if (k < members.size() && members[k] == static_cast<int>(i)) {
        own.force = own.allowed(static_cast<double>(block.right[k++]));
        is_next = own.is_free();
      } else {
        const float step = gap(i) / block.system[i * n + i];
        is_next = own.allowed(own.force - static_cast<double>(step)) != own.force;
      }
      if (is_next) next_.push_back(static_cast<int>(i));
    }
    if (next_ == members || round + 1 == most_set_rounds) break;
    std::swap(members, next_);
  }
  if (members.empty()) block.size = 0;
  return true;
}

/// Makes members_ the blocks' members.
void ContactSystem::gather_members() {
  members_.clear();
  for (const Block& block : blocks_) {
    for (const int i : block.members) members_.push_back(block.rows[at(i)]);
  }
  std::sort(members_.begin(), members_.end());
}

bool ContactSystem::factor_all() {
  for (Block& block : blocks_) {
    block.members.clear();
    for (std::size_t i = 0; i < block.rows.size(); ++i)
      block.members.push_back(static_cast<int>(i));
    if (!factor(block, true)) return false;
  }
  block_of_factor_ = block_of_row_;
  return true;
}

/// Factorises the system of a block's members. A factor that is kept is L^-1. `solve` then applies
/// one symmetric matrix to all right-hand sides, and rounding makes none of its quadratic forms
/// negative. Without that barriers throw
/// (test Barrier.BodiesThatMeetOnTheirWaysAreNoWorseOffThan...).
bool ContactSystem::factor(Block& block, bool is_kept) {
  const std::size_t n = block.rows.size();
  block.size = block.members.size();
  block.is_inverse = is_kept;
  block.factor = factors_.data() + (block.system - systems_.data());
  if (block.size == 0) return true;
  const bool is_first = &block == blocks_.data();
  if (is_first && is_kept && is_as_factored(block)) return true;
  if (block.factor < factors_.data() + factored_size_ * factored_size_) factored_size_ = 0;
  float* const front = is_kept ? front_.data() : block.factor;
  for (std::size_t j = 0; j < block.size; ++j) {
    const float* const column = block.system + at(block.members[j]) * n;
    for (std::size_t i = j; i < block.size; ++i) {
      front[j * block.size + i] = column[block.members[i]];
    }
  }
  const auto size = static_cast<int>(block.size);
  if (!is_kept) return front_kernels_->factorise_floats(front, size);
  if (!front_kernels_->eliminate_floats(front, size, 0, false, block.factor, nullptr)) return false;
  if (is_first) factored_size_ = block.size;
  return true;
}

/// Whether the first block's factor is that of its members already, as where bodies rest. Notes
/// them in factored_, for the next time.
bool ContactSystem::is_as_factored(const Block& block) {
  bool is_same = block.size == factored_size_;
  float* known = factored_.data();
  for (std::size_t j = 0; j < block.size; ++j) {
    const float* const column = block.system + at(block.members[j]) * block.rows.size();
    for (std::size_t i = j; i < block.size; ++i, ++known) {
      const float entry = column[block.members[i]];
      is_same = is_same && entry == *known;
      *known = entry;
    }
  }
  if (!is_same) factored_size_ = 0;
  return is_same;
}

/// block.right becomes L^-T L^-1 block.right.
void ContactSystem::solve(Block& block) {
  const std::size_t n = block.size;
  std::vector<float>& x = block.right;
  const auto column = [&](std::size_t j) { return block.factor + j * (n + 1); };
  if (block.is_inverse) {
    work_.assign(n, 0.0F);
    for (std::size_t j = 0; j < n; ++j) {
      kernels_->add(x[j], column(j), static_cast<int>(n - j), &work_[j]);
    }
    for (std::size_t j = 0; j < n; ++j) {
      x[j] = kernels_->dot(column(j), &work_[j], static_cast<int>(n - j));
    }
    return;
  }
  for (std::size_t j = 0; j < n; ++j) {
    x[j] /= column(j)[0];
    kernels_->add(-x[j], column(j) + 1, static_cast<int>(n - j - 1), x.data() + j + 1);
  }
  for (std::size_t j = n; j-- > 0;) {
    x[j] -= kernels_->dot(column(j) + 1, x.data() + j + 1, static_cast<int>(n - j - 1));
    x[j] /= column(j)[0];
  }
}

void ContactSystem::solve(std::span<double> right) {
  for (Block& block : blocks_) block.right.clear();
  for (std::size_t i = 0; i < right.size(); ++i) {
    blocks_[at(block_of_factor_[i])].right.push_back(static_cast<float>(right[i]));
  }
  for (Block& block : blocks_) solve(block);
  std::array<std::size_t, 3> next{};
  for (std::size_t i = 0; i < right.size(); ++i) {
    const auto block = at(block_of_factor_[i]);
    right[i] = static_cast<double>(blocks_[block].right[next[block]++]);
  }
}

}  // namespace supple
