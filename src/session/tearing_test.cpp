#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "session/test_session.h"

namespace supple {
namespace {

using nlohmann::ordered_json;
using test::Page;

ordered_json topology_of(const Page& page) {
  return Packet(std::as_bytes(std::span(page.topology))).header();
}

/// A block of 45 vertices, cut in two in the first frame.
void cut(Page& page) {
  const std::vector<float> rest = test::floats_of(page.topology, "rest");
  double middle = 0;
  for (std::size_t i = 0; i < rest.size(); i += 3) middle += 3.0 * rest[i] / rest.size();
  const std::string x = std::to_string(middle);
  page.tell(R"({"do": "pause"})");
  page.tell(R"({"do": "set", "values": {"/blades": [{"triangle": [[)" + x + ", -90, -90], [" + x +
            ", 90, -90], [" + x + ", 0, 200]]}]}}");
  EXPECT_EQ(topology_of(page)["num_vertices"], 45);
  page.step(1);
}

TEST(Tearing, ShowsTheNewSurfaceAndResetMakesItWhole) {
  Page page("free");
  const ordered_json first = topology_of(page);
  cut(page);
  const ordered_json torn = topology_of(page);
  EXPECT_EQ(torn["num_vertices"], 54);
  EXPECT_GT(torn["id"], first["id"]);
  EXPECT_EQ(page.frame_header()["topology"], torn["id"]);
  EXPECT_EQ(page.positions().size(), 3 * test::integers_of(page.topology, "surface").size());
  page.step(2);
  page.tell(R"({"do": "reset"})");
  page.advance(page.now);
  EXPECT_EQ(topology_of(page)["num_vertices"], 45);
  page.step(2);
  EXPECT_EQ(topology_of(page)["num_vertices"], 54) << "the blade is there still";
}

TEST(Tearing, SettingsAndHandsGoOn) {
  Page page("free");
  cut(page);
  page.tell(R"({"do": "set", "values": {"/gravity": [0, -3, 0]}})");
  page.step(2);
  EXPECT_EQ(topology_of(page)["num_vertices"], 54);
  page.tell(R"({"do": "show", "vertices": "all", "colour": "stretch"})");
  page.step(1);
  const std::vector<float> before = page.positions();
  ASSERT_EQ(before.size(), 162U);
  page.tell(R"({"do": "grab", "grab": 1, "vertex": 53, "radius": 0})");
  page.step(1);
  page.tell(R"({"do": "drag", "grab": 1, "to": [0, 5, 0]})");
  page.step(5);
  page.tell(R"({"do": "set", "values": {"/solver/iterations": 12}})");
  page.step(2);
  page.tell(R"({"do": "release", "grab": 1})");
  page.step(2);
  for (const float x : page.positions()) EXPECT_TRUE(std::isfinite(x));
  EXPECT_FALSE(page.ask(std::string(R"({"do": "pin", "vertices": [53]})"))["ok"]);
  EXPECT_TRUE(page.ask(std::string(R"({"do": "pin", "vertices": [3]})"))["ok"]);
  EXPECT_FALSE(page.ask(std::string(R"({"do": "record", "on": true})"))["ok"]);
  page.step(2);
  page.tell(R"({"do": "squash"})");
  page.step(2);
  page.tell(R"({"do": "reset"})");
  page.step(1);
}

TEST(Tearing, ShowsClothAndStrandsOfSpringsThatAreCut) {
  Page page("cloth");
  page.tell(R"({"do": "pause"})");
  page.tell(R"({"do": "show", "vertices": "all", "colour": "stretch"})");
  EXPECT_EQ(topology_of(page)["num_vertices"], 30);
  page.tell(R"({"do": "set", "values": {"/blades": [
    {"triangle": [[0.01, -90, -90], [0.01, 90, -90], [0.01, 0, 200]], "cuts": ["body_0"]},
    {"triangle": [[-90, -0.51, -90], [90, -0.51, -90], [0, -0.51, 200]], "cuts": ["body_1"]}]}})");
  page.step(3);
  // A row of five vertices of the cloth, and one of the strand.
  EXPECT_EQ(topology_of(page)["num_vertices"], 36);
  EXPECT_EQ(page.positions().size(), 3 * 36U);
  for (const float x : page.positions()) EXPECT_TRUE(std::isfinite(x));
  page.tell(R"({"do": "reset"})");
  page.advance(page.now);
  EXPECT_EQ(topology_of(page)["num_vertices"], 30);
}

TEST(Tearing, AKnifeCutsWhatCanBeCut) {
  Page page("free");
  page.tell(R"({"do": "pause"})");
  page.tell(R"({"do": "grab", "grab": 1, "vertex": 3})");
  page.step(1);
  const std::vector<float> x = page.positions();
  const auto cut_at = [&](double place) {
    const std::string at = std::to_string(place);
    return page.ask(R"({"do": "cut", "triangles": [[)" + at + ", -90, -90], [" + at +
                    ", 90, -90], [" + at + ", 0, 200]]}");
  };
  double middle = 0;
  for (std::size_t i = 0; i < x.size(); i += 3) middle += 3.0 * x[i] / x.size();
  EXPECT_EQ(cut_at(50)["separated"], 0) << "nothing is there";
  EXPECT_EQ(topology_of(page)["num_vertices"], 45);
  const ordered_json reply = cut_at(middle);
  EXPECT_TRUE(reply["ok"]) << reply;
  EXPECT_GT(reply["separated"], 0);
  EXPECT_EQ(cut_at(middle)["separated"], 0) << "it is cut already";
  page.advance(page.now);
  EXPECT_EQ(topology_of(page)["num_vertices"], 54);
  page.step(2);
  page.tell(R"({"do": "set", "values": {"/solver/iterations": 12}})");
  page.step(2);
  EXPECT_EQ(topology_of(page)["num_vertices"], 54) << "settings leave it cut";
  page.tell(R"({"do": "reset"})");
  page.advance(page.now);
  EXPECT_EQ(topology_of(page)["num_vertices"], 45);
  page.tell(R"({"do": "set", "values": {"/time/separate_after": 2}})");
  EXPECT_GT(cut_at(middle)["separated"], 0);
  page.step(2);
  EXPECT_EQ(topology_of(page)["num_vertices"], 45);
  page.step(1);
  EXPECT_EQ(topology_of(page)["num_vertices"], 54);
}

TEST(Tearing, AKnifeRefusesWhatIsNoTriangleAndWhatCannotBeCut) {
  Page page("free");
  const auto error_of = [&](const std::string& triangles) -> std::string {
    const ordered_json reply = page.ask(R"({"do": "cut", "triangles": )" + triangles + "}");
    return reply["ok"] ? "" : reply["error"].dump();
  };
  for (const char* const bad :
       {"[]", "[[0, 0, 0]]", "[[0, 0, 0], [1, 0, 0], [2, 0, 0]]", "[[0, 0, 0], [1, 0, 0], [0, 1]]",
        "7", "[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0]]"}) {
    EXPECT_NE(error_of(bad).find("triangles"), std::string::npos) << bad << error_of(bad);
  }
  page.tell(R"({"do": "set", "values": {"/contact": {"mode": "barrier", "self": true}}})");
  page.step(1);
  EXPECT_NE(error_of("[[0, 0, 0], [1, 0, 0], [0, 1, 0]]").find("cannot be cut"), std::string::npos);
}

TEST(Tearing, EndsARecordingWithAWord) {
  Page page("free");
  page.tell(R"({"do": "pause"})");
  page.tell(R"({"do": "record", "on": true})");
  page.step(1);
  cut(page);
  EXPECT_TRUE(page.status["recording"].is_null());
  page.tell(R"({"do": "export", "format": "ply"})");
}

}  // namespace
}  // namespace supple
