#include "io/exports/exports.h"

#include <array>
#include <string>

#include "base/names.h"
#include "io/exports/atomic_file.h"
#include "io/exports/formats.h"
#include "supple/error.h"

namespace supple {

namespace {

/// Wraps an exporter without options as one with options.
template <void (*exporter)(const FrameSource&, const std::filesystem::path&)>
void plain(const FrameSource& source, const std::filesystem::path& folder, const ExportOptions&) {
  exporter(source, folder);
}

constexpr std::array<ExportFormat, 6> formats_of_numbers{{
    {"usda", "USD text: animation.usda, a mesh a body with its points over time",
     plain<export_usda>},
    {"obj", "Wavefront OBJ: obj/frame_0000.obj and on, surfaces", plain<export_obj>},
    {"ply", "binary PLY: ply/frame_0000.ply and on, surfaces; a strand as triangles (a, b, b)",
     plain<export_ply>},
    {"vtu",
     "VTK: vtu/frame_0000.vtu and on with animation.pvd, tets with J, von_mises and "
     "principal_stretches, of xpbd also hydrostatic_stress and deviatoric_stress, of what flows "
     "plastic_strain",
     plain<export_vtu>},
    {"gltf", "glTF 2.0: animation.gltf with animation.bin, frames as morph targets",
     plain<export_gltf>},
    {"pc2", "point cache: pc2/BODY.pc2 with its rest shape pc2/BODY.obj, for Blender's Mesh Cache",
     plain<export_pc2>},
}};

std::vector<ExportFormat> all_formats() {
  std::vector<ExportFormat> all(formats_of_numbers.begin(), formats_of_numbers.end());
  for (const ExportFormat& format : video_formats()) all.push_back(format);
  return all;
}

ExportFormat find(std::string_view kind, std::string_view where) {
  std::vector<std::string> names;
  for (const ExportFormat& format : all_formats()) {
    if (kind == format.name) return format;
    names.emplace_back(format.name);
  }
  throw Error(ErrorKind::invalid_input, where, unknown_name("export format", kind, names));
}

}  // namespace

std::vector<Description> list_exports() {
  std::vector<Description> list;
  for (const ExportFormat& format : all_formats()) list.push_back({format.name, format.text});
  return list;
}

void check_export(std::string_view kind, std::string_view where) { find(kind, where); }

void export_frames(std::string_view kind, const FrameSource& source,
                   const std::filesystem::path& folder, const ExportOptions& options) {
  const ExportFormat format = find(kind, "export");
  check(source);
  make_folder(folder);
  format.run(source, folder, options);
}

}  // namespace supple
