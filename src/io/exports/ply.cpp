#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "io/exports/atomic_file.h"
#include "io/exports/formats.h"
#include "io/exports/frame_files.h"

namespace supple {

namespace {

std::string header(std::size_t num_vertices, std::size_t num_faces, double time) {
  return fmt::format(
      "ply\n"
      "format binary_little_endian 1.0\n"
      "comment time {} s\n"
      "element vertex {}\n"
      "property float x\n"
      "property float y\n"
      "property float z\n"
      "property int body\n"
      "element face {}\n"
      "property list uchar int vertex_indices\n"
      "end_header\n",
      time, num_vertices, num_faces);
}

void write_face(AtomicFile& file, std::int32_t first, const std::array<int, 3>& corners) {
  file.write_value(std::uint8_t{3});
  for (const int v : corners) file.write_value(static_cast<std::int32_t>(first + v));
}

}  // namespace

void export_ply(const FrameSource& source, const std::filesystem::path& folder) {
  const auto surfaces = body_surfaces(source, "ply");
  const FrameFiles files(folder / "ply", "ply", source.num_frames);
  std::size_t num_vertices = 0, num_faces = 0;
  for (const BodySurface& surface : surfaces) {
    num_vertices += surface.vertices.size();
    num_faces += surface.triangles.size() + surface.segments.size();
  }
  FrameReader reader(source);
  for (int frame = 0; frame < source.num_frames; ++frame) {
    const auto positions = reader.read(frame);
    AtomicFile file(files.path(frame));
    file.write(header(num_vertices, num_faces, frame * source.frame_step));
    for (const BodySurface& surface : surfaces) {
      for (const int v : surface.vertices) {
        for (std::size_t d = 0; d < 3; ++d) {
          file.write_value(static_cast<float>(positions[3 * static_cast<std::size_t>(v) + d]));
        }
        file.write_value(static_cast<std::int32_t>(surface.body));
      }
    }
    std::int32_t first = 0;
    for (const BodySurface& surface : surfaces) {
      for (const auto& triangle : surface.triangles) write_face(file, first, triangle);
      // meshio refuses the format's edges, and VTK and assimp ignore them; the same is true of
      // faces with two corners. All of them accept a triangle without area, and Blender turns it
      // into an edge.
      for (const auto& [a, b] : surface.segments) write_face(file, first, {a, b, b});
      first += static_cast<std::int32_t>(surface.vertices.size());
    }
    file.commit();
  }
  files.remove_others();
}

}  // namespace supple
