#include "session/outbox.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace supple {

using nlohmann::ordered_json;

std::string text_of(const ordered_json& message) {
  return message.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

void Outbox::text(To to, const ordered_json& message) {
  bytes(to, std::make_shared<const std::string>(text_of(message)), false);
}

void Outbox::packet(To to, std::string content) {
  bytes(to, std::make_shared<const std::string>(std::move(content)), true);
}

void Outbox::bytes(To to, std::shared_ptr<const std::string> content, bool is_packet) {
  messages_.push_back({.to = to, .is_packet = is_packet, .bytes = std::move(content)});
}

void Outbox::frame(To to, std::string bytes, bool droppable) {
  if (!to) {
    std::erase_if(messages_, [](const Session::Message& m) { return m.is_frame && !m.to; });
  }
  messages_.push_back({.to = to,
                       .is_packet = true,
                       .is_frame = droppable,
                       .bytes = std::make_shared<const std::string>(std::move(bytes))});
}

void Outbox::note(To to, const char* level, const std::string& text_) {
  text(to, {{"is", "note"}, {"level", level}, {"text", text_}});
}

std::vector<Session::Message> Outbox::take() { return std::exchange(messages_, {}); }

}  // namespace supple
