#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "io/exports/frame_source.h"

namespace supple {

/// Options of an export.
struct ExportOptions {
  int threads = 1;  ///< for pictures; see Threads
  int video_width = 1280;
  int video_height = 720;
};

/// The formats, each with a description of what it writes.
std::vector<Description> list_exports();

/// Throws Error{invalid_input} at `where`, with the nearest name, unless there is such a format.
/// For commands that check before they have anything to export.
void check_export(std::string_view kind, std::string_view where);

/// Writes a motion in one of the formats of `list_exports` into a folder, which is made if needed.
/// Throws Error{invalid_input} for an unknown kind and for a source that cannot be exported,
/// Error{bad_file} if a file cannot be written. See formats.h.
void export_frames(std::string_view kind, const FrameSource& source,
                   const std::filesystem::path& folder, const ExportOptions& options = {});

}  // namespace supple
