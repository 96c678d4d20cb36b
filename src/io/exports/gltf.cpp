#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/exports/atomic_file.h"
#include "io/exports/formats.h"
#include "render/colour.h"
#include "supple/error.h"

// The buffer is written while the frames are read, body after body: the indices, the positions of
// the first frame, then each further frame as a difference from the first. The weights come last.
// Frame k is the first frame plus target k, so at time k the weight of target k is 1 and all others
// are 0. Linear interpolation between the weights is then linear interpolation between frames.

namespace supple {

namespace {

using Json = nlohmann::ordered_json;

constexpr int component_float = 5126, component_uint = 5125;
constexpr int target_vertices = 34962, target_indices = 34963;
constexpr int mode_lines = 1;

/// The buffer with the views and accessors that refer to it.
class Buffer {
 public:
  explicit Buffer(const std::filesystem::path& path) : file_(path) {}

  int add_indices(const BodySurface& surface) {
    std::vector<std::uint32_t> values;
    for (const auto& t : surface.triangles) {
      for (const int v : t) values.push_back(static_cast<std::uint32_t>(v));
    }
    for (const auto& s : surface.segments) {
      for (const int v : s) values.push_back(static_cast<std::uint32_t>(v));
    }
    return add<std::uint32_t>(values, component_uint, "SCALAR", values.size(), target_indices);
  }

  /// values: [n * 3].
  int add_vectors(std::span<const float> values) {
    const int accessor =
        add<float>(values, component_float, "VEC3", values.size() / 3, target_vertices);
    constexpr float most = std::numeric_limits<float>::max();
    std::array<float, 3> low{most, most, most}, high{-most, -most, -most};
    for (std::size_t i = 0; i < values.size(); ++i) {
      low[i % 3] = std::min(low[i % 3], values[i]);
      high[i % 3] = std::max(high[i % 3], values[i]);
    }
    accessors_.back()["min"] = low;
    accessors_.back()["max"] = high;
    return accessor;
  }

  int add_scalars(std::span<const float> values) {
    const int accessor = add<float>(values, component_float, "SCALAR", values.size(), 0);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    accessors_.back()["min"] = {*low};
    accessors_.back()["max"] = {*high};
    return accessor;
  }

  void describe(Json& root) const {
    root["accessors"] = accessors_;
    root["bufferViews"] = views_;
  }
  std::size_t size() const { return file_.size(); }
  void commit() { file_.commit(); }

 private:
  template <class T>
  int add(std::span<const T> values, int component, const char* type, std::size_t count,
          int target) {
    Json view{{"buffer", 0}, {"byteOffset", file_.size()}, {"byteLength", values.size_bytes()}};
    if (target != 0) view["target"] = target;
    views_.push_back(std::move(view));
    accessors_.push_back({{"bufferView", views_.size() - 1},
                          {"componentType", component},
                          {"count", count},
                          {"type", type}});
    file_.write_values(values);
    return static_cast<int>(accessors_.size()) - 1;
  }

  AtomicFile file_;
  Json accessors_ = Json::array(), views_ = Json::array();
};

std::vector<float> gather(const BodySurface& surface, std::span<const double> positions) {
  std::vector<float> values;
  values.reserve(3 * surface.vertices.size());
  for (const int v : surface.vertices) {
    for (std::size_t d = 0; d < 3; ++d) {
      values.push_back(static_cast<float>(positions[3 * static_cast<std::size_t>(v) + d]));
    }
  }
  return values;
}

std::vector<int> chosen_frames(int num_frames) {
  const int stride = (num_frames + max_gltf_frames - 1) / max_gltf_frames;
  std::vector<int> frames;
  for (int frame = 0; frame < num_frames; frame += stride) frames.push_back(frame);
  return frames;
}

/// Adds the mesh of a body with its targets; returns the glTF mesh.
Json add_mesh(Buffer& buffer, const BodySurface& surface, const std::vector<int>& frames,
              FrameReader& reader) {
  Json primitive;
  primitive["indices"] = buffer.add_indices(surface);
  primitive["material"] = surface.body;
  if (surface.triangles.empty()) primitive["mode"] = mode_lines;
  const std::vector<float> base = gather(surface, reader.read(frames[0]));
  primitive["attributes"]["POSITION"] = buffer.add_vectors(base);
  for (std::size_t k = 1; k < frames.size(); ++k) {
    std::vector<float> difference = gather(surface, reader.read(frames[k]));
    for (std::size_t i = 0; i < base.size(); ++i) difference[i] -= base[i];
    primitive["targets"].push_back({{"POSITION", buffer.add_vectors(difference)}});
  }
  Json mesh{{"name", surface.name}, {"primitives", Json::array({primitive})}};
  if (frames.size() > 1) mesh["weights"] = std::vector<int>(frames.size() - 1, 0);
  return mesh;
}

Json add_animation(Buffer& buffer, const std::vector<int>& frames, double frame_step,
                   std::size_t num_nodes) {
  std::vector<float> times, weights;
  const std::size_t targets = frames.size() - 1;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    times.push_back(static_cast<float>(frames[k] * frame_step));
    for (std::size_t target = 1; target <= targets; ++target) {
      weights.push_back(target == k ? 1.0F : 0.0F);
    }
  }
  Json animation{{"name", "motion"}};
  const int input = buffer.add_scalars(times);
  const int output = buffer.add_scalars(weights);
  animation["samplers"] = {{{"input", input}, {"output", output}, {"interpolation", "LINEAR"}}};
  for (std::size_t node = 0; node < num_nodes; ++node) {
    animation["channels"].push_back(
        {{"sampler", 0}, {"target", {{"node", node}, {"path", "weights"}}}});
  }
  return animation;
}

Json material(const FrameBody& body, int number) {
  const Colour c = body_colour(number);
  return {{"name", body.name},
          {"doubleSided", true},
          {"pbrMetallicRoughness",
           {{"baseColorFactor", {c.r, c.g, c.b, 1.0}},
            {"metallicFactor", 0.0},
            {"roughnessFactor", 0.6}}}};
}

}  // namespace

void export_gltf(const FrameSource& source, const std::filesystem::path& folder) {
  const auto surfaces = body_surfaces(source, "gltf");
  const std::vector<int> frames = chosen_frames(source.num_frames);
  FrameReader reader(source);
  Buffer buffer(folder / "animation.bin");
  Json root;
  root["asset"] = {{"version", "2.0"}, {"generator", "supple"}};
  root["scene"] = 0;
  root["scenes"] = Json::array({Json::object()});
  for (std::size_t b = 0; b < source.bodies.size(); ++b) {
    root["materials"].push_back(material(source.bodies[b], static_cast<int>(b)));
  }
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    root["scenes"][0]["nodes"].push_back(i);
    root["nodes"].push_back({{"name", surfaces[i].name}, {"mesh", i}});
    root["meshes"].push_back(add_mesh(buffer, surfaces[i], frames, reader));
  }
  if (frames.size() > 1) {
    root["animations"].push_back(add_animation(buffer, frames, source.frame_step, surfaces.size()));
  }
  buffer.describe(root);
  root["buffers"] = Json::array({{{"uri", "animation.bin"}, {"byteLength", buffer.size()}}});
  buffer.commit();
  // A name that is not UTF-8 is repaired rather than refused.
  write_file(folder / "animation.gltf",
             root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace supple
