#include <gtest/gtest.h>

#include <cmath>

#include "session/test_session.h"

namespace supple {
namespace {

using nlohmann::ordered_json;
using test::Page;

TEST(Session, TheSameCommandsGiveTheSameBits) {
  const auto run = [] {
    Page page("block");
    double now = 5;
    const auto play = [&](int calls) {
      for (int i = 0; i < calls; ++i) page.advance(now += 0.011);
    };
    page.tell(R"({"do": "show", "vertices": "all"})");
    play(30);
    page.tell(R"({"do": "grab", "grab": 1, "vertex": 11, "to": [3, 2, 1]})");
    play(30);
    page.tell(R"({"do": "set", "values": {"/bodies/0/material/young": 3e5}})");
    page.tell(R"({"do": "drag", "grab": 1, "to": [0, 3, 1]})");
    play(30);
    page.tell(R"({"do": "collider", "index": 0, "translate": [0, 0.5, 0]})");
    page.tell(R"({"do": "pin", "vertices": [5]})");
    page.tell(R"({"do": "release", "grab": 1})");
    page.tell(R"({"do": "speed", "factor": 0})");
    play(30);
    page.tell(R"({"do": "undo"})");
    page.tell(R"({"do": "randomise", "seed": 4})");
    play(30);
    return page.positions();
  };
  const auto first = run();
  EXPECT_EQ(first, run());
}

TEST(Session, SlowMotionAndAFreeRun) {
  Page page("block");
  const double h = page.scene["settings"]["time"]["step"];
  page.tell(R"({"do": "speed", "factor": 0.1})");
  EXPECT_NEAR(page.advance(10), 10 + 10 * h, 1e-9);
  page.tell(R"({"do": "speed", "factor": 0})");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(page.advance(11), 11);
  EXPECT_EQ(page.frame_header()["frame"], 6);
  page.tell(R"({"do": "speed", "factor": 1})");
  // A clock that was stopped for a minute causes no burst.
  page.advance(12);
  const auto before = page.frame_header()["frame"].get<int>();
  page.advance(72);
  page.advance(72);
  EXPECT_GT(page.advance(72), 72);
  EXPECT_EQ(page.frame_header()["frame"], before + 2);
}

TEST(Session, ManyClientsSeeTheSame) {
  Page page("block");
  page.session.connect(9);
  int hellos = 0;
  for (const auto& message : page.session.take_messages()) {
    if (message.to == std::optional<Session::Client>(9) && !message.is_packet) {
      hellos += ordered_json::parse(*message.bytes)["is"] == "hello" ? 1 : 0;
    }
  }
  EXPECT_EQ(hellos, 1);
  // Everyone is told what one client does; only that client gets the reply.
  page.session.receive(9, R"({"do": "pause", "id": 5})");
  page.session.advance(1);
  bool replied = false, told = false;
  for (const auto& message : page.session.take_messages()) {
    if (message.is_packet) continue;
    const ordered_json text = ordered_json::parse(*message.bytes);
    if (text["is"] == "reply") replied = message.to == std::optional<Session::Client>(9);
    if (text["is"] == "status") told = !message.to;
  }
  EXPECT_TRUE(replied);
  EXPECT_TRUE(told);
}

TEST(Session, FramesThatNobodyTookGiveWayToTheNewest) {
  Page page("block");
  page.session.receive(1, R"({"do": "speed", "factor": 0})");
  for (int i = 0; i < 50; ++i) page.session.advance(i);
  int frames = 0;
  for (const auto& message : page.session.take_messages()) frames += message.is_frame ? 1 : 0;
  EXPECT_EQ(frames, 1);
}

TEST(Session, AFrameThatIsNotFinitePausesWithTheStateBefore) {
  Page page("free");
  page.tell(R"({"do": "pause"})");
  page.tell(R"({"do": "set", "values": {"/time/integrator": "forward_euler", "/time/step": 10,
               "/bodies/0/material/young": 1e12}})");
  page.tell(R"({"do": "randomise"})");
  page.tell(R"({"do": "play"})");
  for (int i = 0; i < 1000 && page.notes.empty(); ++i) page.advance(page.now + 100);
  ASSERT_FALSE(page.notes.empty());
  EXPECT_EQ(page.notes[0]["level"], "error");
  EXPECT_FALSE(page.status["playing"].get<bool>());
  for (const float x : page.positions()) EXPECT_FALSE(std::isnan(x));
  page.tell(R"({"do": "reset"})");
  page.advance(page.now + 1);
  EXPECT_EQ(page.frame_header()["frame"], 0);
}

/// A page whose changes are built beside the steps.
struct SlowPage : Page {
  SlowPage() : Page("block", 0) {
    tell(R"({"do": "speed", "factor": 0})");
    tell(R"({"do": "set", "values": {"/gravity": [0, 0, 0]}})");
    for (int i = 0; i < 10'000 && !is_settled(); ++i) advance(now);
  }
  bool is_settled() const { return status["busy"].is_null(); }
  /// Advances until nothing waits any more and returns the number of frames.
  int settle() {
    advance(now);
    int frames = 0;
    for (; frames < 100'000 && !is_settled(); ++frames) advance(now);
    return frames;
  }
};

TEST(Changes, ThatTakeLongAreBuiltBesideTheSteps) {
  SlowPage page;
  ASSERT_TRUE(page.is_settled());
  page.tell(R"({"do": "set", "values": {"/bodies/0/material/young": 2e5}})");
  page.advance(page.now);
  EXPECT_EQ(page.status["busy"], "factorising");
  EXPECT_EQ(page.scene["settings"]["bodies"][0]["material"]["young"], 2e5);
  // Newer changes do not stop the one that is being built; the newest follows it.
  for (const int young : {300'000, 400'000, 500'000}) {
    page.tell(R"({"do": "set", "final": false, "values": {"/bodies/0/material/young": )" +
              std::to_string(young) + "}}");
    page.advance(page.now);
  }
  page.tell(R"({"do": "set", "values": {"/time/substeps": 2}})");
  EXPECT_GT(page.settle(), 0);
  EXPECT_TRUE(page.is_settled());
  EXPECT_EQ(page.scene["settings"]["bodies"][0]["material"]["young"], 500'000);
  EXPECT_EQ(page.scene["settings"]["time"]["substeps"], 2);
  EXPECT_TRUE(page.notes.empty());
}

TEST(Changes, AreMadeInAPauseToo) {
  SlowPage page;
  page.tell(R"({"do": "set", "values": {"/bodies/0/material/young": 2e5}})");
  page.tell(R"({"do": "pause"})");
  EXPECT_LE(page.settle(), 3);
  EXPECT_TRUE(page.is_settled());
  page.tell(R"({"do": "set", "values": {"/bodies/0/material/model": "corotated"}})");
  EXPECT_LE(page.settle(), 3);
  EXPECT_TRUE(page.is_settled());
  EXPECT_EQ(page.advance(page.now), std::numeric_limits<double>::infinity());
}

TEST(Changes, ThatFailWhenTheyAreBuiltAreTakenBack) {
  for (const bool paused : {false, true}) {
    SlowPage page;
    if (paused) page.tell(R"({"do": "pause"})");
    page.tell(R"({"do": "unpin", "vertices": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]})");
    // Without pins a quasi-static body has no position; this is noticed only when it is built.
    const ordered_json reply =
        page.ask(std::string(R"({"do": "set", "values": {"/time/integrator": "quasi_static"}})"));
    page.settle();
    EXPECT_TRUE(page.is_settled());
    EXPECT_TRUE(!reply["ok"].get<bool>() || !page.notes.empty());
    EXPECT_EQ(page.scene["settings"]["time"]["integrator"], "backward_euler");
    page.step(2);
  }
}

TEST(Changes, PinsAndCollidersAreFeltWhileOneIsBuilt) {
  SlowPage page;
  page.tell(R"({"do": "show", "vertices": "all"})");
  page.tell(R"({"do": "set", "values": {"/bodies/0/material/young": 2e5}})");
  page.advance(page.now);
  page.tell(R"({"do": "grab", "grab": 1, "vertex": 11, "to": [1, 3, 0.5]})");
  page.tell(R"({"do": "pin", "vertices": [10]})");
  page.settle();
  for (int i = 0; i < 60; ++i) page.advance(page.now);
  EXPECT_GT(page.positions()[3 * 11 + 1], 2);
  EXPECT_EQ(page.frame_header()["pins"][1]["count"], 1);
  page.tell(R"({"do": "set", "values": {"/bodies/0/material/young": 4e5}})");
  page.settle();
  for (int i = 0; i < 60; ++i) page.advance(page.now);
  EXPECT_GT(page.positions()[3 * 11 + 1], 2);
}

TEST(Session, SurvivesNonsense) {
  Page page("block");
  page.tell(R"({"do": "pause"})");
  const std::vector<std::string> commands{
      R"({"do": "grab", "grab": 1, "vertex": 11, "to": [1, 2, 3], "stiffness": 1e4, "radius": 1})",
      R"({"do": "set", "values": {"/bodies/0/material/young": 2e5, "/solver/iterations": 3}})",
      R"({"do": "pin", "vertices": [1, 2, 3], "stiffness": 1e5})",
      R"({"do": "handle", "body": 0, "pin": 0, "translate": [0, 1, 0], "degrees": 10})",
      R"({"do": "show", "vertices": "all", "forces": true, "colour": "J", "every": 2})",
      R"({"do": "stretch", "factors": [1, 2, 3]})",
      R"({"do": "describe_material", "body": 0, "pointer": "/bodies/0/material"})",
      R"({"do": "step", "frames": 2})",
      R"({"do": "undo"})"};
  // Bytes are changed, duplicated and removed; xorshift [Marsaglia 2003].
  std::uint64_t random = 88172645463325252ULL;
  const auto next = [&](std::size_t below) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return static_cast<std::size_t>(random % below);
  };
  const std::string letters = "{}[]\":,0123456789.-eE/ abcdnullt\\\x01\xff";
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = commands[next(commands.size())];
    for (std::size_t changes = next(4); changes > 0; --changes) {
      const std::size_t at = next(text.size());
      const std::size_t kind = next(3);
      if (kind == 0) text[at] = letters[next(letters.size())];
      if (kind == 1) text.insert(at, text.substr(at, next(20)));
      if (kind == 2) text.erase(at, 1 + next(5));
      if (text.empty()) text = "{";
    }
    const std::size_t before = page.notes.size();
    page.send(text);
    accepted += page.notes.size() == before ? 1 : 0;
    if (i % 10 == 0) page.advance(page.now += 0.01);
  }
  EXPECT_GT(accepted, 300);
  EXPECT_LT(accepted, 2700);
  for (const float x : page.positions()) EXPECT_TRUE(std::isfinite(x));
  page.tell(R"({"do": "open", "scene": "block"})");
  page.step(1);
}

TEST(Watching, TheErrorIsTheDistanceToTheConvergedStep) {
  Page page("block");
  page.tell(R"({"do": "pause"})");
  page.tell(R"({"do": "show", "vertices": "all", "colour": "error"})");
  const auto largest = [&] {
    float most = 0;
    for (const float e : page.frame_array("colours")) most = std::max(most, e);
    return static_cast<double>(most);
  };
  page.tell(R"({"do": "set", "values": {"/solver/iterations": 1}})");
  page.step(5);
  EXPECT_EQ(page.status["busy"], "converging");
  const double coarse = largest();
  EXPECT_GT(coarse, 1e-6);
  page.tell(R"({"do": "set", "values": {"/solver/iterations": 200}})");
  page.step(5);
  EXPECT_LT(largest(), 1e-3 * coarse);
  page.tell(R"({"do": "set", "values": {"/solver/method": "newton"}})");
  page.tell(R"({"do": "show", "colour": "none"})");
  page.step(1);
  EXPECT_TRUE(page.status["busy"].is_null());
  page.tell(R"({"do": "set", "values": {"/time/integrator": "symplectic_euler"}})");
  EXPECT_FALSE(page.ask(std::string(R"({"do": "show", "colour": "error"})"))["ok"]);
}

TEST(Watching, ConvergenceFallsWithTheIterations) {
  Page page("block");
  page.tell(R"({"do": "pause"})");
  page.step(3);
  const ordered_json reply = page.tell(
      R"({"do": "convergence", "solvers": ["l_bfgs:history=3", "newton"], "iterations": 20})");
  EXPECT_TRUE(reply["reference"]["converged"].get<bool>());
  ASSERT_EQ(reply["curves"].size(), 2U);
  EXPECT_EQ(reply["curves"][0]["label"], "l_bfgs:history=3");
  for (const auto& curve : reply["curves"]) {
    const auto& points = curve["points"];
    EXPECT_EQ(points[0]["iteration"], 0);
    EXPECT_LT(points.back()["position_error"].get<double>(),
              0.1 * points[0]["position_error"].get<double>());
  }
  const auto refused = [&](const char* text) { return !page.ask(std::string(text))["ok"]; };
  EXPECT_TRUE(refused(R"({"do": "convergence", "solvers": []})"));
  EXPECT_TRUE(refused(R"({"do": "convergence", "solvers": ["l_bfgz"]})"));
  EXPECT_TRUE(refused(R"({"do": "convergence", "solvers": [1]})"));
  EXPECT_TRUE(refused(R"({"do": "convergence", "solvers": ["newton"], "iterations": 1001})"));
}

TEST(Watching, ARaceShowsEachSolverAgainstTheConvergedMotion) {
  Page page("block");
  page.tell(R"({"do": "pause"})");
  page.tell(R"({"do": "race", "solvers": ["newton", "pbd"], "budget_ms": 2})");
  page.step(5);
  EXPECT_TRUE(page.status["race"].get<bool>());
  const ordered_json lanes = page.frame_header()["lanes"];
  ASSERT_EQ(lanes.size(), 2U);
  EXPECT_EQ(lanes[0]["label"], "newton");
  // However little time there is, Newton's method gets through an iteration, and pbd, which does
  // not read the material, goes elsewhere.
  EXPECT_LT(lanes[0]["error"].get<double>(), 1e-5);
  EXPECT_GT(lanes[1]["error"].get<double>(), lanes[0]["error"].get<double>());
  EXPECT_EQ(page.frame_array("lane_1").size(), page.positions().size());
  page.tell(R"({"do": "grab", "grab": 1, "vertex": 11, "to": [2, 3, 1]})");
  page.step(3);
  EXPECT_LT(page.frame_header()["lanes"][0]["error"].get<double>(), 1e-3);  // it is pulled, too
  page.tell(R"({"do": "set", "values": {"/gravity": [0, 0, 0]}})");
  page.step(1);
  EXPECT_FALSE(page.frame_header().contains("lanes"));
  EXPECT_EQ(page.notes.back()["level"], "info");
  EXPECT_FALSE(
      page.ask(std::string(R"({"do": "race", "solvers": ["newton"], "budget_ms": 2})"))["ok"]);
  page.tell(R"({"do": "race", "solvers": ["newton", "jacobi"], "budget_ms": 1})");
  page.step(2);
  EXPECT_EQ(page.frame_header()["lanes"].size(), 2U);
  page.tell(R"({"do": "end_race"})");
  page.step(1);
  EXPECT_FALSE(page.status["race"].get<bool>());
}

}  // namespace
}  // namespace supple
