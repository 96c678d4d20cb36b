#include "session/session_state.h"

#include <algorithm>
#include <cmath>

#include "base/stopwatch.h"
#include "model/pin_selection.h"
#include "session/command_list.h"
#include "session/difference.h"
#include "sim/stepper.h"
#include "supple/error.h"

namespace supple {

namespace {

/// No frame takes much longer than this, ms, however many iterations are asked for.
constexpr double longest_frame = 5000;

/// A change is due after twice the time that the last build took [docs/changing.md].
int frames_until_built(const SessionState& s) {
  const double h_ms = 1000 * s.given->scene().time.step;
  const double paced = s.pace.speed > 0 ? h_ms / s.pace.speed : 0;
  const double frame = std::max({paced, s.frame_ms, 0.1});
  constexpr double most = 10'000;
  return static_cast<int>(std::ceil(std::min(2 * s.build_ms / frame, most)));
}

bool steps_go_on(const SessionState& s) { return s.pace.playing || s.pace.steps_left > 0; }

/// The simulation has been given what it can take now; the rest follows before the next step.
void accept(SessionState& s, SetupPointer next, const Difference& d) {
  s.asked = std::move(next);
  s.scene_is_new = s.frame_is_new = true;
  s.pin_lists_are_new = true;
  s.pins_are_new = s.pins_are_new || d.pins;
  s.colliders_are_new = s.colliders_are_new || d.colliders;
  s.initial_is_stale = s.initial_is_stale || d.initial || d.mesh;
}

/// Called when another setup with the same vertices runs.
void runs(SessionState& s, SetupPointer next, double build_ms) {
  const Difference d =
      difference(s.running->scene(), s.running->settings(), next->scene(), next->settings());
  s.build_ms = build_ms;
  s.running = s.given = std::move(next);
  s.topology_is_new = s.topology_is_new || d.mesh;
}

/// Continues from the current state in a simulation built from the same bodies, as in
/// Simulation::change.
void go_on_in(SessionState& s, const Setup& next, std::unique_ptr<Simulation>& built) {
  SimulationState state = s.simulation->state();
  const auto substep = [](const Scene& scene) { return scene.time.step / scene.time.substeps; };
  state.accelerations.clear();
  if (substep(s.simulation->scene()) != substep(next.scene())) {
    state.previous_positions.clear();
    state.previous_velocities.clear();
  }
  built->set_state(state);
  std::swap(s.simulation, built);
  retire(s, std::move(built));
}

void run_now(SessionState& s, SetupPointer next) {
  const Stopwatch watch;
  const Scene scene = composed(s, *next, s.simulation->time());
  if (has_come_apart(s)) {
    auto built =
        std::make_unique<Simulation>(scene, SimulationOptions{.threads = s.options.threads});
    go_on_in(s, *next, built);
    s.topology_is_new = true;
  } else {
    s.simulation->change(scene);
  }
  runs(s, std::move(next), watch.milliseconds());
}

/// Applies new materials of tets before their matrices have been factorised.
void feel_at_once(SessionState& s, const Setup& next, const std::vector<int>& bodies) {
  for (const int b : bodies) {
    const Body& body = next.scene().bodies[static_cast<std::size_t>(b)];
    if (!body.mesh.tets.empty()) s.simulation->set_material(b, body.material);
  }
}

/// Runs a scene with other numbers of bodies or vertices.
void run_anew(SessionState& s, SetupPointer next, Built& built) {
  s.build_ms = built.ms;
  std::swap(s.simulation, built.simulation);
  if (built.simulation) retire(s, std::move(built.simulation));
  ++s.generation;
  s.grabs.clear();
  s.initial = std::move(built.initial);
  s.initial_is_stale = false;
  s.asked = s.given = s.running = std::move(next);
  s.report.reset();
  s.watch.reset();
  s.pins_are_new = s.colliders_are_new = s.pin_lists_are_new = true;
  s.scene_is_new = s.topology_is_new = s.frame_is_new = true;
  restart_clock(s);
  after_jump(s);
}

/// A scene can be valid with its own pins alone. It must also be valid with what was done by hand.
void check_pins(const Setup& setup) {
  const std::vector<Body>& bodies = setup.scene().bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    PinSet unused;
    add_pins(pins_at(bodies[b], setup.selected(b), setup.edit.pins[b], 0), bodies[b].mesh.vertices,
             0, "/bodies/" + std::to_string(b), setup.scene().colliders, unused);
  }
}

}  // namespace

SessionState::SessionState(Session::Options options_)
    : options(std::move(options_)), gallery(options.scenes, options.scene) {}

namespace {

SetupPointer make_setup(std::shared_ptr<const Reading> reading, Edit edit) {
  auto setup = std::make_shared<Setup>();
  setup->reading = std::move(reading);
  setup->edit = std::move(edit);
  const Scene& scene = setup->scene();
  setup->edit.pins.resize(scene.bodies.size());
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    fit_to(scene.bodies[b], setup->edit.pins[b]);
  }
  if (setup->edit.colliders.size() > scene.colliders.size()) {
    setup->edit.colliders.resize(scene.colliders.size());
  }
  check_pins(*setup);
  return setup;
}

}  // namespace

SetupPointer read_setup(std::size_t max_tets, SceneOrigin& origin, const ordered_json& document,
                        Edit edit) {
  auto reading = std::make_shared<Reading>();
  reading->loaded = origin.load(document, max_tets);
  check_settings(reading->loaded.scene);
  reading->settings = ordered_json::parse(reading->loaded.settings);
  for (const Body& body : reading->loaded.scene.bodies) {
    reading->selected.push_back(selected_vertices(body));
  }
  edit.document = std::make_shared<const std::string>(
      document.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  return make_setup(std::move(reading), std::move(edit));
}

SetupPointer with_edit(const Setup& from, std::size_t max_tets, SceneOrigin& origin, Edit edit) {
  if (edit.document == from.edit.document) return make_setup(from.reading, std::move(edit));
  const ordered_json document = ordered_json::parse(*edit.document);
  return read_setup(max_tets, origin, document, std::move(edit));
}

namespace {

/// Colliders that no hand has moved may have no entry.
Placement placement_at(const std::vector<Placement>& placements, std::size_t i) {
  return i < placements.size() ? placements[i] : Placement{};
}

}  // namespace

bool hands_move_colliders(const SessionState& s) {
  const std::vector<Placement>&before = s.colliders_before, &now = s.asked->edit.colliders;
  for (std::size_t i = 0; i < std::max(before.size(), now.size()); ++i) {
    if (placement_at(before, i) != placement_at(now, i)) return true;
  }
  return false;
}

std::vector<Collider> colliders_over_step(const SessionState& s, double end) {
  const double start = s.simulation->time();
  std::vector<Collider> colliders = s.asked->scene().colliders;
  for (std::size_t i = 0; i < colliders.size(); ++i) {
    const Placement before = placement_at(s.colliders_before, i);
    const Placement now = placement_at(s.asked->edit.colliders, i);
    if (before.is_identity() && now.is_identity()) continue;
    Motion& motion = colliders[i].motion;
    const Vec3 center = center_of(colliders[i].shape);
    const Pose from = placed_pose(motion, center, before, start);
    const Pose to = placed_pose(motion, center, now, end);
    motion = before == now && !changes_with_time(motion)
                 ? standing(to)
                 : way_between(from, start, to, end, center);
  }
  return colliders;
}

std::vector<Collider> colliders_of(const Setup& setup, double t) {
  std::vector<Collider> colliders = setup.scene().colliders;
  for (std::size_t i = 0; i < colliders.size(); ++i) {
    const Placement placement = placement_at(setup.edit.colliders, i);
    if (placement.is_identity()) continue;
    Collider& collider = colliders[i];
    collider.motion =
        standing(placed_pose(collider.motion, center_of(collider.shape), placement, t));
  }
  return colliders;
}

namespace {

/// The pins without those of grabs.
std::vector<Pin> pins_of_setup(const Setup& setup, std::size_t body, double t) {
  return pins_at(setup.scene().bodies[body], setup.selected(body), setup.edit.pins[body], t);
}

/// The scene of a setup at time t, without the pins.
Scene composed_without_pins(const Setup& setup, double t) {
  Scene scene = setup.scene();
  scene.colliders = colliders_of(setup, t);
  double& budget = scene.solver.budget_ms;
  budget = budget > 0 ? std::min(budget, longest_frame) : longest_frame;
  return scene;
}

}  // namespace

std::vector<Pin> pins_of_body(const SessionState& s, const Setup& setup, std::size_t body,
                              double t) {
  std::vector<Pin> pins = pins_of_setup(setup, body, t);
  for (const Grab& grab : s.grabs) {
    if (static_cast<std::size_t>(grab.body) != body) continue;
    add_pins_of(s, grab, pins);
  }
  return pins;
}

Scene composed(SessionState& s, const Setup& setup, double t) {
  if (!s.grabs.empty()) refresh_positions(s);
  Scene scene = composed_without_pins(setup, t);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    scene.bodies[b].pins = pins_of_body(s, setup, b, t);
    // Hands can hold vertices that have come off and that the whole body does not have.
    const auto count = static_cast<int>(scene.bodies[b].mesh.vertices.size());
    std::erase_if(scene.bodies[b].pins, [&](const Pin& pin) {
      return !pin.vertices.empty() && pin.vertices.front() >= count;
    });
  }
  return scene;
}

bool has_come_apart(const SessionState& s) {
  std::size_t whole = 0;
  for (const Body& body : s.running->scene().bodies) whole += body.mesh.vertices.size();
  return at(s.simulation->num_vertices()) > whole;
}

std::shared_ptr<Built> build(const Setup& setup, int threads, const SimulationState* state) {
  const Stopwatch watch;
  Scene scene = composed_without_pins(setup, 0);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    scene.bodies[b].pins = pins_of_setup(setup, b, 0);
  }
  auto built = std::make_shared<Built>();
  built->simulation = std::make_unique<Simulation>(scene, SimulationOptions{.threads = threads});
  built->ms = watch.milliseconds();
  built->initial = built->simulation->state();
  if (state != nullptr) built->simulation->set_state(*state);
  return built;
}

std::shared_ptr<Built> build_where_anew(const Setup& given, const Setup& next, int threads) {
  const Difference d = difference(given.scene(), given.settings(), next.scene(), next.settings());
  return d.vertices ? build(next, threads) : nullptr;
}

void start(SessionState& s, std::shared_ptr<SceneOrigin> origin, SetupPointer setup, Built& built) {
  run_anew(s, std::move(setup), built);
  s.origin = std::move(origin);
  s.history.clear();
}

void adopt(SessionState& s, SetupPointer next, const std::shared_ptr<Built>& anew) {
  if (anew) return run_anew(s, std::move(next), *anew);
  const Difference d =
      difference(s.given->scene(), s.given->settings(), next->scene(), next->settings());
  if (d.rebuild || !d.materials.empty()) {
    // A dropped job that is still being built would delay what is built now.
    // What has come apart can only be built anew, from its state.
    const bool slow =
        !has_come_apart(s) && (s.build_ms > s.options.build_at_once_ms || s.dropped.has_work());
    if (slow && !d.rebuild) feel_at_once(s, *next, d.materials);
    if (!s.simulation->change_is_waiting()) {
      if (!slow) {
        run_now(s, next);
      } else if (steps_go_on(s)) {
        s.simulation->change(composed(s, *next, s.simulation->time()),
                             std::max(1, frames_until_built(s)));
        s.given = next;
      }
    }
    // What has not been given yet follows the change that waits, or is settled in the pause.
    accept(s, std::move(next), d);
    return;
  }
  if (!s.simulation->change_is_waiting() && s.given == s.running) s.running = next;
  s.given = next;
  if (d.mesh) s.topology_is_new = true;
  accept(s, std::move(next), d);
}

bool has_unsettled(const SessionState& s) {
  return s.simulation->change_is_waiting() || s.asked != s.given;
}

void take_back(SessionState& s) {
  s.asked = s.given = s.running;
  s.scene_is_new = s.pins_are_new = s.colliders_are_new = s.frame_is_new = true;
}

namespace {

Answer settle(SessionState& s, const SetupPointer& next, Built& built) {
  go_on_in(s, *next, built.simulation);
  runs(s, next, built.ms);
  if (s.asked != next) adopt(s, s.asked);
  s.pins_are_new = s.colliders_are_new = s.frame_is_new = true;
  return {};
}

}  // namespace

Work settling(SessionState& s) {
  const auto scene = std::make_shared<const Scene>(composed(s, *s.asked, s.simulation->time()));
  return [scene, next = s.asked, threads = s.options.threads]() -> Finish {
    try {
      auto built = std::make_shared<Built>();
      const Stopwatch watch;
      built->simulation =
          std::make_unique<Simulation>(*scene, SimulationOptions{.threads = threads});
      built->ms = watch.milliseconds();
      return [next, built](SessionState& session) { return settle(session, next, *built); };
    } catch (const Error& error) {
      return [what = std::string(error.what())](SessionState& session) {
        session.out.note({}, "error", "the change was not possible: " + what);
        take_back(session);
        return Answer();
      };
    }
  };
}

void remember(SessionState& s, const std::string& key) {
  s.history.add(s.asked->edit, key);
  s.scene_is_new = true;
}

int body_of(const SessionState& s, int vertex) {
  const std::vector<int>& first = s.simulation->body_vertices();
  const auto after = std::upper_bound(first.begin(), first.end(), vertex);
  return static_cast<int>(after - first.begin()) - 1;
}

void refresh_positions(SessionState& s) {
  s.positions.resize(3 * static_cast<std::size_t>(s.simulation->num_vertices()));
  s.simulation->copy_positions(s.positions);
}

std::vector<Vec3> current_positions(const SessionState& s) {
  const auto count = static_cast<std::size_t>(s.simulation->num_vertices());
  std::vector<double> flat(3 * count);
  s.simulation->copy_positions(flat);
  std::vector<Vec3> positions(count);
  for (std::size_t i = 0; i < count; ++i) {
    positions[i] = {flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]};
  }
  return positions;
}

}  // namespace supple
