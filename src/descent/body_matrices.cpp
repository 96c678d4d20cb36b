#include "descent/body_matrices.h"

#include <algorithm>

#include "base/index.h"

namespace supple {

namespace {

/// The entries of some rows and columns that are coupled to no others.
SpdSolver::Matrix cut_out(const SpdSolver::Matrix& lower, int first, int last) {
  const int n = last - first, from = lower.outerIndexPtr()[first];
  std::vector<int> start, rows;
  for (int j = first; j <= last; ++j) start.push_back(lower.outerIndexPtr()[j] - from);
  for (int k = 0; k < start.back(); ++k) rows.push_back(lower.innerIndexPtr()[from + k] - first);
  return Eigen::Map<const SpdSolver::Matrix>(n, n, start.back(), start.data(), rows.data(),
                                             lower.valuePtr() + from);
}

/// The matrix that was made first for a body of n vertices.
SpdSolver::Matrix first_of(const PinnedMatrix& matrix, int n) {
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
                           const SpdSolver::Matrix& lower, Precision precision,
                           const std::string& name, const Earlier<BodyMatrices>& earlier)
    : first_(model.body_vertices), pins_(model.pins.by_body(first_)) {
  for (std::size_t body = 0; body + 1 < first_.size(); ++body) {
    const int first = first_[body], last = first_[body + 1], origin = earlier.of(body);
    const PinnedMatrix* const before = origin < 0 ? nullptr : &(*earlier.made)[at(origin)];
    matrices_.push_back(std::make_unique<PinnedMatrix>(
        model, inverse_a2, std::vector<int>(order.begin() + first, order.begin() + last),
        before != nullptr ? first_of(*before, last - first) : cut_out(lower, first, last),
        PinnedMatrix::Coupling::none, precision, name, pins_[body], before));
  }
}

std::size_t BodyMatrices::body_of(int vertex) const {
  if (matrices_.size() == 1) return 0;
  const auto next = std::upper_bound(first_.begin(), first_.end(), vertex);
  return at(next - first_.begin() - 1);
}

void BodyMatrices::pins_changed(const Model& model, double h) {
  std::vector<PinSet::Some> pins = model.pins.by_body(first_);
  const auto are_there = [&](std::size_t body) {
    return !pins[body].pins.empty() || !pins_[body].pins.empty();
  };
  for (std::size_t body = 0; body < count(); ++body) {
    if (are_there(body)) matrices_[body]->require_pins(model, pins[body]);
  }
  for (std::size_t body = 0; body < count(); ++body) {
    if (are_there(body)) matrices_[body]->take_pins(model, pins[body], h);
  }
  pins_ = std::move(pins);
}

bool BodyMatrices::set_addition(const Model& model, std::span<const PinnedMatrix::Entry> entries,
                                Threads& threads) {
  const auto of_body = [&](std::span<const PinnedMatrix::Entry> all, std::size_t body) {
    const auto from = [&](int vertex) {
      return std::partition_point(all.begin(), all.end(),
                                  [&](const auto& entry) { return entry.vertex < vertex; }) -
             all.begin();
    };
    const auto first = from(first_[body]);
    return all.subspan(at(first), at(from(first_[body + 1]) - first));
  };
  std::vector<PinnedMatrix::Entry> next(entries.begin(), entries.end());
  for (std::size_t body = 0; body < count(); ++body) {
    const auto before = of_body(addition_, body), own = of_body(entries, body);
    if (before.empty() && own.empty()) continue;
    if (matrices_[body]->set_addition(model, pins_[body], own, threads)) continue;
    while (body-- > 0) {
      matrices_[body]->set_addition(model, pins_[body], of_body(addition_, body), threads);
    }
    return false;
  }
  addition_ = std::move(next);
  return true;
}

void BodyMatrices::finish(int first, int last, VectorField& p) const {
  for (std::size_t body = body_of(first); first < last; ++body) {
    const int end = std::min(last, first_[body + 1]);
    if (first < end) matrices_[body]->finish(first, end, p);
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
