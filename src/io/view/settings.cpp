#include <algorithm>

#include "io/scene/json_text.h"
#include "io/view/command_list.h"
#include "io/view/session_state.h"
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

Answer do_open(SessionState& s, Command& command, ObjectReader& keys) {
  const ordered_json values =
      keys.has("set") ? take_raw(command, "set") : ordered_json(ordered_json::object());
  check_values(values, command.name, "set");
  std::unique_ptr<SceneOrigin> origin;
  if (command.bytes != nullptr) {
    const ordered_json files = take_raw(command, "files");
    keys.finish();
    origin = origin_of_files(files, Packet(std::as_bytes(std::span(*command.bytes))), "open");
  } else {
    const std::string name = keys.text("scene");
    keys.finish();
    origin = s.gallery.open(name, keys.where("scene"));
  }
  SetupPointer setup = read_setup(s, *origin, origin->document(), {});
  if (!values.empty()) setup = with_values(s, *origin, *setup, values);
  start(s, std::move(origin), std::move(setup));
  return {};
}

Answer do_set(SessionState& s, Command& command, ObjectReader& keys) {
  const ordered_json values = take_raw(command, "values");
  const bool final = keys.boolean("final", true);
  keys.finish();
  check_values(values, command.name, "values");
  SetupPointer next = with_values(s, *s.origin, *s.asked, values);
  std::string key = "set";
  for (const auto& item : values.items()) key += "\n" + item.key();
  Edit before = s.asked->edit;
  adopt(s, std::move(next));
  s.history.add(std::move(before), key);
  if (final) s.history.end_step();
  s.scene_is_new = true;
  return {};
}

Answer do_undo(SessionState& s, Command&, ObjectReader& keys) {
  keys.finish();
  if (!s.history.can_undo()) {
    throw Error(ErrorKind::invalid_input, "undo", "there is nothing to undo");
  }
  Edit now = s.asked->edit;
  adopt(s, with_edit(s, s.history.past()));
  s.history.undone(std::move(now));
  s.pins_are_new = s.colliders_are_new = s.pin_lists_are_new = s.scene_is_new = true;
  return {};
}

Answer do_redo(SessionState& s, Command&, ObjectReader& keys) {
  keys.finish();
  if (!s.history.can_redo()) {
    throw Error(ErrorKind::invalid_input, "redo", "there is nothing to do again");
  }
  Edit now = s.asked->edit;
  adopt(s, with_edit(s, s.history.future()));
  s.history.redone(std::move(now));
  s.pins_are_new = s.colliders_are_new = s.pin_lists_are_new = s.scene_is_new = true;
  return {};
}

}  // namespace supple
