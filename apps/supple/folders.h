#pragma once

#include <filesystem>
#include <string>

namespace supple::cli {

/// The scenes that come with the program: $SUPPLE_SCENES, or what was installed beside the program,
/// or the folder of the sources. Throws Error (bad_file) where there is none.
std::filesystem::path scenes_folder();

/// The viewer's page: `given`, or where that is empty what was installed beside the program, or
/// what was built with it. Throws Error (bad_file) where there is none, saying how to build it.
std::filesystem::path page_folder(const std::string& given);

}  // namespace supple::cli
