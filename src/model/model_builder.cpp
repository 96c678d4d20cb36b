#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/names.h"
#include "base/refuse.h"
#include "materials/material.h"
#include "math/motion.h"
#include "model/element_layout.h"
#include "model/exact_stiffness.h"
#include "model/material_assignment.h"
#include "model/membrane_builder.h"
#include "model/model.h"
#include "model/pin_selection.h"
#include "model/rest_changes.h"
#include "supple/error.h"

namespace supple {

namespace {

/// Fibers with a rest length of zero would have no direction.
constexpr double most_activation = 0.9;

void check_vertices(const std::vector<Vec3>& vertices, const std::string& where) {
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    for (double x : vertices[i]) {
      if (std::isfinite(x)) continue;
      throw Error(ErrorKind::bad_file, where,
                  "vertex " + std::to_string(i) + " has a coordinate that is not finite");
    }
  }
}

/// Checks that the corners of a triangle, segment or spring exist and differ.
template <std::size_t num_corners>
void check_corners(const std::array<int, num_corners>& corners, std::size_t num_vertices,
                   const std::string& where) {
  for (std::size_t i = 0; i < num_corners; ++i) {
    require(corners[i] >= 0 && static_cast<std::size_t>(corners[i]) < num_vertices, where,
            "there is no vertex " + std::to_string(corners[i]) + ": the body has " +
                std::to_string(num_vertices));
    for (std::size_t j = 0; j < i; ++j) {
      require(corners[i] != corners[j], where,
              "vertex " + std::to_string(corners[i]) + " is named twice");
    }
  }
}

/// Checks what a body is made of besides its tets.
void check_shape(const Body& body, const std::string& where) {
  const std::size_t num_vertices = body.mesh.vertices.size();
  for (std::size_t i = 0; i < body.triangles.size(); ++i) {
    check_corners(body.triangles[i], num_vertices, where + "/triangles/" + std::to_string(i));
  }
  for (std::size_t i = 0; i < body.segments.size(); ++i) {
    check_corners(body.segments[i], num_vertices, where + "/segments/" + std::to_string(i));
  }
  for (std::size_t i = 0; i < body.springs.size(); ++i) {
    const Spring& spring = body.springs[i];
    const std::string place = where + "/springs/" + std::to_string(i);
    check_corners<2>({spring.a, spring.b}, num_vertices, place);
    require(std::isfinite(spring.stiffness) && spring.stiffness > 0, place + "/stiffness",
            "expected a positive stiffness in N/m");
    require(std::isfinite(spring.rest_length) && spring.rest_length >= 0, place + "/rest_length",
            "expected a length of at least 0 m");
    require(!spring.inextensible || spring.rest_length > 0, place + "/rest_length",
            "an inextensible spring needs a length above 0 m");
  }
}

/// Refuses what only tets can carry; the body has none.
void refuse_materials(const Body& body, const std::string& where) {
  const std::string reason = body.membrane ? "needs tets, but this body is a membrane"
                             : body.rod    ? "needs tets, but this body is a rod"
                                           : "needs tets, but this body has only springs";
  require(body.layers.empty() || body.membrane, where + "/layers", "a layer " + reason);
  require(body.regions.empty(), where + "/regions", "a region " + reason);
  require(body.fibers.empty(), where + "/fiber", "a fiber " + reason);
  require(body.growth.empty(), where + "/growth", "growth " + reason);
  require(!body.material.plasticity, where + "/material/plasticity", "plastic flow " + reason);
  for (std::size_t l = 0; l < body.layers.size(); ++l) {
    require(!body.layers[l].plasticity, where + "/layers/" + std::to_string(l) + "/plasticity",
            "plastic flow " + reason);
  }
}

template <std::size_t num_corners>
std::vector<std::array<int, num_corners>> of_model(std::vector<std::array<int, num_corners>> pieces,
                                                   int first_vertex) {
  for (auto& piece : pieces) {
    for (int& vertex : piece) vertex += first_vertex;
  }
  return pieces;
}

double distance(const Vec3& a, const Vec3& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Area of a triangle, m^2.
double area(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 u{b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const Vec3 v{c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  return 0.5 * std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                          u[0] * v[1] - u[1] * v[0]);
}

/// Collects the bodies into one model. The builder lives for one call of build_model.
class ModelBuilder {
 public:
  explicit ModelBuilder(const Scene& scene)
      : scene_(scene), materials_(scene.solver.stiffness_range) {}

  Model build() {
    require(!scene_.bodies.empty(), "/bodies", "a scene needs at least one body");
    set_rigid();
    set_damping();
    set_activation();
    model_.body_vertices.push_back(0);
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) add_body(b);
    const Box box = bounding_box(model_.rest);
    model_.diagonal_length =
        std::hypot(box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]);
    static_cast<ElementLayout&>(model_) = std::move(materials_).lay_out(model_);
    begin_rest_changes(model_);
    model_.springs.index_vertices(model_.num_vertices);
    model_.springs.index_bodies(model_.body_vertices);
    model_.membranes.index_vertices(model_.num_vertices);
    model_.rods.index_vertices(model_.num_vertices);
    model_.rods.find_clamps(model_.pins);
    model_.pressures.index_vertices(model_.num_vertices);
    stiffen_exact(scene_.time, model_);
    return std::move(model_);
  }

 private:
  void set_rigid() {
    for (const Body& body : scene_.bodies) {
      model_.is_rigid.push_back(is_rigid(body) ? 1 : 0);
    }
    const auto& rigid = model_.is_rigid;
    if (std::find(rigid.begin(), rigid.end(), char{1}) == rigid.end()) model_.is_rigid.clear();
  }

  void set_damping() {
    bool any = false;
    for (const Body& body : scene_.bodies) {
      const double of_scene = is_rigid(body) ? 0 : scene_.damping.stiffness;
      model_.damping.push_back(body.damping ? body.damping->stiffness : of_scene);
      any = any || model_.damping.back() > 0;
    }
    if (!any) model_.damping.clear();
  }

  /// Must run before the elements are laid out.
  void set_activation() {
    bool any = false;
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
      const Body& body = scene_.bodies[b];
      for (std::size_t k = 0; k < body.fibers.size(); ++k) {
        const TimedNumber& a = body.fibers[k].activation;
        const std::string fault = validate(a, 0, most_activation);
        require(fault.empty(),
                place_of_fiber(body, "/bodies/" + std::to_string(b), k) + "/activation",
                fault + "; expected numbers from 0 to 0.9");
        any = any || a.value != 0 || !a.keyframes.empty();
        model_.activation.push_back(a);
      }
    }
    if (!any) model_.activation.clear();
    for (const TimedNumber& a : model_.activation) {
      model_.fiber_stretch.push_back(1 - evaluate(a, 0));
    }
  }

  void add_body(std::size_t index) {
    const Body& body = scene_.bodies[index];
    const std::string where = "/bodies/" + std::to_string(index);
    TetMesh mesh = body.mesh;
    if (!mesh.tets.empty() || (body.springs.empty() && !body.membrane)) {
      normalise(mesh, where + "/mesh");
    } else {
      check_vertices(mesh.vertices, where + "/mesh");
    }
    require(model_.rest.size() + mesh.vertices.size() <
                static_cast<std::size_t>(std::numeric_limits<int>::max() / 4),
            where + "/mesh", "too many vertices");
    const int first_vertex = static_cast<int>(model_.rest.size());
    const std::size_t first_tet = model_.tets.size();
    model_.rest.insert(model_.rest.end(), mesh.vertices.begin(), mesh.vertices.end());
    model_.mass.resize(model_.rest.size(), 0.0);
    model_.num_vertices = static_cast<int>(model_.rest.size());
    model_.body_vertices.push_back(model_.num_vertices);
    for (auto tet : mesh.tets) {
      for (int& vertex : tet) vertex += first_vertex;
      add_tet(tet);
    }
    model_.num_tets = static_cast<int>(model_.tets.size());
    check_shape(body, where);
    add_masses(body, where, first_tet, first_vertex);
    for (const auto& face : of_model(body.triangles, first_vertex)) {
      model_.cloth_faces.push_back(face);
    }
    add_springs(body, where, first_vertex);
    model_.rods.add(body, where, first_vertex, model_.rest);
    if (body.membrane) {
      add_membrane(body, where, first_vertex, scene_.solver.stiffness_range, model_.rest,
                   model_.membranes);
    }
    check_folds(body, where);
    if (mesh.tets.empty()) {
      refuse_materials(body, where);
    } else {
      add_growth(body, where, first_tet, model_);
      materials_.add_body(body, where, model_, first_tet);
    }
    add_volumes(body, mesh, first_vertex, first_tet, where);
    add_pins(body.pins, mesh.vertices, first_vertex, where, scene_.colliders, model_.pins);
  }

  /// Adds what the body's surface encloses, if that holds a pressure or keeps its volume.
  void add_volumes(const Body& body, const TetMesh& mesh, int first_vertex, std::size_t first_tet,
                   const std::string& where) {
    require_choice(body.volume, where + "/volume");
    const bool stays = body.volume == BodyVolume::exact, is_cloth = mesh.tets.empty();
    if (!body.pressure && !stays) return;
    const std::vector<std::array<int, 3>> surface =
        of_model(is_cloth ? body.triangles : surface_triangles(mesh), first_vertex);
    if (body.pressure) {
      model_.pressures.add(*body.pressure, surface, model_.rest, first_vertex, is_cloth,
                           where + "/pressure");
    }
    if (!stays) return;
    require(!body.pressure || body.pressure->surface == PressureSurface::cavities,
            where + "/pressure",
            "has no effect on an exact volume; expected none, or the volume free");
    require(body.growth.empty(), where + "/growth",
            "changes the volume at rest, which is exact; expected none, or the volume free");
    model_.pressures.keep_volumes(surface, std::span(model_.tets).subspan(first_tet), model_.rest,
                                  first_vertex, where + "/volume");
  }

  void add_tet(const std::array<int, 4>& tet) {
    std::array<Vec3, 4> corners;
    for (std::size_t c = 0; c < 4; ++c) corners[c] = model_.rest[static_cast<std::size_t>(tet[c])];
    Mat3<double> Dm;
    for (int c = 0; c < 3; ++c) {
      for (int r = 0; r < 3; ++r) {
        const auto row = static_cast<std::size_t>(r);
        Dm(r, c) = corners[static_cast<std::size_t>(c) + 1][row] - corners[0][row];
      }
    }
    model_.tets.push_back(tet);
    model_.volume.push_back(determinant(Dm) / 6);
  }

  const Vec3& rest(int vertex) const { return model_.rest[static_cast<std::size_t>(vertex)]; }

  /// Spreads the mass of a body over the pieces that carry it, each with a measure in m^3, m^2 or
  /// m. The corners of a piece share its mass evenly.
  template <std::size_t num_corners>
  void spread_mass(const Body& body, const std::string& where, const std::string& unit,
                   const std::vector<std::array<int, num_corners>>& pieces,
                   const std::vector<double>& measure) {
    double density = body.density;
    if (body.mass) {
      require(std::isfinite(*body.mass) && *body.mass > 0, where + "/mass",
              "expected a positive mass in kg");
      double total = 0;
      for (double m : measure) total += m;
      require(total > 0, where + "/mesh", "nothing there can carry a mass");
      density = *body.mass / total;
    } else {
      require(std::isfinite(density) && density > 0, where + "/density",
              "expected a positive density in " + unit);
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const double share = density * measure[i] / num_corners;
      for (int vertex : pieces[i]) model_.mass[static_cast<std::size_t>(vertex)] += share;
    }
  }

  /// Each corner gets a quarter of a tet's mass; without tets, a third of a triangle's; without
  /// triangles either, half of a segment's, or of a spring's if there are no segments.
  void add_masses(const Body& body, const std::string& where, std::size_t first_tet,
                  int first_vertex) {
    if (first_tet < model_.tets.size()) {
      const auto from = static_cast<std::ptrdiff_t>(first_tet);
      spread_mass<4>(body, where, "kg/m^3", {model_.tets.begin() + from, model_.tets.end()},
                     {model_.volume.begin() + from, model_.volume.end()});
    } else if (!body.triangles.empty()) {
      const auto triangles = of_model(body.triangles, first_vertex);
      std::vector<double> areas;
      areas.reserve(triangles.size());
      for (const auto& t : triangles) areas.push_back(area(rest(t[0]), rest(t[1]), rest(t[2])));
      spread_mass(body, where, "kg/m^2", triangles, areas);
    } else {
      std::vector<std::array<int, 2>> ends = of_model(body.segments, first_vertex);
      std::vector<double> lengths;
      for (const auto& end : ends) lengths.push_back(distance(rest(end[0]), rest(end[1])));
      for (std::size_t s = 0; s < body.springs.size() && body.segments.empty(); ++s) {
        ends.push_back({body.springs[s].a + first_vertex, body.springs[s].b + first_vertex});
        lengths.push_back(body.springs[s].rest_length);
      }
      spread_mass(body, where, "kg/m", ends, lengths);
    }
  }

  void add_springs(const Body& body, const std::string& where, int first_vertex) {
    require(model_.springs.size() + body.springs.size() <=
                static_cast<std::size_t>(std::numeric_limits<int>::max() / 4),
            where + "/springs", "too many springs");
    for (std::size_t s = 0; s < body.springs.size(); ++s) {
      const Spring& spring = body.springs[s];
      const int a = spring.a + first_vertex, b = spring.b + first_vertex;
      for (int vertex : {a, b}) {
        require(model_.mass[static_cast<std::size_t>(vertex)] > 0,
                where + "/springs/" + std::to_string(s),
                "vertex " + std::to_string(vertex - first_vertex) +
                    " has no mass: a spring joins vertices that tets, triangles or segments use");
      }
      if (spring.inextensible) {
        model_.springs.inextensible.push_back(static_cast<std::int32_t>(model_.springs.size()));
        model_.springs.exact_length.push_back(spring.rest_length);
      }
      model_.springs.add({a, b, spring.stiffness, spring.rest_length}, model_.rest);
    }
  }

  const Scene& scene_;
  Model model_;
  MaterialAssignment materials_;
};

}  // namespace

Model build_model(const Scene& scene) { return ModelBuilder(scene).build(); }

}  // namespace supple
