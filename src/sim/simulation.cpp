#include "supple/simulation.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "base/background.h"
#include "base/refuse.h"
#include "base/stopwatch.h"
#include "model/pin_selection.h"
#include "sim/body_reads.h"
#include "sim/body_table.h"
#include "sim/running_scene.h"
#include "sim/separations.h"
#include "sim/stepper.h"
#include "sim/survivors.h"
#include "supple/error.h"

namespace supple {

namespace {

std::string place_of_body(std::size_t body) { return "/bodies/" + std::to_string(body); }

/// A change keeps the state, which must fit.
void check_same_vertices(const Scene& now, const Scene& next) {
  if (next.bodies.size() != now.bodies.size()) {
    refuse("/bodies", "a change keeps the bodies: expected " + std::to_string(now.bodies.size()) +
                          ", there are " + std::to_string(next.bodies.size()));
  }
  for (std::size_t b = 0; b < now.bodies.size(); ++b) {
    const std::size_t expected = now.bodies[b].mesh.vertices.size();
    const std::size_t found = next.bodies[b].mesh.vertices.size();
    if (found == expected) continue;
    refuse(place_of_body(b) + "/mesh", "a change keeps the vertices: expected " +
                                           std::to_string(expected) + ", there are " +
                                           std::to_string(found));
  }
}

void check_body(const Scene& scene, int body) {
  if (body >= 0 && static_cast<std::size_t>(body) < scene.bodies.size()) return;
  refuse("/bodies", "there is no body " + std::to_string(body) + ": the scene has " +
                        std::to_string(scene.bodies.size()));
}

/// Of a body that is to come behind others.
void check_name(const std::vector<Body>& others, const std::string& name) {
  if (name.empty()) return;
  for (std::size_t b = 0; b < others.size(); ++b) {
    if (others[b].name != name) continue;
    refuse(place_of_body(others.size()) + "/name",
           "body " + std::to_string(b) + " is called '" + name + "' too");
  }
}

/// Takes names that nothing has any more out of the lists of who touches whom, and what ties such
/// bodies out of the scene.
void forget_bodies(const Scene& before, Scene& next) {
  const auto has = [](const Scene& scene, const std::string& name) {
    return std::any_of(scene.bodies.begin(), scene.bodies.end(),
                       [&](const Body& body) { return body.name == name; });
  };
  const auto forget = [&](std::optional<std::vector<std::string>>& names) {
    if (!names) return;
    std::erase_if(*names, [&](const auto& name) { return has(before, name) && !has(next, name); });
  };
  for (Body& body : next.bodies) forget(body.touches);
  for (Blade& blade : next.blades) forget(blade.cuts);
  for (Collider& collider : next.colliders) forget(collider.touches);
  const auto is_gone = [&](const std::string& name) { return !has(next, name); };
  std::erase_if(next.bonds,
                [&](const Bond& bond) { return is_gone(bond.body) || is_gone(bond.to); });
  std::erase_if(next.seams,
                [&](const Seam& seam) { return is_gone(seam.a.body) || is_gone(seam.b.body); });
}

using Build = Background<std::unique_ptr<RunningScene>>;

/// A scene that is being built and will take over.
struct Waiting {
  std::shared_ptr<const Scene> scene;
  Build build;
  int steps_left = 0;
  std::map<int, std::vector<Pin>> pins;            ///< of bodies, set since
  std::optional<std::vector<Collider>> colliders;  ///< set since
  std::vector<std::function<void(Scene&)>> edits;  ///< of settings, made since
};

}  // namespace

struct Simulation::Implementation {
  void begin_change(const Scene& scene, int after_frames) {
    const auto next = std::make_shared<const Scene>(scene);
    // One build that nobody wants may still run; of an older one the end is waited for.
    if (waiting) discarded = std::move(waiting->build);
    waiting.emplace();
    waiting->scene = next;
    waiting->steps_left = after_frames;
    waiting->build.start([next, settings = options] {
      return std::make_unique<RunningScene>(*next, settings, RunningScene::Begin::later);
    });
  }

  /// At the beginning of a step.
  SceneChange advance_change() noexcept {
    if (!waiting) return SceneChange::none;
    if (waiting->steps_left-- > 0) return SceneChange::waiting;
    SceneChange end = SceneChange::done;
    try {
      std::unique_ptr<RunningScene> next = waiting->build.take();
      for (auto& [body, pins] : waiting->pins) next->set_pins(body, std::move(pins));
      if (waiting->colliders) next->set_colliders(*std::move(waiting->colliders));
      for (const auto& edit : waiting->edits) next->adjust(edit);
      next->take_over(*running);
      running = std::move(next);
      is_broken = false;
      separations = Separations(running->scene().bodies.size());
    } catch (...) {
      failure = std::current_exception();
      end = SceneChange::failed;
    }
    waiting.reset();
    return end;
  }

  /// Those of the scene that runs, which have come apart so.
  TornBodies torn_bodies(const Separations& by) const {
    std::vector<int> origin(running->scene().bodies.size());
    std::iota(origin.begin(), origin.end(), 0);
    return {.made = &running->numbering(), .origin = std::move(origin), .copies = by.copies()};
  }

  /// After a step that failed: what it left half done is built anew, from the scene and the state.
  void mend() {
    if (!is_broken) return;
    auto whole = std::make_unique<RunningScene>(running->scene(), options,
                                                RunningScene::Begin::later, running->attachments(),
                                                Earlier<RunningScene>{}, torn_bodies(separations));
    whole->set_state(running->state());
    running = std::move(whole);
    is_broken = false;
  }

  /// Settings of the scene that runs and of one that waits.
  void adjust(const std::function<void(Scene&)>& edit) {
    running->adjust(edit);
    if (waiting) waiting->edits.push_back(edit);
  }

  std::vector<BodyHandle> change_bodies(std::span<const BodyHandle> removed,
                                        std::span<const Body> added) {
    if (waiting) {
      refuse("change", "a scene waits to take over: bodies come and go before or after that");
    }
    BodyTable next_bodies = bodies;
    next_bodies.remove(removed);
    if (removed.empty() && added.empty()) return {};
    const Scene& now = running->scene();
    Scene next = now;
    next.bodies.clear();
    std::vector<int> origin;
    for (std::size_t b = 0; b < now.bodies.size(); ++b) {
      if (!next_bodies.contains(bodies.handle(static_cast<int>(b)))) continue;
      next.bodies.push_back(now.bodies[b]);
      origin.push_back(static_cast<int>(b));
    }
    std::vector<BodyHandle> handles;
    for (const Body& body : added) {
      check_name(next.bodies, body.name);
      next.bodies.push_back(body);
      origin.push_back(-1);
      handles.push_back(next_bodies.add());
    }
    if (separates(next)) require_untied();
    forget_bodies(now, next);
    const Survivors survivors(now, next, std::move(origin));
    Attachments held = running->attachments();
    held.renumber(survivors.vertices());
    const std::vector<int> same = running->unchanged(survivors.origin());
    Separations next_separations = separations.of_bodies(survivors.origin());
    auto built =
        std::make_unique<RunningScene>(next, options, RunningScene::Begin::later, std::move(held),
                                       Earlier<RunningScene>{.made = running.get(), .origin = same},
                                       TornBodies{.made = &running->numbering(),
                                                  .origin = survivors.origin(),
                                                  .copies = next_separations.copies()});
    built->go_on_from(*running, survivors);
    running = std::move(built);
    bodies = std::move(next_bodies);
    separations = std::move(next_separations);
    return handles;
  }

  /// How many pairs of elements have come apart.
  int come_apart(const std::vector<BodySeparation>& pairs) {
    if (pairs.empty()) return 0;
    const Scene& now = running->scene();
    Separations next_separations = separations;
    const SeparatedScene next = next_separations.separate(now, pairs, running->frame());
    int count = 0;
    for (const BodySeparation& some : pairs) count += static_cast<int>(some.pairs.size());
    if (next.has_copies()) {
      std::vector<int> origin(now.bodies.size());
      std::iota(origin.begin(), origin.end(), 0);
      const Survivors survivors(now, next.scene, origin, next.copies);
      Attachments held = running->attachments();
      held.renumber(survivors.vertices(),
                    [&](std::vector<int>& corners) { return follow_element(now, next, corners); });
      std::vector<int> same = running->unchanged(origin);
      for (std::size_t b = 0; b < same.size(); ++b) {
        if (!next.copies[b].empty()) same[b] = -1;
      }
      auto built = std::make_unique<RunningScene>(
          next.scene, options, RunningScene::Begin::later, std::move(held),
          Earlier<RunningScene>{.made = running.get(), .origin = same},
          torn_bodies(next_separations));
      built->go_on_from(*running, survivors);
      running = std::move(built);
    }
    separations = std::move(next_separations);
    return count;
  }

  /// At the beginning of a step: what tears, and what the blades cut. Not while a scene waits, of
  /// the same vertices.
  int separate() {
    if (waiting || !separates(running->scene())) return 0;
    return come_apart(running->find_separations(separations));
  }

  void require_no_change() const {
    if (!waiting) return;
    refuse("change", "a scene waits to take over: bodies come apart before or after that");
  }

  int cut(std::span<const std::array<Vec3, 3>> triangles, std::span<const int> asked) {
    require_no_change();
    const Scene& now = running->scene();
    std::vector<int> chosen(asked.begin(), asked.end());
    for (std::size_t b = 0; asked.empty() && b < now.bodies.size(); ++b) {
      chosen.push_back(static_cast<int>(b));
    }
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    for (const int body : chosen) check_separable(body);
    std::vector<CutTriangle> cutting;
    for (std::size_t i = 0; i < triangles.size(); ++i) {
      const std::string where = "triangles[" + std::to_string(i) + "]";
      for (const Vec3& corner : triangles[i]) {
        for (const double x : corner) {
          require(std::abs(x) <= 1e100, where, "expected numbers between -1e100 and 1e100");
        }
      }
      const auto triangle = CutTriangle::of(triangles[i]);
      if (!triangle) refuse(where, "its corners are in one line");
      cutting.push_back(*triangle);
    }
    return come_apart(running->cut(cutting, chosen, separations));
  }

  int separate(int body, std::span<const std::array<int, 2>> elements) {
    require_no_change();
    check_separable(body);
    BodySeparation some{body, {}};
    for (const auto& [a, b] : elements) some.pairs.emplace_back(std::min(a, b), std::max(a, b));
    std::sort(some.pairs.begin(), some.pairs.end());
    some.pairs.erase(std::unique(some.pairs.begin(), some.pairs.end()), some.pairs.end());
    return some.pairs.empty() ? 0 : come_apart({some});
  }

  void check_separable(int body) const {
    check_body(running->scene(), body);
    const std::string reason = why_inseparable(running->scene(), static_cast<std::size_t>(body));
    require(reason.empty(), place_of_body(static_cast<std::size_t>(body)), "this body " + reason);
    require_untied();
  }

  /// What comes apart has other vertices than those that attachments tie.
  void require_untied() const {
    require(!running->ties_bodies(), "attachments",
            "bodies are tied to each other; detach them before bodies come apart");
  }

  SimulationState state() const {
    SimulationState state = running->state();
    state.separated = separations.all();
    return state;
  }

  void set_state(const SimulationState& state) {
    if (state.separated == separations.all()) {
      running->set_state(state);
      return;
    }
    require(!waiting, "change",
            "a scene waits to take over: a state in which others came apart fits neither");
    require_untied();
    Separations next_separations = separations;
    std::vector<int> vertices;
    const SeparatedScene next =
        next_separations.replay(running->scene(), state.separated, vertices);
    Attachments held = running->attachments();
    held.renumber(vertices);
    auto built = std::make_unique<RunningScene>(next.scene, options, RunningScene::Begin::later,
                                                std::move(held), Earlier<RunningScene>{},
                                                torn_bodies(next_separations));
    built->set_state(state);
    running = std::move(built);
    separations = std::move(next_separations);
  }

  /// Forces or impulses: what they are called, and what makes and adds them.
  template <class Make>
  void add_forces(const Make& make) {
    running->require_inertia("forces");
    running->add_forces(make(running->pushes("force")));
  }
  template <class Make>
  void add_impulses(const Make& make) {
    running->require_inertia("impulses");
    running->add_impulses(make(running->pushes("impulse")));
  }

  /// Of one body, positions or velocities.
  template <class Number>
  void read(int body, const VectorField& (RunningScene::*field)() const, std::span<Number> out,
            int stride) const {
    check_body(running->scene(), body);
    read_body(((*running).*field)(), running->model(), running->numbering(), body, out, stride);
  }
  template <class Number>
  void read_normals(int body, std::span<Number> out, int stride) const {
    check_body(running->scene(), body);
    supple::read_normals(running->positions(), running->model(), running->numbering(),
                         running->surface(), body, out, stride);
  }

  SimulationOptions options;
  std::unique_ptr<RunningScene> running;
  BodyTable bodies;
  Separations separations;
  std::optional<Waiting> waiting;
  Build discarded;
  std::exception_ptr failure;  ///< of a change
  std::exception_ptr step_failure;
  bool is_broken = false;  ///< by the last step
};

Simulation::Simulation(const Scene& scene, const SimulationOptions& options)
    : implementation_(std::make_unique<Implementation>()) {
  implementation_->options = options;
  implementation_->running =
      std::make_unique<RunningScene>(scene, options, RunningScene::Begin::at_start);
  implementation_->bodies = BodyTable(scene.bodies.size());
  implementation_->separations = Separations(scene.bodies.size());
}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

Simulation::Implementation& Simulation::self() {
  if (!implementation_) refuse("simulation", "was moved from");
  implementation_->mend();
  return *implementation_;
}
const Simulation::Implementation& Simulation::self() const {
  if (!implementation_) refuse("simulation", "was moved from");
  return *implementation_;
}

StepReport Simulation::step() noexcept {
  const Stopwatch watch;
  StepReport report;
  if (!implementation_) {
    report.status = StepStatus::failed;
    return report;
  }
  Implementation& own = *implementation_;
  const SceneChange change = own.advance_change();
  own.step_failure = nullptr;
  int separated = 0;
  try {
    own.mend();
    separated = own.separate();
    report = own.running->step();
  } catch (...) {
    own.step_failure = std::current_exception();
    own.is_broken = true;
    report.status = StepStatus::failed;
  }
  report.change = change;
  report.separated = separated;
  report.total_milliseconds = watch.milliseconds();
  return report;
}

void Simulation::check_step() {
  if (!implementation_) refuse("simulation", "was moved from");
  std::exception_ptr& failure = implementation_->step_failure;
  if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
}

void Simulation::set_pins(int body, std::vector<Pin> pins) {
  Implementation& own = self();
  check_body(scene(), body);
  if (!own.waiting) {
    std::vector<Pin> given = pins;
    own.running->set_pins(body, std::move(pins));
    own.separations.pins_given(body, given);
    return;
  }
  const auto b = static_cast<std::size_t>(body);
  PinSet of_next;
  add_pins(pins, own.waiting->scene->bodies[b].mesh.vertices, 0, place_of_body(b),
           own.waiting->scene->colliders, of_next);
  std::map<int, std::vector<Pin>> later{{body, pins}};
  own.running->set_pins(body, std::move(pins));
  own.waiting->pins.erase(body);
  own.waiting->pins.merge(later);
}

void Simulation::set_colliders(std::vector<Collider> colliders) {
  Implementation& own = self();
  if (!own.waiting) {
    own.running->set_colliders(std::move(colliders));
    return;
  }
  std::vector<Collider> later = colliders;
  own.running->set_colliders(std::move(colliders));
  own.waiting->colliders = std::move(later);
}

void Simulation::set_material(int body, const MaterialSettings& material) {
  check_body(scene(), body);
  if (scene().bodies[static_cast<std::size_t>(body)].mesh.tets.empty()) {
    refuse(place_of_body(static_cast<std::size_t>(body)) + "/material",
           scene().bodies[static_cast<std::size_t>(body)].membrane
               ? "that of a membrane changes with the scene (Simulation::change)"
               : "a material needs tets, but this body has only springs");
  }
  self().running->set_material(body, material);
}

void Simulation::set_gravity(const Vec3& gravity) {
  self().adjust([gravity](Scene& scene) { scene.gravity = gravity; });
}
void Simulation::set_drag(double drag) {
  self().adjust([drag](Scene& scene) { scene.damping.drag = drag; });
}
void Simulation::set_friction(double friction) {
  self().adjust([friction](Scene& scene) { scene.contact.friction = friction; });
}
void Simulation::set_iterations(int iterations) {
  self().adjust([iterations](Scene& scene) { scene.solver.iterations = iterations; });
}
void Simulation::set_tolerance(double tolerance) {
  self().adjust([tolerance](Scene& scene) { scene.solver.tolerance = tolerance; });
}
void Simulation::set_budget(double milliseconds) {
  self().adjust([milliseconds](Scene& scene) { scene.solver.budget_ms = milliseconds; });
}
void Simulation::set_line_search(const LineSearchSettings& line_search) {
  self().adjust([line_search](Scene& scene) { scene.solver.line_search = line_search; });
}

void Simulation::add_force(int body, const Vec3& force) {
  check_body(scene(), body);
  self().add_forces([&](const Pushes& pushes) { return pushes.of_body(body, force); });
}
void Simulation::add_force(const SurfaceHit& hit, const Vec3& force) {
  self().add_forces([&](const Pushes& pushes) { return pushes.at_hit(hit, force); });
}
void Simulation::add_force(std::span<const int> vertices, std::span<const Vec3> forces) {
  self().add_forces([&](const Pushes& pushes) { return pushes.of_vertices(vertices, forces); });
}
bool Simulation::is_asleep(int body) const {
  check_body(scene(), body);
  return self().running->is_asleep(body);
}
void Simulation::wake(int body) {
  check_body(scene(), body);
  self().running->wake(body);
}

void Simulation::clear_forces() { self().running->clear_forces(); }

void Simulation::add_impulse(int body, const Vec3& impulse) {
  check_body(scene(), body);
  self().add_impulses([&](const Pushes& pushes) { return pushes.of_body(body, impulse); });
}
void Simulation::add_impulse(const SurfaceHit& hit, const Vec3& impulse) {
  self().add_impulses([&](const Pushes& pushes) { return pushes.at_hit(hit, impulse); });
}
void Simulation::add_impulse(std::span<const int> vertices, std::span<const Vec3> impulses) {
  self().add_impulses([&](const Pushes& pushes) { return pushes.of_vertices(vertices, impulses); });
}

void Simulation::set_velocity(int body, const Vec3& velocity) {
  check_body(scene(), body);
  require_finite(velocity, "velocity");
  self().running->require_inertia("velocities");
  self().running->set_velocity(body, velocity);
}

Attachment Simulation::attach(int body, std::span<const int> vertices,
                              std::span<const Vec3> targets, double stiffness) {
  RunningScene& running = *self().running;
  check_body(scene(), body);
  return running.attach(
      Attachments::of_vertices(running.model(), body, vertices, targets, stiffness));
}
Attachment Simulation::attach(const SurfaceHit& hit, const Vec3& target, double stiffness) {
  RunningScene& running = *self().running;
  return running.attach(
      Attachments::of_hit(running.model(), running.numbering(), hit, target, stiffness));
}
Attachment Simulation::attach(int tet, const std::array<double, 4>& weights, const Vec3& target,
                              double stiffness) {
  RunningScene& running = *self().running;
  return running.attach(Attachments::of_tet(scene(), running.model(), running.numbering(), tet,
                                            weights, target, stiffness));
}
Attachment Simulation::attach(int body, std::span<const int> vertices, int to, double stiffness) {
  check_body(scene(), body);
  require(!separates(scene()) && !(self().waiting && separates(*self().waiting->scene)), "to",
          "bodies of a scene with tearing or blades cannot be tied to each other");
  return self().running->attach(body, vertices, to, stiffness);
}
void Simulation::set_targets(Attachment attachment, std::span<const Vec3> targets) {
  self().running->set_targets(attachment, targets);
}
void Simulation::set_targets(Attachment attachment, const Pose& pose) {
  self().running->set_targets(attachment, pose);
}
void Simulation::set_target(Attachment attachment, const Vec3& target) {
  self().running->set_targets(attachment, std::span<const Vec3>(&target, 1));
}
void Simulation::detach(Attachment attachment) { self().running->detach(attachment); }
bool Simulation::is_attached(Attachment attachment) const {
  return self().running->attachments().contains(attachment);
}
std::vector<Vec3> Simulation::forces(Attachment attachment) const {
  return self().running->forces(attachment);
}
Vec3 Simulation::force(Attachment attachment) const { return self().running->force(attachment); }

void Simulation::body_positions(int body, std::span<double> out, int stride) const {
  self().read(body, &RunningScene::positions, out, stride);
}
void Simulation::body_positions(int body, std::span<float> out, int stride) const {
  self().read(body, &RunningScene::positions, out, stride);
}
void Simulation::body_velocities(int body, std::span<double> out, int stride) const {
  self().read(body, &RunningScene::velocities, out, stride);
}
void Simulation::body_velocities(int body, std::span<float> out, int stride) const {
  self().read(body, &RunningScene::velocities, out, stride);
}
void Simulation::body_normals(int body, std::span<double> out, int stride) const {
  self().read_normals(body, out, stride);
}
void Simulation::body_normals(int body, std::span<float> out, int stride) const {
  self().read_normals(body, out, stride);
}
Box Simulation::body_bounds(int body) const {
  const RunningScene& running = *self().running;
  check_body(running.scene(), body);
  return bounds_of(running.positions(), running.model(), body);
}
Simulation::TriangleRange Simulation::body_triangles(int body) const {
  const RunningScene& running = *self().running;
  check_body(running.scene(), body);
  const int* const first = &running.surface().body_triangles[static_cast<std::size_t>(body)];
  return {first[0], first[1] - first[0]};
}

std::vector<BodyHandle> Simulation::change_bodies(std::span<const BodyHandle> removed,
                                                  std::span<const Body> added) {
  return self().change_bodies(removed, added);
}
BodyHandle Simulation::add_body(const Body& body) {
  return self().change_bodies({}, {&body, 1}).front();
}
void Simulation::remove_body(BodyHandle body) { self().change_bodies({&body, 1}, {}); }
bool Simulation::is_alive(BodyHandle body) const { return self().bodies.contains(body); }
int Simulation::index(BodyHandle body) const { return self().bodies.index(body); }
BodyHandle Simulation::handle(int body) const {
  check_body(scene(), body);
  return self().bodies.handle(body);
}
void Simulation::set_user_data(BodyHandle body, std::uint64_t data) {
  self().bodies.set_user_data(body, data);
}
std::uint64_t Simulation::user_data(BodyHandle body) const { return self().bodies.user_data(body); }

void Simulation::change(const Scene& scene, int after_frames) {
  Implementation& own = self();
  if (after_frames < 0) refuse("after_frames", "expected a number of frames from 0");
  check_settings(scene);
  check_same_vertices(own.running->scene(), scene);
  pins_of(scene);
  if (separates(scene)) own.require_untied();
  if (after_frames > 0) {
    own.begin_change(scene, after_frames);
  } else {
    auto next = std::make_unique<RunningScene>(scene, own.options, RunningScene::Begin::later);
    next->take_over(*own.running);
    if (own.waiting) own.discarded = std::move(own.waiting->build);
    own.waiting.reset();
    own.running = std::move(next);
    own.separations = Separations(scene.bodies.size());
  }
  own.failure = nullptr;
}

bool Simulation::change_is_waiting() const { return self().waiting.has_value(); }

void Simulation::check_change() {
  if (!self().failure) return;
  std::rethrow_exception(std::exchange(self().failure, nullptr));
}

int Simulation::num_vertices() const { return self().running->model().num_vertices; }
int Simulation::num_tets() const { return self().running->model().num_tets; }
int Simulation::num_threads() const { return self().running->num_threads(); }
double Simulation::time() const { return self().running->time(); }
std::int64_t Simulation::frame() const { return self().running->frame(); }

void Simulation::copy_positions(std::span<double> out) const {
  self().running->copy_positions(out);
}
void Simulation::copy_velocities(std::span<double> out) const {
  self().running->copy_velocities(out);
}

SimulationState Simulation::state() const { return self().state(); }
void Simulation::set_state(const SimulationState& state) { self().set_state(state); }

int Simulation::cut(std::span<const std::array<Vec3, 3>> triangles, std::span<const int> bodies) {
  return self().cut(triangles, bodies);
}
int Simulation::separate(int body, std::span<const std::array<int, 2>> elements) {
  return self().separate(body, elements);
}

std::optional<SurfaceHit> Simulation::raycast(const Vec3& origin, const Vec3& direction,
                                              double max_distance) const {
  return self().running->queries().raycast(origin, direction, max_distance);
}
std::optional<SurfaceHit> Simulation::closest_point(const Vec3& point, double max_distance) const {
  return self().running->queries().closest_point(point, max_distance);
}
std::vector<int> Simulation::overlap(const Box& box) const {
  return self().running->queries().overlap(box);
}
std::vector<int> Simulation::overlap(const SphereShape& sphere) const {
  return self().running->queries().overlap(sphere);
}
std::vector<int> Simulation::vertices_in(const Box& box) const {
  return self().running->queries().vertices_in(box);
}
std::vector<int> Simulation::vertices_in(const SphereShape& sphere) const {
  return self().running->queries().vertices_in(sphere);
}

Energies Simulation::energies() const { return self().running->energies(); }
ElementMeasures Simulation::measure(std::span<const double> positions) const {
  return self().running->measure(positions);
}

std::vector<MultiplierStress> Simulation::multiplier_stresses() const {
  return self().running->multiplier_stresses();
}
std::vector<BodyContact> Simulation::contacts() const { return self().running->contacts(); }
std::vector<ColliderForce> Simulation::collider_forces() const {
  return self().running->collider_forces();
}
void Simulation::copy_contact_forces(std::span<double> out) const {
  self().running->copy_contact_forces(out);
}
std::vector<ContactEvent> Simulation::contact_events() const {
  return self().running->contact_events();
}
std::vector<ConstraintGroup> Simulation::constraint_groups() const {
  return self().running->constraint_groups();
}

const std::vector<std::array<int, 3>>& Simulation::surface() const {
  return self().running->surface().triangles;
}
const std::vector<int>& Simulation::body_vertices() const {
  return self().running->model().body_vertices;
}
const Scene& Simulation::scene() const { return self().running->scene(); }

}  // namespace supple
