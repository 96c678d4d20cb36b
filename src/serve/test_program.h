#pragma once

#include <gtest/gtest.h>

#include "serve/test_client.h"
#include "serve/web_server.h"

/// The program's side of a server's tests.
namespace supple::test {

using std::chrono::duration;
using std::chrono::milliseconds;
using Kind = Inbound::Kind;
using Clock = std::chrono::steady_clock;

inline std::shared_ptr<const std::string> shared(std::string bytes) {
  return std::make_shared<const std::string>(std::move(bytes));
}

/// Options with a short close_time: clients in these tests rarely close as they should.
inline ServerOptions quick() {
  ServerOptions options;
  options.limits.close_time = milliseconds(100);
  return options;
}

/// Takes messages until `count` have come or `patience` is over.
inline std::vector<Inbound> take(WebServer& server, std::size_t count) {
  std::vector<Inbound> taken;
  const auto end = Clock::now() + patience;
  while (taken.size() < count && Clock::now() < end) {
    for (Inbound& message : server.take(duration<double>(0.05))) taken.push_back(message);
  }
  return taken;
}

/// Connects a client and takes its `connected` message.
inline TestClient connect(WebServer& server, Inbound::Client& number, int receive_buffer = 0) {
  TestClient client(server.port(), receive_buffer);
  EXPECT_EQ(client.upgrade(), 101);
  const std::vector<Inbound> first = take(server, 1);
  EXPECT_EQ(first.size(), 1U);
  EXPECT_EQ(first.at(0).kind, Kind::connected);
  number = first.at(0).client;
  return client;
}

inline TestClient connect(WebServer& server) {
  Inbound::Client ignored = 0;
  return connect(server, ignored);
}

/// Runs the program's loop for a while; what it takes is added to `all`.
inline void take_for(WebServer& server, milliseconds time, std::vector<Inbound>& all) {
  const auto end = Clock::now() + time;
  while (Clock::now() < end) {
    for (Inbound& message : server.take(duration<double>(0.01))) all.push_back(message);
  }
}

/// A frame of `size` bytes that starts with its number.
inline std::shared_ptr<const std::string> numbered(int number, std::size_t size) {
  std::string bytes = std::to_string(number) + " ";
  bytes.resize(size, '.');
  return shared(std::move(bytes));
}

}  // namespace supple::test
