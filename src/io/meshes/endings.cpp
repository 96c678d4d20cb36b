#include "io/meshes/endings.h"

#include <algorithm>

#include "io/meshes/formats.h"

namespace supple {

using std::filesystem::path;

std::string ending_of(const path& file) {
  std::string ending = file.extension().string();
  for (char& c : ending) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return ending;
}

const std::vector<std::string>& tet_endings() {
  static const std::vector<std::string> endings{".mesh", ".msh", ".node", ".ele", ".vtk", ".vtu"};
  return endings;
}

const std::vector<std::string>& surface_endings() {
  static const std::vector<std::string> endings{".obj", ".ply", ".stl", ".off"};
  return endings;
}

const std::vector<std::string>& strand_endings() {
  static const std::vector<std::string> endings{".obj", ".ply"};
  return endings;
}

bool has_tet_format(const path& file) {
  const auto& endings = tet_endings();
  return std::find(endings.begin(), endings.end(), ending_of(file)) != endings.end();
}

bool has_surface_format(const path& file) {
  const auto& endings = surface_endings();
  return std::find(endings.begin(), endings.end(), ending_of(file)) != endings.end();
}

}  // namespace supple
