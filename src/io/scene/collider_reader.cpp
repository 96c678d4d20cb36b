#include <fmt/format.h>

#include <utility>

#include "io/scene/readers.h"

namespace supple {

namespace {

PlaneShape read_plane(ObjectReader& reader) {
  PlaneShape plane;
  plane.normal = reader.direction("normal", plane.normal);
  plane.offset = reader.number("offset", any_number("m"), plane.offset);
  return plane;
}

SphereShape read_sphere(ObjectReader& reader) {
  SphereShape sphere;
  sphere.center = read_center(reader);
  sphere.radius = reader.number("radius", above_zero("m"), sphere.radius);
  return sphere;
}

BoxShape read_box(ObjectReader& reader) {
  BoxShape box;
  box.center = read_center(reader);
  box.size = reader.vector("size", above_zero("m"), box.size);
  box.axis = reader.direction("axis", box.axis);
  box.degrees = reader.number("degrees", any_number("degrees"), box.degrees);
  return box;
}

CapsuleShape read_capsule(ObjectReader& reader) {
  CapsuleShape capsule;
  capsule.a = reader.vector("a", any_number("m"), capsule.a);
  capsule.b = reader.vector("b", any_number("m"), capsule.b);
  capsule.radius = reader.number("radius", above_zero("m"), capsule.radius);
  return capsule;
}

CylinderShape read_cylinder(ObjectReader& reader) {
  CylinderShape cylinder;
  cylinder.center = read_center(reader);
  cylinder.axis = reader.direction("axis", cylinder.axis);
  cylinder.radius = reader.number("radius", above_zero("m"), cylinder.radius);
  cylinder.height = reader.number("height", above_zero("m"), cylinder.height);
  return cylinder;
}

TorusShape read_torus(ObjectReader& reader) {
  TorusShape torus;
  torus.center = read_center(reader);
  torus.axis = reader.direction("axis", torus.axis);
  torus.major = reader.number("major", above_zero("m"), torus.major);
  torus.minor = reader.number("minor", above_zero("m"), torus.minor);
  if (!(torus.minor < torus.major)) {
    reader.fail("minor", fmt::format("{} is not below the major radius {}: there is no hole",
                                     torus.minor, torus.major));
  }
  return torus;
}

ConvexHullShape read_hull(ObjectReader& hull, const SceneSources& sources) {
  hull.expect({"points", "file"});
  if (hull.one_of("points", {"points", "file"}) == "file") {
    return {sources.triangle_mesh(hull.text("file")).vertices};
  }
  ConvexHullShape shape{hull.vectors("points", any_number("m"))};
  if (shape.points.size() < 4) {
    hull.fail("points", fmt::format("there are {} points; expected at least 4, not in one plane",
                                    shape.points.size()));
  }
  return shape;
}

HeightFieldShape read_height_field(ObjectReader& field, const SceneSources& sources) {
  field.expect({"heights", "file", "cell", "center", "axis", "degrees"});
  HeightFieldShape shape;
  if (field.one_of("heights", {"heights", "file"}) == "file") {
    HeightGrid grid = sources.height_grid(field.text("file"));
    shape.nx = grid.nx;
    shape.nz = grid.nz;
    shape.heights = std::move(grid.heights);
  } else {
    const std::vector<std::vector<double>> rows = field.rows("heights", any_number("m"));
    const std::size_t columns = rows.empty() ? 0 : rows[0].size();
    if (rows.size() < 2 || columns < 2 || rows.size() * columns > most_heights) {
      field.fail("heights", fmt::format("there are {} rows of {} heights; expected at least 2 rows "
                                        "of 2, and at most {} heights",
                                        rows.size(), columns, most_heights));
    }
    shape.nx = static_cast<int>(columns);
    shape.nz = static_cast<int>(rows.size());
    for (const auto& row : rows) {
      shape.heights.insert(shape.heights.end(), row.begin(), row.end());
    }
  }
  shape.cell = field.number("cell", above_zero("m"), shape.cell);
  shape.center = read_center(field);
  shape.axis = field.direction("axis", shape.axis);
  shape.degrees = field.number("degrees", any_number("degrees"), shape.degrees);
  return shape;
}

ColliderShape read_shape(ObjectReader& reader, const std::string& kind,
                         const SceneSources& sources) {
  if (kind == "plane") return read_plane(reader);
  if (kind == "sphere") return read_sphere(reader);
  if (kind == "box") return read_box(reader);
  if (kind == "capsule") return read_capsule(reader);
  if (kind == "cylinder") return read_cylinder(reader);
  if (kind == "height_field") return read_height_field(reader, sources);
  return read_torus(reader);
}

MeshShape read_mesh_shape(ObjectReader& collider, const SceneSources& sources) {
  MeshShape shape;
  collider.object(
      "mesh", [&](ObjectReader& mesh) { shape.mesh = sources.triangle_mesh(mesh.text("file")); });
  collider.object("transform",
                  [&](ObjectReader& transform) { read_transform(transform, shape.mesh.vertices); });
  return shape;
}

}  // namespace

Vec3 read_center(ObjectReader& reader) {
  return reader.vector("center", any_number("m"), Vec3{0, 0, 0});
}

Collider read_collider(ObjectReader& reader, std::size_t index, const SceneSources& sources) {
  Collider collider;
  reader.expect({"name", "plane", "sphere", "box", "capsule", "cylinder", "torus", "mesh",
                 "convex_hull", "height_field", "transform", "motion", "friction", "touches"});
  const std::string kind = reader.one_of("shape", {"plane", "sphere", "box", "capsule", "cylinder",
                                                   "torus", "mesh", "convex_hull", "height_field"});
  collider.name = reader.text("name", fmt::format("{}_{}", kind, index));
  if (kind == "mesh") {
    collider.shape = read_mesh_shape(reader, sources);
  } else if (kind == "convex_hull") {
    ConvexHullShape hull;
    reader.object(kind, [&](ObjectReader& shape) { hull = read_hull(shape, sources); });
    reader.object("transform",
                  [&](ObjectReader& transform) { read_transform(transform, hull.points); });
    collider.shape = std::move(hull);
  } else {
    reader.reject("transform", "only a mesh and a convex_hull take a transform; a " + kind +
                                   " is placed by its own keys");
    reader.object(kind,
                  [&](ObjectReader& shape) { collider.shape = read_shape(shape, kind, sources); });
  }
  reader.optional_object("motion",
                         [&](ObjectReader& motion) { collider.motion = read_motion(motion); });
  if (reader.has("friction")) collider.friction = reader.number("friction", from_zero(""));
  collider.touches = reader.optional_texts("touches");
  return collider;
}

}  // namespace supple
