#pragma once

#include <fmt/format.h>

#include <span>

#include "io/exports/frame_source.h"

namespace supple {

/// Appends a body as an object of an OBJ file that already has `vertices_before` vertices.
void append_obj(fmt::memory_buffer& text, const BodySurface& surface,
                std::span<const double> positions, int vertices_before);

}  // namespace supple
