#include "position/sheet_constraints.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

#include "position/bend_constraints.h"
#include "position/constraint_test_support.h"

namespace supple {
namespace {

using test::positions_of;
using test::rest_of;
using test::shaken;

constexpr double h = 1.0 / 60;

PositionStep step_to(const VectorField& y) { return {y, y, 1 / (h * h), h, h}; }

MaterialSettings material_of(const std::string& model) {
  MaterialSettings m;
  m.model = model;
  m.mu = 4e4;
  m.lambda = 6e4;
  if (model == "orthotropic_stvk") {
    m.warp = 2e5;
    m.weft = 1e5;
    m.shear = 3e4;
    m.poisson = 0.3;
  } else if (model == "woven_limit") {
    m.warp_limits = {0.95, 1.05};
    m.weft_limits = {0.9, 1.1};
  } else if (model == "mooney_rivlin") {
    m.c1 = 2e4;
    m.c2 = 5e3;
    m.bulk = 2e5;
  }
  return m;
}

/// A cloth of 1 m with a material and 0.2 kg/m^2.
Model sheet_model(int cells, const std::string& material, double bending,
                  BendingModel how = BendingModel::quadratic) {
  const SpringMesh mesh = generate(ClothGenerator{.cells = {cells, cells}});
  Scene scene;
  Body body;
  body.mesh.vertices = mesh.vertices;
  body.triangles = mesh.triangles;
  body.density = 0.2;
  body.material = material_of(material);
  body.membrane = MembraneSettings{.thickness = 0.001, .bending = bending, .bending_model = how};
  scene.bodies.push_back(body);
  return build_model(scene);
}

const std::vector<std::string>& materials() {
  static const std::vector<std::string> list{
      "arap",          "corotated",        "stvk",        "neo_hookean", "stable_neo_hookean",
      "mooney_rivlin", "orthotropic_stvk", "woven_limit", "strain_limit"};
  return list;
}

/// With the energy of triangles and bending.
std::pair<double, double> gradient_of_g(const Model& model, const VectorField& y,
                                        const Positions<double>& z) {
  return test::gradient_of_g(model, MembraneEnergy(model.membranes), y, z, h);
}

/// Triangles and bending, one after the other.
struct Sheet {
  explicit Sheet(const Model& model) : triangles(model), bending(model) {}
  void begin(const PositionStep& step) {
    triangles.begin(step);
    bending.begin(step);
  }
  void project(Positions<double>& z, Threads& threads) {
    triangles.project(z, threads);
    bending.project(z, threads);
  }
  SheetConstraints<double> triangles;
  BendConstraints<double> bending;
};

/// M (z - y) minus the stored impulses, largest component, kg m.
double impulse_defect(const Model& model, const Sheet& sheet, const VectorField& y,
                      const Positions<double>& z) {
  VectorField sum(y.size());
  sheet.bending.add_impulses(sum);
  const MembraneSet& set = model.membranes;
  for (int lane = 0; lane < set.num_lanes(); ++lane) {
    if (!set.is_triangle(lane)) continue;
    for (int c = 0; c < 3; ++c) {
      const Vec3 q = sheet.triangles.impulse(lane, c);
      PaddedVector& own = sum[static_cast<std::size_t>(set.vertex(lane, c))];
      for (int k = 0; k < 3; ++k) own[k] += q[static_cast<std::size_t>(k)];
    }
  }
  double worst = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      worst = std::max(worst, std::abs(model.mass[i] * (z[i][k] - y[i][k]) - sum[i][k]));
    }
  }
  return worst;
}

/// Random batches of triangles with one material.
struct RandomBatches {
  std::vector<SheetBatch> batches;
  std::vector<double> parameters;
  Positions<double> x;

  template <class Uniform>
  RandomBatches(const MembraneRange& range, const Uniform& uniform) : batches(5), x(24 * 5) {
    for (auto& p : x) {
      for (int k = 0; k < 3; ++k) p[k] = uniform();
    }
    const auto fill = [&](auto& rows, bool is_positive) {
      for (auto& row : rows) {
        for (double& value : row) value = is_positive ? 0.2 + std::abs(uniform()) : uniform();
      }
    };
    for (std::size_t b = 0; b < batches.size(); ++b) {
      SheetBatch& batch = batches[b];
      for (int c = 0; c < 3; ++c) {
        for (int lane = 0; lane < sheet_lanes; ++lane) {
          batch.vertex[c][lane] = static_cast<int>(24 * b) + 8 * c + lane;
        }
      }
      fill(batch.inverse_rest, false);
      fill(batch.scaled, false);
      fill(batch.root, true);
      fill(batch.weight, true);
      fill(batch.impulse, false);
      for (double& volume : batch.volume) volume = 0.1 * std::abs(uniform());
      parameters.insert(parameters.end(), range.parameters.begin(),
                        range.parameters.begin() + range.num_parameters * sheet_lanes);
    }
  }

  void project(const MembraneRange& range, SimdLevel level) {
    sheet_kernels(level).project({.model = &range.model,
                                  .batches = batches.data(),
                                  .num_batches = static_cast<int>(batches.size()),
                                  .parameters = parameters.data(),
                                  .x = x.data(),
                                  .a2 = h * h});
  }
};

TEST(SheetConstraints, TheFixedPointIsAStationaryPointOfGWithEveryMaterial) {
  for (const std::string& material : materials()) {
    const Model model = sheet_model(7, material, 1e-4);
    const VectorField y = shaken(model, 0.03);
    Sheet sheet(model);
    Positions<double> z = positions_of<double>(y);
    sheet.begin(step_to(y));
    const double before = gradient_of_g(model, y, z).first;
    for (int i = 0; i < 1500; ++i) sheet.project(z, test::one_thread());
    const auto [after, forces] = gradient_of_g(model, y, z);
    EXPECT_GT(before, 1e-2) << material;
    EXPECT_LT(after, 1e-9 * forces) << material;
    EXPECT_LT(impulse_defect(model, sheet, y, z), 1e-13) << material;
  }
}

TEST(SheetConstraints, TheFixedPointOfHingesIsAStationaryPointOfG) {
  for (const double bending : {1e-5, 1e-3, 1e-1}) {
    const Model model = sheet_model(7, "arap", bending, BendingModel::dihedral);
    const VectorField y = shaken(model, 0.02);
    Sheet sheet(model);
    Positions<double> z = positions_of<double>(y);
    sheet.begin(step_to(y));
    for (int i = 0; i < 5000; ++i) sheet.project(z, test::one_thread());
    const auto [after, forces] = gradient_of_g(model, y, z);
    EXPECT_LT(after, 1e-8 * forces) << bending;
    EXPECT_LT(impulse_defect(model, sheet, y, z), 1e-13) << bending;
  }
}

TEST(SheetConstraints, AFewVisitsOfOneTriangleAreTheMinimumOfG) {
  for (const std::string& material : materials()) {
    Model model = sheet_model(1, material, 0);
    VectorField y = rest_of(model);
    // The other triangle is switched off below; its corner moves along.
    for (PaddedVector& x : y) {
      const double u = x[0], w = x[2];
      x[0] = 1.4 * u + 0.2 * w;
      x[1] = 0.3 * u - 0.1 * w;
      x[2] = 0.7 * w;
    }
    MembraneSet& set = model.membranes;
    for (MembraneBatch& batch : set.batches) {
      for (int lane = 1; lane < sheet_lanes; ++lane) batch.volume[lane] = 0;
    }
    set.index_vertices(model.num_vertices);
    SheetConstraints<double> triangle(model);
    Positions<double> z = positions_of<double>(y);
    triangle.begin(step_to(y));
    for (int visit = 0; visit < 12; ++visit) triangle.project(z, test::one_thread());
    const auto [norm, forces] = gradient_of_g(model, y, z);
    EXPECT_GT(forces, 1e-2) << material;
    EXPECT_LT(norm, 1e-9 * forces) << material;
  }
}

TEST(SheetConstraints, ATriangleWithoutAreaOrFarOutOfShapeStaysFinite) {
  for (const std::string& material : materials()) {
    const Model model = sheet_model(3, material, 1e-3, BendingModel::dihedral);
    for (const double scale : {0.0, 1e-200, 1e-9, 1e9, 1e60}) {
      VectorField y = rest_of(model);
      for (PaddedVector& x : y) {
        for (int k = 0; k < 3; ++k) x[k] *= scale;
      }
      Sheet sheet(model);
      Positions<double> z = positions_of<double>(y);
      sheet.begin(step_to(y));
      for (int i = 0; i < 20; ++i) sheet.project(z, test::one_thread());
      for (const auto& x : z) {
        for (int k = 0; k < 3; ++k) EXPECT_TRUE(std::isfinite(x[k])) << material << scale;
      }
    }
  }
}

TEST(SheetConstraints, EveryLevelOfVectorsGivesTheSameBits) {
  const std::vector<SimdLevel> levels = usable_simd_levels();
  if (levels.size() < 2) GTEST_SKIP() << "this processor or build has one level";
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const std::string& material : materials()) {
    const Model model = sheet_model(3, material, 0);
    const MembraneRange& range = model.membranes.ranges[0];
    const RandomBatches from(range, [&] { return uniform(random); });
    RandomBatches first = from;
    first.project(range, levels[0]);
    for (std::size_t l = 1; l < levels.size(); ++l) {
      RandomBatches other = from;
      other.project(range, levels[l]);
      EXPECT_EQ(std::memcmp(first.x.data(), other.x.data(), first.x.size() * sizeof(first.x[0])), 0)
          << material;
      EXPECT_EQ(std::memcmp(first.batches.data(), other.batches.data(),
                            first.batches.size() * sizeof(SheetBatch)),
                0)
          << material;
    }
  }
}

}  // namespace
}  // namespace supple
