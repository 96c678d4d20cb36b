#include "sim/bond_setup.h"

#include <algorithm>
#include <cmath>
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
#include "supple/error.h"

namespace supple {

namespace {

/// A bond of stiffness 0 is this many times as stiff as the softer of its ends, each with its
/// neighbours: it gives by a thirtieth of what they do.
constexpr double bond_ratio = 30;
/// Points no farther apart than this share of the size of two bodies coincide.
constexpr double least_length = 1e-9;

/// What a bond needs to know of bodies. Vertices are those of the scene.
class BondMaker {
 public:
  BondMaker(const Scene& scene, const Model& model, const Numbering& numbering)
      : scene_(scene), model_(model), numbering_(numbering) {}

  bool has_mass(int vertex) const { return model_.mass[at(numbering_.to_model(vertex))] > 0; }

  /// Ties a vertex at x to a place of a body whose first vertex is `first`, with this stiffness or
  /// an automatic one.
  PointBond tie(int vertex, const NearestPlace::Place& place, int first, double stiffness) {
    PointBond bond{.count = place.count + 1, .stiffness = stiffness, .length = place.beside};
    bond.vertices[0] = vertex;
    bond.weights[0] = 1;
    double own = 0, sum = 0;
    for (std::size_t i = 0; i < at(place.count); ++i) {
      bond.vertices[i + 1] = first + place.vertices[i];
      bond.weights[i + 1] = -place.weights[i];
      if (stiffness > 0) continue;
      own += std::abs(place.weights[i]) * stiffness_of(first + place.vertices[i]);
      sum += std::abs(place.weights[i]);
    }
    if (!(bond.length > least_length * model_.diagonal_length)) bond.length = 0;
    if (!(stiffness > 0)) bond.stiffness = bond_ratio * std::min(stiffness_of(vertex), own / sum);
    return bond;
  }

 private:
  double stiffness_of(int vertex) {
    if (own_.empty()) {
      const double h = scene_.time.step / scene_.time.substeps;
      own_ = own_diagonal(model_, find_integrator(scene_.time.integrator)->inverse_a2(h, false));
    }
    return own_[at(numbering_.to_model(vertex))];
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
std::vector<int> chosen_of(const VertexSelection& select, const Body& body, int first,
                           const BondMaker& maker, const std::string& where) {
  std::vector<int> chosen = selected_vertices(select, body.mesh.vertices, where);
  if (select.box.min != select.box.max) std::sort(chosen.begin(), chosen.end());
  std::set<int> known;
  std::erase_if(chosen, [&](int vertex) {
    return !maker.has_mass(first + vertex) || !known.insert(vertex).second;
  });
  require(!chosen.empty(), where, "selects only vertices without mass, which nothing uses");
  return chosen;
}

void add_bond(const Bond& bond, const Scene& scene, const Model& model, const std::string& where,
              BondMaker& maker, std::vector<PointBond>& bonds) {
  const std::size_t body = body_named(scene, bond.body), to = body_named(scene, bond.to);
  const std::vector<Vec3>& rest = scene.bodies[body].mesh.vertices;
  const int first = model.body_vertices[body];
  const NearestPlace nearest(scene.bodies[to], scene.bodies[to].mesh.vertices);
  double least = std::numeric_limits<double>::infinity();
  const std::size_t before = bonds.size();
  for (const int vertex :
       chosen_of(bond.select, scene.bodies[body], first, maker, where + "/select")) {
    const NearestPlace::Place place = nearest.find(rest[at(vertex)]);
    least = std::min(least, place.distance);
    if (bond.distance && place.distance > *bond.distance) continue;
    bonds.push_back(maker.tie(first + vertex, place, model.body_vertices[to], bond.stiffness));
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
      using namespace vec3;
      return norm(places[at(one)] - x) < norm(places[at(other)] - x);
    });
  };
  for (const int own : a) pairs.emplace_back(own, nearest(xa[at(own)], b, xb));
  for (const int own : b) pairs.emplace_back(nearest(xb[at(own)], a, xa), own);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

void add_seam(const Seam& seam, const Scene& scene, const Model& model, const std::string& where,
              BondMaker& maker, std::vector<PointBond>& bonds) {
  const std::size_t body_a = body_named(scene, seam.a.body),
                    body_b = body_named(scene, seam.b.body);
  const int first_a = model.body_vertices[body_a], first_b = model.body_vertices[body_b];
  const std::vector<Vec3>&rest_a = scene.bodies[body_a].mesh.vertices,
        &rest_b = scene.bodies[body_b].mesh.vertices;
  const std::vector<int> a =
      chosen_of(seam.a.select, scene.bodies[body_a], first_a, maker, where + "/a/select");
  const std::vector<int> b =
      chosen_of(seam.b.select, scene.bodies[body_b], first_b, maker, where + "/b/select");
  const auto has_box = [](const SeamSide& side) {
    return side.select.box.min != side.select.box.max;
  };
  const bool in_order = a.size() == b.size() && !has_box(seam.a) && !has_box(seam.b);
  for (const auto& [own, other] : pairs_of(a, rest_a, b, rest_b, in_order)) {
    require(first_a + own != first_b + other, where + "/b/select",
            "vertex " + std::to_string(other) + " would be sewn to itself");
    const double length = vec3::norm(vec3::operator-(rest_a[at(own)], rest_b[at(other)]));
    PointBond bond = maker.tie(
        first_a + own,
        {.count = 1, .vertices = {other}, .weights = {1}, .beside = length, .distance = length},
        first_b, seam.stiffness);
    bond.close = seam.close;
    bonds.push_back(bond);
  }
}

}  // namespace

BondSet make_bonds(const Scene& scene, const Model& model, const Numbering& numbering) {
  BondSet set;
  BondMaker maker(scene, model, numbering);
  for (std::size_t k = 0; k < scene.bonds.size(); ++k) {
    add_bond(scene.bonds[k], scene, model, "/bonds/" + std::to_string(k), maker, set.bonds);
  }
  for (std::size_t k = 0; k < scene.seams.size(); ++k) {
    add_seam(scene.seams[k], scene, model, "/seams/" + std::to_string(k), maker, set.bonds);
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
  for (const int vertex : vertices) {
    require(vertex >= 0 && at(vertex) < own.size(), "vertices",
            "there is no vertex " + std::to_string(vertex) + ": the body has " +
                std::to_string(own.size()));
    require(known.insert(vertex).second, "vertices", "a vertex occurs twice");
    const int of_scene = model.body_vertices[at(body)] + vertex;
    require(maker.has_mass(of_scene), "vertices",
            "vertex " + std::to_string(vertex) + " has no mass: nothing uses it");
    bonds.push_back(
        maker.tie(of_scene, nearest.find(own[at(vertex)]), model.body_vertices[at(to)], stiffness));
  }
  return bonds;
}

}  // namespace supple
