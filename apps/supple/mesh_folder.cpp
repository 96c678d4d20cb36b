#include "supple/mesh_folder.h"

#include <cstdlib>
#include <string>

#include "supple/error.h"

namespace supple::cli {

std::optional<std::filesystem::path> folder_of_meshes() {
  const char* const name = std::getenv("SUPPLE_PAPER_MESHES");
  if (name == nullptr || *name == '\0') return std::nullopt;
  std::error_code ignored;
  if (!std::filesystem::is_directory(name, ignored)) {
    throw Error(ErrorKind::bad_file, std::string("SUPPLE_PAPER_MESHES=") + name,
                "there is no such folder");
  }
  return std::filesystem::path(name);
}

}  // namespace supple::cli
