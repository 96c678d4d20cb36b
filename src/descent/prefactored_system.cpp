#include "descent/prefactored_system.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/index.h"
#include "descent/laplacian.h"

namespace supple {

namespace {

/// Most vertices whose changes are followed exactly and at once. When four of them change, that
/// costs one solve, or two if it has to be refined. In a coupled matrix, four cost three solves
/// with three times as many rows: of 5,832 vertices, 32 took 224 ms and 8 took 70 ms, while all 32
/// take 2 ms in the other matrix.
constexpr int most_vertices = 32, most_coupled_vertices = 8;
/// Most points that are terms: they never become part of a factor, and make each solve longer.
constexpr int most_points = 8, most_coupled_points = 2;

/// Vertices that a thread works on at a time: smaller bodies stay on the calling thread.
constexpr std::size_t vertices_per_group = 1024;

std::vector<double> diagonal_of(const SpdSolver::Matrix& lower) {
  std::vector<double> diagonal(static_cast<std::size_t>(lower.rows()));
  for (std::size_t row = 0; row < diagonal.size(); ++row) {
    diagonal[row] = lower.valuePtr()[lower.outerIndexPtr()[row]];
  }
  return diagonal;
}

}  // namespace

PrefactoredSystem::PrefactoredSystem(const Model& model, double inverse_a2, std::vector<int> order,
                                     SpdSolver::Matrix lower, Coupling coupling,
                                     Precision precision, std::string name,
                                     const PinSet::Some& pins, const PrefactoredSystem* earlier)
    : order_(std::move(order)),
      first_vertex_(at(*std::min_element(order_.begin(), order_.end()))),
      mass_(order_.size()),
      kernels_(&vector_kernels(simd_level_in_use())),
      rows_of_vertex_(coupling == Coupling::none ? 1 : 3),
      is_rough_(precision != Precision::full),
      name_(std::move(name)),
      free_(diagonal_of(lower)),
      matrix_([&] {
        for (std::size_t k = 0; k < order_.size(); ++k) {
          mass_[k] = model.mass[static_cast<std::size_t>(order_[k])] * inverse_a2;
        }
        add_held_by_rigid(model);
        Pinned pinned = with_pins(model, pins, free_);
        for (std::size_t row = 0; row < free_.size(); ++row) {
          lower.valuePtr()[lower.outerIndexPtr()[row]] = pinned.diagonal[row];
        }
        weight_ = std::move(pinned.weight);
        const int most_rows =
            coupling == Coupling::none ? most_vertices : 3 * most_coupled_vertices;
        return UpdatableCholesky(taken(lower), precision, most_rows,
                                 earlier != nullptr ? &earlier->matrix_ : nullptr);
      }()) {
  find_parts(matrix_.pattern().tree);
  weigh_parts(std::move(weight_));
  cut_parts();
  is_in_order_ = std::is_sorted(order_.begin(), order_.end());
  if (!matrix_.is_factored()) throw not_positive_definite(name_);
  make_room();
  // The diagonal is the same, so no new factor is made.
  if (!pins.points.empty()) pins_changed(model, pins, 1);
}

/// Adds bonds to bodies that do not deform: the matrix is not coupled to these.
void PrefactoredSystem::add_held_by_rigid(const Model& model) {
  if (model.is_rigid.empty()) return;
  std::vector<std::size_t> places(order_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) places[at(order_[k]) - first_vertex_] = k;
  model.bonds.visit_edges([&](int a, int b, double k) {
    const std::size_t i = at(a) - first_vertex_, j = at(b) - first_vertex_;
    if (a < static_cast<int>(first_vertex_) || i >= places.size() || j >= places.size()) return;
    if (model.is_rigid_vertex(a) == model.is_rigid_vertex(b)) return;
    mass_[places[model.is_rigid_vertex(a) ? j : i]] += k;
  });
}

PrefactoredSystem::Pinned PrefactoredSystem::with_pins(const Model& model, const PinSet::Some& pins,
                                                       std::vector<double> free) const {
  std::vector<std::size_t> places(order_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) places[at(order_[k]) - first_vertex_] = k;
  const auto place = [&](int vertex) { return places[at(vertex) - first_vertex_]; };
  Pinned pinned{.diagonal = std::move(free), .terms = {}, .weight = mass_};
  std::vector<double> held(order_.size(), 0.0);
  const std::size_t num_terms =
      std::min(pins.points.size(), at(rows_of_vertex_ == 1 ? most_points : most_coupled_points));
  const auto terms_end = pins.points.begin() + static_cast<std::ptrdiff_t>(num_terms);
  for (const int number : pins.pins) {
    const PinnedVertex& pin = model.pins.pins[at(number)];
    const std::size_t k = place(pin.vertex);
    const bool is_of_term =
        pin.point >= 0 && std::binary_search(pins.points.begin(), terms_end, pin.point);
    for (std::size_t c = 0; c < rows_of_vertex_ && !is_of_term; ++c) {
      double& entry = pinned.diagonal[rows_of_vertex_ * k + c];
      // If no element acts on a vertex, the entry is a placeholder, a one.
      if (held[k] == 0 && !(model.mass[at(pin.vertex)] > 0)) entry = 0;
      entry += pin.stiffness;
    }
    held[k] += pin.stiffness;
  }
  for (std::size_t k = 0; k < held.size(); ++k) pinned.weight[k] += held[k];
  for (auto number = pins.points.begin(); number != terms_end; ++number) {
    const PinnedPoint& point = model.pins.points[at(*number)];
    for (std::size_t c = 0; c < rows_of_vertex_; ++c) {
      UpdatableCholesky::Term& term = pinned.terms.emplace_back();
      term = {
          .count = point.count, .rows = {}, .weights = point.weights, .stiffness = point.stiffness};
      for (std::size_t i = 0; i < at(point.count); ++i) {
        const int vertex = model.pins.pins[at(point.first) + i].vertex;
        term.rows[i] = static_cast<int>(rows_of_vertex_ * place(vertex) + c);
      }
    }
  }
  return pinned;
}

/// In elimination order, every tree ends with its root: a column with nothing below the diagonal.
void PrefactoredSystem::find_parts(const std::vector<int>& parent) {
  std::size_t begin = 0;
  for (std::size_t row = 0; row < parent.size(); ++row) {
    if (parent[row] != -1) continue;
    const std::size_t end = row / rows_of_vertex_ + 1;
    if (end > begin) parts_.push_back({begin, end});
    begin = end;
  }
}

void PrefactoredSystem::cut_parts() {
  constexpr std::size_t rows = SolveEnds::rows;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    for (std::size_t k = parts_[part].begin; k < parts_[part].end;) {
      const std::size_t end = std::min((k / rows + 1) * rows, parts_[part].end);
      pieces_.push_back({part, k, end});
      k = end;
    }
  }
  groups_.assign(1, 0);
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const std::size_t begin = pieces_[at(groups_.back())].begin;
    if (pieces_[i].begin >= begin + vertices_per_group) groups_.push_back(static_cast<int>(i));
    while (run_piece_.size() * rows <= pieces_[i].begin) run_piece_.push_back(static_cast<int>(i));
  }
  groups_.push_back(static_cast<int>(pieces_.size()));
  run_piece_.push_back(static_cast<int>(pieces_.size()));
}

void PrefactoredSystem::make_room() {
  if (!solves_in_order()) work_.resize((rows_of_vertex_ == 1 ? 4 : 3) * order_.size());
}

void PrefactoredSystem::weigh_parts(std::vector<double> weight) {
  weight_ = std::move(weight);
  for (Part& part : parts_) {
    part.weight = 0;
    for (std::size_t k = part.begin; k < part.end; ++k) part.weight += weight_[k];
  }
}

void PrefactoredSystem::pins_changed(const Model& model, const PinSet::Some& pins, double h) {
  require_pins(model, pins);
  take_pins(model, pins, h);
}

void PrefactoredSystem::require_pins(const Model& model, const PinSet::Some& pins) const {
  const Pinned pinned = with_pins(model, pins, free_);
  if (!std::all_of(pinned.diagonal.begin(), pinned.diagonal.end(),
                   [](double d) { return std::isfinite(d); })) {
    throw not_positive_definite(name_);
  }
}

void PrefactoredSystem::take_pins(const Model& model, const PinSet::Some& pins, double h) {
  Pinned pinned = with_pins(model, pins, free_);
  const std::size_t num_terms = pinned.terms.size();
  matrix_.set_diagonal(std::move(pinned.diagonal), h, std::move(pinned.terms));
  make_room();
  has_all_points_ = pins.points.size() * rows_of_vertex_ == num_terms;
  weigh_parts(std::move(pinned.weight));
}

bool PrefactoredSystem::set_addition(const Model& model, const PinSet::Some& pins,
                                     std::span<const Entry> entries, Threads& threads) {
  const SpdSolver::Matrix& lower = matrix_.lower();
  const int* const start = lower.outerIndexPtr();
  if (first_.empty()) {
    first_.assign(lower.valuePtr(), lower.valuePtr() + lower.nonZeros());
    for (std::size_t row = 0; row < free_.size(); ++row) first_[at(start[row])] = free_[row];
  }
  std::vector<int> places(order_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) {
    places[at(order_[k]) - first_vertex_] = static_cast<int>(k);
  }
  const auto place = [&](int vertex) { return places[at(vertex) - first_vertex_]; };
  std::vector<double> values = first_;
  for (const Entry& entry : entries) {
    const auto [column, row] = std::minmax({place(entry.vertex), place(entry.other)});
    const int* const rows = lower.innerIndexPtr();
    const int* const found = std::lower_bound(rows + start[column], rows + start[column + 1], row);
    values[at(found - rows)] += entry.value;
  }
  std::vector<double> diagonal(free_.size());
  for (std::size_t row = 0; row < free_.size(); ++row) diagonal[row] = values[at(start[row])];
  const Pinned pinned = with_pins(model, pins, diagonal);
  for (std::size_t row = 0; row < free_.size(); ++row) {
    values[at(start[row])] = pinned.diagonal[row];
  }
  if (!matrix_.set_entries(values, threads)) return false;
  std::swap(free_, diagonal);
  return true;
}

double PrefactoredSystem::stiffness_beside_inertia() const {
  const std::vector<double>& diagonal = matrix_.diagonal();
  return std::accumulate(diagonal.begin(), diagonal.end(), 0.0) /
         std::accumulate(weight_.begin(), weight_.end(), 0.0);
}

void PrefactoredSystem::solve(const VectorField& b, VectorField& p, Threads& threads) {
  begin_solve(b, p, threads);
  if (!is_unfinished_) return;
  for_groups(threads, [&](int first, int last) {
    finish(static_cast<int>(first_vertex_ + pieces_[at(first)].begin),
           static_cast<int>(first_vertex_ + pieces_[at(last) - 1].end), p);
  });
}

void PrefactoredSystem::finish(int first, int last, VectorField& p) const {
  if (!is_unfinished_) return;
  const std::size_t from = at(first) - first_vertex_, to = at(last) - first_vertex_;
  for (auto i = at(run_piece_[from / SolveEnds::rows]); i < pieces_.size() && pieces_[i].begin < to;
       ++i) {
    const std::size_t begin = std::max(pieces_[i].begin, from), end = std::min(pieces_[i].end, to);
    if (begin >= end) continue;
    kernels_->negate_shifted(parts_[pieces_[i].part].shift.v, static_cast<int>(end - begin),
                             &p[first_vertex_ + begin]);
  }
}

void PrefactoredSystem::begin_solve(const VectorField& b, VectorField& p, Threads& threads) {
  is_unfinished_ = solves_in_order();
  if (is_unfinished_) {
    solve_in_order(b, p, nullptr, {}, threads);
  } else if (rows_of_vertex_ == 1) {
    solve_as<4>(b, p, threads);
  } else {
    solve_as<3>(b, p, threads);
  }
}

void PrefactoredSystem::begin_solve(const VectorField& b, VectorField& p, HalfWay& half_way,
                                    const PaddedVector& taken, Threads& threads) {
  is_unfinished_ = true;
  solve_in_order(b, p, &half_way, taken, threads);
}

/// Calls work(first, last) with the pieces of each group.
template <class Work>
void PrefactoredSystem::for_groups(Threads& threads, const Work& work) {
  threads.parallel_for(static_cast<int>(groups_.size()) - 1,
                       [&](int group) { work(groups_[at(group)], groups_[at(group) + 1]); });
}

/// Takes each part's mean out of b if the matrix is not exact, and sums up what comes back.
class PrefactoredSystem::Ends final : public SolveEnds {
 public:
  Ends(PrefactoredSystem& owner, const VectorField& b, const VectorField& p, double size,
       HalfWay* half_way)
      : owner_(&owner),
        b_(&b),
        p_(&p),
        size_(size),
        is_exact_(owner.matrix_.is_exact()),
        half_way_(half_way) {}

  double size() const override { return size_; }
  const double* bring(int first, int last, double* room) const override {
    if (is_exact_) return (*b_)[owner_->first_vertex_ + at(first)].v;
    for_pieces(first, last, [&](const Piece& piece) {
      const Part& part = owner_->parts_[piece.part];
      PaddedVector mean = {};
      for (int c = 0; c < 4 && part.weight > 0; ++c) mean[c] = part.force[c] / part.weight;
      owner_->kernels_->subtract_weighted(&(*b_)[owner_->first_vertex_ + piece.begin],
                                          &owner_->weight_[piece.begin], mean.v, piece.count(),
                                          room + 4 * (piece.begin - at(first)));
    });
    return room;
  }
  HalfWay* half_way() override { return half_way_; }
  void take(int first, int last) override {
    for_pieces(first, last, [&](Piece& piece) {
      owner_->kernels_->sum(&(*p_)[owner_->first_vertex_ + piece.begin],
                            &owner_->weight_[piece.begin], piece.count(), piece.sum.v);
    });
  }

 private:
  template <class Work>
  void for_pieces(int first, int last, const Work& work) const {
    const int end = owner_->run_piece_[at((last + rows - 1) / rows)];
    for (int i = owner_->run_piece_[at(first / rows)]; i < end; ++i) work(owner_->pieces_[at(i)]);
  }

  PrefactoredSystem* owner_;
  const VectorField *b_, *p_;
  double size_;  ///< N
  bool is_exact_;
  HalfWay* half_way_;
};

/// As `solve_as` without the shift and the sign, in the usual case that there is nothing to permute
/// and nothing to scale.
void PrefactoredSystem::solve_in_order(const VectorField& b, VectorField& p, HalfWay* half_way,
                                       const PaddedVector& taken, Threads& threads) {
  for (Part& part : parts_) part.shift = part.force = {};
  if (is_rough_) {
    for_groups(threads, [&](int first, int last) {
      for (int i = first; i < last; ++i) {
        Piece& piece = pieces_[at(i)];
        kernels_->sum(&b[first_vertex_ + piece.begin], nullptr, piece.count(), piece.sum.v);
        piece.largest = kernels_->largest(&b[first_vertex_ + piece.begin], piece.count());
      }
    });
    double size = 0;
    for (const Piece& piece : pieces_) {
      size = std::max(size, piece.largest);
      for (int c = 0; c < 4; ++c) parts_[piece.part].force[c] += piece.sum[c];
    }
    Ends ends(*this, b, p, size, half_way);
    matrix_.solve4_between(ends, static_cast<int>(order_.size()), p[first_vertex_].v, threads);
    for (int c = 0; c < 4 && half_way != nullptr; ++c) parts_.front().force[c] -= taken[c];
    for (const Piece& piece : pieces_) {
      for (int c = 0; c < 4; ++c) parts_[piece.part].shift[c] -= piece.sum[c];
    }
    for (Part& part : parts_) {
      for (int c = 0; c < 4; ++c) {
        part.shift[c] = part.weight > 0 ? (part.force[c] + part.shift[c]) / part.weight : 0;
      }
    }
  } else {
    matrix_.solve4(b[first_vertex_].v, p[first_vertex_].v, threads);
  }
}

template <int stride>
void PrefactoredSystem::solve_as(const VectorField& b, VectorField& p, Threads& threads) {
  make_room();
  double* const work = work_.data();
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const PaddedVector& from = b[static_cast<std::size_t>(order_[k])];
    for (int c = 0; c < stride; ++c) work[stride * k + static_cast<std::size_t>(c)] = from[c];
  }
  const auto entry = [&](std::size_t k, int c) -> double& {
    return work[stride * k + static_cast<std::size_t>(c)];
  };
  const bool shifts = is_rough_ || !matrix_.is_plain();
  for (Part& part : parts_) {
    if (!shifts || !(part.weight > 0)) continue;
    part.force = {};
    for (std::size_t k = part.begin; k < part.end; ++k) {
      for (int c = 0; c < stride; ++c) part.force[c] += entry(k, c);
    }
    if (matrix_.is_exact()) continue;
    for (std::size_t k = part.begin; k < part.end; ++k) {
      for (int c = 0; c < stride; ++c) entry(k, c) -= weight_[k] * (part.force[c] / part.weight);
    }
  }
  if constexpr (stride == 4) {
    matrix_.solve4(work, threads);
  } else {
    matrix_.solve(work, threads);
  }
  for (const Part& part : parts_) {
    if (!shifts || !(part.weight > 0)) continue;
    PaddedVector shift = part.force;
    for (std::size_t k = part.begin; k < part.end; ++k) {
      for (int c = 0; c < stride; ++c) shift[c] -= weight_[k] * entry(k, c);
    }
    for (int c = 0; c < stride; ++c) shift[c] /= part.weight;
    for (std::size_t k = part.begin; k < part.end; ++k) {
      for (int c = 0; c < stride; ++c) entry(k, c) += shift[c];
    }
  }
  for (std::size_t k = 0; k < order_.size(); ++k) {
    PaddedVector& to = p[static_cast<std::size_t>(order_[k])];
    for (int c = 0; c < stride; ++c) to[c] = -entry(k, c);
    if constexpr (stride == 3) to[3] = 0;
  }
}

}  // namespace supple
