#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <thread>

#include "serve/test_program.h"

namespace supple::test {
namespace {

TEST(WebSocketLoad, TooManyMessagesOrBytesASecondAreClosedWithAWord) {
  ServerOptions options = quick();
  options.limits.messages_per_second = 50;
  options.limits.max_binary_bytes = 100'000;
  options.limits.bytes_per_second = 100'000;
  WebServer server(options);
  std::vector<Inbound> taken;
  {
    TestClient client = connect(server);
    for (int i = 0; i < 200; ++i) client.send_frame("a");
    const Frame frame = client.frame();
    EXPECT_EQ(frame.code(), 1008);
    EXPECT_EQ(frame.payload.substr(2), "too many messages a second");
    take_for(server, milliseconds(50), taken);
    // Two seconds' worth, plus what the rate allowed while this was sent.
    EXPECT_GE(taken.size(), 100U);
    EXPECT_LT(taken.size(), 190U);
  }
  {
    TestClient client = connect(server);
    // Take messages meanwhile, or the server would only stop reading.
    for (int i = 0; i < 10; ++i) {
      client.send_frame(std::string(90'000, 'a'), {.opcode = 2});
      take_for(server, milliseconds(2), taken);
    }
    const Frame frame = client.frame();
    EXPECT_EQ(frame.code(), 1008);
    EXPECT_EQ(frame.payload.substr(2), "too many bytes a second");
    take_for(server, milliseconds(50), taken);
  }
  TestClient pinging = connect(server);
  for (int i = 0; i < 200; ++i) pinging.send_frame("a", {.opcode = 9});
  Frame frame = pinging.frame();
  while (frame.opcode == 10) frame = pinging.frame();
  EXPECT_EQ(frame.code(), 1008);
}

TEST(WebSocketLoad, TooManyClientsAreTurnedAwayUntilOneGoes) {
  ServerOptions options = quick();
  options.limits.max_clients = 2;
  WebServer server(options);
  TestClient first = connect(server);
  {
    const TestClient second = connect(server);
    TestClient third(server.port());
    EXPECT_EQ(third.upgrade(), 101);
    EXPECT_EQ(third.frame().code(), 1013);
    EXPECT_TRUE(third.is_closed());
  }
  ASSERT_EQ(take(server, 1).at(0).kind, Kind::disconnected);
  connect(server);
}

TEST(WebSocketLoad, WhatIsNotTakenStopsTheReading) {
  ServerOptions options = quick();
  options.limits.max_binary_bytes = 100'000;
  options.limits.max_waiting_messages = 10;
  options.limits.messages_per_second = 1e6;
  options.limits.bytes_per_second = 1e9;
  WebServer server(options);
  TestClient client = connect(server);
  // The sockets may or may not buffer all of it. If not, send waits, so it has a thread of its own.
  constexpr int count = 60;
  std::thread sender([&client] {
    const std::string bytes(50'000, 'a');
    for (int i = 0; i < count && client.send_frame(bytes, {.opcode = 2}); ++i) {
    }
  });
  std::this_thread::sleep_for(milliseconds(200));
  const std::vector<Inbound> first = server.take(duration<double>(0));
  EXPECT_GE(first.size(), 1U);
  EXPECT_LE(first.size(), 10U);
  const std::vector<Inbound> rest = take(server, count - first.size());
  sender.join();
  EXPECT_EQ(first.size() + rest.size(), static_cast<std::size_t>(count));
}

/// The number of messages that the server still holds.
std::ptrdiff_t count_alive(const std::vector<std::weak_ptr<const std::string>>& sent) {
  return std::count_if(sent.begin(), sent.end(), [](const auto& m) { return !m.expired(); });
}

TEST(WebSocketLoad, WhoLagsGetsTheNewestFrameAndAllElseInOrder) {
  ServerOptions options = quick();
  options.limits.write_time = milliseconds(10'000);
  WebServer server(options);
  Inbound::Client number = 0;
  TestClient slow = connect(server, number, 65'536);
  // 500 frames of 200 kB: 100 MB, of which the sockets hold a few. Every hundredth is followed by a
  // message that must not be lost, nor be overtaken by a later frame.
  for (int i = 0; i < 500; ++i) {
    server.send(std::nullopt, numbered(i, 200'000), true, true);
    if (i % 100 == 99) server.send(std::nullopt, shared(std::to_string(i)), false, false);
    if (i % 20 == 0) std::this_thread::sleep_for(milliseconds(1));
  }
  int frames = 0;
  int last = -1;
  int texts = 0;
  while (last < 499 || texts < 5) {
    const Frame frame = slow.frame();
    ASSERT_NE(frame.opcode, -1);
    const int current = std::stoi(frame.payload);
    if (frame.opcode == 2) {
      EXPECT_GT(current, last);
      last = current;
      ++frames;
    } else {
      EXPECT_EQ(current, 100 * texts + 99);
      EXPECT_LE(last, current);
      ++texts;
    }
  }
  EXPECT_EQ(last, 499);
  EXPECT_EQ(texts, 5);
  EXPECT_LT(frames, 250);  // the sockets' buffers hold tens
}

TEST(WebSocketLoad, AClientThatNeverReadsIsDroppedAndOthersGetTheirs) {
  ServerOptions options = quick();
  options.limits.write_time = milliseconds(300);
  WebServer server(options);
  TestClient stuck = connect(server);
  TestClient good = connect(server);
  // This is the program's loop; the good client reads everything that it gets.
  std::thread reader([&good] {
    while (good.frame().payload != "end") {
    }
  });
  std::vector<Inbound> taken;
  std::vector<std::weak_ptr<const std::string>> sent;
  const auto end = Clock::now() + patience;
  for (int i = 0; taken.empty() && Clock::now() < end; ++i) {
    {
      const auto frame = numbered(i, 200'000);
      sent.push_back(frame);
      server.send(std::nullopt, frame, true, true);
    }
    // For each client: the frame being written, and the newest one.
    ASSERT_LE(count_alive(sent), 4);
    take_for(server, milliseconds(5), taken);
  }
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].kind, Kind::disconnected);
  EXPECT_EQ(taken[0].client, 1U);
  server.send(std::nullopt, shared("end"), false, false);
  reader.join();
}

TEST(WebSocketLoad, NoMoreThanTheLimitWaitsForAClient) {
  ServerOptions options = quick();
  options.limits.max_queue_bytes = 10'000'000;
  WebServer server(options);
  Inbound::Client number = 0;
  TestClient stuck = connect(server, number);
  std::vector<std::weak_ptr<const std::string>> sent;
  for (int i = 0; i < 200; ++i) {
    const auto bytes = numbered(i, 1'000'000);
    sent.push_back(bytes);
    server.send(number, bytes, true, false);
    // The queue, the message that exceeds its limit, and the one being written.
    ASSERT_LE(count_alive(sent), 13);
  }
  const std::vector<Inbound> taken = take(server, 1);
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].kind, Kind::disconnected);
}

TEST(WebSocketLoad, ALongMessageToASlowClientArrivesWhole) {
  ServerOptions options = quick();
  options.limits.write_time = milliseconds(500);
  options.limits.max_queue_bytes = 1000;
  WebServer server(options);
  Inbound::Client number = 0;
  TestClient client = connect(server, number);
  const auto bytes = numbered(1, 8'000'000);
  server.send(number, bytes, true, false);
  std::string got;
  Frame frame;
  do {
    frame = client.frame();
    ASSERT_EQ(frame.opcode, got.empty() ? 2 : 0);
    got += frame.payload;
    // Altogether twice as long as a single write may take.
    std::this_thread::sleep_for(milliseconds(125));
  } while (!frame.is_last);
  EXPECT_TRUE(got == *bytes);
}

TEST(WebSocketLoad, FiftyClientsComeAndGo) {
  ServerOptions options = quick();
  options.limits.max_clients = 50;
  WebServer server(options);
  std::vector<TestClient> clients;
  clients.reserve(50);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 50; ++i) {
      clients.emplace_back(server.port());
      ASSERT_EQ(clients.back().upgrade(), 101);
      clients.back().send_frame(std::to_string(i));
    }
    std::map<Kind, int> count;
    for (const Inbound& message : take(server, 100)) ++count[message.kind];
    EXPECT_EQ(count[Kind::connected], 50);
    EXPECT_EQ(count[Kind::text], 50);
    server.send(std::nullopt, shared("all"), false, true);
    for (TestClient& client : clients) EXPECT_EQ(client.frame().payload, "all");
    // Some close properly, some do not.
    for (std::size_t i = 0; i < 50; i += 2) clients[i].send_frame("", {.opcode = 8});
    clients.clear();
    count.clear();
    for (const Inbound& message : take(server, 50)) ++count[message.kind];
    EXPECT_EQ(count[Kind::disconnected], 50);
  }
}

}  // namespace
}  // namespace supple::test
