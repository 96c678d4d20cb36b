#include "position/constraint_matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/index.h"
#include "linear/ordering.h"
#include "supple/error.h"

namespace supple {

namespace {

/// Pairs of constraints at a vertex, summed over the vertices: 1 GB, including what finds them.
constexpr double max_pairs = 5e7;
/// Entries of the factor: 1.6 GB.
constexpr long long max_factor_entries = 200'000'000;

[[noreturn]] void refuse(const char* what, double count) {
  throw Error(
      ErrorKind::invalid_input, "/solver/method",
      fmt::format("step_and_project solves for all constraints at once, and its matrix has "
                  "{:.0f} million {}: too many; expected a smaller body, or the method xpbd",
                  count / 1e6, what));
}

}  // namespace

ConstraintMatrix::ConstraintMatrix(const Model& model, std::span<const ConstraintRow> rows)
    : place_(rows.size()) {
  list_incidences(model, rows);
  double pairs = 0;
  for (std::size_t v = 0; v < weight_.size(); ++v) {
    const double met = start_[v + 1] - start_[v];
    pairs += 0.5 * met * (met + 1);
  }
  if (pairs > max_pairs) refuse("pairs of constraints that share a vertex", pairs);

  // Rows that share a vertex are neighbours.
  Adjacency adjacency;
  adjacency.start.push_back(0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::size_t first = adjacency.neighbour.size();
    for (int v : rows[r].vertex) {
      if (v < 0) continue;
      for (int i = start_[at(v)]; i < start_[at(v) + 1]; ++i) {
        const int other = incidences_[at(i)].row;
        if (other != static_cast<int>(r)) adjacency.neighbour.push_back(other);
      }
    }
    const auto begin = adjacency.neighbour.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, adjacency.neighbour.end());
    adjacency.neighbour.erase(std::unique(begin, adjacency.neighbour.end()),
                              adjacency.neighbour.end());
    adjacency.start.push_back(static_cast<int>(adjacency.neighbour.size()));
  }
  if (rows.empty()) return;
  const std::vector<int> order = fill_reducing_order(adjacency);
  const long long entries = factor_entries(adjacency, order);
  if (entries > max_factor_entries) refuse("entries of the factor", static_cast<double>(entries));
  for (std::size_t k = 0; k < order.size(); ++k) place_[at(order[k])] = static_cast<int>(k);

  std::vector<Eigen::Triplet<double>> triplets;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    triplets.emplace_back(place_[r], place_[r], 0.0);
    for (int i = adjacency.start[r]; i < adjacency.start[r + 1]; ++i) {
      const int other = place_[at(adjacency.neighbour[at(i)])];
      if (other > place_[r]) triplets.emplace_back(other, place_[r], 0.0);
    }
  }
  lower_.resize(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(rows.size()));
  lower_.setFromTriplets(triplets.begin(), triplets.end());
  find_entries();
}

void ConstraintMatrix::list_incidences(const Model& model, std::span<const ConstraintRow> rows) {
  for (double mass : model.mass) weight_.push_back(mass > 0 ? 1 / mass : 0);
  start_.assign(weight_.size() + 1, 0);
  const auto for_each = [&](const auto& visit) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (int corner = 0; corner < 4; ++corner) {
        const int v = rows[r].vertex[at(corner)];
        if (v >= 0 && weight_[at(v)] > 0) visit(at(v), Incidence{static_cast<int>(r), corner});
      }
    }
  };
  for_each([&](std::size_t v, Incidence) { ++start_[v + 1]; });
  for (std::size_t v = 1; v < start_.size(); ++v) start_[v] += start_[v - 1];
  incidences_.resize(at(start_.back()));
  std::vector<int> next(start_.begin(), start_.end() - 1);
  for_each([&](std::size_t v, Incidence met) { incidences_[at(next[v]++)] = met; });
}

void ConstraintMatrix::find_entries() {
  const int* column_start = lower_.outerIndexPtr();
  const int* row_of = lower_.innerIndexPtr();
  for (std::size_t v = 0; v + 1 < start_.size(); ++v) {
    const auto begin = incidences_.begin() + start_[v];
    const auto end = incidences_.begin() + start_[v + 1];
    std::sort(begin, end, [&](const Incidence& p, const Incidence& q) {
      return place_[at(p.row)] < place_[at(q.row)];
    });
    for (auto p = begin; p != end; ++p) {
      const int column = place_[at(p->row)];
      const int* const last = row_of + column_start[column + 1];
      const int* place = row_of + column_start[column];
      for (auto q = p; q != end; ++q) {
        place = std::lower_bound(place, last, place_[at(q->row)]);
        entry_.push_back(static_cast<int>(place - row_of));
      }
    }
  }
}

void ConstraintMatrix::assemble(std::span<const ConstraintValue> values,
                                std::span<const double> diagonal) {
  double* entries = lower_.valuePtr();
  std::fill(entries, entries + lower_.nonZeros(), 0.0);
  const int* entry = entry_.data();
  for (std::size_t v = 0; v + 1 < start_.size(); ++v) {
    for (int i = start_[v]; i < start_[v + 1]; ++i) {
      const Incidence& p = incidences_[at(i)];
      const double* gradient = values[at(p.row)].gradient[p.corner];
      const double g[3] = {weight_[v] * gradient[0], weight_[v] * gradient[1],
                           weight_[v] * gradient[2]};
      for (int j = i; j < start_[v + 1]; ++j) {
        const Incidence& q = incidences_[at(j)];
        const double* other = values[at(q.row)].gradient[q.corner];
        entries[*entry++] += g[0] * other[0] + g[1] * other[1] + g[2] * other[2];
      }
    }
  }
  for (std::size_t r = 0; r < place_.size(); ++r) {
    entries[lower_.outerIndexPtr()[place_[r]]] += diagonal[r];
  }
}

}  // namespace supple
