#include "materials/material.h"

#include <gtest/gtest.h>

#include "materials/stable_neo_hookean.h"
#include "materials/test_support.h"
#include "supple/error.h"
#include "supple/simulation.h"

namespace supple {
namespace {

using namespace supple::testing;

const std::string where = "bar.json: /bodies/0/material";

/// "place: message" of the error, "" if there is none.
std::string fault(const MaterialSettings& settings) {
  try {
    make_material(settings, where);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    return error.what();
  }
  return "";
}

void expect_fault(const MaterialSettings& settings, const std::string& place,
                  const std::string& part) {
  const std::string text = fault(settings);
  EXPECT_EQ(text.rfind(where + place + ": ", 0), 0u) << text;
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(MakeMaterial, EveryListedMaterialIsMadeAndNamesItself) {
  const std::vector<Description> list = list_materials();
  // All but energies of the host program, which have no name in a scene.
  ASSERT_EQ(list.size(), std::variant_size_v<MaterialModel> - 1);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const MaterialSettings settings = example_settings(list[i].name);
    const MaterialModel model = make_material(settings, where);
    EXPECT_EQ(model.index(), i);
    std::visit(
        [&](const auto& m) {
          EXPECT_EQ(list[i].name, m.name);
          EXPECT_EQ(material_parameters(settings).size(),
                    static_cast<std::size_t>(m.num_parameters));
        },
        model);
    EXPECT_FALSE(list[i].text.empty());
  }
}

TEST(MakeMaterial, ParametersComeInTheOrderOfTheModel) {
  MaterialSettings settings = example_settings("mooney_rivlin");
  const std::vector<const Parameter*> list = material_parameters(settings);
  EXPECT_EQ(list[0], &settings.c1);
  EXPECT_EQ(list[1], &settings.c2);
  EXPECT_EQ(list[2], &settings.bulk);
  settings.model = "no such thing";
  EXPECT_TRUE(material_parameters(settings).empty());
}

TEST(MakeMaterial, AMisspeltNameFindsItsNeighbour) {
  MaterialSettings settings = example_settings("neo_hookan");
  expect_fault(settings, "/model", "did you mean 'neo_hookean'");
}

TEST(MakeMaterial, BadParametersAreRefusedWithTheirPlace) {
  for (double bad : {-1.0, std::nan(""), HUGE_VAL}) {
    MaterialSettings settings = example_settings("neo_hookean");
    settings.mu = bad;
    expect_fault(settings, "/mu", "at least 0 Pa");
    settings = example_settings("mooney_rivlin");
    settings.bulk = bad;
    expect_fault(settings, "/bulk", "at least 0 Pa");
    settings = example_settings("stvk");
    settings.lambda.per_tet = {1, bad, 1};
    expect_fault(settings, "/lambda", "tet 1");
  }
}

TEST(MakeMaterial, ParametersThatAreAllZeroAreRefused) {
  for (const char* name : {"corotated", "arap", "stvk", "neo_hookean", "polynomial"}) {
    MaterialSettings settings;
    settings.model = name;
    expect_fault(settings, "", "needs a positive mu");
  }
  MaterialSettings settings;
  settings.model = "mooney_rivlin";
  expect_fault(settings, "", "needs a positive c1 or c2 or bulk");
  settings = example_settings("stvk");
  settings.mu.per_tet = {1, 0, 2};
  settings.lambda.per_tet = {1, 0, 0};
  expect_fault(settings, "", "in tet 1");
  settings.lambda.per_tet = {1, 0.5, 0};
  EXPECT_EQ(fault(settings), "");
}

TEST(MakeMaterial, ParametersPerTetMustBeEquallyMany) {
  MaterialSettings settings = example_settings("stvk");
  settings.mu.per_tet = {1, 2, 3};
  settings.lambda.per_tet = {1, 2};
  expect_fault(settings, "/lambda", "has 2 values");
  settings.mu.per_tet = {1};
  expect_fault(settings, "/lambda", "has 2 values");
}

TEST(MakeMaterial, StableNeoHookeanNeedsLambda) {
  MaterialSettings settings = example_settings("stable_neo_hookean");
  settings.lambda = 0;
  expect_fault(settings, "/lambda", "lambda > 0");
  settings.lambda.per_tet = {1, 0};
  expect_fault(settings, "/lambda", "lambda > 0");
}

/// Hooke's law with mu and lambda - mu, for a pull along one axis with no stress across it: Young's
/// modulus and Poisson's ratio as in docs/materials.md.
TEST(StableNeoHookean, ActsAtSmallStrainsAsIfLambdaWereLessByMu) {
  const double mu = 3, strain = 1e-6;
  for (const double lambda : {2.0, 3.0, 12.0}) {
    const double poisson = 0.5 - mu / (2 * lambda), young = mu * (3 - mu / lambda);
    Mat3<double> F = Mat3<double>::identity();
    F(0, 0) += strain;
    F(1, 1) -= poisson * strain;
    F(2, 2) -= poisson * strain;
    const Mat3<double> P = StableNeoHookean<double>{mu, lambda}.stress(F);
    // The error is of second order in the strain.
    EXPECT_NEAR(P(0, 0) / strain, young, 1e-4);
    EXPECT_NEAR(P(1, 1) / strain, 0, 1e-4);
    EXPECT_NEAR(P(2, 2) / strain, 0, 1e-4);
  }
}

TEST(MakeMaterial, BadControlPointsAreRefused) {
  MaterialSettings settings;
  settings.model = "spline";
  expect_fault(settings, "", "needs control points");
  settings.spline_a.points = {{1, 2}};
  expect_fault(settings, "/a", "at least two");
  settings.spline_a.points = {{0, -1}, {1, 0}, {1, 1}};
  expect_fault(settings, "/a/2", "increase strictly");
  settings.spline_a.points = {{0, -1}, {1, 0}, {0.5, 1}};
  expect_fault(settings, "/a/2", "increase strictly");
  settings.spline_a.points = {{0, -1}, {1, 0}};
  settings.spline_c.points = {{0, std::nan("")}, {1, 0}};
  expect_fault(settings, "/c/0", "finite");
  settings.spline_c.points = {{0, -1e308}, {1e-300, 1e308}};
  expect_fault(settings, "", "not finite at 1");
}

TEST(MakeMaterial, IncompleteFunctionsAreRefused) {
  MaterialSettings settings;
  settings.model = "valanis_landel";
  expect_fault(settings, "", "at least one");
  settings.a = ExampleFunctions::function_a();
  EXPECT_EQ(fault(settings), "");
  settings.a.first = nullptr;
  expect_fault(settings, "/a", "first and second derivative");
  settings.a = ExampleFunctions::function_a();
  settings.b.second = [](double) { return 0.0; };
  expect_fault(settings, "/b", "first and second derivative");
  settings.b = {};
  settings.c = ExampleFunctions::function_c();
  settings.c.second = [](double x) { return 1 / (x - 1); };
  expect_fault(settings, "/c", "not finite at 1");
}

}  // namespace
}  // namespace supple
