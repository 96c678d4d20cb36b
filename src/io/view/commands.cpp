#include <algorithm>

#include "base/names.h"
#include "io/scene/json_text.h"
#include "io/view/command_list.h"
#include "io/view/session_state.h"
#include "supple/error.h"

namespace supple {

namespace {

constexpr std::size_t longest_text = std::size_t{16} << 20;  // bytes of a command
constexpr std::size_t most_queued_bytes = std::size_t{192} << 20;
constexpr std::size_t most_queued = 256;

struct Entry {
  const char* name;
  Handler handler;
  const char* busy = nullptr;  ///< of a slow one: what is being done
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> list = {
      {"open", do_open, "building"},
      {"play", do_play},
      {"pause", do_pause},
      {"step", do_step},
      {"reset", do_reset},
      {"speed", do_speed},
      {"show", do_show},
      {"set", do_set},
      {"undo", do_undo},
      {"redo", do_redo},
      {"grab", do_grab},
      {"drag", do_drag},
      {"release", do_release},
      {"pin", do_pin},
      {"unpin", do_unpin},
      {"handle", do_handle},
      {"collider", do_collider},
      {"squash", do_squash},
      {"randomise", do_randomise},
      {"stretch", do_stretch},
      {"convergence", do_convergence, "converging"},
      {"race", do_race, "building"},
      {"end_race", do_end_race},
      {"record", do_record},
      {"export", do_export, "exporting"},
      {"save", do_save},
      {"load", do_load, "building"},
      {"describe_material", do_describe_material},
  };
  return list;
}

const Entry& entry_of(const std::string& name) {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    if (name == entry.name) return entry;
    names.emplace_back(entry.name);
  }
  throw Error(ErrorKind::invalid_input, "command: /do",
              unknown_name("command", pointer_step(name), names));
}

void reply_error(SessionState& s, Client to, const ordered_json& id, const Error& error) {
  if (id.is_null()) {
    s.out.note(to, "error", error.what());
  } else {
    s.out.text(to, {{"is", "reply"}, {"re", id}, {"ok", false}, {"error", error_json(error)}});
  }
}

void reply(SessionState& s, const Command& command, Answer& answer) {
  if (command.id.is_null()) return;
  ordered_json message{{"is", "reply"}, {"re", command.id}, {"ok", true}};
  message.update(answer.packet ? answer.packet->header() : answer.content);
  if (answer.packet) {
    answer.packet->header() = std::move(message);
    s.out.packet(command.client, answer.packet->finish());
  } else {
    s.out.text(command.client, message);
  }
}

void carry_out(SessionState& s, Command& command) {
  try {
    ObjectReader reader(command.keys, command.name, "");
    Answer answer = entry_of(command.name).handler(s, command, reader);
    reply(s, command, answer);
  } catch (const Error& error) {
    reply_error(s, command.client, command.id, error);
  } catch (const std::exception& error) {  // of the standard library: no memory, above all
    reply_error(s, command.client, command.id,
                Error(ErrorKind::invalid_input, command.name, error.what()));
  }
}

/// Takes "do" and "id" out of the object.
void read_head(Command& command) {
  constexpr double largest_id = 9007199254740992.0;  // 2^53
  if (!command.keys.is_object()) {
    throw Error(ErrorKind::invalid_input, "command", "expected an object {\"do\": ...}");
  }
  const auto id = command.keys.find("id");
  if (id != command.keys.end()) {
    if (!id->is_number_integer() || std::abs(id->get<double>()) > largest_id) {
      throw Error(ErrorKind::invalid_input, "command: /id", "expected a whole number");
    }
    command.id = *id;
    command.keys.erase("id");
  }
  const auto name = command.keys.find("do");
  if (name == command.keys.end() || !name->is_string()) {
    throw Error(ErrorKind::invalid_input, "command: /do", "expected the name of a command");
  }
  command.name = name->get<std::string>();
  command.keys.erase("do");
}

void take(SessionState& s, Command command) {
  try {
    read_head(command);
    const Entry& entry = entry_of(command.name);
    if (s.queue.empty() && entry.busy == nullptr && command.bytes == nullptr) {
      carry_out(s, command);
      return;
    }
    const std::size_t bytes = command.bytes ? command.bytes->size() : 0;
    if (s.queue.size() >= most_queued || s.queued_bytes + bytes > most_queued_bytes) {
      throw Error(ErrorKind::invalid_input, command.name, "too many commands are waiting");
    }
    s.queued_bytes += bytes;
    s.queue.push_back(std::move(command));
  } catch (const Error& error) {
    reply_error(s, command.client, command.id, error);
  }
}

}  // namespace

ordered_json error_json(const Error& error) {
  const char* kind = error.kind() == ErrorKind::invalid_input ? "invalid_input"
                     : error.kind() == ErrorKind::bad_file    ? "bad_file"
                                                              : "non_finite";
  return {{"kind", kind}, {"where", error.where()}, {"message", error.message()}};
}

void take_command(SessionState& s, Client client, std::string_view text) {
  Command command{.client = client};
  try {
    if (text.size() > longest_text) {
      throw Error(ErrorKind::invalid_input, "command",
                  "has " + std::to_string(text.size()) + " bytes: expected at most " +
                      std::to_string(longest_text));
    }
    command.keys = parse_json(text, "command");
  } catch (const Error& error) {
    s.out.note(client, "error", error.what());
    return;
  }
  take(s, std::move(command));
}

void take_packet(SessionState& s, Client client, std::span<const std::byte> packet) {
  Command command{.client = client};
  try {
    if (packet.size() > max_message_bytes) {
      throw Error(ErrorKind::invalid_input, "packet",
                  "has " + std::to_string(packet.size()) + " bytes: expected at most " +
                      std::to_string(max_message_bytes));
    }
    command.bytes = std::make_shared<const std::string>(
        reinterpret_cast<const char*>(packet.data()), packet.size());
    command.keys = Packet(std::as_bytes(std::span(*command.bytes))).header();
  } catch (const Error& error) {
    s.out.note(client, "error", error.what());
    return;
  }
  take(s, std::move(command));
}

ordered_json take_raw(Command& command, const char* key) {
  const auto found = command.keys.find(key);
  if (found == command.keys.end()) {
    throw Error(ErrorKind::invalid_input, command.name,
                std::string("the key '") + key + "' is missing");
  }
  ordered_json value = std::move(*found);
  command.keys.erase(key);
  return value;
}

bool run_queue(SessionState& s) {
  while (!s.queue.empty()) {
    const Entry& entry = entry_of(s.queue.front().name);
    if (entry.busy != nullptr && !s.announced) {
      s.busy = entry.busy;
      s.announced = true;
      return true;
    }
    Command command = std::move(s.queue.front());
    s.queue.pop_front();
    s.queued_bytes -= command.bytes ? command.bytes->size() : 0;
    carry_out(s, command);
    const bool was_slow = s.announced;
    s.announced = false;
    s.busy.clear();
    if (was_slow) return !s.queue.empty();
  }
  return false;
}

}  // namespace supple
