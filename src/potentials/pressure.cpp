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

/// A side of a triangle: its ends in increasing order, whether it runs from low to high, and where
/// it starts, as 3 * triangle + corner.
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

/// Two sides along one edge, which run in opposite directions.
struct Joint {
  Side falling, rising;
};

/// Pairs the sides of all triangles. An edge with more than two triangles has several pairs.
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

/// Groups of things that are joined to each other.
class Joined {
 public:
  explicit Joined(std::size_t count) : root_(count) { std::iota(root_.begin(), root_.end(), 0); }

  /// The first one of the group of i.
  int find(int i) {
    while (root_[at(i)] != i) i = root_[at(i)] = root_[at(root_[at(i)])];
    return i;
  }
  void join(int a, int b) {
    const int one = find(a), other = find(b);
    root_[at(std::max(one, other))] = std::min(one, other);
  }

 private:
  std::vector<int> root_;
};

/// The part of the surface that each triangle belongs to, where parts are numbered by their first
/// triangles. A part is triangles joined by edges, or if there are tets, the triangles around
/// connected tets.
std::vector<int> parts_of(const Triangles& triangles, const std::vector<Joint>& joints,
                          std::span<const std::array<int, 4>> tets, std::size_t num_vertices) {
  Joined joined(tets.empty() ? triangles.size() : num_vertices);
  if (tets.empty()) {
    for (const Joint& joint : joints) joined.join(joint.falling.start / 3, joint.rising.start / 3);
  }
  for (const auto& tet : tets) {
    for (std::size_t c = 1; c < 4; ++c) joined.join(tet[0], tet[c]);
  }
  std::vector<int> part_of_root(tets.empty() ? triangles.size() : num_vertices, -1);
  std::vector<int> part;
  int count = 0;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    int& own = part_of_root[at(joined.find(tets.empty() ? static_cast<int>(t) : triangles[t][0]))];
    if (own < 0) own = count++;
    part.push_back(own);
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
/// terms has a rounding error of some 1e-16 of that cube.
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

bool PressureSet::has_stiffening() const {
  return std::any_of(chambers.begin(), chambers.end(), [&](const Chamber& c) {
    return c.is_exact() || fillings[at(c.filling)].is_gas;
  });
}

void PressureSet::add(const PressureSettings& settings, const Triangles& triangles,
                      const std::vector<Vec3>& rest, int first_vertex, bool is_cloth,
                      const std::string& where) {
  const Filling filling = checked_filling(settings, where);
  const bool wants_cavities = settings.surface == PressureSurface::cavities;
  require_choice(settings.surface, where + "/surface");
  require(!is_cloth || !wants_cavities, where + "/surface",
          "a cloth has no cavities; expected outer: what it encloses");
  const std::size_t before = chambers.size();
  add_chambers(triangles, {},
               is_cloth         ? Parts::all
               : wants_cavities ? Parts::inward
                                : Parts::outward,
               rest, first_vertex, where);
  require(chambers.size() > before, where + "/surface",
          "the body has no cavities; expected a hollow inside its tets");
  fillings.push_back(filling);
}

void PressureSet::keep_volumes(const Triangles& triangles, std::span<const std::array<int, 4>> tets,
                               const std::vector<Vec3>& rest, int first_vertex,
                               const std::string& where) {
  const std::size_t before = chambers.size();
  add_chambers(triangles, tets, Parts::all, rest, first_vertex, where);
  for (std::size_t c = before; c < chambers.size(); ++c) chambers[c].stiffness = 1;
  fillings.emplace_back();
}

void PressureSet::add_chambers(const Triangles& triangles, std::span<const std::array<int, 4>> tets,
                               Parts wanted, const std::vector<Vec3>& rest, int first_vertex,
                               const std::string& where) {
  require(!triangles.empty(), where, "needs a closed surface, but the body has no triangles");
  const std::vector<Joint> joints = joints_of(triangles, first_vertex, where);
  const std::vector<int> part = parts_of(triangles, joints, tets, rest.size());
  const int num_parts = *std::max_element(part.begin(), part.end()) + 1;
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
    const bool is_empty = !(std::abs(volume) > least_share * size * size * size);
    // A crack between tets, which opens into no volume that is asked for.
    if (is_empty && wanted != Parts::all) continue;
    require(!is_empty, where, "needs a surface around a volume, but the body's encloses none");
    const bool inside_out = volume < 0;
    if (wanted != Parts::all && inside_out != (wanted == Parts::inward)) continue;
    Chamber chamber{.first_face = static_cast<int>(faces.size()),
                    .num_faces = static_cast<int>(own.size()),
                    .first_edge = static_cast<int>(edges.size()),
                    .num_edges = static_cast<int>(edges_of[at(p)].size()),
                    .rest_volume = std::abs(volume),
                    .filling = static_cast<int>(fillings.size()),
                    .stiffness = 0,
                    .multiplier = 0};
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
