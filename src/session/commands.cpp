#include <algorithm>

#include "base/names.h"
#include "io/scene/json_text.h"
#include "session/command_list.h"
#include "session/session_state.h"
#include "supple/error.h"

namespace supple {

namespace {

constexpr std::size_t longest_text = std::size_t{16} << 20;  // bytes of a command
constexpr std::size_t most_queued_bytes = std::size_t{192} << 20;
constexpr std::size_t most_queued = 256;

struct Entry {
  const char* name;
  Handler handler = nullptr;
  /// For a command whose work is done beside the steps; replaces the handler.
  Beginner beginner = nullptr;
  const char* busy = "building";  ///< for a slow command: what is being done
  bool announced = false;         ///< the page is told before it begins
  bool alone = false;             ///< see Job
  /// It affects nothing that other commands are waiting for, and need not wait itself.
  bool passes = false;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> list = {
      {.name = "open", .beginner = begin_open, .announced = true},
      {.name = "cancel", .handler = do_cancel, .passes = true},
      {.name = "play", .handler = do_play, .passes = true},
      {.name = "pause", .handler = do_pause, .passes = true},
      {"step", do_step},
      {.name = "reset", .beginner = begin_reset},
      {.name = "speed", .handler = do_speed, .passes = true},
      {.name = "show", .handler = do_show, .passes = true},
      {.name = "set", .beginner = begin_set},
      {.name = "undo", .beginner = begin_undo},
      {.name = "redo", .beginner = begin_redo},
      {.name = "grab", .handler = do_grab, .passes = true},
      {.name = "drag", .handler = do_drag, .passes = true},
      {.name = "release", .handler = do_release, .passes = true},
      {"pin", do_pin},
      {"unpin", do_unpin},
      {"handle", do_handle},
      {"collider", do_collider},
      {"cut", do_cut},
      {"squash", do_squash},
      {"randomise", do_randomise},
      {"stretch", do_stretch},
      {.name = "convergence",
       .beginner = begin_convergence,
       .busy = "converging",
       .announced = true,
       .alone = true},
      {.name = "race", .beginner = begin_race, .announced = true},
      {"end_race", do_end_race},
      {"record", do_record},
      {.name = "export", .handler = do_export, .busy = "exporting", .announced = true},
      {"save", do_save},
      {.name = "load", .beginner = begin_load, .announced = true},
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

}  // namespace

void reply_error(SessionState& s, Client to, const ordered_json& id, const Error& error) {
  const Error told(error.kind(), s.gallery.without_folders(error.where()),
                   s.gallery.without_folders(error.message()));
  if (id.is_null()) {
    s.out.note(to, "error", told.what());
  } else {
    s.out.text(to, {{"is", "reply"}, {"re", id}, {"ok", false}, {"error", error_json(told)}});
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

namespace {

void carry_out(SessionState& s, Command& command) {
  try {
    const Entry& entry = entry_of(command.name);
    ObjectReader reader(command.keys, command.name, "");
    if (entry.beginner != nullptr) {
      Work work = entry.beginner(s, command, reader);
      return begin(s, std::move(command), entry.busy, entry.alone, std::move(work));
    }
    Answer answer = entry.handler(s, command, reader);
    reply(s, command, answer);
  } catch (const Error& error) {
    reply_error(s, command.client, command.id, error);
  } catch (const std::exception& error) {  // from the standard library, mostly out of memory
    reply_error(s, command.client, command.id,
                Error(ErrorKind::invalid_input, command.name, error.what()));
  }
}

/// Finds the id of a reply in a text that is not a valid command, if it has one.
class IdFinder : public nlohmann::json_sax<ordered_json> {
 public:
  ordered_json id;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t value) override { return number(value); }
  bool number_unsigned(number_unsigned_t value) override { return number(value); }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ > 0; }
  bool key(string_t& name) override {
    is_id_ = depth_ == 1 && name == "id";
    return true;
  }
  bool end_object() override { return --depth_ >= 0; }
  bool start_array(std::size_t) override { return ++depth_ > 0; }
  bool end_array() override { return --depth_ >= 0; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  template <class Number>
  bool number(Number value) {
    if (depth_ == 1 && is_id_) id = value;
    return true;
  }

  int depth_ = 0;
  bool is_id_ = false;
};

ordered_json id_in(std::string_view text) {
  IdFinder finder;
  ordered_json::sax_parse(text.begin(), text.end(), &finder);
  return std::move(finder.id);
}

/// Removes "do" and "id" from the object.
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

/// Can this command begin without waiting for another one to end?
bool is_free_for(SessionState& s, const Entry& entry) {
  return entry.beginner != nullptr ? may_begin(s) : !s.job;
}

void take(SessionState& s, Command command) {
  try {
    read_head(command);
    const Entry& entry = entry_of(command.name);
    s.welcome.frame.reset();
    const bool at_once = s.queue.empty() && !entry.announced && command.bytes == nullptr;
    if (entry.passes || (at_once && is_free_for(s, entry))) {
      carry_out(s, command);
      return;
    }
    const bool anew = entry.beginner == begin_open || entry.beginner == begin_load;
    if (anew && s.job) drop_job(s, "another scene is being opened");
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
    reply_error(s, client, id_in(text), error);
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

Answer do_cancel(SessionState& s, Command&, ObjectReader& keys) {
  keys.finish();
  if (!s.job) throw Error(ErrorKind::invalid_input, "cancel", "nothing is being built");
  drop_job(s, "was cancelled");
  return {};
}

bool run_queue(SessionState& s) {
  while (!s.queue.empty()) {
    const Entry& entry = entry_of(s.queue.front().name);
    if (!is_free_for(s, entry)) return false;
    if (entry.announced && !s.announced) {
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
