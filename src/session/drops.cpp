#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/scene/json_text.h"
#include "session/command_list.h"
#include "session/session_state.h"
#include "session/voxels.h"
#include "supple/error.h"

namespace supple {

namespace {

using std::filesystem::path;

constexpr std::size_t most_files = 64;
constexpr std::size_t longest_name = 200;

[[noreturn]] void refuse(const std::string& command, const std::string& message) {
  throw Error(ErrorKind::invalid_input, command + ": /files", message);
}

/// The name without its folders. Characters that a message cannot show become '_'.
std::string plain_name(const std::string& given, const std::string& command) {
  const std::size_t slash = given.find_last_of("/\\");
  std::string name = slash == std::string::npos ? given : given.substr(slash + 1);
  if (name.empty() || name == "." || name == ".." || name.size() > longest_name) {
    refuse(command,
           "a file has no name, or one of more than " + std::to_string(longest_name) + " bytes");
  }
  for (char& c : name) {
    if (c < ' ' || c > '~') c = '_';
  }
  return name;
}

bool is_scene(const std::string& name) {
  std::string ending = path(name).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return ending == ".json";
}

double two_digits(double value) {
  const double scale = std::pow(10.0, std::floor(std::log10(value)) - 1);
  return std::round(value / scale) * scale;
}

/// A scene of one body, a quarter of its height above a ground plane. The body sags a little under
/// its weight: E = 10 density g times its size.
std::string scene_of_mesh(const std::string& name, const std::vector<Vec3>& vertices) {
  const Box box = bounding_box(vertices);
  double size = 0;
  for (std::size_t k = 0; k < 3; ++k) size = std::max(size, box.max[k] - box.min[k]);
  constexpr double density = 1000, gravity = 9.81;
  const double height = box.max[1] - box.min[1];
  const std::string stem = path(name).stem().string();
  const ordered_json scene{
      {"supple", 1},
      {"name", stem},
      {"bodies",
       {{{"name", stem},
         {"mesh", {{"file", name}}},
         {"density", density},
         {"material",
          {{"model", "neo_hookean"},
           {"young", two_digits(10 * density * gravity * size)},
           {"poisson", 0.4}}}}}},
      {"colliders", {{{"name", "ground"}, {"plane", {{"offset", box.min[1] - 0.25 * height}}}}}}};
  return scene.dump();
}

}  // namespace

SceneOrigin::Files read_files(const ordered_json& list, const Packet& packet,
                              const std::string& command) {
  if (!list.is_array() || list.size() > most_files) {
    refuse(command, "expected a list of at most " + std::to_string(most_files) + " files");
  }
  SceneOrigin::Files files;
  for (std::size_t i = 0; i < list.size(); ++i) {
    ObjectReader reader(list[i], command, "/files/" + std::to_string(i));
    const std::string name = plain_name(reader.text("name"), command);
    reader.finish();
    const std::string_view bytes = packet.bytes("file_" + std::to_string(i));
    if (!files.emplace(name, bytes).second) refuse(command, "two files are called '" + name + "'");
  }
  return files;
}

std::unique_ptr<SceneOrigin> origin_of_files(const ordered_json& list, const Packet& packet,
                                             const std::string& command) {
  SceneOrigin::Files files = read_files(list, packet, command);
  std::vector<std::string> scenes, meshes;
  for (const auto& [name, content] : files) {
    if (is_scene(name)) scenes.push_back(name);
    // TetGen's two files are one mesh.
    if (has_surface_format(name) || (has_tet_format(name) && path(name).extension() != ".ele")) {
      meshes.push_back(name);
    }
  }
  if (scenes.size() > 1) refuse(command, "expected a single scene (.json)");
  if (scenes.size() == 1) {
    const std::string text = files[scenes[0]];
    files.erase(scenes[0]);
    return std::make_unique<SceneOrigin>(scenes[0], text, std::move(files));
  }
  if (meshes.size() != 1) {
    refuse(command,
           "expected a scene (.json) with its meshes, or one mesh: .mesh, .msh, .node "
           "with .ele, .vtk, .vtu, .obj, .ply, .stl or .off");
  }
  const std::string& name = meshes[0];
  const std::vector<Vec3> vertices = has_tet_format(name)
                                         ? read_tet_mesh(name, bytes_of(files)).vertices
                                         : read_triangle_mesh(name, bytes_of(files)).vertices;
  const std::string text = scene_of_mesh(name, vertices);
  return std::make_unique<SceneOrigin>(name, text, std::move(files));
}

}  // namespace supple
