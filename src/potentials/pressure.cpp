#include "potentials/pressure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/index.h"
#include "base/names.h"
#include "base/refuse.h"
#include "math/motion.h"

namespace supple {

namespace {

using Triangles = std::vector<std::array<int, 3>>;

/// A side of a triangle: its ends in increasing order, whether it runs from low to high, and
/// 3 * triangle + corner at which it starts.
struct Side {
  int low, high;
  bool rising;
  int start;
};

std::vector<Side> sorted_sides(const Triangles& triangles) {
  std::vector<Side> sides;
  sides.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const int a = triangles[t][i], b = triangles[t][(i + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), a < b, static_cast<int>(3 * t + i)});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return std::tie(a.low, a.high, a.rising, a.start) < std::tie(b.low, b.high, b.rising, b.start);
  });
  return sides;
}

/// Two sides that run along one edge, one each way.
struct Joint {
  Side falling, rising;
};

/// Pairs the sides of all triangles. An edge of more than two triangles has several pairs.
std::vector<Joint> joints_of(const Triangles& triangles, int first_vertex,
                             const std::string& where) {
  const std::vector<Side> sides = sorted_sides(triangles);
  std::vector<Joint> joints;
  for (std::size_t first = 0; first < sides.size();) {
    std::size_t middle = first, last = first;
    const auto same = [&](std::size_t i) {
      return i < sides.size() && sides[i].low == sides[first].low &&
             sides[i].high == sides[first].high;
    };
    while (same(last)) ++last;
    while (middle < last && !sides[middle].rising) ++middle;
    const std::string name = "the edge between vertices " +
                             std::to_string(sides[first].low - first_vertex) + " and " +
                             std::to_string(sides[first].high - first_vertex);
    if (last - first == 1) {
      refuse(where, "needs a closed surface, but " + name + " belongs to one triangle only");
    }
    if (middle - first != last - middle) {
      refuse(where, "needs a closed surface whose triangles have one side outside, but around " +
                        name + " they do not");
    }
    for (std::size_t i = 0; first + i < middle; ++i) {
      joints.push_back({sides[first + i], sides[middle + i]});
    }
    first = last;
  }
  return joints;
}

int far_corner(const Triangles& triangles, const Side& side) {
  return triangles[at(side.start / 3)][static_cast<std::size_t>((side.start % 3 + 2) % 3)];
}

/// The part of the surface that each triangle belongs to, parts counted by their first triangles.
std::vector<int> parts_of(std::size_t num_triangles, const std::vector<Joint>& joints) {
  std::vector<int> root(num_triangles);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int t) {
    while (root[at(t)] != t) t = root[at(t)] = root[at(root[at(t)])];
    return t;
  };
  for (const Joint& joint : joints) {
    const int one = find(joint.falling.start / 3), other = find(joint.rising.start / 3);
    root[at(std::max(one, other))] = std::min(one, other);
  }
  std::vector<int> part(num_triangles, -1);
  int count = 0;
  for (std::size_t t = 0; t < num_triangles; ++t) {
    const auto own = at(find(static_cast<int>(t)));
    if (own == t) part[t] = count++;
    part[t] = part[own];
  }
  return part;
}

double signed_volume(const Triangles& triangles, const std::vector<Vec3>& x) {
  const Vec3& o = x[at(triangles[0][0])];
  double sum = 0;
  for (const auto& t : triangles) {
    double m[3][3];
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) m[i][k] = x[at(t[i])][k] - o[k];
    }
    sum += (m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) +
            m[0][1] * (m[1][2] * m[2][0] - m[1][0] * m[2][2]) +
            m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])) /
           6;
  }
  return sum;
}

/// Volume over the cube of its box's diagonal below which a surface encloses nothing: a sum of many
/// terms rounds to some 1e-16 of it.
constexpr double least_share = 1e-12;

PressureSet::Filling checked_filling(const PressureSettings& settings, const std::string& where) {
  constexpr double unbounded = std::numeric_limits<double>::infinity();
  const bool is_gas = settings.ambient.has_value();
  const std::string fault = validate(settings.pressure, is_gas ? 0 : -unbounded, unbounded);
  require(
      fault.empty(), where + (is_gas ? "/gas" : "/overpressure"),
      fault + (is_gas ? "; expected pressures of at least 0 Pa" : "; expected finite pressures"));
  if (is_gas) {
    require(std::isfinite(*settings.ambient) && *settings.ambient >= 0, where + "/ambient",
            "expected a pressure of at least 0 Pa");
  }
  return {settings.pressure, is_gas, settings.ambient.value_or(0)};
}

}  // namespace

bool PressureSet::has_gas() const {
  return std::any_of(chambers.begin(), chambers.end(),
                     [&](const Chamber& c) { return fillings[at(c.filling)].is_gas; });
}

void PressureSet::add(const PressureSettings& settings, std::vector<std::array<int, 3>> triangles,
                      const std::vector<Vec3>& rest, int first_vertex, bool is_cloth,
                      const std::string& where) {
  const Filling filling = checked_filling(settings, where);
  const bool wants_cavities = settings.surface == PressureSurface::cavities;
  require_choice(settings.surface, where + "/surface");
  require(!is_cloth || !wants_cavities, where + "/surface",
          "a cloth has no cavities; expected outer: what it encloses");
  require(!triangles.empty(), where, "needs a closed surface, but the body has no triangles");
  const std::vector<Joint> joints = joints_of(triangles, first_vertex, where);
  const std::vector<int> part = parts_of(triangles.size(), joints);
  const int num_parts = *std::max_element(part.begin(), part.end()) + 1;
  const std::size_t before = chambers.size();
  std::vector<Triangles> triangles_of(at(num_parts));
  for (std::size_t t = 0; t < part.size(); ++t) triangles_of[at(part[t])].push_back(triangles[t]);
  std::vector<std::vector<Edge>> edges_of(at(num_parts));
  for (const Joint& joint : joints) {
    edges_of[at(part[at(joint.rising.start / 3)])].push_back(
        {joint.rising.low, joint.rising.high, far_corner(triangles, joint.rising),
         far_corner(triangles, joint.falling)});
  }
  for (int p = 0; p < num_parts; ++p) {
    Triangles& own = triangles_of[at(p)];
    const double volume = signed_volume(own, rest);
    std::vector<Vec3> places;
    for (const auto& t : own) {
      for (const int vertex : t) places.push_back(rest[at(vertex)]);
    }
    const Box box = bounding_box(places);
    const double size =
        std::hypot(box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]);
    require(std::abs(volume) > least_share * size * size * size, where,
            "needs a surface around a volume, but the body's encloses none");
    const bool inside_out = volume < 0;
    if (!is_cloth && inside_out != wants_cavities) continue;
    Chamber chamber{.first_face = static_cast<int>(faces.size()),
                    .num_faces = static_cast<int>(own.size()),
                    .first_edge = static_cast<int>(edges.size()),
                    .num_edges = static_cast<int>(edges_of[at(p)].size()),
                    .rest_volume = std::abs(volume),
                    .filling = static_cast<int>(fillings.size())};
    for (auto face : own) {
      if (inside_out) std::swap(face[1], face[2]);
      faces.push_back(face);
      chamber_of_face.push_back(static_cast<int>(chambers.size()));
    }
    for (Edge edge : edges_of[at(p)]) {
      if (inside_out) std::swap(edge.c, edge.d);
      edges.push_back(edge);
    }
    chambers.push_back(chamber);
  }
  require(chambers.size() > before, where + "/surface",
          "the body has no cavities; expected a hollow inside its tets");
  fillings.push_back(filling);
}

void PressureSet::index_vertices(int num_vertices) {
  std::vector<int> count(at(num_vertices), 0);
  for (const auto& face : faces) {
    for (const int vertex : face) ++count[at(vertex)];
  }
  vertices.clear();
  start.assign(1, 0);
  std::vector<int> next(at(num_vertices), 0);
  for (int vertex = 0; vertex < num_vertices; ++vertex) {
    if (count[at(vertex)] == 0) continue;
    vertices.push_back(vertex);
    next[at(vertex)] = start.back();
    start.push_back(start.back() + count[at(vertex)]);
  }
  corners.assign(3 * faces.size(), 0);
  for (std::size_t f = 0; f < faces.size(); ++f) {
    for (std::size_t i = 0; i < 3; ++i) {
      corners[at(next[at(faces[f][i])]++)] = static_cast<int>(3 * f + i);
    }
  }
}

}  // namespace supple
