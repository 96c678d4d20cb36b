#include "position/rod_constraints.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.h"
#include "elements/damping.h"
#include "model/multipliers.h"

namespace supple {

namespace {

/// Quarterings of a step that would raise the body's part of g, and the rise that counts as
/// rounding.
constexpr int most_quarterings = 4;
constexpr double negligible_rise = 1e-11;
/// The inertia of a vertex without mass, which must stay, kg.
constexpr double immovable = 1e30;

}  // namespace

template <class T>
RodConstraints<T>::RodConstraints(const Model& model, bool keep)
    : model_(&model), keep_(keep), energy_(model.rods, model.damping) {
  const RodSet& set = model.rods;
  if (set.empty()) return;
  springs_ = model.springs.springs;
  row_.assign(at(model.num_vertices), -1);
  own_springs_.assign(model.springs.size(), 0);
  own_vertices_.assign(row_.size(), 0);
  for (std::size_t body = 0; body + 1 < set.first_chain.size(); ++body) {
    for (int c = set.first_chain[body]; c < set.first_chain[body + 1]; ++c) {
      add_strand(set.chains[at(c)], static_cast<int>(body));
    }
  }
  impulse_.resize(vertex_.size());
  step_.resize(vertex_.size());
  const std::size_t num_bodies = model.body_vertices.size() - 1;
  value_.resize(num_bodies);
  next_value_.resize(num_bodies);
  share_.resize(num_bodies);
  z_.resize(at(model.num_vertices));
  gradient_.resize(at(model.num_vertices));
  pins_changed();
}

template <class T>
void RodConstraints<T>::pins_changed() {
  if (empty()) return;
  const std::vector<PinnedVertex>& pins = model_->pins.pins;
  pins_.clear();
  for (std::size_t i = 0; i < pins.size(); ++i) {
    // Something else holds points within segments.
    if (pins[i].point < 0 && row_of(pins[i].vertex) >= 0) pins_.push_back(static_cast<int>(i));
  }
  pin_target_.resize(pins.size());
}

/// Vertices of an open strand are in their order and couple with the two before them. Those of a
/// closed strand are taken from both ends in turn and couple with the four before.
template <class T>
void RodConstraints<T>::add_strand(const RodSet::Chain& chain, int body) {
  const RodSet& set = model_->rods;
  std::vector<int> vertices{set.segments[at(chain.first_segment)].a};
  for (int s = chain.first_segment; s < chain.first_segment + chain.num_segments; ++s) {
    vertices.push_back(set.segments[at(s)].b);
  }
  if (chain.is_closed()) vertices.pop_back();
  Strand strand{.body = body,
                .first = static_cast<int>(vertex_.size()),
                .count = static_cast<int>(vertices.size()),
                .width = 3 * (chain.is_closed() ? 4 : 2) + 3,
                .band = band_.size(),
                .springs = {}};
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    const std::size_t place =
        !chain.is_closed() ? k : (k % 2 == 0 ? k / 2 : vertices.size() - 1 - k / 2);
    const int vertex = vertices[place];
    row_[at(vertex)] = static_cast<int>(vertex_.size());
    own_vertices_[at(vertex)] = 1;
    vertex_.push_back(vertex);
    strand_of_.push_back(static_cast<int>(strands_.size()));
    const double mass = model_->mass[at(vertex)];
    mass_.push_back(mass > 0 ? mass : immovable);
  }
  for (int s = chain.first_segment; s < chain.first_segment + chain.num_segments; ++s) {
    const RodSet::Segment& segment = set.segments[at(s)];
    for (int i = model_->springs.start[at(segment.a)]; i < model_->springs.start[at(segment.a) + 1];
         ++i) {
      const int entry = model_->springs.incident[at(i)];
      if (model_->springs.other_end(entry) != segment.b || own_springs_[at(entry / 2)] != 0) {
        continue;
      }
      own_springs_[at(entry / 2)] = 1;
      strand.springs.push_back(entry / 2);
    }
  }
  band_.resize(band_.size() + at(3 * strand.count) * at(strand.width));
  strands_.push_back(std::move(strand));
}

template <class T>
void RodConstraints<T>::begin(const PositionStep& step) {
  if (empty()) return;
  a2_ = 1 / step.inverse_a2;
  energy_.set_time(model_->pins, step.time);
  const bool is_damped = model_->is_damped();
  const double inverse_a = std::sqrt(step.inverse_a2);
  if (is_damped) energy_.begin_step(step.x_start, inverse_a, step.stage / step.h);
  const SpringSet& set = model_->springs;
  for (const Strand& strand : strands_) {
    for (const int s : strand.springs) {
      const SpringSet::Spring& spring = set.springs[at(s)];
      // Springs of an exact length do not deform.
      springs_[at(s)] = is_damped && !set.find_inextensible(s)
                            ? with_damper(*model_, spring, {step.x_start.data(), inverse_a})
                            : spring;
    }
  }
  model_->pins.targets(step.time, pin_target_);
  if (keep_ && !step.first_of_frame) return;
  std::fill(impulse_.begin(), impulse_.end(), Vector3<double>{});
}

template <class T>
void RodConstraints<T>::apply_kept(Positions<T>& x) const {
  if (!keep_) return;
  for (std::size_t r = 0; r < vertex_.size(); ++r) {
    PaddedPosition<T>& own = x[at(vertex_[r])];
    for (int k = 0; k < 3; ++k) own[k] += static_cast<T>(impulse_[r][k] / mass_[r]);
  }
}

/// Adds a^2 times a block d2E/dvertex dother, and its transpose, to the lower triangle.
template <class T>
void RodConstraints<T>::add_block(int vertex, int other, const double (&block)[9]) {
  const int a = row_of(vertex), b = row_of(other);
  const Strand& strand = strands_[at(strand_of_[at(a)])];
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) {
      // Row and column of the strand's matrix; transposed if the block is above the diagonal.
      const int row = a >= b ? 3 * (a - strand.first) + i : 3 * (b - strand.first) + k;
      const int column = a >= b ? 3 * (b - strand.first) + k : 3 * (a - strand.first) + i;
      if (row < column) continue;
      band_[strand.band + at(row) * at(strand.width) + at(strand.width - 1 - (row - column))] +=
          a2_ * block[3 * i + k];
    }
  }
}

/// Adds the gradient of the springs, and their Hessian along them and, if they are stretched,
/// across.
template <class T>
void RodConstraints<T>::add_springs(const Strand& strand) {
  for (const int s : strand.springs) {
    const SpringSet::Spring& spring = springs_[at(s)];
    const double* const x_a = z_[at(spring.a)].v;
    const double* const x_b = z_[at(spring.b)].v;
    double force[3];
    energy_and_force(spring, model_->springs.rest_direction[at(s)], x_a, x_b, force);
    double d[3], length = 0;
    for (int k = 0; k < 3; ++k) {
      gradient_[at(spring.a)][k] += force[k];
      gradient_[at(spring.b)][k] -= force[k];
      d[k] = x_a[k] - x_b[k];
      length = std::hypot(length, d[k]);
    }
    const double r = spring.rest_length, k = spring.stiffness;
    const double across = length > r ? k * (1 - r / length) : 0;
    double block[9], minus[9];
    for (int i = 0; i < 9; ++i) {
      const double n_n = length > 0 ? d[i / 3] * d[i % 3] / (length * length) : 0;
      block[i] = (k - across) * n_n + (i / 3 == i % 3 ? across : 0);
      minus[i] = -block[i];
    }
    add_block(spring.a, spring.a, block);
    add_block(spring.b, spring.b, block);
    add_block(spring.a, spring.b, minus);
  }
}

template <class T>
void RodConstraints<T>::add_pins() {
  for (const int i : pins_) {
    const PinnedVertex& pin = model_->pins.pins[at(i)];
    double block[9];
    for (int k = 0; k < 9; ++k) block[k] = k % 4 == 0 ? pin.stiffness : 0;
    add_block(pin.vertex, pin.vertex, block);
    for (int k = 0; k < 3; ++k) {
      gradient_[at(pin.vertex)][k] +=
          pin.stiffness * (z_[at(pin.vertex)][k] - pin_target_[at(i)][at(k)]);
    }
  }
}

template <class T>
double RodConstraints<T>::energy_of_springs(const Strand& strand) const {
  double energy = 0, force[3];
  for (const int s : strand.springs) {
    const SpringSet::Spring& spring = springs_[at(s)];
    energy += energy_and_force(spring, model_->springs.rest_direction[at(s)], z_[at(spring.a)].v,
                               z_[at(spring.b)].v, force);
  }
  return energy;
}

/// a^2 times the part of g that belongs to the strands of each body, at z and with the impulses,
/// according to the last evaluation.
template <class T>
void RodConstraints<T>::find_values(std::vector<double>& values) const {
  for (std::size_t body = 0; body < values.size(); ++body) {
    const int b = static_cast<int>(body);
    values[body] = a2_ * (energy_.energy_of(b) + energy_.damping_energy_of(b));
  }
  for (const int i : pins_) {
    const PinnedVertex& pin = model_->pins.pins[at(i)];
    double square = 0;
    for (int k = 0; k < 3; ++k) {
      const double d = z_[at(pin.vertex)][k] - pin_target_[at(i)][at(k)];
      square += d * d;
    }
    values[at(strands_[at(strand_of_[at(row_of(pin.vertex))])].body)] +=
        a2_ * 0.5 * pin.stiffness * square;
  }
  for (const Strand& strand : strands_) {
    double& value = values[at(strand.body)];
    value += a2_ * energy_of_springs(strand);
    for (std::size_t r = at(strand.first); r < at(strand.first + strand.count); ++r) {
      value += 0.5 / mass_[r] * dot(impulse_[r], impulse_[r]);
    }
  }
}

/// (M + a^2 H) dx = -(p + a^2 dE/dx) by Cholesky: the matrix is no smaller than M.
template <class T>
void RodConstraints<T>::find_step(const Strand& strand) {
  const int n = 3 * strand.count, width = strand.width;
  double* const band = &band_[strand.band];
  // Entry (i, j) of the lower triangle, i - width < j <= i.
  const auto entry = [&](int i, int j) -> double& {
    return band[at(i) * at(width) + at(width - 1 - (i - j))];
  };
  const auto unknown = [&](int i) -> double& { return step_[at(strand.first + i / 3)][i % 3]; };
  for (int i = 0; i < n; ++i) {
    const std::size_t row = at(strand.first + i / 3);
    entry(i, i) += mass_[row];
    double right = -(impulse_[row][i % 3] + a2_ * gradient_[at(vertex_[row])][i % 3]);
    const int first = std::max(0, i - width + 1);
    for (int j = first; j < i; ++j) {
      double sum = entry(i, j);
      for (int k = std::max(first, j - width + 1); k < j; ++k) sum -= entry(i, k) * entry(j, k);
      entry(i, j) = sum / entry(j, j);
      right -= entry(i, j) * unknown(j);
    }
    double diagonal = entry(i, i);
    for (int k = first; k < i; ++k) diagonal -= entry(i, k) * entry(i, k);
    // Only rounding can bring it below the mass.
    entry(i, i) = std::sqrt(std::max(diagonal, 0.5 * mass_[row]));
    unknown(i) = right / entry(i, i);
  }
  for (int i = n - 1; i >= 0; --i) {
    double sum = unknown(i);
    for (int j = i + 1; j < std::min(n, i + width); ++j) sum -= entry(j, i) * unknown(j);
    unknown(i) = sum / entry(i, i);
  }
}

/// Changes z and the impulses by `sign` times the bodies' shares of the step.
template <class T>
void RodConstraints<T>::move(double sign) {
  for (std::size_t r = 0; r < vertex_.size(); ++r) {
    const double part = sign * share_[at(strands_[at(strand_of_[r])].body)];
    if (part == 0) continue;
    PaddedVector& own = z_[at(vertex_[r])];
    for (int k = 0; k < 3; ++k) own[k] += part * step_[r][k];
    impulse_[r] = impulse_[r] + (part * mass_[r]) * step_[r];
  }
}

template <class T>
void RodConstraints<T>::project(Positions<T>& x, Threads& threads) {
  for (const int vertex : vertex_) {
    for (int k = 0; k < 3; ++k) z_[at(vertex)][k] = static_cast<double>(x[at(vertex)][k]);
    gradient_[at(vertex)] = {};
  }
  std::fill(band_.begin(), band_.end(), 0.0);
  energy_.visit_hessian(z_, threads, [&](int vertex, int other, const double(&block)[9]) {
    add_block(vertex, other, block);
  });
  energy_.add_gradient(gradient_);
  for (const Strand& strand : strands_) add_springs(strand);
  add_pins();
  find_values(value_);
  threads.parallel_for(static_cast<int>(strands_.size()),
                       [&](int strand) { find_step(strands_[at(strand)]); });
  // A strand at rest keeps its bits, and one without a finite step stays.
  constexpr double rounding = 32 * static_cast<double>(std::numeric_limits<T>::epsilon());
  std::fill(share_.begin(), share_.end(), 0.0);
  for (const Strand& strand : strands_) {
    double way = 0, size = 0;
    for (std::size_t r = at(strand.first); r < at(strand.first + strand.count); ++r) {
      const PaddedVector& own = z_[at(vertex_[r])];
      way = std::max(way, dot(step_[r], step_[r]));
      size = std::max(size, own[0] * own[0] + own[1] * own[1] + own[2] * own[2]);
    }
    if (way > rounding * rounding * size && std::isfinite(way)) share_[at(strand.body)] = 1;
  }
  for (int quartering = 0;; ++quartering) {
    move(1);
    energy_.evaluate(z_, threads);
    find_values(next_value_);
    bool is_done = true;
    for (std::size_t body = 0; body < share_.size(); ++body) {
      is_done =
          is_done && next_value_[body] <= value_[body] + negligible_rise * std::abs(value_[body]);
    }
    if (is_done) break;
    move(-1);
    for (std::size_t body = 0; body < share_.size(); ++body) {
      const bool falls =
          next_value_[body] <= value_[body] + negligible_rise * std::abs(value_[body]);
      if (!falls) share_[body] = quartering < most_quarterings ? 0.25 * share_[body] : 0;
    }
  }
  correct_tensions();
  for (std::size_t r = 0; r < vertex_.size(); ++r) {
    const double part = share_[at(strands_[at(strand_of_[r])].body)];
    if (part == 0) continue;
    PaddedPosition<T>& own = x[at(vertex_[r])];
    for (int k = 0; k < 3; ++k) own[k] += static_cast<T>(part * step_[r][k]);
  }
}

/// t <- t + k (l - r) at z, within its bounds.
template <class T>
void RodConstraints<T>::correct_tensions() {
  const SpringSet& set = model_->springs;
  for (std::size_t i = 0; i < set.inextensible.size(); ++i) {
    const std::size_t s = at(set.inextensible[i]);
    if (own_springs_[s] == 0) continue;
    SpringSet::Spring& spring = springs_[s];
    const PaddedVector &a = z_[at(spring.a)], &b = z_[at(spring.b)];
    const double length = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    hold_tension(spring, set.exact_length[i],
                 tension(i) + spring.stiffness * (length - set.exact_length[i]));
  }
}

template <class T>
double RodConstraints<T>::tension(std::size_t number) const {
  const SpringSet::Spring& spring = springs_[at(model_->springs.inextensible[number])];
  return spring.stiffness * (model_->springs.exact_length[number] - spring.rest_length);
}

template <class T>
std::vector<ConstraintGroup> RodConstraints<T>::groups() const {
  if (empty()) return {};
  return {{"strands", static_cast<int>(strands_.size())}};
}

template class RodConstraints<double>;
template class RodConstraints<float>;

}  // namespace supple
