// Frames over the viewer's WebSocket on this machine: the time from the program's `send` until the
// client, which assembles messages as a browser would, has the whole frame.
//
//   supple_serve_bench [VERTICES] [CLIENTS] [FRAMES] [FRAMES PER SECOND]
//
// Defaults: 20,000 surface vertices (240 kB a frame), 1 client, 600 frames, 60 a second. Prints how
// many frames arrived and the median, 99th percentile and largest latency in milliseconds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "serve/test_client.h"
#include "serve/web_server.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Settings {
  int vertices = 20'000;
  int clients = 1;
  int frames = 600;
  int rate = 60;
};

Settings settings_of(int argc, char** argv) {
  Settings settings;
  int* const values[] = {&settings.vertices, &settings.clients, &settings.frames, &settings.rate};
  for (int i = 1; i < argc && i <= 4; ++i) *values[i - 1] = std::max(1, std::atoi(argv[i]));
  return settings;
}

/// Receives frames until a text message comes. Returns their latencies, ms.
std::vector<double> receive(supple::test::TestClient& client) {
  std::vector<double> latencies;
  for (;;) {
    const supple::test::Frame frame = client.frame();
    if (frame.opcode != 2) return latencies;
    const auto now = Clock::now().time_since_epoch().count();
    Clock::rep sent = 0;
    std::memcpy(&sent, frame.payload.data(), sizeof sent);
    const std::chrono::duration<double, std::milli> latency{Clock::duration(now - sent)};
    latencies.push_back(latency.count());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = settings_of(argc, argv);
  supple::WebServer server({});
  std::vector<supple::test::TestClient> clients;
  std::vector<std::vector<double>> latencies(static_cast<std::size_t>(settings.clients));
  std::vector<std::thread> threads;
  for (int i = 0; i < settings.clients; ++i) {
    clients.emplace_back(server.port());
    if (clients.back().upgrade() != 101) return 1;
    server.take(std::chrono::seconds(5));
  }
  for (std::size_t i = 0; i < clients.size(); ++i) {
    threads.emplace_back([&, i] { latencies[i] = receive(clients[i]); });
  }
  const auto start = Clock::now();
  const std::size_t size = 12 * static_cast<std::size_t>(settings.vertices) + 1024;
  for (int frame = 0; frame < settings.frames; ++frame) {
    std::this_thread::sleep_until(start +
                                  frame * std::chrono::nanoseconds(1'000'000'000) / settings.rate);
    std::string bytes(size, '\0');
    const auto now = Clock::now().time_since_epoch().count();
    std::memcpy(bytes.data(), &now, sizeof now);
    server.send(std::nullopt, std::make_shared<const std::string>(std::move(bytes)), true, true);
  }
  server.send(std::nullopt, std::make_shared<const std::string>("end"), false, false);
  for (std::thread& thread : threads) thread.join();
  for (std::vector<double>& of_one : latencies) {
    std::sort(of_one.begin(), of_one.end());
    if (of_one.empty()) return 1;
    fmt::print(
        "{} of {} frames of {} bytes; latency {:.2f} ms median, {:.2f} ms 99 %, {:.2f} ms "
        "largest\n",
        of_one.size(), settings.frames, size, of_one[of_one.size() / 2],
        of_one[of_one.size() * 99 / 100], of_one.back());
  }
  return 0;
}
