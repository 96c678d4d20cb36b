#include <cstddef>

#include "mesh/generator_checks.h"
#include "supple/error.h"

namespace supple {

SpringMesh generate(const StrandGenerator& strand) {
  constexpr const char* name = "strand";
  require_finite(name, "start", strand.start);
  require_finite(name, "end", strand.end);
  require_at_least(name, "segments", strand.segments, 1);
  if (strand.start == strand.end) {
    throw Error(ErrorKind::invalid_input, name, "end: expected another point than start");
  }
  require_affordable_springs(name, 2.0 * strand.segments);
  SpringMesh mesh;
  for (int i = 0; i <= strand.segments; ++i) {
    const double s = static_cast<double>(i) / strand.segments;
    Vec3 x{};
    for (std::size_t d = 0; d < 3; ++d) x[d] = (1 - s) * strand.start[d] + s * strand.end[d];
    mesh.vertices.push_back(x);
    if (i > 0) mesh.segments.push_back({i - 1, i});
    if (i > 1) mesh.bending.push_back({i - 2, i});
  }
  mesh.structural = mesh.segments;
  return mesh;
}

}  // namespace supple
