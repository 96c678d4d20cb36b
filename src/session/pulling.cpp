#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.h"
#include "session/command_list.h"
#include "session/material_conversion.h"
#include "session/session_state.h"
#include "sim/stepper.h"
#include "supple/error.h"

namespace supple {

namespace {

/// At most this many vertices of a body are held by grabs: up to this number the factor of the
/// constant matrix is updated exactly and at once [docs/changing.md]. One grab takes few enough of
/// them to leave some for several hands.
constexpr std::size_t most_held = 32, most_of_grab = 8;
/// What a hand grips unless it says otherwise, in diagonals of the body's box at rest. A single
/// vertex would be drawn out of the body like a needle.
constexpr double usual_radius = 0.05;
/// In diagonals of the scene: a target stays within the first distance of the place where the body
/// was grabbed, and pulls a vertex no further than the second. So no force exceeds k times the
/// second.
constexpr double farthest_target = 4;
constexpr double farthest_pull = 1;

Vec3 minus(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double norm(const Vec3& a) { return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

/// The point nearest to x in a ball.
Vec3 clamped(const Vec3& x, const Vec3& center, double radius) {
  const Vec3 d = minus(x, center);
  // The square of a distance beyond 1e154 overflows.
  const double largest = std::max({std::abs(d[0]), std::abs(d[1]), std::abs(d[2])});
  if (!(largest > 0)) return x;
  const Vec3 unit{d[0] / largest, d[1] / largest, d[2] / largest};
  const double length = largest * norm(unit);
  if (length <= radius) return x;
  const double f = radius / norm(unit);
  return {center[0] + f * unit[0], center[1] + f * unit[1], center[2] + f * unit[2]};
}

double area(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 u = minus(b, a), v = minus(c, a);
  return norm({u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]}) /
         2;
}

/// Mass of a body, kg, and its stiffness against the displacement of one vertex, N/m.
struct Bulk {
  double mass = 0;
  double local_stiffness = 0;
};

Bulk bulk_of(const Body& body) {
  const std::vector<Vec3>& x = body.mesh.vertices;
  Bulk bulk;
  double content = 0;  // volume, area or length
  for (const double volume : tet_volumes(body.mesh)) content += volume;
  for (const auto& t : body.triangles) content += area(x[at(t[0])], x[at(t[1])], x[at(t[2])]);
  for (const auto& s : body.segments) content += norm(minus(x[at(s[1])], x[at(s[0])]));
  bulk.mass = body.mass.value_or(body.density * content);
  if (!body.mesh.tets.empty()) {
    const auto moduli = small_strain_moduli(body.material);
    const double mu = moduli ? moduli->first : body.material.mu[0];
    // For an edge of the mesh's mean length l: E l, with E about 3 mu.
    bulk.local_stiffness = 3 * mu * std::cbrt(content / static_cast<double>(x.size()));
  }
  if (body.membrane) {
    // The stiffness with which a triangle of mean size holds its corner: E t, with E about 3 mu.
    const bool is_woven = body.material.model == "orthotropic_stvk";
    const auto moduli = is_woven ? std::nullopt : small_strain_moduli(body.material);
    const double mu = moduli ? moduli->first : body.material.mu[0];
    const double young = is_woven ? std::max(body.material.warp, body.material.weft) : 3 * mu;
    bulk.local_stiffness = young * body.membrane->thickness;
  }
  double springs = 0;
  for (const Spring& spring : body.springs) springs += spring.stiffness;
  if (!body.springs.empty()) {
    bulk.local_stiffness += springs / static_cast<double>(body.springs.size());
  }
  return bulk;
}

/// The stiffness with which the mouse pulls a vertex, N/m. Four times the stiffness with which its
/// neighbours hold it takes the vertex all but a fifth of the way to the mouse. The stiffness is
/// also enough to carry a stiff body as a whole: M/(50 h^2) moves it half the way in about ten
/// frames. It is never more than what moves the whole body in a single frame.
double chosen_stiffness(const Scene& scene, const Body& body) {
  const Bulk bulk = bulk_of(body);
  const double h = scene.time.step / scene.time.substeps;
  const double inertia = bulk.mass / (h * h);
  const double k = std::min(std::max(4 * bulk.local_stiffness, inertia / 50), inertia);
  return std::isfinite(k) && k > 0 ? k : 1;
}

/// Explicit integrators blow up on springs that oscillate faster than they step: k h^2/m must be
/// below 4. A corner of a mesh can have a tenth of the mean mass.
double stiffness_limit(const Scene& scene, const Body& body) {
  if (!is_explicit(scene.time.integrator)) return std::numeric_limits<double>::infinity();
  const double h = scene.time.step / scene.time.substeps;
  const double mass = bulk_of(body).mass / static_cast<double>(body.mesh.vertices.size());
  return 0.1 * mass / (h * h);
}

Grab* find(SessionState& s, Client client, std::int64_t id) {
  for (Grab& grab : s.grabs) {
    if (grab.client == client && grab.id == id) return &grab;
  }
  return nullptr;
}

std::int64_t read_id(ObjectReader& keys) {
  return keys.whole("grab", -9'007'199'254'740'991LL, 9'007'199'254'740'991LL);
}

/// Chooses the vertex and others within the radius. If there are more than `most`, each chosen
/// vertex is the one farthest from those chosen before, so that they are spread over what is
/// gripped.
void choose_vertices(const std::vector<Vec3>& x, int first, int count, double radius,
                     std::size_t most, Grab& grab) {
  const Vec3& center = x[at(grab.vertex)];
  grab.anchor = center;
  grab.vertices = {grab.vertex - first};
  struct Near {
    int vertex;
    double distance;  ///< to the nearest chosen vertex
  };
  std::vector<Near> near;
  for (int v = 0; v < count && radius > 0; ++v) {
    const double distance = norm(minus(x[at(first + v)], center));
    if (first + v != grab.vertex && distance <= radius) near.push_back({v, distance});
  }
  while (grab.vertices.size() < most && !near.empty()) {
    const auto chosen =
        std::max_element(near.begin(), near.end(),
                         [](const Near& a, const Near& b) { return a.distance < b.distance; });
    const Vec3& place = x[at(first + chosen->vertex)];
    grab.vertices.push_back(chosen->vertex);
    near.erase(chosen);
    for (Near& other : near) {
      other.distance = std::min(other.distance, norm(minus(x[at(first + other.vertex)], place)));
    }
  }
  grab.offsets.clear();
  for (const int v : grab.vertices) grab.offsets.push_back(minus(x[at(first + v)], center));
}

void erase_grab(SessionState& s, Client client, std::int64_t id) {
  std::erase_if(s.grabs, [&](const Grab& g) { return g.client == client && g.id == id; });
}

}  // namespace

void add_pins_of(const SessionState& s, const Grab& grab, std::vector<Pin>& pins) {
  const double size = std::max(s.topology.diagonal, 1e-9);
  for (std::size_t i = 0; i < grab.vertices.size(); ++i) {
    // The held vertices may have come off. The current scene has them too.
    const std::vector<Vec3>& now = s.simulation->scene().bodies[at(grab.body)].mesh.vertices;
    const Vec3& rest = now[at(grab.vertices[i])];
    const std::size_t v = at(s.simulation->body_vertices()[at(grab.body)] + grab.vertices[i]);
    const Vec3 here{s.positions[3 * v], s.positions[3 * v + 1], s.positions[3 * v + 2]};
    Vec3 target = clamped(grab.to, grab.anchor, farthest_target * size);
    for (std::size_t k = 0; k < 3; ++k) target[k] += grab.offsets[i][k];
    target = clamped(target, here, farthest_pull * size);
    Pin pin;
    pin.vertices = {grab.vertices[i]};
    pin.stiffness = grab.stiffness;
    pin.motion.keyframes.emplace_back().translate = minus(target, rest);
    pins.push_back(std::move(pin));
  }
}

void release_all(SessionState& s, Client client) {
  const std::size_t before = s.grabs.size();
  std::erase_if(s.grabs, [&](const Grab& grab) { return grab.client == client; });
  if (s.grabs.size() != before) s.pins_are_new = s.frame_is_new = true;
}

Answer do_grab(SessionState& s, Command& command, ObjectReader& keys) {
  Grab grab;
  grab.client = command.client;
  grab.id = read_id(keys);
  grab.vertex = static_cast<int>(keys.whole("vertex", 0, s.simulation->num_vertices() - 1));
  const bool has_target = keys.has("to");
  if (has_target) grab.to = keys.vector("to", any_number("m"));
  const Range stiffness{.low = 0, .high = 1e12, .low_included = true, .unit = "N/m"};
  grab.stiffness = keys.number("stiffness", stiffness, 0);
  grab.body = body_of(s, grab.vertex);
  const Scene& scene = s.asked->scene();
  const Body& body = scene.bodies[at(grab.body)];
  const Box box = bounding_box(body.mesh.vertices);
  const double radius =
      keys.number("radius", from_zero("m"), usual_radius * norm(minus(box.max, box.min)));
  keys.finish();
  std::size_t held = 0;
  for (const Grab& other : s.grabs) {
    const bool replaced = other.client == grab.client && other.id == grab.id;
    if (other.body == grab.body && !replaced) held += other.vertices.size();
  }
  if (held >= most_held) {
    throw Error(ErrorKind::invalid_input, "grab",
                "at most " + std::to_string(most_held) + " vertices of a body can be held");
  }
  const int* const own = &s.simulation->body_vertices()[at(grab.body)];
  choose_vertices(current_positions(s), own[0], own[1] - own[0], radius,
                  std::min(most_of_grab, most_held - held), grab);
  if (!has_target) grab.to = grab.anchor;
  if (grab.stiffness == 0) grab.stiffness = chosen_stiffness(scene, body);
  const auto count = static_cast<double>(grab.vertices.size());
  grab.stiffness = std::min(grab.stiffness / count, stiffness_limit(scene, body));
  erase_grab(s, command.client, grab.id);
  Answer answer;
  answer.content["stiffness"] = grab.stiffness * count;
  answer.content["vertices"] = grab.vertices.size();
  answer.content["radius"] = radius;
  s.grabs.push_back(std::move(grab));
  s.pins_are_new = s.frame_is_new = true;
  return answer;
}

Answer do_drag(SessionState& s, Command& command, ObjectReader& keys) {
  const std::int64_t id = read_id(keys);
  const Vec3 to = keys.vector("to", any_number("m"));
  keys.finish();
  // The grab may have vanished with its scene while the mouse still moves.
  Grab* const grab = find(s, command.client, id);
  if (grab != nullptr) {
    grab->to = to;
    s.pins_are_new = s.frame_is_new = true;
  }
  Answer answer;
  answer.content["held"] = grab != nullptr;
  return answer;
}

Answer do_release(SessionState& s, Command& command, ObjectReader& keys) {
  const std::int64_t id = read_id(keys);
  keys.finish();
  Answer answer;
  answer.content["held"] = find(s, command.client, id) != nullptr;
  erase_grab(s, command.client, id);
  s.pins_are_new = s.frame_is_new = true;
  return answer;
}

}  // namespace supple
