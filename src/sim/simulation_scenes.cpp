#include <algorithm>
#include <utility>

#include "base/refuse.h"
#include "model/pin_selection.h"
#include "sim/simulation_implementation.h"
#include "sim/stepper.h"

namespace supple {

namespace {

/// A change keeps the state, so the state must fit.
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

}  // namespace

void Simulation::Implementation::change(const Scene& scene, int after_frames) {
  if (after_frames < 0) refuse("after_frames", "expected a number of frames from 0");
  check_settings(scene);
  check_same_vertices(running->scene(), scene);
  pins_of(scene);
  if (after_frames > 0) {
    begin_change(scene, after_frames);
  } else {
    auto next = std::make_unique<RunningScene>(scene, options, RunningScene::Begin::later);
    next->take_over(*running);
    if (waiting) discarded = std::move(waiting->build);
    waiting.reset();
    forget_parting();
    running = std::move(next);
    separations = Separations(scene.bodies.size());
  }
  failure = nullptr;
}

void Simulation::Implementation::begin_change(const Scene& scene, int after_frames) {
  const auto next = std::make_shared<const Scene>(scene);
  // One build that is no longer wanted can go on running; the end of an older one is awaited.
  if (waiting) discarded = std::move(waiting->build);
  forget_parting();
  waiting.emplace();
  waiting->scene = next;
  waiting->steps_left = after_frames;
  waiting->build.start([next, settings = options] {
    return std::make_unique<RunningScene>(*next, settings, RunningScene::Begin::later);
  });
}

SceneChange Simulation::Implementation::advance_change() noexcept {
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

void Simulation::Implementation::mend() {
  if (!is_broken) return;
  auto whole = std::make_unique<RunningScene>(running->scene(), options, RunningScene::Begin::later,
                                              running->attachments(), Earlier<RunningScene>{},
                                              torn_bodies(separations, running->scene()));
  whole->set_state(running->state());
  running = std::move(whole);
  is_broken = false;
}

void Simulation::Implementation::adjust(const std::function<void(Scene&)>& edit) {
  running->adjust(edit);
  if (waiting) waiting->edits.push_back(edit);
  if (parting) parting->edit([edit](RunningScene& next) { next.adjust(edit); });
}

void Simulation::Implementation::set_material(int body, const MaterialSettings& material) {
  running->set_material(body, material);
  if (parting) parting->edit([=](RunningScene& next) { next.set_material(body, material); });
}

void Simulation::Implementation::set_pins(int body, std::vector<Pin> pins) {
  check_body(running->scene(), body);
  if (!waiting) {
    std::vector<Pin> given = pins;
    running->set_pins(body, std::move(pins));
    separations.pins_given(body, given);
    if (parting) {
      parting->edits.push_back([body, given = std::move(given)](Parted& parted) {
        parted.separations.pins_given(body, given);
        if (!parted.running) return;
        parted.running->set_pins(
            body, parted.scene.shared_pins(body, given, parted.running->scene().colliders));
      });
    }
    return;
  }
  const auto b = static_cast<std::size_t>(body);
  PinSet of_next;
  add_pins(pins, waiting->scene->bodies[b].mesh.vertices, 0, place_of_body(b),
           waiting->scene->colliders, of_next);
  std::map<int, std::vector<Pin>> later{{body, pins}};
  running->set_pins(body, std::move(pins));
  waiting->pins.erase(body);
  waiting->pins.merge(later);
}

void Simulation::Implementation::set_colliders(std::vector<Collider> colliders) {
  if (!waiting) {
    if (parting) parting->edit([=](RunningScene& next) { next.set_colliders(colliders); });
    running->set_colliders(std::move(colliders));
    return;
  }
  std::vector<Collider> later = colliders;
  running->set_colliders(std::move(colliders));
  waiting->colliders = std::move(later);
}

SimulationState Simulation::Implementation::state() const {
  SimulationState state = running->state();
  state.separated = separations.all();
  state.separating = separating();
  return state;
}

void Simulation::Implementation::set_state(const SimulationState& state) {
  const bool is_same = state.separated == separations.all();
  require(!waiting || (is_same && state.separating.empty()), "change",
          "a scene waits to take over: a state with other separations fits neither scene");
  Separations next_separations = separations;
  std::vector<int> vertices;
  SeparatedScene next;
  if (!is_same) {
    next = next_separations.replay(running->scene(), state.separated, vertices);
  }
  // What is built first comes apart first.
  const std::span<const Separation> separating = state.separating;
  const auto later = std::find_if(separating.begin(), separating.end(), [&](const auto& own) {
    return own.frame != separating.front().frame;
  });
  const Scene& scene = is_same ? running->scene() : next.scene;
  const auto found = read_separating({separating.begin(), later}, scene, next_separations),
             after = read_separating({later, separating.end()}, scene, next_separations);
  const std::int64_t frame = separating.empty() ? 0 : separating.front().frame;
  require(
      separating.empty() || (frame >= state.frame && frame <= state.frame + most_separate_after),
      "separating",
      "expected a frame from " + std::to_string(state.frame) + " to " +
          std::to_string(state.frame + most_separate_after));
  if (is_same) {
    running->set_state(state);
  } else {
    Attachments held = running->attachments();
    held.renumber(vertices);
    auto built = std::make_unique<RunningScene>(next.scene, options, RunningScene::Begin::later,
                                                std::move(held), Earlier<RunningScene>{},
                                                torn_bodies(next_separations, next.scene));
    built->set_state(state);
    running = std::move(built);
    separations = std::move(next_separations);
  }
  set_parting(found, after, frame);
}

}  // namespace supple
