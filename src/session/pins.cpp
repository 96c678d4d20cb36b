#include <algorithm>

#include "base/index.h"
#include "session/command_list.h"
#include "session/session_state.h"
#include "supple/error.h"

namespace supple {

namespace {

constexpr double usual_stiffness = 1e6;              // N/m, as in a scene
constexpr std::size_t most_hand_pins = 1000;         // of a body
constexpr std::size_t most_hand_vertices = 200'000;  // of a body

/// Vertices of the scene grouped by body, ascending and without repetition.
std::vector<std::vector<int>> by_body(const SessionState& s, std::vector<int> vertices) {
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  std::vector<std::vector<int>> result(s.asked->scene().bodies.size());
  for (const int v : vertices) {
    const int body = body_of(s, v);
    result[at(body)].push_back(v - s.simulation->body_vertices()[at(body)]);
  }
  return result;
}

/// The same scene with other edits.
void use_edit(SessionState& s, Edit edit, const std::string& key, bool final) {
  auto next = std::make_shared<Setup>(*s.asked);
  next->edit = std::move(edit);
  remember(s, key);
  if (final) s.history.end_step();
  // What runs and what waits differ from the new setup only by what hands did.
  const SetupPointer before = s.asked;
  s.asked = next;
  if (s.given == before) s.given = s.asked;
  if (s.running == before) s.running = s.asked;
  s.pins_are_new = s.colliders_are_new = s.pin_lists_are_new = s.frame_is_new = true;
}

/// Removes vertices from all pins of a body.
void unpin(const std::vector<int>& vertices, const std::vector<std::vector<int>>& selected,
           BodyPins& pins) {
  const auto is_named = [&](int v) {
    return std::binary_search(vertices.begin(), vertices.end(), v);
  };
  if (pins.scene.size() < selected.size()) pins.scene.resize(selected.size());
  for (std::size_t p = 0; p < selected.size(); ++p) {
    std::vector<int>& removed = pins.scene[p].removed;
    for (const int v : selected[p]) {
      if (is_named(v)) removed.push_back(v);
    }
    std::sort(removed.begin(), removed.end());
    removed.erase(std::unique(removed.begin(), removed.end()), removed.end());
  }
  for (HandPin& pin : pins.by_hand) {
    HandPin left{.vertices = {}, .targets = {}, .stiffness = pin.stiffness};
    // The remaining vertices stay where they were placed.
    Vec3 center{0, 0, 0};
    for (const Vec3& x : pin.targets) {
      for (std::size_t k = 0; k < 3; ++k)
        center[k] += x[k] / static_cast<double>(pin.targets.size());
    }
    const Pose pose = pin.placement.pose(center);
    bool any = false;
    for (std::size_t i = 0; i < pin.vertices.size(); ++i) {
      if (is_named(pin.vertices[i])) {
        any = true;
        continue;
      }
      left.vertices.push_back(pin.vertices[i]);
      left.targets.push_back(pose.apply(pin.targets[i]));
    }
    if (any) pin = std::move(left);
  }
  std::erase_if(pins.by_hand, [](const HandPin& pin) { return pin.vertices.empty(); });
}

struct ReadPlacement {
  Placement placement;
  bool final = true;
};

ReadPlacement read_pin_placement(ObjectReader& keys) {
  // A motion beyond this is refused.
  const Range place{.low = -1e9, .high = 1e9, .unit = "m"};
  const Range angle{.low = -1e9, .high = 1e9, .unit = "degrees"};
  ReadPlacement read;
  read.placement.translate = keys.vector("translate", place, Vec3{0, 0, 0});
  read.placement.axis = keys.direction("axis", Vec3{0, 1, 0});
  read.placement.degrees = keys.number("degrees", angle, 0);
  read.final = keys.boolean("final", true);
  const Vec3& axis = read.placement.axis;
  for (const double x : axis) {
    if (!(x > -1e9 && x < 1e9)) keys.fail("axis", "expected numbers between -1e9 and 1e9");
  }
  return read;
}

}  // namespace

void use_colliders(SessionState& s, double end) {
  if (s.asked->scene().colliders.empty() && s.simulation->scene().colliders.empty()) return;
  s.simulation->set_colliders(colliders_over_step(s, end));
}

Answer do_pin(SessionState& s, Command&, ObjectReader& keys) {
  const std::vector<int> vertices =
      keys.whole_list("vertices", 0, s.simulation->num_vertices() - 1);
  const Range range{.low = 0, .high = 1e12, .unit = "N/m"};
  const double stiffness = keys.number("stiffness", range, usual_stiffness);
  keys.finish();
  const auto chosen = by_body(s, vertices);
  const std::vector<Vec3> positions = current_positions(s);
  Edit edit = s.asked->edit;
  for (std::size_t b = 0; b < chosen.size(); ++b) {
    if (chosen[b].empty()) continue;
    BodyPins& pins = edit.pins[b];
    unpin(chosen[b], s.asked->selected(b), pins);  // a vertex belongs to one pin
    if (at(chosen[b].back()) >= s.asked->scene().bodies[b].mesh.vertices.size()) {
      throw Error(
          ErrorKind::invalid_input, "pin: /vertices",
          "copies of vertices at a tear cannot be pinned; expected vertices of the whole body");
    }
    std::size_t held = chosen[b].size();
    for (const HandPin& pin : pins.by_hand) held += pin.vertices.size();
    if (pins.by_hand.size() >= most_hand_pins || held > most_hand_vertices) {
      throw Error(ErrorKind::invalid_input, "pin: /vertices",
                  "at most " + std::to_string(most_hand_pins) + " pins of " +
                      std::to_string(most_hand_vertices) + " vertices can be set in a body");
    }
    HandPin& pin = pins.by_hand.emplace_back();
    pin.vertices = chosen[b];
    pin.stiffness = stiffness;
    for (const int v : pin.vertices) {
      pin.targets.push_back(positions[at(s.simulation->body_vertices()[b] + v)]);
    }
  }
  if (!vertices.empty()) use_edit(s, std::move(edit), "", true);
  return {};
}

Answer do_unpin(SessionState& s, Command&, ObjectReader& keys) {
  const std::vector<int> vertices =
      keys.whole_list("vertices", 0, s.simulation->num_vertices() - 1);
  keys.finish();
  const auto chosen = by_body(s, vertices);
  Edit edit = s.asked->edit;
  for (std::size_t b = 0; b < chosen.size(); ++b) {
    if (!chosen[b].empty()) unpin(chosen[b], s.asked->selected(b), edit.pins[b]);
  }
  if (!vertices.empty()) use_edit(s, std::move(edit), "", true);
  return {};
}

Answer do_handle(SessionState& s, Command&, ObjectReader& keys) {
  const auto num_bodies = static_cast<int>(s.asked->scene().bodies.size());
  const std::size_t body = static_cast<std::size_t>(keys.whole("body", 0, num_bodies - 1));
  const std::size_t of_scene = s.asked->selected(body).size();
  Edit edit = s.asked->edit;
  BodyPins& pins = edit.pins[body];
  const std::size_t count = of_scene + pins.by_hand.size();
  if (count == 0) keys.fail("body", "this body has no pins");
  const auto pin =
      static_cast<std::size_t>(keys.whole("pin", 0, static_cast<long long>(count) - 1));
  const ReadPlacement read = read_pin_placement(keys);
  keys.finish();
  if (pin < of_scene) {
    if (pins.scene.size() < of_scene) pins.scene.resize(of_scene);
    pins.scene[pin].placement = read.placement;
  } else {
    pins.by_hand[pin - of_scene].placement = read.placement;
  }
  use_edit(s, std::move(edit), "handle " + std::to_string(body) + " " + std::to_string(pin),
           read.final);
  return {};
}

Answer do_collider(SessionState& s, Command&, ObjectReader& keys) {
  const auto count = static_cast<long long>(s.asked->scene().colliders.size());
  if (count == 0) keys.fail("this scene has no colliders");
  const auto index = static_cast<std::size_t>(keys.whole("index", 0, count - 1));
  const ReadPlacement read = read_pin_placement(keys);
  keys.finish();
  Edit edit = s.asked->edit;
  if (edit.colliders.size() <= index) edit.colliders.resize(index + 1);
  edit.colliders[index] = read.placement;
  use_edit(s, std::move(edit), "collider " + std::to_string(index), read.final);
  return {};
}

}  // namespace supple
