#include "sim/bond_setup.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "base/index.h"
#include "base/refuse.h"
#include "descent/laplacian.h"
#include "integrate/integrator.h"
#include "math/vec3.h"
#include "model/pin_selection.h"
#include "sim/bond_checks.h"
#include "sim/nearest_place.h"
#include "sim/separations.h"
#include "supple/error.h"

namespace supple {

namespace {

using vec3::cross;
using vec3::dot;
using vec3::norm;
using vec3::operator+;
using vec3::operator-;
using vec3::operator*;

/// A bond of stiffness 0 is this many times as stiff as the softer of its ends, each with its
/// neighbours: it gives by a thirtieth of what they do.
constexpr double bond_ratio = 30;
/// Points no farther apart than this share of the size of two bodies coincide.
constexpr double least_length = 1e-9;

/// A body as it was before it came apart, and what has become of its elements' corners.
class WholeBody {
 public:
  /// copies: see TornBodies; they are the last vertices of the body. `body` must outlive this.
  WholeBody(const Body& body, std::span<const int> copies)
      : body_(body), has_come_apart_(!copies.empty()) {
    if (has_come_apart_) {
      const std::size_t count = body.mesh.vertices.size() - copies.size();
      whole_.mesh = body.mesh;
      whole_.mesh.vertices.resize(count);
      whole_.triangles = body.triangles;
      whole_.segments = body.segments;
      for (std::size_t i = 0; i < copies.size(); ++i) {
        copies_.emplace_back(copies[i], static_cast<int>(count + i));
      }
      std::sort(copies_.begin(), copies_.end());
      with_elements(whole_, [&](auto& elements) {
        for (auto& element : elements) {
          for (int& corner : element) {
            if (at(corner) >= count) corner = copies[at(corner) - count];
          }
        }
        return 0;
      });
    }
  }

  const Body& whole() const { return has_come_apart_ ? whole_ : body_; }
  const std::vector<Vec3>& rest() const { return whole().mesh.vertices; }

  bool is_split(int vertex) const {
    const auto own = std::lower_bound(copies_.begin(), copies_.end(), std::pair(vertex, 0));
    return own != copies_.end() && own->first == vertex;
  }
  bool is_split(const NearestPlace::Place& place) const {
    const std::span<const int> corners(place.vertices.data(), at(place.count));
    return std::any_of(corners.begin(), corners.end(), [&](int own) { return is_split(own); });
  }
  /// A vertex and its copies.
  std::vector<int> parts_of(int vertex) const {
    std::vector<int> parts{vertex};
    for_second(copies_, vertex, [&](int copy) { parts.push_back(copy); });
    return parts;
  }

  /// The elements that have all vertices of a place, ascending.
  std::vector<int> elements_with(const NearestPlace::Place& place) {
    find_elements();
    std::vector<int> found;
    for_second(elements_, place.vertices[0], [&](int element) {
      for (std::size_t i = 1; i < at(place.count); ++i) {
        if (!std::binary_search(elements_.begin(), elements_.end(),
                                std::pair(place.vertices[i], element))) {
          return;
        }
      }
      found.push_back(element);
    });
    return found;
  }
  /// Whether two different vertices are corners of an element.
  bool are_joined(int a, int b) {
    return a != b && !elements_with({.count = 2, .vertices = {a, b}}).empty();
  }
  std::vector<int> elements_at(int vertex) {
    return elements_with({.count = 1, .vertices = {vertex}});
  }
  /// Middle of an element at rest, m.
  Vec3 middle(int element) const {
    return with_elements(whole(), [&](const auto& elements) {
      Vec3 sum{0, 0, 0};
      for (const int corner : elements[at(element)]) sum = sum + rest()[at(corner)];
      return 1.0 / static_cast<double>(elements[at(element)].size()) * sum;
    });
  }
  /// Volume, area or length of an element at rest.
  double size(int element) const {
    return with_elements(whole(), [&](const auto& elements) {
      const auto& corners = elements[at(element)];
      const Vec3 a = rest()[at(corners[1])] - rest()[at(corners[0])];
      if (corners.size() == 2) return norm(a);
      const Vec3 b = rest()[at(corners.end()[-1])] - rest()[at(corners[0])];
      if (corners.size() == 3) return norm(cross(a, b)) / 2;
      return std::abs(dot(cross(a, b), rest()[at(corners.end()[-2])] - rest()[at(corners[0])])) / 6;
    });
  }
  /// What a vertex of the whole body is in an element now.
  int now(int element, int vertex) const {
    const auto find = [&](const auto& before, const auto& after) {
      const auto& corners = before[at(element)];
      const auto corner = std::find(corners.begin(), corners.end(), vertex);
      return after[at(element)][static_cast<std::size_t>(corner - corners.begin())];
    };
    if (!body_.mesh.tets.empty()) return find(whole().mesh.tets, body_.mesh.tets);
    if (!body_.triangles.empty()) return find(whole().triangles, body_.triangles);
    return find(whole().segments, body_.segments);
  }

 private:
  using Pairs = std::vector<std::pair<int, int>>;

  template <class Visit>
  static void for_second(const Pairs& pairs, int first, const Visit& visit) {
    auto own = std::lower_bound(pairs.begin(), pairs.end(), std::pair(first, 0));
    for (; own != pairs.end() && own->first == first; ++own) visit(own->second);
  }
  void find_elements() {
    if (!elements_.empty()) return;
    with_elements(whole(), [&](const auto& elements) {
      for (std::size_t e = 0; e < elements.size(); ++e) {
        for (const int corner : elements[e]) {
          elements_.emplace_back(corner, static_cast<int>(e));
        }
      }
      return 0;
    });
    std::sort(elements_.begin(), elements_.end());
  }

  const Body& body_;
  bool has_come_apart_;
  Body whole_{};    ///< its elements and their vertices, if it has come apart
  Pairs copies_;    ///< vertices of the whole body, and their copies; ascending
  Pairs elements_;  ///< vertices of the whole body, and the elements around them; ascending; found
                    ///< when first needed
};

/// A part of what ties a vertex of a whole body to a place in another: between what they are now.
struct Part {
  int vertex;
  NearestPlace::Place place;
  double share;  ///< of the stiffness
};

/// Divides a bond between a vertex and a place, one of which has been split. Each element around
/// the vertex has a part in proportion to its size, which goes to elements with the place:
/// choose(element, candidates) leaves those that it belongs to, in equal parts. Elements are those
/// of the whole bodies, so that a part stays where it is whatever comes apart later.
template <class Choose>
std::vector<Part> divide(int vertex, WholeBody& own, const NearestPlace::Place& place,
                         WholeBody& other, const Choose& choose) {
  std::vector<int> around = own.elements_at(vertex);
  if (around.empty()) around.push_back(-1);
  double sum = 0;
  for (const int element : around) sum += element < 0 ? 1 : own.size(element);
  std::vector<Part> parts;
  for (const int element : around) {
    std::vector<int> goals = other.elements_with(place);
    choose(element, goals);
    if (goals.empty()) goals.push_back(-1);
    const double size = element < 0 ? 1 : own.size(element);
    for (const int goal : goals) {
      Part part{element < 0 ? vertex : own.now(element, vertex), place,
                size / sum / static_cast<double>(goals.size())};
      for (std::size_t i = 0; goal >= 0 && i < at(place.count); ++i) {
        part.place.vertices[i] = other.now(goal, place.vertices[i]);
      }
      const auto known = std::find_if(parts.begin(), parts.end(), [&](const Part& one) {
        return one.vertex == part.vertex && one.place.vertices == part.place.vertices;
      });
      if (known == parts.end()) {
        parts.push_back(part);
      } else {
        known->share += part.share;
      }
    }
  }
  return parts;
}

/// What a bond needs to know of bodies. Vertices are those of the scene.
class BondMaker {
 public:
  BondMaker(const Scene& scene, const Model& model, const Numbering& numbering)
      : scene_(scene), model_(model), numbering_(numbering) {}

  bool has_mass(int vertex) const { return model_.mass[at(numbering_.to_model(vertex))] > 0; }

  /// Of a bond between a vertex and a place of two whole bodies with these first vertices, N/m.
  double stiffness(int vertex, const WholeBody& own, int a, const NearestPlace::Place& place,
                   const WholeBody& other, int b) {
    double mean = 0, sum = 0;
    for (std::size_t i = 0; i < at(place.count); ++i) {
      mean += std::abs(place.weights[i]) * stiffness_of(place.vertices[i], other, b);
      sum += std::abs(place.weights[i]);
    }
    return bond_ratio * std::min(stiffness_of(vertex, own, a), mean / sum);
  }

  /// Ties a vertex to a place of a body whose first vertex is `first`.
  PointBond tie(int vertex, const NearestPlace::Place& place, int first, double stiffness) const {
    PointBond bond{.count = place.count + 1, .stiffness = stiffness, .length = place.beside};
    bond.vertices[0] = vertex;
    bond.weights[0] = 1;
    for (std::size_t i = 0; i < at(place.count); ++i) {
      bond.vertices[i + 1] = first + place.vertices[i];
      bond.weights[i + 1] = -place.weights[i];
    }
    if (!(bond.length > least_length * model_.diagonal_length)) bond.length = 0;
    return bond;
  }

 private:
  /// The sum over a vertex and its copies, N/m.
  double stiffness_of(int vertex, const WholeBody& body, int first) {
    if (own_.empty()) {
      const double h = scene_.time.step / scene_.time.substeps;
      own_ = own_diagonal(model_, find_integrator(scene_.time.integrator)->inverse_a2(h, false));
    }
    double sum = 0;
    for (const int part : body.parts_of(vertex)) {
      sum += own_[at(numbering_.to_model(first + part))];
    }
    return sum;
  }

  const Scene& scene_;
  const Model& model_;
  const Numbering& numbering_;
  std::vector<double> own_;  ///< N/m, [num_vertices] of the model; computed when first needed
};

std::size_t body_named(const Scene& scene, const std::string& name) {
  std::size_t body = 0;
  while (scene.bodies[body].name != name) ++body;
  return body;
}

/// The selected vertices that have mass, each once: ascending if there is a box, otherwise in the
/// order of the list.
std::vector<int> chosen_of(const VertexSelection& select, const WholeBody& body, int first,
                           const BondMaker& maker, const std::string& where) {
  std::vector<int> chosen = selected_vertices(select, body.rest(), where);
  if (select.box.min != select.box.max) std::sort(chosen.begin(), chosen.end());
  std::set<int> known;
  std::erase_if(chosen, [&](int vertex) {
    return !maker.has_mass(first + vertex) || !known.insert(vertex).second;
  });
  require(!chosen.empty(), where, "selects only vertices without mass, which nothing uses");
  return chosen;
}

/// The bodies of a scene and, if they have come apart, their copies: TornBodies.
struct Bodies {
  const Scene& scene;
  const Model& model;
  std::span<const std::vector<int>> copies;

  WholeBody whole(std::size_t body) const {
    return {scene.bodies[body], copies.empty() ? std::span<const int>() : copies[body]};
  }
};

/// Ties a vertex to a place of another whole body, as they are now. `a` and `b` are the first
/// vertices of the bodies; stiffness 0: automatic; choose: see divide.
template <class Choose>
void tie(int vertex, WholeBody& own, int a, const NearestPlace::Place& place, WholeBody& other,
         int b, double stiffness, const Choose& choose, BondMaker& maker,
         std::vector<PointBond>& bonds) {
  if (!(stiffness > 0)) stiffness = maker.stiffness(vertex, own, a, place, other, b);
  if (!own.is_split(vertex) && !other.is_split(place)) {
    bonds.push_back(maker.tie(a + vertex, place, b, stiffness));
    return;
  }
  for (const Part& part : divide(vertex, own, place, other, choose)) {
    bonds.push_back(maker.tie(a + part.vertex, part.place, b, stiffness * part.share));
  }
}

void add_bond(const Bond& bond, const Bodies& bodies, const std::string& where, BondMaker& maker,
              std::vector<PointBond>& bonds) {
  const std::size_t body = body_named(bodies.scene, bond.body),
                    to = body_named(bodies.scene, bond.to);
  WholeBody own = bodies.whole(body), other = bodies.whole(to);
  const int a = bodies.model.body_vertices[body], b = bodies.model.body_vertices[to];
  const NearestPlace nearest(other.whole(), other.rest());
  double least = std::numeric_limits<double>::infinity();
  const std::size_t before = bonds.size();
  for (const int vertex : chosen_of(bond.select, own, a, maker, where + "/select")) {
    const Vec3& here = own.rest()[at(vertex)];
    const NearestPlace::Place place = nearest.find(here);
    least = std::min(least, place.distance);
    if (bond.distance && place.distance > *bond.distance) continue;
    // The bodies lie as they are tied: each element goes to the nearest one.
    const auto choose = [&](int element, std::vector<int>& candidates) {
      const Vec3 middle = element < 0 ? here : own.middle(element);
      const auto chosen =
          std::min_element(candidates.begin(), candidates.end(), [&](int one, int two) {
            return norm(other.middle(one) - middle) < norm(other.middle(two) - middle);
          });
      if (chosen != candidates.end()) candidates = {*chosen};
    };
    tie(vertex, own, a, place, other, b, bond.stiffness, choose, maker, bonds);
  }
  require(bonds.size() > before, where + "/distance",
          "no selected vertex is as near to '" + bond.to + "': the nearest is " +
              std::to_string(least) + " m away");
}

/// Pairs of vertices, numbered in their two bodies.
std::vector<std::pair<int, int>> pairs_of(const std::vector<int>& a, const std::vector<Vec3>& xa,
                                          const std::vector<int>& b, const std::vector<Vec3>& xb,
                                          bool in_order) {
  std::vector<std::pair<int, int>> pairs;
  if (in_order) {
    for (std::size_t i = 0; i < a.size(); ++i) pairs.emplace_back(a[i], b[i]);
    return pairs;
  }
  const auto nearest = [](const Vec3& x, const std::vector<int>& list,
                          const std::vector<Vec3>& places) {
    return *std::min_element(list.begin(), list.end(), [&](int one, int other) {
      return norm(places[at(one)] - x) < norm(places[at(other)] - x);
    });
  };
  for (const int own : a) pairs.emplace_back(own, nearest(xa[at(own)], b, xb));
  for (const int own : b) pairs.emplace_back(nearest(xb[at(own)], a, xa), own);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

/// Which way an element at a sewn vertex lies along the seam: the index of the direction that is
/// nearest to its own; -1 without directions. ways: from the vertex, to its neighbours in the seam.
int side_of(const Vec3& way, const std::vector<Vec3>& ways) {
  int side = -1;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const double cosine = dot(way, ways[i]) / norm(ways[i]);
    if (!(cosine > most)) continue;
    most = cosine;
    side = static_cast<int>(i);
  }
  return side;
}

void add_seam(const Seam& seam, const Bodies& bodies, const std::string& where, BondMaker& maker,
              std::vector<PointBond>& bonds) {
  const std::size_t body_a = body_named(bodies.scene, seam.a.body),
                    body_b = body_named(bodies.scene, seam.b.body);
  WholeBody whole_a = bodies.whole(body_a), whole_b = bodies.whole(body_b);
  const std::vector<Vec3>&rest_a = whole_a.rest(), &rest_b = whole_b.rest();
  const int first_a = bodies.model.body_vertices[body_a],
            first_b = bodies.model.body_vertices[body_b];
  const std::vector<int> a = chosen_of(seam.a.select, whole_a, first_a, maker, where + "/a/select");
  const std::vector<int> b = chosen_of(seam.b.select, whole_b, first_b, maker, where + "/b/select");
  const auto has_box = [](const SeamSide& side) {
    return side.select.box.min != side.select.box.max;
  };
  const bool in_order = a.size() == b.size() && !has_box(seam.a) && !has_box(seam.b);
  const std::vector<std::pair<int, int>> sewn = pairs_of(a, rest_a, b, rest_b, in_order);
  for (const std::pair<int, int>& pair : sewn) {
    const int own = pair.first, other = pair.second;
    require(first_a + own != first_b + other, where + "/b/select",
            "vertex " + std::to_string(other) + " would be sewn to itself");
    const double length = norm(rest_a[at(own)] - rest_b[at(other)]);
    const NearestPlace::Place place{
        .count = 1, .vertices = {other}, .weights = {1}, .beside = length, .distance = length};
    // The two sides may lie anywhere, but a seam leads the same way in both: an element goes to
    // those that lie towards the same neighbours in the seam.
    std::vector<Vec3> ways_a, ways_b;
    const auto find_ways = [&] {
      if (!ways_a.empty()) return;
      for (const auto& [next, partner] : sewn) {
        const Vec3 way_a = rest_a[at(next)] - rest_a[at(own)];
        const Vec3 way_b = rest_b[at(partner)] - rest_b[at(other)];
        if (!whole_a.are_joined(own, next) || !whole_b.are_joined(other, partner)) continue;
        if (!(norm(way_a) > 0 && norm(way_b) > 0)) continue;
        ways_a.push_back(way_a);
        ways_b.push_back(way_b);
      }
    };
    const auto choose = [&](int element, std::vector<int>& candidates) {
      if (element < 0) return;
      find_ways();
      const int side = side_of(whole_a.middle(element) - rest_a[at(own)], ways_a);
      std::vector<int> chosen;
      for (const int candidate : candidates) {
        if (side_of(whole_b.middle(candidate) - rest_b[at(other)], ways_b) == side) {
          chosen.push_back(candidate);
        }
      }
      if (!chosen.empty()) candidates = std::move(chosen);
    };
    const std::size_t before = bonds.size();
    tie(own, whole_a, first_a, place, whole_b, first_b, seam.stiffness, choose, maker, bonds);
    for (std::size_t i = before; i < bonds.size(); ++i) bonds[i].close = seam.close;
  }
}

}  // namespace

BondSet make_bonds(const Scene& scene, const Model& model, const Numbering& numbering,
                   std::span<const std::vector<int>> copies) {
  BondSet set;
  BondMaker maker(scene, model, numbering);
  const Bodies bodies{scene, model, copies};
  for (std::size_t k = 0; k < scene.bonds.size(); ++k) {
    add_bond(scene.bonds[k], bodies, "/bonds/" + std::to_string(k), maker, set.bonds);
  }
  for (std::size_t k = 0; k < scene.seams.size(); ++k) {
    add_seam(scene.seams[k], bodies, "/seams/" + std::to_string(k), maker, set.bonds);
  }
  to_model(numbering, set.bonds);
  return set;
}

void to_model(const Numbering& numbering, std::span<PointBond> bonds) {
  for (PointBond& bond : bonds) {
    for (std::size_t i = 0; i < at(bond.count); ++i) {
      bond.vertices[i] = numbering.to_model(bond.vertices[i]);
    }
  }
}

std::vector<PointBond> bonds_between(const Scene& scene, const Model& model,
                                     const Numbering& numbering, const VectorField& x, int body,
                                     std::span<const int> vertices, int to, double stiffness) {
  require(to >= 0 && to < model.num_bodies(), "to", "there is no body " + std::to_string(to));
  require(to != body, "to", "is the body whose vertices are tied; expected another one");
  require(std::isfinite(stiffness) && stiffness >= 0, "stiffness",
          "expected a stiffness of at least 0 in N/m");
  require_bonds(scene, stiffness, "to", "stiffness");
  require(!vertices.empty(), "vertices", "expected at least one");
  const auto positions_of = [&](int of) {
    std::vector<Vec3> positions;
    for (int i = model.body_vertices[at(of)]; i < model.body_vertices[at(of) + 1]; ++i) {
      const PaddedVector& own = x[at(numbering.to_model(i))];
      positions.push_back({own[0], own[1], own[2]});
    }
    return positions;
  };
  const std::vector<Vec3> places = positions_of(to), own = positions_of(body);
  const NearestPlace nearest(scene.bodies[at(to)], places);
  BondMaker maker(scene, model, numbering);
  std::vector<PointBond> bonds;
  std::set<int> known;
  // As they are now.
  const WholeBody of_body(scene.bodies[at(body)], {}), of_to(scene.bodies[at(to)], {});
  const int first = model.body_vertices[at(body)];
  for (const int vertex : vertices) {
    require(vertex >= 0 && at(vertex) < own.size(), "vertices",
            "there is no vertex " + std::to_string(vertex) + ": the body has " +
                std::to_string(own.size()));
    require(known.insert(vertex).second, "vertices", "a vertex occurs twice");
    require(maker.has_mass(first + vertex), "vertices",
            "vertex " + std::to_string(vertex) + " has no mass: nothing uses it");
    const NearestPlace::Place place = nearest.find(own[at(vertex)]);
    const double chosen = stiffness > 0 ? stiffness
                                        : maker.stiffness(vertex, of_body, first, place, of_to,
                                                          model.body_vertices[at(to)]);
    bonds.push_back(maker.tie(first + vertex, place, model.body_vertices[at(to)], chosen));
  }
  return bonds;
}

}  // namespace supple
