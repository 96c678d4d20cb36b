#include "descent/hessian.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/index.h"
#include "descent/laplacian.h"
#include "descent/test_problem.h"
#include "elements/vertex_adjacency.h"
#include "materials/test_own_energies.h"
#include "model/range_fibers.h"

/// The assembled matrix against the plain sum of the elements' Hessians.
namespace supple {
namespace {

using test::deformed;
using test::h;

constexpr double inverse_a2 = 1 / (h * h);
constexpr NegativeEigenvalues all_modes[] = {NegativeEigenvalues::keep, NegativeEigenvalues::clamp,
                                             NegativeEigenvalues::absolute};

/// Everything that adds to the matrix but contacts: two materials of more than one block of batches
/// each, two layers (one of the program's own, whose directions are not those of the stretches),
/// fibers, springs and pins.
Scene everything() {
  Scene scene = test::test_scene(true);
  Body& block = scene.bodies[0];
  block.mesh = generate(BoxGenerator{.cells = {8, 8, 6}, .tets_per_cell = 6});
  MaterialSettings layer;
  layer.model = "stvk";
  layer.mu = 1e4;
  layer.lambda = 2e4;
  block.layers.push_back(layer);
  block.layers.push_back(own_material(testing::Artery{2e3, 8e3, 9e3, 0.002}));
  block.springs = {{0, 35, 500, 1}, {3, 0, 800, 0.2}, {7, 21, 300, 0}, {35, 0, 200, 2}};
  return scene;
}

/// Adds K to the rows of vertex a and the columns of vertex b.
void add(Eigen::MatrixXd& H, int a, int b, const Eigen::Matrix3d& K) {
  H.block<3, 3>(Eigen::Index{3} * a, Eigen::Index{3} * b) += K;
}

Hessian9 hessian_of(const OwnModel& own, const Mat3<double>& F, NegativeEigenvalues mode) {
  OwnBlock block{};
  for (int i = 0; i < 9; ++i) std::fill_n(block.F[i], OwnBlock::size, F(i / 3, i % 3));
  double lower[own_entries][OwnBlock::size];
  own.energy->hessian(block.F, lower);
  if (mode != NegativeEigenvalues::keep) mend_hessians(lower, mode);
  Hessian9 H;
  for (int i = 0; i < 81; ++i) H[at(i / 9)][at(i % 9)] = lower[own_entry(i / 9, i % 9)][0];
  return H;
}

/// d2Psi/dF2 of one lane, Pa.
Hessian9 of_lane(const ElementRange& range, std::size_t lane, const Mat3<double>& F,
                 NegativeEigenvalues mode) {
  const std::size_t batch = lane / lanes, in_batch = lane % lanes;
  Hessian9 H = std::visit(
      [&](const auto& family) {
        const auto count = static_cast<std::size_t>(range.num_parameters);
        double parameters[8] = {};
        for (std::size_t p = 0; p < count; ++p) {
          parameters[p] = range.parameter(lane, static_cast<int>(p));
        }
        if constexpr (is_own<decltype(family)>) {
          return hessian_of(family, F, mode);
        } else {
          return hessian(family.template at<double>(parameters), F, mode);
        }
      },
      range.material);
  for (int family = 0; family < range.num_fibers; ++family) {
    const Fiber<double> fiber = fiber_of(range, batch, in_batch, family);
    const Mat3<double> B = fiber.hessian_block(F, mode);
    for (int i = 0; i < 9; ++i) {
      for (int k = 0; k < 9; ++k) {
        H[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] +=
            B(i / 3, k / 3) * fiber.direction[i % 3] * fiber.direction[k % 3];
      }
    }
  }
  return H;
}

void add_tet(const Model& model, std::size_t tet, const Hessian9& density, Eigen::MatrixXd& H) {
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 4; ++b) {
      Eigen::Matrix3d K = Eigen::Matrix3d::Zero();
      for (std::size_t i = 0; i < 9; ++i) {
        for (std::size_t k = 0; k < 9; ++k) {
          K(static_cast<int>(i / 3), static_cast<int>(k / 3)) +=
              model.volume[tet] * density[i][k] * model.shape_gradients(tet)[a][i % 3] *
              model.shape_gradients(tet)[b][k % 3];
        }
      }
      add(H, model.tets[tet][a], model.tets[tet][b], K);
    }
  }
}

/// Rows in the order of the vertices.
Eigen::MatrixXd plain_sum(const Model& model, const VectorField& x, NegativeEigenvalues mode) {
  const Eigen::Index n = Eigen::Index{3} * model.num_vertices;
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n, n);
  for (const ElementRange& range : model.ranges) {
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(range.num_batches) * lanes; ++lane) {
      const int tet = model.tet_of_lane[static_cast<std::size_t>(range.first_batch) * lanes + lane];
      if (tet < 0) continue;
      const auto t = static_cast<std::size_t>(tet);
      Mat3<double> F = Mat3<double>::zero();
      for (std::size_t a = 0; a < 4; ++a) {
        for (int i = 0; i < 9; ++i) {
          F(i / 3, i % 3) += x[static_cast<std::size_t>(model.tets[t][a])][i / 3] *
                             model.shape_gradients(t)[a][static_cast<std::size_t>(i % 3)];
        }
      }
      add_tet(model, t, of_lane(range, lane, F, mode), H);
    }
  }
  const SpringHessian of_springs = mode == NegativeEigenvalues::keep    ? SpringHessian::exact
                                   : mode == NegativeEigenvalues::clamp ? SpringHessian::clamp
                                                                        : SpringHessian::absolute;
  for (const SpringSet::Spring& spring : model.springs.springs) {
    Eigen::Matrix3d K;
    spring_hessian(spring, x[static_cast<std::size_t>(spring.a)].v,
                   x[static_cast<std::size_t>(spring.b)].v, of_springs, K.data());
    add(H, spring.a, spring.a, K);
    add(H, spring.b, spring.b, K);
    add(H, spring.a, spring.b, -K);
    add(H, spring.b, spring.a, -K);
  }
  for (int i = 0; i < model.num_vertices; ++i) {
    add(H, i, i,
        inverse_a2 * model.mass[static_cast<std::size_t>(i)] * Eigen::Matrix3d::Identity());
  }
  for (const PinnedVertex& pin : model.pins.pins) {
    if (pin.point >= 0) continue;
    add(H, pin.vertex, pin.vertex, pin.stiffness * Eigen::Matrix3d::Identity());
  }
  for (const PinnedPoint& point : model.pins.points) {
    for (int i = 0; i < point.count; ++i) {
      for (int k = 0; k < point.count; ++k) {
        add(H, model.pins.pins[static_cast<std::size_t>(point.first + i)].vertex,
            model.pins.pins[static_cast<std::size_t>(point.first + k)].vertex,
            point.stiffness * point.weights[static_cast<std::size_t>(i)] *
                point.weights[static_cast<std::size_t>(k)] * Eigen::Matrix3d::Identity());
      }
    }
  }
  return H;
}

TEST(HessianAssembly, IsThePlainSumOfTheElementHessians) {
  Model model = build_model(everything());
  test::hold_point(model, 40, {0.1, 0.2, 0.3, 0.4}, 3e4);
  ASSERT_GT(model.blocks.size(), 4U);
  ASSERT_FALSE(model.springs.empty());
  const VectorField x = deformed(model, 0.08);
  const Adjacency adjacency = vertex_adjacency(model);
  const std::vector<int> order = fill_reducing_order(adjacency);
  HessianAssembly assembly(model, order, adjacency);
  Threads threads(1);
  for (const NegativeEigenvalues mode : all_modes) {
    const Eigen::MatrixXd expected = plain_sum(model, x, mode);
    assembly.assemble(x, inverse_a2, mode, threads);
    const Eigen::MatrixXd lower = assembly.lower();
    double difference = 0;
    for (Eigen::Index i = 0; i < lower.rows(); ++i) {
      for (Eigen::Index k = 0; k <= i; ++k) {
        const auto row = 3 * order[static_cast<std::size_t>(i / 3)] + i % 3;
        const auto column = 3 * order[static_cast<std::size_t>(k / 3)] + k % 3;
        difference = std::max(difference, std::abs(lower(i, k) - expected(row, column)));
      }
    }
    // Thirty tets at a vertex, each with a few hundred roundings, times 1/s^2 in squeezed ones.
    EXPECT_LT(difference, 1e-12 * expected.cwiseAbs().maxCoeff());
  }
}

TEST(HessianAssembly, ModesDifferWhereElementsAreIndefinite) {
  const Model model = build_model(everything());
  const VectorField x = deformed(model, 0.08);
  const Eigen::MatrixXd kept = plain_sum(model, x, NegativeEigenvalues::keep);
  const Eigen::MatrixXd clamped = plain_sum(model, x, NegativeEigenvalues::clamp);
  EXPECT_GT((clamped - kept).norm(), 1e-3 * kept.norm());
  EXPECT_GT((plain_sum(model, x, NegativeEigenvalues::absolute) - clamped).norm(),
            1e-3 * kept.norm());
}

TEST(HessianAssembly, HasTheSameBitsOnAnyNumberOfThreadsAndAgain) {
  const Model model = build_model(everything());
  const Adjacency adjacency = vertex_adjacency(model);
  const std::vector<int> order = fill_reducing_order(adjacency);
  HessianAssembly assembly(model, order, adjacency);
  for (const NegativeEigenvalues mode : all_modes) {
    std::vector<double> expected;
    for (const int count : {1, 2, 3, 1}) {
      Threads threads(count);
      // What was there before must not show.
      assembly.assemble(deformed(model, 0.2, 9), inverse_a2, mode, threads);
      assembly.assemble(deformed(model, 0.08), inverse_a2, mode, threads);
      const double* values = assembly.lower().valuePtr();
      const std::vector<double> found(values, values + assembly.lower().nonZeros());
      if (expected.empty()) expected = found;
      EXPECT_EQ(found, expected) << count << " threads";
    }
  }
}

TEST(HessianAssembly, ThePatternIsThatOfTheVertices) {
  const Model model = build_model(everything());
  const Adjacency adjacency = vertex_adjacency(model);
  const std::vector<int> order = fill_reducing_order(adjacency);
  const HessianAssembly assembly(model, order, adjacency);
  const SpdSolver::Matrix& lower = assembly.lower();
  // Six entries for each vertex and nine for each edge, once.
  EXPECT_EQ(lower.nonZeros(), 6 * static_cast<Eigen::Index>(order.size()) +
                                  9 * static_cast<Eigen::Index>(adjacency.neighbour.size()) / 2);
  for (Eigen::Index column = 0; column < lower.cols(); ++column) {
    const int begin = lower.outerIndexPtr()[column], end = lower.outerIndexPtr()[column + 1];
    ASSERT_LT(begin, end);
    EXPECT_EQ(lower.innerIndexPtr()[begin], column);
    for (int k = begin + 1; k < end; ++k) {
      EXPECT_LT(lower.innerIndexPtr()[k - 1], lower.innerIndexPtr()[k]);
    }
  }
}

}  // namespace
}  // namespace supple
