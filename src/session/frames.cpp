#include <algorithm>
#include <cmath>

#include "contact/height_surface.h"
#include "contact/hull_surface.h"
#include "io/exports/exports.h"
#include "session/command_list.h"
#include "session/difference.h"
#include "session/session_state.h"
#include "supple/simd.h"
#include "supple/version.h"

namespace supple {

namespace {

ordered_json number_or_null(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

ordered_json warnings_json(const SessionState& s) {
  ordered_json list = ordered_json::array();
  if (!s.watch) return list;
  for (const Warning& warning : s.watch->warnings()) {
    list.push_back({{"code", warning.code},
                    {"text", warning.text},
                    {"frames", {warning.first_frame, warning.last_frame}}});
  }
  return list;
}

ordered_json report_json(const SessionState& s) {
  if (!s.report) return nullptr;
  const StepReport& r = *s.report;
  return {{"status", to_string(r.status)},
          {"iterations", r.iterations},
          {"evaluations", r.evaluations},
          {"objective", number_or_null(r.objective)},
          {"gradient_norm", number_or_null(r.gradient_norm)},
          {"start_gradient_norm", number_or_null(r.start_gradient_norm)},
          {"inverted_tets", r.inverted_tets},
          {"contacts", r.contacts},
          {"unconverged", r.unconverged},
          {"warnings", warnings_json(s)},
          {"ms",
           {{"total", r.total_milliseconds},
            {"local", r.local_milliseconds},
            {"solve", r.solve_milliseconds},
            {"contact", r.contact_milliseconds}}}};
}

ordered_json energies_json(const SessionState& s) {
  const Energies e = s.simulation->energies();
  return {{"kinetic", number_or_null(e.kinetic)},
          {"elastic", number_or_null(e.elastic)},
          {"pins", number_or_null(e.pins)},
          {"gravity", number_or_null(e.gravity)},
          {"pressure", number_or_null(e.pressure)}};
}

ordered_json grabs_json(const SessionState& s) {
  ordered_json list = ordered_json::array();
  for (const Grab& grab : s.grabs) {
    const auto v = static_cast<std::size_t>(grab.vertex);
    list.push_back({{"id", grab.id},
                    {"client", grab.client},
                    {"vertex", grab.vertex},
                    {"at", {s.positions[3 * v], s.positions[3 * v + 1], s.positions[3 * v + 2]}},
                    {"to", grab.to}});
  }
  return list;
}

void put_placement(const Placement& placement, ordered_json& to) {
  to["translate"] = placement.translate;
  to["axis"] = placement.axis;
  to["degrees"] = placement.degrees;
}

ordered_json pins_json(const SessionState& s, bool with_lists) {
  ordered_json list = ordered_json::array();
  const Setup& setup = *s.asked;
  const double t = s.simulation->time();
  for (std::size_t b = 0; b < setup.scene().bodies.size(); ++b) {
    const int first = s.simulation->body_vertices()[b];
    const auto pins = pins_now(setup.scene().bodies[b], setup.selected(b), setup.edit.pins[b], t);
    for (std::size_t p = 0; p < pins.size(); ++p) {
      ordered_json& pin = list.emplace_back();
      pin["body"] = b;
      pin["pin"] = p;
      pin["count"] = pins[p].vertices.size();
      pin["center"] = pins[p].center;
      put_placement(pins[p].placement, pin);
      if (!with_lists) continue;
      std::vector<int> vertices = pins[p].vertices;
      for (int& v : vertices) v += first;
      pin["vertices"] = vertices;
    }
  }
  return list;
}

ordered_json colliders_json(const SessionState& s) {
  ordered_json list = ordered_json::array();
  const Setup& setup = *s.asked;
  const ordered_json& settings = setup.settings()["colliders"];
  for (std::size_t i = 0; i < setup.scene().colliders.size(); ++i) {
    const Collider& collider = setup.scene().colliders[i];
    const Placement placement =
        i < setup.edit.colliders.size() ? setup.edit.colliders[i] : Placement{};
    ordered_json& entry = list.emplace_back();
    entry["name"] = collider.name;
    for (const auto& [key, value] : settings[i].items()) {
      if (key == "name" || key == "motion" || key == "transform" || key == "friction" ||
          key == "touches") {
        continue;
      }
      // The key of the shape. Whatever is sent as a mesh is a mesh to the page.
      const bool is_mesh = key == "convex_hull" || key == "height_field";
      entry["type"] = is_mesh ? "mesh" : key;
      entry[is_mesh ? "mesh" : key] = is_mesh ? ordered_json::object() : value;
    }
    const Vec3 center = center_of(collider.shape);
    const Pose pose = placed_pose(collider.motion, center, placement, s.simulation->time());
    const Keyframe now = keyframe_of(pose);
    entry["translate"] = now.translate;
    entry["axis"] = now.axis;
    entry["degrees"] = now.degrees;
    entry["center"] = pose.apply(center);
    put_placement(placement, entry["placed"]);
  }
  return list;
}

ordered_json lanes_json(const Race& race) {
  ordered_json list = ordered_json::array();
  for (const Race::Lane& lane : race.lanes) {
    list.push_back({{"label", lane.label},
                    {"ms", lane.report.total_milliseconds},
                    {"iterations", lane.report.iterations},
                    {"status", to_string(lane.report.status)},
                    {"error", number_or_null(lane.error)},
                    {"residual", number_or_null(lane.report.gradient_norm)}});
  }
  return list;
}

/// Frames per second, and simulated seconds per second of the clock.
std::pair<double, double> rates(const SessionState& s) {
  if (s.last_second.size() < 2) return {0, 0};
  const auto& first = s.last_second.front();
  const auto& last = s.last_second.back();
  const double seconds = last.now - first.now;
  if (!(seconds > 0)) return {0, 0};
  return {static_cast<double>(s.last_second.size() - 1) / seconds,
          (last.time - first.time) / seconds};
}

std::vector<float> chosen(const SessionState& s, const std::vector<double>& x) {
  std::vector<float> values;
  if (s.show.all_vertices()) {
    values.reserve(x.size());
    for (const double v : x) values.push_back(static_cast<float>(v));
    return values;
  }
  values.reserve(3 * s.topology.surface.size());
  for (const std::uint32_t v : s.topology.surface) {
    for (std::size_t k = 0; k < 3; ++k) values.push_back(static_cast<float>(x[3 * v + k]));
  }
  return values;
}

ordered_json names_json(const std::vector<Description>& list) {
  ordered_json names = ordered_json::array();
  for (const Description& entry : list) {
    names.push_back({{"name", entry.name}, {"text", entry.text}});
  }
  return names;
}

/// Infinite bounds become null.
ordered_json fields_json(const std::vector<ReadField>& fields) {
  ordered_json list = ordered_json::array();
  for (const ReadField& field : fields) {
    list.push_back({{"pointer", field.pointer},
                    {"type", field.type},
                    {"low", number_or_null(field.range.low)},
                    {"high", number_or_null(field.range.high)},
                    {"low_included", field.range.low_included},
                    {"high_included", field.range.high_included},
                    {"unit", field.range.unit},
                    {"choices", field.choices},
                    {"required", field.required},
                    {"what", field.what}});
  }
  return list;
}

/// The surface at rest of a collider that the page draws from triangles; nothing for other
/// colliders. The shapes are valid, because the simulation has accepted them all.
TriangleMesh sent_mesh(const ColliderShape& shape) {
  if (const auto* const mesh = std::get_if<MeshShape>(&shape)) return mesh->mesh;
  if (const auto* const hull = std::get_if<ConvexHullShape>(&shape)) return hull_surface(*hull, "");
  if (const auto* const field = std::get_if<HeightFieldShape>(&shape)) {
    return height_ground(*field, "");
  }
  return {};
}

void add_mesh_colliders(const Scene& scene, PacketWriter& packet) {
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    const TriangleMesh mesh = sent_mesh(scene.colliders[i].shape);
    if (mesh.triangles.empty()) continue;
    std::vector<float> vertices;
    std::vector<std::uint32_t> triangles;
    for (const Vec3& x : mesh.vertices) {
      for (const double value : x) vertices.push_back(static_cast<float>(value));
    }
    for (const auto& triangle : mesh.triangles) {
      for (const int v : triangle) triangles.push_back(static_cast<std::uint32_t>(v));
    }
    const std::string name = "collider_" + std::to_string(i);
    packet.add(name + "_vertices", std::span<const float>(vertices));
    packet.add(name + "_triangles", std::span<const std::uint32_t>(triangles));
  }
}

}  // namespace

void make_topology(SessionState& s) {
  Topology topology;
  topology.id = s.topology.id + 1;
  const Scene& scene = s.simulation->scene();
  const auto count = static_cast<std::size_t>(s.simulation->num_vertices());
  std::vector<bool> on_surface(count, false);
  const auto add = [&](std::vector<std::uint32_t>& to, int vertex, bool marks) {
    to.push_back(static_cast<std::uint32_t>(vertex));
    if (marks) on_surface[static_cast<std::size_t>(vertex)] = true;
  };
  for (const auto& triangle : s.simulation->surface()) {
    for (const int v : triangle) add(topology.triangles, v, true);
  }
  ordered_json bodies = ordered_json::array();
  Box box;
  bool is_first = true;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    const int first = s.simulation->body_vertices()[b];
    for (const auto& tet : body.mesh.tets) {
      for (const int v : tet) add(topology.tets, first + v, false);
    }
    for (const auto& segment : body.segments) {
      for (const int v : segment) add(topology.segments, first + v, true);
    }
    for (const Vec3& x : body.mesh.vertices) {
      for (std::size_t k = 0; k < 3; ++k) {
        topology.rest.push_back(static_cast<float>(x[k]));
        box.min[k] = is_first ? x[k] : std::min(box.min[k], x[k]);
        box.max[k] = is_first ? x[k] : std::max(box.max[k], x[k]);
      }
      is_first = false;
    }
    bodies.push_back({{"name", body.name},
                      {"first_vertex", first},
                      {"num_vertices", body.mesh.vertices.size()},
                      {"num_tets", body.mesh.tets.size()},
                      {"num_springs", body.springs.size()},
                      {"num_triangles", body.membrane ? body.triangles.size() : 0},
                      {"pins", s.asked->scene().bodies[b].pins.size()}});
  }
  for (std::size_t v = 0; v < count; ++v) {
    if (on_surface[v]) topology.surface.push_back(static_cast<std::uint32_t>(v));
  }
  double square = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    topology.center[k] = (box.min[k] + box.max[k]) / 2;
    square += (box.max[k] - box.min[k]) * (box.max[k] - box.min[k]);
  }
  topology.diagonal = std::sqrt(square);
  topology.description = bodies.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  s.topology = std::move(topology);
}

std::string topology_packet(const SessionState& s) {
  const Topology& t = s.topology;
  PacketWriter packet({{"is", "topology"},
                       {"id", t.id},
                       {"num_vertices", t.rest.size() / 3},
                       {"bodies", ordered_json::parse(t.description)}});
  packet.add("triangles", std::span<const std::uint32_t>(t.triangles));
  packet.add("tets", std::span<const std::uint32_t>(t.tets));
  packet.add("segments", std::span<const std::uint32_t>(t.segments));
  packet.add("surface", std::span<const std::uint32_t>(t.surface));
  packet.add("rest", std::span<const float>(t.rest));
  add_mesh_colliders(s.asked->scene(), packet);
  return packet.finish();
}

std::string frame_packet(SessionState& s, bool with_pin_lists) {
  refresh_positions(s);
  const auto [rate, achieved] = rates(s);
  PacketWriter packet({{"is", "frame"},
                       {"topology", s.topology.id},
                       {"frame", s.simulation->frame()},
                       {"time", s.simulation->time()},
                       {"vertices", s.show.all_vertices() ? "all" : "surface"},
                       {"report", report_json(s)},
                       {"energies", energies_json(s)},
                       {"rate", rate},
                       {"speed_achieved", achieved},
                       {"colour", colour_json(s)},
                       {"grabs", grabs_json(s)},
                       {"pins", pins_json(s, with_pin_lists)},
                       {"colliders", colliders_json(s)}});
  if (s.race) packet.header()["lanes"] = lanes_json(*s.race);
  add_forces(s, packet);
  packet.add("positions", std::span<const float>(chosen(s, s.positions)));
  if (!s.colours.empty()) {
    std::vector<float> values;
    if (s.show.all_vertices()) {
      values = s.colours;
    } else {
      for (const std::uint32_t v : s.topology.surface) values.push_back(s.colours[v]);
    }
    packet.add("colours", std::span<const float>(values));
  }
  for (std::size_t i = 0; s.race && i < s.race->lanes.size(); ++i) {
    std::vector<double> x(s.positions.size());
    s.race->lanes[i].simulation->copy_positions(x);
    packet.add("lane_" + std::to_string(i), std::span<const float>(chosen(s, x)));
  }
  return packet.finish();
}

ordered_json scene_message(const SessionState& s) {
  return {{"is", "scene"},
          {"source", s.origin->source()},
          {"title", s.asked->scene().name},
          {"settings", s.asked->settings()},
          {"fields", fields_json(s.asked->reading->loaded.fields)},
          {"changed",
           changed_values(s.origin->document(), ordered_json::parse(*s.asked->edit.document))},
          {"undo", s.history.can_undo()},
          {"redo", s.history.can_redo()}};
}

ordered_json status_message(const SessionState& s) {
  ordered_json message{
      {"is", "status"}, {"playing", s.pace.playing}, {"speed", s.pace.speed}, {"busy", nullptr}};
  if (s.job) {
    message["busy"] = s.job->busy;
  } else if (!s.busy.empty()) {
    message["busy"] = s.busy;
  } else if (!s.queue.empty()) {
    message["busy"] = "building";  // waits for a dropped job to end
  } else if (has_unsettled(s)) {
    message["busy"] = "factorising";
  }
  if (message["busy"].is_null() && (s.race || s.show.colour == "error")) {
    message["busy"] = "converging";
  }
  message["recording"] = nullptr;
  if (s.recording.on) message["recording"] = s.recording.frames.size();
  message["race"] = s.race.has_value();
  message["cancel"] = s.job.has_value();
  message["colour"] = s.show.colour;
  return message;
}

ordered_json hello_message(const SessionState& s) {
  ordered_json exports = ordered_json::array();
  for (const Description& format : list_exports()) {
    // A browser cannot call programs; there the page makes films itself.
    if (s.options.engine == "wasm" && format.name == "mp4") continue;
    exports.push_back({{"name", format.name}, {"text", format.text}});
  }
  return {{"is", "hello"},
          {"protocol", 1},
          {"version", version()},
          {"engine", s.options.engine},
          {"threads", s.simulation->num_threads()},
          {"simd", simd_level()},
          {"lists",
           {{"materials", names_json(list_materials())},
            {"membrane_materials", names_json(list_membrane_materials())},
            {"spring_materials", names_json(list_spring_materials())},
            {"bending_models", names_json(list_bending_models())},
            {"fabrics", names_json(list_fabrics())},
            {"solvers", names_json(list_solvers())},
            {"integrators", names_json(list_integrators())},
            {"exports", exports},
            {"scenes", s.gallery.list()},
            {"colours", colour_list()}}},
          {"limits", {{"max_message_bytes", max_message_bytes}}}};
}

void send_news(SessionState& s) {
  ordered_json status = status_message(s);
  if (std::string text = status.dump(); text != s.status_sent) {
    s.status_sent = std::move(text);
    s.out.text({}, status);
  }
  if (s.scene_is_new) {
    s.welcome.scene = std::make_shared<const std::string>(text_of(scene_message(s)));
    s.out.bytes({}, s.welcome.scene, false);
  }
  if (s.topology_is_new) {
    make_topology(s);
    s.welcome.topology = std::make_shared<const std::string>(topology_packet(s));
    s.out.bytes({}, s.welcome.topology, true);
    s.frame_is_new = s.pin_lists_are_new = true;
  }
  if (s.frame_is_new && !s.clients.empty()) {
    const bool lists = s.pin_lists_are_new;
    s.out.frame({}, frame_packet(s, lists), !lists);
    s.pin_lists_are_new = false;
  }
  s.scene_is_new = s.topology_is_new = s.frame_is_new = false;
}

}  // namespace supple
