#include <algorithm>
#include <cstdint>
#include <limits>

#include "math/random.h"
#include "session/command_list.h"
#include "session/session_state.h"
#include "supple/error.h"

namespace supple {

namespace {

/// The vertices of a body while they are being moved.
struct Shape {
  const std::vector<Vec3>& rest;
  std::vector<Vec3> x;
  Box rest_box;
  Vec3 center;  ///< mean of the positions
};

/// Moves each body's vertices to where `place` puts them, at rest.
template <class Place>
void reshape(SessionState& s, const Place& place) {
  SimulationState state = s.simulation->state();
  std::size_t first = 0;
  for (const Body& body : s.simulation->scene().bodies) {
    const std::size_t count = body.mesh.vertices.size();
    Shape shape{body.mesh.vertices, {}, bounding_box(body.mesh.vertices), {0, 0, 0}};
    for (std::size_t i = 0; i < count; ++i) {
      const double* const p = &state.positions[3 * (first + i)];
      shape.x.push_back({p[0], p[1], p[2]});
      for (std::size_t k = 0; k < 3; ++k) shape.center[k] += p[k] / static_cast<double>(count);
    }
    place(shape);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < 3; ++k) state.positions[3 * (first + i) + k] = shape.x[i][k];
    }
    first += count;
  }
  std::fill(state.velocities.begin(), state.velocities.end(), 0.0);
  std::fill(state.previous_velocities.begin(), state.previous_velocities.end(), 0.0);
  std::fill(state.accelerations.begin(), state.accelerations.end(), 0.0);
  if (!state.previous_positions.empty()) state.previous_positions = state.positions;
  state.unfolding.clear();
  s.simulation->set_state(state);
  s.frame_is_new = true;
  after_jump(s);
}

}  // namespace

Answer do_squash(SessionState& s, Command&, ObjectReader& keys) {
  const std::string axis = keys.choice("axis", "axis", {"x", "y", "z"}, "y");
  keys.finish();
  const auto k = static_cast<std::size_t>(axis.front() - 'x');
  reshape(s, [&](Shape& shape) {
    for (Vec3& x : shape.x) x[k] = shape.center[k];
  });
  return {};
}

Answer do_randomise(SessionState& s, Command&, ObjectReader& keys) {
  const auto seed = static_cast<std::uint64_t>(
      keys.whole("seed", 0, std::numeric_limits<std::uint32_t>::max(), 1));
  keys.finish();
  Random random(seed);
  reshape(s, [&](Shape& shape) {
    for (Vec3& x : shape.x) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double size = shape.rest_box.max[k] - shape.rest_box.min[k];
        x[k] = shape.center[k] + size * (random.uniform() - 0.5);
      }
    }
  });
  return {};
}

Answer do_stretch(SessionState& s, Command&, ObjectReader& keys) {
  const Range range{.low = -10, .high = 10, .low_included = true, .high_included = true};
  const Vec3 factors = keys.vector("factors", range);
  keys.finish();
  reshape(s, [&](Shape& shape) {
    for (std::size_t i = 0; i < shape.x.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double middle = (shape.rest_box.min[k] + shape.rest_box.max[k]) / 2;
        shape.x[i][k] = shape.center[k] + factors[k] * (shape.rest[i][k] - middle);
      }
    }
  });
  return {};
}

}  // namespace supple
