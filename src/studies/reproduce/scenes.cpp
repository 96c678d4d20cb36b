#include "studies/reproduce/scenes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "materials/spline.h"
#include "supple/io.h"

namespace supple::reproduce {

namespace {

constexpr double step = 1.0 / 30;
constexpr double pin_stiffness = 120;  // N/m

Scene scene_of(const std::string& name, TetMesh mesh, MaterialSettings material) {
  Scene scene;
  scene.name = name;
  scene.time.step = step;
  scene.gravity = {0, -10, 0};
  Body body;
  body.name = name;
  body.mesh = std::move(mesh);
  body.mass = 10;
  body.material = std::move(material);
  scene.bodies.push_back(std::move(body));
  return scene;
}

MaterialSettings material_of(const std::string& model, double mu, double lambda = 0) {
  MaterialSettings material;
  material.model = model;
  material.mu = mu;
  material.lambda = lambda;
  return material;
}

TetMesh published(const Context& context, const std::string& file, double scale = 1) {
  TetMesh mesh = read_tet_mesh(*context.settings().meshes / file);
  for (Vec3& x : mesh.vertices) {
    for (double& value : x) value *= scale;
  }
  return mesh;
}

/// Moves back and forth along an axis: by `distance` within ten frames, and back.
Motion shaking(std::size_t axis, double distance) {
  Keyframe away{.time = 10 * step};
  away.translate[axis] = distance;
  Motion motion;
  motion.keyframes = {Keyframe{.time = 0}, away, Keyframe{.time = 20 * step}};
  motion.repeat = true;
  return motion;
}

double diagonal(const Box& box) {
  return std::hypot(box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]);
}

/// The `count` vertices with the smallest values; equal ones are ordered by their number.
template <class Value>
std::vector<int> first_vertices(const TetMesh& mesh, std::size_t count, const Value& value) {
  std::vector<int> vertices(mesh.vertices.size());
  std::iota(vertices.begin(), vertices.end(), 0);
  std::stable_sort(vertices.begin(), vertices.end(), [&](int a, int b) {
    return value(mesh.vertices[static_cast<std::size_t>(a)]) <
           value(mesh.vertices[static_cast<std::size_t>(b)]);
  });
  vertices.resize(std::min(count, vertices.size()));
  return vertices;
}

Scene stretched(Scene scene) {
  scene.gravity = {0, 0, 0};
  scene.bodies.front().initial = Stretch{{1.5, 0.7, 1}};
  return scene;
}

TetMesh ball(const Context& context, double radius, int cells, int quick_cells) {
  return generate(SphereGenerator{.radius = radius, .cells = context.pick(cells, quick_cells)});
}

}  // namespace

double polynomial_like(double corotated_mu) { return 2 * corotated_mu / 0.6; }

Scene twisting_bar(const Context& context, Origin origin) {
  TetMesh mesh;
  if (origin == Origin::published) {
    mesh = published(context, "longbar2.mesh");
  } else {
    BoxGenerator box{.size = {40, 5, 5}, .cells = {48, 6, 6}, .tets_per_cell = 6};
    if (context.quick()) box.cells = {16, 2, 2};
    mesh = generate(box);
  }
  Scene scene = scene_of("twisting bar", std::move(mesh), material_of("neo_hookean", 20, 100));
  scene.gravity = {0, 0, 0};
  const Box box = bounding_box(scene.bodies.front().mesh.vertices);
  for (const double sign : {-1.0, 1.0}) {
    const double end = sign < 0 ? box.min[0] : box.max[0];
    Pin pin;
    pin.box = {{end - 1e-6, box.min[1], box.min[2]}, {end + 1e-6, box.max[1], box.max[2]}};
    pin.stiffness = pin_stiffness;
    pin.motion.rotate = Rotation{{1, 0, 0}, {0, 0, 0}, sign * 2 / step};
    scene.bodies.front().pins.push_back(pin);
  }
  return scene;
}

Scene shaking_bar(const Context& context, Origin origin) {
  TetMesh mesh;
  if (origin == Origin::published) {
    mesh = published(context, "longbar.mesh");
  } else {
    mesh = generate(BoxGenerator{.size = {40, 5, 5}, .cells = {context.pick(36, 16), 3, 3}});
  }
  Scene scene = scene_of("shaking bar", std::move(mesh), material_of("corotated", 80, 20));
  Pin pin;
  pin.box = {{-1e-6, -3, -3}, {1e-6, 3, 3}};
  pin.stiffness = pin_stiffness;
  pin.motion = shaking(1, 2);
  scene.bodies.front().pins.push_back(pin);
  return scene;
}

Scene hippo(const Context& context, Origin origin) {
  TetMesh mesh;
  if (origin == Origin::published) {
    mesh = published(context, "hippo.mesh");
  } else {
    TorusGenerator ring{.major = 0.6, .minor = 0.25, .segments = 34, .cells = 7};
    if (context.quick()) ring = {.major = 0.6, .minor = 0.25, .segments = 16, .cells = 3};
    mesh = generate(ring);
  }
  return stretched(scene_of("hippo", std::move(mesh), material_of("corotated", 20, 100)));
}

Scene thin_sheet(const Context& context, Origin origin) {
  TetMesh mesh;
  if (origin == Origin::published) {
    mesh = published(context, "thin_sheet.mesh");
  } else {
    const int cells = context.pick(20, 8);
    mesh = generate(BoxGenerator{.size = {5, 0.2, 5}, .cells = {cells, 1, cells}});
  }
  return stretched(
      scene_of("thin sheet", std::move(mesh), material_of("polynomial", polynomial_like(20))));
}

Scene spline_sphere(const Context& context, Origin origin, char preset) {
  TetMesh mesh =
      origin == Origin::published ? published(context, "sphere.mesh") : ball(context, 1, 7, 4);
  return stretched(scene_of("sphere", std::move(mesh), spline_preset(preset, 20, 100)));
}

Scene neo_hookean_ball(const Context& context) {
  return stretched(scene_of("ball", ball(context, 1, 9, 4), material_of("neo_hookean", 20, 100)));
}

Scene squirrel(const Context& context, Origin origin, double speed) {
  constexpr double published_scale = 20;
  TetMesh mesh = origin == Origin::published
                     ? published(context, "squirrel_modified.mesh", published_scale)
                     : ball(context, 3.5, 17, 7);
  Scene scene =
      scene_of("squirrel", std::move(mesh), material_of("polynomial", polynomial_like(200)));
  Body& body = scene.bodies.front();
  Pin pin;
  // On a generated mesh, which has another number of vertices, about the same share of them is
  // held.
  const std::size_t count = origin == Origin::published ? 137 : body.mesh.vertices.size() / 60;
  pin.vertices = first_vertices(body.mesh, count, [](const Vec3& x) { return x[1]; });
  pin.stiffness = pin_stiffness;
  pin.motion = shaking(0, 10 * speed * diagonal(bounding_box(body.mesh.vertices)));
  body.pins.push_back(pin);
  return scene;
}

Scene big_bunny(const Context& context, Origin origin) {
  TorusShape ring{.center = {-0.029775, -0.668496, -0.485529},
                  .axis = {0, 1, 0},
                  .major = 1.16067,
                  .minor = 0.322408};
  TetMesh mesh;
  if (origin == Origin::published) {
    mesh = published(context, "bunny.mesh");
  } else {
    mesh = ball(context, 1.1, 17, 6);
    ring.center = {0, -0.9, 0};
  }
  Scene scene = scene_of("big bunny", std::move(mesh), material_of("corotated", 5, 200));
  scene.colliders.push_back({"ring", ring, {}});
  scene.contact.stiffness = pin_stiffness;
  return scene;
}

Scene cube(const Context& context) {
  const int cells = context.pick(6, 3);
  Scene scene = scene_of("cube", generate(BoxGenerator{.cells = {cells, cells, cells}}),
                         material_of("neo_hookean", 20, 100));
  scene.gravity = {0, 0, 0};
  return scene;
}

}  // namespace supple::reproduce
