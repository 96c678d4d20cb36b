#include <fmt/format.h>

#include <cmath>

#include "io/meshes/formats.h"
#include "io/scene/readers.h"
#include "math/motion.h"
#include "supple/error.h"

namespace supple {

namespace {

constexpr int most_cells = 100'000;  // along one direction

/// Generates a mesh and reports errors of the generator at its place in the scene. `expected_tets`
/// is an upper bound on the number of tets or springs.
template <class Generator>
auto make(const ObjectReader& reader, const Generator& generator, double expected_tets,
          std::size_t max_tets) {
  if (expected_tets > static_cast<double>(max_tets)) {
    reader.fail(
        fmt::format("the generated bodies would have more than {} tets and springs together; "
                    "expected fewer cells",
                    max_tets));
  }
  try {
    return generate(generator);
  } catch (const Error& error) {
    reader.fail(error.message());
  }
}

double product(const std::array<int, 3>& n) {
  return static_cast<double>(n[0]) * n[1] * static_cast<double>(n[2]);
}

TetMesh read_box(ObjectReader& reader, BoxGenerator box, std::size_t max_tets) {
  box.size = reader.vector("size", above_zero("m"), box.size);
  box.cells = reader.whole_triple("cells", 1, most_cells, box.cells);
  box.center = read_center(reader);
  box.tets_per_cell = static_cast<int>(reader.whole("tets_per_cell", 5, 6, box.tets_per_cell));
  return make(reader, box, product(box.cells) * box.tets_per_cell, max_tets);
}

TetMesh read_sphere(ObjectReader& reader, std::size_t max_tets) {
  SphereGenerator sphere;
  sphere.radius = reader.number("radius", above_zero("m"), sphere.radius);
  sphere.cells = static_cast<int>(reader.whole("cells", 2, most_cells, sphere.cells));
  sphere.center = read_center(reader);
  return make(reader, sphere, 6 * product({sphere.cells, sphere.cells, sphere.cells}), max_tets);
}

TetMesh read_cylinder(ObjectReader& reader, std::size_t max_tets) {
  CylinderGenerator cylinder;
  cylinder.radius = reader.number("radius", above_zero("m"), cylinder.radius);
  cylinder.height = reader.number("height", above_zero("m"), cylinder.height);
  cylinder.cells = static_cast<int>(reader.whole("cells", 2, most_cells, cylinder.cells));
  cylinder.layers = static_cast<int>(reader.whole("layers", 1, most_cells, cylinder.layers));
  cylinder.axis = reader.direction("axis", cylinder.axis);
  cylinder.center = read_center(reader);
  return make(reader, cylinder, 6 * product({cylinder.cells, cylinder.cells, cylinder.layers}),
              max_tets);
}

TetMesh read_torus(ObjectReader& reader, std::size_t max_tets) {
  TorusGenerator torus;
  torus.major = reader.number("major", above_zero("m"), torus.major);
  torus.minor = reader.number("minor", above_zero("m"), torus.minor);
  torus.segments = static_cast<int>(reader.whole("segments", 3, most_cells, torus.segments));
  torus.cells = static_cast<int>(reader.whole("cells", 2, most_cells, torus.cells));
  torus.axis = reader.direction("axis", torus.axis);
  torus.center = read_center(reader);
  return make(reader, torus, 6 * product({torus.cells, torus.cells, torus.segments}), max_tets);
}

TetMesh read_tetrahedron(ObjectReader& reader, std::size_t max_tets) {
  TetrahedronGenerator tetrahedron;
  tetrahedron.edge = reader.number("edge", above_zero("m"), tetrahedron.edge);
  tetrahedron.center = read_center(reader);
  return make(reader, tetrahedron, 1, max_tets);
}

SpringMesh read_cloth(ObjectReader& reader, std::size_t max_springs) {
  ClothGenerator cloth;
  cloth.center = read_center(reader);
  cloth.u = reader.vector("u", any_number("m"), cloth.u);
  cloth.v = reader.vector("v", any_number("m"), cloth.v);
  cloth.cells = reader.whole_pair("cells", 1, most_cells, cloth.cells);
  return make(reader, cloth, 6.0 * cloth.cells[0] * cloth.cells[1], max_springs);
}

SpringMesh read_strand(ObjectReader& reader, std::size_t max_springs) {
  StrandGenerator strand;
  strand.start = reader.vector("start", any_number("m"), strand.start);
  strand.end = reader.vector("end", any_number("m"), strand.end);
  strand.segments = static_cast<int>(reader.whole("segments", 1, 1'000'000, strand.segments));
  return make(reader, strand, 2.0 * strand.segments, max_springs);
}

SpringMesh read_polyline(ObjectReader& reader, std::size_t max_springs) {
  PolylineGenerator line;
  line.points = reader.vectors("points", any_number("m"));
  line.closed = reader.boolean("closed", line.closed);
  const auto count = 2.0 * static_cast<double>(line.points.size());
  return make(reader, line, count, max_springs);
}

SpringMesh read_helix(ObjectReader& reader, std::size_t max_springs) {
  HelixGenerator helix;
  helix.radius = reader.number("radius", above_zero("m"), helix.radius);
  helix.pitch = reader.number("pitch", any_number("m"), helix.pitch);
  helix.turns = reader.number("turns", above_zero(""), helix.turns);
  helix.segments = static_cast<int>(reader.whole("segments", 1, 1'000'000, helix.segments));
  helix.axis = reader.direction("axis", helix.axis);
  helix.center = read_center(reader);
  return make(reader, helix, 2.0 * helix.segments, max_springs);
}

SpringMesh read_icosphere(ObjectReader& reader, std::size_t max_springs) {
  IcosphereGenerator sphere;
  sphere.radius = reader.number("radius", above_zero("m"), sphere.radius);
  sphere.subdivisions = static_cast<int>(reader.whole("subdivisions", 0, 9, sphere.subdivisions));
  sphere.center = read_center(reader);
  return make(reader, sphere, 30 * std::pow(4.0, sphere.subdivisions), max_springs);
}

Vec3 read_scale(ObjectReader& transform) {
  if (transform.is_list("scale")) return transform.vector("scale", above_zero(""));
  const double scale = transform.number("scale", above_zero(""), 1);
  return {scale, scale, scale};
}

}  // namespace

BodyMesh read_mesh(ObjectReader& reader, const SceneSources& sources, std::size_t max_tets,
                   FileContent content) {
  reader.expect({"file", "box", "bar", "sphere", "cylinder", "torus", "tetrahedron", "cloth",
                 "icosphere", "strand", "polyline", "helix"});
  const std::string kind =
      reader.one_of("mesh", {"file", "box", "bar", "sphere", "cylinder", "torus", "tetrahedron",
                             "cloth", "icosphere", "strand", "polyline", "helix"});
  if (kind == "file") {
    const std::string file = reader.text("file");
    if (sources.in_memory) {
      if (const BodyMesh* const mesh = sources.in_memory(file)) return *mesh;
    }
    if (content == FileContent::strands_or_surface && !has_tet_format(file)) {
      return sources.strands_or_surface(file);
    }
    if (content != FileContent::sheet || !has_surface_format(file)) return sources.tet_mesh(file);
    TriangleMesh surface = sources.triangle_mesh(file);
    SpringMesh cloth;
    cloth.vertices = std::move(surface.vertices);
    cloth.triangles = std::move(surface.triangles);
    return cloth;
  }
  BodyMesh mesh;
  reader.object(kind, [&](ObjectReader& generator) {
    if (kind == "cloth") {
      mesh = read_cloth(generator, max_tets);
    } else if (kind == "icosphere") {
      mesh = read_icosphere(generator, max_tets);
    } else if (kind == "strand") {
      mesh = read_strand(generator, max_tets);
    } else if (kind == "polyline") {
      mesh = read_polyline(generator, max_tets);
    } else if (kind == "helix") {
      mesh = read_helix(generator, max_tets);
    } else if (kind == "box") {
      mesh = read_box(generator, {}, max_tets);
    } else if (kind == "bar") {
      mesh = read_box(generator, {.size = {4, 1, 1}, .cells = {16, 4, 4}}, max_tets);
    } else if (kind == "sphere") {
      mesh = read_sphere(generator, max_tets);
    } else if (kind == "cylinder") {
      mesh = read_cylinder(generator, max_tets);
    } else if (kind == "torus") {
      mesh = read_torus(generator, max_tets);
    } else {
      mesh = read_tetrahedron(generator, max_tets);
    }
  });
  return mesh;
}

void read_transform(ObjectReader& transform, std::vector<Vec3>& points) {
  const Vec3 scale = read_scale(transform);
  Pose pose;
  transform.optional_object("rotate", [&](ObjectReader& rotate) {
    rotate.expect({"axis", "degrees"});
    const Vec3 axis = rotate.direction("axis");
    pose = turned(axis, {0, 0, 0}, rotate.number("degrees", any_number("degrees")));
  });
  pose.translation = transform.vector("translate", any_number("m"), Vec3{0, 0, 0});
  for (Vec3& point : points) {
    point = pose.apply({scale[0] * point[0], scale[1] * point[1], scale[2] * point[2]});
    for (const double x : point) {
      if (!std::isfinite(x)) transform.fail("the transformed mesh is not finite");
    }
  }
}

}  // namespace supple
