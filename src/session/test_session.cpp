#include "session/test_session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

namespace supple::test {

using nlohmann::ordered_json;

namespace {

const char* const block = R"({
  "supple": 1, "name": "a block",
  "bodies": [ { "name": "block", "mesh": { "box": { "size": [2, 1, 1], "cells": [2, 1, 1] } },
                "transform": { "translate": [0, 1, 0] },
                "material": { "model": "neo_hookean", "young": 1e5, "poisson": 0.4 },
                "pins": [ { "select": { "box": [[-1.01, -9, -9], [-0.99, 9, 9]] } } ] } ],
  "colliders": [ { "name": "ground", "plane": { "offset": -1 } } ]
})";

const char* const free_block = R"({
  "supple": 1, "gravity": [0, 0, 0],
  "bodies": [ { "mesh": { "box": { "size": [2, 1, 1], "cells": [4, 2, 2] } },
                "material": { "model": "neo_hookean", "young": 1e5, "poisson": 0.4 } } ]
})";

const char* const cloth = R"({
  "supple": 1,
  "bodies": [ { "mesh": { "cloth": { "cells": [4, 4] } },
                "material": { "model": "spring", "stiffness": 100 },
                "pins": [ { "select": { "vertices": [0, 4] } } ] },
              { "mesh": { "strand": { "segments": 4 } },
                "material": { "model": "spring", "stiffness": 100 },
                "pins": [ { "select": { "vertices": [0] } } ] } ]
})";

std::string make_scene_folder() {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "supple_session_scenes";
  std::filesystem::create_directories(folder);
  for (const auto& [name, text] :
       {std::pair{"block", block}, std::pair{"free", free_block}, std::pair{"cloth", cloth}}) {
    // Tests run in parallel: a file must appear whole or not at all.
    const std::filesystem::path file = folder / (std::string(name) + ".json");
    if (std::filesystem::exists(file)) {
      std::ifstream old(file);
      if (std::string((std::istreambuf_iterator<char>(old)), {}) == text) continue;
    }
    const std::filesystem::path part =
        folder /
        (std::string(name) + std::to_string(std::hash<std::string>()(
                                 testing::UnitTest::GetInstance()->current_test_info()->name())));
    std::ofstream(part) << text;
    std::filesystem::rename(part, file);
  }
  return folder.string();
}

template <class Number>
std::vector<Number> values_of(const std::string& packet, const std::string& name) {
  std::uint32_t length = 0;
  std::memcpy(&length, packet.data() + 4, sizeof(length));
  const ordered_json header = ordered_json::parse(packet.substr(8, length));
  for (const auto& array : header["arrays"]) {
    if (array["name"] != name) continue;
    std::vector<Number> values(array["count"].get<std::size_t>());
    std::memcpy(values.data(), packet.data() + 8 + length + array["offset"].get<std::size_t>(),
                values.size() * sizeof(Number));
    return values;
  }
  ADD_FAILURE() << "there is no array " << name;
  return {};
}

}  // namespace

std::string scene_folder() {
  static const std::string folder = make_scene_folder();
  return folder;
}

std::vector<float> floats_of(const std::string& packet, const std::string& name) {
  return values_of<float>(packet, name);
}
std::vector<std::uint32_t> integers_of(const std::string& packet, const std::string& name) {
  return values_of<std::uint32_t>(packet, name);
}

Page::Page(const std::string& name, double build_at_once_ms, double wait_ms)
    : session({.scenes = scene_folder(),
               .scene = name,
               .threads = 1,
               .build_at_once_ms = build_at_once_ms,
               .wait_ms = wait_ms}) {
  session.connect(client_);
  take();
}

void Page::take() {
  for (const Session::Message& message : session.take_messages()) {
    if (message.to && *message.to != client_) continue;
    const std::string& bytes = *message.bytes;
    ordered_json header;
    if (message.is_packet) {
      header = Packet(std::as_bytes(std::span(bytes))).header();
    } else {
      header = ordered_json::parse(bytes);
    }
    const std::string is = header["is"];
    if (is == "hello") hello = header;
    if (is == "scene") scene = header;
    if (is == "status") status = header;
    if (is == "note") notes.push_back(header);
    if (is == "topology") topology = bytes;
    if (is == "frame") {
      frame = bytes;
      ++num_frames;
    }
    if (is == "reply") {
      reply = header;
      reply_packet = message.is_packet ? bytes : "";
    }
  }
}

ordered_json Page::ask(ordered_json command) {
  command["id"] = next_id_++;
  session.receive(client_, command.dump());
  take();
  wait_for_reply(command["id"]);
  return reply;
}

void Page::wait_for_reply(int id) {
  // Builds in tests take seconds at most, even under sanitizers; most replies come at once.
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  const auto is_there = [&] { return !reply.is_null() && reply["re"] == id; };
  for (int calls = 0; !is_there() && std::chrono::steady_clock::now() < end; ++calls) {
    if (calls > 10) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    advance(now);
  }
  EXPECT_TRUE(is_there()) << id;
}

ordered_json Page::ask(const std::string& text) { return ask(ordered_json::parse(text)); }

ordered_json Page::ask_packet(PacketWriter packet) {
  const int id = next_id_++;
  packet.header()["id"] = id;
  const std::string bytes = packet.finish();
  session.receive(client_, std::as_bytes(std::span(bytes)));
  take();
  wait_for_reply(id);
  return reply;
}

ordered_json Page::tell(const std::string& text) {
  const ordered_json answer = ask(text);
  EXPECT_TRUE(answer["ok"].get<bool>()) << text << "\n" << answer;
  return answer;
}

void Page::send(const std::string& text) {
  session.receive(client_, text);
  take();
}

double Page::advance(double at) {
  now = at;
  const double next = session.advance(at);
  take();
  return next;
}

void Page::step(int frames) {
  tell(R"({"do": "step", "frames": )" + std::to_string(frames) + "}");
  for (int i = 0; i < frames; ++i) advance(now += 0.01);
}

ordered_json Page::frame_header() const { return Packet(std::as_bytes(std::span(frame))).header(); }

std::vector<float> Page::frame_array(const std::string& name) const {
  return floats_of(frame, name);
}

}  // namespace supple::test
