#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/names.h"
#include "io/scene/json_text.h"
#include "io/scene/readers.h"
#include "materials/fiber.h"

namespace supple {

namespace {

/// The field of the mesh that `key` names.
const std::vector<double>& field_of(ObjectReader& reader, const char* key, const TetMesh& mesh) {
  const std::string name = reader.text(key);
  const auto found = mesh.tet_fields.find(name);
  if (found != mesh.tet_fields.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& field : mesh.tet_fields) known.push_back(field.first);
  if (known.empty()) reader.fail(key, "the body's mesh has no fields");
  reader.fail(key, unknown_name("field of the mesh", pointer_step(name), known));
}

/// {"x": "name", "y": ..., "z": ...}: the components of a direction for each tet.
std::vector<Vec3> read_field_of_directions(ObjectReader& reader, const TetMesh& mesh,
                                           const Axes& axes) {
  reader.expect({"x", "y", "z"});
  std::vector<Vec3> directions(mesh.tets.size());
  const std::array<const char*, 3> keys{"x", "y", "z"};
  for (std::size_t k = 0; k < 3; ++k) {
    const std::vector<double>& values = field_of(reader, keys[k], mesh);
    for (std::size_t t = 0; t < directions.size(); ++t) {
      for (std::size_t i = 0; i < 3; ++i) directions[t][i] += values[t] * axes[k][i];
    }
  }
  for (std::size_t t = 0; t < directions.size(); ++t) {
    const double length = std::hypot(directions[t][0], directions[t][1], directions[t][2]);
    if (!(length > 0) || !std::isfinite(length)) {
      reader.fail(fmt::format("the direction of tet {} is zero or not finite", t));
    }
  }
  return directions;
}

}  // namespace

FiberSettings read_fiber(ObjectReader& reader, const TetMesh& mesh, const Axes& axes) {
  FiberSettings fiber;
  reader.expect({"direction", "radial", "laplace", "kappa", "curve", "activation"});
  const std::string kind = reader.one_of("direction", {"direction", "radial", "laplace"});
  if (kind == "radial") {
    reader.object("radial", [&](ObjectReader& radial) {
      RadialFibers& settings = fiber.radial.emplace();
      radial.expect({"axis", "center"});
      settings.axis = radial.direction("axis", settings.axis);
      settings.center = read_center(radial);
    });
  } else if (kind == "laplace") {
    reader.object("laplace", [&](ObjectReader& laplace) {
      LaplaceFibers& settings = fiber.laplace.emplace();
      laplace.expect({"from", "to"});
      laplace.object("from", [&](ObjectReader& end) { settings.from = read_selection(end, mesh); });
      laplace.object("to", [&](ObjectReader& end) { settings.to = read_selection(end, mesh); });
    });
  } else if (reader.is_object("direction")) {
    reader.object("direction", [&](ObjectReader& field) {
      fiber.directions = read_field_of_directions(field, mesh, axes);
    });
  } else {
    fiber.direction = reader.direction("direction");
  }
  if (reader.one_of("stiffness", {"kappa", "curve"}) == "curve") {
    fiber.curve.points = reader.pairs("curve");
    reader.explain("control points of the stress along the fiber, Pa, over its stretch");
    if (fiber.curve.points.empty()) reader.fail("curve", "expected at least two control points");
    make_fiber_curve(fiber.curve, reader.where("curve"));
  } else {
    fiber.kappa = reader.number("kappa", from_zero("Pa"));
  }
  fiber.activation = read_timed_number(
      reader, "activation",
      {.low = 0, .high = 0.9, .low_included = true, .high_included = true, .unit = ""}, 0.0);
  return fiber;
}

}  // namespace supple
