#include <array>
#include <string>
#include <vector>

#include "session/command_list.h"
#include "session/session_state.h"
#include "sim/separations.h"
#include "supple/error.h"

namespace supple {

namespace {

constexpr std::size_t most_triangles = 1000;

/// The bodies that can be cut. Throws Error{invalid_input} if there are none.
std::vector<int> separable_bodies(const Scene& scene) {
  std::vector<int> bodies;
  std::string first_reason;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const std::string reason = why_inseparable(scene, b);
    if (reason.empty()) bodies.push_back(static_cast<int>(b));
    if (b == 0) first_reason = reason;
  }
  if (bodies.empty()) {
    throw Error(ErrorKind::invalid_input, "cut",
                "body 0 " + first_reason + (scene.bodies.size() > 1 ? "; nor can any other" : ""));
  }
  return bodies;
}

}  // namespace

Answer do_cut(SessionState& s, Command&, ObjectReader& keys) {
  const std::vector<Vec3> corners = keys.vectors("triangles", any_number("m"));
  if (corners.empty() || corners.size() % 3 != 0 || corners.size() > 3 * most_triangles) {
    keys.fail("triangles", "expected three corners for each of 1 to " +
                               std::to_string(most_triangles) + " triangles, there are " +
                               std::to_string(corners.size()));
  }
  keys.finish();
  std::vector<std::array<Vec3, 3>> triangles;
  for (std::size_t i = 0; i < corners.size(); i += 3) {
    triangles.push_back({corners[i], corners[i + 1], corners[i + 2]});
  }
  Simulation& simulation = *s.simulation;
  const int before = simulation.num_vertices();
  Answer answer;
  answer.content["separated"] = simulation.cut(triangles, separable_bodies(simulation.scene()));
  if (simulation.num_vertices() > before) {
    end_separation(s);
    s.frame_is_new = true;
  }
  return answer;
}

}  // namespace supple
