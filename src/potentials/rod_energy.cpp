#include "potentials/rod_energy.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/motion.h"

namespace supple {

namespace {

/// Newton iterations for the angles, and halvings of a step. Three to five iterations are common; a
/// curl that is pulled about violently needs some more.
constexpr int most_iterations = 50, most_halvings = 30;
/// Relative to the energies that are summed: a decrease below this is rounding, with some digits to
/// spare. The step that predicts it is still taken, and squares the remaining error.
constexpr double negligible = 1e-13;
/// Share of the diagonal: fixes the angle by which a straight, unclamped strand can turn freely. A
/// strand of 1000 segments has a softest mode of 2.5e-6.
constexpr double least_pivot = 1e-10;
/// Share of its rest length: an edge shorter than this has no direction.
constexpr double least_length = 1e-9;
/// Poses of a motion with keyframes that are evaluated in a step: it may turn by this many half
/// turns.
constexpr int poses_of_keyframes = 8;

Vector3<double> rotated(const Pose& pose, const Vector3<double>& v) {
  const Vec3 turned = pose.rotate({v[0], v[1], v[2]});
  return {{turned[0], turned[1], turned[2]}};
}

RodFrame moved(const Motion& motion, double time, const RodFrame& rest) {
  const Pose pose = evaluate(motion, time);
  const Vector3<double> along = rotated(pose, rest.tangent);
  RodFrame frame{.tangent = (1 / length_of(along)) * along};
  frame.director = unit_across(frame.tangent, rotated(pose, rest.director));
  return frame;
}

bool turns(const Motion& motion) { return motion.rotate || !motion.keyframes.empty(); }

/// By how much a frame turns about its tangent, summed over pieces of less than half a turn.
double turn_of(const Motion& motion, double from, double to, const RodFrame& rest) {
  if (from == to || !turns(motion)) return 0;
  constexpr double of_a_pose = 90, most_poses = 1000;
  int poses = poses_of_keyframes;
  if (motion.rotate) {
    const double degrees = std::abs(motion.rotate->degrees_per_second * (to - from));
    poses = 1 + static_cast<int>(std::min(degrees / of_a_pose, most_poses));
  }
  double turn = 0;
  RodFrame last = moved(motion, from, rest);
  for (int k = 1; k <= poses; ++k) {
    const RodFrame next = moved(motion, from + (to - from) * k / poses, rest);
    turn += angle_about(next.tangent, transported(last.tangent, next.tangent, last.director),
                        next.director);
    last = next;
  }
  return turn;
}

/// The vector with these components along a frame.
Vector3<double> along(const RodFrame& frame, const Vector3<double>& parts) {
  return parts[0] * frame.tangent + parts[1] * frame.director + parts[2] * frame.across();
}

std::vector<int> chains_of_bodies(const RodSet& set) {
  return set.first_chain.empty() ? std::vector<int>{0} : set.first_chain;
}

}  // namespace

RodEnergy::RodEnergy(const RodSet& set, std::span<const double> damping)
    : set_(&set),
      joints_(set.joints),
      dampers_(set.chains.size()),
      starts_(set.joints.size()),
      pieces_(chains_of_bodies(set)),
      clamps_(set.rest_frames),
      clamp_turn_(set.segments.size(), 0.0),
      places_(set.segments.size()),
      rows_(set.segments.size()),
      twist_(set.joints.size()),
      chain_energy_(set.chains.size()) {
  for (std::size_t body = 0; body < damping.size() && !set.empty(); ++body) {
    for (int c = set.first_chain[body]; c < set.first_chain[body + 1]; ++c) {
      dampers_[at(c)].tau = damping[body];
    }
  }
  end_step();
}

void RodEnergy::set_time(const PinSet& pins, double time) {
  has_turned_ = false;
  for (std::size_t s = 0; s < clamps_.size(); ++s) {
    clamp_turn_[s] = 0;
    if (set_->clamp[s] < 0) continue;
    const Motion& motion = pins.motions[at(set_->clamp[s])];
    clamps_[s] = moved(motion, time, set_->rest_frames[s]);
    clamp_turn_[s] = turn_of(motion, set_->time, time, set_->rest_frames[s]);
    has_turned_ = has_turned_ || (set_->time != time && turns(motion));
  }
}

void RodEnergy::begin_step(const VectorField& x_start, double inverse_a, double inverse_step) {
  for (std::size_t c = 0; c < dampers_.size(); ++c) {
    dampers_[c].is_held = false;
    if (dampers_[c].tau > 0) find_start(set_->chains[c], x_start);
  }
  inverse_step_ = inverse_step;
  set_rates(inverse_a);
}

void RodEnergy::end_step() {
  for (Damper& damper : dampers_) {
    damper.rate = 0;
    damper.is_held = damper.tau > 0;
  }
  joints_ = set_->joints;
}

/// Finds curvature and twist of a strand's joints, with the frames of the set carried to x.
void RodEnergy::find_start(const RodSet::Chain& chain, const VectorField& x) {
  for (int s = chain.first_segment; s < chain.first_segment + chain.num_segments; ++s) {
    place(s, set_->frames[at(s)], x);
  }
  for (int j = chain.first_joint; j < chain.first_joint + chain.num_joints; ++j) {
    const RodSet::Joint& joint = set_->joints[at(j)];
    const Vector3<double> D = curvature(j);
    starts_[at(j)] = {.curvature = {parts_along(places_[at(joint.before)].frame, D),
                                    parts_along(places_[at(joint.after)].frame, D)},
                      .twist = twist_near(j, set_->frames[at(joint.after)].twist)};
  }
}

/// Sets the joints to those of E + D, where D is that of a step of this length.
void RodEnergy::set_rates(double inverse_time) {
  for (std::size_t c = 0; c < dampers_.size(); ++c) {
    const RodSet::Chain& chain = set_->chains[c];
    Damper& damper = dampers_[c];
    damper.rate = damper.tau > 0 ? damper.tau * inverse_time : 0;
    const double rate = damper.rate, part = rate / (1 + rate);
    for (int j = chain.first_joint; j < chain.first_joint + chain.num_joints; ++j) {
      RodSet::Joint& own = joints_[at(j)];
      own = set_->joints[at(j)];
      if (rate == 0) continue;
      const Start& start = starts_[at(j)];
      own.bending *= 1 + rate;
      own.twist *= 1 + rate;
      for (int end = 0; end < 2; ++end) {
        own.rest[end] = own.rest[end] + part * (start.curvature[end] - own.rest[end]);
      }
      own.rest_twist += part * (start.twist - own.rest_twist);
    }
  }
}

double RodEnergy::evaluate(const VectorField& x, Threads& threads) {
  if (set_->empty()) return 0;
  pieces_.parallel_for(threads, [&](int chain) { evaluate_chain(chain, x); });
  return pieces_.sum(chain_energy_);
}

double RodEnergy::damping_energy() const {
  double energy = 0;
  for (const int chain : pieces_.selected()) energy += dampers_[at(chain)].energy;
  return energy;
}

double RodEnergy::damping_energy_of(int body) const {
  double energy = 0;
  for (int c = pieces_.first(body); c < pieces_.first(body + 1); ++c) {
    energy += dampers_[at(c)].energy;
  }
  return energy;
}

double RodEnergy::energy_of(int body) const {
  if (set_->empty()) return 0;
  double energy = 0;
  for (int c = pieces_.first(body); c < pieces_.first(body + 1); ++c) {
    energy += chain_energy_[at(c)];
  }
  return energy;
}

void RodEnergy::add_gradient(VectorField& gradient) const {
  for (const int chain : pieces_.selected()) {
    const RodSet::Chain& own = set_->chains[at(chain)];
    for (int s = own.first_segment; s < own.first_segment + own.num_segments; ++s) {
      const RodSet::Segment& segment = set_->segments[at(s)];
      for (int k = 0; k < 3; ++k) {
        gradient[at(segment.a)][k] -= places_[at(s)].force[k];
        gradient[at(segment.b)][k] += places_[at(s)].force[k];
      }
    }
  }
}

void RodEnergy::advance(const VectorField& x, Threads& threads, std::vector<RodFrame>& frames) {
  if (set_->empty()) return;
  set_rates(inverse_step_);
  evaluate(x, threads);
  for (const int chain : pieces_.selected()) {
    const RodSet::Chain& own = set_->chains[at(chain)];
    for (int s = own.first_segment; s < own.first_segment + own.num_segments; ++s) {
      RodFrame& frame = frames[at(s)];
      const double twist = frame.twist;
      frame = places_[at(s)].frame;
      frame.twist = twist;
    }
    for (int j = own.first_joint; j < own.first_joint + own.num_joints; ++j) {
      const RodSet::Joint& joint = set_->joints[at(j)];
      frames[at(joint.after)].twist =
          twist_[at(j)] + places_[at(joint.after)].theta - places_[at(joint.before)].theta;
    }
  }
}

void RodEnergy::evaluate_chain(int number, const VectorField& x) {
  const RodSet::Chain& chain = set_->chains[at(number)];
  Damper& damper = dampers_[at(number)];
  const int first = chain.first_segment, last = first + chain.num_segments;
  const int first_joint = chain.first_joint, last_joint = first_joint + chain.num_joints;
  for (int s = first; s < last; ++s) {
    place(s, is_free(s) ? set_->frames[at(s)] : clamps_[at(s)], x);
  }
  for (int j = first_joint; j < last_joint; ++j) {
    find_twist(j);
    add_bending(j);
  }
  if (damper.is_held) {
    find_moments(chain);
  } else {
    settle(chain);
  }
  for (int s = first; s < last; ++s) {
    Place& own = places_[at(s)];
    const Vector3<double> d = own.frame.director;
    own.frame.director = std::cos(own.theta) * d + std::sin(own.theta) * own.frame.across();
  }
  double& energy = chain_energy_[at(number)];
  energy = damper.energy = 0;
  for (int j = first_joint; j < last_joint; ++j) {
    energy += finish_joint(j);
    if (damper.rate > 0) {
      damper.energy +=
          damper.rate * energy_of_strain(j, starts_[at(j)].curvature, starts_[at(j)].twist);
    }
  }
  for (int s = first; s < last; ++s) finish_segment(s);
}

/// Finds the segment's frame at x, carried on from the previous one.
void RodEnergy::place(int segment, const RodFrame& before, const VectorField& x) {
  const RodSet::Segment& own = set_->segments[at(segment)];
  Place& out = places_[at(segment)];
  out = {};
  for (int k = 0; k < 3; ++k) out.edge[k] = x[at(own.b)][k] - x[at(own.a)][k];
  const double length = length_of(out.edge);
  out.before_tangent = before.tangent;
  out.frame = before;
  if (!(length > least_length * own.length)) return;
  out.inverse_length = 1 / length;
  Vector3<double>& t = out.frame.tangent;
  t = out.inverse_length * out.edge;
  out.frame.director = unit_across(t, transported(before.tangent, t, before.director));
}

/// The twist between the frames of a joint: among the angles that differ by whole turns, the one
/// nearest to `expected`.
double RodEnergy::twist_near(int joint, double expected) const {
  const RodSet::Joint& own = set_->joints[at(joint)];
  const RodFrame &before = places_[at(own.before)].frame, &after = places_[at(own.after)].frame;
  const double angle = angle_about(
      after.tangent, transported(before.tangent, after.tangent, before.director), after.director);
  constexpr double turn = 2 * std::numbers::pi;
  return angle + turn * std::round((expected - angle) / turn);
}

/// Finds the twist between the transported frames of a joint: near its previous value, plus what
/// clamps have turned since.
void RodEnergy::find_twist(int joint) {
  const RodSet::Joint& own = set_->joints[at(joint)];
  twist_[at(joint)] =
      twist_near(joint, set_->frames[at(own.after)].twist + clamp_turn_[at(own.after)] -
                            clamp_turn_[at(own.before)]);
}

/// D, which has no unit.
Vector3<double> RodEnergy::curvature(int joint) const {
  const RodSet::Joint& own = set_->joints[at(joint)];
  return (1 / set_->segments[at(own.after)].length) * places_[at(own.after)].edge -
         (1 / set_->segments[at(own.before)].length) * places_[at(own.before)].edge;
}

/// R K of one of its segments, in the segment's current frame.
Vector3<double> RodEnergy::rest_of(int joint, int end) const {
  const RodSet::Joint& own = joints_[at(joint)];
  return along(places_[at(end == 0 ? own.before : own.after)].frame, own.rest[end]);
}

void RodEnergy::add_bending(int joint) {
  const RodSet::Joint& own = joints_[at(joint)];
  const Vector3<double> D = curvature(joint);
  for (int end = 0; end < 2; ++end) {
    Place& place = places_[at(end == 0 ? own.before : own.after)];
    const Vector3<double>& K = own.rest[end];
    const double along = dot(D, place.frame.director), across = dot(D, place.frame.across());
    place.cosine += 0.5 * own.bending * (along * K[1] + across * K[2]);
    place.sine += 0.5 * own.bending * (across * K[1] - along * K[2]);
  }
}

/// E(theta) with all angles advanced by a part of their steps, J.
double RodEnergy::energy_of_angles(const RodSet::Chain& chain, double part) const {
  const auto angle = [&](int s) { return places_[at(s)].theta + part * rows_[at(s)].step; };
  double energy = 0;
  for (int s = chain.first_segment; s < chain.first_segment + chain.num_segments; ++s) {
    const Place& own = places_[at(s)];
    energy -= own.cosine * std::cos(angle(s)) + own.sine * std::sin(angle(s));
  }
  for (int j = chain.first_joint; j < chain.first_joint + chain.num_joints; ++j) {
    const RodSet::Joint& joint = joints_[at(j)];
    const double strain =
        twist_[at(j)] + angle(joint.after) - angle(joint.before) - joint.rest_twist;
    energy += 0.5 * joint.twist * strain * strain;
  }
  return energy;
}

/// dE/dtheta of all segments, clamped ones too.
void RodEnergy::find_moments(const RodSet::Chain& chain) {
  for (int s = chain.first_segment; s < chain.first_segment + chain.num_segments; ++s) {
    Place& own = places_[at(s)];
    own.moment = own.cosine * std::sin(own.theta) - own.sine * std::cos(own.theta);
  }
  for (int j = chain.first_joint; j < chain.first_joint + chain.num_joints; ++j) {
    const RodSet::Joint& joint = joints_[at(j)];
    Place &before = places_[at(joint.before)], &after = places_[at(joint.after)];
    const double moment =
        joint.twist * (twist_[at(j)] + after.theta - before.theta - joint.rest_twist);
    after.moment += moment;
    before.moment -= moment;
  }
}

/// L D L^T of the Hessian of E(theta); false if that is not positive definite. is_mended: uses only
/// positive contributions of bending. The last segment of a closed strand is solved for at the end.
bool RodEnergy::factorise(const RodSet::Chain& chain, bool is_mended) {
  const int first = chain.first_segment, last = first + chain.num_segments - 1;
  for (int s = first; s <= last; ++s) {
    const Place& own = places_[at(s)];
    const double bending = own.cosine * std::cos(own.theta) + own.sine * std::sin(own.theta);
    rows_[at(s)] = {.diagonal = is_mended ? std::max(bending, 0.0) : bending};
  }
  for (int j = chain.first_joint; j < chain.first_joint + chain.num_joints; ++j) {
    const RodSet::Joint& joint = joints_[at(j)];
    rows_[at(joint.before)].diagonal += joint.twist;
    rows_[at(joint.after)].diagonal += joint.twist;
    const bool is_coupled = is_free(joint.before) && is_free(joint.after);
    rows_[at(joint.before)].next = is_coupled ? -joint.twist : 0;
  }
  for (int s = first; s <= last; ++s) {
    Row& own = rows_[at(s)];
    own.diagonal = is_free(s) ? own.diagonal + least_pivot * std::abs(own.diagonal) : 1;
    if (!(own.diagonal > 0)) return false;
  }
  const int end = chain.is_closed() ? last - 1 : last;
  for (int s = first; s <= end; ++s) {
    Row& own = rows_[at(s)];
    own.pivot = own.diagonal;
    if (s > first) {
      own.factor = rows_[at(s - 1)].next / rows_[at(s - 1)].pivot;
      own.pivot -= own.factor * rows_[at(s - 1)].next;
    }
    if (!(own.pivot > 0)) return false;
  }
  if (!chain.is_closed()) return true;
  // The column of the last segment, which is coupled to the first and to the previous one.
  Row& corner = rows_[at(last)];
  for (int s = first; s <= end; ++s) {
    Row& own = rows_[at(s)];
    own.border = (s == first ? corner.next : 0) + (s == end ? own.next : 0) -
                 (s == first ? 0 : own.factor * rows_[at(s - 1)].border);
  }
  for (int s = end; s >= first; --s) {
    Row& own = rows_[at(s)];
    own.border /= own.pivot;
    if (s < end) own.border -= rows_[at(s + 1)].factor * rows_[at(s + 1)].border;
  }
  corner.pivot = corner.diagonal - corner.next * rows_[at(first)].border -
                 rows_[at(end)].next * rows_[at(end)].border;
  return corner.pivot > 0;
}

/// Finds the step of Newton's method from the moments.
void RodEnergy::solve(const RodSet::Chain& chain) {
  const int first = chain.first_segment, last = first + chain.num_segments - 1;
  const int end = chain.is_closed() ? last - 1 : last;
  for (int s = first; s <= last; ++s) {
    rows_[at(s)].step = is_free(s) ? -places_[at(s)].moment : 0;
    if (s > first && s <= end) rows_[at(s)].step -= rows_[at(s)].factor * rows_[at(s - 1)].step;
  }
  for (int s = end; s >= first; --s) {
    rows_[at(s)].step /= rows_[at(s)].pivot;
    if (s < end) rows_[at(s)].step -= rows_[at(s + 1)].factor * rows_[at(s + 1)].step;
  }
  if (!chain.is_closed()) return;
  Row& corner = rows_[at(last)];
  corner.step = (corner.step - corner.next * rows_[at(first)].step -
                 rows_[at(end)].next * rows_[at(end)].step) /
                corner.pivot;
  for (int s = first; s <= end; ++s) rows_[at(s)].step -= rows_[at(s)].border * corner.step;
}

/// Turns all angles to where E is least, starting from zero, so that E depends only on x and the
/// previous frames.
void RodEnergy::settle(const RodSet::Chain& chain) {
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    find_moments(chain);
    // A segment by itself can have any angle.
    if (!factorise(chain, false) && !factorise(chain, true)) break;
    solve(chain);
    double slope = 0, scale = 0;
    for (int s = chain.first_segment; s < chain.first_segment + chain.num_segments; ++s) {
      const Place& own = places_[at(s)];
      if (is_free(s)) slope += own.moment * rows_[at(s)].step;
      scale += std::abs(own.cosine) + std::abs(own.sine);
    }
    for (int j = chain.first_joint; j < chain.first_joint + chain.num_joints; ++j) {
      const double twist = twist_[at(j)];
      scale += joints_[at(j)].twist * (1e-3 + twist * twist);
    }
    double part = 1;
    const bool is_last = !(-slope > negligible * scale);
    if (!is_last) {
      const double energy = energy_of_angles(chain, 0);
      for (int k = 0; k < most_halvings; ++k) {
        if (energy_of_angles(chain, part) <= energy + 1e-4 * part * slope) break;
        part *= 0.5;
      }
    }
    for (int s = chain.first_segment; s < chain.first_segment + chain.num_segments; ++s) {
      places_[at(s)].theta += part * rows_[at(s)].step;
    }
    if (is_last) break;
  }
  find_moments(chain);
}

/// Energy of a joint, J. Adds to the forces of its segments the part that acts on the edges
/// directly, and the part that acts through their tangents, dE/dt. `cosine`, `sine` and `moment`
/// are no longer used here: theta is in the frames.
double RodEnergy::finish_joint(int joint) {
  const RodSet::Joint& own = joints_[at(joint)];
  Place* const places[2] = {&places_[at(own.before)], &places_[at(own.after)]};
  const Vector3<double> D = curvature(joint);
  Vector3<double> by_curvature{{0, 0, 0}};
  for (int end = 0; end < 2; ++end) {
    const Vector3<double> K = rest_of(joint, end), strain = D - K;
    by_curvature = by_curvature + (0.5 * own.bending) * strain;
    // A turn w of the frame changes E by w . torque; w consists of t x dt and a turn about t.
    Place& place = *places[end];
    const Vector3<double> torque = (0.5 * own.bending) * cross(D, K);
    const Vector3<double>& t = place.frame.tangent;
    const Vector3<double> by_tangent = cross(torque, t);
    place.force = place.force + place.inverse_length * (by_tangent - dot(by_tangent, t) * t);
  }
  const double strain = twist_[at(joint)] + places[1]->theta - places[0]->theta - own.rest_twist;
  const Vector3<double>&t0 = places[0]->frame.tangent, &t1 = places[1]->frame.tangent;
  const double moment = own.twist * strain;
  const Vector3<double> binormal = (moment / std::max(1 + dot(t0, t1), 1e-12)) * cross(t0, t1);
  for (int end = 0; end < 2; ++end) {
    Place& place = *places[end];
    // The binormal is perpendicular to both tangents.
    place.force = place.force + place.inverse_length * binormal;
    const int segment = end == 0 ? own.before : own.after;
    const double sign = end == 0 ? -1 : 1;
    place.force = place.force + (sign / set_->segments[at(segment)].length) * by_curvature;
  }
  const RodSet::Joint& elastic = set_->joints[at(joint)];
  return energy_of_strain(joint, elastic.rest, elastic.rest_twist);
}

/// The energy that a joint of the set would have with this rest shape, J.
double RodEnergy::energy_of_strain(int joint, const Vector3<double> (&rest)[2],
                                   double rest_twist) const {
  const RodSet::Joint& own = set_->joints[at(joint)];
  const Place* const places[2] = {&places_[at(own.before)], &places_[at(own.after)]};
  const Vector3<double> D = curvature(joint);
  double energy = 0;
  for (int end = 0; end < 2; ++end) {
    const Vector3<double> strain = D - along(places[end]->frame, rest[end]);
    energy += 0.25 * own.bending * dot(strain, strain);
  }
  const double twist = twist_[at(joint)] + places[1]->theta - places[0]->theta - rest_twist;
  return energy + 0.5 * own.twist * twist * twist;
}

/// The frame that a clamp's segment is transported from stays where the pin is. A segment that
/// bends away from there turns about itself, by the solid angle between, and the moment there does
/// work.
void RodEnergy::finish_segment(int segment) {
  Place& own = places_[at(segment)];
  if (is_free(segment)) return;
  const double c = 1 + dot(own.before_tangent, own.frame.tangent);
  own.force = own.force - (own.moment * own.inverse_length / std::max(c, 1e-12)) *
                              cross(own.before_tangent, own.frame.tangent);
}

RodEnergy::JointHessian RodEnergy::joint_hessian(int joint) const {
  const RodSet::Joint& own = joints_[at(joint)];
  const int segments[2] = {own.before, own.after};
  JointHessian out{};
  out.vertex[0] = set_->segments[at(own.before)].a;
  out.vertex[1] = set_->segments[at(own.before)].b;
  out.vertex[2] = set_->segments[at(own.after)].b;
  double weight[2];
  for (int end = 0; end < 2; ++end) weight[end] = 1 / set_->segments[at(segments[end])].length;
  const double of_vertex[3] = {weight[0], -weight[0] - weight[1], weight[1]};
  const auto add = [&](double stiffness, const Mat3<double>(&J)[3]) {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c <= r; ++c) {
        const Mat3<double> block = transpose_times(J[r], J[c]);
        for (int i = 0; i < 9; ++i) out.block[r][c][i] += stiffness * block(i / 3, i % 3);
      }
    }
  };
  Vector3<double> of_twist[3] = {};
  const Vector3<double>&t0 = places_[at(own.before)].frame.tangent,
        &t1 = places_[at(own.after)].frame.tangent;
  const Vector3<double> binormal = (1 / std::max(1 + dot(t0, t1), 1e-12)) * cross(t0, t1);
  for (int end = 0; end < 2; ++end) {
    const Place& place = places_[at(segments[end])];
    const Vector3<double>& t = place.frame.tangent;
    const Vector3<double> K = rest_of(joint, end);
    // d(R K) = (t x dt) x K = dt (t.K) - t (K.dt),  dt = (I - t t^T) de/|e|.
    const double along = dot(t, K);
    const Vector3<double> across = K - along * t;
    Mat3<double> G;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        const double projector = (r == c ? 1.0 : 0.0) - t[r] * t[c];
        G(r, c) = place.inverse_length * (along * projector - t[r] * across[c]);
      }
    }
    Mat3<double> J[3];
    for (int v = 0; v < 3; ++v) {
      J[v] = of_vertex[v] * Mat3<double>::identity();
      const double sign = v == end ? -1 : v == end + 1 ? 1 : 0;
      if (sign != 0) J[v] = J[v] - sign * G;
      if (sign != 0) of_twist[v] = of_twist[v] + (sign * place.inverse_length) * binormal;
    }
    add(0.5 * own.bending, J);
  }
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c <= r; ++c) {
      for (int i = 0; i < 9; ++i) {
        out.block[r][c][i] += own.twist * of_twist[r][i / 3] * of_twist[c][i % 3];
      }
    }
  }
  return out;
}

}  // namespace supple
