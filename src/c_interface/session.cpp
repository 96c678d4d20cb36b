#include "session/session.h"

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "c_interface/fault.h"
#include "io/scene/json_text.h"
#include "io/scene/object_reader.h"

struct SuppleSession {
  supple::Session session;
  std::vector<supple::Session::Message> messages;  ///< taken from the session
  std::size_t next = 0;                            ///< the next message to hand out
};

namespace {

using supple::given;
using supple::guarded;
using Message = supple::Session::Message;

supple::Session::Options options_of(const char* text) {
  const nlohmann::ordered_json document = supple::parse_json(&given(text, "options"), "options");
  if (!document.is_object()) supple::refuse("options", "expected a JSON object");
  supple::ObjectReader reader(document, "options", "");
  supple::Session::Options options;
  options.scenes = reader.text("scenes", std::string());
  options.scene = reader.text("scene", std::string());
  options.threads = static_cast<int>(reader.whole("threads", 0, 1024, 0));
  options.engine = reader.choice("engine", "engine", {"native", "wasm"}, std::string("native"));
  reader.finish();
  return options;
}

SuppleMessage in_c(const Message& message) {
  return {
      .bytes = message.bytes->data(),
      .size = message.bytes->size(),
      .to_all = message.to ? 0 : 1,
      .to = message.to.value_or(0),
      .is_packet = message.is_packet ? 1 : 0,
      .is_frame = message.is_frame ? 1 : 0,
  };
}

}  // namespace

SuppleSession* supple_session_create(const char* options) {
  return supple::made([&] {
    // A session cannot be moved, so it is built in place.
    return new SuppleSession{supple::Session(options_of(options)), {}, 0};
  });
}

void supple_session_destroy(SuppleSession* session) { delete session; }

SuppleError supple_session_connect(SuppleSession* session, uint32_t client) {
  return guarded([&] { given(session, "session").session.connect(client); });
}

SuppleError supple_session_disconnect(SuppleSession* session, uint32_t client) {
  return guarded([&] { given(session, "session").session.disconnect(client); });
}

SuppleError supple_session_receive_text(SuppleSession* session, uint32_t client, const char* text,
                                        size_t size) {
  return guarded([&] {
    SuppleSession& self = given(session, "session");
    self.session.receive(client, std::string_view(&given(text, "text"), size));
  });
}

SuppleError supple_session_receive_packet(SuppleSession* session, uint32_t client,
                                          const void* packet, size_t size) {
  return guarded([&] {
    SuppleSession& self = given(session, "session");
    const auto* const bytes = static_cast<const std::byte*>(packet);
    self.session.receive(client, std::span(&given(bytes, "packet"), size));
  });
}

SuppleError supple_session_advance(SuppleSession* session, double now, double* next) {
  return guarded([&] {
    SuppleSession& self = given(session, "session");
    if (!std::isfinite(now)) supple::refuse("now", "expected a finite time in s");
    const double due = self.session.advance(now);
    if (next != nullptr) *next = due;
  });
}

SuppleError supple_session_next_message(SuppleSession* session, SuppleMessage* message) {
  return guarded([&] {
    SuppleSession& self = given(session, "session");
    SuppleMessage& out = given(message, "message");
    out = {};
    if (self.next > 0) self.messages[self.next - 1].bytes.reset();
    if (self.next == self.messages.size()) {
      self.messages = self.session.take_messages();
      self.next = 0;
    }
    if (self.next < self.messages.size()) out = in_c(self.messages[self.next++]);
  });
}
