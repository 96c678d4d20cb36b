#include <utility>

#include "io/scene/json_text.h"
#include "session/command_list.h"
#include "session/session_state.h"
#include "supple/error.h"

namespace supple {

namespace {

constexpr std::size_t most_values = 256;  // of one command

void check_values(const ordered_json& values, const std::string& name, const char* key) {
  const std::string where = name + ": /" + key;
  if (!values.is_object()) {
    throw Error(ErrorKind::invalid_input, where, "expected an object {pointer: value}");
  }
  if (values.size() > most_values) {
    throw Error(ErrorKind::invalid_input, where,
                "more than " + std::to_string(most_values) + " values");
  }
}

}  // namespace

Work begin_open(SessionState& s, Command& command, ObjectReader& keys) {
  const ordered_json values =
      keys.has("set") ? take_raw(command, "set") : ordered_json(ordered_json::object());
  check_values(values, command.name, "set");
  std::function<std::unique_ptr<SceneOrigin>()> open;
  if (command.bytes != nullptr) {
    const ordered_json files = take_raw(command, "files");
    keys.finish();
    open = [files, bytes = command.bytes] {
      return origin_of_files(files, Packet(std::as_bytes(std::span(*bytes))), "open");
    };
  } else {
    const std::string name = keys.text("scene");
    keys.finish();
    open = [name, where = keys.where("scene"), &gallery = std::as_const(s.gallery)] {
      return gallery.open(name, where);
    };
  }
  return [open, values, max_tets = s.options.max_tets, threads = s.options.threads]() -> Finish {
    const std::shared_ptr<SceneOrigin> origin = open();
    SetupPointer setup = read_setup(max_tets, *origin, origin->document(), {});
    if (!values.empty()) setup = with_values(max_tets, *origin, *setup, values);
    return [origin, setup, built = build(*setup, threads)](SessionState& session) {
      start(session, origin, setup, *built);
      return Answer();
    };
  };
}

Work begin_set(SessionState& s, Command& command, ObjectReader& keys) {
  const ordered_json values = take_raw(command, "values");
  const bool final = keys.boolean("final", true);
  keys.finish();
  check_values(values, command.name, "values");
  std::string key = "set";
  for (const auto& item : values.items()) key += "\n" + item.key();
  return [values, final, key, origin = s.origin, asked = s.asked, given = s.given,
          max_tets = s.options.max_tets, threads = s.options.threads]() -> Finish {
    const SetupPointer next = with_values(max_tets, *origin, *asked, values);
    const std::shared_ptr<Built> anew = build_where_anew(*given, *next, threads);
    return [next, anew, before = asked->edit, key, final](SessionState& session) {
      adopt(session, next, anew);
      session.history.add(before, key);
      if (final) session.history.end_step();
      session.scene_is_new = true;
      return Answer();
    };
  };
}

namespace {

/// Goes to a remembered edit; `gone` tells the history that it has been reached.
Work begin_edit(SessionState& s, const Edit& edit, void (History::*gone)(Edit)) {
  return [edit, gone, origin = s.origin, asked = s.asked, given = s.given,
          max_tets = s.options.max_tets, threads = s.options.threads]() -> Finish {
    const SetupPointer next = with_edit(*asked, max_tets, *origin, edit);
    const std::shared_ptr<Built> anew = build_where_anew(*given, *next, threads);
    return [next, anew, now = asked->edit, gone](SessionState& session) {
      adopt(session, next, anew);
      (session.history.*gone)(now);
      session.pins_are_new = session.colliders_are_new = session.pin_lists_are_new = true;
      session.scene_is_new = true;
      return Answer();
    };
  };
}

}  // namespace

Work begin_undo(SessionState& s, Command&, ObjectReader& keys) {
  keys.finish();
  if (!s.history.can_undo()) {
    throw Error(ErrorKind::invalid_input, "undo", "there is nothing to undo");
  }
  return begin_edit(s, s.history.past(), &History::undone);
}

Work begin_redo(SessionState& s, Command&, ObjectReader& keys) {
  keys.finish();
  if (!s.history.can_redo()) {
    throw Error(ErrorKind::invalid_input, "redo", "there is nothing to redo");
  }
  return begin_edit(s, s.history.future(), &History::redone);
}

}  // namespace supple
