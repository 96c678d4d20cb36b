#include "position/vertex_constraints.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/index.h"
#include "math/mat3.h"
#include "math/vec3.h"

namespace supple {

namespace {

using Vector = Vector3<double>;

/// Newton steps of a vertex in contact. The function is convex and piecewise smooth, so few are
/// enough; with friction on three planes at once, some take more than a hundred.
constexpr int max_newton_steps = 400;
/// What rounding leaves of forces that balance, relative to them.
constexpr double rounding = 1e-13;
constexpr double vertex_decrease = 1e-4;
constexpr int max_vertex_halvings = 40;
/// Points of edges and faces share vertices, so each round projects them this many times. After a
/// round, further points are looked for, in up to so many rounds. With one of each, fast bodies
/// pass through thin colliders.
constexpr int point_sweeps = 10, most_point_rounds = 3;

/// A/2 |z - z0|^2 + contacts: what a vertex in contact minimises.
struct VertexEnergy {
  double quadratic;  ///< A, N/m
  Vector center;     ///< z0, m
  const ContactEnergy& contact;
  const std::vector<int>& next_contact;
  int first_contact;

  /// Returns its value, J, and the gradient, N. `force`: size of what cancels in the gradient, N.
  double evaluate(const Vector& z, Vector& gradient, double& force) const {
    const Vector off = z - center;
    gradient = quadratic * off;
    double value = 0.5 * quadratic * dot(off, off);
    force = std::sqrt(dot(gradient, gradient));
    for (int c = first_contact; c >= 0; c = next_contact[at(c)]) {
      Vector of_contact{{0, 0, 0}};
      value += contact.add(contact.contacts()[at(c)], z.v, of_contact.v);
      gradient = gradient + of_contact;
      force += std::sqrt(dot(of_contact, of_contact));
    }
    return value;
  }

  Mat3<double> hessian(const Vector& z, bool as_spring) const {
    Mat3<double> H = quadratic * Mat3<double>::identity();
    double block[9];
    for (int c = first_contact; c >= 0; c = next_contact[at(c)]) {
      contact.hessian(contact.contacts()[at(c)], z.v, block, as_spring);
      for (int i = 0; i < 9; ++i) H(i / 3, i % 3) += block[i];
    }
    return H;
  }
};

/// How far one contact pushes a point that is D = depth inside it along its normal, m: the t with
///   A t = k (D - t) + k' max(0, D - t - d_s), or the force of a barrier at D - t.
double pushed_out(double quadratic, const Contact& contact, double depth) {
  if (!(depth > 0)) return 0;
  if (contact.layer == 0) {
    const double k = contact.stiffness, added = contact.added;
    const double soft = k * depth / (quadratic + k);
    if (depth - soft <= contact.soft_depth) return soft;
    return ((k + added) * depth - added * contact.soft_depth) / (quadratic + k + added);
  }
  // The force grows with the depth, so there is one solution between these.
  double low = 0, high = std::min(depth, contact.force_at(depth) / quadratic), t = 0;
  for (int step = 0; step < max_newton_steps; ++step) {
    const double missing = contact.force_at(depth - t) - quadratic * t;
    (missing > 0 ? low : high) = t;
    const double newton = t + missing / (quadratic + contact.stiffness_at(depth - t));
    const double next = newton > low && newton < high ? newton : 0.5 * (low + high);
    if (!(std::abs(next - t) > rounding * depth)) break;
    t = next;
  }
  return t;
}

/// How far one contact moves a point, m. Its normal n is fixed, so the energy is one of n . (z -
/// z0) and one of the slip u. With slip u0 at z0, the minimum has
///   u = u0 A/(A + mu N/eps) if it sticks, u0 (1 - mu N/(A |u0|)) if it slips.
Vec3 away_from_plane(double quadratic, const Vec3& center, const Contact& pushing,
                     const Contact& rubbing) {
  using namespace vec3;
  const Vec3& n = pushing.normal;
  Vec3 way = pushed_out(quadratic, pushing, dot(pushing.surface - center, n)) * n;
  if (rubbing.friction > 0) {
    const Vec3 moved = center - rubbing.anchor;
    const Vec3 slip = moved - dot(moved, n) * n;
    const double speed = norm(slip), most = rubbing.friction / quadratic;
    const double kept =
        speed > rubbing.slip + most ? 1 - most / speed : 1 / (1 + most / rubbing.slip);
    way = way - (1 - kept) * slip;
  }
  return way;
}

/// The minimum, searched from z. Where friction changes its direction, a Newton step goes too far
/// by orders of magnitude, and shorter ones go to and fro; with friction as a spring none does.
Vector search_minimum(const VertexEnergy& energy, Vector z) {
  Vector gradient, tried_gradient;
  double force = 0;
  double value = energy.evaluate(z, gradient, force);
  // Whether a step, or one of its first halves, was taken and got anywhere.
  const auto step = [&](bool as_spring, int halves) {
    const Vector direction = inverse(energy.hessian(z, as_spring)) * (-1.0 * gradient);
    const double slope = dot(gradient, direction);
    if (!(slope < 0)) return false;
    double length = 1;
    for (int halving = 0; halving <= halves; ++halving, length *= 0.5) {
      const Vector tried = z + length * direction;
      const double tried_value = energy.evaluate(tried, tried_gradient, force);
      // Near the minimum the value changes by less than its rounding.
      const double slack = rounding * std::abs(value);
      if (!(tried_value <= value + vertex_decrease * length * slope + slack)) continue;
      const bool is_lower = tried_value < value - slack;
      const bool is_flatter = dot(tried_gradient, tried_gradient) < 0.25 * dot(gradient, gradient);
      z = tried;
      value = tried_value;
      gradient = tried_gradient;
      return is_lower || is_flatter;
    }
    return false;
  };
  for (int k = 0; k < max_newton_steps; ++k) {
    if (!(std::sqrt(dot(gradient, gradient)) > rounding * force)) break;
    if (!step(false, 0) && !step(true, max_vertex_halvings)) break;
  }
  return z;
}

/// The minimum. Most points have one plane, for which there is a formula.
Vector minimise(const VertexEnergy& energy, const Vector& z) {
  const std::span<const Contact> contacts = energy.contact.contacts();
  const int first = energy.first_contact, second = energy.next_contact[at(first)];
  const Contact& one = contacts[at(first)];
  const Contact& other = second >= 0 ? contacts[at(second)] : one;
  const bool is_one_plane =
      second < 0 || (energy.next_contact[at(second)] < 0 && one.friction == 0 &&
                     other.stiffness == 0 && other.added == 0 && one.normal == other.normal);
  if (!is_one_plane || energy.contact.stage() != 1) return search_minimum(energy, z);
  const Vec3 center{energy.center[0], energy.center[1], energy.center[2]};
  const Vec3 way = away_from_plane(energy.quadratic, center, one, other);
  return energy.center + Vector{{way[0], way[1], way[2]}};
}

}  // namespace

template <class T>
VertexConstraints<T>::VertexConstraints(const Model& model, ContactEnergy* contact, bool keep,
                                        bool with_pins, std::vector<char> left_out)
    : model_(&model), keep_(keep), with_pins_(with_pins), left_out_(std::move(left_out)) {
  const std::size_t n = at(model.num_vertices);
  impulse_.resize(n);
  first_pin_.resize(n);
  link_pins();
  visited_.reserve(n);
  contact_changed(contact);
  list_visited();
}

template <class T>
void VertexConstraints<T>::contact_changed(ContactEnergy* contact) {
  for (int vertex : touching_) first_contact_[at(vertex)] = -1;
  touching_.clear();
  if (contact != nullptr) {
    const std::size_t n = impulse_.size();
    if (!std::is_same_v<T, double>) positions_.resize(n);
    lifted_.resize(n);
    ways_.reserve(n);
    first_contact_.assign(n, -1);
    last_contact_.assign(n, -1);
    next_contact_.reserve(contact->max_contacts());
    touching_.reserve(n);
    pushed_.reserve(n);
    points_.reserve(contact->max_points());
    way_of_point_.reserve(contact->max_points());
  }
  points_.clear();
  num_points_touching_ = 0;
  contact_ = contact;
}

template <class T>
void VertexConstraints<T>::link_pins() {
  std::fill(first_pin_.begin(), first_pin_.end(), -1);
  pinned_.clear();
  const std::size_t count = with_pins_ ? model_->pins.pins.size() : 0;
  next_pin_.assign(count, -1);
  pin_target_.resize(count);
  held_.clear();
  for (std::size_t p = 0; with_pins_ && p < model_->pins.points.size(); ++p) {
    HeldPoint& own = held_.emplace_back();
    own.point = model_->pins.points[p];
    for (int i = 0; i < own.point.count; ++i) {
      own.vertices[at(i)] = model_->pins.pins[at(own.point.first + i)].vertex;
    }
  }
  for (std::size_t i = count; i-- > 0;) {
    if (model_->pins.pins[i].point >= 0) continue;
    if (!left_out_.empty() && left_out_[at(model_->pins.pins[i].vertex)] != 0) continue;
    int& first = first_pin_[at(model_->pins.pins[i].vertex)];
    if (first < 0) pinned_.push_back(model_->pins.pins[i].vertex);
    next_pin_[i] = first;
    first = static_cast<int>(i);
  }
  std::sort(pinned_.begin(), pinned_.end());
}

template <class T>
void VertexConstraints<T>::pins_changed() {
  for (int vertex : pinned_) impulse_[at(vertex)] = {};
  link_pins();
  list_visited();
}

template <class T>
void VertexConstraints<T>::begin(const PositionStep& step, Threads& threads) {
  inverse_a2_ = step.inverse_a2;
  if (with_pins_) model_->pins.targets(step.time, pin_target_);
  if (contact_ != nullptr && !step.x_start.empty()) {
    contact_->begin_step(contact_step(step), threads);
  }
  for (int vertex : touching_) first_contact_[at(vertex)] = -1;
  touching_.clear();
  points_.clear();
  num_points_touching_ = 0;
  if (!keep_ || step.first_of_frame) {
    // Vertices that are not visited have no impulse.
    for (int vertex : visited_) impulse_[at(vertex)] = {};
    for (HeldPoint& own : held_) own.impulse = {0, 0, 0};
    pushed_.clear();
  }
  list_visited();
}

template <class T>
void VertexConstraints<T>::apply_kept(Positions<T>& x) const {
  if (!keep_) return;
  for (std::size_t v = 0; v < impulse_.size(); ++v) {
    if (!(model_->mass[v] > 0)) continue;
    for (int k = 0; k < 3; ++k) x[v][k] += static_cast<T>(impulse_[v][k] / model_->mass[v]);
  }
  for (const HeldPoint& own : held_) {
    for (int i = 0; i < own.point.count; ++i) {
      const std::size_t v = at(own.vertices[at(i)]);
      if (!(model_->mass[v] > 0)) continue;
      const double share = own.point.weights[at(i)] / model_->mass[v];
      for (int k = 0; k < 3; ++k) x[v][k] += static_cast<T>(share * own.impulse[at(k)]);
    }
  }
}

template <class T>
const double* VertexConstraints<T>::in_double(const Positions<T>& x) {
  if constexpr (std::is_same_v<T, double>) {
    return x[0].v;
  } else {
    copy_to(x, positions_);
    return positions_[0].v;
  }
}

/// Writes to lifted_ where vertices would be if colliders had not pushed them. What goes through
/// a collider there, or is inside it, belongs to it, even if the body has lifted it off since.
template <class T>
void VertexConstraints<T>::lift(const Positions<T>& x) {
  copy_to(x, lifted_);
  ways_.clear();
  for (const int vertex : pushed_) {
    const double mass = model_->mass[at(vertex)];
    if (!(mass > 0)) continue;
    const PaddedVector& impulse = impulse_[at(vertex)];
    const Vec3 way{impulse[0] / mass, impulse[1] / mass, impulse[2] / mass};
    for (int k = 0; k < 3; ++k) lifted_[at(vertex)][k] -= way[at(k)];
    ways_.push_back({vertex, way});
  }
}

/// How far contacts have pushed the points, m.
template <class T>
std::span<const Vec3> VertexConstraints<T>::ways_of_points() {
  way_of_point_.clear();
  for (const PointImpulse& own : points_) {
    const bool is_pushed = own.impulse[0] != 0 || own.impulse[1] != 0 || own.impulse[2] != 0;
    const double inverse = is_pushed ? inverse_mass(own.point) : 0;
    way_of_point_.push_back(
        {inverse * own.impulse[0], inverse * own.impulse[1], inverse * own.impulse[2]});
  }
  return way_of_point_;
}

/// 1/m of a point of an edge or face, 1/kg.
template <class T>
double VertexConstraints<T>::inverse_mass(const ContactPoint& point) const {
  double sum = 0;
  for (int i = 0; i < point.count; ++i) {
    sum += point.weights[i] * point.weights[i] / model_->mass[at(point.vertices[i])];
  }
  return sum;
}

template <class T>
void VertexConstraints<T>::detect(const Positions<T>& x, Threads& threads) {
  if (contact_ == nullptr || x.empty()) return;
  lift(x);
  const double* const positions = in_double(x);
  contact_->sweep(lifted_[0].v, positions, true, threads);
  contact_->detect(positions, {ways_, ways_of_points()}, threads);
  for (int vertex : touching_) first_contact_[at(vertex)] = -1;
  touching_.clear();
  next_contact_.assign(contact_->contacts().size(), -1);
  for (std::size_t c = 0; c < contact_->contacts().size(); ++c) {
    if (!contact_->contacts()[c].is_of_vertex()) continue;
    const std::size_t vertex = at(contact_->contacts()[c].point.vertices[0]);
    const int linked = static_cast<int>(c);
    if (first_contact_[vertex] < 0) {
      first_contact_[vertex] = linked;
      touching_.push_back(static_cast<int>(vertex));
    } else {
      next_contact_[at(last_contact_[vertex])] = linked;
    }
    last_contact_[vertex] = linked;
  }
  link_points();
  list_visited();
}

template <class T>
void VertexConstraints<T>::link_points() {
  points_.resize(contact_->num_points(), {-1, {}, {0, 0, 0}});
  for (PointImpulse& own : points_) own.first_contact = -1;
  num_points_touching_ = 0;
  // Backwards, so that each list is in the order of the contacts.
  for (std::size_t c = contact_->contacts().size(); c-- > 0;) {
    const Contact& contact = contact_->contacts()[c];
    if (contact.is_of_vertex()) continue;
    PointImpulse& own = points_[at(contact.place)];
    if (own.first_contact < 0) ++num_points_touching_;
    own.point = contact.point;
    next_contact_[c] = own.first_contact;
    own.first_contact = static_cast<int>(c);
  }
}

template <class T>
void VertexConstraints<T>::list_visited() {
  visited_.assign(pinned_.begin(), pinned_.end());
  for (int vertex : touching_) {
    if (first_pin_[at(vertex)] < 0) visited_.push_back(vertex);
  }
  // A vertex that has left a collider gives its impulse back.
  for (int vertex : pushed_) {
    if (first_pin_[at(vertex)] < 0 && first_contact_[at(vertex)] < 0) visited_.push_back(vertex);
  }
}

template <class T>
void VertexConstraints<T>::project(Positions<T>& x, Threads& threads) {
  const int count = static_cast<int>(visited_.size());
  threads.parallel_for((count + chunk_size - 1) / chunk_size, [&](int chunk) {
    const int last = std::min((chunk + 1) * chunk_size, count);
    for (int i = chunk * chunk_size; i < last; ++i) project_vertex(at(visited_[at(i)]), x);
  });
  for (HeldPoint& own : held_) project_held(own, x);
  pushed_.assign(touching_.begin(), touching_.end());
  if (!points_.empty()) project_points(x, threads);
}

/// Moving one point of a triangle moves the others, perhaps into colliders that they did not touch.
template <class T>
void VertexConstraints<T>::project_points(Positions<T>& x, Threads& threads) {
  for (int round = 0;; ++round) {
    for (int again = 0; again < point_sweeps; ++again) {
      for (PointImpulse& own : points_) project_point(own, x);
    }
    if (round == most_point_rounds) return;
    const double* const positions = in_double(x);
    if (!contact_->sweep(positions, threads).anything()) return;
    contact_->detect(positions, {{}, ways_of_points()}, threads);
    next_contact_.assign(contact_->contacts().size(), -1);
    link_points();
  }
}

/// A point that has left a collider gives its impulse back.
template <class T>
void VertexConstraints<T>::project_point(PointImpulse& own, Positions<T>& x) {
  const bool has_impulse = own.impulse[0] != 0 || own.impulse[1] != 0 || own.impulse[2] != 0;
  if (own.first_contact < 0 && !has_impulse) return;
  const double inverse_mass = this->inverse_mass(own.point);
  Vector start{{0, 0, 0}};
  for (int i = 0; i < own.point.count; ++i) {
    const std::size_t v = at(own.point.vertices[i]);
    const double weight = own.point.weights[i];
    for (int k = 0; k < 3; ++k) start[k] += weight * static_cast<double>(x[v][k]);
  }
  Vector from;  // b
  for (int k = 0; k < 3; ++k) from[k] = start[k] - inverse_mass * own.impulse[at(k)];
  Vector moved{{0, 0, 0}};  // z - b
  if (own.first_contact >= 0) {
    const VertexEnergy energy{inverse_a2_ / inverse_mass, from, *contact_, next_contact_,
                              own.first_contact};
    moved = minimise(energy, start) - from;
  }
  for (int k = 0; k < 3; ++k) {
    const double impulse = moved[k] / inverse_mass;
    for (int i = 0; i < own.point.count; ++i) {
      const std::size_t v = at(own.point.vertices[i]);
      const double share = own.point.weights[i] / model_->mass[v];
      x[v][k] =
          static_cast<T>(static_cast<double>(x[v][k]) + share * (impulse - own.impulse[at(k)]));
    }
    own.impulse[at(k)] = impulse;
  }
}

/// Like a vertex with a pin, with 1/m = sum_i w_i^2/m_i.
template <class T>
void VertexConstraints<T>::project_held(HeldPoint& own, Positions<T>& x) {
  double inverse_mass = 0;
  Vec3 place{0, 0, 0};
  for (int i = 0; i < own.point.count; ++i) {
    const double weight = own.point.weights[at(i)];
    const std::size_t v = at(own.vertices[at(i)]);
    if (!(model_->mass[v] > 0)) return;
    inverse_mass += weight * weight / model_->mass[v];
    for (int k = 0; k < 3; ++k) place[at(k)] += weight * static_cast<double>(x[v][k]);
  }
  const double k = own.point.stiffness;
  const Vec3& target = pin_target_[at(own.point.first)];
  for (int c = 0; c < 3; ++c) {
    const double from = place[at(c)] - inverse_mass * own.impulse[at(c)];
    const double impulse = k * (target[at(c)] - from) / (inverse_a2_ + inverse_mass * k);
    for (int i = 0; i < own.point.count; ++i) {
      const std::size_t v = at(own.vertices[at(i)]);
      const double share = own.point.weights[at(i)] / model_->mass[v];
      x[v][c] =
          static_cast<T>(static_cast<double>(x[v][c]) + share * (impulse - own.impulse[at(c)]));
    }
    own.impulse[at(c)] = impulse;
  }
}

template <class T>
void VertexConstraints<T>::project_vertex(std::size_t vertex, Positions<T>& x) {
  const double mass = model_->mass[vertex];
  if (!(mass > 0)) return;
  PaddedVector& impulse = impulse_[vertex];
  Vector from;  // b
  for (int k = 0; k < 3; ++k) from[k] = static_cast<double>(x[vertex][k]) - impulse[k] / mass;

  // Inertia and pins together: quadratic/2 |z - from - pulled|^2, up to a constant.
  double quadratic = mass * inverse_a2_;
  Vector pull{{0, 0, 0}};
  for (int i = first_pin_[vertex]; i >= 0; i = next_pin_[at(i)]) {
    const double k = model_->pins.pins[at(i)].stiffness;
    quadratic += k;
    const Vec3& target = pin_target_[at(i)];
    for (int c = 0; c < 3; ++c) pull[c] += k * (target[at(c)] - from[c]);
  }
  Vector moved = (1 / quadratic) * pull;  // z - b
  if (contact_ != nullptr && first_contact_[vertex] >= 0) {
    const VertexEnergy energy{quadratic, from + moved, *contact_, next_contact_,
                              first_contact_[vertex]};
    const Vector start{{static_cast<double>(x[vertex][0]), static_cast<double>(x[vertex][1]),
                        static_cast<double>(x[vertex][2])}};
    moved = minimise(energy, start) - from;
  }
  for (int k = 0; k < 3; ++k) {
    impulse[k] = mass * moved[k];
    x[vertex][k] = static_cast<T>(from[k] + moved[k]);
  }
}

template class VertexConstraints<double>;
template class VertexConstraints<float>;

}  // namespace supple
