#include "position/spring_constraints.h"

#include <gtest/gtest.h>

#include <set>

#include "contact/test_allocations.h"
#include "position/constraint_test_support.h"

namespace supple {
namespace {

using test::cloth_model;
using test::particles;
using test::positions_of;
using test::shaken;

constexpr double h = 1.0 / 60;

PositionStep step_to(const VectorField& y) { return {y, y, 1 / (h * h), h, h}; }

/// Two particles of 1 and 3 kg with a spring.
Model pair_of(const Vec3& a, const Vec3& b, double stiffness, double rest_length) {
  Model model = particles({a, b}, {1, 3});
  model.springs.add({0, 1, stiffness, rest_length}, model.rest);
  model.springs.index_vertices(2);
  return model;
}

/// M (z - y) minus the stored impulses, largest component.
double impulse_defect(const Model& model, const SpringConstraints<double>& springs,
                      const VectorField& y, const Positions<double>& z) {
  VectorField sum(y.size());
  for (std::size_t s = 0; s < model.springs.size(); ++s) {
    const Vec3 q = springs.impulse(s);
    for (int k = 0; k < 3; ++k) {
      sum[static_cast<std::size_t>(model.springs.springs[s].a)][k] +=
          q[static_cast<std::size_t>(k)];
      sum[static_cast<std::size_t>(model.springs.springs[s].b)][k] -=
          q[static_cast<std::size_t>(k)];
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

/// With the energy of springs alone.
std::pair<double, double> gradient_of_g(const Model& model, const VectorField& y,
                                        const Positions<double>& z) {
  return test::gradient_of_g(model, SpringEnergy(model.springs, model.body_vertices), y, z, h);
}

TEST(ConstraintColours, NoColourTouchesAVertexTwiceAndAllConstraintsAreThere) {
  const Model model = cloth_model(9);
  std::vector<int> ends;
  for (const auto& s : model.springs.springs) ends.insert(ends.end(), {s.a, s.b});
  const ConstraintColours colours = colour_constraints(ends, 2, model.num_vertices);
  std::set<int> all;
  for (int c = 0; c < colours.num_colours(); ++c) {
    std::set<int> touched;
    for (int i = colours.start[static_cast<std::size_t>(c)];
         i < colours.start[static_cast<std::size_t>(c) + 1]; ++i) {
      const auto s = static_cast<std::size_t>(colours.constraints[static_cast<std::size_t>(i)]);
      EXPECT_TRUE(touched.insert(ends[2 * s]).second);
      EXPECT_TRUE(touched.insert(ends[2 * s + 1]).second);
      all.insert(static_cast<int>(s));
    }
  }
  EXPECT_EQ(all.size(), model.springs.size());
  // A greedy colouring needs at most 2 (d - 1) + 1 colours; a vertex has d = 12 springs.
  EXPECT_LE(colours.num_colours(), 23);
}

TEST(ConstraintColours, AStarHasAColourForEachOfItsRays) {
  std::vector<int> ends;
  for (int i = 1; i <= 200; ++i) ends.insert(ends.end(), {0, i});
  const ConstraintColours colours = colour_constraints(ends, 2, 201);
  EXPECT_EQ(colours.num_colours(), 200);
  EXPECT_EQ(colour_constraints({}, 2, 3).num_colours(), 0);
}

TEST(SpringConstraints, OneVisitOfOneSpringIsTheMinimumOfG) {
  // The motion is along the line: g is a quadratic function of the length.
  const double k = 700, rest = 0.5, length = 0.8;
  const Model model = pair_of({length, 0, 0}, {0, 0, 0}, k, rest);
  const VectorField y = test::rest_of(model);
  Threads threads(1);
  const double w = 1 + 1.0 / 3, alpha = 1 / (h * h * k);
  const double impulse = (rest - length) / (w + alpha);
  for (auto form : {SpringProjection::sequential, SpringProjection::stress}) {
    SpringConstraints<double> springs(model, form);
    Positions<double> z = positions_of<double>(y);
    springs.begin(step_to(y));
    for (int visit = 0; visit < 3; ++visit) {  // and it stays there
      springs.project(z, threads);
      EXPECT_NEAR(z[0][0], length + impulse, 1e-15);  // rounding
      EXPECT_NEAR(z[1][0], -impulse / 3, 1e-15);
      EXPECT_NEAR(springs.impulse(0)[0], impulse, 1e-15);
    }
  }
}

TEST(SpringConstraints, TheFixedPointOfStressIsAStationaryPointOfG) {
  const Model model = cloth_model(7);
  const VectorField y = shaken(model, 0.03);  // some springs stretched, some squeezed
  SpringConstraints<double> springs(model, SpringProjection::stress);
  Positions<double> z = positions_of<double>(y);
  Threads threads(1);
  springs.begin(step_to(y));
  const double before = gradient_of_g(model, y, z).first;
  for (int i = 0; i < 1500; ++i) springs.project(z, threads);
  const auto [after, forces] = gradient_of_g(model, y, z);
  EXPECT_GT(before, 1);
  EXPECT_LT(after, 1e-10 * forces);  // converged: rounding times the number of visits
}

TEST(SpringConstraints, SequentialIsOffTheStationaryPointByWhatItDrops) {
  // The paper's form is right only to first order, which is why the other form exists.
  const Model model = cloth_model(7);
  const VectorField y = shaken(model, 0.03);
  SpringConstraints<double> springs(model, SpringProjection::sequential);
  Positions<double> z = positions_of<double>(y);
  Threads threads(1);
  springs.begin(step_to(y));
  for (int i = 0; i < 1500; ++i) springs.project(z, threads);
  // C + alpha l/a^2 = 0 for each spring, the half that it solves.
  for (std::size_t s = 0; s < model.springs.size(); ++s) {
    const auto& spring = model.springs.springs[s];
    const auto &a = z[static_cast<std::size_t>(spring.a)],
               &b = z[static_cast<std::size_t>(spring.b)];
    const double l = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    EXPECT_NEAR(l - spring.rest_length + springs.impulse(s)[0] / (h * h * spring.stiffness), 0,
                1e-12);
  }
  const auto [after, forces] = gradient_of_g(model, y, z);
  EXPECT_GT(after, 1e-4 * forces);
  EXPECT_LT(after, 0.5 * forces);
}

TEST(SpringConstraints, TheImpulsesOfStressAddUpToTheMotionAfterAnyNumberOfVisits) {
  const Model model = cloth_model(6);
  const VectorField y = shaken(model, 0.05);
  SpringConstraints<double> springs(model, SpringProjection::stress);
  Positions<double> z = positions_of<double>(y);
  Threads threads(1);
  springs.begin(step_to(y));
  for (int i = 0; i < 5; ++i) {
    springs.project(z, threads);
    EXPECT_LT(impulse_defect(model, springs, y, z), 1e-15);  // of impulses of 1e-4 kg m
  }
}

TEST(SpringConstraints, MomentumIsKept) {
  const Model model = cloth_model(6);
  const VectorField y = shaken(model, 0.05);
  Threads threads(1);
  for (auto form : {SpringProjection::sequential, SpringProjection::stress}) {
    SpringConstraints<double> springs(model, form);
    Positions<double> z = positions_of<double>(y);
    springs.begin(step_to(y));
    VectorField before = y, after = y;
    double linear = 0, angular[3] = {0, 0, 0}, scale = 0;
    for (int i = 0; i < 1000; ++i) {
      springs.project(z, threads);
      copy_to(z, after);
      const test::Momentum m = test::momentum(model, y, after);
      scale = std::max(scale, m.scale);
      for (double p : m.linear) linear = std::max(linear, std::abs(p));
    }
    EXPECT_LT(linear, 1e-13 * scale);
    // sum m z x (z - y): the torque of the impulses about where they end, zero if they are along
    // the springs. In the sequential form it is zero about where each was when it acted: sum m z x
    // y' = const.
    for (std::size_t i = 0; i < y.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        const int p = (k + 1) % 3, q = (k + 2) % 3;
        angular[k] += model.mass[i] * (after[i][p] * (after[i][q] - y[i][q]) -
                                       after[i][q] * (after[i][p] - y[i][p]));
      }
    }
    const double turned = std::hypot(angular[0], angular[1], angular[2]);
    if (form == SpringProjection::stress) {
      EXPECT_LT(turned, 1e-11 * scale);  // at the fixed point
    } else {
      EXPECT_GT(turned, 1e-11 * scale);  // impulses of earlier visits had other directions
    }
  }
}

TEST(SpringConstraints, AVisitOfTheSequentialFormTurnsNothing) {
  const Model model = pair_of({0.3, -0.2, 0.5}, {0, 0.1, 0}, 900, 0.2);
  const VectorField y = test::rest_of(model);
  SpringConstraints<double> springs(model, SpringProjection::sequential);
  Positions<double> z = positions_of<double>(y);
  Threads threads(1);
  springs.begin(step_to(y));
  springs.project(z, threads);
  VectorField after = y;
  copy_to(z, after);
  const test::Momentum m = test::momentum(model, y, after);
  EXPECT_GT(m.scale, 0.05);
  for (double L : m.angular) EXPECT_NEAR(L, 0, 1e-15);
}

TEST(SpringConstraints, TheNumberOfThreadsDoesNotShow) {
  const Model model = cloth_model(60);
  const VectorField y = shaken(model, 0.01);
  for (auto form : {SpringProjection::sequential, SpringProjection::stress}) {
    SpringConstraints<float> one(model, form), three(model, form);
    int largest = 0;
    for (const ConstraintGroup& group : one.groups()) largest = std::max(largest, group.size);
    ASSERT_GT(largest, 1024);  // more than a task
    Positions<float> z1 = positions_of<float>(y), z3 = z1;
    Threads alone(1), team(3);
    one.begin(step_to(y));
    three.begin(step_to(y));
    for (int i = 0; i < 5; ++i) {
      one.project(z1, alone);
      three.project(z3, team);
    }
    EXPECT_NE(z1[0][0], static_cast<float>(y[0][0]));
    for (std::size_t i = 0; i < z1.size(); ++i) {
      for (int k = 0; k < 3; ++k) ASSERT_EQ(z1[i][k], z3[i][k]);
    }
  }
}

TEST(SpringConstraints, FloatIsNearDouble) {
  const Model model = cloth_model(10);
  const VectorField y = shaken(model, 0.02);
  for (auto form : {SpringProjection::sequential, SpringProjection::stress}) {
    SpringConstraints<float> single(model, form);
    SpringConstraints<double> full(model, form);
    Positions<float> zs = positions_of<float>(y);
    Positions<double> zd = positions_of<double>(y);
    Threads threads(1);
    single.begin(step_to(y));
    full.begin(step_to(y));
    for (int i = 0; i < 20; ++i) {
      single.project(zs, threads);
      full.project(zd, threads);
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
      // Positions of 1 m round to 6e-8; there are twenty visits of twelve springs.
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(zs[i][k], zd[i][k], 5e-6);
    }
  }
}

TEST(SpringConstraints, ASpringWithoutLengthPushesApartAlongItsRestDirection) {
  const Model model = pair_of({0, 0.6, 0.8}, {0, 0, 0}, 1e6, 1);
  VectorField y(2);
  Threads threads(1);
  for (auto form : {SpringProjection::sequential, SpringProjection::stress}) {
    SpringConstraints<double> springs(model, form);
    Positions<double> z = positions_of<double>(y);
    springs.begin(step_to(y));
    springs.project(z, threads);
    EXPECT_GT(z[0][1], 0.4);
    EXPECT_NEAR(z[0][2] * 0.6, z[0][1] * 0.8, 1e-15);
    EXPECT_EQ(z[0][0], 0);
  }
}

TEST(SpringConstraints, ASpringWithoutRestLengthIsSolvedInOneVisitFromAnyPlace) {
  Model model = pair_of({0.4, 0.6, 0.8}, {0, 0, 0}, 250, 0);
  const VectorField y = test::rest_of(model);
  SpringConstraints<double> springs(model, SpringProjection::stress);
  Positions<double> z = positions_of<double>(y);
  Threads threads(1);
  springs.begin(step_to(y));
  springs.project(z, threads);
  EXPECT_LT(gradient_of_g(model, y, z).first, 1e-12 * gradient_of_g(model, y, z).second);
  // Also at length zero.
  VectorField together(2);
  z = positions_of<double>(together);
  springs.begin(step_to(together));
  springs.project(z, threads);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(z[0][k], 0);
}

TEST(SpringConstraints, KeptMultipliersStartWhereTheLastSubstepEnded) {
  const Model model = cloth_model(6);
  const VectorField y = shaken(model, 0.03);
  Threads threads(1);
  SpringConstraints<double> springs(model, SpringProjection::stress, true);
  Positions<double> z = positions_of<double>(y);
  springs.begin(step_to(y));
  for (int i = 0; i < 1500; ++i) springs.project(z, threads);
  // The same substep again begins where it ended.
  Positions<double> again = positions_of<double>(y);
  PositionStep next = step_to(y);
  next.first_of_frame = false;
  springs.begin(next);
  springs.apply_kept(again);
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(again[i][k], z[i][k], 1e-12);  // sum of roundings
  }
  // If nothing is kept, nothing is added.
  SpringConstraints<double> forgetful(model, SpringProjection::stress);
  forgetful.begin(step_to(y));
  forgetful.project(z, threads);
  forgetful.begin(step_to(y));
  again = positions_of<double>(y);
  forgetful.apply_kept(again);
  EXPECT_EQ(again[3][0], y[3][0]);
}

TEST(SpringConstraints, AVertexWithoutMassStays) {
  Model model = pair_of({1, 0, 0}, {0, 0, 0}, 1e4, 0.5);
  model.mass = {0, 2};
  const VectorField y = test::rest_of(model);
  Threads threads(1);
  for (const std::vector<double>& masses : {std::vector<double>{0, 2}, {0, 0}}) {
    model.mass = masses;
    SpringConstraints<double> springs(model, SpringProjection::stress);
    Positions<double> z = positions_of<double>(y);
    springs.begin(step_to(y));
    springs.project(z, threads);
    EXPECT_EQ(z[0][0], 1);
    EXPECT_EQ(z[1][0] > 0.1, masses[1] > 0);
    EXPECT_FALSE(std::isnan(z[1][0]));
  }
}

TEST(SpringConstraints, ThereMayBeNone) {
  const Model model = particles({{0, 0, 0}}, {1});
  SpringConstraints<float> springs(model, SpringProjection::stress);
  EXPECT_TRUE(springs.empty());
  EXPECT_TRUE(springs.groups().empty());
  const VectorField y(1);
  Positions<float> z(1);
  Threads threads(2);
  springs.begin(step_to(y));
  springs.project(z, threads);
}

TEST(SpringConstraints, AStepAllocatesNothing) {
  const Model model = cloth_model(40);
  const VectorField y = shaken(model, 0.01);
  SpringConstraints<float> springs(model, SpringProjection::stress, true);
  Positions<float> z = positions_of<float>(y);
  Threads threads(2);
  const long before = num_allocations();
  springs.begin(step_to(y));
  springs.apply_kept(z);
  for (int i = 0; i < 3; ++i) springs.project(z, threads);
  EXPECT_EQ(num_allocations(), before);
  EXPECT_NE(z[7][1], static_cast<float>(y[7][1]));
}

}  // namespace
}  // namespace supple
