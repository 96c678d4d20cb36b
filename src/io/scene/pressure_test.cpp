#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "io/scene/test_scene.h"

namespace supple::test {
namespace {

/// A scene of a ball's surface with this pressure.
std::string balloon(const std::string& pressure) {
  return R"({ "supple": 1, "bodies": [ {
    "mesh": { "icosphere": { "radius": 0.2, "subdivisions": 1 } },
    "material": { "model": "arap", "mu": 1e5, "thickness": 1e-3 },
    "pressure": )" +
         pressure + " } ] }";
}

TEST(PressureOfABody, IsANumberOrAnObject) {
  const Body number = parse(balloon("-300")).scene.bodies[0];
  EXPECT_EQ(number.triangles.size(), 80U);
  ASSERT_TRUE(number.pressure);
  EXPECT_EQ(number.pressure->pressure.value, -300);
  EXPECT_FALSE(number.pressure->ambient);
  const Body ramp = parse(balloon(R"({ "overpressure": { "keyframes": [ { "time": 1, "value": 0 },
                         { "time": 2, "value": 50 } ], "repeat": true } })"))
                        .scene.bodies[0];
  EXPECT_EQ(ramp.pressure->pressure.keyframes,
            (std::vector<std::pair<double, double>>{{1, 0}, {2, 50}}));
  EXPECT_TRUE(ramp.pressure->pressure.repeat);
  const Body gas = parse(balloon(R"({ "gas": 2e5 })")).scene.bodies[0];
  EXPECT_EQ(gas.pressure->pressure.value, 2e5);
  EXPECT_EQ(gas.pressure->ambient, 101325);
}

TEST(PressureOfABody, TheSceneWithItsDefaultsReadsTheSameAgain) {
  for (const char* const text :
       {"5", R"({ "overpressure": 5 })", R"({ "gas": 5, "surface": "outer" })"}) {
    const LoadedScene first = parse(balloon(text));
    EXPECT_EQ(parse(first.settings).settings, first.settings) << text;
  }
}

TEST(VolumeOfABody, IsFreeOrExact) {
  const auto bag = [](const std::string& volume) {
    return R"({ "supple": 1, "bodies": [ {
      "mesh": { "icosphere": { "radius": 0.2, "subdivisions": 1 } },
      "material": { "model": "arap", "mu": 1e5, "thickness": 1e-3 }, "volume": )" +
           volume + " } ] }";
  };
  EXPECT_EQ(parse(bag("\"exact\"")).scene.bodies[0].volume, BodyVolume::exact);
  EXPECT_EQ(parse(bag("\"free\"")).scene.bodies[0].volume, BodyVolume::free);
  EXPECT_EQ(parse(balloon("0")).scene.bodies[0].volume, BodyVolume::free);
  const LoadedScene first = parse(bag("\"exact\""));
  EXPECT_EQ(parse(first.settings).settings, first.settings);
  for (const char* const text : {"true", "1", "\"kept\"", "null"}) {
    const std::string where = error_of(bag(text)).where();
    EXPECT_EQ(where.substr(where.find("/bodies/0")), "/bodies/0/volume") << text;
  }
}

TEST(PressureOfABody, RefusesWhatItCannotBe) {
  const auto place = [](const std::string& text) {
    const std::string where = error_of(balloon(text)).where();
    return where.substr(where.find("/bodies/0") + 9);
  };
  EXPECT_EQ(place("true"), "/pressure");
  EXPECT_EQ(place("{}"), "/pressure");
  EXPECT_EQ(place(R"({ "overpressure": 1, "gas": 1 })"), "/pressure/gas");
  EXPECT_EQ(place(R"({ "overpressure": 1, "ambient": 1 })"), "/pressure/ambient");
  EXPECT_EQ(place(R"({ "gas": -1 })"), "/pressure/gas");
  EXPECT_EQ(place(R"({ "gas": 1, "ambient": -1 })"), "/pressure/ambient");
  EXPECT_EQ(place(R"({ "overpressure": 1, "surface": "inner" })"), "/pressure/surface");
  EXPECT_EQ(place(R"({ "overpressure": { "keyframes": [] } })"),
            "/pressure/overpressure/keyframes");
  EXPECT_EQ(place(R"({ "gas": { "keyframes": [ { "time": 0, "value": -1 } ] } })"),
            "/pressure/gas/keyframes/0/value");
  EXPECT_EQ(place(R"({ "overpressure": { "keyframes": [ { "time": 1, "value": 1 },
                       { "time": 1, "value": 2 } ] } })"),
            "/pressure/overpressure");
}

/// A scene of a block with these fibers; its mesh has the fields young and poisson.
std::string muscle(const std::string& fiber, const std::string& transform = "{}") {
  return R"({ "supple": 1, "bodies": [ { "mesh": { "file": "block.mesh" },
    "material": { "model": "arap", "mu": 1e5 }, "transform": )" +
         transform + R"(, "fiber": )" + fiber + " } ] }";
}

TEST(FiberOfABody, MayBeAFieldOfTheMeshThatItsTransformTurns) {
  const std::string field =
      R"({ "direction": { "x": "young", "y": "poisson", "z": "poisson" }, "kappa": 1e5 })";
  const Body plain = parse(muscle(field)).scene.bodies[0];
  ASSERT_EQ(plain.fibers[0].directions.size(), plain.mesh.tets.size());
  const std::vector<double>& young = plain.mesh.tet_fields.at("young");
  const std::vector<double>& poisson = plain.mesh.tet_fields.at("poisson");
  for (std::size_t t = 0; t < young.size(); ++t) {
    EXPECT_EQ(plain.fibers[0].directions[t], (Vec3{young[t], poisson[t], poisson[t]}));
  }
  const Body turned =
      parse(muscle(field, R"({ "scale": 2, "rotate": { "axis": [0, 0, 1], "degrees": 90 },
                               "translate": [5, 6, 7] })"))
          .scene.bodies[0];
  for (std::size_t t = 0; t < young.size(); ++t) {
    // x becomes y and y becomes -x, twice as long; positions are rounded to 1e-12 of 1e5.
    EXPECT_NEAR(turned.fibers[0].directions[t][0], -2 * poisson[t], 1e-9 * young[t]);
    EXPECT_NEAR(turned.fibers[0].directions[t][1], 2 * young[t], 1e-9 * young[t]);
  }
}

TEST(FiberOfABody, MayGoByAnAxisOrBetweenSelections) {
  const Body radial = parse(muscle(R"({ "radial": { "axis": [0, 0, 1], "center": [1, 2, 3] },
                                       "kappa": 1e5, "activation": 0.25 })"))
                          .scene.bodies[0];
  EXPECT_EQ(radial.fibers[0].radial->axis, (Vec3{0, 0, 1}));
  EXPECT_EQ(radial.fibers[0].radial->center, (Vec3{1, 2, 3}));
  EXPECT_EQ(radial.fibers[0].activation.value, 0.25);
  const Body laplace = parse(muscle(R"({ "laplace": { "from": { "vertices": [0, 1] },
                                        "to": { "box": [[-9, -9, -9], [9, 9, 9]] } }, "kappa": 1 })"))
                           .scene.bodies[0];
  EXPECT_EQ(laplace.fibers[0].laplace->from.vertices, (std::vector<int>{0, 1}));
  EXPECT_EQ(laplace.fibers[0].laplace->to.box.max, (Vec3{9, 9, 9}));
}

TEST(FiberOfABody, MayBeAListOfFamilies) {
  const Body body = parse(muscle(R"([ { "direction": [1, 0, 0], "kappa": 2 },
                                      { "radial": {}, "curve": [[0.5, -3], [1, 0], [2, 9]],
                                        "activation": 0.1 } ])"))
                        .scene.bodies[0];
  ASSERT_EQ(body.fibers.size(), 2U);
  EXPECT_EQ(body.fibers[0].kappa, 2);
  EXPECT_TRUE(body.fibers[0].curve.points.empty());
  EXPECT_TRUE(body.fibers[1].radial);
  EXPECT_EQ(body.fibers[1].curve.points[2], std::pair(2.0, 9.0));
  EXPECT_EQ(body.fibers[1].activation.value, 0.1);
  EXPECT_TRUE(parse(muscle("[]")).scene.bodies[0].fibers.empty());
}

TEST(FiberOfABody, RefusesWhatItCannotBe) {
  const auto place = [](const std::string& text) {
    const std::string where = error_of(muscle(text)).where();
    return where.substr(where.find("/bodies/0") + 9);
  };
  EXPECT_EQ(place(R"({ "kappa": 1 })"), "/fiber");
  EXPECT_EQ(place(R"({ "direction": [1, 0, 0], "radial": {}, "kappa": 1 })"), "/fiber/radial");
  EXPECT_EQ(place(R"({ "direction": { "x": "young", "y": "yuong", "z": "young" }, "kappa": 1 })"),
            "/fiber/direction/y");
  EXPECT_EQ(place(R"({ "laplace": { "from": { "vertices": [0] }, "to": { "vertices": [999] } },
                       "kappa": 1 })"),
            "/fiber/laplace/to/vertices/0");
  EXPECT_EQ(place(R"({ "laplace": { "from": { "vertices": [0] },
                       "to": { "box": [[50, 50, 50], [51, 51, 51]] } }, "kappa": 1 })"),
            "/fiber/laplace/to/box");
  EXPECT_EQ(place(R"({ "direction": [1, 0, 0], "kappa": 1, "activation": 0.95 })"),
            "/fiber/activation");
  EXPECT_EQ(place(R"({ "direction": [1, 0, 0] })"), "/fiber");
  EXPECT_EQ(place(R"({ "direction": [1, 0, 0], "kappa": 1, "curve": [[1, 0], [2, 1]] })"),
            "/fiber/curve");
  EXPECT_EQ(place(R"({ "direction": [1, 0, 0], "curve": [] })"), "/fiber/curve");
  EXPECT_EQ(place(R"({ "direction": [1, 0, 0], "curve": [[1, 1], [2, 2]] })"), "/fiber/curve");
  EXPECT_EQ(place(R"([ { "direction": [1, 0, 0], "kappa": 1 },
                       { "direction": [0, 1, 0], "curve": [[0, -1], [1, 0], [2, -1]] } ])"),
            "/fiber/1/curve/2");
  EXPECT_EQ(place(R"([ { "direction": [1, 0, 0], "kappa": 1 }, { "direction": [0, 0, 0],
                       "kappa": 1 } ])"),
            "/fiber/1/direction");
}

/// The file is refused, before a simulation is built.
TEST(FiberOfABody, WithACurveNeedsAMethodThatRunsIt) {
  const std::string scene = muscle(R"({ "direction": [1, 0, 0], "curve": [[1, 0], [2, 1]] })");
  for (const char* const method : {"xpbd", "step_and_project", "projective_dynamics"}) {
    const Error error = error_of(scene.substr(0, scene.size() - 2) +
                                 R"(, "solver": { "method": ")" + method + "\" } }");
    EXPECT_NE(error.where().find(": /bodies/0/fiber/curve"), std::string::npos) << error.what();
    EXPECT_NE(error.message().find(method), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace supple::test
