#include "session/voxels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/index.h"
#include "supple/error.h"

namespace supple {

namespace {

/// Where a line along x through (y, z) crosses a triangle. Triangles are half-open, so an edge
/// belongs to only one of its two triangles.
bool crosses(const std::array<Vec3, 3>& t, double y, double z, double& x) {
  int sign = 0;
  double weight[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3& a = t[(i + 1) % 3];
    const Vec3& b = t[(i + 2) % 3];
    // The lower end comes first, so that both triangles of an edge compute the same number.
    const bool turned = std::tie(a[1], a[2]) > std::tie(b[1], b[2]);
    const Vec3& p = turned ? b : a;
    const Vec3& q = turned ? a : b;
    double w = (q[1] - p[1]) * (z - p[2]) - (q[2] - p[2]) * (y - p[1]);
    int side = w > 0 || (w == 0 && (q[1] - p[1] > 0)) ? 1 : -1;
    if (turned) {
      w = -w;
      side = -side;
    }
    if (sign != 0 && side != sign) return false;
    sign = side;
    weight[i] = w;
  }
  const double sum = weight[0] + weight[1] + weight[2];
  if (sum == 0) return false;
  x = (weight[0] * t[0][0] + weight[1] * t[1][0] + weight[2] * t[2][0]) / sum;
  return true;
}

struct Lattice {
  std::array<int, 3> cells{};
  Vec3 origin{};
  double edge = 0;

  double middle(int axis, int i) const { return origin[at(axis)] + edge * (i + 0.5); }
  int cell(int i, int j, int k) const { return i + cells[0] * (j + cells[1] * k); }
  int corner(int i, int j, int k) const { return i + (cells[0] + 1) * (j + (cells[1] + 1) * k); }
};

std::vector<bool> inside_cells(const TriangleMesh& surface, const Lattice& lattice) {
  const auto [nx, ny, nz] = lattice.cells;
  std::vector<std::vector<double>> crossings(at(ny * nz));
  for (const auto& triangle : surface.triangles) {
    std::array<Vec3, 3> t;
    for (std::size_t c = 0; c < 3; ++c) t[c] = surface.vertices[at(triangle[c])];
    std::array<std::array<int, 2>, 2> range{};  // of rows, in y and z
    for (std::size_t a = 0; a < 2; ++a) {
      const auto [low, high] = std::minmax({t[0][a + 1], t[1][a + 1], t[2][a + 1]});
      const double o = lattice.origin[a + 1];
      const int last = lattice.cells[a + 1] - 1;
      // One more row on either side: crosses() decides.
      range[a] = {std::clamp(static_cast<int>(std::floor((low - o) / lattice.edge)) - 1, 0, last),
                  std::clamp(static_cast<int>(std::floor((high - o) / lattice.edge)) + 1, 0, last)};
    }
    for (int k = range[1][0]; k <= range[1][1]; ++k) {
      for (int j = range[0][0]; j <= range[0][1]; ++j) {
        double x = 0;
        if (crosses(t, lattice.middle(1, j), lattice.middle(2, k), x)) {
          crossings[at(j + ny * k)].push_back(x);
        }
      }
    }
  }
  std::vector<bool> inside(at(nx * ny * nz), false);
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      const std::vector<double>& row = crossings[at(j + ny * k)];
      for (int i = 0; i < nx; ++i) {
        const double x = lattice.middle(0, i);
        const auto before = std::count_if(row.begin(), row.end(), [&](double c) { return c < x; });
        inside[at(lattice.cell(i, j, k))] = before % 2 != 0;
      }
    }
  }
  return inside;
}

/// Adds five tets for a cube, mirrored from cube to cube so that faces match.
void add_cube(const Lattice& lattice, int i, int j, int k, std::vector<int>& vertex,
              const auto& place, TetMesh& mesh) {
  std::array<int, 8> corner{};
  for (int c = 0; c < 8; ++c) {
    const int x = i + (c & 1), y = j + ((c >> 1) & 1), z = k + ((c >> 2) & 1);
    int& v = vertex[at(lattice.corner(x, y, z))];
    if (v < 0) {
      v = static_cast<int>(mesh.vertices.size());
      mesh.vertices.push_back(place(x, y, z));
    }
    corner[at(c)] = v;
  }
  // Corners of the tetrahedron inside the cube, then of the four that it cuts off; bit k of a
  // corner is its place along axis k.
  constexpr int tets[2][5][4] = {
      {{0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 3, 6}, {4, 0, 5, 6}, {7, 3, 5, 6}},
      {{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 1, 2, 7}, {5, 1, 4, 7}, {6, 2, 4, 7}}};
  for (const auto& tet : tets[(i + j + k) % 2]) {
    mesh.tets.push_back(
        {corner[at(tet[0])], corner[at(tet[1])], corner[at(tet[2])], corner[at(tet[3])]});
  }
}

}  // namespace

TetMesh voxel_body(const TriangleMesh& surface, int cells, const std::string& name) {
  const Box box = bounding_box(surface.vertices);
  double longest = 0;
  for (std::size_t a = 0; a < 3; ++a) longest = std::max(longest, box.max[a] - box.min[a]);
  Lattice lattice;
  lattice.edge = longest / cells;
  if (!(lattice.edge > 0) || !std::isfinite(lattice.edge)) {
    throw Error(ErrorKind::bad_file, name, "has no size: no body can be made of it");
  }
  for (std::size_t a = 0; a < 3; ++a) {
    const double side = box.max[a] - box.min[a];
    lattice.cells[a] = std::clamp(static_cast<int>(std::lround(side / lattice.edge)), 1, cells);
    lattice.origin[a] = (box.min[a] + box.max[a] - lattice.cells[a] * lattice.edge) / 2;
  }
  const std::vector<bool> inside = inside_cells(surface, lattice);
  const auto [nx, ny, nz] = lattice.cells;
  std::vector<int> vertex(at((nx + 1) * (ny + 1) * (nz + 1)), -1);
  TetMesh mesh;
  const auto place = [&](int i, int j, int k) -> Vec3 {
    return {lattice.origin[0] + i * lattice.edge, lattice.origin[1] + j * lattice.edge,
            lattice.origin[2] + k * lattice.edge};
  };
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        if (inside[at(lattice.cell(i, j, k))]) add_cube(lattice, i, j, k, vertex, place, mesh);
      }
    }
  }
  if (mesh.tets.empty()) {
    throw Error(ErrorKind::bad_file, name, "encloses nothing: expected a closed surface");
  }
  normalise(mesh, name);
  return mesh;
}

}  // namespace supple
