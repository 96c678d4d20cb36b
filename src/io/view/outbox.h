#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/view/session.h"

namespace supple {

/// Messages that wait to be taken. A frame for all takes the place of the one before it.
class Outbox {
 public:
  using To = std::optional<Session::Client>;

  void text(To to, const nlohmann::ordered_json& message);
  void packet(To to, std::string bytes);
  /// `droppable`: a newer frame makes this one worthless.
  void frame(To to, std::string bytes, bool droppable);
  /// `level`: info, warning or error.
  void note(To to, const char* level, const std::string& text);

  std::vector<Session::Message> take();

 private:
  std::vector<Session::Message> messages_;
};

}  // namespace supple
