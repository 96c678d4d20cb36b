#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/scene/test_scene.h"

namespace supple::test {
namespace {

const char* const rod_scene = R"({
  "supple": 1,
  "bodies": [
    { "mesh": { "helix": { "turns": 2, "segments": 30 } }, "transform": { "scale": 2 },
      "material": { "model": "rod", "young": 2e6, "poisson": 0.25, "radius": 0.01 } },
    { "mesh": { "polyline": { "points": [[0, 0, 0], [1, 0, 0], [1, 1, 0]], "closed": true } },
      "mass": 0.1,
      "material": { "model": "rod", "young": 2e6, "shear": 5e5, "radius": 0.01, "bending": 0.5,
                    "rest_shape": "straight", "rest_twist": 90 } } ] })";

constexpr double pi = 3.14159265358979323846;

TEST(RodScene, BodiesLandInTheirFields) {
  const Scene scene = parse(rod_scene).scene;
  const Body& curl = scene.bodies[0];
  ASSERT_TRUE(curl.rod.has_value());
  EXPECT_NEAR(curl.rod->bending, 2e6 * pi * 1e-8 / 4, 1e-12);
  EXPECT_NEAR(curl.rod->twist, 8e5 * pi * 1e-8 / 2, 1e-12);
  EXPECT_EQ(curl.rod->rest_shape, RodRestShape::mesh);
  EXPECT_EQ(curl.segments.size(), 30U);
  EXPECT_EQ(curl.density, 0.003);
  ASSERT_EQ(curl.springs.size(), 30U);
  for (const Spring& spring : curl.springs) {
    EXPECT_NEAR(spring.stiffness * spring.rest_length, 2e6 * pi * 1e-4, 1e-9);
  }
  const Body& ring = scene.bodies[1];
  EXPECT_EQ(ring.rod->bending, 0.5);
  EXPECT_NEAR(ring.rod->twist, 5e5 * pi * 1e-8 / 2, 1e-12);
  EXPECT_EQ(ring.rod->rest_shape, RodRestShape::straight);
  EXPECT_EQ(ring.rod->rest_twist, 90);
  EXPECT_EQ(ring.segments.size(), 3U);
}

TEST(RodScene, TheSettingsReadAgainGiveTheSameScene) {
  const LoadedScene loaded = parse(rod_scene);
  const LoadedScene again = parse(loaded.settings);
  EXPECT_EQ(again.settings, loaded.settings);
  for (std::size_t b = 0; b < 2; ++b) {
    const Body &one = loaded.scene.bodies[b], &two = again.scene.bodies[b];
    EXPECT_EQ(one.mesh.vertices, two.mesh.vertices);
    EXPECT_EQ(one.rod->bending, two.rod->bending);
    EXPECT_EQ(one.rod->twist, two.rod->twist);
    EXPECT_EQ(one.rod->rest_twist, two.rod->rest_twist);
    EXPECT_EQ(one.springs[2].stiffness, two.springs[2].stiffness);
  }
  const auto bodies = nlohmann::json::parse(loaded.settings)["bodies"];
  EXPECT_EQ(bodies[0]["material"]["rest_twist"], 0);
  EXPECT_TRUE(bodies[0]["material"].contains("stretch"));
}

/// The lines of a file, with each of the two materials of strands.
TEST(RodScene, StrandsComeFromAFile) {
  const std::string body = R"({ "supple": 1, "bodies": [ { "mesh": { "file": "hair.obj" },
    "transform": { "scale": 0.5 }, "material": )";
  const LoadedScene rods =
      parse(body + R"({ "model": "rod", "young": 2e6, "poisson": 0.25, "radius": 0.01 } } ] })");
  const Body& rod = rods.scene.bodies[0];
  ASSERT_TRUE(rod.rod.has_value());
  EXPECT_EQ(rod.segments.size(), 3U);
  EXPECT_EQ(rod.mesh.vertices[2], (Vec3{0, -1, 0}));
  ASSERT_EQ(rod.springs.size(), 3U);
  EXPECT_EQ(rod.springs[0].rest_length, 0.5);
  const Scene springs =
      parse(body + R"({ "model": "spring", "stiffness": 100, "bending": 5 } } ] })").scene;
  EXPECT_FALSE(springs.bodies[0].rod.has_value());
  ASSERT_EQ(springs.bodies[0].springs.size(), 4U);
  EXPECT_EQ(springs.bodies[0].springs[3].stiffness, 5);
  EXPECT_EQ(parse(rods.settings).settings, rods.settings);
}

TEST(RodScene, WhatIsWrongIsNamed) {
  const auto refused = [](const std::string& body, const std::string& where,
                          const std::string& message) {
    try {
      parse(R"({ "supple": 1, "bodies": [ )" + body + " ] }");
      ADD_FAILURE() << body;
    } catch (const Error& error) {
      EXPECT_NE(error.where().find(where), std::string::npos) << error.what();
      EXPECT_NE(error.message().find(message), std::string::npos) << error.what();
    }
  };
  const auto strand = [](const std::string& material) {
    return R"({ "mesh": { "strand": {} }, "material": { "model": "rod", )" + material + " } }";
  };
  const std::string material = "/bodies/0/material";
  refused(strand(R"("young": 1e6, "poisson": 0.3)"), material, "radius");
  refused(strand(R"("young": 1e6, "radius": 1)"), material, "poisson");
  refused(strand(R"("young": -1, "poisson": 0.3, "radius": 1)"), material + "/young", "above 0");
  refused(strand(R"("young": 1, "poisson": 0.6, "radius": 1)"), material + "/poisson", "0.5");
  refused(strand(R"("young": 1, "poisson": 0.3, "shear": 1, "radius": 1)"), material + "/poisson",
          "conflicts with shear");
  refused(strand(R"("young": 1e6, "poisson": 0.3, "radius": 1e-90)"), material + "/radius",
          "double cannot hold");
  refused(strand(R"("young": 1, "poisson": 0.3, "radius": 1, "thickness": 1)"),
          material + "/thickness", "unknown key");
  refused(strand(R"("young": 1, "poisson": 0.3, "radius": 1, "rest_shape": "curved")"),
          material + "/rest_shape", "rest shape");
  refused(strand(R"("young": 1, "poisson": 0.3, "radius": 1, "twist": 0)"), material + "/twist",
          "above 0");
  refused(R"({ "mesh": { "cloth": {} },
               "material": { "model": "rod", "young": 1, "poisson": 0, "radius": 1 } })",
          material + "/model", "rod is for strands");
  refused(R"({ "mesh": { "box": {} },
               "material": { "model": "rod", "young": 1, "poisson": 0, "radius": 1 } })",
          material + "/model", "rod is for strands");
  refused(R"({ "mesh": { "strand": {} }, "material": { "model": "arap", "mu": 1 } })",
          material + "/model", "expected spring or rod");
  refused(R"({ "mesh": { "helix": { "segments": 3 } }, "material": { "model": "spring" } })",
          "/bodies/0/mesh/helix", "more than two a turn");
  refused(R"({ "mesh": { "polyline": {} }, "material": { "model": "spring" } })",
          "/bodies/0/mesh/polyline", "points");
}

}  // namespace
}  // namespace supple::test
