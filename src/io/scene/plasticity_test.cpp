#include <gtest/gtest.h>

#include <string>

#include "io/scene/test_scene.h"

namespace supple::test {
namespace {

/// A scene of a block with this plasticity and further keys of its body.
std::string block(const std::string& plasticity, const std::string& more = "") {
  return R"({ "supple": 1, "bodies": [ { "mesh": { "file": "block.mesh" },
    "material": { "model": "arap", "mu": 1e5, "plasticity": )" +
         plasticity + " }" + more + " } ] }";
}
std::string growing(const std::string& growth) {
  return block(R"({ "yield": 0.1 })", R"(, "growth": [ )" + growth + " ]");
}
std::string place_of(const std::string& scene) {
  const std::string where = error_of(scene).where();
  return where.substr(where.find("/bodies/0") + 9);
}

TEST(PlasticityOfAMaterial, IsReadWithItsDefaults) {
  const MaterialSettings plain = parse(block(R"({ "yield": 0.1 })")).scene.bodies[0].material;
  ASSERT_TRUE(plain.plasticity);
  EXPECT_EQ(plain.plasticity->yield, 0.1);
  EXPECT_FALSE(plain.plasticity->creep);
  EXPECT_EQ(plain.plasticity->hardening, 0);
  EXPECT_EQ(plain.plasticity->max, 1);
  const MaterialSettings all =
      parse(block(R"({ "yield": 0, "creep": 3, "hardening": 0.5, "max": 2 })"))
          .scene.bodies[0]
          .material;
  EXPECT_EQ(all.plasticity->creep, 3);
  EXPECT_EQ(all.plasticity->hardening, 0.5);
  EXPECT_EQ(all.plasticity->max, 2);
}

TEST(PlasticityOfAMaterial, TheSceneWithItsDefaultsReadsTheSameAgain) {
  const std::string growth =
      R"({ "stretch": { "keyframes": [ { "time": 0, "value": 1 }, { "time": 1, "value": 2 } ] },
           "direction": [0, 1, 0], "box": [[-9, -9, -9], [9, 9, 9]] }, { "stretch": 1.5 })";
  const LoadedScene first = parse(growing(growth));
  EXPECT_EQ(parse(first.settings).settings, first.settings);
  const std::vector<GrowthSettings>& fields = first.scene.bodies[0].growth;
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[0].stretch.keyframes.size(), 2U);
  EXPECT_EQ(fields[0].direction, (Vec3{0, 1, 0}));
  EXPECT_EQ(fields[0].box.max, (Vec3{9, 9, 9}));
  EXPECT_FALSE(fields[1].direction);
  EXPECT_EQ(fields[1].stretch.value, 1.5);
}

TEST(PlasticityOfAMaterial, RefusesWhatItCannotBe) {
  const std::string where = "/material/plasticity";
  EXPECT_EQ(place_of(block("{}")), where);
  EXPECT_EQ(place_of(block("5")), where);
  EXPECT_EQ(place_of(block(R"({ "yield": -1 })")), where + "/yield");
  EXPECT_EQ(place_of(block(R"({ "yield": 0 })")), where + "/yield");
  EXPECT_EQ(place_of(block(R"({ "yield": 1, "creep": 0 })")), where + "/creep");
  EXPECT_EQ(place_of(block(R"({ "yield": 1, "hardening": -1 })")), where + "/hardening");
  EXPECT_EQ(place_of(block(R"({ "yield": 1, "max": 3.5 })")), where + "/max");
  EXPECT_EQ(place_of(block(R"({ "yield": 1, "creeep": 1 })")), where + "/creeep");
  EXPECT_EQ(place_of(block(R"({ "yield": 1 })", R"(, "layers": [ { "model": "arap", "mu": 1,
                            "plasticity": { "yield": 1 } } ])")),
            "/layers/0/plasticity");
  EXPECT_EQ(place_of(R"({ "supple": 1, "bodies": [ { "mesh": { "cloth": { "cells": [2, 2] } },
                "material": { "model": "spring", "stiffness": 10, "plasticity": {} } } ] })"),
            where);
}

TEST(GrowthOfABody, RefusesWhatItCannotBe) {
  EXPECT_EQ(place_of(growing("{}")), "/growth/0");
  EXPECT_EQ(place_of(growing(R"({ "stretch": 0.05 })")), "/growth/0/stretch");
  EXPECT_EQ(place_of(growing(R"({ "stretch": 1 }, { "stretch": 11 })")), "/growth/1/stretch");
  EXPECT_EQ(place_of(growing(R"({ "stretch": 2, "direction": [0, 0, 0] })")),
            "/growth/0/direction");
  EXPECT_EQ(place_of(growing(R"({ "stretch": 2, "direction": "fiber" })")), "/growth/0/direction");
  EXPECT_EQ(place_of(growing(R"({ "stretch": 2, "direction": "up" })")), "/growth/0/direction");
  EXPECT_EQ(place_of(growing(R"({ "stretch": 2, "box": [[50, 50, 50], [51, 51, 51]] })")),
            "/growth/0/box");
}

}  // namespace
}  // namespace supple::test
