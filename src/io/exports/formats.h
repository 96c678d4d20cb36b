#pragma once

#include <filesystem>
#include <span>

#include "io/exports/exports.h"
#include "io/exports/frame_source.h"

/// The export formats, one per source file. Each takes a checked source and writes into a folder
/// that exists. Every file appears under its name only when it is complete. All throw
/// Error{bad_file} if a file cannot be written.
namespace supple {

/// `animation.usda`: one Mesh prim per body with its points over time, as text. [OpenUSD, "Usda
/// file format"; UsdGeomMesh] Vertices inside the body are left out.
void export_usda(const FrameSource& source, const std::filesystem::path& folder);

/// `obj/frame_0000.obj`: one file per frame, one object per body. Interior vertices are left out.
void export_obj(const FrameSource& source, const std::filesystem::path& folder);

/// `ply/frame_0000.ply`: one binary file per frame; each vertex says which body it belongs to.
/// Interior vertices are left out.
void export_ply(const FrameSource& source, const std::filesystem::path& folder);

/// `vtu/frame_0000.vtu` and `animation.pvd`: one file per frame with all tets and the measures of
/// each (J, von_mises, principal_stretches, plastic_strain if there is any, body), positions in
/// double precision and the number of each vertex. The .pvd lists the files with their times.
/// If the source has stresses from multipliers, also hydrostatic_stress (Pa) and deviatoric_stress
/// (Pa; components xx, yy, zz, xy, yz, zx). Their sum, with hydrostatic_stress on the diagonal, is
/// the Cauchy stress. They are NaN in frames in which they are not known: frame 0 and those before
/// a run was resumed. Everything is NaN for cells that are not tets. If the source has forces of
/// contacts, each vertex has its contact_force (N), NaN in the same frames. [VTK file formats, "XML
/// file formats"]
/// Throws Error{invalid_input} if the number of measures or stresses differs from the number of
/// tets, or the number of forces from the number of vertices.
void export_vtu(const FrameSource& source, const std::filesystem::path& folder);

/// `animation.gltf` with `animation.bin`: one mesh per body whose morph targets are the frames, and
/// an animation of their weights, linear between frames. [glTF 2.0, sec. 3.7.2.2 and 3.11] The size
/// of the weights grows with the square of the number of frames. If there are more than
/// `max_gltf_frames` frames, an even selection is exported.
void export_gltf(const FrameSource& source, const std::filesystem::path& folder);
inline constexpr int max_gltf_frames = 1000;

/// `pc2/BODY.pc2` with `pc2/BODY.obj`, its rest shape: the same vertices in the same order, without
/// interior ones. One sample per frame from frame 0. [PC2 as Blender's Mesh Cache modifier reads
/// it]
void export_pc2(const FrameSource& source, const std::filesystem::path& folder);

/// `animation.mp4`: the frames drawn and piped to the program ffmpeg (H.264, yuv420p), in real time
/// as far as `video_timing` allows. Throws Error{invalid_input} for a size that is not even, and
/// Error{bad_file} if ffmpeg is missing or fails, with its message.
void export_mp4(const FrameSource& source, const std::filesystem::path& folder, int width,
                int height, int threads);

struct ExportFormat {
  const char* name;
  const char* text;
  void (*run)(const FrameSource&, const std::filesystem::path&, const ExportOptions&);
};

/// The formats that draw and start another program; none on platforms that cannot start programs.
std::span<const ExportFormat> video_formats();

/// Which frames a video shows, and how fast.
struct VideoTiming {
  int stride = 1;                 ///< every stride-th frame from 0
  int num_frames = 1;             ///< of the video
  double frames_per_second = 30;  ///< 1 to 60
};

/// Real time, with frames above 60 per second left out. If less than a second of video would
/// remain, every frame needed for one second is kept: slow motion.
VideoTiming video_timing(int num_frames, double frame_step);

}  // namespace supple
