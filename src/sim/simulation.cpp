#include "supple/simulation.h"

#include <exception>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/background.h"
#include "base/refuse.h"
#include "base/stopwatch.h"
#include "model/pin_selection.h"
#include "sim/running_scene.h"
#include "sim/stepper.h"
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

using Build = Background<std::unique_ptr<RunningScene>>;

/// A scene that is being built and will take over.
struct Waiting {
  std::shared_ptr<const Scene> scene;
  Build build;
  int steps_left = 0;
  std::map<int, std::vector<Pin>> pins;            ///< of bodies, set since
  std::optional<std::vector<Collider>> colliders;  ///< set since
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
    waiting->build.start(
        [next, settings = options] { return std::make_unique<RunningScene>(*next, settings); });
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
      next->take_over(*running);
      running = std::move(next);
    } catch (...) {
      failure = std::current_exception();
      end = SceneChange::failed;
    }
    waiting.reset();
    return end;
  }

  SimulationOptions options;
  std::unique_ptr<RunningScene> running;
  std::optional<Waiting> waiting;
  Build discarded;
  std::exception_ptr failure;
};

Simulation::Simulation(const Scene& scene, const SimulationOptions& options)
    : implementation_(std::make_unique<Implementation>()) {
  implementation_->options = options;
  implementation_->running = std::make_unique<RunningScene>(scene, options);
}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

StepReport Simulation::step() {
  const Stopwatch watch;
  const SceneChange change = implementation_->advance_change();
  StepReport report = implementation_->running->step();
  report.change = change;
  report.total_milliseconds = watch.milliseconds();
  return report;
}

void Simulation::set_pins(int body, std::vector<Pin> pins) {
  Implementation& self = *implementation_;
  check_body(scene(), body);
  if (!self.waiting) {
    self.running->set_pins(body, std::move(pins));
    return;
  }
  const auto b = static_cast<std::size_t>(body);
  PinSet of_next;
  add_pins(pins, self.waiting->scene->bodies[b].mesh.vertices, 0, place_of_body(b), of_next);
  std::map<int, std::vector<Pin>> later{{body, pins}};
  self.running->set_pins(body, std::move(pins));
  self.waiting->pins.erase(body);
  self.waiting->pins.merge(later);
}

void Simulation::set_colliders(std::vector<Collider> colliders) {
  Implementation& self = *implementation_;
  if (!self.waiting) {
    self.running->set_colliders(std::move(colliders));
    return;
  }
  std::vector<Collider> later = colliders;
  self.running->set_colliders(std::move(colliders));
  self.waiting->colliders = std::move(later);
}

void Simulation::set_material(int body, const MaterialSettings& material) {
  check_body(scene(), body);
  if (scene().bodies[static_cast<std::size_t>(body)].mesh.tets.empty()) {
    refuse(place_of_body(static_cast<std::size_t>(body)) + "/material",
           "a material needs tets, but this body has only springs");
  }
  implementation_->running->set_material(body, material);
}

void Simulation::change(const Scene& scene, int after_frames) {
  Implementation& self = *implementation_;
  if (after_frames < 0) refuse("after_frames", "expected a number of frames from 0");
  check_settings(scene);
  check_same_vertices(self.running->scene(), scene);
  pins_of(scene);
  if (after_frames > 0) {
    self.begin_change(scene, after_frames);
  } else {
    auto next = std::make_unique<RunningScene>(scene, self.options);
    next->take_over(*self.running);
    if (self.waiting) self.discarded = std::move(self.waiting->build);
    self.waiting.reset();
    self.running = std::move(next);
  }
  self.failure = nullptr;
}

bool Simulation::change_is_waiting() const { return implementation_->waiting.has_value(); }

void Simulation::check_change() {
  if (!implementation_->failure) return;
  std::rethrow_exception(std::exchange(implementation_->failure, nullptr));
}

int Simulation::num_vertices() const { return implementation_->running->model().num_vertices; }
int Simulation::num_tets() const { return implementation_->running->model().num_tets; }
int Simulation::num_threads() const { return implementation_->running->num_threads(); }
double Simulation::time() const { return implementation_->running->time(); }
std::int64_t Simulation::frame() const { return implementation_->running->frame(); }

void Simulation::copy_positions(std::span<double> out) const {
  implementation_->running->copy_positions(out);
}
void Simulation::copy_velocities(std::span<double> out) const {
  implementation_->running->copy_velocities(out);
}

SimulationState Simulation::state() const { return implementation_->running->state(); }
void Simulation::set_state(const SimulationState& state) {
  implementation_->running->set_state(state);
}

Energies Simulation::energies() const { return implementation_->running->energies(); }
ElementMeasures Simulation::measure(std::span<const double> positions) const {
  return implementation_->running->measure(positions);
}

std::vector<MultiplierStress> Simulation::multiplier_stresses() const {
  return implementation_->running->multiplier_stresses();
}
std::vector<ConstraintGroup> Simulation::constraint_groups() const {
  return implementation_->running->constraint_groups();
}

const std::vector<std::array<int, 3>>& Simulation::surface() const {
  return implementation_->running->surface();
}
const std::vector<int>& Simulation::body_vertices() const {
  return implementation_->running->model().body_vertices;
}
const Scene& Simulation::scene() const { return implementation_->running->scene(); }

}  // namespace supple
