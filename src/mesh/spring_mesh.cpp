#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "mesh/generator_checks.h"
#include "mesh/surface.h"
#include "supple/error.h"
#include "supple/scene.h"

namespace supple {

namespace {

std::array<int, 2> ascending(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

void add(const SpringMesh& mesh, const std::vector<std::array<int, 2>>& ends, double stiffness,
         std::vector<Spring>& springs) {
  const auto num_vertices = static_cast<int>(mesh.vertices.size());
  for (const auto& [a, b] : ends) {
    for (const int vertex : {a, b}) {
      if (vertex >= 0 && vertex < num_vertices) continue;
      throw Error(ErrorKind::invalid_input, "springs",
                  "there is no vertex " + std::to_string(vertex) + ": the mesh has " +
                      std::to_string(num_vertices));
    }
    const Vec3& p = mesh.vertices[static_cast<std::size_t>(a)];
    const Vec3& q = mesh.vertices[static_cast<std::size_t>(b)];
    springs.push_back({a, b, stiffness, std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2])});
  }
}

}  // namespace

std::vector<Spring> make_springs(const SpringMesh& mesh, const SpringSettings& settings) {
  const auto require = [](bool condition, const std::string& name, const char* expected) {
    if (condition) return;
    throw Error(ErrorKind::invalid_input, "springs", name + ": expected " + expected + " N/m");
  };
  const double stiffness = settings.stiffness;
  require(std::isfinite(stiffness) && stiffness > 0, "stiffness", "a number above 0");
  std::vector<Spring> springs;
  add(mesh, mesh.structural, stiffness, springs);
  for (Spring& spring : springs) spring.inextensible = settings.inextensible;
  require(std::isfinite(settings.shear) && settings.shear >= 0, "shear", "a number of at least 0");
  if (settings.shear > 0) add(mesh, mesh.shear, settings.shear, springs);
  require(std::isfinite(settings.bending) && settings.bending >= 0, "bending",
          "a number of at least 0");
  if (settings.bending > 0) add(mesh, mesh.bending, settings.bending, springs);
  return springs;
}

std::vector<Spring> make_springs(const SpringMesh& mesh, double stretch, bool inextensible) {
  if (!(std::isfinite(stretch) && stretch > 0)) {
    throw Error(ErrorKind::invalid_input, "springs", "stretch: expected a number above 0 N");
  }
  std::vector<Spring> springs;
  add(mesh, mesh.segments, 1, springs);
  for (std::size_t s = 0; s < springs.size(); ++s) {
    springs[s].stiffness = stretch / springs[s].rest_length;
    springs[s].inextensible = inextensible;
    if (std::isfinite(springs[s].stiffness)) continue;
    throw Error(ErrorKind::invalid_input, "springs",
                "segment " + std::to_string(s) + " has no length: expected two different vertices");
  }
  return springs;
}

std::vector<std::array<int, 2>> triangle_edges(const std::vector<std::array<int, 3>>& triangles) {
  std::vector<std::array<int, 2>> edges;
  for (const auto& t : triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      edges.push_back(ascending(t[i], t[(i + 1) % 3]));
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

void connect_triangles(SpringMesh& cloth) {
  struct Side {
    std::array<int, 2> edge;
    int opposite;
    bool operator<(const Side& other) const {
      return std::pair(edge, opposite) < std::pair(other.edge, other.opposite);
    }
  };
  std::vector<Side> sides;
  for (const auto& t : cloth.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      sides.push_back({ascending(t[i], t[(i + 1) % 3]), t[(i + 2) % 3]});
    }
  }
  std::sort(sides.begin(), sides.end());
  cloth.structural = triangle_edges(cloth.triangles);
  std::vector<std::array<int, 2>> across;
  for (std::size_t first = 0, last = 0; first < sides.size(); first = last) {
    while (last < sides.size() && sides[last].edge == sides[first].edge) ++last;
    if (last - first != 2) continue;
    const auto ends = ascending(sides[first].opposite, sides[first + 1].opposite);
    if (ends[0] != ends[1]) across.push_back(ends);
  }
  std::sort(across.begin(), across.end());
  across.erase(std::unique(across.begin(), across.end()), across.end());
  cloth.bending.clear();
  std::set_difference(across.begin(), across.end(), cloth.structural.begin(),
                      cloth.structural.end(), std::back_inserter(cloth.bending));
}

}  // namespace supple
