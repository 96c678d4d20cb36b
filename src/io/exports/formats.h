#pragma once

#include <filesystem>
#include <span>

#include "io/exports/exports.h"
#include "io/exports/frame_source.h"

/// The export formats, one a source file. Each takes a checked source and writes into a folder that
/// exists; every file appears under its name only when it is whole. Throw Error{bad_file} where a
/// file cannot be written.
namespace supple {

/// `animation.usda`: one Mesh prim a body with its points over time, in text. [OpenUSD, "Usda file
/// format"; UsdGeomMesh] Vertices inside the body are left out.
void export_usda(const FrameSource& source, const std::filesystem::path& folder);

/// `obj/frame_0000.obj`: a file a frame, one object a body. Vertices inside are left out.
void export_obj(const FrameSource& source, const std::filesystem::path& folder);

/// `ply/frame_0000.ply`: a binary file a frame; each vertex says which body it belongs to. Vertices
/// inside are left out.
void export_ply(const FrameSource& source, const std::filesystem::path& folder);

/// `vtu/frame_0000.vtu` and `animation.pvd`: a file a frame with all tets and the measures of each
/// (J, von_mises, principal_stretches, plastic_strain where there is one, body), positions in
/// double precision and the number of each vertex; the .pvd lists them with their times. Where the
/// source has stresses of multipliers, also hydrostatic_stress (Pa) and deviatoric_stress (Pa;
/// components xx, yy, zz, xy, yz, zx), whose sum, hydrostatic_stress on the diagonal, is the Cauchy
/// stress; NaN in frames of which they are not known: frame 0 and those before a run was resumed.
/// Everything is NaN for cells that are no tets. Where the source has forces of contacts, each
/// vertex has its contact_force (N), NaN in the same frames. [VTK file formats, "XML file formats"]
/// Throws Error{invalid_input} where there are not as many measures or stresses as tets, or forces
/// as vertices.
void export_vtu(const FrameSource& source, const std::filesystem::path& folder);

/// `animation.gltf` with `animation.bin`: one mesh a body whose morph targets are the frames, and
/// an animation of their weights, linear between frames. [glTF 2.0, sec. 3.7.2.2 and 3.11] The
/// weights grow with the square of the frames: of more than `max_gltf_frames` an even choice is
/// taken.
void export_gltf(const FrameSource& source, const std::filesystem::path& folder);
inline constexpr int max_gltf_frames = 1000;

/// `pc2/BODY.pc2` with `pc2/BODY.obj`, its rest shape: the same vertices in the same order, without
/// those inside. Sampled once a frame from frame 0. [PC2 as Blender's Mesh Cache modifier reads it]
void export_pc2(const FrameSource& source, const std::filesystem::path& folder);

/// `animation.mp4`: the frames drawn and piped to the program ffmpeg (H.264, yuv420p), in real time
/// as far as `video_timing` allows. Throws Error{invalid_input} for a size that is not even and
/// Error{bad_file} where ffmpeg is not there or fails, with what it said.
void export_mp4(const FrameSource& source, const std::filesystem::path& folder, int width,
                int height, int threads);

struct ExportFormat {
  const char* name;
  const char* text;
  void (*run)(const FrameSource&, const std::filesystem::path&, const ExportOptions&);
};

/// Those that draw and start another program: none where there are no programs to start.
std::span<const ExportFormat> video_formats();

/// Which frames a video shows, and how fast.
struct VideoTiming {
  int stride = 1;                 ///< every stride-th frame from 0
  int num_frames = 1;             ///< of the video
  double frames_per_second = 30;  ///< 1 to 60
};

/// Real time, leaving out frames above 60 a second; but where less than a second would be left,
/// every frame that is needed for one: slow motion.
VideoTiming video_timing(int num_frames, double frame_step);

}  // namespace supple
