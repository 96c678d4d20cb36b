#include <fmt/format.h>

#include <limits>

#include "io/scene/readers.h"
#include "supple/error.h"
#include "supple/simulation.h"

namespace supple {

namespace {

bool contains(const Box& box, const Vec3& x) {
  for (std::size_t k = 0; k < 3; ++k) {
    if (x[k] < box.min[k] || x[k] > box.max[k]) return false;
  }
  return true;
}

std::string box_text(const Box& box) {
  return fmt::format("[{}, {}, {}] to [{}, {}, {}]", box.min[0], box.min[1], box.min[2], box.max[0],
                     box.max[1], box.max[2]);
}

Vec3 centroid(const TetMesh& mesh, const std::array<int, 4>& tet) {
  // As in the model: the same sum puts a tet on the same side of a region's boundary.
  Vec3 center{0, 0, 0};
  for (const int vertex : tet) {
    for (std::size_t k = 0; k < 3; ++k) {
      center[k] += 0.25 * mesh.vertices[static_cast<std::size_t>(vertex)][k];
    }
  }
  return center;
}

/// Requires at least one tet whose centre lies in the box.
void require_tets(const ObjectReader& reader, const Box& box, const TetMesh& mesh) {
  for (const auto& tet : mesh.tets) {
    if (contains(box, centroid(mesh, tet))) return;
  }
  reader.fail("box", fmt::format("holds the centre of none of the {} tets, which lie in {}",
                                 mesh.tets.size(), box_text(bounding_box(mesh.vertices))));
}

MaterialRegion read_region(ObjectReader& reader, const TetMesh& mesh) {
  MaterialRegion region;
  reader.expect({"box", "material"});
  region.box = reader.box("box");
  require_tets(reader, region.box, mesh);
  reader.object("material",
                [&](ObjectReader& material) { region.material = read_material(material, mesh); });
  return region;
}

/// The fiber of the body has been read.
GrowthSettings read_growth(ObjectReader& reader, const Body& body) {
  GrowthSettings growth;
  reader.expect({"stretch", "direction", "box"});
  growth.stretch = read_timed_number(
      reader, "stretch",
      {.low = 0.1, .high = 10, .low_included = true, .high_included = true, .unit = ""});
  if (reader.is_text("direction")) {
    reader.choice("direction", "direction", {"fiber"});
    if (body.fibers.empty()) reader.fail("direction", "the body has no fiber to grow along");
    growth.along_fiber = true;
  } else if (reader.has("direction")) {
    growth.direction = reader.direction("direction");
  } else {
    reader.know("direction");
  }
  if (!reader.has("box")) {
    reader.know("box");
    return growth;
  }
  growth.box = reader.box("box");
  require_tets(reader, growth.box, body.mesh);
  return growth;
}

Fold read_fold(ObjectReader& reader, const TetMesh& mesh) {
  Fold fold;
  reader.expect({"select", "degrees"});
  reader.object("select",
                [&](ObjectReader& select) { fold.select = read_selection(select, mesh); });
  fold.degrees = reader.number("degrees", {.low = -180, .high = 180, .unit = "degrees"});
  return fold;
}

/// The material of the body has been read.
void read_folds(ObjectReader& reader, Body& body) {
  if (body.membrane && body.membrane->bending_model == BendingModel::dihedral) {
    reader.each("folds",
                [&](ObjectReader& fold) { body.folds.push_back(read_fold(fold, body.mesh)); });
  } else {
    reader.reject("folds", "needs a membrane with the bending_model dihedral");
  }
}

Initial read_initial(ObjectReader& body) {
  const std::vector<std::string> kinds{"randomize", "flatten", "stretch"};
  if (!body.is_object("initial")) {
    for (const std::string& kind : kinds) {
      if (!body.is_text("initial") || body.text("initial") != kind) continue;
      body.fail("initial", fmt::format("{0} needs its parameters: {{\"{0}\": ...}}", kind));
    }
    body.choice("initial", "initial state", {"rest"}, "rest");
    return AtRest{};
  }
  Initial initial;
  body.object("initial", [&](ObjectReader& reader) {
    reader.expect({"randomize", "flatten", "stretch"});
    const std::string kind = reader.one_of("initial state", kinds);
    if (kind == "stretch") {
      initial = Stretch{reader.vector("stretch", any_number(""))};
      return;
    }
    reader.object(kind, [&](ObjectReader& settings) {
      if (kind == "flatten") {
        settings.expect({"axis"});
        const std::string axis = settings.choice("axis", "axis", {"x", "y", "z"});
        initial = Flatten{axis.front() - 'x'};
        return;
      }
      Randomize randomize;
      settings.expect({"box", "seed"});
      randomize.box = settings.box("box");
      randomize.seed = static_cast<unsigned>(
          settings.whole("seed", 0, std::numeric_limits<unsigned>::max(), randomize.seed));
      initial = randomize;
    });
  });
  return initial;
}

struct PlacedMesh {
  BodyMesh mesh;
  Axes axes;
};

PlacedMesh read_placed_mesh(ObjectReader& body, const SceneSources& sources, std::size_t max_tets) {
  PlacedMesh placed;
  BodyMesh& mesh = placed.mesh;
  const bool is_sheet = body.has("material", "thickness") || body.has("material", "fabric");
  const bool has_springs =
      body.has_text("material", "model", "rod") || body.has_text("material", "model", "spring");
  const FileContent content = has_springs ? FileContent::strands_or_surface
                              : is_sheet  ? FileContent::sheet
                                          : FileContent::hull;
  body.object("mesh",
              [&](ObjectReader& reader) { mesh = read_mesh(reader, sources, max_tets, content); });
  body.object("transform", [&](ObjectReader& transform) {
    auto& vertices = std::visit([](auto& m) -> std::vector<Vec3>& { return m.vertices; }, mesh);
    // The origin and the ends of the axes are transformed along with the mesh.
    const std::size_t count = vertices.size();
    vertices.insert(vertices.end(), {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    read_transform(transform, vertices);
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t i = 0; i < 3; ++i) {
        placed.axes[k][i] = vertices[count + 1 + k][i] - vertices[count][i];
      }
    }
    vertices.resize(count);
    auto* const tets = std::get_if<TetMesh>(&mesh);
    if (tets == nullptr) return;
    try {
      normalise(*tets, transform.where());
    } catch (const Error& error) {
      // The mesh was valid before the transform.
      transform.fail("leaves a broken mesh: " + error.message());
    }
  });
  return placed;
}

void read_mass(ObjectReader& reader, const char* unit, double usual_density, Body& body) {
  if (reader.has("mass")) {
    reader.reject("density", "conflicts with mass; expected only one of the two");
    body.mass = reader.number("mass", above_zero("kg"));
  } else {
    body.density = reader.number("density", above_zero(unit), usual_density);
  }
}

/// That of the measured fabric which the material names, kg/m^2.
std::optional<double> fabric_density(const ObjectReader& body) {
  for (const Description& fabric : list_fabrics()) {
    if (!body.has_text("material", "fabric", fabric.name)) continue;
    return fabric_properties(from_string<Fabric>(fabric.name)).density;
  }
  return {};
}

void read_cloth_body(ObjectReader& reader, SpringMesh mesh, Body& body) {
  // The defaults are a light cotton and a cord of two millimetres.
  if (mesh.triangles.empty()) {
    read_mass(reader, "kg/m", 0.003, body);
  } else {
    read_mass(reader, "kg/m^2", fabric_density(reader).value_or(0.2), body);
  }
  reader.object("material",
                [&](ObjectReader& material) { read_cloth_material(material, mesh, body); });
  const std::string reason = body.membrane ? "needs tets, but this body is a membrane"
                             : body.rod    ? "needs tets, but this body is a rod"
                                           : "needs tets, but this body has only springs";
  if (body.membrane) {
    reader.each("layers",
                [&](ObjectReader& layer) { body.layers.push_back(read_sheet(layer, mesh)); });
  } else {
    reader.reject("layers", reason);
  }
  for (const char* key : {"regions", "fiber", "growth"}) reader.reject(key, reason);
  body.mesh.vertices = std::move(mesh.vertices);
  body.triangles = std::move(mesh.triangles);
  body.segments = std::move(mesh.segments);
}

void read_tet_body(ObjectReader& reader, TetMesh mesh, const Axes& axes, Body& body) {
  body.mesh = std::move(mesh);
  read_mass(reader, "kg/m^3", body.density, body);
  reader.object("material", [&](ObjectReader& material) {
    body.material = read_material(material, body.mesh);
  });
  reader.each("layers", [&](ObjectReader& layer) {
    layer.reject("plasticity", "layers flow as the body's material does; expected it there");
    body.layers.push_back(read_material(layer, body.mesh));
  });
  reader.each("regions", [&](ObjectReader& region) {
    body.regions.push_back(read_region(region, body.mesh));
  });
  const auto add_fibers = [&](ObjectReader& fiber) {
    body.fibers.push_back(read_fiber(fiber, body.mesh, axes));
  };
  if (reader.is_list("fiber")) {
    reader.each("fiber", add_fibers);
  } else {
    reader.optional_object("fiber", add_fibers);
  }
  reader.each("growth",
              [&](ObjectReader& growth) { body.growth.push_back(read_growth(growth, body)); });
}

}  // namespace

Pin read_pin(ObjectReader& reader, const TetMesh& mesh) {
  Pin pin;
  reader.expect({"select", "stiffness", "motion", "collider"});
  reader.object("select", [&](ObjectReader& select) {
    VertexSelection selection = read_selection(select, mesh);
    pin.box = selection.box;
    pin.vertices = std::move(selection.vertices);
  });
  pin.stiffness = reader.number("stiffness", above_zero("N/m"), pin.stiffness);
  if (reader.has("collider")) {
    reader.reject("motion", "the pin has the motion of the collider that it follows");
    pin.collider = reader.text("collider");
    return pin;
  }
  reader.know("collider");
  reader.optional_object("motion", [&](ObjectReader& motion) { pin.motion = read_motion(motion); });
  return pin;
}

VertexSelection read_selection(ObjectReader& select, const TetMesh& mesh) {
  VertexSelection selection;
  const int last = static_cast<int>(mesh.vertices.size()) - 1;
  select.expect({"box", "vertices"});
  const bool by_list = select.has("vertices");
  if (by_list) selection.vertices = select.whole_list("vertices", 0, last);
  if (by_list && !select.has("box")) {
    if (selection.vertices.empty()) select.fail("vertices", "an empty list selects no vertex");
    return selection;
  }
  selection.box = select.box("box");
  std::vector<int> inside;
  for (int i = 0; i <= last; ++i) {
    if (contains(selection.box, mesh.vertices[static_cast<std::size_t>(i)])) inside.push_back(i);
  }
  if (inside.empty() && selection.vertices.empty()) {
    select.fail("box", fmt::format("selects none of the {} vertices, which lie in {}",
                                   mesh.vertices.size(), box_text(bounding_box(mesh.vertices))));
  }
  // A box that is a point would count as none, so its vertices are listed.
  if (selection.box.min == selection.box.max) {
    selection.vertices.insert(selection.vertices.end(), inside.begin(), inside.end());
  }
  return selection;
}

Body read_body(ObjectReader& reader, std::size_t index, const SceneSources& sources,
               std::size_t max_tets) {
  Body body;
  reader.expect({"name", "mesh", "transform", "density", "mass", "material", "layers", "regions",
                 "fiber", "growth", "folds", "damping", "velocity", "initial", "pins", "pressure",
                 "volume", "tearing", "touches"});
  body.name = reader.text("name", fmt::format("body_{}", index));
  auto [mesh, axes] = read_placed_mesh(reader, sources, max_tets);
  if (auto* const tets = std::get_if<TetMesh>(&mesh)) {
    read_tet_body(reader, std::move(*tets), axes, body);
  } else {
    read_cloth_body(reader, std::move(std::get<SpringMesh>(mesh)), body);
  }
  read_folds(reader, body);
  reader.optional_object("damping", [&](ObjectReader& damping) {
    damping.expect({"stiffness", "loss_factor", "frequency"});
    body.damping = BodyDamping{read_damping_time(damping, std::nullopt)};
  });
  body.velocity = reader.vector("velocity", any_number("m/s"), body.velocity);
  body.initial = read_initial(reader);
  reader.each("pins", [&](ObjectReader& pin) { body.pins.push_back(read_pin(pin, body.mesh)); });
  if (reader.has("pressure")) {
    body.pressure = read_pressure(reader);
  } else {
    reader.know("pressure");
  }
  body.volume = reader.choice("volume", body.volume);
  reader.optional_object(
      "tearing", [&](ObjectReader& tearing) { body.tearing = read_tearing(tearing, body); });
  body.touches = reader.optional_texts("touches");
  return body;
}

}  // namespace supple
