#pragma once

#include <filesystem>
#include <string>

namespace supple::cli {

/// The scenes that come with the program: $SUPPLE_SCENES, otherwise those installed with the
/// program, otherwise the folder in the sources. Throws Error (bad_file) if there is none.
std::filesystem::path scenes_folder();

/// The viewer's page: `given`, or if that is empty, the page installed with the program, otherwise
/// the one built with it. Throws Error (bad_file) if there is none; the message says how to build
/// it.
std::filesystem::path page_folder(const std::string& given);

}  // namespace supple::cli
