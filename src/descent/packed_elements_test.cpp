#include "descent/packed_elements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "descent/element_energy.h"
#include "descent/test_problem.h"
#include "materials/fiber.h"
#include "materials/visit.h"

namespace supple {
namespace {

/// Rounding of sums of a few products.
constexpr double rounding = 1e-14;

double dot(const double (&Q)[3][3], int a, int b) {
  return Q[0][a] * Q[0][b] + Q[1][a] * Q[1][b] + Q[2][a] * Q[2][b];
}

/// Rows g = T Q^T again.
double largest_difference(const RestFrame& frame, const Vec3 (&g)[3]) {
  const double L[3][3] = {
      {frame.T[0], 0, 0}, {frame.T[1], frame.T[2], 0}, {frame.T[3], frame.T[4], frame.T[5]}};
  double largest = 0;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      double value = 0;
      for (std::size_t k = 0; k < 3; ++k) value += L[r][k] * frame.Q[c][k];
      largest = std::max(largest, std::abs(value - g[r][c]));
    }
  }
  return largest;
}

TEST(RestFrame, IsATriangleTimesARotation) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 200; ++trial) {
    Vec3 g[3];
    for (Vec3& row : g) row = {uniform(generator), uniform(generator), uniform(generator)};
    const double size = std::pow(10.0, 3 * uniform(generator));
    // Rows that are nearly parallel, as those of slivers are.
    if (trial % 2 == 0) {
      for (std::size_t k = 0; k < 3; ++k) g[1][k] = g[0][k] + 1e-7 * g[1][k];
    }
    for (Vec3& row : g) {
      for (double& value : row) value *= size;
    }
    const RestFrame frame = rest_frame(g[0], g[1], g[2]);
    EXPECT_LT(largest_difference(frame, g), rounding * size);
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) EXPECT_NEAR(dot(frame.Q, a, b), a == b ? 1 : 0, rounding);
    }
    // Of the three axes the last closes a right-handed frame, whatever the rows are.
    const auto& Q = frame.Q;
    EXPECT_GT(Q[0][2] * (Q[1][0] * Q[2][1] - Q[2][0] * Q[1][1]) +
                  Q[1][2] * (Q[2][0] * Q[0][1] - Q[0][0] * Q[2][1]) +
                  Q[2][2] * (Q[0][0] * Q[1][1] - Q[1][0] * Q[0][1]),
              0.99);
    EXPECT_GT(frame.T[0], 0);
    EXPECT_GT(frame.T[2], 0);
  }
}

/// A tet of a packed pair: its corners as the model's vertices, the lone one last.
std::array<int, 4> vertices_of(const PackedElements& packed, const ElementBlock& block,
                               const PackedPair& pair, int side, int lane) {
  std::array<int, 4> vertices{};
  for (int c = 0; c < 4; ++c) {
    const int corner = c < 3 ? c : 3 + side;
    vertices[static_cast<std::size_t>(c)] = packed.vertex_of_slot[static_cast<std::size_t>(
        block.first_slot + pair.slot[corner][lane].number / 4)];
  }
  return vertices;
}

/// By its corners, ascending.
using TetsByCorners = std::map<std::array<int, 4>, int>;

TetsByCorners tets_by_corners(const Model& model) {
  TetsByCorners tets;
  for (int t = 0; t < model.num_tets; ++t) {
    std::array<int, 4> corners = model.tets[static_cast<std::size_t>(t)];
    std::sort(corners.begin(), corners.end());
    tets[corners] = t;
  }
  return tets;
}

/// Calls do_tet(range, place in its packed numbers, tet of the model, pair, side, lane) for all
/// that have a volume.
template <class DoTet>
void for_each_packed(const PackedElements& packed, const Model& model, const DoTet& do_tet) {
  const TetsByCorners tets = tets_by_corners(model);
  for (std::size_t b = 0; b < model.blocks.size(); ++b) {
    const ElementBlock& block = model.blocks[b];
    const auto range = static_cast<std::size_t>(block.range);
    EXPECT_LE(block.num_slots, most_slots);
    for (int p = packed.block_start[b]; p < packed.block_start[b + 1]; ++p) {
      const PackedPair& pair = packed.pairs[static_cast<std::size_t>(p)];
      for (int side = 0; side < 2; ++side) {
        for (int lane = 0; lane < lanes; ++lane) {
          if (pair.volume[side][lane] == 0) continue;
          std::array<int, 4> corners = vertices_of(packed, block, pair, side, lane);
          std::sort(corners.begin(), corners.end());
          ASSERT_TRUE(tets.contains(corners));
          do_tet(range, 2 * (p - packed.ranges[range].first_pair) + side, tets.at(corners), pair,
                 side, lane);
        }
      }
    }
  }
}

TEST(PackedElements, HoldEveryTetOnceWithItsVolumeAndItsShape) {
  const Model model = build_model(test::test_scene(true));
  const PackedElements packed(model);
  std::vector<int> seen(model.tets.size());
  for_each_packed(
      packed, model, [&](std::size_t, int, int tet, const PackedPair& pair, int side, int lane) {
        const auto t = static_cast<std::size_t>(tet);
        ++seen[t];
        EXPECT_EQ(pair.volume[side][lane], model.volume[t]);
        // det Dm = 6 V, of one of the two with its corners in left-handed order.
        const double det =
            pair.rest[side][0][lane] * pair.rest[side][2][lane] * pair.rest[side][5][lane];
        EXPECT_NEAR(std::abs(6 * model.volume[t] * det), 1, 1e-13);
      });
  EXPECT_TRUE(std::ranges::all_of(seen, [](int count) { return count == 1; }));
  // Few lanes are empty: what a pair saves is not lost by tets alone.
  Scene scene = test::test_scene();
  scene.bodies[0].mesh = generate(BoxGenerator{.cells = {12, 12, 12}});
  const Model large = build_model(scene);
  EXPECT_LE(PackedElements(large).pairs.size() * 2 * lanes, large.tets.size() * 21 / 20);
}

TEST(PackedElements, KeepParametersOnceWhereAllAreTheSame) {
  Scene scene = test::test_scene();
  const Model model = build_model(scene);
  const PackedElements packed(model);
  ASSERT_EQ(packed.ranges.size(), 2U);
  for (std::size_t r = 0; r < 2; ++r) {
    const ElementRange& range = model.ranges[r];
    const PackedElements::Range& own = packed.ranges[r];
    EXPECT_EQ(own.parameter_stride, 0);
    ASSERT_EQ(own.parameters.size(), static_cast<std::size_t>(range.num_parameters) * lanes);
    for (std::size_t i = 0; i < own.parameters.size(); ++i) {
      EXPECT_EQ(own.parameters[i], range.parameters[i]);
    }
  }
  scene.bodies[0].regions[0].material.model = "neo_hookean";  // one range of two stiffnesses
  const Model mixed = build_model(scene);
  const PackedElements both(mixed);
  ASSERT_EQ(both.ranges.size(), 1U);
  const ElementRange& range = mixed.ranges[0];
  EXPECT_EQ(both.ranges[0].parameter_stride, range.num_parameters * lanes);
  // Of each tet its own, which the model keeps elsewhere.
  std::vector<std::vector<double>> expected(mixed.tets.size());
  for (std::size_t i = 0; i < mixed.tet_of_lane.size(); ++i) {
    if (mixed.tet_of_lane[i] < 0) continue;
    for (int p = 0; p < range.num_parameters; ++p) {
      const std::size_t row = i / lanes * static_cast<std::size_t>(range.num_parameters);
      expected[static_cast<std::size_t>(mixed.tet_of_lane[i])].push_back(
          range.parameters[(row + static_cast<std::size_t>(p)) * lanes + i % lanes]);
    }
  }
  std::set<double> different;
  for_each_packed(
      both, mixed, [&](std::size_t, int place, int tet, const PackedPair&, int, int lane) {
        for (int p = 0; p < range.num_parameters; ++p) {
          const double value = both.ranges[0].parameters[static_cast<std::size_t>(
              (place * range.num_parameters + p) * lanes + lane)];
          EXPECT_EQ(value, expected[static_cast<std::size_t>(tet)][static_cast<std::size_t>(p)]);
          different.insert(value);
        }
      });
  EXPECT_GE(different.size(), 3U);
}

/// The same energy and forces tet by tet with the whole Dm^-1, without a frame of its own.
struct Plain {
  double energy = 0;
  VectorField gradient;

  Plain(const Model& model, const VectorField& x)
      : gradient(static_cast<std::size_t>(model.num_vertices)) {
    const std::vector<Mat3<double>> gradients = deformation_gradients(model, x);
    for (const ElementRange& range : model.ranges) {
      visit_model(range.material, [&](const auto& family) {
        const auto count = static_cast<std::size_t>(range.num_parameters);
        for (int i = 0; i < range.num_batches * lanes; ++i) {
          const int tet =
              model.tet_of_lane[static_cast<std::size_t>(range.first_batch * lanes + i)];
          if (tet < 0) continue;
          const auto b = static_cast<std::size_t>(i / lanes),
                     lane = static_cast<std::size_t>(i % lanes);
          std::vector<double> parameters(count + 1);
          for (std::size_t p = 0; p < count; ++p) {
            parameters[p] = range.parameters[(b * count + p) * lanes + lane];
          }
          const auto t = static_cast<std::size_t>(tet);
          const Mat3<double>& F = gradients[t];
          Mat3<double> P;
          double density = family.template at<double>(parameters.data()).energy_and_stress(F, P);
          if (range.has_fiber) {
            const double* f = &range.fibers[b * 4 * lanes + lane];
            const Fiber<double> fiber{{{f[0], f[lanes], f[2 * lanes]}}, f[3 * lanes]};
            Mat3<double> extra;
            density += fiber.energy_and_stress(F, extra);
            P = P + extra;
          }
          energy += model.volume[t] * density;
          for (std::size_t c = 0; c < 4; ++c) {
            const Vec3& g = model.shape_gradient[t][c];
            for (int r = 0; r < 3; ++r) {
              gradient[static_cast<std::size_t>(model.tets[t][c])][r] +=
                  model.volume[t] * (P(r, 0) * g[0] + P(r, 1) * g[1] + P(r, 2) * g[2]);
            }
          }
        }
      });
    }
  }
};

TEST(PackedElements, HaveTheEnergyAndTheForcesOfTheModel) {
  const char* const materials[] = {"neo_hookean", "stable_neo_hookean", "corotated", "arap",
                                   "stvk",        "polynomial"};
  for (const char* name : materials) {
    for (const bool has_fiber : {false, true}) {
      Scene scene = test::test_scene(has_fiber, name);
      const Model model = build_model(scene);
      const VectorField x = test::deformed(model, 0.1);
      const Plain plain(model, x);
      ElementEnergy elements(model);
      Threads threads(1);
      const double energy = elements.evaluate(x, threads);
      // Rounding of the densities' terms, which are larger than the energy that they leave.
      EXPECT_NEAR(energy, plain.energy, 1e-11 * plain.energy) << name << " " << has_fiber;
      double size = 0;
      for (const PaddedVector& g : plain.gradient) {
        for (int k = 0; k < 3; ++k) size = std::max(size, std::abs(g[k]));
      }
      for (std::size_t v = 0; v < x.size(); ++v) {
        const PaddedVector g = elements.gradient_of_vertex(static_cast<int>(v));
        for (int k = 0; k < 3; ++k) {
          EXPECT_NEAR(g[k], plain.gradient[v][k], 1e-11 * size) << name << " " << has_fiber;
        }
        EXPECT_EQ(g[3], 0);
      }
    }
  }
}

TEST(PackedElements, CountInvertedTetsOnceForAllLayers) {
  Scene scene = test::test_scene();
  MaterialSettings layer;
  layer.model = "arap";
  layer.mu = 1e3;
  scene.bodies[0].layers.push_back(layer);
  const Model model = build_model(scene);
  Threads threads(2);
  ElementEnergy elements(model);
  std::set<int> counts;
  for (const double amount : {0.0, 0.1, 0.3, 0.6}) {
    const VectorField x = test::deformed(model, amount);
    elements.evaluate(x, threads);
    int expected = 0;
    for (const Mat3<double>& F : deformation_gradients(model, x)) {
      if (determinant(F) < 0) ++expected;
    }
    EXPECT_EQ(elements.num_inverted(), expected);
    counts.insert(expected);
  }
  EXPECT_EQ(*counts.begin(), 0);
  EXPECT_GE(counts.size(), 3U);
}

TEST(PackedElements, FollowTheModel) {
  Scene scene = test::test_scene();
  Model model = build_model(scene);
  const VectorField x = test::deformed(model, 0.1);
  ElementEnergy elements(model);
  Threads threads(1);
  const double before = elements.evaluate(x, threads);
  // Twice what test_scene has.
  scene.bodies[0].material.mu = 8e4;
  scene.bodies[0].material.lambda = 12e4;
  scene.bodies[0].regions[0].material.mu = 4e4;
  scene.bodies[0].regions[0].material.lambda = 2e4;
  static_cast<ElementLayout&>(model) = lay_out_materials(scene, model);
  elements.elements_changed();
  // Every term has a factor of two, which is exact.
  EXPECT_EQ(elements.evaluate(x, threads), 2 * before);
}

}  // namespace
}  // namespace supple
