#include "supple/folders.h"

#include <unistd.h>

#include <array>
#include <cstdlib>

#include "supple/error.h"

namespace supple::cli {

namespace {

using std::filesystem::path;

/// share/supple/NAME of the program's installation; empty if it does not exist.
path installed(const char* name) {
  std::array<char, 4096> program{};
  const ssize_t length = ::readlink("/proc/self/exe", program.data(), program.size());
  if (length <= 0 || static_cast<std::size_t>(length) >= program.size()) return {};
  const path file(std::string(program.data(), static_cast<std::size_t>(length)));
  path folder = file.parent_path().parent_path() / "share/supple" / name;
  std::error_code ignored;
  return std::filesystem::is_directory(folder, ignored) ? folder : path();
}

}  // namespace

path scenes_folder() {
  path folder;
  if (const char* const given = std::getenv("SUPPLE_SCENES"); given != nullptr) {
    folder = given;
  } else {
    folder = installed("scenes");
    if (folder.empty()) folder = SUPPLE_SOURCE_SCENES;
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(folder, ignored)) return folder;
  throw Error(ErrorKind::bad_file, folder.string(),
              "there is no such folder of scenes; SUPPLE_SCENES names another");
}

path page_folder(const std::string& given) {
  path folder = given;
  if (folder.empty()) folder = installed("web");
  if (folder.empty()) folder = SUPPLE_BUILT_PAGE;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(folder / "index.html", ignored)) return folder;
  throw Error(ErrorKind::bad_file, folder.string(),
              "there is no page here (index.html); scripts/view builds it, --web names another");
}

}  // namespace supple::cli
