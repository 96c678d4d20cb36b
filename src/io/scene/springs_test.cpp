#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "io/scene/test_scene.h"

namespace supple::test {
namespace {

const char* const spring_scene = R"({
  "supple": 1,
  "bodies": [
    { "mesh": { "cloth": { "u": [2, 0, 0], "v": [0, 1, 0], "center": [0, 3, 0], "cells": [4, 2] } },
      "transform": { "scale": 2 },
      "material": { "model": "spring", "stiffness": 100, "shear": 30, "bending": 0 },
      "pins": [ { "select": { "vertices": [10, 14] } } ] },
    { "mesh": { "strand": { "start": [1, 0, 0], "end": [4, 0, 0], "segments": 3 } },
      "density": 0.5,
      "material": { "model": "spring", "stiffness": 100, "inextensible": true } },
    { "mesh": { "cloth": {} }, "mass": 2, "material": { "model": "spring", "stiffness": 10 } } ] })";

TEST(SpringScene, BodiesLandInTheirFields) {
  const Scene scene = parse(spring_scene).scene;
  const Body& cloth = scene.bodies[0];
  EXPECT_TRUE(cloth.mesh.tets.empty());
  EXPECT_EQ(cloth.mesh.vertices.size(), 15U);
  EXPECT_EQ(cloth.mesh.vertices.front(), (Vec3{-2, 5, 0}));
  EXPECT_EQ(cloth.mesh.vertices.back(), (Vec3{2, 7, 0}));
  EXPECT_EQ(cloth.triangles.size(), 16U);
  EXPECT_EQ(cloth.springs.size(), 4U * 3 + 5 * 2 + 2 * 8);  // no bending springs
  for (const Spring& spring : cloth.springs) {
    // Rest lengths are measured after the transform.
    EXPECT_NEAR(spring.rest_length, spring.stiffness == 100 ? 1 : std::sqrt(2), 1e-15);
  }
  EXPECT_EQ(cloth.density, 0.2);
  EXPECT_EQ(cloth.pins[0].vertices, (std::vector<int>{10, 14}));
  const Body& strand = scene.bodies[1];
  EXPECT_EQ(strand.segments.size(), 3U);
  EXPECT_EQ(strand.density, 0.5);
  ASSERT_EQ(strand.springs.size(), 5U);
  EXPECT_EQ(strand.springs[3].stiffness, 10);  // a tenth
  EXPECT_EQ(strand.springs[3].rest_length, 2);
  // Only the springs between neighbours.
  EXPECT_TRUE(strand.springs[0].inextensible);
  EXPECT_FALSE(strand.springs[3].inextensible);
  EXPECT_FALSE(cloth.springs[0].inextensible);
  EXPECT_EQ(scene.bodies[2].mass, 2);
  EXPECT_EQ(scene.bodies[2].mesh.vertices.size(), 441U);
}

TEST(SpringScene, TheSettingsReadAgainGiveTheSameScene) {
  const LoadedScene loaded = parse(spring_scene);
  const LoadedScene again = parse(loaded.settings);
  EXPECT_EQ(again.settings, loaded.settings);
  for (std::size_t b = 0; b < 3; ++b) {
    const Body &one = loaded.scene.bodies[b], &two = again.scene.bodies[b];
    EXPECT_EQ(one.mesh.vertices, two.mesh.vertices);
    EXPECT_EQ(one.triangles, two.triangles);
    ASSERT_EQ(one.springs.size(), two.springs.size());
    for (std::size_t s = 0; s < one.springs.size(); ++s) {
      EXPECT_EQ(one.springs[s].stiffness, two.springs[s].stiffness);
      EXPECT_EQ(one.springs[s].rest_length, two.springs[s].rest_length);
      EXPECT_EQ(one.springs[s].inextensible, two.springs[s].inextensible);
    }
  }
  const auto bodies = nlohmann::json::parse(loaded.settings)["bodies"];
  EXPECT_EQ(bodies[2]["material"]["shear"], 10);
  EXPECT_EQ(bodies[2]["material"]["bending"], 1);
  EXPECT_FALSE(bodies[1]["material"].contains("shear"));
}

TEST(SpringScene, ASurfaceFromAFileHasSpringsAlongItsEdgesAndAcrossThem) {
  const char* const text = R"({ "supple": 1, "bodies": [ {
    "mesh": { "file": "shirt.obj" }, "transform": { "scale": 2 },
    "material": { "model": "spring", "stiffness": 100, "inextensible": true } } ] })";
  const LoadedScene loaded = parse(text);
  const Body& body = loaded.scene.bodies[0];
  EXPECT_EQ(body.triangles.size(), 5U);
  EXPECT_TRUE(body.segments.empty());
  EXPECT_EQ(body.density, 0.2);  // kg/m^2
  const std::vector<std::array<int, 2>> along{{0, 1}, {0, 2}, {0, 5}, {1, 2}, {1, 3},
                                              {1, 4}, {1, 5}, {2, 3}, {3, 4}};
  // Not across {0, 1}, which has three triangles, nor from 1 to 1 across {0, 5}.
  const std::vector<std::array<int, 2>> across{{0, 3}, {2, 4}};
  ASSERT_EQ(body.springs.size(), along.size() + across.size());
  for (std::size_t s = 0; s < body.springs.size(); ++s) {
    const bool is_edge = s < along.size();
    const auto& ends = is_edge ? along[s] : across[s - along.size()];
    EXPECT_EQ((std::array{body.springs[s].a, body.springs[s].b}), ends) << s;
    EXPECT_EQ(body.springs[s].stiffness, is_edge ? 100 : 10) << s;
    EXPECT_EQ(body.springs[s].inextensible, is_edge) << s;
  }
  EXPECT_EQ(body.springs[0].rest_length, 2);
  EXPECT_EQ(parse(loaded.settings).settings, loaded.settings);
  const auto error = [&](const char* pointer, const char* value) {
    return error_of(text, {{pointer, value}});
  };
  EXPECT_EQ(error("/bodies/0/material/shear", "5").where(), "bar.json: /bodies/0/material/shear");
  EXPECT_EQ(error("/bodies/0/material/thickness", "1e-3").where(),
            "bar.json: /bodies/0/material/thickness");
  EXPECT_NE(error("/bodies/0/material", R"({ "model": "rod", "young": 1e6, "radius": 1e-3 })")
                .message()
                .find("rod is for strands"),
            std::string::npos);
}

TEST(SpringScene, WhatIsWrongIsNamed) {
  const auto refused = [](const std::string& pointer, const std::string& value,
                          const std::string& where, const std::string& message) {
    const Error error = error_of(spring_scene, {{pointer, value}});
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    EXPECT_EQ(error.where(), "bar.json: " + where) << error.what();
    EXPECT_NE(error.message().find(message), std::string::npos) << error.what();
  };
  const std::string cloth = "/bodies/0/mesh/cloth", material = "/bodies/0/material";
  refused(cloth + "/cells", "[4, 0]", cloth + "/cells/1", "from 1");
  refused(cloth + "/cells", "[4]", cloth + "/cells", "two whole numbers");
  refused(cloth + "/cells", "[100000, 100000]", cloth, "more than 20000000 tets and springs");
  refused(cloth + "/v", "[1, 0, 0]", cloth, "not parallel");
  refused(cloth + "/size", "[1, 1]", cloth + "/size", "unknown key");
  refused("/bodies/1/mesh/strand/end", "[1, 0, 0]", "/bodies/1/mesh/strand", "another point");
  refused("/bodies/1/mesh/strand/segments", "0", "/bodies/1/mesh/strand/segments", "from 1");
  refused("/bodies/1/density", "0", "/bodies/1/density", "kg/m");
  refused(material + "/stiffness", "0", material + "/stiffness", "above 0 N/m");
  refused(material + "/shear", "-1", material + "/shear", "at least 0 N/m");
  refused("/bodies/1/material/shear", "5", "/bodies/1/material/shear", "no shear springs");
  refused("/bodies/1/material", R"({"model": "arap", "mu": 1})", "/bodies/1/material/model",
          "expected spring");
  refused(material, R"({"model": "sprung"})", material + "/model", "did you mean 'spring'?");
  refused(material, R"({"model": "spring"})", material, "'stiffness' is missing");
  refused("/bodies/0/mesh", R"({"box": {}})", material + "/model", "for cloth and strands");
  refused("/bodies/0/fiber", R"({"direction": [1, 0, 0], "kappa": 1})", "/bodies/0/fiber",
          "needs tets");
  refused("/bodies/0/regions", "[]", "/bodies/0/regions", "needs tets");
  refused("/bodies/0/layers", "[]", "/bodies/0/layers", "needs tets");
}

}  // namespace
}  // namespace supple::test
