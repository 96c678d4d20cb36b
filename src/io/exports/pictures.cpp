#include "io/exports/pictures.h"

#include <fmt/format.h>

#include <cstdint>

#include "render/bounds.h"
#include "render/contact_sheet.h"

namespace supple {

namespace {

constexpr int preview_width = 480, preview_height = 360, preview_pictures = 8;
constexpr int frames_for_bounds = 256;

/// The box of the surfaces. A vertex that nothing uses is not visible and must not widen the view.
Box motion_box(const FrameSource& source, FrameReader& reader) {
  std::vector<bool> seen(static_cast<std::size_t>(source.num_vertices), false);
  for (const FrameBody& body : source.bodies) {
    for (const auto& t : body.triangles) {
      for (const int v : t) seen[static_cast<std::size_t>(body.first_vertex + v)] = true;
    }
    for (const auto& s : body.segments) {
      for (const int v : s) seen[static_cast<std::size_t>(body.first_vertex + v)] = true;
    }
  }
  Bounds bounds;
  for (const int frame : evenly(source.num_frames - 1, frames_for_bounds)) {
    const auto x = reader.read(frame);
    for (std::size_t v = 0; v < seen.size(); ++v) {
      if (seen[v]) bounds.add({x[3 * v], x[3 * v + 1], x[3 * v + 2]});
    }
  }
  return bounds.box();
}

}  // namespace

std::vector<int> evenly(int last, int count) {
  std::vector<int> numbers;
  for (int i = 0; i < count; ++i) {
    const std::int64_t n =
        count > 1 ? (2 * static_cast<std::int64_t>(i) * last + count - 1) / (2 * (count - 1)) : 0;
    if (numbers.empty() || n > numbers.back()) numbers.push_back(static_cast<int>(n));
  }
  return numbers;
}

ViewedScene viewed_scene(const FrameSource& source) {
  ViewedScene scene;
  for (const FrameBody& body : source.bodies) {
    scene.bodies.push_back({body.first_vertex, body.num_vertices, body.triangles, body.segments});
  }
  FrameReader reader(source);
  const auto rest = reader.rest();
  scene.rest.assign(rest.begin(), rest.end());
  scene.motion = motion_box(source, reader);
  scene.duration = (source.num_frames - 1) * source.frame_step;
  scene.colliders = source.colliders;
  scene.gravity = source.gravity;
  return scene;
}

Image preview(const FrameSource& source, int threads) {
  check(source);
  Threads pool(threads);
  const SceneView view(viewed_scene(source), pool);
  FrameReader reader(source);
  std::vector<Image> pictures;
  std::vector<std::string> labels;
  for (const int frame : evenly(source.num_frames - 1, preview_pictures)) {
    const double time = frame * source.frame_step;
    pictures.push_back(view.draw(reader.read(frame), time, preview_width, preview_height));
    labels.push_back(fmt::format("frame {}   {:.2f} s", frame, time));
  }
  return contact_sheet(pictures, labels);
}

}  // namespace supple
