#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "math/vec3.h"
#include "supple/mesh.h"
#include "supple/scene.h"

/// Closed surfaces for tests.
namespace supple::test_meshes {

/// Octahedron of radius 1 whose triangles are cut in four `levels` times; new vertices are moved to
/// the unit sphere.
inline TriangleMesh sphere(int levels) {
  using namespace vec3;
  TriangleMesh mesh;
  mesh.vertices = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                    {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int level = 0; level < levels; ++level) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [place, is_new] =
          middles.try_emplace(std::minmax(a, b), static_cast<int>(mesh.vertices.size()));
      if (is_new) {
        mesh.vertices.push_back(direction(
            mesh.vertices[static_cast<std::size_t>(a)] + mesh.vertices[static_cast<std::size_t>(b)],
            {0, 0, 1}));
      }
      return place->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto& [a, b, c] : mesh.triangles) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    mesh.triangles = std::move(finer);
  }
  return mesh;
}

/// Regular icosahedron with edges of length 2.
inline TriangleMesh icosahedron() {
  using namespace vec3;
  TriangleMesh mesh;
  const double phi = 0.5 * (1 + std::sqrt(5.0));
  for (double one : {-1.0, 1.0}) {
    for (double other : {-phi, phi}) {
      mesh.vertices.push_back({0, one, other});
      mesh.vertices.push_back({one, other, 0});
      mesh.vertices.push_back({other, 0, one});
    }
  }
  const auto near = [&](int a, int b) {
    return norm(mesh.vertices[static_cast<std::size_t>(a)] -
                mesh.vertices[static_cast<std::size_t>(b)]) < 2.1;
  };
  for (int a = 0; a < 12; ++a) {
    for (int b = a + 1; b < 12; ++b) {
      for (int c = b + 1; c < 12; ++c) {
        if (!near(a, b) || !near(b, c) || !near(c, a)) continue;
        const Vec3& p = mesh.vertices[static_cast<std::size_t>(a)];
        const Vec3& q = mesh.vertices[static_cast<std::size_t>(b)];
        const Vec3& r = mesh.vertices[static_cast<std::size_t>(c)];
        if (dot(p, cross(q, r)) > 0) {
          mesh.triangles.push_back({a, b, c});
        } else {
          mesh.triangles.push_back({a, c, b});
        }
      }
    }
  }
  return mesh;
}

/// Sphere with every other vertex pulled in: spikes, valleys and saddles with acute edges.
inline TriangleMesh burr() {
  using namespace vec3;
  TriangleMesh mesh = sphere(2);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    if (i >= 18) mesh.vertices[i] = (i % 3 == 0 ? 0.35 : 0.6) * mesh.vertices[i];
  }
  return mesh;
}

/// The mesh scaled along the axes.
inline TriangleMesh scaled(TriangleMesh mesh, const Vec3& size) {
  for (Vec3& p : mesh.vertices) {
    for (std::size_t k = 0; k < 3; ++k) p[k] *= size[k];
  }
  return mesh;
}

/// Two walls on a floor, a fiftieth of a metre thick, all made of slivers.
inline TriangleMesh thin_walls() {
  TriangleMesh mesh;
  const auto add_box = [&](const Vec3& low, const Vec3& high, int parts) {
    const int first = static_cast<int>(mesh.vertices.size());
    for (int i = 0; i <= parts; ++i) {
      const double x = low[0] + (high[0] - low[0]) * i / parts;
      mesh.vertices.insert(
          mesh.vertices.end(),
          {{x, low[1], low[2]}, {x, high[1], low[2]}, {x, high[1], high[2]}, {x, low[1], high[2]}});
    }
    for (int i = 0; i < parts; ++i) {
      for (int k = 0; k < 4; ++k) {
        const int a = first + 4 * i + k, b = first + 4 * i + (k + 1) % 4;
        mesh.triangles.push_back({a, b, a + 4});
        mesh.triangles.push_back({b, b + 4, a + 4});
      }
    }
    const int last = first + 4 * parts;
    for (const auto& [i, j, k] : {std::array{0, 2, 1}, std::array{0, 3, 2}}) {
      mesh.triangles.push_back({first + i, first + j, first + k});
      mesh.triangles.push_back({last + i, last + k, last + j});
    }
  };
  add_box({-0.5, -0.3, -0.12}, {0.5, 0.3, -0.1}, 40);
  add_box({-0.5, -0.3, 0.1}, {0.5, 0.3, 0.12}, 3);
  add_box({-0.5, -0.42, -0.12}, {0.5, -0.31, 0.12}, 7);
  return mesh;
}

/// Rough ground about two metres wide.
inline HeightFieldShape bumps() {
  HeightFieldShape field{.nx = 12, .nz = 9, .cell = 0.15};
  for (int j = 0; j < field.nz; ++j) {
    for (int i = 0; i < field.nx; ++i) field.heights.push_back(0.12 * std::sin(5.0 * i * i + j));
  }
  return field;
}

/// Solid angle that the surface spans at x, divided by 4 pi: 1 inside, 0 outside [van Oosterom &
/// Strackee 1983]. It uses neither distances nor normals.
inline double winding_number(const TriangleMesh& mesh, const Vec3& x) {
  using namespace vec3;
  double sum = 0;
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vec3 a = mesh.vertices[static_cast<std::size_t>(i)] - x;
    const Vec3 b = mesh.vertices[static_cast<std::size_t>(j)] - x;
    const Vec3 c = mesh.vertices[static_cast<std::size_t>(k)] - x;
    const double la = norm(a), lb = norm(b), lc = norm(c);
    sum += std::atan2(dot(a, cross(b, c)),
                      la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return sum / (2 * 3.14159265358979323846);
}

}  // namespace supple::test_meshes
