#include <gtest/gtest.h>

#include <string>

#include "io/scene/scene_json.h"
#include "supple/error.h"

namespace supple {
namespace {

LoadedScene scene_with(const std::string& body, const std::string& more = "") {
  const std::string block = R"({"mesh": {"box": {"cells": [2, 2, 2]}},
      "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3})";
  return parse_scene(R"({"supple": 1, "bodies": [)" + block + body + "}]" + more + "}",
                     "scene.json", {});
}

/// Where an error is, without the file.
std::string place_of(const std::string& body, const std::string& more = "") {
  try {
    scene_with(body, more);
  } catch (const Error& error) {
    const std::string where = error.where();
    const std::size_t pointer = where.find(": ");
    return pointer == std::string::npos ? where : where.substr(pointer + 2);
  }
  return "nothing";
}

TEST(SeparationReader, ReadsTearingAndBlades) {
  const LoadedScene loaded =
      scene_with(R"(, "tearing": {"stretch": 1.5, "stress": 2e4, "per_frame": 7})",
                 R"(, "blades": [{"segment": [[0, 0, 0], [0, 0, 1]],
                       "motion": {"translate": {"velocity": [1, 0, 0]}}},
                      {"name": "knife", "triangle": [[0, 0, 0], [0, 0, 1], [0, 1, 0]],
                       "cuts": ["body_0"]}])");
  const TearingSettings& tearing = loaded.scene.bodies[0].tearing.value();
  EXPECT_EQ(tearing.stretch, 1.5);
  EXPECT_EQ(tearing.stress, 2e4);
  EXPECT_EQ(tearing.per_frame, 7);
  ASSERT_EQ(loaded.scene.blades.size(), 2U);
  EXPECT_EQ(loaded.scene.blades[0].name, "blade_0");
  EXPECT_EQ(loaded.scene.blades[0].points, (std::vector<Vec3>{{0, 0, 0}, {0, 0, 1}}));
  EXPECT_EQ(loaded.scene.blades[0].motion.velocity, (Vec3{1, 0, 0}));
  EXPECT_FALSE(loaded.scene.blades[0].cuts);
  EXPECT_EQ(loaded.scene.blades[1].points.size(), 3U);
  EXPECT_EQ(loaded.scene.blades[1].cuts, (std::vector<std::string>{"body_0"}));
  // With all defaults written out, it reads as the same scene.
  const LoadedScene again = parse_scene(loaded.settings, "scene.json", {});
  EXPECT_EQ(again.settings, loaded.settings);
  EXPECT_EQ(again.scene.blades[1].points, loaded.scene.blades[1].points);
}

TEST(SeparationReader, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(place_of(R"(, "tearing": {})"), "/bodies/0/tearing");
  EXPECT_EQ(place_of(R"(, "tearing": {"stretch": 1})"), "/bodies/0/tearing/stretch");
  EXPECT_EQ(place_of(R"(, "tearing": {"stretch": -3})"), "/bodies/0/tearing/stretch");
  EXPECT_EQ(place_of(R"(, "tearing": {"stress": 0})"), "/bodies/0/tearing/stress");
  EXPECT_EQ(place_of(R"(, "tearing": {"stres": 1})"), "/bodies/0/tearing/stres");
  EXPECT_EQ(place_of(R"(, "tearing": {"stretch": 2, "per_frame": 0})"),
            "/bodies/0/tearing/per_frame");
  const auto blade = [](const std::string& text) {
    return place_of("", R"(, "blades": [)" + text + "]");
  };
  EXPECT_EQ(blade("{}"), "/blades/0");
  EXPECT_EQ(blade(R"({"segment": [[0, 0, 0]]})"), "/blades/0/segment");
  EXPECT_EQ(blade(R"({"segment": [[0, 0, 0], [0, 0, 0]]})"), "/blades/0/segment");
  EXPECT_EQ(blade(R"({"triangle": [[0, 0, 0], [1, 0, 0], [2, 0, 0]]})"), "/blades/0/triangle");
  EXPECT_EQ(blade(R"({"segment": [[0, 0, 0], [1, 0, 0]], "cuts": ["bar"]})"), "/blades/0/cuts/0");
  EXPECT_EQ(blade(R"({"segment": [[0, 0, 0], [1, 0, 0]], "triangle": []})"), "/blades/0/triangle");
  EXPECT_EQ(blade(R"({"segment": [[0, 0, 0], [1, 0, 0]]}, {"name": "blade_0",
                      "segment": [[0, 0, 0], [1, 0, 0]]})"),
            "/blades/1/name");
  EXPECT_EQ(place_of("", R"(, "time": {"integrator": "quasi_static"},
                            "blades": [{"segment": [[0, 0, 0], [1, 0, 0]]}])"),
            "/blades/0");
}

TEST(SeparationReader, SheetsAndSpringsTearByStretchAlone) {
  const auto cloth = [](const std::string& material) {
    return R"({"supple": 1, "bodies": [{"mesh": {"cloth": {"cells": [2, 2]}}, "material": )" +
           material;
  };
  const std::string sheet = R"({"model": "corotated", "young": 1e5, "poisson": 0.3,
                                "thickness": 0.001})";
  EXPECT_NO_THROW(
      parse_scene(cloth(sheet) + R"(, "tearing": {"stretch": 1.2}}]})", "scene.json", {}));
  EXPECT_THROW(parse_scene(cloth(sheet) + R"(, "tearing": {"stress": 1}}]})", "scene.json", {}),
               Error);
  const std::string springs = R"({"model": "spring", "stiffness": 100})";
  EXPECT_NO_THROW(
      parse_scene(cloth(springs) + R"(, "tearing": {"stretch": 1.2}}]})", "scene.json", {}));
  EXPECT_THROW(parse_scene(cloth(springs) + R"(, "tearing": {"stress": 1}}]})", "scene.json", {}),
               Error);
  const std::string exact = R"({"model": "spring", "stiffness": 100, "inextensible": true})";
  EXPECT_NO_THROW(
      parse_scene(cloth(exact) + R"(, "tearing": {"stretch": 1.2}}]})", "scene.json", {}))
      << "it stretches along the diagonals of its cells";
  EXPECT_NO_THROW(
      parse_scene(cloth(springs) + R"(, "tearing": {"force": 1.5}}]})", "scene.json", {}));
  const std::string rod = R"({"model": "rod", "young": 1e6, "poisson": 0.3, "radius": 0.01})";
  const std::string link = R"({"model": "spring", "stiffness": 100, "inextensible": true})";
  const auto strand = [](const std::string& material, const std::string& limit) {
    return parse_scene(R"({"supple": 1, "bodies": [{"mesh": {"strand": {}}, "material": )" +
                           material + R"(, "tearing": {)" + limit + "}}]}",
                       "scene.json", {});
  };
  EXPECT_NO_THROW(strand(springs, R"("stretch": 1.2)"));
  EXPECT_NO_THROW(strand(rod, R"("stretch": 1.2)"));
  EXPECT_EQ(strand(rod, R"("force": 2)").scene.bodies[0].tearing->force, 2);
  EXPECT_EQ(strand(link, R"("force": 2)").scene.bodies[0].tearing->force, 2);
  const auto fault = [&](const std::string& material, const std::string& limit) {
    try {
      strand(material, limit);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(fault(link, R"("stretch": 1.2)").find("/bodies/0/tearing/stretch: is never reached"),
            std::string::npos);
  EXPECT_NE(fault(link, R"("force": 0)").find("/bodies/0/tearing/force"), std::string::npos);
  EXPECT_NE(fault(link, "").find("stretch or force"), std::string::npos);
  EXPECT_NE(fault(rod, R"("stress": 1)").find("stretch or force"), std::string::npos);
  EXPECT_EQ(place_of(R"(, "tearing": {"force": 1})"), "/bodies/0/tearing/force");
}

}  // namespace
}  // namespace supple
