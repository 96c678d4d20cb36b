#include "position/tet_constraints.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "math/svd.h"
#include "model/range_fibers.h"
#include "position/constraint_forms.h"
#include "supple/error.h"

namespace supple {

namespace {

/// What fits the caches next to a core (measured: prefetching pays from about 6 MB on).
constexpr std::size_t near_bytes = std::size_t{6} << 20;

/// Share of the impulses of poor tets with which the next substep begins. If visits cover the share
/// nu of the way to the step's solution, forces lag behind positions, and a disturbance swings up
/// unless (1 - nu) times this is below 1/2. (With all of it, 1e-12 m on a published mesh of 26,000
/// tets became 0.7 mm in 16 frames of 20 substeps with one iteration; with half for the poor tets,
/// 2e-9 m.)
constexpr double kept_share_of_poor = 0.5;

/// A constraint of a tet: where the model has its parameters.
struct Source {
  int range;
  int fiber;  ///< family; -1: the material
  int batch;  ///< of the range
  int lane;
};

/// What the damping of a tet costs: V tau k, J s.
double viscosity_of(const Model& model, std::size_t tet) {
  if (!model.is_damped()) return 0;
  return model.elastic_volume(tet) * model.stiffness[tet] * model.damping_of(model.tets[tet][0], 1);
}

/// The sources of every tet, in the order in which they are projected.
std::vector<std::vector<Source>> sources_of_tets(const Model& model) {
  std::vector<std::vector<Source>> sources(static_cast<std::size_t>(model.num_tets));
  for (std::size_t r = 0; r < model.ranges.size(); ++r) {
    const ElementRange& range = model.ranges[r];
    for (int b = 0; b < range.num_batches; ++b) {
      for (int lane = 0; lane < lanes; ++lane) {
        const int tet =
            model.tet_of_lane[static_cast<std::size_t>((range.first_batch + b) * lanes + lane)];
        if (tet < 0) continue;
        auto& list = sources[static_cast<std::size_t>(tet)];
        for (int fiber = -1; fiber < range.num_fibers; ++fiber) {
          list.push_back({static_cast<int>(r), fiber, b, lane});
        }
      }
    }
  }
  for (auto& list : sources) {
    std::stable_sort(list.begin(), list.end(), [&](const Source& a, const Source& b) {
      return model.ranges[static_cast<std::size_t>(a.range)].layer <
             model.ranges[static_cast<std::size_t>(b.range)].layer;
    });
  }
  return sources;
}

/// Constraints of one form can share a batch. The damping of a tet belongs to its own material.
TetForm form_of(const Model& model, int tet, const Source& source) {
  if (source.fiber >= 0) return {};
  const ElementRange& range = model.ranges[static_cast<std::size_t>(source.range)];
  const bool damped = range.layer == 0 && viscosity_of(model, static_cast<std::size_t>(tet)) > 0;
  return {&range.material, damped};
}

/// 1/m, 1/kg; 0 without mass.
double weight_of(const Model& model, std::size_t tet, std::size_t corner) {
  const auto v = static_cast<std::size_t>(model.tets[tet][corner]);
  return model.mass[v] > 0 ? 1 / model.mass[v] : 0;
}

/// Sets the rows of a tet that follow from its rest shape. set: takes (row, value).
template <class Set>
void set_tet(const Model& model, std::size_t tet, bool filled, const Set& set) {
  Vector3<double> b[4];
  Mat3<double> G = Mat3<double>::zero();
  const std::array<Vec3, 4> gradients = model.elastic_gradients(tet);
  for (std::size_t c = 0; c < 4; ++c) {
    const Vec3& gradient = gradients[c];
    b[c] = {{gradient[0], gradient[1], gradient[2]}};
    const double w = filled ? weight_of(model, tet, c) : 0;
    set(tet_rows::weights + static_cast<int>(c), c == 0 ? w : -w);
    for (int i = 0; i < 9; ++i) G(i / 3, i % 3) += w * b[c][i / 3] * b[c][i % 3];
  }
  // The right frame of a symmetric matrix without negative eigenvalues is that of its eigenvectors.
  const Mat3<double> R = svd(G).V;
  const Mat3<double> diagonal = transpose_times(R, G * R);
  for (int i = 0; i < 3; ++i) set(tet_rows::mobility + i, std::max(0.0, diagonal(i, i)));
  for (int i = 0; i < 9; ++i) set(tet_rows::gradients + i, dot(R.column(i % 3), b[i / 3 + 1]));
}

/// The same for one of its fibers.
template <class Set>
void set_fiber(const Model& model, std::size_t tet, bool filled, const Fiber<double>& fiber,
               const Set& set) {
  double mobility = 0;
  const std::array<Vec3, 4> gradients = model.elastic_gradients(tet);
  for (std::size_t c = 0; c < 4; ++c) {
    const Vec3& b = gradients[c];
    double e = 0;
    for (int i = 0; i < 3; ++i) e += fiber.direction[i] * b[static_cast<std::size_t>(i)];
    const double w = filled ? weight_of(model, tet, c) : 0;
    const int corner = static_cast<int>(c);
    if (c > 0) set(tet_rows::fiber_gradients + corner - 1, e);
    set(tet_rows::fiber_weights + corner, c == 0 ? w : -w);
    mobility += w * e * e;
  }
  set(tet_rows::fiber_mobility, mobility);
  set(tet_rows::fiber_stiffness, model.elastic_volume(tet) * fiber.kappa);
}

/// Places are counted in bytes: 2^32 bytes are 134 million vertices.
void check_size(const Model& model) {
  if (static_cast<std::uint64_t>(model.num_vertices) <
      (std::uint64_t{1} << 32) / sizeof(PaddedPosition<double>)) {
    return;
  }
  throw Error(
      ErrorKind::invalid_input, "/solver/method",
      "xpbd takes less than 134217728 vertices, there are " + std::to_string(model.num_vertices));
}

void check_materials(const Model& model) {
  for (const ElementRange& range : model.ranges) {
    if (has_constraint_form(range.material)) continue;
    std::string names;
    for (const std::string& name : materials_with_constraint_form()) {
      names += (names.empty() ? "" : ", ") + name;
    }
    const char* name = std::visit(
        [](const auto& family) { return std::decay_t<decltype(family)>::name; }, range.material);
    throw Error(ErrorKind::invalid_input, "/solver/method",
                "the material " + std::string(name) +
                    " has no constraint form; materials that have one: " + names);
  }
}

}  // namespace

template <class T>
struct TetConstraints<T>::Builder {
  TetConstraints& to;
  const Model& model;
  std::vector<std::vector<Source>> sources = sources_of_tets(model);
  /// A lane of the batch that is being made: its tet and which of the tet's constraints.
  struct Lane {
    int tet;
    const Source* source;
  };
  std::vector<Lane> batch;
  int num_batches = 0;

  /// Adds the constraints of tets that touch no vertex twice, or whose lanes are done one after the
  /// other, in batches of one kind each.
  void add_tets(const int* tets, std::size_t count) {
    for (std::size_t ordinal = 0;; ++ordinal) {
      std::vector<Lane> left;
      for (std::size_t i = 0; i < count; ++i) {
        if (tets[i] < 0) continue;
        const auto& list = sources[static_cast<std::size_t>(tets[i])];
        if (ordinal < list.size()) left.push_back({tets[i], &list[ordinal]});
      }
      if (left.empty()) return;
      while (!left.empty()) {
        const TetForm form = form_of(model, left.front().tet, *left.front().source);
        batch.clear();
        std::vector<Lane> others;
        for (const Lane& lane : left) {
          (form_of(model, lane.tet, *lane.source) == form ? batch : others).push_back(lane);
        }
        add_batch();
        left.swap(others);
      }
    }
  }

  /// Adds tets serially: those with a single constraint of one kind share a batch, others have
  /// their own.
  void add_serial(const int* tets, std::size_t count) {
    std::size_t begin = 0;
    const auto single = [&](std::size_t i) {
      return tets[i] >= 0 && sources[static_cast<std::size_t>(tets[i])].size() == 1;
    };
    while (begin < count) {
      std::size_t end = begin + 1;
      while (end < count && single(begin) && single(end) &&
             form_of(model, tets[begin], sources[static_cast<std::size_t>(tets[begin])][0]) ==
                 form_of(model, tets[end], sources[static_cast<std::size_t>(tets[end])][0])) {
        ++end;
      }
      add_tets(tets + begin, end - begin);
      begin = end;
    }
  }

  void add_batch() {
    const TetForm form = form_of(model, batch.front().tet, *batch.front().source);
    const auto num_rows = static_cast<std::size_t>(num_tet_rows(form, to.projection_));
    const std::size_t first_row = to.rows_.size();
    const bool begins = static_cast<int>(to.runs_.size()) == to.task_start_.back();
    if (!begins && to.runs_.back().form == form) {
      ++to.runs_.back().num_batches;
    } else {
      to.runs_.push_back({form, batch.front().source->range, num_batches, 1, first_row});
    }
    ++num_batches;
    to.rows_.resize(first_row + num_rows, Row{});
    to.places_.emplace_back();
    for (std::size_t lane = 0; lane < width; ++lane) {
      // Empty lanes repeat the first tet, unable to move.
      const bool filled = lane < batch.size();
      const Lane& from = batch[filled ? lane : 0];
      to.tet_of_lane_.push_back(filled ? from.tet : -1);
      to.origin_.push_back(
          {from.source->range, from.source->batch * lanes + from.source->lane, from.source->fiber});
      const auto& corners = model.tets[static_cast<std::size_t>(from.tet)];
      for (std::size_t c = 0; c < 4; ++c) to.places_.back().v[c][lane] = place_of(corners[c]);
      Row* rows = to.rows_.data() + first_row;
      to.set_shape(from.tet, filled, to.origin_.back(), lane, rows);
      to.set_parameters(form, from.tet, to.origin_.back(), lane, rows);
    }
  }

  static std::uint32_t place_of(int vertex) {
    return static_cast<std::uint32_t>(static_cast<std::size_t>(vertex) * sizeof(PaddedPosition<T>));
  }
};

namespace {

std::vector<std::size_t> kinds_of_ranges(const Model& model) {
  std::vector<std::size_t> kinds;
  for (const ElementRange& range : model.ranges) kinds.push_back(range.material.index());
  return kinds;
}

bool has_infinite_lambda(const Model& model) {
  for (const ElementRange& range : model.ranges) {
    if (!std::holds_alternative<StableNeoHookeanModel>(range.material)) continue;
    for (std::size_t i = 0; i < range.parameters.size(); ++i) {
      const bool is_lambda = i / lanes % static_cast<std::size_t>(range.num_parameters) == 1;
      if (is_lambda && std::isinf(range.parameters[i])) return true;
    }
  }
  return false;
}

}  // namespace

template <class T>
TetConstraints<T>::TetConstraints(const Model& model, const Schedule& schedule,
                                  TetProjection projection)
    : model_(&model),
      projection_(projection),
      serial_(schedule.serial),
      kernels_(serial_ ? &serial_tet_kernels<T>() : &tet_kernels<T>(simd_level_in_use())),
      kind_of_range_(kinds_of_ranges(model)),
      task_start_{0},
      phase_start_{0} {
  check_size(model);
  check_materials(model);
  any_incompressible_ = has_infinite_lambda(model);
  Builder builder{*this, model};
  const auto scheduled = static_cast<std::size_t>(schedule.width);
  for (int phase = 0; phase < schedule.num_phases(); ++phase) {
    int size = 0;
    for (int task = schedule.phase_start[static_cast<std::size_t>(phase)];
         task < schedule.phase_start[static_cast<std::size_t>(phase) + 1]; ++task) {
      for (int b = schedule.task_start[static_cast<std::size_t>(task)];
           b < schedule.task_start[static_cast<std::size_t>(task) + 1]; ++b) {
        const int* tets = schedule.tet_of_lane.data() + static_cast<std::size_t>(b) * scheduled;
        size +=
            static_cast<int>(scheduled) - static_cast<int>(std::count(tets, tets + scheduled, -1));
        for (std::size_t i = 0; i < scheduled; i += width) {
          const std::size_t count = std::min(width, scheduled - i);
          if (serial_) {
            builder.add_serial(tets + i, count);
          } else {
            builder.add_tets(tets + i, count);
          }
        }
      }
      task_start_.push_back(static_cast<int>(runs_.size()));
    }
    phase_start_.push_back(static_cast<int>(task_start_.size()) - 1);
    groups_.push_back({"tets", size});
  }
  worst_.resize(task_start_.size() - 1);
  places_.shrink_to_fit();
  rows_.shrink_to_fit();
  tet_of_lane_.shrink_to_fit();
}

template <class T>
TetWork<T> TetConstraints<T>::work_of(const Run& run, PaddedPosition<T>* x) const {
  TetWork<T> work;
  work.form = run.form;
  work.projection = projection_;
  work.first = first_;
  work.far = rows_.size() * sizeof(Row) > near_bytes;
  work.num_batches = run.num_batches;
  work.places = &places_[static_cast<std::size_t>(run.first_batch)].v[0][0];
  // Kernels write the multipliers, but a constant object only lets them be read (read_impulses).
  work.rows = const_cast<T*>(rows_[run.first_row].v);
  work.x = x;
  work.x_start = x_start_;
  work.a = static_cast<T>(std::sqrt(a2_));
  work.a2 = static_cast<T>(a2_);
  return work;
}

template <class T>
template <class Visit>
void TetConstraints<T>::for_all(Threads& threads, const Visit& visit) {
  for (std::size_t phase = 0; phase + 1 < phase_start_.size(); ++phase) {
    const int first = phase_start_[phase];
    threads.parallel_for(phase_start_[phase + 1] - first, [&](int i) {
      const auto task = static_cast<std::size_t>(first + i);
      for (int run = task_start_[task]; run < task_start_[task + 1]; ++run) {
        visit(task, runs_[static_cast<std::size_t>(run)]);
      }
    });
  }
}

template <class T>
void TetConstraints<T>::begin(double a2, const PaddedPosition<T>* x_start) {
  a2_ = a2;
  x_start_ = x_start;
  first_ = true;
}

template <class T>
void TetConstraints<T>::begin_kept(double a2, const Positions<T>& x_start, Positions<T>& x,
                                   Threads& threads) {
  // Impulses are a^2 times forces.
  const double share = projection_ == TetProjection::careful_stress ? kept_share_of_poor : 1;
  const T scale = static_cast<T>(share * (a2_ > 0 ? a2 / a2_ : 1));
  a2_ = a2;
  x_start_ = x_start.data();
  if (first_) return;
  for_all(threads,
          [&](std::size_t, const Run& run) { kernels_->apply(work_of(run, x.data()), scale); });
}

template <class T>
void TetConstraints<T>::project(Positions<T>& x, Threads& threads) {
  std::fill(worst_.begin(), worst_.end(), T(0));
  for_all(threads, [&](std::size_t task, const Run& run) {
    worst_[task] = std::max(worst_[task], kernels_->project(work_of(run, x.data())));
  });
  first_ = false;
}

template <class T>
void TetConstraints<T>::set_shape(int tet, bool filled, const Origin& origin, std::size_t lane,
                                  Row* rows) const {
  const auto set = [&](int row, double value) { rows[row].v[lane] = static_cast<T>(value); };
  const auto t = static_cast<std::size_t>(tet);
  if (origin.fiber >= 0) {  // a family
    const auto place = static_cast<std::size_t>(origin.place);
    set_fiber(*model_, t, filled,
              fiber_of(model_->ranges[static_cast<std::size_t>(origin.range)], place / lanes,
                       place % lanes, origin.fiber),
              set);
  } else {
    set_tet(*model_, t, filled, set);
  }
}

template <class T>
void TetConstraints<T>::shapes_changed() {
  if (model_->has_new_rest.empty()) return;
  for (const Run& run : runs_) {
    for_lanes(run, [&](int tet, bool filled, const Origin& origin, std::size_t lane, Row* rows) {
      if (model_->has_new_rest[static_cast<std::size_t>(tet)] == 0) return;
      set_shape(tet, filled, origin, lane, rows);
      set_parameters(run.form, tet, origin, lane, rows);
    });
  }
}

template <class T>
void TetConstraints<T>::fibers_changed() {
  for (const Run& run : runs_) {
    if (run.form.material != nullptr) continue;
    for_lanes(run, [&](int tet, bool filled, const Origin& origin, std::size_t lane, Row* rows) {
      set_shape(tet, filled, origin, lane, rows);
    });
  }
}

template <class T>
template <class Set>
void TetConstraints<T>::for_lanes(const Run& run, const Set& set) {
  const auto num_rows = static_cast<std::size_t>(num_tet_rows(run.form, projection_));
  const std::size_t first = static_cast<std::size_t>(run.first_batch) * width;
  for (std::size_t i = 0; i < static_cast<std::size_t>(run.num_batches) * width; ++i) {
    // An empty lane repeats the first one, which is full.
    const int own = tet_of_lane_[first + i];
    const int tet = own < 0 ? tet_of_lane_[first + i / width * width] : own;
    set(tet, own >= 0, origin_[first + i], i % width,
        rows_.data() + run.first_row + i / width * num_rows);
  }
}

template <class T>
void TetConstraints<T>::set_parameters(const TetForm& form, int tet, const Origin& origin,
                                       std::size_t lane, Row* rows) const {
  if (form.material == nullptr) return;
  const ElementRange& range = model_->ranges[static_cast<std::size_t>(origin.range)];
  const double volume = model_->elastic_volume(static_cast<std::size_t>(tet));
  const auto set = [&](int row, double value) { rows[row].v[lane] = static_cast<T>(value); };
  const auto parameter = [&](int p) {
    return range.parameter(static_cast<std::size_t>(origin.place), p);
  };
  if (form.damped) {
    set(first_multiplier(form) - 1, viscosity_of(*model_, static_cast<std::size_t>(tet)));
  }
  if (std::holds_alternative<StableNeoHookeanModel>(range.material)) {
    set(tet_rows::material, volume * parameter(0));
    set(tet_rows::material + 1, 1 / (volume * parameter(1)));
  } else {
    set(tet_rows::material, volume);
    for (int p = 0; p < range.num_parameters; ++p) set(tet_rows::material + 1 + p, parameter(p));
  }
}

template <class T>
bool TetConstraints<T>::take_materials() {
  if (kinds_of_ranges(*model_) != kind_of_range_) return false;
  for (Run& run : runs_) {
    if (run.form.material != nullptr) {
      run.form.material = &model_->ranges[static_cast<std::size_t>(run.range)].material;
    }
    for_lanes(run, [&](int tet, bool, const Origin& origin, std::size_t lane, Row* rows) {
      set_parameters(run.form, tet, origin, lane, rows);
    });
  }
  any_incompressible_ = has_infinite_lambda(*model_);
  return true;
}

template <class T>
double TetConstraints<T>::worst_violation() const {
  T worst = 0;
  for (const T value : worst_) worst = std::max(worst, value);
  return static_cast<double>(worst);
}

template <class T>
void TetConstraints<T>::stresses(const Positions<T>& x, std::vector<Mat3<double>>& P) const {
  P.assign(static_cast<std::size_t>(model_->num_tets), Mat3<double>::zero());
  if (first_) return;
  Positions<T> rest(model_->rest.size());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) rest[i].v[k] = static_cast<T>(model_->rest[i][k]);
  }
  Mat3<T> Q[width];
  for (Run run : runs_) {
    const auto num_rows = static_cast<std::size_t>(num_tet_rows(run.form, projection_));
    const int last = run.first_batch + run.num_batches;
    for (run.num_batches = 1; run.first_batch < last;
         ++run.first_batch, run.first_row += num_rows) {
      read_impulses(work_of(run, nullptr), x.data(), rest.data(), Q);
      for (std::size_t lane = 0; lane < width; ++lane) {
        const int tet = tet_of_lane_[static_cast<std::size_t>(run.first_batch) * width + lane];
        if (tet < 0) continue;
        const auto t = static_cast<std::size_t>(tet);
        Mat3<double> impulse;
        for (int i = 0; i < 9; ++i)
          impulse(i / 3, i % 3) = static_cast<double>(Q[lane](i / 3, i % 3));
        // The gradients of a changed rest shape give R^-1 at rest, not I.
        if (!model_->inverse_change.empty() && run.form.material != nullptr) {
          impulse = impulse * transpose(inverse(model_->inverse_change[t]));
        }
        P[t] = P[t] + (-1 / (a2_ * model_->elastic_volume(t))) * impulse;
      }
    }
  }
}

template <class T>
void TetConstraints<T>::add_pressures(std::vector<double>& pressure,
                                      std::vector<double>& excess) const {
  if (first_) return;
  const bool whole = keeps_matrix(projection_);
  for (const Run& run : runs_) {
    if (run.form.material == nullptr ||
        !std::holds_alternative<StableNeoHookeanModel>(*run.form.material)) {
      continue;
    }
    const auto num_rows = static_cast<std::size_t>(num_tet_rows(run.form, projection_));
    const auto place = static_cast<std::size_t>(first_multiplier(run.form) + (whole ? 9 : 1));
    for (int b = 0; b < run.num_batches; ++b) {
      const Row* const rows = &rows_[run.first_row + static_cast<std::size_t>(b) * num_rows];
      const std::size_t first_lane = static_cast<std::size_t>(run.first_batch + b) * width;
      for (std::size_t lane = 0; lane < width; ++lane) {
        const int tet = tet_of_lane_[first_lane + lane];
        if (tet < 0) continue;
        const auto t = static_cast<std::size_t>(tet);
        // The stress form stores A p, the others -A p.
        const double impulse = static_cast<double>(rows[place].v[lane]) * (whole ? 1 : -1);
        const double p = impulse / (a2_ * model_->elastic_volume(t));
        pressure[t] += p;
        if (rows[tet_rows::material + 1].v[lane] != T(0)) continue;
        excess[t] +=
            p + static_cast<double>(rows[tet_rows::material].v[lane]) / model_->elastic_volume(t);
      }
    }
  }
}

template class TetConstraints<double>;
template class TetConstraints<float>;

}  // namespace supple
