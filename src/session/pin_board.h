#pragma once

#include <vector>

#include "session/placement.h"
#include "supple/scene.h"

namespace supple {

/// A pin made by hand. Each of its vertices has its own target.
struct HandPin {
  std::vector<int> vertices;  ///< numbers in the body, ascending
  std::vector<Vec3> targets;  ///< one per vertex, m
  double stiffness = 1e6;     ///< N/m per vertex
  Placement placement;        ///< moves all targets together
};

/// What has been done by hand to a pin of the scene.
struct ScenePinEdit {
  std::vector<int> removed;  ///< numbers in the body, ascending
  Placement placement;

  bool is_untouched() const { return removed.empty() && placement.is_identity(); }
};

/// What hands did to the pins of a body, beyond what its scene says. The pins of the scene are
/// numbered first, then those made by hand.
struct BodyPins {
  std::vector<ScenePinEdit> scene;  ///< of the first pins of the scene; the others are untouched
  std::vector<HandPin> by_hand;
};

/// The state of a pin at some time.
struct PinNow {
  std::vector<int> vertices;  ///< numbers in the body
  Vec3 center{0, 0, 0};       ///< of the targets, m; of the rest positions if there are no targets
  Placement placement;
};

/// The vertices of each pin of a body, ascending.
std::vector<std::vector<int>> selected_vertices(const Body& body);

/// The pins of a body at time t, with what was done by hand. `selected`: selected_vertices(body).
/// Pins that nobody touched are returned as the scene has them.
std::vector<Pin> pins_at(const Body& body, const std::vector<std::vector<int>>& selected,
                         const BodyPins& edits, double t);

/// Do pins_at differ between times because of a pin that was moved by hand?
bool change_with_time(const Body& body, const BodyPins& edits);

/// All pins of a body, including those without vertices.
std::vector<PinNow> pins_now(const Body& body, const std::vector<std::vector<int>>& selected,
                             const BodyPins& edits, double t);

/// Removes edits that name vertices or pins that the body does not have.
void fit_to(const Body& body, BodyPins& edits);

}  // namespace supple
