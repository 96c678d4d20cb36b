#include <gtest/gtest.h>

#include <string>

#include "io/scene/test_scene.h"

namespace supple::test {
namespace {

/// Two boxes that touch, a collider, and these keys; `pin`: a pin of the first box.
std::string boxes(const std::string& keys, const std::string& pin = "{}") {
  const std::string material = R"("material": { "model": "arap", "mu": 1e5 })";
  const std::string pins = pin == "{}" ? "" : R"(, "pins": [)" + pin + "]";
  return R"({ "supple": 1, "bodies": [ { "name": "left", "mesh": { "box": { "cells": [2, 2, 2] } }, )" +
         material + pins + R"( }, { "name": "right", "mesh": { "box": { "cells": [2, 2, 2],
         "center": [1, 0, 0] } }, )" +
         material + R"( } ], "colliders": [ { "name": "bone", "sphere": { "radius": 0.1 } } ])" +
         (keys.empty() ? "" : ", " + keys) + " }";
}

const char* const bond =
    R"({ "body": "right", "select": { "box": [[0.5, -1, -1], [0.5, 1, 1]] }, "to": "left", "distance": 0.1 })";
const char* const seam = R"({ "a": { "body": "left", "select": { "vertices": [0, 1] } },
  "b": { "body": "right", "select": { "vertices": [2, 3] } }, "stiffness": 5 })";

TEST(BondsOfAScene, AreRead) {
  const Scene scene =
      parse(boxes(std::string(R"("bonds": [)") + bond + R"(], "seams": [)" + seam + "]")).scene;
  ASSERT_EQ(scene.bonds.size(), 1U);
  EXPECT_EQ(scene.bonds[0].body, "right");
  EXPECT_EQ(scene.bonds[0].to, "left");
  EXPECT_EQ(scene.bonds[0].stiffness, 0);
  EXPECT_EQ(scene.bonds[0].distance, 0.1);
  ASSERT_EQ(scene.seams.size(), 1U);
  EXPECT_EQ(scene.seams[0].a.body, "left");
  EXPECT_EQ(scene.seams[0].b.select.vertices, (std::vector<int>{2, 3}));
  EXPECT_EQ(scene.seams[0].close, 1);
  EXPECT_EQ(scene.seams[0].stiffness, 5);
  const Scene held =
      parse(boxes("", R"({ "select": { "vertices": [0] }, "collider": "bone" })")).scene;
  EXPECT_EQ(held.bodies[0].pins[0].collider, "bone");
}

TEST(BondsOfAScene, WithTheirDefaultsReadTheSameAgain) {
  for (const std::string& text :
       {boxes(std::string(R"("bonds": [)") + bond + R"(], "seams": [)" + seam + "]"),
        boxes("", R"({ "select": { "vertices": [0] }, "collider": "bone" })")}) {
    const LoadedScene first = parse(text);
    EXPECT_EQ(parse(first.settings).settings, first.settings);
  }
}

TEST(BondsOfAScene, BadOnesAreRefusedWithTheirPlace) {
  const auto place = [](const std::string& text) {
    const std::string where = error_of(text).where();
    return where.substr(where.find(": ") + 2);
  };
  const auto of_bond = [&](const std::string& keys) {
    return place(boxes(R"("bonds": [{)" + keys + "}]"));
  };
  const std::string select = R"("select": { "vertices": [0] })";
  EXPECT_EQ(of_bond(R"("body": "rihgt", "to": "left", )" + select), "/bonds/0/body");
  EXPECT_EQ(of_bond(R"("body": "right", "to": "lef", )" + select), "/bonds/0/to");
  EXPECT_EQ(of_bond(R"("body": "right", "to": "right", )" + select), "/bonds/0/to");
  EXPECT_EQ(of_bond(R"("body": "right", "to": "left")"), "/bonds/0/select");
  EXPECT_EQ(of_bond(R"("body": "right", "to": "left", "select": { "vertices": [] })"),
            "/bonds/0/select/vertices");
  EXPECT_EQ(of_bond(R"("body": "right", "to": "left", "select": { "vertices": [999] })"),
            "/bonds/0/select/vertices/0");
  EXPECT_EQ(of_bond(R"("body": "right", "to": "left", "stiffness": -1, )" + select),
            "/bonds/0/stiffness");
  EXPECT_EQ(of_bond(R"("body": "right", "to": "left", "distance": -1, )" + select),
            "/bonds/0/distance");
  EXPECT_EQ(of_bond(R"("body": "right", "to": "left", "lenght": 1, )" + select), "/bonds/0/lenght");
  EXPECT_EQ(
      place(boxes(R"("seams": [{ "a": { "body": "left", "select": { "vertices": [0] } } }])")),
      "/seams/0/b");
  EXPECT_EQ(place(boxes(
                R"("seams": [{ "close": -1, "a": { "body": "left", "select": { "vertices": [0] } },
             "b": { "body": "left", "select": { "vertices": [1] } } }])")),
            "/seams/0/close");
  EXPECT_EQ(place(boxes("", R"({ "select": { "vertices": [0] }, "collider": "bon" })")),
            "/bodies/0/pins/0/collider");
  EXPECT_EQ(
      place(boxes("", R"({ "select": { "vertices": [0] }, "collider": "bone", "motion": {} })")),
      "/bodies/0/pins/0/motion");
}

}  // namespace
}  // namespace supple::test
