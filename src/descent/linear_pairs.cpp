#include "descent/linear_pairs.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "base/index.h"

namespace supple {

namespace {

/// Fields stay in doubles if no body has more vertices than this.
constexpr int most_in_doubles = 8192;

/// A curvature t . p is nothing but rounding below this part of the slopes at both ends.
constexpr double rounding = 1e-13;

int largest_body(const Model& model) {
  int most = 0;
  for (std::size_t b = 0; b + 1 < model.body_vertices.size(); ++b) {
    most = std::max(most, model.body_vertices[b + 1] - model.body_vertices[b]);
  }
  return most;
}

/// Vertices at which a new connected part begins: no tet, spring or triangle has vertices both
/// before and from there on.
std::vector<int> parts_of(const Model& model) {
  const auto n = static_cast<std::size_t>(model.num_vertices);
  std::vector<int> reach(n);  // the last vertex that elements beginning here hold
  for (std::size_t i = 0; i < n; ++i) reach[i] = static_cast<int>(i);
  const auto hold = [&](int a, int b) {
    int& last = reach[static_cast<std::size_t>(std::min(a, b))];
    last = std::max({last, a, b});
  };
  for (const auto& tet : model.tets) {
    for (std::size_t c = 1; c < 4; ++c) hold(tet[0], tet[c]);
  }
  for (const SpringSet::Spring& spring : model.springs.springs) hold(spring.a, spring.b);
  for (const MembraneSet::Edge& edge : model.membranes.edges) hold(edge.a, edge.b);
  std::vector<int> starts;
  int last = -1;
  for (int i = 0; i < model.num_vertices; ++i) {
    if (i > last) starts.push_back(i);
    last = std::max(last, reach[static_cast<std::size_t>(i)]);
  }
  return starts;
}

}  // namespace

LinearPairs::LinearPairs(const Model& model, int history, Kept kept, std::shared_ptr<Fields> fields)
    : model_(&model),
      history_(history),
      // A chain of pairs has one z more than pairs; a further one is for a pair that was left out.
      num_inner_(history + 2),
      num_fields_(num_inner_ + history + 1),
      in_floats_(kept == Kept::by_size ? largest_body(model) > most_in_doubles
                                       : kept == Kept::in_floats),
      stride_(4 * static_cast<std::size_t>(model.num_vertices)),
      fields_(fields != nullptr ? std::move(fields) : std::make_shared<Fields>()),
      products_(static_cast<std::size_t>(num_fields_)),
      pairs_(static_cast<std::size_t>(history)),
      s_t_(pairs_.size() * pairs_.size()),
      t_w_(s_t_.size()),
      zeta_(pairs_.size()),
      step_(pairs_.size()),
      factors_(products_.size()) {
  for (auto* list : {&live_, &learnt_}) list->reserve(products_.size());
  kept_.reserve(products_.size());
}

void LinearPairs::begin_step(VectorAlgebra& algebra) {
  clear();
  if (!partial_.empty()) return;
  const auto make_room = [this](auto& numbers) {
    const std::size_t size = stride_ * static_cast<std::size_t>(num_fields_);
    if (numbers.size() < size) numbers.resize(size);
  };
  if (in_floats_) {
    make_runs(algebra);
    make_room(fields_->floats);
    offset_.resize(runs_.size() * static_cast<std::size_t>(num_fields_));
  } else {
    make_room(fields_->doubles);
  }
  partial_.resize(static_cast<std::size_t>(algebra.num_chunks() * (num_fields_ + 3)));
}

void LinearPairs::make_runs(VectorAlgebra& algebra) {
  const std::vector<int> starts = parts_of(*model_);
  for (int chunk = 0; chunk < algebra.num_chunks(); ++chunk) {
    run_of_chunk_.push_back(static_cast<int>(runs_.size()));
    const auto [begin, end] = algebra.chunk(chunk);
    for (int first = begin; first < end;) {
      const auto next = std::upper_bound(starts.begin(), starts.end(), first);
      const int last = next == starts.end() ? end : std::min(end, *next);
      double mass = 0;
      for (int i = first; i < last; ++i) mass += model_->mass[static_cast<std::size_t>(i)];
      runs_.push_back({first, last, mass});
      first = last;
    }
  }
  run_of_chunk_.push_back(static_cast<int>(runs_.size()));
}

void LinearPairs::clear() {
  count_ = 0;
  newest_ = -1;
  has_step_ = false;
}

void LinearPairs::accept(double alpha) {
  alpha_ = alpha;
  has_step_ = true;
}

/// Lists the fields that pairs or the step that was taken use.
void LinearPairs::find_live() {
  live_.clear();
  const auto add = [&](int field) {
    if (std::find(live_.begin(), live_.end(), field) == live_.end()) live_.push_back(field);
  };
  if (has_step_) {
    add(current_);
    add(num_inner_ + last_direction_);
  }
  for (int i = 0; i < count_; ++i) {
    add(pair(i).to);
    add(pair(i).from);
    add(num_inner_ + pair(i).direction);
  }
}

/// A free slot for a z. If there is none, because pairs were left out, the oldest pairs go.
int LinearPairs::free_inner() {
  for (;; --count_) {
    find_live();
    for (int slot = 0; slot < num_inner_; ++slot) {
      if (std::find(live_.begin(), live_.end(), slot) == live_.end()) return slot;
    }
  }
}

int LinearPairs::free_direction() {
  int slot = 0;
  while (std::find(live_.begin(), live_.end(), num_inner_ + slot) != live_.end()) ++slot;
  return slot;
}

void LinearPairs::correct(VectorAlgebra& algebra, const Iterate& at, VectorField& p,
                          const ConstantDirection* inner_direction) {
  if (at.gradient_before == nullptr) has_step_ = false;
  if (has_step_ && count_ == history_) --count_;
  const int now = free_inner();
  if (in_floats_) {
    multiply<float>(algebra, at, inner_direction, p, now);
  } else {
    multiply<double>(algebra, at, inner_direction, p, now);
  }
  if (has_step_) add_pair(now);
  has_step_ = false;
  current_ = now;
  recur(now, 1);
  find_live();
  last_direction_ = free_direction();
  const double own_factor = inner(now).factor;
  slope_ = own_factor * inner(now).now;
  learnt_.clear();
  if (count_ > 0) learnt_ = live_;
  std::erase(live_, now);
  for (const int field : live_) {
    const Products& of = products_[static_cast<std::size_t>(field)];
    slope_ += of.factor * of.now;
  }
  std::transform(live_.begin(), live_.end(), factors_.begin(),
                 [&](int field) { return products_[static_cast<std::size_t>(field)].factor; });
  const int slot = num_inner_ + last_direction_;
  if (in_floats_) {
    combine<float>(algebra, live_, &at, own_factor, p, slot);
  } else {
    combine<double>(algebra, live_, &at, own_factor, p, slot);
  }
}

void LinearPairs::keep_all(VectorAlgebra& algebra, const VectorField& p, int field) {
  algebra.for_chunks([&](int chunk, int first, int last) {
    if (in_floats_) {
      for_runs(chunk, [&](const Run& run, std::size_t index) {
        keep(algebra.kernels(), run, index, p, field);
      });
      return;
    }
    const double* const from = p[0].v;
    std::copy(from + 4 * supple::at(first), from + 4 * supple::at(last),
              fields_->doubles.data() + supple::at(field) * stride_ + 4 * supple::at(first));
  });
}

void LinearPairs::replace(VectorAlgebra& algebra, const VectorField& gradient,
                          const VectorField& p) {
  slope_ = algebra.dot(gradient, p);
  keep_all(algebra, p, num_inner_ + last_direction_);
}

void LinearPairs::replace_inner(VectorAlgebra& algebra, const VectorField& p) {
  keep_all(algebra, p, current_);
}

Vec3 LinearPairs::learnt(int i, int vertex) const {
  const std::size_t place = supple::at(learnt_[supple::at(i)]) * stride_ + 4 * supple::at(vertex);
  Vec3 value;
  for (std::size_t k = 0; k < 3; ++k) {
    value[k] =
        in_floats_ ? static_cast<double>(fields_->floats[place + k]) : fields_->doubles[place + k];
  }
  return value;
}

void LinearPairs::respond(std::span<const double> products, std::span<double> factors) {
  kept_ = products_;
  for (std::size_t i = 0; i < learnt_.size(); ++i) {
    products_[supple::at(learnt_[i])].now = -products[i];
  }
  // With 1 for A0^-1 f itself, which is not asked for, rounding would swallow small factors.
  recur(current_, 0);
  for (std::size_t i = 0; i < learnt_.size(); ++i) {
    factors[i] = products_[supple::at(learnt_[i])].factor;
  }
  std::swap(products_, kept_);
}

void LinearPairs::add_learnt(VectorAlgebra& algebra, std::span<const double> factors,
                             VectorField& p) {
  std::copy_n(factors.begin(), learnt_.size(), factors_.begin());
  if (in_floats_) {
    combine<float>(algebra, learnt_, nullptr, 1, p, -1);
  } else {
    combine<double>(algebra, learnt_, nullptr, 1, p, -1);
  }
}

/// A pair whose curvature is not positive is left out.
void LinearPairs::add_pair(int to) {
  const double rho = alpha_ * t_direction_;
  const double along = direction(last_direction_).now;
  if (!(rho > rounding * alpha_ * (std::abs(along) + std::abs(slope_)))) return;
  newest_ = (newest_ + 1) % history_;
  ++count_;
  pair(0) = {last_direction_, current_, to, alpha_, rho};
  for (int i = 1; i < count_; ++i) {
    const Pair& old = pair(i);
    const Products of_s = direction(old.direction), from = inner(old.from), end = inner(old.to);
    number(s_t_, i, 0) = old.alpha * (of_s.now - of_s.before);
    number(t_w_, i, 0) = number(t_w_, 0, i) = (from.now - end.now) - (from.before - end.before);
  }
  number(t_w_, 0, 0) = t_from_ - t_to_;
}

/// Runs both loops, and finds the factors of all fields in the direction, in which the inner
/// direction `now` has a factor of its own.
void LinearPairs::recur(int now, double own_factor) {
  for (Products& of : products_) of.factor = 0;
  inner(now).factor = own_factor;
  const auto w_gradient = [&](const Pair& own) { return inner(own.from).now - inner(own.to).now; };
  for (int i = 0; i < count_; ++i) {
    double value = pair(i).alpha * direction(pair(i).direction).now;
    for (int j = 0; j < i; ++j) {
      value -= zeta_[static_cast<std::size_t>(j)] * number(s_t_, i, j);
    }
    zeta_[static_cast<std::size_t>(i)] = value / pair(i).rho;
  }
  for (int i = count_ - 1; i >= 0; --i) {
    const double zeta = zeta_[static_cast<std::size_t>(i)];
    double value = w_gradient(pair(i));
    for (int j = 0; j < count_; ++j) {
      value -= zeta_[static_cast<std::size_t>(j)] * number(t_w_, i, j);
    }
    for (int k = count_ - 1; k > i; --k) {
      value += step_[static_cast<std::size_t>(k)] * number(s_t_, k, i);
    }
    const double step = zeta - value / pair(i).rho;
    step_[static_cast<std::size_t>(i)] = step;
    inner(pair(i).from).factor += zeta;
    inner(pair(i).to).factor -= zeta;
    direction(pair(i).direction).factor -= step * pair(i).alpha;
  }
}

template <>
std::vector<double>& LinearPairs::storage() {
  return fields_->doubles;
}
template <>
std::vector<float>& LinearPairs::storage() {
  return fields_->floats;
}

template <class Work>
void LinearPairs::for_runs(int chunk, const Work& work) {
  for (auto r = static_cast<std::size_t>(run_of_chunk_[static_cast<std::size_t>(chunk)]);
       r < static_cast<std::size_t>(run_of_chunk_[static_cast<std::size_t>(chunk) + 1]); ++r) {
    work(runs_[r], r);
  }
}

/// Keeps p in a run as floats, and what these lose of its mean.
void LinearPairs::keep(const VectorKernels& kernels, const Run& run, std::size_t index,
                       const VectorField& p, int field) {
  const auto at = static_cast<std::size_t>(run.first);
  PaddedVector& offset = offset_of(field, index);
  kernels.round(&p[at], &model_->mass[at], run.last - run.first,
                &fields_->floats[static_cast<std::size_t>(field) * stride_ + 4 * at], offset.v);
  for (int c = 0; c < 4; ++c) offset[c] = run.mass > 0 ? offset[c] / run.mass : 0;
}

/// Keeps p as an inner direction and multiplies the gradient with it and with all that is read.
template <class T>
void LinearPairs::multiply(VectorAlgebra& algebra, const Iterate& at,
                           const ConstantDirection* inner_direction, VectorField& p, int kept) {
  live_.push_back(kept);
  const int of_step[3] = {num_inner_ + last_direction_, current_, kept};
  const int stride = num_fields_ + 3;
  const auto count = static_cast<int>(live_.size());
  const VectorKernels& kernels = algebra.kernels();
  T* const numbers = storage<T>().data();
  T* const own = numbers + static_cast<std::size_t>(kept) * stride_;
  algebra.for_chunks([&](int chunk, int first, int last) {
    if (inner_direction != nullptr) inner_direction->finish(first, last, p);
    const auto begin = 4 * static_cast<std::size_t>(first);
    const double* const gradient = at.gradient[0].v + begin;
    const double* const before = has_step_ ? (*at.gradient_before)[0].v + begin : nullptr;
    const KeptFields<T> fields{numbers + begin, stride_, live_.data(), count};
    const KeptFields<T> newest{numbers + begin, stride_, of_step, 3};
    double* const sums = &partial_[static_cast<std::size_t>(chunk * stride)];
    if constexpr (std::is_same_v<T, double>) {
      std::copy(p[0].v + begin, p[0].v + 4 * static_cast<std::size_t>(last), own + begin);
      kernels.of_doubles.multiply(fields, gradient, 4 * (last - first), sums);
      if (!has_step_) return;
      kernels.of_doubles.multiply_change(newest, gradient, before, 4 * (last - first),
                                         sums + num_fields_);
    } else {
      for_runs(chunk,
               [&](const Run& run, std::size_t index) { keep(kernels, run, index, p, kept); });
      kernels.of_floats.multiply(fields, gradient, 4 * (last - first), sums);
      if (!has_step_) return;
      kernels.of_floats.multiply_change(newest, gradient, before, 4 * (last - first),
                                        sums + num_fields_);
    }
  });
  for (int k = 0; k < count; ++k) {
    Products& of = products_[static_cast<std::size_t>(live_[static_cast<std::size_t>(k)])];
    of.before = of.now;
    of.now = sum_of_chunks(algebra, supple::at(k));
  }
  if (!has_step_) return;
  const auto first = static_cast<std::size_t>(num_fields_);
  t_direction_ = sum_of_chunks(algebra, first);
  t_from_ = sum_of_chunks(algebra, first + 1);
  t_to_ = sum_of_chunks(algebra, first + 2);
}

double LinearPairs::sum_of_chunks(const VectorAlgebra& algebra, std::size_t place) const {
  double sum = 0;
  for (const int chunk : algebra.selected()) {
    sum += partial_[at(chunk) * at(num_fields_ + 3) + place];
  }
  return sum;
}

/// p = own_factor p + sum factor_i field_i. Keeps it in the field `kept` unless that is -1, and
/// writes x + p to at->ahead if there is one.
template <class T>
void LinearPairs::combine(VectorAlgebra& algebra, const std::vector<int>& of, const Iterate* at,
                          double own_factor, VectorField& p, int kept) {
  const auto count = static_cast<int>(of.size());
  const VectorKernels& kernels = algebra.kernels();
  T* const numbers = storage<T>().data();
  const bool goes_ahead = at != nullptr && at->ahead != nullptr;
  algebra.for_chunks([&](int chunk, int first, int last) {
    const auto make = [&](int from, int end, const PaddedVector& shift, double* copy) {
      const auto vertex = static_cast<std::size_t>(from);
      const KeptFields<T> fields{numbers + 4 * vertex, stride_, of.data(), count};
      kernels.of<T>().combine(fields, factors_.data(), own_factor, shift.v, 4 * (end - from),
                              {p[vertex].v, copy, goes_ahead ? at->x[vertex].v : nullptr,
                               goes_ahead ? (*at->ahead)[vertex].v : nullptr});
    };
    if constexpr (std::is_same_v<T, double>) {
      double* const copy = kept < 0 ? nullptr : numbers + static_cast<std::size_t>(kept) * stride_;
      make(first, last, {}, copy == nullptr ? copy : copy + 4 * static_cast<std::size_t>(first));
    } else {
      for_runs(chunk, [&](const Run& run, std::size_t index) {
        PaddedVector shift;
        for (int k = 0; k < count; ++k) {
          const PaddedVector& lost = offset_of(of[static_cast<std::size_t>(k)], index);
          for (int c = 0; c < 4; ++c) shift[c] += factors_[static_cast<std::size_t>(k)] * lost[c];
        }
        make(run.first, run.last, shift, nullptr);
        if (kept >= 0) keep(kernels, run, index, p, kept);
      });
    }
  });
}

}  // namespace supple
