#include "session/session.h"

#include <gtest/gtest.h>

#include <cmath>

#include "session/test_session.h"
#include "supple/error.h"

namespace supple {
namespace {

using nlohmann::ordered_json;
using test::Page;

TEST(Session, WhoConnectsIsToldEverything) {
  Page page;
  EXPECT_EQ(page.hello["protocol"], 1);
  EXPECT_EQ(page.hello["engine"], "native");
  EXPECT_GT(page.hello["lists"]["solvers"].size(), 5U);
  EXPECT_EQ(page.hello["lists"]["scenes"].size(), 3U);
  EXPECT_EQ(page.scene["source"], "block");
  EXPECT_EQ(page.scene["title"], "a block");
  EXPECT_EQ(page.scene["settings"]["solver"]["method"], "l_bfgs");
  EXPECT_TRUE(page.scene["changed"].empty());
  bool has_history = false;
  for (const auto& field : page.scene["fields"]) {
    if (field["pointer"] != "/solver/history") continue;
    has_history = true;
    EXPECT_EQ(field["type"], "integer");
    EXPECT_EQ(field["high"], 1000);
  }
  EXPECT_TRUE(has_history);
  EXPECT_TRUE(page.status["playing"].get<bool>());
  const auto triangles = test::integers_of(page.topology, "triangles");
  EXPECT_FALSE(triangles.empty());
  EXPECT_EQ(test::floats_of(page.topology, "rest").size(), 3U * 12U);
  EXPECT_EQ(page.positions().size(), 3 * test::integers_of(page.topology, "surface").size());
  EXPECT_TRUE(page.frame_header()["report"].is_null());
  EXPECT_EQ(page.frame_header()["pins"][0]["vertices"].size(), 4U);
}

TEST(Session, PlaysInRealTimeWithoutBursts) {
  Page page;
  const double h = page.scene["settings"]["time"]["step"];
  double now = 100;
  EXPECT_NEAR(page.advance(now), now + h, 1e-9);  // the clock starts
  EXPECT_EQ(page.frame_header()["frame"], 1);
  EXPECT_NEAR(page.advance(now + 0.5 * h), now + h, 1e-9);
  EXPECT_EQ(page.frame_header()["frame"], 1);
  // A little late: the next frame keeps the rhythm.
  EXPECT_NEAR(page.advance(now + 1.25 * h), now + 2 * h, 1e-9);
  EXPECT_EQ(page.frame_header()["frame"], 2);
  // Far too late: the missed frames are dropped.
  now += 100 * h;
  EXPECT_NEAR(page.advance(now), now, 1e-9);
  EXPECT_NEAR(page.advance(now), now + h, 1e-9);
  EXPECT_EQ(page.frame_header()["frame"], 4);
}

TEST(Session, StepsAreCountedAndAPauseEndsThem) {
  Page page;
  page.tell(R"({"do": "pause"})");
  EXPECT_EQ(page.advance(1), std::numeric_limits<double>::infinity());
  page.step(3);
  EXPECT_EQ(page.frame_header()["frame"], 3);
  EXPECT_FALSE(page.status["playing"].get<bool>());
  page.tell(R"({"do": "reset"})");
  page.advance(2);
  EXPECT_EQ(page.frame_header()["frame"], 0);
  EXPECT_EQ(page.frame_header()["time"], 0);
}

TEST(Session, AWrongCommandChangesNothingAndIsNamed) {
  Page page;
  page.tell(R"({"do": "pause"})");
  const auto error = [&](const char* text) {
    const ordered_json reply = page.ask(std::string(text));
    EXPECT_FALSE(reply["ok"].get<bool>()) << text;
    return reply["error"]["where"].get<std::string>() + ": " +
           reply["error"]["message"].get<std::string>();
  };
  EXPECT_NE(error(R"({"do": "plya"})").find("'play'"), std::string::npos);
  EXPECT_NE(error(R"({"do": "play", "speed": 2})").find("play: /speed"), std::string::npos);
  EXPECT_NE(error(R"({"do": "speed", "factor": -1})").find("speed: /factor"), std::string::npos);
  EXPECT_NE(error(R"({"do": "speed"})").find("factor"), std::string::npos);
  EXPECT_NE(error(R"({"do": "step", "frames": 1.5})").find("/frames"), std::string::npos);
  EXPECT_NE(error(R"({"do": "open", "scene": "blok"})").find("'block'"), std::string::npos);
  EXPECT_NE(
      error(R"({"do": "set", "values": {"/solver/iterations": 0}})").find("/solver/iterations"),
      std::string::npos);
  EXPECT_NE(error(R"({"do": "set", "values": 3})").find("/values"), std::string::npos);
  EXPECT_NE(error(R"({"do": "show", "colour": "jj"})").find("/colour"), std::string::npos);
  EXPECT_NE(error(R"({"do": "undo"})").find("nothing"), std::string::npos);
  page.send("not JSON");
  page.send("[1]");
  page.send(R"({"do": "play", "id": "one"})");
  EXPECT_EQ(page.notes.size(), 3U);
  for (const auto& note : page.notes) EXPECT_EQ(note["level"], "error");
  page.advance(1);
  EXPECT_FALSE(page.status["playing"].get<bool>());
  EXPECT_EQ(page.scene["settings"]["solver"]["iterations"], 10);
}

TEST(Session, ASettingIsFeltAndCanBeTakenBack) {
  Page page;
  page.tell(R"({"do": "pause"})");
  page.tell(R"({"do": "set", "values": {"/gravity/1": 0, "/solver/iterations": 20}})");
  page.advance(1);
  EXPECT_EQ(page.scene["settings"]["gravity"], ordered_json::parse("[0,0,0]"));
  EXPECT_EQ(page.scene["changed"],
            ordered_json::parse(R"({"/gravity": [0, 0, 0], "/solver": {"iterations": 20}})"));
  EXPECT_TRUE(page.scene["undo"].get<bool>());
  const auto before = page.positions();
  page.step(5);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_NEAR(page.positions()[i], before[i], 1e-6);  // nothing pulls it down
  }
  page.tell(R"({"do": "undo"})");
  page.step(5);
  EXPECT_EQ(page.scene["settings"]["gravity"][1], -9.81);
  EXPECT_TRUE(page.scene["redo"].get<bool>());
  double fall = 0;
  for (std::size_t i = 1; i < before.size(); i += 3) {
    fall = std::max(fall, static_cast<double>(before[i] - page.positions()[i]));
  }
  EXPECT_GT(fall, 1e-3);
  page.tell(R"({"do": "redo"})");
  page.advance(2);
  EXPECT_EQ(page.scene["settings"]["gravity"][1], 0);
}

TEST(Session, ASliderIsOneStepOfUndo) {
  Page page;
  page.tell(R"({"do": "pause"})");
  for (const char* value : {"2e5", "3e5", "4e5"}) {
    page.tell(
        std::string(R"({"do": "set", "final": false, "values": {"/bodies/0/material/young": )") +
        value + "}}");
  }
  page.tell(R"({"do": "set", "values": {"/bodies/0/material/young": 5e5}})");
  page.tell(R"({"do": "set", "values": {"/bodies/0/material/young": 6e5}})");
  page.tell(R"({"do": "undo"})");
  page.advance(1);
  EXPECT_EQ(page.scene["settings"]["bodies"][0]["material"]["young"], 5e5);
  page.tell(R"({"do": "undo"})");
  page.advance(1);
  EXPECT_EQ(page.scene["settings"]["bodies"][0]["material"]["young"], 1e5);
  EXPECT_FALSE(page.scene["undo"].get<bool>());
}

TEST(Session, OpensAnotherSceneWithTheValuesOfALink) {
  Page page;
  page.tell(R"({"do": "open", "scene": "cloth", "set": {"/bodies/0/material/stiffness": 50}})");
  page.advance(1);
  EXPECT_EQ(page.scene["source"], "cloth");
  EXPECT_EQ(page.scene["changed"], ordered_json::parse(R"({"/bodies/0/material/stiffness": 50})"));
  EXPECT_EQ(test::integers_of(page.topology, "tets").size(), 0U);
  EXPECT_EQ(test::integers_of(page.topology, "segments").size(), 8U);
  EXPECT_EQ(test::integers_of(page.topology, "surface").size(), 30U);
  EXPECT_EQ(page.frame_header()["topology"],
            Packet(std::as_bytes(std::span(page.topology))).header()["id"]);
}

TEST(Session, ColoursHaveAValueForEachVertexShown) {
  Page page;
  page.tell(R"({"do": "pause"})");
  for (const char* colour : {"stretch", "J", "von_mises"}) {
    for (const char* vertices : {"surface", "all"}) {
      page.tell(std::string(R"({"do": "show", "colour": ")") + colour + R"(", "vertices": ")" +
                vertices + "\"}");
      page.step(1);
      const auto values = page.frame_array("colours");
      EXPECT_EQ(3 * values.size(), page.positions().size());
      EXPECT_EQ(page.frame_header()["colour"]["name"], colour);
      for (const float v : values) {
        EXPECT_GE(v, page.frame_header()["colour"]["low"].get<float>());
        EXPECT_LE(v, page.frame_header()["colour"]["high"].get<float>());
      }
    }
  }
}

TEST(Session, ACommandThatCannotBeReadIsAnsweredToo) {
  Page page;
  ordered_json values = ordered_json::object();
  for (int i = 0; i < 300; ++i) values["/solver/" + std::to_string(i)] = 1;
  const ordered_json reply = page.ask(ordered_json{{"do", "set"}, {"values", values}});
  EXPECT_FALSE(reply["ok"].get<bool>());
  EXPECT_NE(reply["error"]["message"].get<std::string>().find("256"), std::string::npos);
  // If a text has no id, or breaks off before it, the error can only be sent as a note.
  page.reply = nullptr;
  page.send(R"({"id": 70, "do": "play", "deep": {"id": 71)");
  EXPECT_EQ(page.reply["re"], 70);
  page.send(R"({"do": "play", "deep": {"id": 71)");
  EXPECT_EQ(page.reply["re"], 70);
  EXPECT_EQ(page.notes.size(), 1U);
}

TEST(Session, ErrorsNameNoFolderOfTheMachine) {
  Page page;
  for (const char* mesh : {"none.mesh", "none.obj", "block.json"}) {
    const ordered_json reply =
        page.ask(ordered_json{{"do", "set"}, {"values", {{"/bodies/0/mesh", {{"file", mesh}}}}}});
    EXPECT_FALSE(reply["ok"].get<bool>());
    EXPECT_EQ(reply.dump().find(test::scene_folder()), std::string::npos) << reply;
    EXPECT_NE(reply.dump().find(mesh), std::string::npos) << reply;
  }
}

TEST(Session, WhoConnectsTakesNoNewsFromTheOthers) {
  Page page;
  page.tell(R"({"do": "pause"})");
  // Between a change of the mesh and the next call of advance.
  page.tell(R"({"do": "set", "values": {"/bodies/0/mesh/box/cells": [3, 1, 1]}})");
  page.session.connect(2);
  page.take();
  page.advance(1);
  const ordered_json topology = Packet(std::as_bytes(std::span(page.topology))).header();
  EXPECT_EQ(topology["num_vertices"], 16);
  EXPECT_EQ(page.frame_header()["topology"], topology["id"]);
}

TEST(Session, AllPagesHaveTheSameColoursAndOneMaySeeInside) {
  Page page;
  page.tell(R"({"do": "pause"})");
  page.session.connect(2);
  page.session.receive(2, R"({"do": "show", "colour": "J", "vertices": "all"})");
  page.advance(1);
  EXPECT_EQ(page.status["colour"], "J");
  EXPECT_EQ(page.frame_header()["vertices"], "all");
  // What this page no longer wants, the other client still does.
  page.tell(R"({"do": "show", "vertices": "surface"})");
  page.advance(2);
  EXPECT_EQ(page.frame_header()["vertices"], "all");
  EXPECT_EQ(page.frame_header()["colour"]["name"], "J");
  page.session.disconnect(2);
  page.tell(R"({"do": "show"})");
  page.advance(3);
  EXPECT_EQ(page.frame_header()["vertices"], "surface");
}

TEST(Session, APageCannotMakeItReadOtherFiles) {
  Page page;
  for (const char* file : {"/etc/passwd", "../x.mesh", "a/../../x.mesh"}) {
    const ordered_json reply =
        page.ask(ordered_json{{"do", "set"}, {"values", {{"/bodies/0/mesh", {{"file", file}}}}}});
    EXPECT_FALSE(reply["ok"].get<bool>());
    EXPECT_NE(reply["error"]["message"].get<std::string>().find("outside"), std::string::npos);
  }
}

}  // namespace
}  // namespace supple
