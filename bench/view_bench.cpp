// What `supple view` does for a page, without the page: a cloth of 20,022 vertices (140 x 141
// cells, steps of 1/60 s, three iterations of L-BFGS) plays in real time behind the server, and
// clients on this machine receive its frames as a browser would.
//
//   supple_view_bench [SECONDS] [CLIENTS] [THREADS]
//
// Defaults: 10 seconds (after one that does not count), 1 client, all cores. Prints the frames
// simulated per second, how many of them arrived, the milliseconds of a step and of assembling and
// sending its frame, and the latency from the end of the step until the whole frame has arrived.
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "serve/test_client.h"
#include "serve/web_server.h"
#include "session/packet.h"
#include "session/session.h"
#include "supple/carrier.h"

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr std::chrono::seconds warm_up{1};

constexpr const char* scene = R"({"supple": 1, "name": "large cloth",
  "time": {"step": 0.016666666666666667, "frames": 60},
  "solver": {"method": "l_bfgs", "iterations": 3},
  "bodies": [{"name": "cloth", "density": 0.3,
    "mesh": {"cloth": {"u": [2, 0, 0], "v": [0, 0, 2], "cells": [140, 141]}},
    "material": {"model": "spring", "stiffness": 500, "shear": 200, "bending": 5},
    "pins": [{"select": {"vertices": [0, 140]}}]}]})";

struct Settings {
  std::chrono::seconds time{10};
  int clients = 1;
  int threads = 0;
};

Settings settings_of(int argc, char** argv) {
  Settings settings;
  if (argc > 1) settings.time = std::chrono::seconds(std::clamp(std::atoi(argv[1]), 1, 600));
  if (argc > 2) settings.clients = std::clamp(std::atoi(argv[2]), 1, 32);
  if (argc > 3) settings.threads = std::clamp(std::atoi(argv[3]), 0, 1024);
  return settings;
}

/// A folder with the scene, as a gallery of one.
class SceneFolder {
 public:
  SceneFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "supple_view_bench_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      fmt::print(stderr, "no folder for the scene can be made in {}\n",
                 std::filesystem::temp_directory_path().string());
      std::exit(1);
    }
    path_ = name;
    std::ofstream(path_ / "cloth.json") << scene;
  }
  ~SceneFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  SceneFolder(const SceneFolder&) = delete;
  SceneFolder& operator=(const SceneFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A frame as it was sent.
struct Sent {
  Clock::time_point step_start, sent;
  double step_ms = 0;
  std::size_t bytes = 0;

  /// What the session does before the step counts as latency too, so the latency is not
  /// understated.
  Clock::time_point step_end() const {
    return step_start + std::chrono::duration_cast<Clock::duration>(Milliseconds(step_ms));
  }
};

/// Number of a frame and its milliseconds of simulation; -1 for other packets.
std::pair<int, double> frame_of(const std::string& bytes) {
  const supple::Packet packet(std::as_bytes(std::span(bytes)));
  const nlohmann::ordered_json& header = packet.header();
  if (header.at("is") != "frame" || header.at("report").is_null()) return {-1, 0};
  return {header.at("frame").get<int>(), header.at("report").at("ms").at("total").get<double>()};
}

/// Receives messages, reading headers as a page must, until the server closes the connection.
std::map<int, Clock::time_point> receive(supple::test::TestClient& client) {
  std::map<int, Clock::time_point> frames;
  for (;;) {
    const supple::test::Frame message = client.frame();
    const Clock::time_point now = Clock::now();
    if (message.opcode != 1 && message.opcode != 2) return frames;
    if (message.opcode == 1) continue;
    if (const int frame = frame_of(message.payload).first; frame >= 0) frames.emplace(frame, now);
  }
}

/// Plays until `end`. Returns the frames that were sent, by their number.
std::map<int, Sent> play(supple::WebServer& server, supple::Session& session,
                         Clock::time_point end) {
  supple::cli::Carrier carrier(server, session);
  std::map<int, Sent> frames;
  while (Clock::now() < end && carrier.wait()) {
    const Clock::time_point start = Clock::now();
    const std::vector<supple::Session::Message> messages = carrier.work();
    const Clock::time_point sent = Clock::now();
    for (const supple::Session::Message& message : messages) {
      if (!message.is_frame || message.to) continue;
      const auto [frame, step_ms] = frame_of(*message.bytes);
      if (frame >= 0) frames.emplace(frame, Sent{start, sent, step_ms, message.bytes->size()});
    }
  }
  return frames;
}

double at(std::vector<double>& values, double share) {
  const auto index = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index),
                   values.end());
  return values[index];
}

std::string summary(std::vector<double> values) {
  if (values.empty()) return "none";
  return fmt::format("{:.2f} ms median, {:.2f} ms 99 %, {:.2f} ms largest", at(values, 0.5),
                     at(values, 0.99), at(values, 1));
}

using Received = std::map<int, Clock::time_point>;

struct Measured {
  std::map<int, Sent> sent;
  std::vector<Received> received;  ///< by each client
};

Measured measure(const Settings& settings) {
  const SceneFolder folder;
  supple::Session session({.scenes = folder.path(), .scene = "cloth", .threads = settings.threads});
  auto server = std::make_unique<supple::WebServer>(supple::ServerOptions{});
  const auto count = static_cast<std::size_t>(settings.clients);
  Measured measured;
  measured.received.resize(count);
  std::vector<supple::test::TestClient> clients;
  for (std::size_t i = 0; i < count; ++i) {
    clients.emplace_back(server->port());
    if (clients.back().upgrade() != 101) {
      fmt::print(stderr, "client {} could not connect\n", i);
      std::exit(1);
    }
  }
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] { measured.received[i] = receive(clients[i]); });
  }
  measured.sent = play(*server, session, Clock::now() + warm_up + settings.time);
  server.reset();  // which ends the clients
  for (std::thread& thread : threads) thread.join();
  return measured;
}

void print(const std::map<int, Sent>& sent, const Received& received) {
  std::vector<double> latencies;
  for (const auto& [frame, when] : received) {
    const auto found = sent.find(frame);
    if (found == sent.end()) continue;
    latencies.push_back(Milliseconds(when - found->second.step_end()).count());
  }
  fmt::print("a client: {} of {} frames arrived ({:.1f} %); latency {}\n", latencies.size(),
             sent.size(),
             100 * static_cast<double>(latencies.size()) / static_cast<double>(sent.size()),
             summary(latencies));
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = settings_of(argc, argv);
  Measured measured = measure(settings);
  std::map<int, Sent>& sent = measured.sent;
  if (!sent.empty()) {
    const Clock::time_point start = sent.begin()->second.step_start + warm_up;
    std::erase_if(sent, [&](const auto& entry) { return entry.second.step_start < start; });
  }
  if (sent.size() < 2) {
    fmt::print(stderr, "fewer than two frames were simulated\n");
    return 1;
  }
  const auto& [first_frame, first] = *sent.begin();
  const auto& [last_frame, last] = *sent.rbegin();
  const double seconds = std::chrono::duration<double>(last.step_start - first.step_start).count();
  std::vector<double> steps, packing;
  for (const auto& [frame, one] : sent) {
    steps.push_back(one.step_ms);
    packing.push_back(Milliseconds(one.sent - one.step_end()).count());
  }
  fmt::print("{:.1f} frames simulated a second, {:.1f} sent, of {} bytes\n",
             (last_frame - first_frame) / seconds, static_cast<double>(sent.size() - 1) / seconds,
             last.bytes);
  fmt::print("step: {}\n", summary(steps));
  fmt::print("from its end until its frame is sent: {}\n", summary(packing));
  for (const Received& received : measured.received) print(sent, received);
  return 0;
}
