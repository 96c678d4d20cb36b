#include <fmt/format.h>

#include <cstdint>

#include "io/exports/atomic_file.h"
#include "io/exports/formats.h"
#include "io/exports/obj.h"

namespace supple {

void export_pc2(const FrameSource& source, const std::filesystem::path& folder) {
  const auto surfaces = body_surfaces(source, "pc2");
  const std::filesystem::path target = folder / "pc2";
  make_folder(target);
  FrameReader reader(source);
  for (const BodySurface& surface : surfaces) {
    AtomicFile file(target / (surface.identifier + ".pc2"));
    file.write(std::string_view("POINTCACHE2\0", 12));
    file.write_value(std::int32_t{1});  // version
    file.write_value(static_cast<std::int32_t>(surface.vertices.size()));
    file.write_value(0.0F);  // first frame
    file.write_value(1.0F);  // frames per sample
    file.write_value(static_cast<std::int32_t>(source.num_frames));
    for (int frame = 0; frame < source.num_frames; ++frame) {
      const auto positions = reader.read(frame);
      for (const int v : surface.vertices) {
        for (std::size_t d = 0; d < 3; ++d) {
          file.write_value(static_cast<float>(positions[3 * static_cast<std::size_t>(v) + d]));
        }
      }
    }
    file.commit();

    fmt::memory_buffer text;
    append_obj(text, surface, reader.rest(), 0);
    write_file(target / (surface.identifier + ".obj"), std::string_view(text.data(), text.size()));
  }
}

}  // namespace supple
