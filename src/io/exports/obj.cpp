#include "io/exports/obj.h"

#include <fmt/format.h>

#include <iterator>

#include "io/exports/atomic_file.h"
#include "io/exports/formats.h"
#include "io/exports/frame_files.h"

namespace supple {

void append_obj(fmt::memory_buffer& text, const BodySurface& surface,
                std::span<const double> positions, int vertices_before) {
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "o {}\n", surface.identifier);
  for (const int v : surface.vertices) {
    const double* x = &positions[3 * static_cast<std::size_t>(v)];
    fmt::format_to(out, "v {} {} {}\n", static_cast<float>(x[0]), static_cast<float>(x[1]),
                   static_cast<float>(x[2]));
  }
  const int first = vertices_before + 1;
  for (const auto& t : surface.triangles) {
    fmt::format_to(out, "f {} {} {}\n", first + t[0], first + t[1], first + t[2]);
  }
  for (const auto& [a, b] : surface.segments) {
    fmt::format_to(out, "l {} {}\n", first + a, first + b);
  }
}

void export_obj(const FrameSource& source, const std::filesystem::path& folder) {
  const auto surfaces = body_surfaces(source, "obj");
  const FrameFiles files(folder / "obj", "obj", source.num_frames);
  FrameReader reader(source);
  for (int frame = 0; frame < source.num_frames; ++frame) {
    const auto positions = reader.read(frame);
    fmt::memory_buffer text;
    fmt::format_to(std::back_inserter(text), "# time {} s\n", frame * source.frame_step);
    int before = 0;
    for (const BodySurface& surface : surfaces) {
      append_obj(text, surface, positions, before);
      before += static_cast<int>(surface.vertices.size());
    }
    write_file(files.path(frame), std::string_view(text.data(), text.size()));
  }
  files.remove_others();
}

}  // namespace supple
