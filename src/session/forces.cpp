#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.h"
#include "model/pin_selection.h"
#include "session/command_list.h"
#include "session/session_state.h"
#include "sim/solver_options.h"
#include "sim/stepper.h"

namespace supple {

namespace {

/// More arrows than this could not be told apart, and would cost more than the positions.
constexpr std::size_t most_sent = 1000;

/// Which forces are known. `note` says why some are not, or how far to trust them.
struct Knowledge {
  bool of_contacts = false, of_pins = false;
  std::string note;
};

Knowledge knowledge(const SessionState& s) {
  if (s.stepped == nullptr) return {.note = "no step has been taken from here yet"};
  const bool steps = s.pace.playing || s.pace.steps_left > 0;
  if (s.stepped != s.asked && !steps) {
    return {.note = "something was changed since the last step"};
  }
  const Scene& scene = s.simulation->scene();
  if (is_explicit(scene.time.integrator)) {
    return {.of_pins = true,
            .note = "with " + std::string(to_string(scene.time.integrator)) +
                    ", which is explicit, contacts leave no forces to be read"};
  }
  if (scene.solver.method == SolverMethod::pbd) {
    return {.note = "with pbd contacts and pins move vertices: they have no forces"};
  }
  Knowledge all{.of_contacts = true, .of_pins = true};
  if (is_position_based(scene.solver.method)) {
    all.note = "with " + std::string(to_string(scene.solver.method)) +
               " forces need not balance before it has converged";
  }
  return all;
}

void add(double factor, const Vec3& from, Vec3& to) {
  for (std::size_t k = 0; k < 3; ++k) to[k] += factor * from[k];
}

double size_of(const Vec3& v) { return std::hypot(v[0], v[1], v[2]); }

/// The largest forces, in the order of the list.
std::vector<const BodyContact*> largest(const std::vector<BodyContact>& contacts) {
  std::vector<const BodyContact*> list;
  for (const BodyContact& contact : contacts) {
    const double size = size_of(contact.force);
    if (size > 0 && size < std::numeric_limits<float>::max()) list.push_back(&contact);
  }
  if (list.size() <= most_sent) return list;
  const auto last = list.begin() + static_cast<std::ptrdiff_t>(most_sent);
  std::nth_element(list.begin(), last, list.end(), [](const auto* a, const auto* b) {
    const double of_a = size_of(a->force), of_b = size_of(b->force);
    return of_a != of_b ? of_a > of_b : a < b;
  });
  list.erase(last, list.end());
  std::sort(list.begin(), list.end());
  return list;
}

/// The smallest of the numbers ..., 0.2, 0.5, 1, 2, 5, 10, 20, ... that is not below `value`, which
/// is > 0.
double round_above(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (value <= factor * power) return factor * power;
  }
  return 10 * power;
}

/// Updates the force that an arrow of the usual length stands for: a round number near the largest
/// force. It follows the logarithm slowly, so that an impact of a frame or two does not shrink the
/// other arrows. It stays until the next smaller number has some room, so that lengths can be
/// compared between frames.
void update_scale(ForceScale& scale, double top) {
  constexpr double following = 0.1;  // of the way, per frame
  constexpr double room = 1.25;
  if (!(top > 0)) return;
  scale.top = scale.top > 0 ? scale.top * std::pow(top / scale.top, following) : top;
  if (scale.top > scale.newton || round_above(room * scale.top) < scale.newton) {
    scale.newton = round_above(scale.top);
  }
}

ordered_json vector_json(const Vec3& v) {
  return {number_or_null(v[0]), number_or_null(v[1]), number_or_null(v[2])};
}

ordered_json vectors_json(const std::vector<Vec3>& list) {
  ordered_json vectors = ordered_json::array();
  for (const Vec3& v : list) vectors.push_back(vector_json(v));
  return vectors;
}

std::vector<Vec3> sums_on_bodies(const std::vector<BodyContact>& contacts, std::size_t num_bodies) {
  std::vector<Vec3> sums(num_bodies, Vec3{0, 0, 0});
  for (const BodyContact& contact : contacts) {
    add(1, contact.force, sums[at(contact.body)]);
    if (contact.other_body >= 0) add(-1, contact.force, sums[at(contact.other_body)]);
  }
  return sums;
}

/// The force on a body from the springs of some of its pins, with its vertices where they are now.
Vec3 force_of_pins(const SessionState& s, std::size_t body, const std::vector<Pin>& pins,
                   const std::vector<Collider>& colliders) {
  const std::vector<Vec3>& rest = s.stepped->scene().bodies[body].mesh.vertices;
  PinSet set;
  add_pins(pins, rest, s.simulation->body_vertices()[body], "", colliders, set);
  std::vector<Vec3> targets(set.pins.size());
  set.targets(s.simulation->time(), targets);
  Vec3 sum{0, 0, 0};
  for (std::size_t i = 0; i < set.pins.size(); ++i) {
    const double* const x = &s.positions[3 * at(set.pins[i].vertex)];
    for (std::size_t k = 0; k < 3; ++k) sum[k] += set.pins[i].stiffness * (targets[i][k] - x[k]);
  }
  return sum;
}

/// The forces on the bodies from each pin of the last step.
ordered_json pin_forces_json(const SessionState& s) {
  ordered_json list = ordered_json::array();
  const Setup& setup = *s.stepped;
  const double t = s.simulation->time();
  const std::vector<Collider> colliders = colliders_of(setup, t);
  for (std::size_t b = 0; b < setup.scene().bodies.size(); ++b) {
    const Body& body = setup.scene().bodies[b];
    const std::vector<PinNow> told = pins_now(body, setup.selected(b), setup.edit.pins[b], t);
    const std::vector<Pin> pins = pins_at(body, setup.selected(b), setup.edit.pins[b], t);
    auto next = pins.begin();
    for (std::size_t p = 0; p < told.size(); ++p) {
      // A pin of the scene is one pin while it holds something; a pin made by hand is one per
      // vertex.
      const std::size_t held = told[p].vertices.size();
      const auto end = next + static_cast<std::ptrdiff_t>(
                                  p < body.pins.size() ? std::min<std::size_t>(held, 1) : held);
      const Vec3 force = force_of_pins(s, b, std::vector<Pin>(next, end), colliders);
      list.push_back({{"body", b}, {"pin", p}, {"force", vector_json(force)}});
      next = end;
    }
  }
  return list;
}

}  // namespace

void add_forces(SessionState& s, PacketWriter& packet) {
  if (s.show.wants_forces.empty()) {
    s.force_scale = {};
    return;
  }
  const Knowledge known = knowledge(s);
  ordered_json forces{{"note", known.note}, {"contacts", 0}, {"scale", 0}};
  std::vector<float> points, vectors;
  std::vector<std::uint32_t> touching;
  if (known.of_contacts) {
    const std::vector<BodyContact> contacts = s.simulation->contacts();
    const auto acts = [](const BodyContact& contact) { return size_of(contact.force) > 0; };
    const std::size_t num_bodies = s.simulation->scene().bodies.size();
    double top = 0;
    for (const BodyContact* const contact : largest(contacts)) {
      top = std::max(top, size_of(contact->force));
      for (const double x : contact->point) points.push_back(static_cast<float>(x));
      for (const double f : contact->force) vectors.push_back(static_cast<float>(f));
      touching.push_back(static_cast<std::uint32_t>(contact->body));
      touching.push_back(static_cast<std::uint32_t>(
          contact->other_body >= 0 ? at(contact->other_body) : num_bodies + at(contact->collider)));
    }
    update_scale(s.force_scale, top);
    forces["contacts"] = std::count_if(contacts.begin(), contacts.end(), acts);
    forces["scale"] = s.force_scale.newton;
    forces["bodies"] = vectors_json(sums_on_bodies(contacts, num_bodies));
    std::vector<Vec3> of_colliders;
    for (const ColliderForce& sum : s.simulation->collider_forces()) {
      of_colliders.push_back(sum.force);
    }
    forces["colliders"] = vectors_json(of_colliders);
  }
  if (known.of_pins) forces["pins"] = pin_forces_json(s);
  packet.header()["forces"] = std::move(forces);
  packet.add("force_points", std::span<const float>(points));
  packet.add("force_vectors", std::span<const float>(vectors));
  packet.add("force_touching", std::span<const std::uint32_t>(touching));
}

}  // namespace supple
