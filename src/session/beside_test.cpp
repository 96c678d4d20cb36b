#include <gtest/gtest.h>

#include <chrono>

#include "session/test_session.h"

/// Reading and building beside the steps.
namespace supple {
namespace {

using nlohmann::ordered_json;
using test::Page;

/// 69,120 tets: far more than can be built between two calls.
const char* const slow = R"({"do": "set", "id": 900, "values": {
    "/bodies/0/mesh": {"box": {"size": [2, 1, 1], "cells": [24, 24, 24]}}}})";

/// A page that waits for nothing.
struct BusyPage : Page {
  BusyPage() : Page("free", 1e9, 0) {
    tell(R"({"do": "speed", "factor": 0})");
    send(slow);
    advance(now);
  }
  bool is_replied() const { return !reply.is_null() && reply["re"] == 900; }
  int num_tets() const {
    return Packet(std::as_bytes(std::span(topology))).header()["bodies"][0]["num_tets"];
  }
};

TEST(Beside, ALargeSceneKeepsNobodyWaiting) {
  BusyPage page;
  ASSERT_FALSE(page.is_replied());
  EXPECT_EQ(page.status["busy"], "building");
  EXPECT_EQ(page.status["cancel"], true);
  EXPECT_TRUE(page.session.is_building());
  // The body moves, is pulled and is paused meanwhile. Commands that would conflict with the change
  // wait until it is done.
  const int before = page.frame_header()["frame"];
  for (int i = 0; i < 3; ++i) page.advance(page.now);
  EXPECT_EQ(page.frame_header()["frame"], before + 3);
  page.tell(R"({"do": "grab", "grab": 1, "vertex": 3})");
  page.advance(page.now);
  EXPECT_EQ(page.frame_header()["grabs"].size(), 1U);
  page.tell(R"({"do": "pause"})");
  page.send(R"({"do": "pin", "vertices": [100], "id": 901})");
  ASSERT_FALSE(page.is_replied());
  page.wait_for_reply(900);
  EXPECT_TRUE(page.reply["ok"].get<bool>()) << page.reply;
  page.wait_for_reply(901);
  EXPECT_TRUE(page.reply["ok"].get<bool>()) << page.reply;
  page.advance(page.now);
  EXPECT_EQ(page.num_tets(), 69'120);
  EXPECT_TRUE(page.status["busy"].is_null());
  EXPECT_TRUE(page.frame_header()["grabs"].empty());
  EXPECT_EQ(page.frame_header()["pins"][0]["count"], 1);
  EXPECT_FALSE(page.session.is_building());
}

TEST(Beside, WhatIsBuiltCanBeCancelled) {
  BusyPage page;
  ASSERT_FALSE(page.is_replied());
  page.send(R"({"do": "cancel"})");
  EXPECT_TRUE(page.is_replied());
  EXPECT_FALSE(page.reply["ok"].get<bool>());
  EXPECT_EQ(page.reply["error"]["message"], "was cancelled");
  page.advance(page.now);
  EXPECT_TRUE(page.status["busy"].is_null());
  // Nothing has changed, and hands can continue. The next build comes after the dropped one.
  page.tell(R"({"do": "pin", "vertices": [3]})");
  EXPECT_TRUE(page.session.is_building());
  page.tell(R"({"do": "set", "values": {"/bodies/0/mesh/box/cells": [3, 2, 2]}})");
  page.advance(page.now);
  EXPECT_EQ(page.num_tets(), 60);
  const ordered_json refused = page.ask(std::string(R"({"do": "cancel"})"));
  EXPECT_FALSE(refused["ok"].get<bool>());
}

TEST(Beside, AnotherSceneTakesThePlaceOfWhatIsBuilt) {
  BusyPage page;
  ASSERT_FALSE(page.is_replied());
  page.send(R"({"do": "open", "scene": "block", "id": 901})");
  EXPECT_TRUE(page.is_replied());
  EXPECT_FALSE(page.reply["ok"].get<bool>());
  page.wait_for_reply(901);
  EXPECT_TRUE(page.reply["ok"].get<bool>()) << page.reply;
  page.advance(page.now);
  EXPECT_EQ(page.scene["source"], "block");
}

TEST(Beside, AChangeInAPauseIsBuiltBesideToo) {
  Page page("free", 0, 0);
  page.tell(R"({"do": "pause"})");
  page.tell(R"({"do": "set", "values": {
      "/bodies/0/mesh": {"box": {"size": [2, 1, 1], "cells": [16, 16, 16]}}}})");
  page.advance(page.now);
  const auto start = page.positions();
  page.tell(R"({"do": "set", "values": {"/solver/method": "newton"}})");
  page.advance(page.now);
  EXPECT_EQ(page.status["busy"], "factorising");
  page.advance(page.now);  // begins
  EXPECT_TRUE(page.session.is_building());
  page.tell(R"({"do": "squash"})");  // comes after it
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!page.status["busy"].is_null() && std::chrono::steady_clock::now() < end) {
    page.advance(page.now);
  }
  EXPECT_TRUE(page.status["busy"].is_null());
  EXPECT_TRUE(page.notes.empty());
  EXPECT_NE(page.positions(), start);
  page.step(1);
  EXPECT_EQ(page.scene["settings"]["solver"]["method"], "newton");
}

TEST(Beside, ASessionEndsWhileItBuildsAndAnotherSceneIsOpened) {
  // Destroyed at different moments: a job must own everything that it reads.
  for (int calls = 0; calls < 4; ++calls) {
    BusyPage page;
    page.send(R"({"do": "open", "scene": "cloth"})");
    for (int i = 0; i < calls; ++i) page.advance(page.now);
  }
}

}  // namespace
}  // namespace supple
