#include "model/membrane_builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "base/index.h"
#include "base/names.h"
#include "base/refuse.h"
#include "model/material_assignment.h"
#include "model/pin_selection.h"
#include "supple/simulation.h"

namespace supple {

namespace {

/// A triangle with edges a and b has no area if |a x b| is at most this part of |a| |b|.
constexpr double least_area = 1e-12;
/// Least part of the warp's direction that must lie in the plane of a triangle.
constexpr double least_warp = 1e-6;
constexpr double degree = 0.017453292519943295;  // radians

using Vector = Vector3<double>;

Vector edge_vector(const Vec3& from, const Vec3& to) {
  return {{to[0] - from[0], to[1] - from[1], to[2] - from[2]}};
}
double length(const Vector& v) { return std::sqrt(dot(v, v)); }
Vec3 plain(const Vector& v) { return {v[0], v[1], v[2]}; }

void check_membrane(const Body& body, const std::string& where) {
  const MembraneSettings& membrane = *body.membrane;
  require(std::isfinite(membrane.thickness) && membrane.thickness > 0,
          where + "/material/thickness", "expected a number above 0 m");
  if (membrane.bending) {
    require(std::isfinite(*membrane.bending) && *membrane.bending >= 0, where + "/material/bending",
            "expected a rigidity of at least 0 N m");
  }
  require_choice(membrane.bending_model, where + "/material/bending_model");
  require(body.mesh.tets.empty() && body.segments.empty(), where + "/mesh",
          "a membrane has triangles alone, no tets and no segments");
  require(body.springs.empty(), where + "/springs",
          "a body is a membrane or has springs, not both");
  require(!body.triangles.empty(), where + "/mesh", "a membrane needs triangles");
  require(body.layers.size() <= most_layers, where + "/layers",
          "there are " + std::to_string(body.layers.size()) + " layers, expected at most " +
              std::to_string(most_layers));
}

/// A triangle at rest.
struct RestTriangle {
  double area = 0;
  std::array<Vector, 2> axis;  ///< unit, perpendicular to each other, in its plane
  double inverse_rest[4] = {};
};

/// The first axis is along the first edge, or along the part of `direction` in the plane.
RestTriangle at_rest(const std::array<int, 3>& t, int first_vertex, const std::vector<Vec3>& rest,
                     const std::optional<Vec3>& direction, const std::string& triangle,
                     const std::string& material) {
  const auto corner = [&](std::size_t c) { return rest[at(first_vertex + t[c])]; };
  const Vector first = edge_vector(corner(0), corner(1)),
               second = edge_vector(corner(0), corner(2));
  const Vector n = cross(first, second);
  const double twice_area = length(n);
  require(twice_area > least_area * length(first) * length(second), triangle,
          "the triangle has no area");
  RestTriangle result;
  result.area = 0.5 * twice_area;
  const Vector normal = (1 / twice_area) * n;
  result.axis[0] = (1 / length(first)) * first;
  if (direction) {
    const Vector d{{(*direction)[0], (*direction)[1], (*direction)[2]}};
    const Vector along = d - dot(d, normal) * normal;
    require(length(along) > least_warp * length(d), material + "/direction",
            "the warp is perpendicular to the triangle at " + triangle +
                "; expected a direction that is perpendicular to none");
    result.axis[0] = (1 / length(along)) * along;
  }
  result.axis[1] = cross(normal, result.axis[0]);
  // Dm = [a b; c d] with the edges as columns.
  const double a = dot(first, result.axis[0]), b = dot(second, result.axis[0]);
  const double c = dot(first, result.axis[1]), d = dot(second, result.axis[1]);
  const double scale = 1 / (a * d - b * c);
  const double inverse[4] = {scale * d, -scale * b, -scale * c, scale * a};
  std::copy(inverse, inverse + 4, result.inverse_rest);
  return result;
}

/// Consecutive triangles of one sheet, eight at a time.
class RangeBuilder {
 public:
  RangeBuilder(const SheetModel& model, std::size_t num_parameters, MembraneSet& set)
      : set_(set), first_batch_(static_cast<int>(set.batches.size())) {
    set.ranges.push_back({.model = model,
                          .first_batch = first_batch_,
                          .num_parameters = static_cast<int>(num_parameters)});
  }

  void add(const std::array<int, 3>& vertices, const RestTriangle& triangle, double volume,
           const double* parameters, const std::array<double, 2>& stiffness) {
    if (count_ % sheet_lanes == 0) add_batch();
    // The lanes behind it repeat it until other triangles fill them.
    for (int lane = count_ % sheet_lanes; lane < sheet_lanes; ++lane) {
      MembraneBatch& batch = set_.batches.back();
      for (std::size_t c = 0; c < 3; ++c) batch.vertex[c][lane] = vertices[c];
      for (int i = 0; i < 4; ++i) batch.inverse_rest[i][lane] = triangle.inverse_rest[i];
      batch.volume[lane] = lane == count_ % sheet_lanes ? volume : 0;
      for (std::size_t i = 0; i < 2; ++i) {
        batch.stiffness[i][lane] = stiffness[i];
        set_.axes[(set_.batches.size() - 1) * sheet_lanes + at(lane)][i] = plain(triangle.axis[i]);
      }
      MembraneRange& range = set_.ranges.back();
      for (int p = 0; p < range.num_parameters; ++p) {
        range.parameters[at(((range.num_batches - 1) * range.num_parameters + p) * sheet_lanes +
                            lane)] = parameters[p];
      }
    }
    ++count_;
  }

 private:
  void add_batch() {
    set_.batches.push_back({});
    set_.axes.resize(set_.batches.size() * sheet_lanes);
    MembraneRange& range = set_.ranges.back();
    ++range.num_batches;
    range.parameters.resize(range.parameters.size() + at(range.num_parameters) * sheet_lanes);
  }

  MembraneSet& set_;
  int first_batch_;
  int count_ = 0;
};

std::array<double, 2> fit_sheet(const SheetModel& model, const double* parameters,
                                std::pair<double, double> range, const std::string& where) {
  try {
    return fit_sheet_stiffness(model, parameters, range);
  } catch (const Error& error) {
    throw Error(error.kind(), where, error.message());
  }
}

/// Adds one material to all triangles of a body. Returns the mean stiffness of a plate of it, Pa.
double add_sheet(const Body& body, const MaterialSettings& settings, const std::string& material,
                 const std::string& where, int first_vertex, std::pair<double, double> range,
                 const std::vector<Vec3>& rest, MembraneSet& set) {
  const Sheet sheet = make_sheet(settings, material);
  const std::size_t num_triangles = body.triangles.size();
  for (const Parameter& parameter : sheet.parameters) {
    require(parameter.per_tet.empty() || parameter.per_tet.size() == num_triangles, material,
            "a parameter per triangle needs " + std::to_string(num_triangles) +
                " values, there are " + std::to_string(parameter.per_tet.size()));
  }
  std::optional<Vec3> direction;
  if (sheet.model.is_woven()) direction = settings.direction;
  RangeBuilder builder(sheet.model, sheet.parameters.size(), set);
  std::array<double, most_sheet_parameters> values{}, fitted{};
  std::array<double, 2> stiffness{};
  double plate = 0, total = 0;
  for (std::size_t t = 0; t < num_triangles; ++t) {
    const RestTriangle triangle = at_rest(body.triangles[t], first_vertex, rest, direction,
                                          where + "/triangles/" + std::to_string(t), material);
    for (std::size_t p = 0; p < sheet.parameters.size(); ++p) values[p] = sheet.parameters[p][t];
    if (t == 0 || values != fitted) {
      fitted = values;
      stiffness = fit_sheet(sheet.model, values.data(), range, material);
    }
    std::array<int, 3> vertices = body.triangles[t];
    for (int& vertex : vertices) vertex += first_vertex;
    builder.add(vertices, triangle, triangle.area * body.membrane->thickness, values.data(),
                stiffness);
    plate += triangle.area * rest_stiffness(sheet.model, values.data());
    total += triangle.area;
  }
  return plate / total;
}

/// What the folds of a body add to the rest angles of its edges.
class FoldedEdges {
 public:
  FoldedEdges(const Body& body, const std::string& where)
      : folds_(body.folds), has_edge_(folds_.size(), 0) {
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      is_selected_.emplace_back(body.mesh.vertices.size(), 0);
      for (const int vertex :
           selected_vertices(folds_[f].select, body.mesh.vertices,
                             where + "/folds/" + std::to_string(f) + "/select")) {
        is_selected_.back()[at(vertex)] = 1;
      }
    }
  }

  /// What the folds add at the edge between these vertices of the body, radians.
  double angle(int a, int b) {
    double angle = 0;
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      if (is_selected_[f][at(a)] == 0 || is_selected_[f][at(b)] == 0) continue;
      angle += folds_[f].degrees * degree;
      has_edge_[f] = 1;
    }
    return angle;
  }

  /// Whether `angle` was called for an edge of this fold.
  bool has_edge(std::size_t fold) const { return has_edge_[fold] != 0; }

 private:
  const std::vector<Fold>& folds_;
  std::vector<std::vector<char>> is_selected_;
  std::vector<char> has_edge_;
};

/// Adds the hinges, whose rest angles include the folds of the body.
void add_hinges(const Body& body, const std::string& where, int first_vertex,
                const std::vector<std::array<int, 3>>& triangles, const std::vector<Vec3>& rest,
                double rigidity, MembraneSet& set) {
  FoldedEdges folds(body, where);
  require(body.folds.empty() || rigidity > 0, where + "/folds",
          "a sheet that does not resist bending keeps no folds; expected a bending above 0 N m");
  const std::vector<Hinge> own = make_hinges(triangles, rest, rigidity, [&](int a, int b) {
    return folds.angle(a - first_vertex, b - first_vertex);
  });
  set.hinges.insert(set.hinges.end(), own.begin(), own.end());
  for (std::size_t f = 0; f < body.folds.size(); ++f) {
    require(folds.has_edge(f), where + "/folds/" + std::to_string(f) + "/select",
            "selects no edge between two triangles; expected both ends of one at least");
  }
}

}  // namespace

void add_membrane(const Body& body, const std::string& where, int first_vertex,
                  std::pair<double, double> range, const std::vector<Vec3>& rest,
                  MembraneSet& set) {
  check_membrane(body, where);
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max() / 64);
  require(
      set.batches.size() * sheet_lanes + body.triangles.size() * (1 + body.layers.size()) < most,
      where + "/mesh", "too many triangles");
  double plate =
      add_sheet(body, body.material, where + "/material", where, first_vertex, range, rest, set);
  for (std::size_t l = 0; l < body.layers.size(); ++l) {
    plate += add_sheet(body, body.layers[l], where + "/layers/" + std::to_string(l), where,
                       first_vertex, range, rest, set);
  }
  std::vector<std::array<int, 3>> triangles = body.triangles;
  for (auto& t : triangles) {
    for (int& vertex : t) vertex += first_vertex;
  }
  const double thickness = body.membrane->thickness;
  const double rigidity =
      body.membrane->bending.value_or(plate * thickness * thickness * thickness / 12);
  if (body.membrane->bending_model == BendingModel::dihedral) {
    add_hinges(body, where, first_vertex, triangles, rest, rigidity, set);
  } else {
    add_bends(triangles, rest, rigidity, set);
  }
}

void check_folds(const Body& body, const std::string& where) {
  require(body.folds.empty() ||
              (body.membrane && body.membrane->bending_model == BendingModel::dihedral),
          where + "/folds", "folds need a membrane with the bending model dihedral");
  for (std::size_t f = 0; f < body.folds.size(); ++f) {
    require(std::abs(body.folds[f].degrees) < 180,
            where + "/folds/" + std::to_string(f) + "/degrees",
            "expected an angle between -180 and 180 degrees");
  }
}

void keep_folds(Body& body) {
  FoldedEdges folds(body, "");
  make_hinges(body.triangles, body.mesh.vertices, 1,
              [&](int a, int b) { return folds.angle(a, b); });
  std::vector<Fold> kept;
  for (std::size_t f = 0; f < body.folds.size(); ++f) {
    if (folds.has_edge(f)) kept.push_back(body.folds[f]);
  }
  body.folds = std::move(kept);
}

}  // namespace supple
