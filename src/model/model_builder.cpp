#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "math/motion.h"
#include "model/element_layout.h"
#include "model/model.h"
#include "supple/error.h"

namespace supple {

namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& message) {
  throw Error(ErrorKind::invalid_input, where, message);
}

void require(bool condition, const std::string& where, const std::string& message) {
  if (!condition) refuse(where, message);
}

bool contains(const Box& box, const Vec3& x) {
  for (std::size_t k = 0; k < 3; ++k) {
    if (!(x[k] >= box.min[k] && x[k] <= box.max[k])) return false;
  }
  return true;
}

/// Collects the bodies into one model. The builder lives for one call of build_model.
class ModelBuilder {
 public:
  explicit ModelBuilder(const Scene& scene) : scene_(scene) {}

  Model build() {
    require(!scene_.bodies.empty(), "/bodies", "a scene needs at least one body");
    model_.body_vertices.push_back(0);
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) add_body(b);
    const Box box = bounding_box(model_.rest);
    model_.diagonal_length =
        std::hypot(box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]);
    lay_out_elements(sources_, materials_, model_);
    return std::move(model_);
  }

 private:
  void add_body(std::size_t index) {
    const Body& body = scene_.bodies[index];
    const std::string where = "/bodies/" + std::to_string(index);
    TetMesh mesh = body.mesh;
    normalise(mesh, where + "/mesh");
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
    add_masses(body, where, first_tet);
    add_materials(body, where, first_tet);
    add_pins(body, where, first_vertex);
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
    model_.shape_gradient.push_back(shape_gradients(corners));
  }

  /// A quarter of a tet's mass to each corner.
  void add_masses(const Body& body, const std::string& where, std::size_t first_tet) {
    double density = body.density;
    if (body.mass) {
      require(std::isfinite(*body.mass) && *body.mass > 0, where + "/mass",
              "expected a positive mass in kg");
      double volume = 0;
      for (std::size_t t = first_tet; t < model_.tets.size(); ++t) volume += model_.volume[t];
      density = *body.mass / volume;
    } else {
      require(std::isfinite(density) && density > 0, where + "/density",
              "expected a positive density in kg/m^3");
    }
    for (std::size_t t = first_tet; t < model_.tets.size(); ++t) {
      const double quarter = density * model_.volume[t] / 4;
      for (int vertex : model_.tets[t]) model_.mass[static_cast<std::size_t>(vertex)] += quarter;
    }
  }

  /// The settings of each tet of the body: its own, or those of the last region that holds it.
  std::vector<int> settings_of_tets(const Body& body, std::size_t first_tet) const {
    std::vector<int> choice(model_.tets.size() - first_tet, 0);
    for (std::size_t i = 0; i < choice.size(); ++i) {
      Vec3 center{0, 0, 0};
      for (int vertex : model_.tets[first_tet + i]) {
        for (std::size_t k = 0; k < 3; ++k) {
          center[k] += 0.25 * model_.rest[static_cast<std::size_t>(vertex)][k];
        }
      }
      for (std::size_t r = 0; r < body.regions.size(); ++r) {
        if (contains(body.regions[r].box, center)) choice[i] = static_cast<int>(r) + 1;
      }
    }
    return choice;
  }

  /// Index of a material model; those whose tets differ in parameters alone share one.
  int find_or_add(const MaterialModel& material) {
    const bool by_parameters =
        std::visit([](const auto& m) { return m.num_parameters > 0; }, material);
    for (std::size_t i = 0; by_parameters && i < materials_.size(); ++i) {
      if (materials_[i].index() == material.index()) return static_cast<int>(i);
    }
    materials_.push_back(material);
    return static_cast<int>(materials_.size()) - 1;
  }

  void add_materials(const Body& body, const std::string& where, std::size_t first_tet) {
    const std::size_t num_tets = model_.tets.size() - first_tet;
    const std::vector<int> choice = settings_of_tets(body, first_tet);
    std::array<double, 4> fiber{};
    if (body.fiber) fiber = checked_fiber(*body.fiber, where + "/fiber");
    sources_.resize(model_.tets.size());
    model_.stiffness.resize(model_.tets.size());
    for (int s = 0; s <= static_cast<int>(body.regions.size()); ++s) {
      const auto r = static_cast<std::size_t>(s) - 1;
      const MaterialSettings& settings = s == 0 ? body.material : body.regions[r].material;
      const std::string place =
          where + (s == 0 ? "" : "/regions/" + std::to_string(r)) + "/material";
      const MaterialModel material = make_material(settings, place);
      const std::vector<const Parameter*> parameters = material_parameters(settings);
      for (const Parameter* parameter : parameters) {
        require(parameter->per_tet.empty() || parameter->per_tet.size() == num_tets, place,
                "a parameter per tet needs " + std::to_string(num_tets) + " values, there are " +
                    std::to_string(parameter->per_tet.size()));
      }
      const int index = find_or_add(material);
      std::array<double, 4> fitted{};
      double stiffness = -1;
      for (std::size_t t = 0; t < num_tets; ++t) {
        if (choice[t] != s) continue;
        ElementSource& source = sources_[first_tet + t];
        source = {
            .model = index, .has_fiber = body.fiber.has_value(), .parameters = {}, .fiber = fiber};
        for (std::size_t p = 0; p < parameters.size(); ++p) {
          source.parameters[p] = (*parameters[p])[t];
        }
        if (stiffness < 0 || source.parameters != fitted) {
          fitted = source.parameters;
          stiffness = fit(material, fitted, place);
        }
        model_.stiffness[first_tet + t] = stiffness;
      }
    }
  }

  double fit(const MaterialModel& material, const std::array<double, 4>& parameters,
             const std::string& where) const {
    try {
      return fit_stiffness(material, parameters.data(), scene_.solver.stiffness_range);
    } catch (const Error& error) {
      throw Error(error.kind(), where, error.message());
    }
  }

  static std::array<double, 4> checked_fiber(const FiberSettings& fiber, const std::string& where) {
    const Vec3& d = fiber.direction;
    const double length = std::hypot(d[0], d[1], d[2]);
    require(std::isfinite(length) && length > 0, where + "/direction",
            "expected a direction that is not zero");
    require(std::isfinite(fiber.kappa) && fiber.kappa >= 0, where + "/kappa",
            "expected a stiffness of at least 0 Pa");
    return {d[0] / length, d[1] / length, d[2] / length, fiber.kappa};
  }

  void add_pins(const Body& body, const std::string& where, int first_vertex) {
    const int num_vertices = model_.num_vertices - first_vertex;
    for (std::size_t p = 0; p < body.pins.size(); ++p) {
      const Pin& pin = body.pins[p];
      const std::string place = where + "/pins/" + std::to_string(p);
      require(std::isfinite(pin.stiffness) && pin.stiffness > 0, place + "/stiffness",
              "expected a positive stiffness in N/m");
      if (const std::string fault = validate(pin.motion); !fault.empty()) {
        refuse(place + "/motion", fault);
      }
      std::vector<bool> chosen(static_cast<std::size_t>(num_vertices), false);
      for (int vertex : pin.vertices) {
        require(vertex >= 0 && vertex < num_vertices, place + "/vertices",
                "there is no vertex " + std::to_string(vertex) + ": the body has " +
                    std::to_string(num_vertices));
        chosen[static_cast<std::size_t>(vertex)] = true;
      }
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        const Vec3& rest = model_.rest[static_cast<std::size_t>(first_vertex) + i];
        if (pin.vertices.empty() || pin.box.min != pin.box.max) {
          if (contains(pin.box, rest)) chosen[i] = true;
        }
      }
      const std::size_t before = model_.pins.pins.size();
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (!chosen[i]) continue;
        const int vertex = first_vertex + static_cast<int>(i);
        model_.pins.pins.push_back({vertex, static_cast<int>(model_.pins.motions.size()),
                                    pin.stiffness, model_.rest[static_cast<std::size_t>(vertex)]});
      }
      require(model_.pins.pins.size() > before, place + "/select",
              "selects none of the body's " + std::to_string(num_vertices) + " vertices");
      model_.pins.motions.push_back(pin.motion);
    }
  }

  const Scene& scene_;
  Model model_;
  std::vector<ElementSource> sources_;
  std::vector<MaterialModel> materials_;
};

}  // namespace

Model build_model(const Scene& scene) { return ModelBuilder(scene).build(); }

}  // namespace supple
