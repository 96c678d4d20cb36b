#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <thread>
#include <utility>

#include "program.h"
#include "serve/test_client.h"
#include "serve/web_server.h"

/// `supple view` seen from outside: its answers to a wrong command line, and a session with a
/// client.
namespace supple::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A folder with a small scene and a page.
class ViewTest : public ::testing::Test {
 protected:
  ViewTest() {
    place_.write("scene.json", falling_block);
    std::filesystem::create_directory(place_ / "page");
    place_.write("page/index.html", "<!doctype html>");
  }
  Workplace place_;
};

TEST_F(ViewTest, WrongInputEndsWithItsCodeAndAMessage) {
  place_.write("syntax.json", "{ \"supple\": 1,\n }");
  place_.write("empty.json", "");
  const WebServer other({});
  const std::string taken = std::to_string(other.port());
  struct Wrong {
    std::vector<std::string> arguments;
    int code;
    std::string message;
  };
  const std::vector<Wrong> cases = {
      {{"--prot", "1"}, 2, "did you mean '--port'?"},
      {{"--port", "70000"}, 2, "--port"},
      {{"--port", "-1"}, 2, "--port"},
      {{"--threads", "0"}, 2, "--threads"},
      {{"scene.json", "other.json"}, 2, "other.json"},
      {{"--token", "short"}, 2, "--token: expected 16"},
      {{"--web", "page", "--token", "0123456789abcde;"}, 2, "--token"},
      {{"scene.json", "--web", "page", "--address", "here"}, 2, "is not an address"},
      {{"scene.json", "--web", "page", "--address", "192.0.2.1"}, 2, "192.0.2.1"},
      {{"scene.json", "--web", "page", "--port", taken},
       2,
       "--port " + taken + ": the port is taken"},
      {{"scene.json", "--web", "none"},
       3,
       "none: there is no page here (index.html); scripts/view"},
      {{"syntax.json", "--web", "page"}, 2, "syntax.json:2:2: not valid JSON"},
      {{"empty.json", "--web", "page"}, 2, "empty.json:1:1: not valid JSON"},
      {{"twisting_bra", "--web", "page"}, 2, "did you mean 'twisting_bar'?"},
      {{"none.json", "--web", "page"}, 3, "none.json: there is no such file"},
  };
  for (const Wrong& wrong : cases) {
    std::vector<std::string> words{"view"};
    std::string shown;
    for (const std::string& word : wrong.arguments) {
      words.push_back(word);
      shown += " " + word;
    }
    SCOPED_TRACE("supple view" + shown);
    const Outcome outcome = run(place_.path(), words);
    EXPECT_EQ(outcome.code, wrong.code);
    EXPECT_EQ(outcome.err.rfind("supple: ", 0), 0U) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, wrong.message)) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST_F(ViewTest, HelpShowsAnExample) {
  const Outcome outcome = run(place_.path(), {"view", "--help"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.out, "supple view twisting_bar")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "--address")) << outcome.out;
}

/// A running viewer that is killed at the end in any case.
class Viewer {
 public:
  Viewer(const Workplace& place, std::vector<std::string> arguments, const char* file = "output")
      : output_(place / file) {
    arguments.insert(arguments.begin(), "view");
    process_ = start_writing(place.path(), arguments, output_);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!contains(output(), "Ctrl-C") && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  ~Viewer() {
    if (process_ > 0) kill_hard(process_);
  }
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;

  std::string output() const { return bytes_of(output_); }
  unsigned short port() const {
    const std::string text = output();
    const std::size_t colon = text.find(':', text.find("://") + 3);
    return static_cast<unsigned short>(
        std::atoi(text.c_str() + std::min(colon, text.size() - 1) + 1));
  }
  /// Sends a signal and returns the exit code; -1 if the viewer does not end.
  int end(int signal) { return end_by(std::exchange(process_, -1), signal); }

 private:
  std::filesystem::path output_;
  pid_t process_ = -1;
};

TEST_F(ViewTest, ServesThePageCarriesTheSessionAndEndsBySignals) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Viewer viewer(place_, {"scene.json", "--web", "page", "--port", "0", "--no-browser"});
    ASSERT_TRUE(contains(viewer.output(), "http://127.0.0.1:")) << viewer.output();
    TestClient browser(viewer.port());
    EXPECT_EQ(browser.get("/").body, "<!doctype html>");
    EXPECT_EQ(browser.get("/engine.json").body, "{\"engine\": \"native\"}\n");
    EXPECT_EQ(browser.get("/scenes/twisting_bar.png").header("Content-Type"), "image/png");

    TestClient client(viewer.port());
    ASSERT_EQ(client.upgrade(), 101);
    const Frame hello = client.frame();
    EXPECT_TRUE(contains(hello.payload, "\"is\":\"hello\"")) << hello.payload;
    EXPECT_TRUE(contains(hello.payload, "\"engine\":\"native\"")) << hello.payload;
    client.send_frame("this is no JSON");
    client.send_frame("no packet", {.opcode = 2});
    client.send_frame(R"({"do": "play", "id": 77})");
    // At most 200 messages, each within the client's patience.
    bool replied = false, moved = false;
    for (int i = 0; i < 200 && !(replied && moved); ++i) {
      const Frame frame = client.frame();
      ASSERT_NE(frame.opcode, -1);
      replied = replied || contains(frame.payload, "\"re\":77,\"ok\":true");
      moved = moved || (frame.opcode == 2 && contains(frame.payload, "\"frame\":3,"));
    }
    EXPECT_TRUE(replied);
    EXPECT_TRUE(moved);
    EXPECT_EQ(viewer.end(signal), 0);
    EXPECT_TRUE(contains(viewer.output(), "Ctrl-C ends it")) << viewer.output();
  }
}

TEST_F(ViewTest, EndsAtOnceWhileALargeSceneIsBuiltAndAnotherOneIsOpened) {
  for (const int wait : {0, 300, 1000}) {
    Viewer viewer(place_, {"scene.json", "--web", "page", "--port", "0", "--no-browser"});
    TestClient client(viewer.port());
    ASSERT_EQ(client.upgrade(), 101);
    // 1,080,000 tets: many seconds of building.
    client.send_frame(R"({"do": "set", "id": 1, "values": {
        "/bodies/0/mesh": {"box": {"size": [1, 1, 1], "cells": [60, 60, 60]}}}})");
    // Meanwhile the viewer still answers.
    client.send_frame(R"({"do": "speed", "factor": 0.5, "id": 2})");
    bool replied = false;
    for (int i = 0; i < 1000 && !replied; ++i) {
      const Frame frame = client.frame();
      ASSERT_NE(frame.opcode, -1);
      EXPECT_FALSE(contains(frame.payload, "\"re\":1,"));
      replied = contains(frame.payload, "\"re\":2,\"ok\":true");
    }
    EXPECT_TRUE(replied);
    client.send_frame(R"({"do": "open", "scene": "cloth"})");
    std::this_thread::sleep_for(std::chrono::milliseconds(wait));
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(viewer.end(SIGTERM), 0);
    // A second for a client that does not close, and a frame. Building would take a minute.
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  }
}

TEST_F(ViewTest, WithoutAPortTheNextFreeOneIsTaken) {
  // Whether or not the usual port is free here: each gets a port, and the two differ.
  const Viewer first(place_, {"scene.json", "--web", "page", "--no-browser"});
  const Viewer second(place_, {"scene.json", "--web", "page", "--no-browser"}, "other_output");
  EXPECT_GE(first.port(), 8420);
  EXPECT_GT(second.port(), first.port());
  EXPECT_EQ(TestClient(first.port()).get("/").status, 200);
  EXPECT_EQ(TestClient(second.port()).get("/").status, 200);
}

TEST_F(ViewTest, ATokenIsPrintedAndWanted) {
  const Viewer viewer(place_, {"scene.json", "--web", "page", "--port", "0", "--token",
                               "0123456789abcdef", "--no-browser"});
  EXPECT_TRUE(contains(viewer.output(), "/?token=0123456789abcdef\n")) << viewer.output();
  EXPECT_EQ(TestClient(viewer.port()).get("/").status, 401);
  EXPECT_EQ(TestClient(viewer.port()).get("/?token=0123456789abcdef").status, 200);
}

}  // namespace
}  // namespace supple::test
