#include "studies/performance/scenes.h"

#include "materials/spline.h"
#include "studies/reproduce/liu2017/cloth.h"
#include "studies/reproduce/scenes.h"
#include "supple/io.h"

namespace supple::bench {

namespace {

using reproduce::Context;
using reproduce::Origin;

/// Like the paper's hippo: free, without gravity, stretched at the start, 10 kg.
Scene stretched(TetMesh mesh, const std::string& model, double mu, double lambda) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  Body body;
  body.mesh = std::move(mesh);
  body.mass = 10;
  body.material.model = model;
  body.material.mu = mu;
  body.material.lambda = lambda;
  body.initial = Stretch{{1.5, 0.7, 1}};
  scene.bodies.push_back(std::move(body));
  return scene;
}

// Some stand-ins of `reproduce` are larger than the published meshes; times need the published
// sizes.

Scene sized_hippo(const Context& context, Origin origin) {
  Scene scene = reproduce::hippo(context, origin);
  if (origin == Origin::generated && !context.quick()) {
    scene.bodies.front().mesh =
        generate(TorusGenerator{.major = 0.6, .minor = 0.25, .segments = 29, .cells = 7});
  }
  return scene;
}

Scene sized_bunny(const Context& context, Origin origin) {
  Scene scene = reproduce::big_bunny(context, origin);
  if (origin == Origin::generated && !context.quick()) {
    scene.bodies.front().mesh = generate(SphereGenerator{.radius = 1.1, .cells = 16});
  }
  return scene;
}

Scene big_bunny_without_ring(const Context& context, Origin origin) {
  Scene scene = sized_bunny(context, origin);
  scene.colliders.clear();
  scene.gravity = {0, 0, 0};
  scene.bodies.front().initial = Stretch{{1.5, 0.7, 1}};
  return scene;
}

Scene tibiman(const Context& context, Origin origin, const std::string& model) {
  if (origin == Origin::published) {
    return stretched(read_tet_mesh(*context.settings().meshes / "tibiman.mesh"), model, 20, 100);
  }
  TorusGenerator ring{.major = 0.6, .minor = 0.25, .segments = 62, .cells = 15};
  if (context.quick()) ring = {.major = 0.6, .minor = 0.25, .segments = 20, .cells = 3};
  return stretched(generate(ring), model, 20, 100);
}

TetMesh ball(const Context& context, int cells) {
  return generate(SphereGenerator{.radius = 1, .cells = context.pick(cells, 5)});
}

std::vector<Entry> make_entries() {
  const auto generated = [](Scene (*make)(const Context&)) {
    return [make](const Context& context, Origin) { return make(context); };
  };
  const auto sphere = [](char preset) {
    return [preset](const Context& context, Origin origin) {
      return reproduce::spline_sphere(context, origin, preset);
    };
  };
  const auto tibiman_of = [](const char* model) {
    return
        [model](const Context& context, Origin origin) { return tibiman(context, origin, model); };
  };
  return {
      {"shaking_bar", "corotated", true, "7.2", 100, reproduce::shaking_bar},
      {"sphere_a", "spline A", true, "21.2", 100, sphere('A')},
      {"sphere_b", "spline B", true, "19.7", 100, sphere('B')},
      {"thin_sheet", "polynomial", true, "4.4", 100, reproduce::thin_sheet},
      {"ball", "neo_hookean", false, "17.8", 100, generated(reproduce::neo_hookean_ball)},
      {"hippo", "corotated", true, "40.6", 100, sized_hippo},
      {"twisting_bar", "neo_hookean", true, "45.6", 100, reproduce::twisting_bar},
      {"cloth", "springs", false, "42.3", 100, generated(reproduce::liu2017::hanging_cloth)},
      {"squirrel", "polynomial", true, "153", 60,
       [](const Context& context, Origin origin) { return reproduce::squirrel(context, origin); }},
      {"big_bunny", "corotated", true, "623", 60, sized_bunny},
      {"big_bunny_free", "corotated", true, "", 60, big_bunny_without_ring},
      {"tibiman_neo_hookean", "neo_hookean", true, "", 20, tibiman_of("neo_hookean")},
      {"tibiman_corotated", "corotated", true, "", 20, tibiman_of("corotated")},
      {"large_polynomial", "polynomial", false, "", 15,
       [](const Context& context, Origin) {
         return stretched(ball(context, 28), "polynomial", reproduce::polynomial_like(20), 0);
       }},
      {"large_neo_hookean", "neo_hookean", false, "", 15,
       [](const Context& context, Origin) {
         return stretched(ball(context, 32), "neo_hookean", 20, 100);
       }},
  };
}

}  // namespace

const std::vector<Entry>& entries() {
  static const std::vector<Entry> list = make_entries();
  return list;
}

Scene turned_bar(const std::string& material) { return turned_bar(material, {34, 7, 7}); }

Scene turned_bar(const std::string& material, const std::array<int, 3>& cells) {
  Scene scene;
  scene.gravity = {0, 0, 0};
  Body body;
  body.mesh = generate(BoxGenerator{.size = {4, 1, 1}, .cells = cells, .tets_per_cell = 6});
  body.material.model = material;
  const auto [mu, lambda] = lame_parameters(1e5, 0.4);
  body.material.mu = material == "polynomial" ? 20 * mu : mu;
  body.material.lambda = lambda;
  body.material.c1 = 0.4 * mu;
  body.material.c2 = 0.1 * mu;
  body.material.bulk = lambda;
  if (material == "spline") body.material = spline_preset('A', mu, lambda);
  for (const double side : {-1.0, 1.0}) {
    Pin pin;
    pin.box = {{side * 2 - 0.01, -1, -1}, {side * 2 + 0.01, 1, 1}};
    pin.motion.rotate = Rotation{{1, 0, 0}, {0, 0, 0}, side * 60};
    body.pins.push_back(pin);
  }
  scene.bodies.push_back(body);
  return scene;
}

}  // namespace supple::bench
