#include <algorithm>
#include <cmath>

#include "mesh/generator_checks.h"
#include "mesh/surface.h"

namespace supple {

namespace {

constexpr const char* icosphere_name = "icosphere";

/// Beyond this, a sphere has more springs than generators are allowed to make.
constexpr int most_subdivisions = 12;

Vec3 on_unit_sphere(const Vec3& x) {
  const double length = std::hypot(x[0], x[1], x[2]);
  return {x[0] / length, x[1] / length, x[2] / length};
}

/// The icosahedron on the unit sphere, without springs.
SpringMesh icosahedron() {
  const double g = (1 + std::sqrt(5.0)) / 2;  // the golden ratio
  SpringMesh mesh;
  for (const Vec3& corner : {Vec3{-1, g, 0}, Vec3{1, g, 0}, Vec3{-1, -g, 0}, Vec3{1, -g, 0},
                             Vec3{0, -1, g}, Vec3{0, 1, g}, Vec3{0, -1, -g}, Vec3{0, 1, -g},
                             Vec3{g, 0, -1}, Vec3{g, 0, 1}, Vec3{-g, 0, -1}, Vec3{-g, 0, 1}}) {
    mesh.vertices.push_back(on_unit_sphere(corner));
  }
  mesh.triangles = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                    {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                    {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                    {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  return mesh;
}

void subdivide(SpringMesh& mesh) {
  const auto edges = triangle_edges(mesh.triangles);
  const int first = static_cast<int>(mesh.vertices.size());
  for (const auto& [a, b] : edges) {
    const Vec3 &x = mesh.vertices[static_cast<std::size_t>(a)],
               &y = mesh.vertices[static_cast<std::size_t>(b)];
    const Vec3 sum{x[0] + y[0], x[1] + y[1], x[2] + y[2]};
    mesh.vertices.push_back(on_unit_sphere(sum));
  }
  const auto middle = [&](int a, int b) {
    const std::array<int, 2> edge{std::min(a, b), std::max(a, b)};
    return first +
           static_cast<int>(std::lower_bound(edges.begin(), edges.end(), edge) - edges.begin());
  };
  std::vector<std::array<int, 3>> triangles;
  triangles.reserve(4 * mesh.triangles.size());
  for (const auto& [a, b, c] : mesh.triangles) {
    const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    triangles.push_back({a, ab, ca});
    triangles.push_back({b, bc, ab});
    triangles.push_back({c, ca, bc});
    triangles.push_back({ab, bc, ca});
  }
  mesh.triangles = std::move(triangles);
}

}  // namespace

SpringMesh generate(const IcosphereGenerator& sphere) {
  require_positive(icosphere_name, "radius", sphere.radius);
  require_at_least(icosphere_name, "subdivisions", sphere.subdivisions, 0);
  require_finite(icosphere_name, "center", sphere.center);
  require_affordable_springs(icosphere_name,
                             30 * std::pow(4.0, std::min(sphere.subdivisions, most_subdivisions)));
  SpringMesh mesh = icosahedron();
  for (int i = 0; i < sphere.subdivisions; ++i) subdivide(mesh);
  for (Vec3& x : mesh.vertices) {
    for (std::size_t k = 0; k < 3; ++k) x[k] = sphere.center[k] + sphere.radius * x[k];
  }
  mesh.structural = triangle_edges(mesh.triangles);
  return mesh;
}

}  // namespace supple
