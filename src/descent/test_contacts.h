#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <numeric>
#include <span>
#include <vector>

#include "base/index.h"
#include "descent/contact_system.h"
#include "descent/laplacian.h"
#include "math/vec3.h"
#include "supple/mesh.h"

/// Dense algebra that the systems of contacts are tested against.
namespace supple {

/// A block, pinned in `pinned`, and a sheet of springs.
inline Scene block_and_sheet(const Box& pinned, double pin_stiffness) {
  Body block{.mesh = generate(BoxGenerator{.size = {1, 1, 1}, .cells = {5, 5, 5}})};
  const auto [mu, lambda] = lame_parameters(1e5, 0.4);
  block.material = {.model = "stable_neo_hookean", .mu = mu, .lambda = lambda};
  block.pins = {Pin{.box = pinned, .stiffness = pin_stiffness}};
  const SpringMesh cloth = generate(ClothGenerator{.cells = {9, 9}});
  Body sheet;
  sheet.mesh.vertices = cloth.vertices;
  sheet.triangles = cloth.triangles;
  sheet.springs = make_springs(cloth, {50, 50, 5});
  sheet.density = 0.2;
  Scene scene;
  scene.bodies = {block, sheet};
  return scene;
}

/// A^-1 of a model in elimination order, m/N.
inline Eigen::MatrixXd dense_inverse(const Model& model, double inverse_a2) {
  std::vector<int> order(at(model.num_vertices));
  std::iota(order.begin(), order.end(), 0);
  Eigen::MatrixXd A = laplacian_lower(model, inverse_a2, order);
  A = Eigen::MatrixXd(A.selfadjointView<Eigen::Lower>());
  return A.llt().solve(Eigen::MatrixXd::Identity(A.rows(), A.rows()));
}

/// C + K^-1 of these rows, m/N. between(a, b): A^-1 between two vertices; `learnt` is added.
template <class Between>
Eigen::MatrixXd dense_system(std::span<const ContactRow> rows, const Between& between,
                             const LowRank& learnt = {}) {
  const auto n = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd S(n, n);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const ContactPoint &a = rows[i].point, &b = rows[j].point;
      double sum = 0;
      for (int k = 0; k < a.count; ++k) {
        for (int l = 0; l < b.count; ++l)
          sum += a.weights[k] * b.weights[l] * between(a.vertices[k], b.vertices[l]);
      }
      sum *= vec3::dot(rows[i].direction, rows[j].direction);
      for (std::size_t k = 0; k < learnt.count; ++k)
        sum += learnt.left[i * learnt.count + k] * learnt.right[j * learnt.count + k];
      S(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = sum;
    }
    const auto own = static_cast<Eigen::Index>(i);
    S(own, own) += 1 / rows[i].stiffness;
  }
  return S;
}

}  // namespace supple
