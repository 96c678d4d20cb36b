#pragma once

#include <filesystem>
#include <optional>

namespace supple::cli {

/// The folder of published meshes, $SUPPLE_PAPER_MESHES, if that is set. Throws Error{bad_file} if
/// the folder does not exist.
std::optional<std::filesystem::path> folder_of_meshes();

}  // namespace supple::cli
