#include "session/pin_board.h"

#include <algorithm>

#include "base/index.h"
#include "model/pin_selection.h"

namespace supple {

namespace {

std::vector<int> remaining(const std::vector<int>& selected, const std::vector<int>& removed) {
  std::vector<int> vertices;
  std::set_difference(selected.begin(), selected.end(), removed.begin(), removed.end(),
                      std::back_inserter(vertices));
  return vertices;
}

const ScenePinEdit& edit_of(const BodyPins& edits, std::size_t pin) {
  static const ScenePinEdit untouched;
  return pin < edits.scene.size() ? edits.scene[pin] : untouched;
}

template <class Point>
Vec3 mean(std::size_t count, const Point& point) {
  Vec3 sum{0, 0, 0};
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3& x = point(i);
    for (std::size_t k = 0; k < 3; ++k) sum[k] += x[k];
  }
  if (count > 0) {
    for (double& x : sum) x /= static_cast<double>(count);
  }
  return sum;
}

Vec3 rest_center(const Body& body, const std::vector<int>& vertices) {
  return mean(vertices.size(), [&](std::size_t i) { return body.mesh.vertices[at(vertices[i])]; });
}

Vec3 target_center(const HandPin& pin) {
  return mean(pin.targets.size(), [&](std::size_t i) { return pin.targets[i]; });
}

}  // namespace

std::vector<std::vector<int>> selected_vertices(const Body& body) {
  std::vector<std::vector<int>> selected;
  for (const Pin& pin : body.pins) {
    std::vector<int> vertices = pin.vertices;
    // As the model reads it: if a pin has a list, a box that is a point counts as none.
    if (pin.vertices.empty() || pin.box.min != pin.box.max) {
      for (std::size_t i = 0; i < body.mesh.vertices.size(); ++i) {
        if (contains(pin.box, body.mesh.vertices[i])) vertices.push_back(static_cast<int>(i));
      }
    }
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    selected.push_back(std::move(vertices));
  }
  return selected;
}

std::vector<Pin> pins_at(const Body& body, const std::vector<std::vector<int>>& selected,
                         const BodyPins& edits, double t) {
  std::vector<Pin> pins;
  for (std::size_t p = 0; p < body.pins.size(); ++p) {
    const ScenePinEdit& edit = edit_of(edits, p);
    if (edit.is_untouched()) {
      pins.push_back(body.pins[p]);
      continue;
    }
    Pin pin;
    pin.vertices = remaining(selected[p], edit.removed);
    if (pin.vertices.empty()) continue;
    pin.stiffness = body.pins[p].stiffness;
    pin.motion = body.pins[p].motion;
    if (edit.placement.is_identity()) {
      pin.collider = body.pins[p].collider;
    } else {
      pin.motion =
          standing(placed_pose(pin.motion, rest_center(body, selected[p]), edit.placement, t));
    }
    pins.push_back(std::move(pin));
  }
  for (const HandPin& hand : edits.by_hand) {
    const Pose pose = hand.placement.pose(target_center(hand));
    for (std::size_t i = 0; i < hand.vertices.size(); ++i) {
      const Vec3& rest = body.mesh.vertices[at(hand.vertices[i])];
      const Vec3 target = pose.apply(hand.targets[i]);
      Pin pin;
      pin.vertices = {hand.vertices[i]};
      pin.stiffness = hand.stiffness;
      pin.motion.keyframes.emplace_back().translate = {target[0] - rest[0], target[1] - rest[1],
                                                       target[2] - rest[2]};
      pins.push_back(std::move(pin));
    }
  }
  return pins;
}

bool change_with_time(const Body& body, const BodyPins& edits) {
  for (std::size_t p = 0; p < body.pins.size(); ++p) {
    const Motion& motion = body.pins[p].motion;
    const bool moves = motion.rotate || motion.velocity || motion.keyframes.size() > 1;
    if (moves && !edit_of(edits, p).placement.is_identity()) return true;
  }
  return false;
}

std::vector<PinNow> pins_now(const Body& body, const std::vector<std::vector<int>>& selected,
                             const BodyPins& edits, double t) {
  std::vector<PinNow> pins;
  for (std::size_t p = 0; p < body.pins.size(); ++p) {
    const ScenePinEdit& edit = edit_of(edits, p);
    const Vec3 center = rest_center(body, selected[p]);
    pins.push_back({remaining(selected[p], edit.removed),
                    placed_pose(body.pins[p].motion, center, edit.placement, t).apply(center),
                    edit.placement});
  }
  for (const HandPin& hand : edits.by_hand) {
    const Vec3 center = target_center(hand);
    pins.push_back({hand.vertices, hand.placement.pose(center).apply(center), hand.placement});
  }
  return pins;
}

void fit_to(const Body& body, BodyPins& edits) {
  const auto count = static_cast<int>(body.mesh.vertices.size());
  if (edits.scene.size() > body.pins.size()) edits.scene.resize(body.pins.size());
  for (ScenePinEdit& edit : edits.scene) {
    std::erase_if(edit.removed, [&](int v) { return v >= count; });
  }
  std::erase_if(edits.by_hand, [&](const HandPin& pin) {
    return std::any_of(pin.vertices.begin(), pin.vertices.end(), [&](int v) { return v >= count; });
  });
}

}  // namespace supple
