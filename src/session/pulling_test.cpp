#include <gtest/gtest.h>

#include <cmath>

#include "session/placement.h"
#include "session/test_session.h"

namespace supple {
namespace {

using nlohmann::ordered_json;
using test::Page;

/// The position of a vertex, in a session that shows all of them.
std::vector<float> vertex(const Page& page, std::size_t v) {
  const std::vector<float> x = page.positions();
  return {x[3 * v], x[3 * v + 1], x[3 * v + 2]};
}

double distance(const std::vector<float>& a, const std::vector<double>& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

struct PausedPage : Page {
  explicit PausedPage(const std::string& name) : Page(name) {
    tell(R"({"do": "pause"})");
    tell(R"({"do": "show", "vertices": "all"})");
    advance(1);
  }
};

ordered_json grab(int id, std::size_t v, const std::vector<double>& to) {
  return {{"do", "grab"}, {"grab", id}, {"vertex", v}, {"to", to}};
}

// The last vertex of "block" is the far corner of the held bar, that of "free" a corner of a block
// that nothing holds; "cloth" hangs.
class Pulling : public testing::TestWithParam<std::pair<const char*, std::size_t>> {};

TEST_P(Pulling, AVertexFollowsTheMouse) {
  const auto& [scene, v] = GetParam();
  PausedPage page(scene);
  page.tell(R"({"do": "set", "values": {"/gravity": [0, 0, 0]}})");
  page.step(1);
  const auto start = vertex(page, v);
  const std::vector<double> to{start[0] + 0.2, start[1] + 0.3, start[2] + 0.1};
  const double way = distance(start, to);
  ordered_json reply = page.ask(grab(7, v, to));
  EXPECT_TRUE(reply["ok"].get<bool>()) << reply;
  EXPECT_GT(reply["stiffness"].get<double>(), 0);
  page.step(60);
  // Firm: when it comes to rest, the spring is shorter than a third of the way.
  EXPECT_LT(distance(vertex(page, v), to), way / 3);
  EXPECT_EQ(page.frame_header()["grabs"][0]["id"], 7);
  EXPECT_EQ(page.frame_header()["grabs"][0]["to"][1].get<double>(), to[1]);
  page.tell(R"({"do": "release", "grab": 7})");
  page.step(1);
  EXPECT_TRUE(page.frame_header()["grabs"].empty());
}

INSTANTIATE_TEST_SUITE_P(Scenes, Pulling,
                         testing::Values(std::pair{"block", std::size_t{11}},
                                         std::pair{"free", std::size_t{44}},
                                         std::pair{"cloth", std::size_t{22}},
                                         std::pair{"cloth", std::size_t{29}}));

TEST(Grabs, AWildDragStaysFiniteAndTheBodyRecovers) {
  PausedPage page("block");
  page.tell(R"({"do": "set", "values": {"/gravity": [0, 0, 0], "/damping/drag": 1}})");
  page.step(1);
  const auto before = page.positions();
  page.ask(grab(1, 11, {1e6, -1e6, 1e6}));
  page.step(10);
  page.tell(R"({"do": "drag", "grab": 1, "to": [-1e300, 1e300, 0]})");
  page.step(10);
  page.tell(R"({"do": "drag", "grab": 1, "to": [1e300, -1e300, 1e-300]})");
  page.step(10);
  const double diagonal = std::sqrt(6.0);
  for (const float x : page.positions()) {
    ASSERT_TRUE(std::isfinite(x));
    EXPECT_LT(std::abs(x), 8 * diagonal);
  }
  page.tell(R"({"do": "release", "grab": 1})");
  page.step(400);
  // Drag damps by a factor of e per second for 13 s: the bar is at rest, to a hundredth of its
  // length.
  const auto after = page.positions();
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 0.02);
  EXPECT_EQ(page.frame_header()["report"]["inverted_tets"], 0);
}

TEST(Grabs, WhatCannotBePulledIsRefused) {
  PausedPage page("block");
  const auto refused = [&](const std::string& text) {
    const ordered_json reply = page.ask(text);
    return !reply["ok"].get<bool>();
  };
  EXPECT_TRUE(refused(R"({"do": "grab", "grab": 1, "vertex": 12, "to": [0, 0, 0]})"));
  EXPECT_TRUE(refused(R"({"do": "grab", "grab": 1, "vertex": -1, "to": [0, 0, 0]})"));
  EXPECT_TRUE(refused(R"({"do": "grab", "grab": 1, "vertex": 1, "to": [0, 0]})"));
  EXPECT_TRUE(refused(R"({"do": "grab", "grab": 1, "vertex": 1, "to": [0, 0, null]})"));
  EXPECT_TRUE(refused(R"({"do": "grab", "grab": 1, "vertex": 1, "stiffness": -1})"));
  EXPECT_TRUE(refused(R"({"do": "grab", "grab": 1, "vertex": 1, "two": 1})"));
  page.send(R"({"do": "grab", "grab": 1, "vertex": 1, "to": [NaN, 0, 0]})");
  page.send(R"({"do": "grab", "grab": 1, "vertex": 1, "to": [1e999, 0, 0]})");
  EXPECT_EQ(page.notes.size(), 2U);
  page.step(1);
  EXPECT_TRUE(page.frame_header()["grabs"].empty());
  EXPECT_EQ(page.tell(R"({"do": "drag", "grab": 1, "to": [0, 0, 0]})")["held"], false);
}

/// How far a pull draws a vertex out of its surroundings, over the way it went: 1 is a needle.
double needle(Page& page, const char* radius) {
  page.tell(R"({"do": "reset"})");
  page.step(1);
  // In the middle of the face y = 0.5 of 24 x 12 x 12 cells, and the next vertex along x.
  const auto find = [&](double x, double y, double z) {
    const auto rest = test::floats_of(page.topology, "rest");
    for (std::size_t v = 0; 3 * v < rest.size(); ++v) {
      if (std::hypot(rest[3 * v] - x, rest[3 * v + 1] - y, rest[3 * v + 2] - z) < 1e-6) return v;
    }
    return std::size_t{0};
  };
  const std::size_t v = find(0, 0.5, 0), next = find(2.0 / 24, 0.5, 0);
  const auto start = vertex(page, v), beside = vertex(page, next);
  page.tell(R"({"do": "grab", "grab": 1, "stiffness": 3e4, "to": [0, 0.9, 0], "vertex": )" +
            std::to_string(v) + radius + "}");
  page.step(5);
  const double way = vertex(page, v)[1] - start[1];
  const double own = way - (vertex(page, next)[1] - beside[1]);
  EXPECT_GT(way, 0.01);
  page.tell(R"({"do": "release", "grab": 1})");
  return own / way;
}

TEST(Grabs, AHandGripsAPieceOfTheBodyUnlessToldOtherwise) {
  PausedPage page("free");
  page.tell(R"({"do": "set", "values": {"/bodies/0/mesh/box/cells": [24, 12, 12]}})");
  page.advance(page.now);
  const ordered_json reply = page.tell(R"({"do": "grab", "grab": 1, "vertex": 2112})");  // inside
  EXPECT_EQ(reply["vertices"], 8);
  EXPECT_NEAR(reply["radius"].get<double>(), 0.05 * std::sqrt(6.0), 1e-9);
  page.tell(R"({"do": "release", "grab": 1})");
  const double one = needle(page, R"(, "radius": 0)"), usual = needle(page, "");
  EXPECT_GT(one, 0.4);
  EXPECT_LT(usual, one / 2);
}

TEST(Grabs, EightVerticesAreHeldByAHandAndFourHandsHoldABody) {
  PausedPage page("free");
  const ordered_json first = page.ask(
      std::string(R"({"do": "grab", "grab": 1, "vertex": 0, "radius": 0.6, "stiffness": 100})"));
  EXPECT_EQ(first["vertices"], 4);  // itself, and its neighbours at a distance of 0.5
  EXPECT_EQ(first["stiffness"], 100);
  for (int hand = 2; hand <= 4; ++hand) {
    const std::string grab = R"({"do": "grab", "vertex": 44, "radius": 5, "grab": )";
    EXPECT_EQ(page.tell(grab + std::to_string(hand) + "}")["vertices"], 8);
  }
  EXPECT_EQ(page.tell(R"({"do": "grab", "grab": 5, "vertex": 20, "radius": 5})")["vertices"], 4);
  EXPECT_FALSE(page.ask(std::string(R"({"do": "grab", "grab": 6, "vertex": 20})"))["ok"]);
  // The same number again replaces the first grab.
  EXPECT_EQ(page.tell(R"({"do": "grab", "grab": 2, "vertex": 40})")["vertices"], 1);
  page.tell(R"({"do": "grab", "grab": 6, "vertex": 20})");
}

TEST(Grabs, AreLetGoWhenTheirClientLeaves) {
  PausedPage page("free");
  page.session.connect(2);
  page.session.receive(2, grab(1, 3, {0, 1, 0}).dump());
  page.step(1);
  ASSERT_EQ(page.frame_header()["grabs"].size(), 1U);
  EXPECT_EQ(page.frame_header()["grabs"][0]["client"], 2);
  page.session.disconnect(2);
  page.step(1);
  EXPECT_TRUE(page.frame_header()["grabs"].empty());
}

TEST(Pins, HoldVerticesWhereTheyAre) {
  PausedPage page("free");
  page.tell(R"({"do": "squash", "axis": "x"})");
  page.step(1);
  const auto held = vertex(page, 44);
  page.tell(R"({"do": "pin", "vertices": [44, 44, 0]})");
  page.step(1);
  ASSERT_EQ(page.frame_header()["pins"].size(), 1U);
  EXPECT_EQ(page.frame_header()["pins"][0]["vertices"], ordered_json::parse("[0, 44]"));
  page.step(30);
  // The spring of 1e6 N/m holds against an elastic body of 1e5 Pa and edges of half a metre.
  EXPECT_LT(distance(vertex(page, 44), {held[0], held[1], held[2]}), 0.1);
  page.tell(R"({"do": "unpin", "vertices": [44]})");
  page.step(1);
  EXPECT_EQ(page.frame_header()["pins"][0]["vertices"], ordered_json::parse("[0]"));
  page.tell(R"({"do": "undo"})");
  page.step(1);
  EXPECT_EQ(page.frame_header()["pins"][0]["count"], 2);
  page.tell(R"({"do": "undo"})");
  page.step(1);
  EXPECT_TRUE(page.frame_header()["pins"].empty());
}

TEST(Pins, OfTheSceneAreLetGoAndMoved) {
  PausedPage page("block");
  page.tell(R"({"do": "set", "values": {"/gravity": [0, 0, 0], "/damping/drag": 1}})");
  page.tell(
      R"({"do": "handle", "body": 0, "pin": 0, "translate": [0, 0.5, 0], "axis": [1, 0, 0], "degrees": 45})");
  page.step(400);
  EXPECT_EQ(page.frame_header()["pins"][0]["degrees"], 45);
  const auto rest = test::floats_of(page.topology, "rest");
  for (const std::size_t v : {std::size_t{0}, std::size_t{11}}) {
    // About the axis through (., 1, 0), then up: the whole bar follows.
    const double y = rest[3 * v + 1] - 1, z = rest[3 * v + 2];
    const double c = std::sqrt(0.5);
    const std::vector<double> turned{rest[3 * v], 1.5 + c * (y - z), c * (y + z)};
    EXPECT_LT(distance(vertex(page, v), turned), 0.02) << v;
  }
  page.tell(R"({"do": "unpin", "vertices": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]})");
  page.step(1);
  EXPECT_EQ(page.frame_header()["pins"][0]["count"], 0);
  EXPECT_FALSE(page.ask(std::string(R"({"do": "handle", "body": 0, "pin": 1})"))["ok"]);
}

TEST(Colliders, AreMovedWithTheBodyOnThem) {
  PausedPage page("block");
  page.tell(R"({"do": "unpin", "vertices": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]})");
  page.tell(R"({"do": "collider", "index": 0, "translate": [0, -2, 0]})");
  page.step(150);
  const auto height = [&] {
    double sum = 0;
    const auto x = page.positions();
    for (std::size_t i = 1; i < x.size(); i += 3) sum += x[i] / 12;
    return sum;
  };
  EXPECT_NEAR(height(), -2.5, 0.1);
  const ordered_json shown = page.frame_header()["colliders"][0];
  EXPECT_EQ(shown["type"], "plane");
  EXPECT_EQ(shown["plane"]["offset"], -1);
  EXPECT_EQ(shown["translate"][1], -2);
  EXPECT_EQ(shown["center"][1], -3);
  page.tell(R"({"do": "undo"})");
  page.step(600);  // it is thrown up, and falls
  EXPECT_NEAR(height(), -0.5, 0.1);
}

/// Mean of a coordinate over the twelve vertices of the block.
double mean(const Page& page, std::size_t axis) {
  double sum = 0;
  const auto x = page.positions();
  for (std::size_t i = axis; i < x.size(); i += 3) sum += x[i] / 12;
  return sum;
}

TEST(Colliders, MovedWhileItPlaysCarryABodyByFrictionAndMovedInAPauseDoNot) {
  PausedPage page("block");
  page.tell(R"({"do": "unpin", "vertices": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]})");
  page.tell(R"({"do": "set", "values": {"/contact/friction": 0.8, "/damping/drag": 1}})");
  page.step(300);
  const double start = mean(page, 0);
  const auto put = [&](double x) {
    page.tell(R"({"do": "collider", "index": 0, "translate": [)" + std::to_string(x) + ", 0, 0]}");
  };
  // 0.15 m/s: friction of 0.8 g accelerates the block to that within a frame.
  page.tell(R"({"do": "play"})");
  for (int frame = 1; frame <= 60; ++frame) {
    put(0.005 * frame);
    page.advance(page.now + 1.0 / 30);
  }
  const double carried = mean(page, 0) - start;
  EXPECT_GT(carried, 0.25);
  EXPECT_LT(carried, 0.31);
  // When the hand rests, so does the ground, and the block with it.
  for (int frame = 0; frame < 30; ++frame) page.advance(page.now + 1.0 / 30);
  EXPECT_NEAR(mean(page, 0), start + carried, 0.01);
  page.tell(R"({"do": "pause"})");
  const double paused = mean(page, 0);
  put(5);
  page.step(30);
  EXPECT_NEAR(mean(page, 0), paused, 0.01);
}

TEST(Colliders, TurnTheShortWayBetweenTwoPlaces) {
  const Vec3 center{1, 2, 3};
  const auto placed = [&](const Vec3& axis, double degrees) {
    return placed_pose({}, center, {.translate = {0, 0.1, 0}, .axis = axis, .degrees = degrees}, 0);
  };
  // Ten degrees apart; each pair is written in a different way.
  for (const auto& [first, second] : {std::pair{175.0, 185.0}, {355.0, 365.0}, {0.0, 10.0}}) {
    const Pose from = placed({0, 0, 1}, first), to = placed({0, 0, -1}, -second);
    const Motion way = way_between(from, 1, to, 1.5, center);
    ASSERT_EQ(validate(way), "");
    for (const auto& [t, expected] :
         {std::pair{1.0, from}, {1.25, placed({0, 0, 1}, first + 5)}, {1.5, to}, {9.0, to}}) {
      const Vec3 x = evaluate(way, t).apply({2, 2, 3}), y = expected.apply({2, 2, 3});
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(x[k], y[k], 1e-12) << first << " " << t;
    }
  }
}

TEST(Shaping, ASquashedAndARandomisedBlockRecover) {
  PausedPage page("free");
  page.tell(R"({"do": "set", "values": {"/bodies/0/material/model": "corotated"}})");
  const auto size = [&](std::size_t axis) {
    float low = 1e9F, high = -1e9F;
    const auto x = page.positions();
    for (std::size_t i = axis; i < x.size(); i += 3) {
      low = std::min(low, x[i]);
      high = std::max(high, x[i]);
    }
    return static_cast<double>(high - low);
  };
  page.tell(R"({"do": "squash", "axis": "x"})");
  page.advance(page.now);
  EXPECT_NEAR(size(0), 0, 1e-6);
  page.tell(R"({"do": "randomise", "seed": 3})");
  page.advance(page.now);
  const auto random = page.positions();
  page.tell(R"({"do": "randomise", "seed": 3})");
  page.advance(page.now);
  // The same seed gives the same shape; only the body's centre has moved.
  for (std::size_t i = 3; i < random.size(); ++i) {
    EXPECT_NEAR(page.positions()[i] - page.positions()[i % 3], random[i] - random[i % 3], 1e-5);
  }
  page.step(300);
  const auto x = page.positions();
  // However it lies now, its opposite corners are as far apart as at rest.
  EXPECT_NEAR(std::hypot(x[132] - x[0], x[133] - x[1], x[134] - x[2]), std::sqrt(6.0), 0.05);
  page.tell(R"({"do": "stretch", "factors": [2, 1, 0.5]})");
  page.advance(page.now);
  EXPECT_NEAR(size(0), 4, 1e-5);
  EXPECT_NEAR(size(2), 0.5, 1e-5);
}

}  // namespace
}  // namespace supple
