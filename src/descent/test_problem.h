#pragma once

#include <random>
#include <string>

#include "descent/objective.h"
#include "model/model.h"

/// A small problem for the tests of descent methods.
namespace supple::test {

inline constexpr double h = 1.0 / 30;

/// A box of two materials, with fibers on request, pinned at one side.
inline Scene test_scene(bool with_fiber = false, const std::string& material = "neo_hookean") {
  Scene scene;
  Body body;
  body.mesh = generate(BoxGenerator{.cells = {3, 2, 2}});
  body.material.model = material;
  body.material.mu = 4e4;
  body.material.lambda = 6e4;
  if (with_fiber) {
    FiberSettings curved{.direction = {2, -2, 1}};
    curved.curve.points = {{0.5, -2e4}, {1, 0}, {1.2, 1e3}, {1.5, 4e4}};
    body.fibers = {FiberSettings{{1, 2, 2}, 3e4}, curved};
  }
  MaterialRegion region;
  region.box = {{0, -1, -1}, {1, 1, 1}};
  region.material.model = "corotated";
  region.material.mu = 2e4;
  region.material.lambda = 1e4;
  body.regions.push_back(region);
  Pin pin;
  pin.box = {{-0.6, -1, -1}, {-0.4, 1, 1}};
  pin.stiffness = 1e4;
  body.pins.push_back(pin);
  scene.bodies.push_back(body);
  return scene;
}

/// The rest shape, displaced by a smooth field and noise.
inline VectorField deformed(const Model& model, double amount, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-amount, amount);
  VectorField x(static_cast<std::size_t>(model.num_vertices));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3& r = model.rest[i];
    x[i][0] = r[0] + 2 * amount * r[1] * r[1] + uniform(generator);
    x[i][1] = r[1] - amount * r[0] * r[2] + uniform(generator);
    x[i][2] = r[2] + amount * r[0] + uniform(generator);
  }
  return x;
}

/// Pins a point inside a tet. The target plays no part in a matrix.
inline void hold_point(Model& model, std::size_t tet, const std::array<double, 4>& weights,
                       double stiffness) {
  PinSet& pins = model.pins;
  const int point = static_cast<int>(pins.points.size());
  pins.points.push_back({static_cast<int>(pins.pins.size()), 4, stiffness, weights});
  for (std::size_t c = 0; c < 4; ++c) {
    pins.pins.push_back({model.tets[tet][c], -1, weights[c] * stiffness, {0, 0, 0}, point, point});
  }
}

/// A step of h from the deformed shape, without contacts.
struct Problem {
  explicit Problem(const Scene& scene, int threads_count = 1)
      : threads(threads_count), model(build_model(scene)), objective(model, nullptr, threads) {
    y = deformed(model, 0.05, 7);
    objective.begin_step({.y = y, .inverse_a2 = 1 / (h * h), .x_start = y, .time = h, .h = h});
  }
  Threads threads;
  Model model;
  Objective objective;
  VectorField y;
};

}  // namespace supple::test
