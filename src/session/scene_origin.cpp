#include "session/scene_origin.h"

#include <algorithm>

#include "base/names.h"
#include "io/scene/json_text.h"
#include "session/voxels.h"
#include "supple/error.h"

namespace supple {

using nlohmann::ordered_json;

namespace {

using std::filesystem::path;

constexpr std::size_t most_meshes = 64;  // of one scene
constexpr int voxels_across = 24;        // of a surface that came alone and becomes a body

const std::string& content_of(const std::string& name, const SceneOrigin::Files& files) {
  auto found = files.find(name);
  // Dropped files come without their folders.
  if (found == files.end()) found = files.find(path(name).filename().string());
  if (found != files.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& file : files) known.push_back(file.first);
  throw Error(ErrorKind::bad_file, pointer_step(name),
              known.empty() ? "no files came with this scene"
                            : unknown_name("file", pointer_step(name), known));
}

}  // namespace

FileBytes bytes_of(const SceneOrigin::Files& files) {
  return [&files](const path& file) { return content_of(file.string(), files); };
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
      if (!has_surface_format(name)) return read_tet_mesh(name, bytes_of(files_));
      return voxel_body(read_triangle_mesh(name, bytes_of(files_)), voxels_across, name);
    });
  };
  sources.triangle_mesh = [&](const std::string& name) {
    return find(triangle_meshes_, name, [&] {
      return in_memory_ ? read_triangle_mesh(name, bytes_of(files_))
                        : read_triangle_mesh(allowed_file(name));
    });
  };
  sources.strands_or_surface = [&](const std::string& name) {
    return find(strands_, name, [&] {
      return in_memory_ ? read_strands_or_surface(name, bytes_of(files_))
                        : read_strands_or_surface(allowed_file(name));
    });
  };
  sources.height_grid = [&](const std::string& name) {
    return in_memory_ ? parse_heights(bytes_of(files_)(name), name)
                      : read_heights(allowed_file(name));
  };
  LoadedScene loaded = parse_scene(
      document.dump(-1, ' ', false, ordered_json::error_handler_t::replace), name_, sources);
  first_ = false;
  return loaded;
}

}  // namespace supple
