#include <cstddef>
#include <string>

#include "mesh/generator_checks.h"
#include "supple/error.h"

namespace supple {

SpringMesh generate(const PolylineGenerator& line) {
  constexpr const char* name = "polyline";
  const int count = static_cast<int>(line.points.size());
  if (count < (line.closed ? 3 : 2)) {
    throw Error(ErrorKind::invalid_input, name,
                line.closed ? "points: expected at least three of a closed line"
                            : "points: expected at least two");
  }
  require_affordable_springs(name, 2.0 * count);
  const int segments = line.closed ? count : count - 1;
  SpringMesh mesh;
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    require_finite(name, "points", line.points[i]);
    mesh.vertices.push_back(line.points[i]);
  }
  for (int i = 0; i < segments; ++i) {
    const int next = (i + 1) % count;
    if (mesh.vertices[static_cast<std::size_t>(i)] ==
        mesh.vertices[static_cast<std::size_t>(next)]) {
      throw Error(ErrorKind::invalid_input, name,
                  "points: " + std::to_string(i) + " and " + std::to_string(next) +
                      " are the same; expected different ones in a row");
    }
    mesh.segments.push_back({i, next});
    const bool has_next = line.closed ? count > 3 : i + 2 < count;
    if (has_next) mesh.bending.push_back({i, (i + 2) % count});
  }
  mesh.structural = mesh.segments;
  return mesh;
}

}  // namespace supple
