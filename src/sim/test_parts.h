#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <set>
#include <vector>

#include "base/index.h"
#include "math/vec3.h"
#include "sim/separations.h"
#include "sim/test_scenes.h"

/// Measures of bodies that come apart.
namespace supple::test {

/// A large rectangle across x, in two triangles, from y = low upwards.
inline std::vector<std::array<Vec3, 3>> plane_across(double x, double low = -9) {
  const Vec3 a{x, low, -9}, b{x, 9, -9}, c{x, 9, 9}, d{x, low, 9};
  return {{a, b, c}, {a, c, d}};
}

/// Number of groups of elements that are joined by vertices.
template <std::size_t n>
int parts_of(const std::vector<std::array<int, n>>& elements) {
  std::vector<int> root;
  const auto find = [&](int v) {
    while (root[at(v)] != v) v = root[at(v)];
    return v;
  };
  for (const auto& element : elements) {
    for (const int v : element) {
      while (root.size() <= at(v)) root.push_back(static_cast<int>(root.size()));
    }
  }
  for (const auto& element : elements) {
    for (const int v : element) root[at(find(v))] = find(element[0]);
  }
  std::set<int> parts;
  for (const auto& element : elements) parts.insert(find(element[0]));
  return static_cast<int>(parts.size());
}

inline int num_parts(const Simulation& simulation, std::size_t body = 0) {
  return with_elements(simulation.scene().bodies[body],
                       [](const auto& elements) { return parts_of(elements); });
}

inline double measure(const std::vector<Vec3>& rest, const std::array<int, 4>& t) {
  using namespace vec3;
  const Vec3& o = rest[at(t[0])];
  return dot(rest[at(t[1])] - o, cross(rest[at(t[2])] - o, rest[at(t[3])] - o)) / 6;
}
inline double measure(const std::vector<Vec3>& rest, const std::array<int, 3>& t) {
  using namespace vec3;
  const Vec3& o = rest[at(t[0])];
  return norm(cross(rest[at(t[1])] - o, rest[at(t[2])] - o)) / 2;
}
inline double measure(const std::vector<Vec3>& rest, const std::array<int, 2>& t) {
  using namespace vec3;
  return norm(rest[at(t[1])] - rest[at(t[0])]);
}

struct Momentum {
  double mass = 0;
  Vec3 linear{0, 0, 0}, angular{0, 0, 0};
};

/// Momentum of the first body, by definition: each corner has an equal part of each element's mass.
inline Momentum momentum_of(const Simulation& simulation) {
  const Body& body = simulation.scene().bodies[0];
  const std::vector<Vec3> x = positions_of(simulation);
  std::vector<Vec3> v(x.size());
  simulation.copy_velocities({v[0].data(), 3 * v.size()});
  Momentum sum;
  with_elements(body, [&](const auto& elements) {
    for (const auto& element : elements) {
      const double m =
          body.density * measure(body.mesh.vertices, element) / static_cast<double>(element.size());
      for (const int i : element) {
        const Vec3 &p = x[at(i)], &u = v[at(i)];
        sum.mass += m;
        for (std::size_t k = 0; k < 3; ++k) {
          const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
          sum.linear[k] += m * u[k];
          sum.angular[k] += m * (p[a] * u[b] - p[b] * u[a]);
        }
      }
    }
    return 0;
  });
  return sum;
}

inline double total(const Energies& e) { return e.kinetic + e.elastic + e.pins + e.gravity; }

/// Gives a simulation of the same scene the state before, with what has come apart since then in
/// its only body: the scene as it is when the step begins.
inline void torn_since(const SimulationState& before, const SimulationState& after,
                       Simulation& torn) {
  torn.set_state(before);
  std::vector<std::array<int, 2>> pairs;
  for (std::size_t i = before.separated.size(); i < after.separated.size(); ++i) {
    pairs.push_back({after.separated[i].first, after.separated[i].second});
  }
  torn.separate(0, pairs);
}

/// Scales a body of springs by `size` while accelerations stay the same, so that times grow with
/// the root of lengths [Froude's scaling]. `dimensions`: of its density, 1 for strands, 2 for
/// cloth.
inline void scale(Body& body, double size, int dimensions) {
  for (Vec3& x : body.mesh.vertices) {
    for (double& coordinate : x) coordinate *= size;
  }
  body.density *= std::pow(size, 3 - dimensions);
  for (Spring& spring : body.springs) {
    spring.stiffness *= size * size;
    spring.rest_length *= size;
  }
  for (Pin& pin : body.pins) {
    for (Vec3* corner : {&pin.box.min, &pin.box.max}) {
      for (double& x : *corner) x *= size;
    }
    pin.stiffness *= size * size;
  }
}

}  // namespace supple::test
