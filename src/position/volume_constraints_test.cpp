#include "position/volume_constraints.h"

#include <gtest/gtest.h>

#include <optional>

#include "base/index.h"
#include "contact/test_allocations.h"
#include "position/constraint_test_support.h"

namespace supple {
namespace {

constexpr double h = 1.0 / 60;

enum class Content { given, gas, exact };

/// The surface of a ball of 10 cm and 0.2 kg, with nothing else.
Model ball_model(Content content, double pressure, int subdivisions = 2) {
  const SpringMesh mesh = generate(IcosphereGenerator{.radius = 0.1, .subdivisions = subdivisions});
  Model model = test::particles(
      mesh.vertices,
      std::vector<double>(mesh.vertices.size(), 0.2 / static_cast<double>(mesh.vertices.size())));
  if (content == Content::exact) {
    model.pressures.keep_volumes(mesh.triangles, {}, mesh.vertices, 0, "");
    model.pressures.chambers[0].stiffness = 1e9;
  } else {
    PressureSettings settings{.pressure = pressure};
    if (content == Content::gas) settings.ambient = 1e5;
    model.pressures.add(settings, mesh.triangles, mesh.vertices, 0, true, "");
  }
  model.pressures.index_vertices(model.num_vertices);
  return model;
}

PositionStep step_to(const VectorField& y) { return {y, y, 1 / (h * h), h, h}; }

/// Where so many visits move y, m.
VectorField after(VolumeConstraints<double>& volumes, const VectorField& y, int visits) {
  Positions<double> z = test::positions_of<double>(y);
  volumes.begin(step_to(y), test::one_thread());
  for (int i = 0; i < visits; ++i) volumes.project(z, test::one_thread());
  VectorField end(y.size());
  copy_to(z, end);
  return end;
}

/// |M (z - y)/a^2 + dE/dx|, N, where E is that of the model's pressures, or of the pressure p.
double gradient_of_g(const Model& model, const VectorField& y, const VectorField& z,
                     std::optional<double> p) {
  PressureEnergy energy(model.pressures);
  VectorField sum(y.size());
  if (p) {
    for (std::size_t i = 0; i < model.pressures.vertices.size(); ++i) {
      const Vec3 area = energy.area_at(0, i, z);
      for (int k = 0; k < 3; ++k) sum[at(model.pressures.vertices[i])][k] -= *p * area[at(k)];
    }
  } else {
    energy.add(z, test::one_thread(), sum);
  }
  double norm = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      norm = std::hypot(norm, sum[i][k] + model.mass[i] * (z[i][k] - y[i][k]) / (h * h));
    }
  }
  return norm;
}

double volume_of(const Model& model, const VectorField& z) {
  return PressureEnergy(model.pressures).volume_at(0, z, test::one_thread());
}

/// y is out of shape and larger, with another volume than V0.
VectorField swollen(const Model& model) {
  VectorField y = test::shaken(model, 0.003);
  for (PaddedVector& own : y) {
    own[0] *= 1.2;
    own[1] *= 1.05;
  }
  return y;
}

TEST(VolumeConstraints, AFixedPointIsAStationaryPointOfG) {
  for (const Content content : {Content::given, Content::gas, Content::exact}) {
    const Model model = ball_model(content, content == Content::gas ? 1.2e5 : 30);
    const VectorField y = swollen(model);
    VolumeConstraints<double> volumes(model);
    const VectorField end = after(volumes, y, 200);
    const double p = volumes.pressure(0);
    const bool is_exact = content == Content::exact;
    const double force = std::abs(p) * 0.12;  // times the surface, m^2
    EXPECT_GT(force, 0.5);
    EXPECT_LT(gradient_of_g(model, y, end, is_exact ? std::optional(p) : std::nullopt),
              1e-10 * force);
    if (is_exact) {
      const double rest = model.pressures.chambers[0].rest_volume;
      EXPECT_NEAR(volume_of(model, end), rest, 1e-13 * rest);
      EXPECT_LT(p, 0);  // it pulls a swollen ball together
    }
    const test::Momentum moved = test::momentum(model, y, end);
    for (const double m : moved.linear) EXPECT_NEAR(m, 0, 1e-14 * moved.scale);
  }
}

TEST(VolumeConstraints, OneVisitBringsAVolumeNearItsOwn) {
  const Model model = ball_model(Content::exact, 0);
  const double rest = model.pressures.chambers[0].rest_volume;
  const VectorField y = swollen(model);
  VolumeConstraints<double> volumes(model);
  const VectorField end = after(volumes, y, 1);
  const double off = volume_of(model, y) / rest - 1;
  EXPECT_GT(off, 0.2);
  // Newton's method for one number: of second order.
  EXPECT_LT(std::abs(volume_of(model, end) / rest - 1), off * off);
}

/// As with an energy of the stiffness k whose multiplier is at its bound.
TEST(VolumeConstraints, APressureBeyondItsBoundGivesWay) {
  Model model = ball_model(Content::exact, 0);
  PressureSet::Chamber& chamber = model.pressures.chambers[0];
  chamber.stiffness = 1e3;
  const VectorField y = swollen(model);
  VolumeConstraints<double> volumes(model);
  const VectorField end = after(volumes, y, 200);
  EXPECT_GT(volume_of(model, end), 1.1 * chamber.rest_volume);
  chamber.multiplier = -chamber.stiffness * chamber.rest_volume;
  EXPECT_LT(gradient_of_g(model, y, end, std::nullopt), 1e-10 * std::abs(chamber.multiplier));
}

TEST(VolumeConstraints, ABallAtRestKeepsItsBits) {
  for (const Content content : {Content::given, Content::gas, Content::exact}) {
    const Model model = ball_model(content, content == Content::gas ? 1e5 : 0);
    VectorField y = test::rest_of(model);
    for (PaddedVector& own : y) own[1] += 1.7;
    VolumeConstraints<double> full(model);
    VolumeConstraints<float> single(model);
    Positions<double> zd = test::positions_of<double>(y);
    Positions<float> zs = test::positions_of<float>(y);
    full.begin(step_to(y), test::one_thread());
    single.begin(step_to(y), test::one_thread());
    for (int i = 0; i < 5; ++i) {
      full.project(zd, test::one_thread());
      single.project(zs, test::one_thread());
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(zd[i][k], y[i][k]);
        EXPECT_EQ(zs[i][k], static_cast<float>(y[i][k]));
      }
    }
  }
}

TEST(VolumeConstraints, TheNumberOfThreadsDoesNotShowAndNothingIsAllocated) {
  for (const Content content : {Content::given, Content::gas, Content::exact}) {
    const Model model = ball_model(content, content == Content::gas ? 1.2e5 : 30, 4);
    ASSERT_GT(model.num_vertices, 2000);  // several tasks
    const VectorField y = swollen(model);
    VolumeConstraints<float> one(model), three(model);
    Positions<float> z1 = test::positions_of<float>(y), z3 = z1;
    Threads team(3);
    one.begin(step_to(y), test::one_thread());
    three.begin(step_to(y), test::one_thread());
    one.project(z1, test::one_thread());
    const long before = num_allocations();
    one.project(z1, test::one_thread());
    EXPECT_EQ(num_allocations(), before);
    for (int i = 0; i < 2; ++i) three.project(z3, team);
    EXPECT_NE(z1[0][0], static_cast<float>(y[0][0]));
    for (std::size_t i = 0; i < z1.size(); ++i) {
      for (int k = 0; k < 3; ++k) ASSERT_EQ(z1[i][k], z3[i][k]);
    }
  }
}

}  // namespace
}  // namespace supple
