#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace supple {

/// The ending of a file name in lower case (ASCII), with its dot.
std::string ending_of(const std::filesystem::path& file);

/// The endings of the formats of tetrahedral meshes, of surfaces and of strands.
const std::vector<std::string>& tet_endings();
const std::vector<std::string>& surface_endings();
const std::vector<std::string>& strand_endings();

}  // namespace supple
