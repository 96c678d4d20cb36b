#include "position/spring_constraints.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "elements/damping.h"
#include "math/vec3.h"

namespace supple {

namespace {

/// What a spring sees: x_a - x_b, with its length and direction.
template <class T>
struct Line {
  T d[3];
  T n[3];
  T length;

  Line(const Positions<T>& x, std::size_t a, std::size_t b, const T* rest_direction) {
    for (int k = 0; k < 3; ++k) d[k] = x[a][k] - x[b][k];
    length = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const bool has_direction = length > 0;
    const T inverse = has_direction ? 1 / length : T(0);
    for (int k = 0; k < 3; ++k) n[k] = has_direction ? d[k] * inverse : rest_direction[k];
  }
};

/// x_a += w_a dq, x_b -= w_b dq.
template <class T>
void push(Positions<T>& x, std::size_t a, std::size_t b, T weight_a, T weight_b, const T* impulse) {
  for (int k = 0; k < 3; ++k) {
    x[a][k] += weight_a * impulse[k];
    x[b][k] -= weight_b * impulse[k];
  }
}

template <class T>
T inverse_mass(double mass) {
  return mass > 0 ? static_cast<T>(1 / mass) : T(0);
}

}  // namespace

template <class T>
SpringConstraints<T>::SpringConstraints(const Model& model, SpringProjection projection, bool keep,
                                        const std::vector<char>& left_out)
    : model_(&model), projection_(projection), keep_(keep) {
  const std::vector<SpringSet::Spring>& springs = model.springs.springs;
  std::vector<int> vertices, numbers;
  vertices.reserve(2 * springs.size());
  for (std::size_t s = 0; s < springs.size(); ++s) {
    if (!left_out.empty() && left_out[s] != 0) continue;
    numbers.push_back(static_cast<int>(s));
    vertices.push_back(springs[s].a);
    vertices.push_back(springs[s].b);
  }
  colours_ = colour_constraints(vertices, 2, model.num_vertices);
  place_.assign(springs.size(), -1);
  for (const int number : colours_.constraints) {
    const int s = numbers[at(number)];
    const SpringSet::Spring& spring = springs[at(s)];
    place_[at(s)] = static_cast<int>(a_.size());
    a_.push_back(spring.a);
    b_.push_back(spring.b);
    const auto exact = model.springs.find_inextensible(s);
    is_exact_.push_back(static_cast<char>(exact.has_value()));
    rest_length_.push_back(
        static_cast<T>(exact ? model.springs.exact_length[*exact] : spring.rest_length));
    compliance_.push_back(static_cast<T>(1 / spring.stiffness));
    weight_a_.push_back(inverse_mass<T>(model.mass[at(spring.a)]));
    weight_b_.push_back(inverse_mass<T>(model.mass[at(spring.b)]));
    for (double component : model.springs.rest_direction[at(s)]) {
      rest_direction_.push_back(static_cast<T>(component));
    }
  }
  multiplier_.resize((projection == SpringProjection::stress ? 3 : 1) * numbers.size());
}

template <class T>
void SpringConstraints<T>::begin(const PositionStep& step) {
  inverse_a2_ = static_cast<T>(step.inverse_a2);
  add_dampers({step.x_start.data(), std::sqrt(step.inverse_a2)});
  if (!keep_ || step.first_of_frame) std::fill(multiplier_.begin(), multiplier_.end(), T(0));
}

/// Springs of an exact length do not deform.
template <class T>
void SpringConstraints<T>::add_dampers(const StepStart& start) {
  if (!model_->is_damped()) return;
  for (std::size_t i = 0; i < place_.size(); ++i) {
    if (place_[i] < 0 || is_exact_[at(place_[i])] != 0) continue;
    const SpringSet::Spring both = with_damper(*model_, model_->springs.springs[i], start);
    rest_length_[at(place_[i])] = static_cast<T>(both.rest_length);
    compliance_[at(place_[i])] = static_cast<T>(1 / both.stiffness);
  }
}

template <class T>
void SpringConstraints<T>::apply_kept(Positions<T>& x) const {
  if (!keep_) return;
  for (std::size_t s = 0; s < a_.size(); ++s) {
    const std::size_t a = at(a_[s]), b = at(b_[s]);
    T impulse[3];
    if (projection_ == SpringProjection::stress) {
      for (std::size_t k = 0; k < 3; ++k) impulse[k] = multiplier_[3 * s + k];
    } else {
      const Line<T> line(x, a, b, &rest_direction_[3 * s]);
      for (int k = 0; k < 3; ++k) impulse[k] = multiplier_[s] * line.n[k];
    }
    push(x, a, b, weight_a_[s], weight_b_[s], impulse);
  }
}

template <class T>
void SpringConstraints<T>::project(Positions<T>& x, Threads& threads) {
  for (int colour = 0; colour < colours_.num_colours(); ++colour) {
    const int begin = colours_.start[at(colour)];
    const int end = colours_.start[at(colour) + 1];
    threads.parallel_for((end - begin + chunk_size - 1) / chunk_size, [&](int chunk) {
      const int first = begin + chunk * chunk_size;
      const int last = std::min(first + chunk_size, end);
      if (projection_ == SpringProjection::stress) {
        project_stress(first, last, x);
      } else {
        project_sequential(first, last, x);
      }
    });
  }
}

/// given: the impulse along the spring that the ends have got already, kg m.
template <class T>
typename SpringConstraints<T>::Spring SpringConstraints<T>::spring_at(std::size_t s, T length,
                                                                      T weight, T given) const {
  const T rest = rest_length_[s], alpha = compliance_[s] * inverse_a2_;
  if (is_exact_[s] == 0) return {rest, alpha};
  const T wanted = (rest - length) / weight + given;
  if (std::abs(wanted) * alpha <= rest) return {rest, T(0)};
  return {wanted < 0 ? T(0) : 2 * rest, alpha};
}

template <class T>
void SpringConstraints<T>::project_sequential(int first, int last, Positions<T>& x) {
  for (std::size_t s = at(first); s < at(last); ++s) {
    const T weight = weight_a_[s] + weight_b_[s];
    const std::size_t a = at(a_[s]), b = at(b_[s]);
    const Line<T> line(x, a, b, &rest_direction_[3 * s]);
    if (!(weight > 0)) continue;
    const auto [rest, alpha] = spring_at(s, line.length, weight, multiplier_[s]);
    const T change = (rest - line.length - alpha * multiplier_[s]) / (weight + alpha);
    multiplier_[s] += change;
    const T impulse[3] = {change * line.n[0], change * line.n[1], change * line.n[2]};
    push(x, a, b, weight_a_[s], weight_b_[s], impulse);
  }
}

/// Along the spring q_n = (r - l + w q_n)/(alpha~ + w), across it q_t = f w q_t/(alpha~ + f w),
/// with f = max(0, 1 - r/l), alpha~ = 1/(a^2 k), w = w_a + w_b. Where alpha~ is 0, f/alpha~ is the
/// tension over l, -q_n/l.
template <class T>
void SpringConstraints<T>::project_stress(int first, int last, Positions<T>& x) {
  for (std::size_t s = at(first); s < at(last); ++s) {
    const T weight = weight_a_[s] + weight_b_[s];
    const std::size_t a = at(a_[s]), b = at(b_[s]);
    const Line<T> line(x, a, b, &rest_direction_[3 * s]);
    if (!(weight > 0)) continue;
    T* q = &multiplier_[3 * s];
    const T along = q[0] * line.n[0] + q[1] * line.n[1] + q[2] * line.n[2];
    const auto [rest, alpha] = spring_at(s, line.length, weight, along);
    const T new_along = (rest - line.length + weight * along) / (alpha + weight);
    T share;
    if (alpha > 0) {
      // Without a rest length the spring is linear, even at length zero.
      const T across = line.length > rest ? 1 - rest / line.length : T(rest > 0 ? 0 : 1);
      share = across * weight / (alpha + across * weight);
    } else {
      const T pulls = std::max(T(0), -new_along) * weight;
      share = pulls > 0 ? pulls / (line.length + pulls) : T(0);
    }
    T change[3];
    for (int k = 0; k < 3; ++k) {
      const T replaced = new_along * line.n[k] + share * (q[k] - along * line.n[k]);
      change[k] = replaced - q[k];
      q[k] = replaced;
    }
    push(x, a, b, weight_a_[s], weight_b_[s], change);
  }
}

template <class T>
std::vector<ConstraintGroup> SpringConstraints<T>::groups() const {
  std::vector<ConstraintGroup> groups;
  for (int colour = 0; colour < colours_.num_colours(); ++colour) {
    groups.push_back({"springs", colours_.size(colour)});
  }
  return groups;
}

template <class T>
Vec3 SpringConstraints<T>::impulse(std::size_t spring) const {
  const std::size_t s = at(place_[spring]);
  if (projection_ == SpringProjection::sequential) {
    return {static_cast<double>(multiplier_[s]), 0, 0};
  }
  return {static_cast<double>(multiplier_[3 * s]), static_cast<double>(multiplier_[3 * s + 1]),
          static_cast<double>(multiplier_[3 * s + 2])};
}

template <class T>
double SpringConstraints<T>::tension(std::size_t spring, const VectorField& z) const {
  const std::size_t s = at(place_[spring]);
  double along =
      static_cast<double>(multiplier_[projection_ == SpringProjection::stress ? 3 * s : s]);
  if (projection_ == SpringProjection::stress) {
    const double* const a = z[at(a_[s])].v;
    const double* const b = z[at(b_[s])].v;
    const Vec3 q = impulse(spring), d{a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    const double length = std::hypot(d[0], d[1], d[2]);
    along = length > 0 ? vec3::dot(q, d) / length : 0;
  }
  return -along * static_cast<double>(inverse_a2_);
}

template class SpringConstraints<double>;
template class SpringConstraints<float>;

}  // namespace supple
