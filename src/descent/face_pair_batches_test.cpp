#include "elements/face_pair_batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "descent/test_problem.h"
#include "elements/element_energy.h"
#include "materials/test_own_energies.h"
#include "materials/visit.h"
#include "model/range_fibers.h"
#include "supple/error.h"

namespace supple {
namespace {

/// Rounding of sums of a few products.
constexpr double rounding = 1e-14;

double dot(const double (&Q)[3][3], int a, int b) {
  return Q[0][a] * Q[0][b] + Q[1][a] * Q[1][b] + Q[2][a] * Q[2][b];
}

Vec3 times(const Vec3& a, double s) { return {a[0] * s, a[1] * s, a[2] * s}; }

/// Q^T E, m.
Vec3 turned(const RestFace& face, const Vec3& E) {
  Vec3 X{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) X[i] += face.Q[k][i] * E[k];
  }
  return X;
}

TEST(RestPair, IsATriangleTimesARotationThatBothTetsShare) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 200; ++trial) {
    Vec3 E[3];
    for (Vec3& edge : E) edge = {uniform(generator), uniform(generator), uniform(generator)};
    const double size = std::pow(10.0, 3 * uniform(generator));
    // Edges that are nearly parallel, as those of slivers are.
    double skew = 1;
    if (trial % 2 == 0) {
      skew = 1e-7;
      for (std::size_t k = 0; k < 3; ++k) E[1][k] = E[0][k] + skew * E[1][k];
    }
    for (Vec3& edge : E) edge = times(edge, size);
    const RestFace face = rest_face(E[0], E[1]);
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) EXPECT_NEAR(dot(face.Q, a, b), a == b ? 1 : 0, rounding);
    }
    const auto& Q = face.Q;
    EXPECT_GT(Q[0][2] * (Q[1][0] * Q[2][1] - Q[2][0] * Q[1][1]) +
                  Q[1][2] * (Q[2][0] * Q[0][1] - Q[0][0] * Q[2][1]) +
                  Q[2][2] * (Q[0][0] * Q[1][1] - Q[1][0] * Q[0][1]),
              0.99);
    EXPECT_GT(face.T[0], 0);
    EXPECT_GT(face.T[2], 0);
    // T Q^T Dm = 1 for a lone corner on either side of the face.
    for (const double sign : {1.0, -1.0}) {
      const double det = sign * turned(face, E[2])[2] / (face.T[0] * face.T[2]);
      const auto apex = rest_apex(face, times(E[2], sign), det);
      const double T[3][3] = {
          {face.T[0], face.T[1], apex[0]}, {0, face.T[2], apex[1]}, {0, 0, apex[2]}};
      for (std::size_t c = 0; c < 3; ++c) {
        const Vec3 X = turned(face, times(E[c], c == 2 ? sign : 1));
        for (std::size_t r = 0; r < 3; ++r) {
          double value = 0, terms = 0;
          for (std::size_t k = 0; k < 3; ++k) {
            value += T[r][k] * X[k];
            terms += std::abs(T[r][k]) * size;
          }
          EXPECT_NEAR(value, r == c ? 1 : 0, 4 * rounding * terms) << trial;
        }
      }
      EXPECT_EQ(std::signbit(apex[2]), std::signbit(sign * turned(face, E[2])[2]));
    }
  }
}

/// A tet of a packed pair: its corners as the model's vertices, the lone one last.
std::array<int, 4> vertices_of(const FacePairBatches& packed, const ElementBlock& block,
                               const FacePairBatch& pair, int side, int lane) {
  std::array<int, 4> vertices{};
  for (int c = 0; c < 4; ++c) {
    const int corner = c < 3 ? c : 3 + side;
    vertices[static_cast<std::size_t>(c)] = packed.vertex_of_slot[static_cast<std::size_t>(
        block.first_slot + pair.slot[corner][lane].number / 4)];
  }
  return vertices;
}

/// The number of each tet by its corners, ascending.
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

/// Where a tet with a volume is packed.
struct PackedTet {
  int row;  ///< of its range's parameters
  int lane;
  int tet;             ///< of the model
  double volume;       ///< m^3
  double inverse_det;  ///< 1/det Dm, 1/m^3
};

std::vector<PackedTet> tets_of(const FacePairBatches& packed, const Model& model) {
  const TetsByCorners tets = tets_by_corners(model);
  std::vector<PackedTet> result;
  for (std::size_t b = 0; b < model.blocks.size(); ++b) {
    const ElementBlock& block = model.blocks[b];
    const int first = packed.ranges[static_cast<std::size_t>(block.range)].first_pair;
    EXPECT_LE(block.num_slots, most_slots);
    for (int p = packed.block_start[b]; p < packed.block_start[b + 1]; ++p) {
      const FacePairBatch& pair = packed.pairs[static_cast<std::size_t>(p)];
      for (int side = 0; side < 2; ++side) {
        for (int lane = 0; lane < lanes; ++lane) {
          if (pair.volume[side][lane] == 0) continue;
          std::array<int, 4> corners = vertices_of(packed, block, pair, side, lane);
          std::sort(corners.begin(), corners.end());
          result.push_back({2 * (p - first) + side, lane, tets.at(corners), pair.volume[side][lane],
                            pair.face[0][lane] * pair.face[2][lane] * pair.apex[side][2][lane]});
        }
      }
    }
  }
  return result;
}

TEST(FacePairBatches, HoldEveryTetOnceWithItsVolume) {
  const Model model = build_model(test::test_scene());
  const FacePairBatches packed(model);
  std::vector<int> seen(model.tets.size());
  int left_handed = 0;
  for (const PackedTet& packed_tet : tets_of(packed, model)) {
    const auto t = static_cast<std::size_t>(packed_tet.tet);
    ++seen[t];
    EXPECT_EQ(packed_tet.volume, model.volume[t]);
    EXPECT_NEAR(std::abs(6 * model.volume[t] * packed_tet.inverse_det), 1, 1e-13);
    if (packed_tet.inverse_det < 0) ++left_handed;
  }
  EXPECT_TRUE(std::ranges::all_of(seen, [](int count) { return count == 1; }));
  EXPECT_GT(left_handed, 0);
}

TEST(FacePairBatches, NoTetIsInvertedAtRestHoweverFlat) {
  // Tets as flat as a model accepts: their volume is a few roundings.
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int nearly_flat = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Scene scene;
    scene.bodies.emplace_back();
    TetMesh& mesh = scene.bodies[0].mesh;
    for (int v = 0; v < 4; ++v) {
      mesh.vertices.push_back({uniform(generator), uniform(generator), uniform(generator)});
    }
    // The last corner is almost in the plane of the others.
    const auto& X = mesh.vertices;
    const double a = uniform(generator), b = uniform(generator);
    for (std::size_t k = 0; k < 3; ++k) {
      mesh.vertices[3][k] =
          X[0][k] + a * (X[1][k] - X[0][k]) + b * (X[2][k] - X[0][k]) + 3e-15 * uniform(generator);
    }
    mesh.tets = {{0, 1, 2, 3}};
    scene.bodies[0].material.model = "neo_hookean";
    scene.bodies[0].material.mu = scene.bodies[0].material.lambda = 1e4;
    try {
      const Model model = build_model(scene);
      for (const PackedTet& tet : tets_of(FacePairBatches(model), model)) {
        ++nearly_flat;
        // A single tet is packed with its corners in their own order.
        EXPECT_GT(tet.inverse_det, 0) << trial;
        EXPECT_NEAR(6 * model.volume[0] * tet.inverse_det, 1, 1e-13);
      }
    } catch (const Error&) {
      // No volume at all.
    }
  }
  EXPECT_GT(nearly_flat, 50);
}

TEST(FacePairBatches, LeaveFewLanesEmpty) {
  Scene scene = test::test_scene();
  scene.bodies[0].mesh = generate(BoxGenerator{.cells = {12, 12, 12}});
  const Model model = build_model(scene);
  const FacePairBatches packed(model);
  // So few tets are packed alone that they do not cost what pairs save.
  EXPECT_LE(packed.pairs.size() * 2 * lanes, model.tets.size() * 21 / 20);
}

TEST(FacePairBatches, KeepParametersOnceWhereAllAreTheSame) {
  Scene scene = test::test_scene();
  const Model model = build_model(scene);
  const FacePairBatches packed(model);
  ASSERT_EQ(packed.ranges.size(), 2U);
  for (std::size_t r = 0; r < 2; ++r) {
    const ElementRange& range = model.ranges[r];
    const FacePairBatches::Range& own = packed.ranges[r];
    EXPECT_EQ(own.parameter_stride, 0);
    ASSERT_EQ(own.parameters.size(), static_cast<std::size_t>(range.num_parameters) * lanes);
    for (std::size_t i = 0; i < own.parameters.size(); ++i) {
      EXPECT_EQ(own.parameters[i], range.parameters[i]);
    }
  }
  scene.bodies[0].regions[0].material.model = "neo_hookean";  // one range of two stiffnesses
  const Model mixed = build_model(scene);
  const FacePairBatches both(mixed);
  ASSERT_EQ(both.ranges.size(), 1U);
  const ElementRange& range = mixed.ranges[0];
  EXPECT_EQ(both.ranges[0].parameter_stride, range.num_parameters * lanes);
  // Each tet has parameters of its own, which the model keeps elsewhere.
  std::vector<std::vector<double>> expected(mixed.tets.size());
  for (std::size_t i = 0; i < mixed.tet_of_lane.size(); ++i) {
    if (mixed.tet_of_lane[i] < 0) continue;
    for (int p = 0; p < range.num_parameters; ++p) {
      expected[static_cast<std::size_t>(mixed.tet_of_lane[i])].push_back(range.parameter(i, p));
    }
  }
  std::set<double> different;
  for (const PackedTet& packed_tet : tets_of(both, mixed)) {
    for (int p = 0; p < range.num_parameters; ++p) {
      const double value = both.ranges[0].parameters[static_cast<std::size_t>(
          (packed_tet.row * range.num_parameters + p) * lanes + packed_tet.lane)];
      EXPECT_EQ(value,
                expected[static_cast<std::size_t>(packed_tet.tet)][static_cast<std::size_t>(p)]);
      different.insert(value);
    }
  }
  EXPECT_GE(different.size(), 3U);
}

/// The same energy and forces tet by tet with the whole Dm^-1, without frames.
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
            parameters[p] = range.parameter(b * lanes + lane, static_cast<int>(p));
          }
          const auto t = static_cast<std::size_t>(tet);
          const Mat3<double>& F = gradients[t];
          Mat3<double> P;
          double density = family.template at<double>(parameters.data()).energy_and_stress(F, P);
          for (int k = 0; k < range.num_fibers; ++k) {
            Mat3<double> extra;
            density += fiber_of(range, b, lane, k).energy_and_stress(F, extra);
            P = P + extra;
          }
          energy += model.elastic_volume(t) * density;
          for (std::size_t c = 0; c < 4; ++c) {
            const Vec3 g = model.elastic_gradients(t)[c];
            for (int r = 0; r < 3; ++r) {
              gradient[static_cast<std::size_t>(model.tets[t][c])][r] +=
                  model.elastic_volume(t) * (P(r, 0) * g[0] + P(r, 1) * g[1] + P(r, 2) * g[2]);
            }
          }
        }
      });
    }
  }
};

TEST(FacePairBatches, HaveTheEnergyAndTheForcesOfTheModel) {
  const char* const materials[] = {"neo_hookean", "stable_neo_hookean", "corotated", "arap",
                                   "stvk",        "polynomial",         "own"};
  for (const char* name : materials) {
    for (const int kind : {0, 1, 2, 3}) {
      const bool has_fiber = kind % 2 == 1, changes = kind >= 2;
      Scene scene = test::test_scene(has_fiber, name);
      if (name == std::string(OwnModel::name)) {
        scene.bodies[0].material = changes ? own_material(testing::OwnNeoHookean{4e4, 6e4})
                                           : own_material(testing::Artery{4e4, 6e4, 8e4, 0.4});
      }
      if (changes) {
        scene.bodies[0].growth = {
            {.stretch = 1.3, .direction = Vec3{1, 2, 0}, .box = {{-9, -9, -9}, {9, 9, 0}}}};
        if (!has_fiber) scene.bodies[0].material.plasticity.emplace();
      }
      Model model = build_model(scene);
      const VectorField x = test::deformed(model, 0.1);
      ElementEnergy elements(model);
      if (changes) {
        std::mt19937 generator(9);
        std::uniform_real_distribution<double> uniform(-0.2, 0.2);
        std::vector<PlasticStrain> plastic(model.tets.size());
        for (PlasticStrain& own : plastic) {
          for (int i = 0; i < 9; ++i) own.F(i / 3, i % 3) += uniform(generator);
          own.F = (1 / std::cbrt(determinant(own.F))) * own.F;
        }
        // A tet that only grows does not flow; here it does.
        write_rest_shapes(model, plastic);
        elements.shapes_changed(false);
      }
      const Plain plain(model, x);
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

TEST(FacePairBatches, CountInvertedTetsOnceForAllLayers) {
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

TEST(FacePairBatches, FollowTheModel) {
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
