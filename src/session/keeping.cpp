#include <algorithm>
#include <cmath>
#include <utility>

#include "io/scene/json_text.h"
#include "session/command_list.h"
#include "session/session_state.h"
#include "sim/separation_numbers.h"
#include "supple/error.h"

namespace supple {

namespace {

constexpr int format_version = 1;

/// Reads the numbers of an array one after another; the header says how many belong to each part.
class Numbers {
 public:
  Numbers(const Packet& packet, std::string name)
      : name_(std::move(name)), values_(packet.numbers(name_)) {}

  double next() {
    if (used_ == values_.size()) {
      throw Error(ErrorKind::invalid_input, "load", "the array '" + name_ + "' is too short");
    }
    return values_[used_++];
  }
  /// The number of a vertex.
  int next_index(std::size_t count) {
    const double value = next();
    if (!(value >= 0) || !(value < static_cast<double>(count)) || std::trunc(value) != value) {
      throw Error(ErrorKind::invalid_input, "load",
                  "the array '" + name_ + "' names a vertex that is not there");
    }
    return static_cast<int>(value);
  }
  double next_finite() {
    const double value = next();
    if (!(std::abs(value) < 1e9)) {
      throw Error(ErrorKind::invalid_input, "load",
                  "the array '" + name_ + "' has a number that is not between -1e9 and 1e9");
    }
    return value;
  }

 private:
  std::string name_;
  std::vector<double> values_;
  std::size_t used_ = 0;
};

ordered_json placement_json(const Placement& placement) {
  return {
      {"translate", placement.translate}, {"axis", placement.axis}, {"degrees", placement.degrees}};
}

Placement read_placement(ObjectReader& reader) {
  const Range range{.low = -1e9, .high = 1e9, .unit = ""};
  Placement placement;
  placement.translate = reader.vector("translate", range);
  placement.axis = reader.vector("axis", range);
  placement.degrees = reader.number("degrees", range);
  if (placement.axis == Vec3{0, 0, 0}) reader.fail("axis", "the direction is zero");
  return placement;
}

/// The pins made by hand: their counts in the header, their vertices and targets as numbers.
ordered_json pins_json(const std::vector<BodyPins>& bodies, std::vector<double>& vertices,
                       std::vector<double>& targets) {
  ordered_json list = ordered_json::array();
  for (const BodyPins& pins : bodies) {
    ordered_json& entry = list.emplace_back();
    entry["scene"] = ordered_json::array();
    entry["by_hand"] = ordered_json::array();
    for (const ScenePinEdit& pin : pins.scene) {
      entry["scene"].push_back(
          {{"removed", pin.removed.size()}, {"placement", placement_json(pin.placement)}});
      vertices.insert(vertices.end(), pin.removed.begin(), pin.removed.end());
    }
    for (const HandPin& pin : pins.by_hand) {
      entry["by_hand"].push_back({{"count", pin.vertices.size()},
                                  {"stiffness", pin.stiffness},
                                  {"placement", placement_json(pin.placement)}});
      vertices.insert(vertices.end(), pin.vertices.begin(), pin.vertices.end());
      for (const Vec3& x : pin.targets) targets.insert(targets.end(), x.begin(), x.end());
    }
  }
  return list;
}

void sort_unique(std::vector<int>& vertices, const ObjectReader& reader) {
  const std::size_t count = vertices.size();
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  if (vertices.size() != count) reader.fail("a vertex occurs twice");
}

BodyPins read_body_pins(ObjectReader& reader, std::size_t count, Numbers& vertices,
                        Numbers& targets) {
  BodyPins pins;
  const auto most = static_cast<long long>(count);
  reader.each("scene", [&](ObjectReader& entry) {
    ScenePinEdit& pin = pins.scene.emplace_back();
    for (long long n = entry.whole("removed", 0, most); n > 0; --n) {
      pin.removed.push_back(vertices.next_index(count));
    }
    sort_unique(pin.removed, entry);
    entry.object("placement", [&](ObjectReader& p) { pin.placement = read_placement(p); });
  });
  reader.each("by_hand", [&](ObjectReader& entry) {
    HandPin& pin = pins.by_hand.emplace_back();
    for (long long n = entry.whole("count", 1, std::max(most, 1LL)); n > 0; --n) {
      pin.vertices.push_back(vertices.next_index(count));
      Vec3& target = pin.targets.emplace_back();
      for (double& x : target) x = targets.next_finite();
    }
    std::vector<int> sorted = pin.vertices;
    sort_unique(sorted, entry);
    if (sorted != pin.vertices) entry.fail("the vertices do not ascend");
    const Range range{.low = 0, .high = 1e12, .unit = "N/m"};
    pin.stiffness = entry.number("stiffness", range);
    entry.object("placement", [&](ObjectReader& p) { pin.placement = read_placement(p); });
  });
  return pins;
}

std::vector<BodyPins> read_pins(const ordered_json& pins, const std::vector<Body>& bodies,
                                const Packet& packet) {
  if (!pins.is_array() || pins.size() != bodies.size()) {
    throw Error(ErrorKind::invalid_input, "load: /pins", "expected an entry for each body");
  }
  Numbers vertices(packet, "pin_vertices"), targets(packet, "pin_targets");
  std::vector<BodyPins> read;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    ObjectReader reader(pins[b], "load", "/pins/" + std::to_string(b));
    read.push_back(read_body_pins(reader, bodies[b].mesh.vertices.size(), vertices, targets));
    reader.finish();
  }
  return read;
}

/// The arrays of a state, with their names in the packet.
struct StateArray {
  const char* name;
  std::vector<double> SimulationState::*numbers;
  bool always = false;  ///< in every file, including the oldest
};
constexpr StateArray state_arrays[] = {
    {"positions", &SimulationState::positions, true},
    {"velocities", &SimulationState::velocities, true},
    {"previous_positions", &SimulationState::previous_positions, true},
    {"previous_velocities", &SimulationState::previous_velocities, true},
    {"accelerations", &SimulationState::accelerations, true},
    {"plastic", &SimulationState::plastic},
    {"rods", &SimulationState::rods},
    {"multipliers", &SimulationState::multipliers},
    {"friction", &SimulationState::friction},
    {"weights", &SimulationState::weights},
    {"rested", &SimulationState::rested}};

std::vector<int> read_unfolding(const Packet& packet) {
  std::vector<int> unfolding;
  if (!packet.has("unfolding")) return unfolding;
  for (const double number : packet.numbers("unfolding")) {
    constexpr double most = 1 << 30;
    if (!(std::abs(number) <= most)) {
      throw Error(ErrorKind::invalid_input, "load", "the array 'unfolding' counts no frames");
    }
    unfolding.push_back(static_cast<int>(number));
  }
  return unfolding;
}

std::vector<Separation> read_separations(const Packet& packet, const char* name) {
  if (!packet.has(name)) return {};  // saved by an earlier version
  const std::vector<double> numbers = packet.numbers(name);
  Numbers left(packet, name);
  constexpr std::size_t most = std::size_t{1} << 30;
  std::vector<Separation> separated(numbers.size() / separation_size);
  for (Separation& own : separated) {
    for_numbers(own, [&](auto& number) { number = left.next_index(most); });
  }
  return separated;
}

std::unique_ptr<SceneOrigin> read_origin(const Gallery& gallery, std::size_t max_tets,
                                         const std::string& source, const Packet& packet,
                                         SceneOrigin::Files files) {
  if (files.empty()) {
    try {
      auto origin = gallery.open(source, "load");
      // Files that the scene itself names may be read. Those that the state names must be in its
      // folder.
      origin->load(origin->document(), max_tets);
      return origin;
    } catch (const Error&) {
      // Not from this gallery: the state holds everything that is needed, unless the scene reads
      // files.
    }
  }
  std::string name = pointer_step(source);
  std::replace(name.begin(), name.end(), '~', '_');
  return std::make_unique<SceneOrigin>(name, std::string(packet.bytes("origin")), std::move(files));
}

}  // namespace

Answer do_save(SessionState& s, Command&, ObjectReader& keys) {
  keys.finish();
  const Edit& edit = s.asked->edit;
  const SimulationState state = s.simulation->state();
  std::vector<double> vertices, targets;
  Answer answer;
  PacketWriter& packet = answer.packet.emplace();
  packet.header()["state"] = format_version;
  packet.header()["source"] = s.origin->source();
  packet.header()["time"] = state.time;
  packet.header()["frame"] = state.frame;
  packet.header()["unconverged"] = state.unconverged;
  packet.header()["next_look"] = state.next_look;
  packet.header()["look_interval"] = state.look_interval;
  packet.header()["weights_spent"] = state.weights_spent;
  packet.header()["weights_worked"] = state.weights_worked;
  packet.header()["pins"] = pins_json(edit.pins, vertices, targets);
  ordered_json& colliders = packet.header()["colliders"] = ordered_json::array();
  for (const Placement& placement : edit.colliders) colliders.push_back(placement_json(placement));
  ordered_json& files = packet.header()["files"] = ordered_json::array();
  std::size_t i = 0;
  for (const auto& [name, content] : s.origin->files()) {
    files.push_back({{"name", name}});
    packet.add("file_" + std::to_string(i++), content);
  }
  packet.add("scene", *edit.document);
  packet.add("origin",
             s.origin->document().dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  const auto add = [&](const char* name, const std::vector<double>& values) {
    packet.add(name, std::span<const double>(values));
  };
  add("pin_vertices", vertices);
  add("pin_targets", targets);
  for (const StateArray& own : state_arrays) add(own.name, state.*own.numbers);
  add("unfolding", {state.unfolding.begin(), state.unfolding.end()});
  add("separated", numbers_of(state.separated));
  add("separating", numbers_of(state.separating));
  return answer;
}

Work begin_load(SessionState& s, Command& command, ObjectReader& keys) {
  if (command.bytes == nullptr) {
    throw Error(ErrorKind::invalid_input, "load", "expected a packet, as save gives it");
  }
  const Packet packet(std::as_bytes(std::span(*command.bytes)));
  const ordered_json list = take_raw(command, "files");
  const ordered_json pins = take_raw(command, "pins");
  keys.whole("state", format_version, format_version);
  const std::string source = keys.text("source");
  SimulationState state;
  state.time = keys.number("time", any_number("s"));
  constexpr long long most_frames = 9'007'199'254'740'991;
  state.frame = keys.whole("frame", 0, most_frames);
  // Files saved by earlier versions lack these, and some of the arrays below.
  const SimulationState fresh;
  state.unconverged = keys.number("unconverged", any_number(""), fresh.unconverged);
  state.next_look = keys.whole("next_look", 0, most_frames, fresh.next_look);
  state.look_interval = keys.whole("look_interval", 0, most_frames, fresh.look_interval);
  state.weights_spent = keys.number("weights_spent", any_number("s"), fresh.weights_spent);
  state.weights_worked = keys.number("weights_worked", any_number("s"), fresh.weights_worked);
  Edit edit;
  keys.each("colliders",
            [&](ObjectReader& entry) { edit.colliders.push_back(read_placement(entry)); });
  keys.finish();
  for (const StateArray& own : state_arrays) {
    if (own.always || packet.has(own.name)) state.*own.numbers = packet.numbers(own.name);
  }
  state.unfolding = read_unfolding(packet);
  state.separated = read_separations(packet, "separated");
  state.separating = read_separations(packet, "separating");
  return
      [list, pins, source, state, edit, bytes = command.bytes, &gallery = std::as_const(s.gallery),
       max_tets = s.options.max_tets, threads = s.options.threads]() mutable -> Finish {
        const Packet saved(std::as_bytes(std::span(*bytes)));
        const std::shared_ptr<SceneOrigin> origin =
            read_origin(gallery, max_tets, source, saved, read_files(list, saved, "load"));
        const ordered_json document = parse_json(saved.bytes("scene"), "load");
        SetupPointer setup = read_setup(max_tets, *origin, document, {});
        edit.pins = read_pins(pins, setup->scene().bodies, saved);
        setup = read_setup(max_tets, *origin, document, std::move(edit));
        return [origin, setup, built = build(*setup, threads, &state)](SessionState& session) {
          start(session, origin, setup, *built);
          return Answer();
        };
      };
}

}  // namespace supple
