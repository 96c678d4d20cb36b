#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>

#include "mesh/generator_checks.h"
#include "supple/error.h"

namespace supple {

SpringMesh generate(const HelixGenerator& helix) {
  constexpr const char* name = "helix";
  require_positive(name, "radius", helix.radius);
  require_positive(name, "turns", helix.turns);
  require_at_least(name, "segments", helix.segments, 1);
  require_finite(name, "center", helix.center);
  const auto fail = [&](const std::string& message) {
    throw Error(ErrorKind::invalid_input, name, message);
  };
  if (!std::isfinite(helix.pitch)) fail("pitch: expected a finite length in m");
  if (helix.pitch == 0 && helix.turns >= 1) {
    fail("pitch: 0 lays turn on turn; expected another pitch, or less than one turn");
  }
  // With half a turn or more between neighbours it would be another curve.
  if (2 * helix.turns > helix.segments) {
    fail("segments: expected more than two a turn, there are " +
         number_text(helix.segments / helix.turns));
  }
  require_affordable_springs(name, 2.0 * helix.segments);
  const Frame frame = frame_about(name, helix.axis);
  SpringMesh mesh;
  for (int i = 0; i <= helix.segments; ++i) {
    const double turns = helix.turns * i / helix.segments, angle = 2 * std::numbers::pi * turns;
    mesh.vertices.push_back(point_in_frame(helix.center, frame, helix.radius * std::cos(angle),
                                           helix.radius * std::sin(angle), helix.pitch * turns));
    for (const double x : mesh.vertices.back()) {
      if (!std::isfinite(x)) fail("has a vertex that is not finite; expected smaller lengths");
    }
    if (i > 0) mesh.segments.push_back({i - 1, i});
    if (i > 1) mesh.bending.push_back({i - 2, i});
  }
  mesh.structural = mesh.segments;
  return mesh;
}

}  // namespace supple
