#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "supple/supple_c.h"

namespace {

using nlohmann::json;

struct Destroy {
  void operator()(SuppleSession* session) const { supple_session_destroy(session); }
};
using SessionHandle = std::unique_ptr<SuppleSession, Destroy>;

SessionHandle create(json options) {
  options["scenes"] = std::string(SUPPLE_SOURCE_DIR) + "/scenes";
  options["threads"] = 1;
  return SessionHandle(supple_session_create(options.dump().c_str()));
}

/// The queued messages: JSON, and the headers of packets.
std::vector<json> take(SuppleSession* session) {
  std::vector<json> list;
  for (SuppleMessage message{};;) {
    EXPECT_EQ(supple_session_next_message(session, &message), supple_ok);
    if (message.bytes == nullptr) return list;
    std::string text(message.bytes, message.size);
    if (message.is_packet != 0) {
      EXPECT_EQ(text.substr(0, 4), "SPL1");
      const auto length = static_cast<unsigned char>(text[4]) +
                          256U * static_cast<unsigned char>(text[5]) +
                          65536U * static_cast<unsigned char>(text[6]);
      text = text.substr(8, length);
    }
    list.push_back(json::parse(text));
    list.back()["is_frame"] = message.is_frame;
    list.back()["to"] = message.to_all != 0 ? json("all") : json(message.to);
  }
}

const json* find(const std::vector<json>& messages, const std::string& is) {
  for (const json& message : messages) {
    if (message.value("is", "") == is) return &message;
  }
  return nullptr;
}

void receive(SuppleSession* session, const json& command) {
  const std::string text = command.dump();
  ASSERT_EQ(supple_session_receive_text(session, 3, text.data(), text.size()), supple_ok);
}

TEST(CSession, AClientIsToldWhatThereIsAndCommandsAreAnswered) {
  const SessionHandle session = create({{"scene", "twisting_bar"}, {"engine", "wasm"}});
  ASSERT_TRUE(session) << supple_last_error_message();
  ASSERT_EQ(supple_session_connect(session.get(), 3), supple_ok);
  const std::vector<json> first = take(session.get());
  ASSERT_NE(find(first, "hello"), nullptr);
  EXPECT_EQ(find(first, "hello")->at("engine"), "wasm");
  EXPECT_EQ(find(first, "hello")->at("to"), 3);
  for (const char* is : {"scene", "status", "topology", "frame"}) {
    EXPECT_NE(find(first, is), nullptr) << is;
  }

  receive(session.get(), {{"do", "step"}, {"id", 5}, {"frames", 2}});
  std::vector<json> answers;
  double now = 0;
  for (int i = 0; i < 10; ++i, now += 1.0 / 30) {
    double next = 0;
    ASSERT_EQ(supple_session_advance(session.get(), now, &next), supple_ok);
    EXPECT_FALSE(std::isnan(next));
    for (json& message : take(session.get())) answers.push_back(std::move(message));
  }
  const json* const reply = find(answers, "reply");
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->at("re"), 5);
  EXPECT_TRUE(reply->at("ok"));
  const json* last = nullptr;
  for (const json& message : answers) {
    if (message.value("is", "") == "frame") last = &message;
  }
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(last->at("frame"), 2);
  EXPECT_EQ(last->at("to"), "all");
}

TEST(CSession, NonsenseIsAnsweredAndDoesNoHarm) {
  const SessionHandle session = create({});
  ASSERT_TRUE(session) << supple_last_error_message();
  ASSERT_EQ(supple_session_connect(session.get(), 3), supple_ok);
  take(session.get());
  receive(session.get(), {{"do", "dance"}, {"id", 1}});
  EXPECT_EQ(supple_session_receive_text(session.get(), 3, "{", 1), supple_ok);
  EXPECT_EQ(supple_session_receive_packet(session.get(), 3, "SPL", 3), supple_ok);
  ASSERT_EQ(supple_session_advance(session.get(), 0, nullptr), supple_ok);
  const std::vector<json> answers = take(session.get());
  ASSERT_NE(find(answers, "reply"), nullptr);
  EXPECT_FALSE(find(answers, "reply")->at("ok"));
  EXPECT_NE(find(answers, "note"), nullptr);
  EXPECT_EQ(supple_session_disconnect(session.get(), 3), supple_ok);
}

TEST(CSession, OptionsThatAreNotValidAreRefused) {
  EXPECT_EQ(create({{"scene", "no_such_scene"}}), nullptr);
  EXPECT_NE(supple_last_error(), supple_ok);
  EXPECT_EQ(create({{"thread", 2}}), nullptr);
  EXPECT_EQ(std::string(supple_last_error_where()), "options: /thread");
  EXPECT_EQ(supple_session_create("[]"), nullptr);
  EXPECT_EQ(supple_session_create("{"), nullptr);
  EXPECT_EQ(supple_last_error(), supple_invalid_input);
}

TEST(CSession, NullsAreRefused) {
  const SessionHandle session = create({});
  ASSERT_TRUE(session);
  SuppleMessage message{};
  SuppleSession* const none = nullptr;
  EXPECT_EQ(supple_session_create(nullptr), nullptr);
  EXPECT_EQ(supple_last_error_where(), std::string("options"));
  EXPECT_EQ(supple_last_error_message(), std::string("is NULL"));
  for (const SuppleError error :
       {supple_session_connect(none, 1), supple_session_disconnect(none, 1),
        supple_session_receive_text(none, 1, "{}", 2),
        supple_session_receive_text(session.get(), 1, nullptr, 2),
        supple_session_receive_packet(none, 1, "", 0),
        supple_session_receive_packet(session.get(), 1, nullptr, 9),
        supple_session_advance(none, 0, nullptr), supple_session_next_message(none, &message),
        supple_session_next_message(session.get(), nullptr),
        supple_session_advance(session.get(), std::nan(""), nullptr)}) {
    EXPECT_EQ(error, supple_invalid_input);
  }
  supple_session_destroy(nullptr);
}

}  // namespace
