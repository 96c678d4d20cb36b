#pragma once

#include <filesystem>
#include <optional>

namespace supple::cli {

/// $SUPPLE_PAPER_MESHES, where it is set: the folder of published meshes. Throws Error{bad_file}
/// where there is no such folder.
std::optional<std::filesystem::path> folder_of_meshes();

}  // namespace supple::cli
