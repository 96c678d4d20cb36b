#include <gtest/gtest.h>

#include <cmath>

#include "session/test_session.h"

namespace supple {
namespace {

using nlohmann::ordered_json;
using test::Page;

constexpr double g = 9.81, density = 1000;

/// Blocks of 1 m stacked on a plane. `cells` along x and z.
ordered_json tower(int num_blocks, int cells) {
  ordered_json scene{
      {"supple", 1},
      {"name", "tower"},
      {"damping", {{"drag", 3}}},
      {"solver", {{"method", "newton"}, {"iterations", 20}}},
      {"contact", {{"bodies", true}, {"friction", 0.5}}},
      {"colliders", {{{"name", "ground"}, {"plane", {{"offset", 0}}}}}},
  };
  for (int i = 0; i < num_blocks; ++i) {
    scene["bodies"].push_back(
        {{"mesh", {{"box", {{"size", {1, 1, 1}}, {"cells", {cells, 2, cells}}}}}},
         {"transform", {{"translate", {0, 0.5 + 1.002 * i, 0}}}},
         {"material", {{"model", "arap"}, {"young", 3e5}, {"poisson", 0.3}}}});
  }
  return scene;
}

/// Opens a scene, paused, with forces shown.
void open(Page& page, const ordered_json& scene) {
  PacketWriter packet({{"do", "open"}, {"files", {{{"name", "tower.json"}}}}});
  packet.add("file_0", std::string_view(scene.dump()));
  const ordered_json answer = page.ask_packet(packet);
  ASSERT_TRUE(answer["ok"].get<bool>()) << answer;
  page.tell(R"({"do": "pause"})");
  page.tell(R"({"do": "show", "forces": true})");
}

ordered_json forces(const Page& page) { return page.frame_header()["forces"]; }

std::vector<std::uint32_t> touching(const Page& page) {
  return test::integers_of(page.frame, "force_touching");
}

/// The sums of the arrows on each body. On the touched body they point the other way.
std::vector<std::array<double, 3>> sums_of_arrows(const Page& page, std::size_t num_bodies) {
  std::vector<std::array<double, 3>> sums(num_bodies, {0, 0, 0});
  const std::vector<float> vectors = page.frame_array("force_vectors");
  const std::vector<std::uint32_t> pairs = touching(page);
  for (std::size_t i = 0; i < pairs.size() / 2; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto f = static_cast<double>(vectors[3 * i + k]);
      sums[pairs[2 * i]][k] += f;
      if (pairs[2 * i + 1] < num_bodies) sums[pairs[2 * i + 1]][k] -= f;
    }
  }
  return sums;
}

TEST(Forces, AreInFramesWhileSomebodyWantsThemOnly) {
  Page page("block");
  page.step(2);
  EXPECT_FALSE(page.frame_header().contains("forces"));
  EXPECT_EQ(page.frame.find("force_points"), std::string::npos);
  page.tell(R"({"do": "show", "forces": true})");
  page.step(1);
  EXPECT_TRUE(page.frame_header().contains("forces"));
  EXPECT_NE(page.frame.find("force_points"), std::string::npos);
  page.tell(R"({"do": "show", "forces": false})");
  page.step(1);
  EXPECT_FALSE(page.frame_header().contains("forces"));

  // What only a client that has left wanted is not sent to the others.
  page.session.connect(7);
  page.session.receive(7, R"({"do": "show", "forces": true})");
  page.step(1);
  EXPECT_TRUE(page.frame_header().contains("forces"));
  page.session.disconnect(7);
  page.step(1);
  EXPECT_FALSE(page.frame_header().contains("forces"));
}

TEST(Forces, OfABlockAtRestAreItsWeight) {
  for (const char* const method : {"newton", "l_bfgs", "xpbd"}) {
    Page page;
    ordered_json scene = tower(1, 2);
    scene["solver"]["method"] = method;
    open(page, scene);
    page.step(150);
    const ordered_json said = forces(page);
    // Drag has damped the initial motion; the rest is how far xpbd converges.
    const double weight = density * g;
    const double tolerance = (std::string(method) == "xpbd" ? 1e-2 : 1e-3) * weight;
    EXPECT_NEAR(sums_of_arrows(page, 1)[0][1], weight, tolerance) << method;
    EXPECT_NEAR(said["bodies"][0][1].get<double>(), weight, tolerance) << method;
    EXPECT_NEAR(said["colliders"][0][1].get<double>(), -weight, tolerance) << method;
    EXPECT_EQ(said["note"].get<std::string>().empty(), std::string(method) != "xpbd") << method;
    for (std::size_t i = 0; i < touching(page).size() / 2; ++i) {
      EXPECT_EQ(touching(page)[2 * i], 0U);
      EXPECT_EQ(touching(page)[2 * i + 1], 1U);  // after the only body: the first collider
      EXPECT_NEAR(page.frame_array("force_points")[3 * i + 1], 0, 0.01);
    }
    EXPECT_EQ(said["contacts"], touching(page).size() / 2);
  }
}

TEST(Forces, BetweenBodiesActOnBoth) {
  Page page;
  open(page, tower(2, 2));
  page.step(200);
  const ordered_json said = forces(page);
  const double weight = density * g;
  const auto sums = sums_of_arrows(page, 2);
  bool between = false;
  for (std::size_t i = 1; i < touching(page).size(); i += 2) between |= touching(page)[i] < 2;
  EXPECT_TRUE(between);
  for (std::size_t b = 0; b < 2; ++b) {
    EXPECT_NEAR(sums[b][1], weight, 5e-3 * weight);
    EXPECT_NEAR(said["bodies"][b][1].get<double>(), sums[b][1], 1e-4 * weight);  // floats
  }
  EXPECT_NEAR(said["colliders"][0][1].get<double>(), -2 * weight, 5e-3 * weight);
}

TEST(Forces, AreTheLargestOfMany) {
  Page page;
  open(page, tower(1, 40));
  page.tell(R"({"do": "set", "values": {"/solver/iterations": 3}})");
  page.step(3);
  const ordered_json said = forces(page);
  const std::vector<float> vectors = page.frame_array("force_vectors");
  EXPECT_GT(said["contacts"].get<int>(), 1600);
  ASSERT_EQ(vectors.size(), 3000U);
  ASSERT_EQ(touching(page).size(), 2000U);
  // Those that are left out are no larger than the smallest of those that are sent.
  double sum = 0, least = 1e300;
  for (std::size_t i = 0; i < 1000; ++i) {
    const double size = std::hypot(vectors[3 * i], vectors[3 * i + 1], vectors[3 * i + 2]);
    sum += vectors[3 * i + 1];
    least = std::min(least, size);
  }
  const double left = said["bodies"][0][1].get<double>() - sum;
  EXPECT_GT(left, 0);
  EXPECT_LE(left, (said["contacts"].get<double>() - 1000) * least);
}

TEST(Forces, OfPinsBearTheWeight) {
  Page page;
  ordered_json scene = tower(1, 2);
  scene["bodies"][0]["pins"] = {{{"select", {{"box", {{-1, 0.99, -1}, {1, 1.01, 1}}}}}}};
  scene["bodies"][0]["transform"] = {{"translate", {0, 0.5, 0}}};
  scene["colliders"] = ordered_json::array();
  open(page, scene);
  page.step(150);
  const ordered_json said = forces(page);
  ASSERT_EQ(said["pins"].size(), 1U);
  EXPECT_NEAR(said["pins"][0]["force"][1].get<double>(), density * g, 1e-2 * density * g);
  EXPECT_EQ(said["contacts"], 0);
  // Two pins added by hand bear some of it; their forces are listed with them.
  page.tell(R"({"do": "pin", "vertices": [0, 1]})");
  page.tell(R"({"do": "unpin", "vertices": [26]})");
  page.step(100);
  double sum = 0;
  const ordered_json pins = forces(page)["pins"];
  ASSERT_EQ(pins.size(), 2U);
  for (const auto& pin : pins) sum += pin["force"][1].get<double>();
  EXPECT_EQ(pins[1]["pin"], 1);
  EXPECT_NEAR(sum, density * g, 1e-2 * density * g);
}

TEST(Forces, AreNeverThoseOfAnotherState) {
  Page page;
  open(page, tower(1, 2));
  const auto is_known = [&] {
    const ordered_json said = forces(page);
    EXPECT_EQ(said.contains("bodies"), said["contacts"].get<int>() > 0);
    EXPECT_EQ(page.frame_array("force_points").empty(), said["contacts"] == 0);
    EXPECT_EQ(said["note"].get<std::string>().empty(), said["contacts"] > 0);
    return said["contacts"].get<int>() > 0;
  };
  for (const char* const change : {
           R"({"do": "reset"})",
           R"({"do": "squash", "axis": "y"})",
           R"({"do": "collider", "index": 0, "translate": [0.5, 0, 0]})",
           R"({"do": "undo"})",
           R"({"do": "set", "values": {"/bodies/0/material/young": 2e5}})",
           R"({"do": "set", "values": {"/bodies/0/mesh/box/cells": [3, 2, 2]}})",
           R"({"do": "pin", "vertices": [0]})",
       }) {
    page.tell(R"({"do": "reset"})");
    page.step(3);
    EXPECT_TRUE(is_known()) << change;
    page.tell(change);
    page.advance(page.now);
    EXPECT_FALSE(is_known()) << change;
  }
}

TEST(Forces, AreSaidToBeUnknownWhereTheyAre) {
  Page page;
  ordered_json scene = tower(1, 2);
  for (const char* const kind : {"pbd", "symplectic_euler"}) {
    ordered_json own = scene;
    if (std::string(kind) == "pbd") {
      own["solver"]["method"] = kind;
    } else {
      own.erase("solver");
      own["time"] = {{"integrator", kind}, {"substeps", 50}};
    }
    open(page, own);
    page.step(3);
    const ordered_json said = forces(page);
    EXPECT_NE(said["note"].get<std::string>().find(kind), std::string::npos) << said;
    EXPECT_FALSE(said.contains("bodies"));
    EXPECT_EQ(said.contains("pins"), std::string(kind) != "pbd");
    EXPECT_TRUE(page.frame_array("force_vectors").empty());
  }
}

TEST(Forces, HaveARoundScaleThatStaysWhileForcesVary) {
  Page page;
  open(page, tower(1, 2));
  page.step(100);
  int changes = 0;
  double before = 0;
  for (int i = 0; i < 100; ++i) {
    page.step(1);
    const double scale = forces(page)["scale"].get<double>();
    changes += scale != before ? 1 : 0;
    before = scale;
    const std::vector<float> vectors = page.frame_array("force_vectors");
    double top = 0;
    for (std::size_t k = 0; k < vectors.size(); k += 3) {
      top = std::max<double>(top, std::hypot(vectors[k], vectors[k + 1], vectors[k + 2]));
    }
    EXPECT_LE(top, scale);
  }
  EXPECT_LE(changes, 2);
  EXPECT_TRUE(before == 1000 || before == 2000 || before == 5000) << before;
}

TEST(Forces, AreReadWithoutChangingTheMotion) {
  const auto positions = [](bool shown) {
    Page page;
    open(page, tower(2, 2));
    page.tell(std::string(R"({"do": "show", "forces": )") + (shown ? "true}" : "false}"));
    page.step(60);
    return page.positions();
  };
  EXPECT_EQ(positions(true), positions(false));
}

}  // namespace
}  // namespace supple
