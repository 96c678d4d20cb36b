#include "sim/measures.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "elements/element_energy.h"
#include "materials/stable_neo_hookean.h"
#include "math/svd.h"
#include "math/vec3.h"
#include "model/material_assignment.h"
#include "model/range_fibers.h"

namespace supple {

namespace {

/// sqrt(3/2 dev(sigma) : dev(sigma)), sigma = P F^T / J. If J is not positive, the Cauchy stress
/// has no meaning; |J| keeps the measure finite away from J = 0.
double von_mises(const Mat3<double>& F, const Mat3<double>& P) {
  const double J = std::abs(determinant(F));
  const Mat3<double> kirchhoff = times_transpose(P, F);
  const double mean = trace(kirchhoff) / 3;
  Mat3<double> deviator = kirchhoff;
  for (int i = 0; i < 3; ++i) deviator(i, i) -= mean;
  const double norm = std::sqrt(1.5 * squared_norm(deviator));
  return J > 0 ? norm / J : 0;
}

}  // namespace

void element_stresses(const Model& model, const std::vector<Mat3<double>>& gradients,
                      std::vector<Mat3<double>>& stress) {
  std::fill(stress.begin(), stress.end(), Mat3<double>::zero());
  for (const ElementRange& range : model.ranges) {
    for (int b = 0; b < range.num_batches; ++b) {
      for (int lane = 0; lane < lanes; ++lane) {
        const auto local = static_cast<std::size_t>(b);
        const auto l = static_cast<std::size_t>(lane);
        const int index =
            model.tet_of_lane[static_cast<std::size_t>(range.first_batch + b) * lanes + l];
        if (index < 0) continue;
        const auto tet = static_cast<std::size_t>(index);
        const Mat3<double>& F = gradients[tet];
        double parameters[4] = {};
        for (int p = 0; p < range.num_parameters; ++p) {
          parameters[p] = range.parameter(local * lanes + l, p);
        }
        Mat3<double> P;
        std::visit(
            [&](const auto& family) {
              family.template at<double>(parameters).energy_and_stress(F, P);
            },
            range.material);
        for (int k = 0; k < range.num_fibers; ++k) {
          Mat3<double> extra;
          fiber_of(range, local, l, k).energy_and_stress(F, extra);
          P = P + extra;
        }
        stress[tet] = stress[tet] + P;
      }
    }
  }
}

ElementMeasures measure_elements(const Model& model, const VectorField& x) {
  const std::vector<Mat3<double>> gradients = deformation_gradients(model, x);
  const std::size_t n = gradients.size();
  std::vector<Mat3<double>> stress(n);
  element_stresses(model, gradients, stress);
  ElementMeasures result{std::vector<double>(n), std::vector<double>(n), std::vector<Vec3>(n)};
  for (std::size_t tet = 0; tet < n; ++tet) {
    const Svd<double> decomposition = svd(gradients[tet]);
    result.determinant[tet] = determinant(gradients[tet]);
    result.von_mises[tet] = von_mises(gradients[tet], stress[tet]);
    result.stretches[tet] = {decomposition.s[0], decomposition.s[1], decomposition.s[2]};
  }
  return result;
}

int count_inverted(const Model& model, const VectorField& x, Threads& threads) {
  const ElementKernels& kernels = element_kernels(simd_level_in_use());
  std::atomic<int> inverted{0};  // whole numbers: their sum does not depend on the order
  threads.parallel_for(static_cast<int>(model.blocks.size()), [&](int i) {
    const ElementBlock& block = model.blocks[static_cast<std::size_t>(i)];
    if (model.ranges[static_cast<std::size_t>(block.range)].layer > 0) return;  // counted already
    inverted += kernels.count_inverted(
        &model.batches()[static_cast<std::size_t>(block.first_batch)], block.num_batches, x.data());
  });
  return inverted;
}

double energy_at_rest(const Body& body) {
  using namespace vec3;
  double sum = 0;
  for (std::size_t t = 0; t < body.mesh.tets.size(); ++t) {
    const auto corner = [&](std::size_t c) -> const Vec3& {
      return body.mesh.vertices[static_cast<std::size_t>(body.mesh.tets[t][c])];
    };
    const Vec3 first = corner(1) - corner(0), second = corner(2) - corner(0);
    const double volume = std::abs(dot(cross(first, second), corner(3) - corner(0))) / 6;
    const auto add = [&](const MaterialSettings& material) {
      if (material.model != "stable_neo_hookean") return;
      const StableNeoHookean<double> model{material.mu[t], material.lambda[t]};
      sum += volume * model.energy_density(Mat3<double>::identity());
    };
    const Vec3 center = 0.25 * (corner(0) + corner(1) + corner(2) + corner(3));
    const auto choice = static_cast<std::size_t>(settings_at(body, center));
    add(choice == 0 ? body.material : body.regions[choice - 1].material);
    for (const MaterialSettings& layer : body.layers) add(layer);
  }
  return sum;
}

double box_diagonal(const Model& model, std::size_t body) {
  double diagonal2 = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (int i = model.body_vertices[body]; i < model.body_vertices[body + 1]; ++i) {
      const double x = model.rest[static_cast<std::size_t>(i)][k];
      low = std::min(low, x);
      high = std::max(high, x);
    }
    if (high > low) diagonal2 += (high - low) * (high - low);
  }
  return std::sqrt(diagonal2);
}

}  // namespace supple
