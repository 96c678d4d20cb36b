#include "io/view/outbox.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace supple {

using nlohmann::ordered_json;

void Outbox::text(To to, const ordered_json& message) {
  messages_.push_back({.to = to,
                       .bytes = std::make_shared<const std::string>(
                           message.dump(-1, ' ', false, ordered_json::error_handler_t::replace))});
}

void Outbox::packet(To to, std::string bytes) {
  messages_.push_back({.to = to,
                       .is_packet = true,
                       .bytes = std::make_shared<const std::string>(std::move(bytes))});
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
