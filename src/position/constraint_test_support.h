#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "contact/contact_energy.h"
#include "position/position_solver.h"
#include "position/positions.h"

/// Small bodies for the tests of constraints that are not tets.
namespace supple::test {

/// A model that has only particles.
inline Model particles(const std::vector<Vec3>& places, const std::vector<double>& masses) {
  Model model;
  model.num_vertices = static_cast<int>(places.size());
  model.body_vertices = {0, model.num_vertices};
  model.rest = places;
  model.mass = masses;
  model.diagonal_length = 1;
  model.pins.motions.emplace_back();
  return model;
}

inline Model cloth_model(int cells, double stiffness = 500, double shear = 200,
                         double bending = 20) {
  const SpringMesh mesh = generate(ClothGenerator{.cells = {cells, cells}});
  Scene scene;
  Body body;
  body.mesh.vertices = mesh.vertices;
  body.triangles = mesh.triangles;
  body.springs = make_springs(mesh, {stiffness, shear, bending});
  body.density = 0.4;
  scene.bodies.push_back(body);
  return build_model(scene);
}

/// A strand of links along x from the origin; its first vertex is held if `pinned`.
inline Model strand_model(int links, double stiffness, bool pinned) {
  const SpringMesh mesh = generate(StrandGenerator{.end = {1, 0, 0}, .segments = links});
  Scene scene;
  Body body;
  body.mesh.vertices = mesh.vertices;
  body.segments = mesh.segments;
  body.springs = make_springs(mesh, {stiffness, 0, 0});
  body.density = 0.1;
  if (pinned) {
    Pin pin;
    pin.vertices = {0};
    body.pins.push_back(pin);
  }
  scene.bodies.push_back(body);
  return build_model(scene);
}

inline Scene box_scene(int cells, const std::string& material, double mu, double lambda) {
  Scene scene;
  Body body;
  body.mesh = generate(BoxGenerator{.cells = {cells, cells, cells}});
  body.material.model = material;
  body.material.mu = mu;
  body.material.lambda = lambda;
  scene.bodies.push_back(body);
  return scene;
}

inline VectorField rest_of(const Model& model) {
  VectorField x(model.rest.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) x[i].v[k] = model.rest[i][k];
  }
  return x;
}

/// Rest positions with noise.
inline VectorField shaken(const Model& model, double amount, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-amount, amount);
  VectorField x = rest_of(model);
  for (PaddedVector& p : x) {
    for (int k = 0; k < 3; ++k) p[k] += uniform(generator);
  }
  return x;
}

template <class T>
Positions<T> positions_of(const VectorField& x) {
  Positions<T> padded(x.size());
  copy_to(x, padded);
  return padded;
}

struct Momentum {
  double linear[3] = {0, 0, 0};
  double angular[3] = {0, 0, 0};
  double scale = 0;  ///< sum m |z - y|
};

/// Momentum of the displacement z - y, which constraints within a body must leave zero.
inline Momentum momentum(const Model& model, const VectorField& y, const VectorField& z) {
  Momentum sum;
  for (std::size_t i = 0; i < y.size(); ++i) {
    double moved[3];
    for (int k = 0; k < 3; ++k) moved[k] = model.mass[i] * (z[i][k] - y[i][k]);
    for (int k = 0; k < 3; ++k) {
      const int p = (k + 1) % 3, q = (k + 2) % 3;
      sum.linear[k] += moved[k];
      // About the mean of before and after: the angular momentum of a visit is a sum of such terms.
      sum.angular[k] += 0.5 * (y[i][p] + z[i][p]) * moved[q] - 0.5 * (y[i][q] + z[i][q]) * moved[p];
    }
    sum.scale += std::hypot(moved[0], moved[1], moved[2]);
  }
  return sum;
}

inline Threads& one_thread() {
  static Threads threads(1);
  return threads;
}

/// The gradient of g: M (z - y)/a^2, with this a, plus that of an energy. Returns its norm and the
/// size of the terms that cancel in it, N.
template <class Energy>
std::pair<double, double> gradient_of_g(const Model& model, Energy energy, const VectorField& y,
                                        const Positions<double>& z, double a) {
  VectorField padded(y.size());
  copy_to(z, padded);
  energy.evaluate(padded, one_thread());
  double norm = 0, size = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    PaddedVector force;
    energy.add_gradient_of_vertex(static_cast<int>(i), force);
    for (int k = 0; k < 3; ++k) {
      norm = std::hypot(norm, model.mass[i] * (z[i][k] - y[i][k]) / (a * a) + force[k]);
      size = std::hypot(size, force[k]);
    }
  }
  return {norm, size};
}

inline Collider plane(const Vec3& normal, double offset = 0) {
  return {"", PlaneShape{normal, offset}, {}};
}

inline std::unique_ptr<ContactEnergy> contact_with(const std::vector<Collider>& colliders,
                                                   int num_vertices, double stiffness,
                                                   double friction, double layer = 0) {
  std::vector<ColliderObject> objects;
  for (const Collider& collider : colliders) objects.emplace_back(collider, "/colliders");
  std::vector<ContactVertex> vertices;
  for (int i = 0; i < num_vertices; ++i) vertices.push_back({.vertex = i, .stiffness = stiffness});
  std::unique_ptr<ColliderGuard> guard;
  if (layer > 0) {
    guard = std::make_unique<ColliderGuard>(std::vector<ContactSurface>{},
                                            std::vector<int>(vertices.size(), 0),
                                            std::vector<double>(objects.size(), layer));
  }
  return std::make_unique<ContactEnergy>(std::move(objects), friction, std::move(vertices),
                                         std::vector<ContactSurface>{}, nullptr, std::move(guard));
}

/// Steps a body by backward Euler. `project(step, z)` moves z from y to where constraints put it.
struct Stepper {
  VectorField x, v;
  double h = 1.0 / 60;
  double time = 0;

  template <class Project>
  void step(const Vec3& gravity, const Project& project) {
    VectorField y = x, z;
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        y[i][k] += h * v[i][k] + h * h * gravity[static_cast<std::size_t>(k)];
      }
    }
    time += h;
    z = y;
    project(PositionStep{y, x, 1 / (h * h), time, h}, z);
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (int k = 0; k < 3; ++k) v[i][k] = (z[i][k] - x[i][k]) / h;
    }
    x = z;
  }

  void step(const Vec3& gravity, PositionSolver& solver, int iterations, Threads& threads) {
    step(gravity, [&](const PositionStep& position_step, VectorField& z) {
      solver.begin(position_step, threads);
      for (int i = 0; i < iterations; ++i) solver.iterate(threads);
      solver.copy_positions(z);
    });
  }
};

}  // namespace supple::test
