// In place of mp4.cpp where no program can be started.
#include "io/exports/formats.h"

namespace supple {

std::span<const ExportFormat> video_formats() { return {}; }

}  // namespace supple
