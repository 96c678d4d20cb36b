#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <thread>

#include "serve/test_program.h"

namespace supple::test {
namespace {

TEST(WebSocket, MessagesGoBothWaysInOrder) {
  WebServer server(quick());
  Inbound::Client number = 0;
  TestClient client = connect(server, number);
  EXPECT_EQ(number, 1U);
  client.send_frame("{\"do\": \"play\"}");
  client.send_frame(std::string("\0\1\xff", 3), {.opcode = 2});
  client.send_frame("");
  const std::vector<Inbound> taken = take(server, 3);
  ASSERT_EQ(taken.size(), 3U);
  EXPECT_EQ(taken[0].kind, Kind::text);
  EXPECT_EQ(taken[0].bytes, "{\"do\": \"play\"}");
  EXPECT_EQ(taken[1].kind, Kind::binary);
  EXPECT_EQ(taken[1].bytes, std::string("\0\1\xff", 3));
  EXPECT_EQ(taken[1].client, number);
  EXPECT_EQ(taken[2].bytes, "");

  for (int i = 0; i < 100; ++i) server.send(number, shared(std::to_string(i)), i % 2 == 0, false);
  for (int i = 0; i < 100; ++i) {
    const Frame frame = client.frame();
    ASSERT_EQ(frame.payload, std::to_string(i));
    EXPECT_EQ(frame.opcode, i % 2 == 0 ? 2 : 1);
    EXPECT_TRUE(frame.is_last);
  }
  EXPECT_TRUE(client.send_frame(std::string("\x03\xe8", 2), {.opcode = 8}));
  EXPECT_EQ(client.frame().code(), 1000);
  EXPECT_TRUE(client.is_closed());
  const std::vector<Inbound> last = take(server, 1);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].kind, Kind::disconnected);
}

TEST(WebSocket, WhoWasNotTakenYetGetsNoBroadcast) {
  WebServer server(quick());
  TestClient first = connect(server);
  TestClient second(server.port());
  ASSERT_EQ(second.upgrade(), 101);
  // By now the server knows the second client, but the program does not.
  server.send(std::nullopt, shared("early"), false, false);
  EXPECT_EQ(first.frame().payload, "early");
  const std::vector<Inbound> taken = take(server, 1);
  ASSERT_EQ(taken.at(0).kind, Kind::connected);
  server.send(taken.at(0).client, shared("hello"), false, false);
  server.send(std::nullopt, shared("late"), false, false);
  EXPECT_EQ(second.frame().payload, "hello");
  EXPECT_EQ(second.frame().payload, "late");
  EXPECT_EQ(first.frame().payload, "late");
}

TEST(WebSocket, FragmentsBecomeOneMessageAndPingsAreAnsweredBetweenThem) {
  WebServer server(quick());
  TestClient client = connect(server);
  client.send_frame("ab", {.opcode = 2, .is_last = false});
  client.send_frame("are you there", {.opcode = 9});
  client.send_frame("", {.opcode = 0, .is_last = false});
  client.send_frame("cd", {.opcode = 0});
  const Frame pong = client.frame();
  EXPECT_EQ(pong.opcode, 10);
  EXPECT_EQ(pong.payload, "are you there");
  const std::vector<Inbound> taken = take(server, 1);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].kind, Kind::binary);
  EXPECT_EQ(taken[0].bytes, "abcd");
}

TEST(WebSocket, APageOfAnotherSiteMayNotConnect) {
  const WebServer server(quick());
  const std::string port = std::to_string(server.port());
  const auto status = [&](const std::string& origin) {
    return TestClient(server.port()).upgrade("/session", "Origin: " + origin + "\r\n");
  };
  EXPECT_EQ(status("http://127.0.0.1:" + port), 101);
  EXPECT_EQ(status("http://127.0.0.1:" + port + "/"), 403);
  EXPECT_EQ(status("http://localhost:" + port), 403);  // the request names 127.0.0.1
  EXPECT_EQ(status("http://127.0.0.1:1"), 403);
  EXPECT_EQ(status("http://127.0.0.1"), 403);
  EXPECT_EQ(status("http://evil.example"), 403);
  EXPECT_EQ(status("null"), 403);
  EXPECT_EQ(status(""), 403);
  EXPECT_EQ(TestClient(server.port()).upgrade("/"), 404);
  EXPECT_EQ(TestClient(server.port()).upgrade("/session/x"), 404);
  TestClient old(server.port());
  EXPECT_EQ(old.get("/session",
                    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n"
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
                .status,
            426);
}

TEST(WebSocket, WhatBreaksTheProtocolIsClosed) {
  WebServer server(quick());
  struct Case {
    const char* what;
    std::function<void(TestClient&)> act;
    int code;
  };
  const std::string big(126, 'a');
  const std::vector<Case> cases = {
      {"no mask", [](TestClient& c) { c.send_frame("a", {.is_masked = false}); }, 1002},
      {"reserved bit", [](TestClient& c) { c.send_frame("a", {.reserved = 0x40}); }, 1002},
      {"unknown opcode", [](TestClient& c) { c.send_frame("a", {.opcode = 3}); }, 1002},
      {"nothing to continue", [](TestClient& c) { c.send_frame("a", {.opcode = 0}); }, 1002},
      {"message in a message",
       [](TestClient& c) {
         c.send_frame("a", {.is_last = false});
         c.send_frame("a");
       },
       1002},
      {"ping in pieces", [](TestClient& c) { c.send_frame("a", {.opcode = 9, .is_last = false}); },
       1002},
      {"long ping", [&](TestClient& c) { c.send_frame(big, {.opcode = 9}); }, 1002},
      {"half a close code", [](TestClient& c) { c.send_frame("a", {.opcode = 8}); }, 1002},
      {"text that is not UTF-8", [](TestClient& c) { c.send_frame("\xc3\x28"); }, 1007},
      {"a frame of 2^62 bytes",
       [](TestClient& c) { c.send_frame("a", {.opcode = 2, .claimed_size = 1ULL << 62}); }, 1009},
      {"a frame of 2^63 bytes",
       [](TestClient& c) { c.send_frame("a", {.opcode = 2, .claimed_size = 1ULL << 63}); }, 1009},
      {"a long text", [](TestClient& c) { c.send_frame(std::string((1 << 20) + 1, 'a')); }, 1009},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    TestClient client = connect(server);
    c.act(client);
    EXPECT_EQ(client.frame().code(), c.code);
    EXPECT_TRUE(client.is_closed());
    const std::vector<Inbound> taken = take(server, 1);
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(taken[0].kind, Kind::disconnected);
  }
}

TEST(WebSocket, GarbageAndHalfFramesEndOneClientAlone) {
  WebServer server(quick());
  Inbound::Client good = 0;
  TestClient other = connect(server, good);
  std::uint32_t state = 7;
  std::vector<Inbound> taken;
  for (int i = 0; i < 30; ++i) {
    TestClient client(server.port());
    ASSERT_EQ(client.upgrade(), 101);
    std::string bytes;
    for (int k = 0; k < 3 * i; ++k) {
      state = state * 1664525U + 1013904223U;
      bytes += static_cast<char>(state >> 24);
    }
    client.send(bytes);
    take_for(server, milliseconds(3), taken);
    // The client disconnects in the middle of whatever that was.
  }
  const auto num_gone = [&taken] {
    return std::count_if(taken.begin(), taken.end(),
                         [](const Inbound& m) { return m.kind == Kind::disconnected; });
  };
  const auto end = Clock::now() + patience;
  while (num_gone() < 30 && Clock::now() < end) take_for(server, milliseconds(5), taken);
  EXPECT_EQ(num_gone(), 30);
  server.send(good, shared("still here"), false, false);
  EXPECT_EQ(other.frame().payload, "still here");
}

TEST(WebSocket, AMessageOfTheLargestSizeArrivesAndALargerOneDoesNot) {
  ServerOptions options = quick();
  options.limits.max_binary_bytes = 3'000'000;
  WebServer server(options);
  TestClient client = connect(server);
  const std::string bytes(3'000'000, 'x');
  ASSERT_TRUE(client.send_frame(bytes, {.opcode = 2}));
  const std::vector<Inbound> taken = take(server, 1);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_TRUE(taken[0].bytes == bytes);
  // Too long as a whole, in pieces that are not.
  client.send_frame(bytes, {.opcode = 2, .is_last = false});
  client.send_frame("x", {.opcode = 0});
  EXPECT_EQ(client.frame().code(), 1009);
}

TEST(WebSocket, TheServerEndsWhileAllAreBusy) {
  ServerOptions options = quick();
  auto server = std::make_unique<WebServer>(options);
  std::vector<TestClient> clients;
  for (int i = 0; i < 8; ++i) clients.push_back(connect(*server));
  for (int i = 0; i < 50; ++i) {
    server->send(std::nullopt, numbered(i, 1'000'000), true, i % 2 == 0);
    clients[static_cast<std::size_t>(i % 8)].send_frame("busy");
  }
  TestClient half(server->port());
  half.send("GET / HT");
  const unsigned short port = server->port();
  const auto start = Clock::now();
  server.reset();
  EXPECT_LT(Clock::now() - start, patience);
  for (TestClient& client : clients) EXPECT_TRUE(client.is_closed());
  EXPECT_FALSE(TestClient(port).is_connected());
}

TEST(WebSocket, AClientAtRestHearsThatTheServerEnds) {
  auto server = std::make_unique<WebServer>(quick());
  TestClient client = connect(*server);
  std::thread ending([&server] { server.reset(); });
  const Frame frame = client.frame();
  EXPECT_EQ(frame.code(), 1001);
  client.send_frame(frame.payload, {.opcode = 8});
  ending.join();
  EXPECT_TRUE(client.is_closed());
}

TEST(WebSocket, ASignalIsToldOnce) {
  ServerOptions options = quick();
  options.catch_signals = true;
  WebServer server(options);
  ASSERT_EQ(::raise(SIGTERM), 0);
  const std::vector<Inbound> taken = take(server, 1);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].kind, Kind::interrupted);
}

}  // namespace
}  // namespace supple::test
