#include "descent/body_matrices.h"

#include <algorithm>

#include "base/index.h"

namespace supple {

namespace {

/// The entries of rows and columns first .. last - 1, which are coupled to no others.
SpdSolver::Matrix cut_out(const SpdSolver::Matrix& lower, int first, int last) {
  const int n = last - first, from = lower.outerIndexPtr()[first];
  std::vector<int> start, rows;
  for (int j = first; j <= last; ++j) start.push_back(lower.outerIndexPtr()[j] - from);
  for (int k = 0; k < start.back(); ++k) rows.push_back(lower.innerIndexPtr()[from + k] - first);
  return Eigen::Map<const SpdSolver::Matrix>(n, n, start.back(), start.data(), rows.data(),
                                             lower.valuePtr() + from);
}

/// The original matrix of a body of n vertices.
SpdSolver::Matrix first_of(const PrefactoredSystem& matrix, int n) {
  std::vector<int> start(1, 0), rows;
  std::vector<double> values;
  matrix.visit_first(0, n, [&](int row, int column, double value) {
    if (column == static_cast<int>(start.size())) start.push_back(static_cast<int>(rows.size()));
    rows.push_back(row);
    values.push_back(value);
  });
  start.push_back(static_cast<int>(rows.size()));
  return Eigen::Map<const SpdSolver::Matrix>(n, n, start.back(), start.data(), rows.data(),
                                             values.data());
}

}  // namespace

BodyMatrices::BodyMatrices(const Model& model, double inverse_a2, const std::vector<int>& order,
                           SpdSolver::Matrix lower, Precision precision, const std::string& name,
                           const Earlier<BodyMatrices>& earlier)
    : part_of_body_(at(model.num_bodies())) {
  const std::vector<int> groups = model.bonds.groups(model.body_vertices);
  for (const int body : groups) first_.push_back(model.body_vertices[at(body)]);
  pins_ = model.pins.by_body(first_);
  const auto cut = [&](int first, int last) {
    return groups.size() == 2 ? taken(lower) : cut_out(lower, first, last);
  };
  for (std::size_t part = 0; part + 1 < groups.size(); ++part) {
    std::fill(part_of_body_.begin() + groups[part], part_of_body_.begin() + groups[part + 1], part);
    const int first = first_[part], last = first_[part + 1];
    const int origin = earlier.of(at(groups[part]));
    const PrefactoredSystem* const before =
        origin < 0 ? nullptr : &(*earlier.made)[earlier.made->part_of_body(origin)];
    // If a body is tied to one that does not deform, what is left of its masses is a difference of
    // large numbers (rigid_matrix.h).
    const bool is_tied = groups[part + 1] > groups[part] + 1 && !model.is_rigid.empty();
    matrices_.push_back(std::make_unique<PrefactoredSystem>(
        model, inverse_a2, std::vector<int>(order.begin() + first, order.begin() + last),
        before != nullptr ? first_of(*before, last - first) : cut(first, last),
        PrefactoredSystem::Coupling::none, is_tied ? Precision::full : precision, name, pins_[part],
        before));
  }
}

std::size_t BodyMatrices::part_of(int vertex) const {
  if (matrices_.size() == 1) return 0;
  const auto next = std::upper_bound(first_.begin(), first_.end(), vertex);
  return at(next - first_.begin() - 1);
}

void BodyMatrices::pins_changed(const Model& model, double h) {
  std::vector<PinSet::Some> pins = model.pins.by_body(first_);
  const auto are_there = [&](std::size_t part) {
    return !pins[part].pins.empty() || !pins_[part].pins.empty();
  };
  for (std::size_t part = 0; part < count(); ++part) {
    if (are_there(part)) matrices_[part]->require_pins(model, pins[part]);
  }
  for (std::size_t part = 0; part < count(); ++part) {
    if (are_there(part)) matrices_[part]->take_pins(model, pins[part], h);
  }
  pins_ = std::move(pins);
}

bool BodyMatrices::set_addition(const Model& model,
                                std::span<const PrefactoredSystem::Entry> entries,
                                Threads& threads) {
  const auto of_part = [&](std::span<const PrefactoredSystem::Entry> all, std::size_t part) {
    const auto from = [&](int vertex) {
      return std::partition_point(all.begin(), all.end(),
                                  [&](const auto& entry) { return entry.vertex < vertex; }) -
             all.begin();
    };
    const auto first = from(first_[part]);
    return all.subspan(at(first), at(from(first_[part + 1]) - first));
  };
  std::vector<PrefactoredSystem::Entry> next(entries.begin(), entries.end());
  for (std::size_t part = 0; part < count(); ++part) {
    const auto before = of_part(addition_, part), own = of_part(entries, part);
    if (before.empty() && own.empty()) continue;
    if (matrices_[part]->set_addition(model, pins_[part], own, threads)) continue;
    while (part-- > 0) {
      matrices_[part]->set_addition(model, pins_[part], of_part(addition_, part), threads);
    }
    return false;
  }
  addition_ = std::move(next);
  return true;
}

void BodyMatrices::finish(int first, int last, VectorField& p) const {
  for (std::size_t part = part_of(first); first < last; ++part) {
    const int end = std::min(last, first_[part + 1]);
    if (first < end) matrices_[part]->finish(first, end, p);
    first = std::max(first, end);
  }
}

double BodyMatrices::factor_seconds() const {
  double seconds = 0;
  for (const auto& own : matrices_) seconds += own->matrix().factor_seconds();
  return seconds;
}

long long BodyMatrices::factor_entries() const {
  long long entries = 0;
  for (const auto& own : matrices_) entries += own->matrix().factor_entries();
  return entries;
}

}  // namespace supple
