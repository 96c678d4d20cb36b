// Replaces mp4.cpp on platforms that cannot start programs.
#include "io/exports/formats.h"

namespace supple {

std::span<const ExportFormat> video_formats() { return {}; }

}  // namespace supple
