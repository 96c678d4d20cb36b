#include <algorithm>
#include <cmath>
#include <cstddef>

#include "mesh/tet_check.h"
#include "supple/error.h"
#include "supple/mesh.h"

namespace supple {

void normalise(TetMesh& mesh, const std::string& where) {
  const auto fail = [&](const std::string& message) {
    throw Error(ErrorKind::bad_file, where, message);
  };
  if (mesh.tets.empty()) fail("there are no tetrahedra: expected at least one");
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    for (const double coordinate : mesh.vertices[v]) {
      if (!std::isfinite(coordinate)) {
        fail("vertex " + std::to_string(v) +
             " (counted from 0) has a coordinate that is not finite");
      }
    }
  }
  for (const auto& [name, values] : mesh.tet_fields) {
    if (values.size() != mesh.tets.size()) {
      fail("field '" + name + "' has " + std::to_string(values.size()) + " values for " +
           std::to_string(mesh.tets.size()) + " tets: expected one a tet");
    }
  }
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const std::array<int, 4> given = mesh.tets[t];
    const TetDefect defect = normalise_tet(mesh.vertices, mesh.tets[t]);
    if (defect == TetDefect::none) continue;
    fail("tet " + std::to_string(t) + " (counted from 0) " +
         describe(defect, {given[0], given[1], given[2], given[3]}, 0,
                  static_cast<std::int64_t>(mesh.vertices.size()) - 1));
  }
}

std::vector<double> tet_volumes(const TetMesh& mesh) {
  std::vector<double> volumes(mesh.tets.size());
  for (std::size_t t = 0; t < volumes.size(); ++t) {
    volumes[t] = tet_determinant(mesh.vertices, mesh.tets[t]) / 6;
  }
  return volumes;
}

Box bounding_box(const std::vector<Vec3>& vertices) {
  if (vertices.empty()) return {};
  Box box{vertices.front(), vertices.front()};
  for (const Vec3& x : vertices) {
    for (std::size_t d = 0; d < 3; ++d) {
      box.min[d] = std::min(box.min[d], x[d]);
      box.max[d] = std::max(box.max[d], x[d]);
    }
  }
  return box;
}

}  // namespace supple
