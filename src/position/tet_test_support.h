#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "model/model.h"
#include "model/range_fibers.h"
#include "position/positions.h"

/// Small bodies for the tests of constraints, and the gradient of g computed plainly.
namespace supple::test {

inline constexpr double a2 = 1.0 / (60 * 60);  // s^2

/// A box of cells of 0.1 m, five tets each.
struct BodySettings {
  std::string material = "stable_neo_hookean";
  double mu = 5e4, lambda = 2e5;  // Pa
  bool fiber = false;
  bool layered = false;  ///< a second material, of the projected kind
  bool two_regions = false;
  std::array<int, 3> cells = {2, 2, 3};
};

inline MaterialSettings material_of(const std::string& name, double mu, double lambda) {
  MaterialSettings material;
  material.model = name;
  material.mu = mu;
  material.lambda = lambda;
  material.min = 0.95;
  material.max = 1.05;
  return material;
}

inline Model model_of(const BodySettings& settings) {
  Scene scene;
  Body body;
  const auto& n = settings.cells;
  body.mesh = generate(BoxGenerator{.size = {0.1 * n[0], 0.1 * n[1], 0.1 * n[2]}, .cells = n});
  // No two tets are alike.
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-0.015, 0.015);
  for (Vec3& p : body.mesh.vertices) {
    for (double& value : p) value += uniform(generator);
  }
  body.material = material_of(settings.material, settings.mu, settings.lambda);
  if (settings.fiber) body.fibers = {FiberSettings{{1, 2, 2}, 6e4}, FiberSettings{{2, -2, 1}, 2e4}};
  if (settings.layered) body.layers.push_back(material_of("arap", 3e4, 0));
  if (settings.two_regions) {
    MaterialRegion region;
    region.box = {{0, -1, -1}, {1, 1, 1}};
    region.material = material_of("volume", 4e4, 0);
    body.regions.push_back(region);
  }
  scene.bodies.push_back(body);
  return build_model(scene);
}

/// The rest shape, turned, bent and with noise.
inline VectorField deformed(const Model& model, double amount, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-amount, amount);
  VectorField x(model.rest.size());
  const double c = std::cos(0.3), s = std::sin(0.3);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3& r = model.rest[i];
    x[i][0] = c * r[0] - s * r[1] + uniform(generator);
    x[i][1] = s * r[0] + c * r[1] + amount * r[2] * r[2] + uniform(generator);
    x[i][2] = r[2] * (1 + amount) + uniform(generator);
  }
  return x;
}

template <class T>
Positions<T> positions_of(const VectorField& x) {
  Positions<T> p(x.size());
  copy_to(x, p);
  return p;
}

template <class T>
bool same_bits(const Positions<T>& a, const Positions<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
}

template <class T>
Mat3<double> deformation_gradient(const Model& model, std::size_t tet, const Positions<T>& x) {
  Mat3<double> F = Mat3<double>::zero();
  for (std::size_t c = 0; c < 4; ++c) {
    const Vec3 b = model.shape_gradients(tet)[c];
    const auto v = static_cast<std::size_t>(model.tets[tet][c]);
    for (int i = 0; i < 9; ++i) {
      F(i / 3, i % 3) += static_cast<double>(x[v][i / 3]) * b[static_cast<std::size_t>(i % 3)];
    }
  }
  return F;
}

/// Calls visit(tet, first Piola-Kirchhoff stress in Pa) for every material and fiber of every tet.
template <class T, class Visit>
void visit_stresses(const Model& model, const Positions<T>& x, const Visit& visit) {
  for (const ElementRange& range : model.ranges) {
    for (int b = 0; b < range.num_batches; ++b) {
      for (int lane = 0; lane < lanes; ++lane) {
        const int tet =
            model.tet_of_lane[static_cast<std::size_t>((range.first_batch + b) * lanes + lane)];
        if (tet < 0) continue;
        const Mat3<double> F = deformation_gradient(model, static_cast<std::size_t>(tet), x);
        std::visit(
            [&](const auto& family) {
              double parameters[8] = {};
              for (int p = 0; p < range.num_parameters; ++p) {
                parameters[p] = range.parameter(static_cast<std::size_t>(b * lanes + lane), p);
              }
              visit(tet, family.template at<double>(parameters).stress(F));
            },
            range.material);
        for (int k = 0; k < range.num_fibers; ++k) {
          visit(tet, fiber_of(range, static_cast<std::size_t>(b), static_cast<std::size_t>(lane), k)
                         .stress(F));
        }
      }
    }
  }
}

/// |M (x - y) + a^2 dE/dx|, kg m.
template <class T>
double gradient_norm(const Model& model, const Positions<T>& x, const VectorField& y) {
  VectorField g(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int k = 0; k < 3; ++k) g[i][k] = model.mass[i] * (static_cast<double>(x[i][k]) - y[i][k]);
  }
  visit_stresses(model, x, [&](int tet, const Mat3<double>& P) {
    const auto t = static_cast<std::size_t>(tet);
    for (std::size_t c = 0; c < 4; ++c) {
      const Vec3 b = model.shape_gradients(t)[c];
      for (int k = 0; k < 3; ++k) {
        g[static_cast<std::size_t>(model.tets[t][c])][k] +=
            a2 * model.volume[t] * (P(k, 0) * b[0] + P(k, 1) * b[1] + P(k, 2) * b[2]);
      }
    }
  });
  double sum = 0;
  for (const PaddedVector& p : g) sum += p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
  return std::sqrt(sum);
}

/// Sum of m (x - y) and of m c x (x - y), c the positions `about`: kg m and kg m^2.
template <class T>
void momenta(const Model& model, const Positions<T>& x, const Positions<T>& y,
             const Positions<T>& about, Vector3<double>& linear, Vector3<double>& angular) {
  linear = angular = {{0, 0, 0}};
  for (std::size_t i = 0; i < x.size(); ++i) {
    Vector3<double> p, c;
    for (int k = 0; k < 3; ++k) {
      p[k] = model.mass[i] * (static_cast<double>(x[i][k]) - static_cast<double>(y[i][k]));
      c[k] = static_cast<double>(about[i][k]);
    }
    linear = linear + p;
    angular = angular + cross(c, p);
  }
}

inline double norm(const Vector3<double>& v) { return std::sqrt(dot(v, v)); }

}  // namespace supple::test
