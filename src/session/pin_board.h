#pragma once

#include <vector>

#include "session/placement.h"
#include "supple/scene.h"

namespace supple {

/// A pin made by hand: each of its vertices has a target of its own.
struct HandPin {
  std::vector<int> vertices;  ///< of the body, ascending
  std::vector<Vec3> targets;  ///< one for each, m
  double stiffness = 1e6;     ///< N/m per vertex
  Placement placement;        ///< of the targets as a whole
};

/// What has been done by hand to a pin of the scene.
struct ScenePinEdit {
  std::vector<int> removed;  ///< vertices of the body, ascending
  Placement placement;

  bool is_untouched() const { return removed.empty() && placement.is_identity(); }
};

/// The pins of a body beside what its scene says. Counted are the scene's first, then these.
struct BodyPins {
  std::vector<ScenePinEdit> scene;  ///< of the first pins of the scene; those beyond are untouched
  std::vector<HandPin> by_hand;
};

/// A pin as it stands at a time.
struct PinNow {
  std::vector<int> vertices;  ///< of the body
  Vec3 center{0, 0, 0};       ///< of the targets, m; of the rest positions where there are none
  Placement placement;
};

/// The vertices of each pin of a body, ascending.
std::vector<std::vector<int>> selected_vertices(const Body& body);

/// The pins of a body at time t with what was done by hand. `selected`: selected_vertices(body).
/// Pins that nobody touched are those of the scene.
std::vector<Pin> pins_at(const Body& body, const std::vector<std::vector<int>>& selected,
                         const BodyPins& edits, double t);

/// Do pins_at differ from one time to another?
bool change_with_time(const Body& body, const BodyPins& edits);

/// All pins of a body, also those without vertices.
std::vector<PinNow> pins_now(const Body& body, const std::vector<std::vector<int>>& selected,
                             const BodyPins& edits, double t);

/// Takes what names vertices that the body does not have, and pins that the scene does not have,
/// out of the edits.
void fit_to(const Body& body, BodyPins& edits);

}  // namespace supple
