#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "session/session.h"

namespace supple {

/// A message in the form in which it is sent.
std::string text_of(const nlohmann::ordered_json& message);

/// Messages that wait to be taken. A frame for all clients replaces an earlier one that still
/// waits.
class Outbox {
 public:
  using To = std::optional<Session::Client>;

  void text(To to, const nlohmann::ordered_json& message);
  void packet(To to, std::string bytes);
  /// A text or a packet that is sent more than once.
  void bytes(To to, std::shared_ptr<const std::string> bytes, bool is_packet);
  /// `droppable`: a newer frame makes this one worthless.
  void frame(To to, std::string bytes, bool droppable);
  /// `level`: info, warning or error.
  void note(To to, const char* level, const std::string& text);

  std::vector<Session::Message> take();

 private:
  std::vector<Session::Message> messages_;
};

}  // namespace supple
