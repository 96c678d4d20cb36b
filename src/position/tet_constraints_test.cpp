#include "position/tet_constraints.h"

#include <gtest/gtest.h>

#include "position/tet_test_support.h"
#include "supple/error.h"

namespace supple {
namespace {

using test::a2;
using test::BodySettings;
using test::deformation_gradient;
using test::gradient_norm;
using test::model_of;
using test::momenta;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Every material with a constraint form, fibers, layers and regions.
const std::vector<std::pair<std::string, BodySettings>>& bodies() {
  static const std::vector<std::pair<std::string, BodySettings>> list = {
      {"stable_neo_hookean", {}},
      {"poisson 0.49", {.lambda = 2.45e6}},
      {"incompressible", {.lambda = infinity}},
      {"arap", {.material = "arap"}},
      {"strain_limit", {.material = "strain_limit"}},
      {"volume", {.material = "volume"}},
      {"fiber", {.fiber = true}},
      {"layers and regions", {.fiber = true, .layered = true, .two_regions = true}},
  };
  return list;
}

constexpr TetProjection projections[] = {TetProjection::stress, TetProjection::sequential,
                                         TetProjection::block};

Schedule schedule_of(const Model& model, XpbdOrder order, int width) {
  return make_schedule(model.tets, model.num_vertices, order, width);
}

template <class T = double>
TetConstraints<T> constraints_of(const Model& model, TetProjection projection,
                                 XpbdOrder order = XpbdOrder::colours) {
  return {model, schedule_of(model, order, row_lanes<T>), projection};
}

/// One tet per task.
Schedule single_tets(const Model& model, int width) {
  Schedule schedule;
  schedule.width = width;
  schedule.task_start = {0};
  schedule.phase_start = {0};
  for (int t = 0; t < model.num_tets; ++t) {
    for (int lane = 0; lane < width; ++lane) schedule.tet_of_lane.push_back(lane == 0 ? t : -1);
    schedule.task_start.push_back(t + 1);
    schedule.phase_start.push_back(t + 1);
  }
  return schedule;
}

/// The first tet alone: the others of the model are not scheduled.
Schedule first_tet(int width) {
  Schedule schedule;
  schedule.width = width;
  schedule.tet_of_lane.assign(static_cast<std::size_t>(width), -1);
  schedule.tet_of_lane[0] = 0;
  schedule.task_start = {0, 1};
  schedule.phase_start = {0, 1};
  return schedule;
}

double incompressible_or(double lambda) { return lambda == infinity ? 0 : 1 / lambda; }

TEST(TetConstraints, ManyStressProjectionsReachAStationaryPointOfG) {
  for (const auto& [name, settings] : bodies()) {
    if (settings.lambda == infinity) continue;
    const Model model = model_of(settings);
    const VectorField y = test::deformed(model, 0.01);
    Positions<double> x = test::positions_of<double>(y);
    const double start = gradient_norm(model, x, y);
    auto tets = constraints_of(model, TetProjection::stress);
    Threads threads(1);
    tets.begin(a2);
    for (int k = 0; k < 3000; ++k) tets.project(x, threads);
    // What is left is rounding: each term is as large as at the start.
    EXPECT_LT(gradient_norm(model, x, y), 1e-11 * start) << name;
    EXPECT_GT(start, 0);
  }
}

TEST(TetConstraints, TheStressesOfTheMultipliersAreThoseOfTheMaterialsThere) {
  for (const auto& [name, settings] : bodies()) {
    if (settings.lambda == infinity) continue;
    const Model model = model_of(settings);
    Positions<double> x = test::positions_of<double>(test::deformed(model, 0.01));
    auto tets = constraints_of(model, TetProjection::stress);
    Threads threads(1);
    tets.begin(a2);
    std::vector<Mat3<double>> P;
    tets.stresses(x, P);
    for (const auto& m : P) EXPECT_EQ(squared_norm(m), 0);
    for (int k = 0; k < 3000; ++k) tets.project(x, threads);
    tets.stresses(x, P);
    double scale = 0, error = 0;
    test::visit_stresses(model, x, [&](int tet, const Mat3<double>& stress) {
      auto& m = P[static_cast<std::size_t>(tet)];
      m = m - stress;
      scale = std::max(scale, std::sqrt(squared_norm(stress)));
    });
    for (const auto& m : P) error = std::max(error, std::sqrt(squared_norm(m)));
    // Like the gradient above.
    EXPECT_LT(error, 1e-8 * scale) << name;
  }
}

TEST(TetConstraints, WithoutCompressibilityVolumesAreKeptByThePressure) {
  // Ten tets: with more, pressures that hardly affect the motion take many more iterations.
  const Model model = model_of({.lambda = infinity, .cells = {1, 1, 2}});
  const VectorField y = test::deformed(model, 0.01);
  for (const TetProjection projection : projections) {
    Positions<double> x = test::positions_of<double>(y);
    auto tets = constraints_of(model, projection);
    Threads threads(1);
    tets.begin(a2);
    for (int k = 0; k < 3000; ++k) tets.project(x, threads);
    double change = 0;
    for (std::size_t t = 0; t < model.tets.size(); ++t) {
      change = std::max(change, std::abs(determinant(deformation_gradient(model, t, x)) - 1));
    }
    EXPECT_LT(change, 1e-9) << static_cast<int>(projection);
    EXPECT_LT(tets.worst_violation(), 1e-9);
    // In the stress P = mu F + p cof F, the second part holds the volume: with the pressures of the
    // multipliers, the equations of motion hold.
    if (projection != TetProjection::stress) continue;
    std::vector<Mat3<double>> P;
    tets.stresses(x, P);
    double scale = 0, turned = 0;
    for (std::size_t t = 0; t < P.size(); ++t) {
      const Mat3<double> F = deformation_gradient(model, t, x), c = cofactor(F);
      const Mat3<double> rest = P[t] - 5e4 * F;
      const double p = inner(rest, c) / squared_norm(c);
      scale = std::max(scale, std::abs(p));
      turned = std::max(turned, std::sqrt(squared_norm(rest - p * c)));
    }
    EXPECT_GT(scale, 1e4);
    EXPECT_LT(turned, 1e-9 * scale);
  }
}

TEST(TetConstraints, AtRestNothingMoves) {
  for (const auto& [name, settings] : bodies()) {
    const Model model = model_of(settings);
    VectorField rest(model.rest.size());
    for (std::size_t i = 0; i < rest.size(); ++i) {
      for (int k = 0; k < 3; ++k) rest[i][k] = model.rest[i][static_cast<std::size_t>(k)];
    }
    for (const TetProjection projection : {TetProjection::stress, TetProjection::block}) {
      const Positions<double> start = test::positions_of<double>(rest);
      Positions<double> x = start;
      auto tets = constraints_of(model, projection);
      Threads threads(1);
      tets.begin(a2);
      for (int k = 0; k < 20; ++k) tets.project(x, threads);
      for (std::size_t i = 0; i < x.size(); ++i) {
        // Coordinates are about 0.1 m; a stiff tet responds to the rounding of F.
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(x[i][k], start[i][k], 1e-13) << name;
      }
      EXPECT_LT(tets.worst_violation(), 1e-12);
    }
  }
}

/// The scalar steps of [Macklin & Mueller 2021, eq. 19] with gradients by finite differences.
TEST(TetConstraints, ASequentialVisitIsThePapersStep) {
  for (const double lambda : {2e5, 2.45e6, infinity}) {
    const Model model = model_of({.lambda = lambda});
    const Positions<double> start = test::positions_of<double>(test::deformed(model, 0.01));
    const double volume = model.volume[0], mu = 5e4;
    const auto F_at = [&](const Positions<double>& x) { return deformation_gradient(model, 0, x); };
    const auto deviatoric = [&](const Positions<double>& x) {
      return std::sqrt(squared_norm(F_at(x)));
    };
    const auto hydrostatic = [&](const Positions<double>& x) {
      return determinant(F_at(x)) - 1 - mu * incompressible_or(lambda);
    };
    double l[2] = {0, 0};
    Positions<double> expected = start;
    const auto step = [&](const auto& C, double compliance, double& multiplier) {
      VectorField gradient(start.size());
      double slope = 0;
      for (const int v : model.tets[0]) {
        const auto i = static_cast<std::size_t>(v);
        for (int k = 0; k < 3; ++k) {
          Positions<double> there = expected;
          there[i][k] += 1e-6;
          const double high = C(there);
          there[i][k] -= 2e-6;
          gradient[i][k] = (high - C(there)) / 2e-6;
          slope += gradient[i][k] * gradient[i][k] / model.mass[i];
        }
      }
      const double dl = (-C(expected) - compliance / a2 * multiplier) / (slope + compliance / a2);
      multiplier += dl;
      for (const int v : model.tets[0]) {
        const auto i = static_cast<std::size_t>(v);
        for (int k = 0; k < 3; ++k) expected[i][k] += gradient[i][k] / model.mass[i] * dl;
      }
    };
    TetConstraints<double> tets(model, first_tet(8), TetProjection::sequential);
    Threads threads(1);
    Positions<double> x = start;
    tets.begin(a2);
    for (int visit = 0; visit < 3; ++visit) {
      step(deviatoric, 1 / (mu * volume), l[0]);
      step(hydrostatic, incompressible_or(lambda) / volume, l[1]);
      tets.project(x, threads);
      for (std::size_t i = 0; i < x.size(); ++i) {
        // Errors of second-order differences: 1e-6 m beside edges of 0.1 m, and rounding over 1e-6
        // m.
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(x[i][k], expected[i][k], 1e-9);
      }
    }
    EXPECT_NE(l[0], 0);
  }
}

/// C + compliance l = 0, linearised at the start, for both constraints at once.
TEST(TetConstraints, ABlockVisitSolvesBothLinearisedConstraints) {
  for (const double lambda : {2e5, infinity}) {
    const Model model = model_of({.lambda = lambda});
    const Positions<double> start = test::positions_of<double>(test::deformed(model, 1e-3));
    TetConstraints<double> tets(model, first_tet(8), TetProjection::block);
    Threads threads(1);
    Positions<double> x = start;
    tets.begin(a2);
    tets.project(x, threads);
    std::vector<Mat3<double>> P;
    // Q = l_D F/|F| + l_H cof F at the start.
    tets.stresses(start, P);
    const double A = a2 * model.volume[0], mu = 5e4;
    const Mat3<double> F = deformation_gradient(model, 0, start), c = cofactor(F);
    const Mat3<double> dF = deformation_gradient(model, 0, x) - F;
    const double n = std::sqrt(squared_norm(F));
    const Mat3<double> Q = -A * P[0];
    const double ff = squared_norm(F), fc = inner(F, c), cc = squared_norm(c);
    const double on_F = (inner(Q, F) * cc - inner(Q, c) * fc) / (ff * cc - fc * fc);
    const double l_H = (inner(Q, c) * ff - inner(Q, F) * fc) / (ff * cc - fc * fc);
    const double l_D = on_F * n;
    // F and cof F are nearly parallel, so the multipliers are known only to 1e-10.
    EXPECT_NEAR(n + inner(F, dF) / n + l_D / (A * mu), 0, 1e-8);
    EXPECT_NEAR(determinant(F) - 1 - mu * incompressible_or(lambda) + inner(c, dF) +
                    l_H * incompressible_or(lambda) / A,
                0, 1e-8);
  }
}

TEST(TetConstraints, EveryProjectionKeepsLinearMomentum) {
  Threads threads(1);
  for (const auto& [name, settings] : bodies()) {
    const Model model = model_of(settings);
    for (const TetProjection projection : projections) {
      const Positions<double> start = test::positions_of<double>(test::deformed(model, 0.02));
      Positions<double> x = start;
      TetConstraints<double> tets(model, single_tets(model, 8), projection);
      tets.begin(a2);
      for (int k = 0; k < 5; ++k) tets.project(x, threads);
      Vector3<double> linear, angular;
      momenta(model, x, start, start, linear, angular);
      double moved = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        for (int k = 0; k < 3; ++k) moved += model.mass[i] * std::abs(x[i][k] - start[i][k]);
      }
      EXPECT_LT(test::norm(linear), 1e-12 * moved) << name;
      EXPECT_GT(moved, 1e-4) << name;
    }
  }
}

/// Torque about the positions before a constraint's visit (or after: m dx x dx vanishes).
TEST(TetConstraints, EveryVisitOfABlockOrOneScalarKeepsAngularMomentum) {
  Threads threads(1);
  for (const auto& [name, settings] : bodies()) {
    // Layers and fibers would be visits of their own, at other positions.
    if (settings.layered || settings.fiber) continue;
    const Model model = model_of(settings);
    Positions<double> x = test::positions_of<double>(test::deformed(model, 0.02));
    TetConstraints<double> tets(model, first_tet(8), TetProjection::block);
    tets.begin(a2);
    for (int visit = 0; visit < 3; ++visit) {
      const Positions<double> before = x;
      tets.project(x, threads);
      Vector3<double> linear, angular;
      momenta(model, x, before, before, linear, angular);
      // Relative to m (0.01 m) (0.1 m), m about 1 kg.
      EXPECT_LT(test::norm(angular), 1e-15) << name;
      EXPECT_EQ(test::same_bits(x, before), visit > 0 && settings.material == "none") << name;
    }
  }
}

/// The two constraints of the paper are two visits: after the first, the tet is where eq. 19 puts
/// it.
TEST(TetConstraints, EachOfTheTwoSequentialConstraintsKeepsAngularMomentum) {
  Threads threads(1);
  const Model model = model_of({});
  const Positions<double> before = test::positions_of<double>(test::deformed(model, 0.02));
  Positions<double> middle = before, x = before;
  const Mat3<double> F = deformation_gradient(model, 0, before);
  const double A_mu = a2 * model.volume[0] * 5e4, n2 = squared_norm(F);
  double slope = 0;
  Vector3<double> gradient[4];
  for (std::size_t c = 0; c < 4; ++c) {
    const Vec3 b = model.shape_gradients(0)[c];
    gradient[c] = F * Vector3<double>{{b[0], b[1], b[2]}};
    slope +=
        dot(gradient[c], gradient[c]) / n2 / model.mass[static_cast<std::size_t>(model.tets[0][c])];
  }
  for (std::size_t c = 0; c < 4; ++c) {
    const auto v = static_cast<std::size_t>(model.tets[0][c]);
    for (int k = 0; k < 3; ++k) {
      middle[v][k] -= A_mu / (1 + A_mu * slope) * gradient[c][k] / model.mass[v];
    }
  }
  TetConstraints<double> tets(model, first_tet(8), TetProjection::sequential);
  tets.begin(a2);
  tets.project(x, threads);
  Vector3<double> linear, angular;
  momenta(model, middle, before, before, linear, angular);
  EXPECT_LT(test::norm(angular), 1e-15);
  momenta(model, x, middle, middle, linear, angular);
  EXPECT_LT(test::norm(angular), 1e-15);
}

/// With `stress`, M (x - y) is the sum of what the tets hold. Its torque is the axial vector of F
/// Q^T, summed over the tets, and vanishes with the gradient of g.
TEST(TetConstraints, ConvergedStressesKeepAngularMomentum) {
  Threads threads(1);
  for (const auto& [name, settings] : bodies()) {
    if (settings.lambda == infinity) continue;  // takes longer
    const Model model = model_of(settings);
    const Positions<double> start = test::positions_of<double>(test::deformed(model, 0.02));
    Positions<double> x = start;
    auto tets = constraints_of(model, TetProjection::stress);
    tets.begin(a2);
    Vector3<double> linear, angular;
    double early = 0;
    for (int k = 0; k < 3000; ++k) {
      tets.project(x, threads);
      if (k != 0) continue;
      momenta(model, x, start, x, linear, angular);
      early = test::norm(angular);
    }
    momenta(model, x, start, x, linear, angular);
    EXPECT_LT(test::norm(angular), 1e-14) << name;
    // This does not hold at every visit, as the docs say.
    EXPECT_GT(early, 1e-12) << name;
  }
}

TEST(TetConstraints, LanesGiveTheBitsOfOneTetAfterTheOther) {
  Threads threads(1);
  for (const auto& [name, settings] : bodies()) {
    const Model model = model_of(settings);
    for (const TetProjection projection : projections) {
      // The same order of visits, once in batches and once one after the other.
      Schedule schedule = schedule_of(model, XpbdOrder::colours, 8);
      Positions<double> a = test::positions_of<double>(test::deformed(model, 0.02)), b = a;
      TetConstraints<double> wide(model, schedule, projection);
      schedule.serial = true;
      TetConstraints<double> narrow(model, schedule, projection);
      wide.begin(a2), narrow.begin(a2);
      for (int k = 0; k < 3; ++k) wide.project(a, threads), narrow.project(b, threads);
      EXPECT_TRUE(test::same_bits(a, b)) << name;
      EXPECT_EQ(wide.worst_violation(), narrow.worst_violation());
      const Positions<double> start = a;
      wide.begin_kept(0.5 * a2, start, a, threads), narrow.begin_kept(0.5 * a2, start, b, threads);
      wide.project(a, threads), narrow.project(b, threads);
      EXPECT_TRUE(test::same_bits(a, b)) << name;
      EXPECT_TRUE(std::isfinite(a[0][0])) << name << static_cast<int>(projection);
    }
  }
}

TEST(TetConstraints, AnyNumberOfThreadsGivesTheSameBits) {
  const Model model = model_of({.fiber = true, .layered = true, .two_regions = true});
  for (const XpbdOrder order : {XpbdOrder::parts, XpbdOrder::colours}) {
    const auto run = [&]<class T>(T, int count) {
      Threads threads(count);
      Positions<T> x = test::positions_of<T>(test::deformed(model, 0.02));
      auto tets = constraints_of<T>(model, TetProjection::stress, order);
      tets.begin(a2);
      for (int k = 0; k < 4; ++k) tets.project(x, threads);
      return x;
    };
    EXPECT_TRUE(test::same_bits(run(1.0, 1), run(1.0, 2)));
    EXPECT_TRUE(test::same_bits(run(1.0, 1), run(1.0, 3)));
    EXPECT_TRUE(test::same_bits(run(1.0F, 1), run(1.0F, 3)));
  }
}

TEST(TetConstraints, EveryLevelOfVectorsGivesTheSameBits) {
  const std::vector<SimdLevel> levels = usable_simd_levels();
  if (levels.size() < 2) GTEST_SKIP() << "this processor or build has one level";
  const auto compare = [&]<class T>(T) {
    std::mt19937 generator(5);
    std::uniform_real_distribution<T> uniform(-1, 1);
    constexpr int num_batches = 3;
    constexpr auto width = static_cast<std::size_t>(row_lanes<T>);
    const MaterialModel materials[] = {StableNeoHookeanModel{}, ArapModel{}, StrainLimitModel{},
                                       VolumeModel{}};
    const TetForm forms[] = {{&materials[0]},
                             {&materials[1]},
                             {&materials[2]},
                             {&materials[3]},
                             {&materials[0], true},
                             {&materials[2], true},
                             {}};
    for (std::size_t m = 0; m < std::size(forms); ++m) {
      for (const TetProjection projection : projections) {
        if (forms[m].damped && !keeps_matrix(projection)) continue;
        const auto num_rows = static_cast<std::size_t>(num_tet_rows(forms[m], projection));
        std::vector<T> rows(num_batches * num_rows * width);
        for (T& value : rows) value = uniform(generator);
        for (std::size_t b = 0; b < num_batches; ++b) {
          // Weights, diagonals of G, moduli, volumes are positive; min below max.
          for (std::size_t r = 0; r < num_rows; ++r) {
            for (std::size_t lane = 0; lane < width; ++lane) {
              T& value = rows[(b * num_rows + r) * width + lane];
              if ((r >= 9 && r < 19) || r == 20) value = std::abs(value);
              if (r == 19) value = 1 + std::abs(value);
            }
          }
        }
        std::vector<std::uint32_t> places(num_batches * 4 * width);
        for (std::size_t v = 0; v < places.size(); ++v) {
          places[v] =
              static_cast<std::uint32_t>((v + 7 * (v / 64)) % 64 * sizeof(PaddedPosition<T>));
        }
        Positions<T> start(64);
        for (auto& p : start) {
          for (int k = 0; k < 3; ++k) p[k] = uniform(generator);
        }
        Positions<T> before = start;
        for (auto& p : before) {
          for (int k = 0; k < 3; ++k) p[k] += T(0.1) * uniform(generator);
        }
        const auto run = [&](SimdLevel level) {
          std::vector<T> state = rows;
          Positions<T> x = start;
          TetWork<T> work;
          work.form = forms[m];
          work.projection = projection;
          work.num_batches = num_batches;
          work.places = places.data();
          work.rows = state.data();
          work.x = x.data();
          work.x_start = before.data();
          work.a = T(0.5);
          work.a2 = T(0.3);
          const T worst = tet_kernels<T>(level).project(work);
          work.first = true;
          tet_kernels<T>(level).project(work);
          tet_kernels<T>(level).apply(work, T(0.5));
          x.push_back({{worst, 0, 0, 0}});
          return x;
        };
        const Positions<T> first = run(levels.front());
        for (const auto& p : first) EXPECT_TRUE(std::isfinite(p[0] + p[1] + p[2]));
        for (const SimdLevel level : levels) {
          EXPECT_TRUE(test::same_bits(run(level), first)) << simd_level_name(level) << m;
        }
      }
    }
  };
  compare(1.0);
  compare(1.0F);
}

TEST(TetConstraints, FloatsAgreeWithDoublesToTheirRounding) {
  Threads threads(1);
  for (const auto& [name, settings] : bodies()) {
    const Model model = model_of(settings);
    for (const TetProjection projection : projections) {
      const VectorField y = test::deformed(model, 0.01);
      Positions<double> x = test::positions_of<double>(y);
      Positions<float> f = test::positions_of<float>(y);
      // The same order, so that both make the same visits.
      TetConstraints<double> tets(model, single_tets(model, 8), projection);
      TetConstraints<float> floats(model, single_tets(model, 16), projection);
      tets.begin(a2), floats.begin(a2);
      for (int k = 0; k < 10; ++k) tets.project(x, threads), floats.project(f, threads);
      double error = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        for (int k = 0; k < 3; ++k) {
          error = std::max(error, std::abs(x[i][k] - static_cast<double>(f[i][k])));
        }
      }
      // Coordinates of 0.2 m round to 1e-8 m, so edges of 0.1 m have strains of 1e-7, which 600
      // visits of stiff tets pass on.
      EXPECT_LT(error, 3e-6) << name << static_cast<int>(projection);
    }
  }
}

TEST(TetConstraints, CollapsedTetsStayFinite) {
  Threads threads(1);
  for (const auto& [name, settings] : bodies()) {
    const Model model = model_of(settings);
    for (const TetProjection projection : projections) {
      Positions<double> x(model.rest.size());
      Positions<float> f(model.rest.size());
      auto tets = constraints_of(model, projection);
      auto floats = constraints_of<float>(model, projection);
      tets.begin(a2), floats.begin(a2);
      for (int k = 0; k < 5; ++k) tets.project(x, threads), floats.project(f, threads);
      for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_TRUE(std::isfinite(x[i][0] + x[i][1] + x[i][2])) << name;
        EXPECT_TRUE(std::isfinite(f[i][0] + f[i][1] + f[i][2])) << name;
      }
    }
  }
}

TEST(TetConstraints, VerticesWithoutMassStay) {
  Threads threads(1);
  Model model = model_of({});
  for (double& m : model.mass) m = 0;
  const Positions<double> start = test::positions_of<double>(test::deformed(model, 0.02));
  for (const TetProjection projection : projections) {
    Positions<double> x = start;
    auto tets = constraints_of(model, projection);
    tets.begin(a2);
    for (int k = 0; k < 3; ++k) tets.project(x, threads);
    EXPECT_TRUE(test::same_bits(x, start));
    EXPECT_EQ(tets.worst_violation(), 0);
  }
}

TEST(TetConstraints, AMaterialWithoutAConstraintFormNamesThoseWithOne) {
  const Model model = model_of({.material = "corotated"});
  try {
    constraints_of(model, TetProjection::stress);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("corotated"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("stable_neo_hookean"), std::string::npos);
  }
}

TEST(TetConstraints, GroupsHoldEveryTetOnce) {
  const Model model = model_of({});
  int sum = 0;
  for (const auto& group : constraints_of(model, TetProjection::stress).groups()) {
    EXPECT_EQ(group.of, "tets");
    sum += group.size;
  }
  EXPECT_EQ(sum, model.num_tets);
}

}  // namespace
}  // namespace supple
