#include "io/view/scene_origin.h"

#include <algorithm>

#include "base/names.h"
#include "io/meshes/formats.h"
#include "io/meshes/source.h"
#include "io/scene/json_text.h"
#include "io/view/voxels.h"
#include "supple/error.h"

namespace supple {

using nlohmann::ordered_json;

namespace {

using std::filesystem::path;

constexpr std::size_t most_meshes = 64;  // of one scene
constexpr int voxels_across = 24;        // of a surface that came alone and becomes a body

std::string ending_of(const std::string& name) {
  std::string ending = path(name).extension().string();
  for (char& c : ending) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return ending;
}

std::string load_scene_text(const path& file) {
  std::error_code code;
  const auto size = std::filesystem::file_size(file, code);
  if (!code && size > largest_scene_file) {
    throw Error(ErrorKind::bad_file, file.string(),
                "has " + std::to_string(size) + " bytes: expected at most " +
                    std::to_string(largest_scene_file));
  }
  return load_bytes(file);
}

const std::string& content_of(const std::string& name, const SceneOrigin::Files& files) {
  auto found = files.find(name);
  // Files that were dropped come without their folders.
  if (found == files.end()) found = files.find(path(name).filename().string());
  if (found != files.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& file : files) known.push_back(file.first);
  throw Error(ErrorKind::bad_file, pointer_step(name),
              known.empty() ? "no files came with this scene"
                            : unknown_name("file", pointer_step(name), known));
}

}  // namespace

bool is_tet_mesh(const std::string& name) {
  const std::string ending = ending_of(name);
  const auto known = {".mesh", ".msh", ".node", ".ele", ".vtk", ".vtu"};
  return std::find(known.begin(), known.end(), ending) != known.end();
}

bool is_triangle_mesh(const std::string& name) {
  const std::string ending = ending_of(name);
  const auto known = {".obj", ".ply", ".stl", ".off"};
  return std::find(known.begin(), known.end(), ending) != known.end();
}

TetMesh parse_tet_mesh(const std::string& name, const SceneOrigin::Files& files) {
  const std::string ending = ending_of(name);
  if (ending == ".node" || ending == ".ele") {
    const std::string node = path(name).replace_extension(".node").string();
    const std::string ele = path(name).replace_extension(".ele").string();
    return parse_tetgen(content_of(node, files), node, content_of(ele, files), ele);
  }
  const std::string& bytes = content_of(name, files);
  if (ending == ".mesh") return parse_medit(bytes, name);
  if (ending == ".msh") return parse_gmsh(bytes, name);
  if (ending == ".vtk") return parse_vtk(bytes, name);
  if (ending == ".vtu") return parse_vtu(bytes, name);
  throw Error(ErrorKind::bad_file, pointer_step(name),
              "is no tetrahedral mesh: expected .mesh, .msh, .node, .ele, .vtk or .vtu");
}

TriangleMesh parse_triangle_mesh(const std::string& name, const SceneOrigin::Files& files) {
  const std::string ending = ending_of(name);
  const std::string& bytes = content_of(name, files);
  if (ending == ".obj") return parse_obj(bytes, name);
  if (ending == ".ply") return parse_ply(bytes, name);
  if (ending == ".stl") return parse_stl(bytes, name);
  if (ending == ".off") return parse_off(bytes, name);
  throw Error(ErrorKind::bad_file, pointer_step(name),
              "is no surface: expected .obj, .ply, .stl or .off");
}

SceneOrigin::SceneOrigin(const path& file, std::string source)
    : source_(std::move(source)),
      name_(file.filename().string()),
      document_(parse_json(load_scene_text(file), name_)),
      folder_(file.parent_path()) {}

SceneOrigin::SceneOrigin(std::string source, const std::string& text, Files files)
    : source_(std::move(source)),
      name_(source_),
      document_(parse_json(text, name_)),
      in_memory_(true),
      files_(std::move(files)) {}

path SceneOrigin::allowed_file(const std::string& name) const {
  const path relative(name);
  const bool climbs = std::find(relative.begin(), relative.end(), "..") != relative.end();
  if (!first_ && (relative.is_absolute() || climbs)) {
    throw Error(ErrorKind::bad_file, pointer_step(name),
                "lies outside the folder of the scene; expected a file in it");
  }
  return folder_ / relative;
}

template <class Mesh, class Read>
const Mesh& SceneOrigin::find(std::map<std::string, Mesh>& known, const std::string& name,
                              const Read& read) {
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  if (known.size() >= most_meshes) known.clear();
  return known.emplace(name, read()).first->second;
}

LoadedScene SceneOrigin::load(const ordered_json& document, std::size_t max_tets) {
  SceneSources sources;
  sources.max_tets = max_tets;
  sources.tet_mesh = [&](const std::string& name) {
    return find(tet_meshes_, name, [&] {
      if (!in_memory_) return read_tet_mesh(allowed_file(name));
      if (!is_triangle_mesh(name)) return parse_tet_mesh(name, files_);
      return voxel_body(parse_triangle_mesh(name, files_), voxels_across, name);
    });
  };
  sources.triangle_mesh = [&](const std::string& name) {
    return find(triangle_meshes_, name, [&] {
      return in_memory_ ? parse_triangle_mesh(name, files_)
                        : read_triangle_mesh(allowed_file(name));
    });
  };
  LoadedScene loaded = parse_scene(
      document.dump(-1, ' ', false, ordered_json::error_handler_t::replace), name_, sources);
  first_ = false;
  return loaded;
}

}  // namespace supple
