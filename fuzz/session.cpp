#include "session/session.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "check.h"
#include "session/packet.h"

namespace supple::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* scene = R"({
  "supple": 1, "solver": { "iterations": 2 },
  "bodies": [ { "mesh": { "box": { "cells": [1, 1, 1] } },
                "material": { "model": "neo_hookean", "young": 1e5, "poisson": 0.4 },
                "pins": [ { "select": { "vertices": [0] } } ] },
              { "mesh": { "strand": { "segments": 2 } },
                "material": { "model": "spring", "stiffness": 100 } } ],
  "colliders": [ { "plane": { "offset": -1 } } ]
})";

/// A folder with one scene. Its name is unique to the process.
std::filesystem::path make_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "supple_fuzz_XXXXXX").string();
  require(mkdtemp(name.data()) != nullptr, "a folder can be made");
  std::ofstream(std::filesystem::path(name) / "tiny.json") << scene;
  return name;
}

struct Folder {
  std::filesystem::path path = make_folder();
  ~Folder() {
    std::error_code code;
    std::filesystem::remove_all(path, code);
  }
};

/// Messages must follow the protocol, whatever came in.
void check_messages(Session& session) {
  for (const Session::Message& message : session.take_messages()) {
    if (message.is_packet) {
      const Packet packet(std::as_bytes(std::span(*message.bytes)));
      require(packet.header().contains("is"), "a packet says what it is");
    } else {
      const auto text = nlohmann::json::parse(*message.bytes, nullptr, false);
      require(text.is_object() && text.contains("is"), "a message says what it is");
    }
  }
}

/// Each line is a command; from a line that begins with SPL1 on, the rest is a packet.
void check(std::string_view input) {
  static const Folder folder;
  Session session({.scenes = folder.path, .scene = "tiny", .threads = 1, .max_tets = 200});
  session.connect(1);
  check_messages(session);
  const auto begun = Clock::now();
  double now = 0;
  for (int commands = 0; !input.empty() && commands < 40; ++commands) {
    if (input.starts_with("SPL1")) {
      session.receive(1, std::as_bytes(std::span(input)));
      input = {};
    } else {
      const std::size_t end = std::min(input.find('\n'), input.size());
      session.receive(1, input.substr(0, end));
      input.remove_prefix(std::min(end + 1, input.size()));
    }
    // The first call announces a slow command, the second one does it.
    for (int calls = 0; calls < 2; ++calls) {
      const double next = session.advance(now);
      require(!std::isnan(next), "advance says when it wants to be called again");
      now += 0.04;
    }
    check_messages(session);
    // Some inputs ask for many iterations or races, which can take seconds.
    if (Clock::now() - begun > std::chrono::seconds(1)) break;
  }
  session.disconnect(1);
  session.advance(now);
  check_messages(session);
}

}  // namespace
}  // namespace supple::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  supple::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
