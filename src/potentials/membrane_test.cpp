#include "potentials/membrane.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "potentials/membrane_kernels.h"
#include "supple/error.h"

namespace supple {
namespace {

constexpr double young = 3e5, poisson = 0.3;

/// Materials for which `young` and `poisson` are those of the small-strain limit.
std::vector<MaterialSettings> elastic_settings() {
  const double mu = young / (2 * (1 + poisson));
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  std::vector<MaterialSettings> list;
  for (const char* model : {"corotated", "stvk", "neo_hookean", "stable_neo_hookean"}) {
    MaterialSettings settings;
    settings.model = model;
    settings.mu = mu;
    settings.lambda = lambda;
    list.push_back(settings);
  }
  MaterialSettings rubber;
  rubber.model = "mooney_rivlin";
  rubber.c1 = 0.4 * mu;
  rubber.c2 = 0.1 * mu;
  rubber.bulk = lambda - 4 * 0.1 * mu;
  list.push_back(rubber);
  MaterialSettings woven;
  woven.model = "orthotropic_stvk";
  woven.warp = woven.weft = young;
  woven.poisson = poisson;
  woven.shear = mu;
  list.push_back(woven);
  return list;
}

MaterialSettings uneven_weave() {
  MaterialSettings woven;
  woven.model = "orthotropic_stvk";
  woven.warp = 8e5;
  woven.weft = 2e5;
  woven.shear = 4e4;
  woven.poisson = 0.4;
  return woven;
}

std::vector<MaterialSettings> all_settings() {
  std::vector<MaterialSettings> list = elastic_settings();
  MaterialSettings arap;
  arap.model = "arap";
  arap.mu = 1e5;
  list.push_back(arap);
  MaterialSettings polynomial = arap;
  polynomial.model = "polynomial";
  list.push_back(polynomial);
  MaterialSettings limit = arap;
  limit.model = "strain_limit";
  limit.min = 0.9;
  limit.max = 1.1;
  list.push_back(limit);
  MaterialSettings functions;
  functions.model = "valanis_landel";
  functions.a = {[](double s) { return 1e5 * (s * s - 3 * s); },
                 [](double s) { return 1e5 * (2 * s - 3); }, [](double) { return 2e5; }};
  functions.b = {[](double p) { return 1e5 * 0.5 * p; }, [](double) { return 0.5e5; },
                 [](double) { return 0.0; }};
  list.push_back(functions);
  MaterialSettings spline;
  spline.model = "spline";
  spline.spline_a.points = {{0, -1e5}, {1, 0}, {2, 2e5}};
  spline.spline_c.points = {{0, -5e4}, {1, 0}, {2, 3e4}};
  list.push_back(spline);
  list.push_back(uneven_weave());
  MaterialSettings threads;
  threads.model = "woven_limit";
  threads.mu = 1e5;
  threads.warp_limits = {0.9, 1.1};
  threads.weft_limits = {0.7, 1.3};
  list.push_back(threads);
  return list;
}

/// Triangles of one material with random inverse rest shapes of about one; their number need not be
/// a multiple of eight.
struct Patch {
  MembraneSet set;
  VectorField x;

  Patch(const MaterialSettings& settings, int num_triangles, unsigned seed = 3)
      : x(at3(num_triangles)) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> shape(-0.3, 0.3), place(-1, 1);
    const Sheet sheet = make_sheet(settings, "/material");
    const auto num_parameters = sheet.parameters.size();
    MembraneRange range{.model = sheet.model,
                        .num_batches = (num_triangles + 7) / 8,
                        .num_parameters = static_cast<int>(num_parameters)};
    double values[most_sheet_parameters] = {};
    for (std::size_t p = 0; p < num_parameters; ++p) values[p] = sheet.parameters[p].value;
    const auto k = fit_sheet_stiffness(sheet.model, values, {0.5, 1.5});
    for (int b = 0; b < range.num_batches; ++b) {
      MembraneBatch batch{};
      for (int lane = 0; lane < 8; ++lane) {
        const int t = std::min(8 * b + lane, num_triangles - 1);
        for (int c = 0; c < 3; ++c) batch.vertex[c][lane] = 3 * t + c;
        const double m[4] = {1 + shape(random), shape(random), shape(random), 1 + shape(random)};
        for (int i = 0; i < 4; ++i) batch.inverse_rest[i][lane] = m[i];
        batch.volume[lane] = 8 * b + lane < num_triangles ? 0.5 + shape(random) : 0;
        for (std::size_t i = 0; i < 2; ++i) batch.stiffness[i][lane] = k[i];
      }
      set.batches.push_back(batch);
      for (std::size_t p = 0; p < num_parameters; ++p) {
        for (int lane = 0; lane < 8; ++lane) range.parameters.push_back(values[p]);
      }
    }
    set.ranges.push_back(range);
    set.index_vertices(static_cast<int>(x.size()));
    for (PaddedVector& v : x) {
      for (int c = 0; c < 3; ++c) v[c] = place(random);
    }
  }

  static std::size_t at3(int n) { return 3 * static_cast<std::size_t>(n); }

  double evaluate(VectorField& gradient, int num_threads = 1) const {
    Threads threads(num_threads);
    MembraneEnergy energy(set);
    const double value = energy.evaluate(x, threads);
    gradient.assign(x.size(), {});
    for (std::size_t v = 0; v < x.size(); ++v) {
      energy.add_gradient_of_vertex(static_cast<int>(v), gradient[v]);
    }
    return value;
  }
};

class EverySheet : public ::testing::TestWithParam<int> {
 protected:
  MaterialSettings settings() const { return all_settings()[static_cast<std::size_t>(GetParam())]; }
};
INSTANTIATE_TEST_SUITE_P(Membrane, EverySheet,
                         ::testing::Range(0, static_cast<int>(all_settings().size())),
                         [](const auto& sheet) {
                           return all_settings()[static_cast<std::size_t>(sheet.param)].model +
                                  "_" + std::to_string(sheet.param);
                         });

/// Central differences over 1e-6 have an error of 1e-12 of the third derivative and of 1e-16/1e-6
/// of the energy; kinks of strain_limit and the knots of splines add a little.
constexpr double difference = 1e-6, tolerance = 2e-5;

TEST_P(EverySheet, TheGradientIsThatOfTheEnergy) {
  Patch patch(settings(), 13);
  VectorField gradient, unused;
  const double energy = patch.evaluate(gradient);
  ASSERT_TRUE(std::isfinite(energy));
  for (std::size_t v = 0; v < patch.x.size(); ++v) {
    for (int c = 0; c < 3; ++c) {
      const double there = patch.x[v][c];
      patch.x[v][c] = there + difference;
      const double up = patch.evaluate(unused);
      patch.x[v][c] = there - difference;
      const double down = patch.evaluate(unused);
      patch.x[v][c] = there;
      EXPECT_NEAR(gradient[v][c], (up - down) / (2 * difference), tolerance * 1e6);
    }
  }
}

TEST_P(EverySheet, TheBlocksAreTheDerivativesOfTheGradient) {
  Patch patch(settings(), 13);
  Threads threads(1);
  std::vector<double> blocks(static_cast<std::size_t>(patch.set.num_lanes()) * 54);
  membrane_hessians(patch.set, patch.x, NegativeEigenvalues::keep, threads, blocks.data());
  VectorField up, down;
  for (int t = 0; t < 13; ++t) {
    for (int j = 0; j < 3; ++j) {
      for (int c = 0; c < 3; ++c) {
        double& moved = patch.x[static_cast<std::size_t>(3 * t + j)][c];
        const double there = moved;
        moved = there + difference;
        patch.evaluate(up);
        moved = there - difference;
        patch.evaluate(down);
        moved = there;
        for (int k = 0; k < blocks_of_triangle; ++k) {
          if (block_column[k] != j) continue;
          const auto i = static_cast<std::size_t>(3 * t + block_row[k]);
          for (int r = 0; r < 3; ++r) {
            const double expected = (up[i][r] - down[i][r]) / (2 * difference);
            EXPECT_NEAR(blocks[static_cast<std::size_t>((6 * t + k) * 9 + 3 * r + c)], expected,
                        tolerance * (1e6 + std::abs(expected)))
                << "triangle " << t << " block " << k;
          }
        }
      }
    }
  }
}

Eigen::Matrix<double, 9, 9> hessian_of(const std::vector<double>& blocks, int t) {
  Eigen::Matrix<double, 9, 9> H;
  for (int k = 0; k < blocks_of_triangle; ++k) {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        const double entry = blocks[static_cast<std::size_t>((6 * t + k) * 9 + 3 * r + c)];
        H(3 * block_row[k] + r, 3 * block_column[k] + c) = entry;
        H(3 * block_column[k] + c, 3 * block_row[k] + r) = entry;
      }
    }
  }
  return H;
}

TEST_P(EverySheet, TheClampedHessianIsSemiDefiniteAndNoSmaller) {
  const Patch patch(settings(), 40);
  Threads threads(1);
  std::vector<double> exact(static_cast<std::size_t>(patch.set.num_lanes()) * 54),
      clamped(exact.size()), absolute(exact.size());
  membrane_hessians(patch.set, patch.x, NegativeEigenvalues::keep, threads, exact.data());
  membrane_hessians(patch.set, patch.x, NegativeEigenvalues::clamp, threads, clamped.data());
  membrane_hessians(patch.set, patch.x, NegativeEigenvalues::absolute, threads, absolute.data());
  int mended = 0;
  for (int t = 0; t < 40; ++t) {
    const auto H = hessian_of(exact, t), K = hessian_of(clamped, t), A = hessian_of(absolute, t);
    const auto least = [](const auto& M) {
      return Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>>(M).eigenvalues()(0);
    };
    const double rounding = 1e-11 * H.norm();
    EXPECT_GE(least(K), -rounding);
    EXPECT_GE(least(K - H), -rounding);
    EXPECT_GE(least(A - K), -rounding);
    if (least(H) < -rounding) {
      ++mended;
    } else {
      EXPECT_NEAR((K - H).norm(), 0, rounding);
    }
    // At most six modes: translations cost nothing.
    Eigen::FullPivLU<Eigen::Matrix<double, 9, 9>> decomposition(K);
    decomposition.setThreshold(1e-10);
    EXPECT_LE(decomposition.rank(), 6);
  }
  EXPECT_GT(mended, 0);  // some random triangles are compressed
}

TEST_P(EverySheet, TurnedTrianglesHaveTheSameEnergyAndTurnedForces) {
  Patch patch(settings(), 13);
  VectorField before, after;
  const double energy = patch.evaluate(before);
  const Eigen::Matrix3d R =
      Eigen::AngleAxisd(1.1, Eigen::Vector3d(1, 2, -0.5).normalized()).toRotationMatrix();
  for (PaddedVector& v : patch.x) {
    const Eigen::Vector3d y = R * Eigen::Vector3d(v[0], v[1], v[2]);
    v = {{y[0] + 2, y[1] - 1, y[2], 0}};
  }
  EXPECT_NEAR(patch.evaluate(after), energy, 1e-12 * 1e6);
  for (std::size_t i = 0; i < after.size(); ++i) {
    const Eigen::Vector3d y = R * Eigen::Vector3d(before[i][0], before[i][1], before[i][2]);
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(after[i][c], y[c], 1e-9 * 1e6);
  }
}

TEST_P(EverySheet, OneTriangleForItselfAgreesWithTheLoops) {
  Patch patch(settings(), 13);
  Threads threads(1);
  VectorField gradient;
  const double energy = patch.evaluate(gradient);
  std::vector<double> blocks(static_cast<std::size_t>(patch.set.num_lanes()) * 54);
  membrane_hessians(patch.set, patch.x, NegativeEigenvalues::clamp, threads, blocks.data());
  double sum = 0;
  for (int t = 0; t < 13; ++t) {
    const double* const x[3] = {patch.x[Patch::at3(t)].v, patch.x[Patch::at3(t) + 1].v,
                                patch.x[Patch::at3(t) + 2].v};
    sum += patch.set.energy(t, x);
    for (int c = 0; c < 3; ++c) {
      double g[3], block[9];
      patch.set.energy_at_corner(t, x, c, NegativeEigenvalues::clamp, g, block);
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(g[k], gradient[Patch::at3(t) + static_cast<std::size_t>(c)][k], 1e-6);
      }
      for (int i = 0; i < 9; ++i) {
        EXPECT_NEAR(block[i], blocks[static_cast<std::size_t>((6 * t + c) * 9 + i)], 1e-5);
      }
    }
  }
  EXPECT_NEAR(sum, energy, 1e-12 * std::abs(energy) + 1e-9);
}

/// Dm of a triangle: with its edges there, F maps the axes of the plane to themselves.
Eigen::Matrix2d rest_edges(const Patch& patch, int t) {
  const MembraneBatch& batch = patch.set.batches[0];
  Eigen::Matrix2d inverse;
  inverse << batch.inverse_rest[0][t], batch.inverse_rest[1][t], batch.inverse_rest[2][t],
      batch.inverse_rest[3][t];
  return inverse.inverse();
}

TEST_P(EverySheet, TheRestShapeHasNoStressAndCollapsedOnesAreFinite) {
  Patch patch(settings(), 8);
  for (int t = 0; t < 8; ++t) {
    const Eigen::Matrix2d Dm = rest_edges(patch, t);
    patch.x[Patch::at3(t)] = {};
    for (int c = 0; c < 2; ++c) {
      patch.x[Patch::at3(t) + static_cast<std::size_t>(c) + 1] = {{Dm(0, c), 0, Dm(1, c), 0}};
    }
  }
  VectorField gradient;
  patch.evaluate(gradient);
  for (const PaddedVector& g : gradient) {
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(g[k], 0, 1e-9);  // 1e-15 of the moduli
  }
  Threads threads(1);
  std::vector<double> blocks(static_cast<std::size_t>(patch.set.num_lanes()) * 54);
  for (const double across : {0.0, 1e-9}) {
    for (const double along : {0.0, 1.0}) {
      for (int t = 0; t < 8; ++t) {
        patch.x[Patch::at3(t) + 1] = {{along, 0, 0, 0}};
        patch.x[Patch::at3(t) + 2] = {{0.3 * along, across, 0, 0}};
      }
      EXPECT_TRUE(std::isfinite(patch.evaluate(gradient)));
      for (const PaddedVector& g : gradient) EXPECT_TRUE(std::isfinite(g[0] + g[1] + g[2]));
      membrane_hessians(patch.set, patch.x, NegativeEigenvalues::clamp, threads, blocks.data());
      for (const double entry : blocks) EXPECT_TRUE(std::isfinite(entry));
    }
  }
}

TEST_P(EverySheet, EveryLevelOfVectorsAndEveryNumberOfThreadsGivesTheSameBits) {
  const Patch patch(settings(), 700);
  const MembraneRange& range = patch.set.ranges[0];
  const MembraneWork work{&range.model, patch.set.batches.data(), range.num_batches,
                          range.parameters.data(), patch.x.data()};
  const auto lanes = static_cast<std::size_t>(patch.set.num_lanes());
  VectorField expected(2 * lanes), found(2 * lanes);
  std::vector<double> blocks(54 * lanes), of_level(54 * lanes);
  const MembraneKernels& baseline = membrane_kernels(SimdLevel::baseline);
  const double energy = baseline.evaluate(work, expected.data());
  baseline.hessians(work, NegativeEigenvalues::clamp, blocks.data());
  for (const SimdLevel level : usable_simd_levels()) {
    EXPECT_EQ(membrane_kernels(level).evaluate(work, found.data()), energy);
    EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(PaddedVector)), 0);
    membrane_kernels(level).hessians(work, NegativeEigenvalues::clamp, of_level.data());
    EXPECT_EQ(std::memcmp(of_level.data(), blocks.data(), blocks.size() * sizeof(double)), 0);
  }
  VectorField one, more;
  const double alone = patch.evaluate(one);
  for (const int threads : {2, 3}) {
    EXPECT_EQ(patch.evaluate(more, threads), alone);
    EXPECT_EQ(std::memcmp(one.data(), more.data(), one.size() * sizeof(PaddedVector)), 0);
  }
}

/// Stress of a sheet stretched along its axes, Pa.
std::array<double, 2> stress_at(const MaterialSettings& settings, double first, double second) {
  const Sheet sheet = make_sheet(settings, "/material");
  double values[most_sheet_parameters] = {};
  for (std::size_t p = 0; p < sheet.parameters.size(); ++p) values[p] = sheet.parameters[p].value;
  return visit_sheet(sheet.model, [&](const auto& model) {
    const Vector3<double> f[2] = {{{first, 0, 0}}, {{0, second, 0}}};
    Vector3<double> P[2];
    model.template at<double>(values).energy_and_stress(f, P);
    return std::array<double, 2>{P[0][0], P[1][1]};
  });
}

/// The stretch across the sheet at which nothing pulls in that direction, by bisection.
double free_stretch(const MaterialSettings& settings, double along) {
  double low = 0.2, high = 1.5;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (stress_at(settings, along, middle)[1] < 0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

TEST(Membrane, AStripPullsWithYoungsModulusAndNarrowsByPoissonsRatio) {
  constexpr double strain = 1e-5;  // second-order terms are this share
  for (const MaterialSettings& settings : elastic_settings()) {
    const double across = free_stretch(settings, 1 + strain);
    EXPECT_NEAR(stress_at(settings, 1 + strain, across)[0] / strain, young, 1e-4 * young)
        << settings.model;
    EXPECT_NEAR((1 - across) / strain, poisson, 1e-4) << settings.model;
  }
}

TEST(Membrane, AnIncompressibleSheetHasAPoissonsRatioOfAHalf) {
  MaterialSettings settings;
  settings.model = "stable_neo_hookean";
  settings.mu = young / 3;
  settings.lambda = std::numeric_limits<double>::infinity();
  const double across = free_stretch(settings, 1 + 1e-5);
  EXPECT_NEAR((1 - across) / 1e-5, 0.5, 1e-4);
  EXPECT_NEAR(stress_at(settings, 1 + 1e-5, across)[0] / 1e-5, young, 1e-4 * young);
}

/// S = C E in both directions, P = F S: if the side is free, P_1 = E_1 s (s^2 - 1)/2.
TEST(Membrane, AWovenStripPulledAlongWarpOrWeftFollowsItsClosedForm) {
  MaterialSettings woven = uneven_weave();
  for (const double s : {0.95, 1.1, 1.3}) {
    const double across = free_stretch(woven, s);
    EXPECT_NEAR(stress_at(woven, s, across)[0], woven.warp * s * (s * s - 1) / 2,
                1e-6 * woven.warp);
    EXPECT_NEAR(across * across - 1, -woven.poisson * (s * s - 1), 1e-9);
  }
  std::swap(woven.warp, woven.weft);
  woven.poisson *= 0.25;  // nu_21 = nu_12 E_2/E_1
  const double across = free_stretch(woven, 1.2);
  EXPECT_NEAR(across * across - 1, -0.1 * (1.44 - 1), 1e-9);
}

/// Uniaxial tension sigma d d^T of the second Piola-Kirchhoff stress at any angle gives
///   E : d d^T = sigma/E_d,  1/E_d = c^4/E_1 + s^4/E_2 + c^2 s^2 (1/G - 2 nu_12/E_1),
/// [Jones 1999, eq. 2.97], so a strip cut askew also pulls with E_d s (s^2 - 1)/2.
TEST(Membrane, AWovenStripPulledAtAnyAngleFollowsItsClosedForm) {
  const MaterialSettings woven = uneven_weave();
  const Sheet sheet = make_sheet(woven, "/material");
  double values[most_sheet_parameters] = {};
  for (std::size_t p = 0; p < sheet.parameters.size(); ++p) values[p] = sheet.parameters[p].value;
  for (const double degrees : {0.0, 30.0, 45.0, 90.0}) {
    const double c = std::cos(degrees * 0.017453292519943295),
                 s = std::sin(degrees * 0.017453292519943295);
    const double askew = 1 / (c * c * c * c / woven.warp + s * s * s * s / woven.weft +
                              c * c * s * s * (1 / woven.shear - 2 * woven.poisson / woven.warp));
    for (const double sigma : {-2e3, 1e4, 4e4}) {
      // The strain that corresponds to the stress, and F = sqrt(I + 2 E).
      const double s11 = sigma * c * c, s22 = sigma * s * s, s12 = sigma * c * s;
      Eigen::Matrix2d C;
      C(0, 0) = 1 + 2 * (s11 - woven.poisson * s22) / woven.warp;
      C(1, 1) = 1 + 2 * (s22 / woven.weft - woven.poisson * s11 / woven.warp);
      C(0, 1) = C(1, 0) = s12 / woven.shear;
      const Eigen::Matrix2d F = Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d>(C).operatorSqrt();
      const Vector3<double> f[2] = {{{F(0, 0), F(1, 0), 0}}, {{F(0, 1), F(1, 1), 0}}};
      Vector3<double> P[2];
      visit_sheet(sheet.model, [&](const auto& model) {
        return model.template at<double>(values).energy_and_stress(f, P);
      });
      const Eigen::Vector2d d(c, s), across(-s, c);
      Eigen::Matrix2d stress;
      stress << P[0][0], P[1][0], P[0][1], P[1][1];
      // Nothing pulls at the sides; l is the stretch along the strip.
      EXPECT_NEAR((stress * across).norm(), 0, 1e-10 * woven.warp);
      const double l = (F * d).norm();
      EXPECT_NEAR((stress * d).norm(), std::abs(askew * l * (l * l - 1) / 2), 1e-10 * woven.warp)
          << degrees << " degrees, " << sigma << " Pa";
    }
  }
}

TEST(Membrane, ThreadsAreFreeWithinTheirLimitsAndTurnFreely) {
  MaterialSettings threads;
  threads.model = "woven_limit";
  threads.mu = 1e5;
  threads.warp_limits = {0.9, 1.1};
  threads.weft_limits = {0.7, 1.3};
  for (const auto& [warp, weft] : {std::pair(0.9, 1.3), std::pair(1.1, 0.7), std::pair(1.0, 1.0)}) {
    const auto stress = stress_at(threads, warp, weft);
    EXPECT_EQ(stress[0], 0);
    EXPECT_EQ(stress[1], 0);
  }
  EXPECT_NEAR(stress_at(threads, 1.15, 1)[0], 2e5 * 0.05, 1e-9);
  EXPECT_NEAR(stress_at(threads, 1, 0.6)[1], -2e5 * 0.1, 1e-9);
  EXPECT_EQ(stress_at(threads, 1.15, 1)[1], 0);
  // The threads keep their lengths when sheared by 40 degrees.
  const Vector3<double> f[2] = {{{1, 0, 0}}, {{std::sin(0.7), std::cos(0.7), 0}}};
  Vector3<double> P[2];
  EXPECT_EQ((WovenLimit<double>{1e5, {0.9, 0.9}, {1.1, 1.1}}.energy_and_stress(f, P)), 0);
}

TEST(Membrane, MaterialsThatAreNoSheetAreRefusedByName) {
  const auto refuses = [](const MaterialSettings& settings, const std::string& place) {
    try {
      make_sheet(settings, "/bodies/0/material");
      ADD_FAILURE() << settings.model << " was taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("/bodies/0/material" + place), std::string::npos)
          << error.what();
    }
  };
  MaterialSettings settings;
  settings.model = "volume";
  settings.mu = 1;
  refuses(settings, "/model");
  settings = {};
  settings.model = "mooney_rivlin";
  settings.c1 = 1;
  settings.c2 = 1;
  settings.bulk = 3.9;
  refuses(settings, "/bulk");
  settings.bulk = 4.1;
  EXPECT_NO_THROW(make_sheet(settings, ""));
  settings = elastic_settings().back();
  for (double MaterialSettings::*modulus :
       {&MaterialSettings::warp, &MaterialSettings::weft, &MaterialSettings::shear}) {
    MaterialSettings broken = settings;
    broken.*modulus = 0;
    refuses(broken, "/");
    broken.*modulus = NAN;
    refuses(broken, "/");
  }
  settings.poisson = 1;
  refuses(settings, "/poisson");
  settings = elastic_settings().back();
  settings.direction = {0, 0, 0};
  refuses(settings, "/direction");
  settings = {};
  settings.model = "woven_limit";
  refuses(settings, "/mu");
  settings.mu = 1e5;
  EXPECT_NO_THROW(make_sheet(settings, ""));
  for (const std::array<double, 2> limits :
       {std::array{1.1, 1.2}, {0.8, 0.9}, {-0.1, 1}, {0.9, NAN}, {NAN, 1.1}, {0, HUGE_VAL}}) {
    MaterialSettings broken = settings;
    broken.warp_limits = limits;
    refuses(broken, "/warp_limits");
    broken = settings;
    broken.weft_limits = limits;
    refuses(broken, "/weft_limits");
  }
}

TEST(Membrane, TheConstantMatrixIsHalfAsStiffAsTheRestShapeAtLeast) {
  // Otherwise a full step of quasi-Newton raises g even there.
  for (const MaterialSettings& settings : elastic_settings()) {
    Patch patch(settings, 8);
    for (int t = 0; t < 8; ++t) {
      const Eigen::Matrix2d Dm = rest_edges(patch, t);
      patch.x[Patch::at3(t)] = {};
      for (int c = 0; c < 2; ++c) {
        patch.x[Patch::at3(t) + static_cast<std::size_t>(c) + 1] = {{Dm(0, c), Dm(1, c), 0, 0}};
      }
    }
    Threads threads(1);
    std::vector<double> blocks(static_cast<std::size_t>(patch.set.num_lanes()) * 54);
    membrane_hessians(patch.set, patch.x, NegativeEigenvalues::clamp, threads, blocks.data());
    for (int t = 0; t < 8; ++t) {
      Eigen::Matrix<double, 9, 9> L = Eigen::Matrix<double, 9, 9>::Zero();
      for (const MembraneSet::Edge& edge : patch.set.edges) {
        if (edge.a / 3 != t) continue;
        for (int c = 0; c < 3; ++c) {
          const int a = 3 * (edge.a % 3) + c, b = 3 * (edge.b % 3) + c;
          L(a, a) += edge.stiffness;
          L(b, b) += edge.stiffness;
          L(a, b) -= edge.stiffness;
          L(b, a) -= edge.stiffness;
        }
      }
      const Eigen::Matrix<double, 9, 9> rest = L - 0.5 * hessian_of(blocks, t);
      const double least =
          Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>>(rest).eigenvalues()(0);
      EXPECT_GE(least, -1e-11 * L.norm()) << settings.model;
    }
  }
}

/// A sheet of squares cut into two triangles each, with diagonals that alternate from cell to cell:
/// [columns][rows] cells of size 1/columns.
struct Strip {
  MembraneSet set;
  VectorField x;
  std::vector<Vec3> rest;
  double area;  ///< m^2

  Strip(int columns, int rows, double rigidity) : area(static_cast<double>(rows) / columns) {
    const double size = 1.0 / columns;
    for (int j = 0; j <= rows; ++j) {
      for (int i = 0; i <= columns; ++i) rest.push_back({i * size, j * size, 0});
    }
    std::vector<std::array<int, 3>> triangles;
    for (int j = 0; j < rows; ++j) {
      for (int i = 0; i < columns; ++i) {
        const int a = j * (columns + 1) + i, b = a + 1, c = b + columns + 1, d = c - 1;
        if ((i + j) % 2 == 0) {
          triangles.insert(triangles.end(), {{a, b, c}, {a, c, d}});
        } else {
          triangles.insert(triangles.end(), {{a, b, d}, {b, c, d}});
        }
      }
    }
    add_bends(triangles, rest, rigidity, set);
    set.batches.resize(1);  // none of its lanes is a triangle
    for (const Vec3& place : rest) x.push_back({{place[0], place[1], place[2], 0}});
    set.index_vertices(static_cast<int>(rest.size()));
  }
  double energy() const {
    Threads threads(1);
    return MembraneEnergy(set).evaluate(x, threads);
  }
};

TEST(Bending, AFlatSheetHasNoEnergyWhereverItLies) {
  Strip strip(12, 4, 2.5);
  EXPECT_NEAR(strip.energy(), 0, 1e-26);
  for (PaddedVector& v : strip.x) v = {{v[1] + 300, v[0] * 0.6 - 5, v[0] * 0.8 + 7, 0}};
  EXPECT_NEAR(strip.energy(), 0, 1e-20);  // 300 m rounded, squared
}

/// Rolled up to a cylinder, the curvature is 1/R: E = D/2 A/R^2. If the sheet is rolled along its
/// sides, the error comes from the square of the cell size and from the ends, whose half columns
/// are left out; if askew, also from the borders.
TEST(Bending, ACylinderHasTheEnergyOfItsCurvature) {
  constexpr double rigidity = 2.5, radius = 0.4;
  for (const double degrees : {0.0, 30.0, 45.0, 90.0}) {
    double error = 0;
    for (const int columns : {20, 40, 80}) {
      Strip strip(columns, columns, rigidity);
      const double c = std::cos(degrees * 0.017453292519943295),
                   s = std::sin(degrees * 0.017453292519943295);
      for (std::size_t v = 0; v < strip.x.size(); ++v) {
        const Vec3& X = strip.rest[v];
        const double along = c * X[0] + s * X[1], across = c * X[1] - s * X[0];
        const double angle = along / radius;
        strip.x[v] = {{radius * std::sin(angle), across, radius * std::cos(angle), 0}};
      }
      const double expected = 0.5 * rigidity * strip.area / (radius * radius);
      error = std::abs(strip.energy() / expected - 1);
      EXPECT_LT(error, 2.0 / columns) << columns << " columns, " << degrees << " degrees";
    }
    EXPECT_GT(error, 1e-5);  // the borders
  }
}

TEST(Bending, ABandOfOneRowOfCellsBends) {
  constexpr double rigidity = 2.5, radius = 0.4;
  Strip strip(50, 1, rigidity);
  for (std::size_t v = 0; v < strip.x.size(); ++v) {
    const double angle = strip.rest[v][0] / radius;
    strip.x[v] = {{radius * std::sin(angle), strip.rest[v][1], radius * std::cos(angle), 0}};
  }
  // 49 of 50 columns have both neighbours.
  EXPECT_NEAR(strip.energy(), 0.98 * 0.5 * rigidity * strip.area / (radius * radius),
              0.001 * strip.energy());
}

TEST(Bending, TheHessianIsConstantAndThatOfTheMatrix) {
  Strip strip(5, 3, 2.5);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(-1, 1);
  VectorField direction(strip.x.size());
  for (std::size_t v = 0; v < strip.x.size(); ++v) {
    for (int k = 0; k < 3; ++k) {
      strip.x[v][k] = place(random);
      direction[v][k] = place(random);
    }
  }
  double expected = 0;
  for (const MembraneSet::Edge& edge : strip.set.edges) {
    for (int k = 0; k < 3; ++k) {
      const double d = direction[static_cast<std::size_t>(edge.a)][k] -
                       direction[static_cast<std::size_t>(edge.b)][k];
      expected += edge.stiffness * d * d;
    }
  }
  EXPECT_EQ(strip.set.edges.size(), strip.set.bending_edges.size());
  const VectorField at = strip.x;
  double energy[3];
  for (int i = 0; i < 3; ++i) {
    for (std::size_t v = 0; v < at.size(); ++v) {
      for (int k = 0; k < 3; ++k) strip.x[v][k] = at[v][k] + (i - 1) * direction[v][k];
    }
    energy[i] = strip.energy();
  }
  EXPECT_NEAR(energy[0] - 2 * energy[1] + energy[2], expected, 1e-11 * energy[1]);
}

TEST(Membrane, InternalForcesAddUpToNothing) {
  Strip strip(6, 3, 2.5);
  strip.x[5] = {{0.3, 0.2, 0.4, 0}};
  Threads threads(1);
  MembraneEnergy energy(strip.set);
  energy.evaluate(strip.x, threads);
  PaddedVector sum, size;
  for (std::size_t v = 0; v < strip.x.size(); ++v) {
    PaddedVector own;
    energy.add_gradient_of_vertex(static_cast<int>(v), own);
    for (int k = 0; k < 3; ++k) {
      sum[k] += own[k];
      size[k] += std::abs(own[k]);
    }
  }
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(sum[k], 0, 1e-13 * size[k]);
  EXPECT_GT(size[2], 1);
}

}  // namespace
}  // namespace supple
