#include "contact/height_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "base/refuse.h"
#include "contact/shape_checks.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

namespace {

constexpr long long most_heights = 1 << 20;

void check_heights(const HeightFieldShape& shape, const std::string& where) {
  if (shape.nx < 2 || shape.nz < 2) {
    refuse(where + "/heights", fmt::format("there are {} x {} heights; expected two or more a side",
                                           shape.nx, shape.nz));
  }
  const long long count = 1LL * shape.nx * shape.nz;
  if (count > most_heights) {
    refuse(where + "/heights", fmt::format("there are {} x {} heights; expected at most {} in all",
                                           shape.nx, shape.nz, most_heights));
  }
  if (shape.heights.size() != static_cast<std::size_t>(count)) {
    refuse(where + "/heights", fmt::format("there are {} heights; expected {} x {}",
                                           shape.heights.size(), shape.nx, shape.nz));
  }
  for (std::size_t i = 0; i < shape.heights.size(); ++i) {
    const auto row = i / at(shape.nx);
    shape_checks::finite(shape.heights[i],
                         fmt::format("{}/heights/{}/{}", where, row, i % at(shape.nx)));
  }
}

/// The vertices of the border in order, with the field on their left seen from above (x to the
/// right, z towards the viewer).
std::vector<int> border_of(int nx, int nz) {
  std::vector<int> border;
  for (int j = 0; j + 1 < nz; ++j) border.push_back(nx * j);
  for (int i = 0; i + 1 < nx; ++i) border.push_back(nx * (nz - 1) + i);
  for (int j = nz - 1; j > 0; --j) border.push_back(nx * j + nx - 1);
  for (int i = nx - 1; i > 0; --i) border.push_back(i);
  return border;
}

/// The vertices of the ground in the frame of the field, and its triangles.
TriangleMesh level_ground(const HeightFieldShape& shape) {
  const int nx = shape.nx, nz = shape.nz;
  TriangleMesh mesh;
  for (int j = 0; j < nz; ++j) {
    for (int i = 0; i < nx; ++i) {
      mesh.vertices.push_back({(i - 0.5 * (nx - 1)) * shape.cell, shape.heights[at(nx * j + i)],
                               (j - 0.5 * (nz - 1)) * shape.cell});
    }
  }
  for (int j = 0; j + 1 < nz; ++j) {
    for (int i = 0; i + 1 < nx; ++i) {
      const int a = nx * j + i, b = a + 1, c = a + nx, d = c + 1;
      mesh.triangles.push_back({a, d, b});
      mesh.triangles.push_back({a, c, d});
    }
  }
  return mesh;
}

/// Walls down from the border and a floor.
void close_below(const HeightFieldShape& shape, TriangleMesh& mesh) {
  const auto [lowest, highest] = std::minmax_element(shape.heights.begin(), shape.heights.end());
  const double diagonal = shape.cell * std::hypot(shape.nx - 1, shape.nz - 1);
  const double floor = *lowest - (*highest - *lowest) - diagonal;
  const std::vector<int> border = border_of(shape.nx, shape.nz);
  const int first = static_cast<int>(mesh.vertices.size());
  const int count = static_cast<int>(border.size());
  for (const int v : border) {
    const Vec3 above = mesh.vertices[at(v)];
    mesh.vertices.push_back({above[0], floor, above[2]});
  }
  const int middle = static_cast<int>(mesh.vertices.size());
  mesh.vertices.push_back({0, floor, 0});
  for (int k = 0; k < count; ++k) {
    const int next = (k + 1) % count;
    const int a = border[at(k)], b = border[at(next)], c = first + k, d = first + next;
    mesh.triangles.push_back({a, c, b});
    mesh.triangles.push_back({b, c, d});
    mesh.triangles.push_back({d, c, middle});
  }
}

TriangleMesh placed(const HeightFieldShape& shape, const std::string& where, bool is_closed) {
  check_heights(shape, where);
  shape_checks::positive(shape.cell, where + "/cell");
  shape_checks::finite(shape.center, where + "/center");
  const Vec3 axis = shape_checks::unit(shape.axis, where + "/axis");
  Pose frame = turned(axis, {0, 0, 0}, shape_checks::finite(shape.degrees, where + "/degrees"));
  frame.translation = shape.center;
  TriangleMesh mesh = level_ground(shape);
  if (is_closed) close_below(shape, mesh);
  for (Vec3& x : mesh.vertices) x = frame.apply(x);
  return mesh;
}

}  // namespace

TriangleMesh height_surface(const HeightFieldShape& shape, const std::string& where) {
  return placed(shape, where, true);
}

TriangleMesh height_ground(const HeightFieldShape& shape, const std::string& where) {
  return placed(shape, where, false);
}

}  // namespace supple
