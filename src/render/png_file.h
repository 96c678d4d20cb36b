#pragma once

#include <filesystem>
#include <vector>

#include "render/image.h"

namespace supple {

/// Writes an 8-bit RGB PNG marked as sRGB: to NAME.part in the same folder, which is flushed to
/// disk and then renamed, so that a file under the final name is complete. Throws Error{bad_file}
/// if it cannot be written.
void write_png(const std::filesystem::path& path, const Image& image);

/// The bytes of such a file. Throws Error{invalid_input} if the image's size does not fit its data.
std::vector<unsigned char> png_bytes(const Image& image);

}  // namespace supple
