#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "io/meshes/formats.h"
#include "io/scene/json_text.h"
#include "io/scene/scene_json.h"
#include "supple/error.h"

namespace supple {

namespace {

using std::filesystem::path;

}  // namespace

std::string load_scene_text(const path& file) {
  const auto fail = [&](const std::string& message) {
    throw Error(ErrorKind::bad_file, file.string(), message);
  };
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(file, code);
  if (status.type() == std::filesystem::file_type::not_found) fail("there is no such file");
  if (code) fail("cannot be read: " + code.message());
  if (!std::filesystem::is_regular_file(status)) fail("is not a file: expected a scene (JSON)");
  const std::uintmax_t size = std::filesystem::file_size(file, code);
  if (code) fail("cannot be read: " + code.message());
  if (size > largest_scene_file) {
    fail("has " + std::to_string(size) + " bytes: expected at most " +
         std::to_string(largest_scene_file));
  }
  std::string text(static_cast<std::size_t>(size), '\0');
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(text.data(), static_cast<std::streamsize>(size))) fail("cannot be read");
  return text;
}

LoadedScene load_scene_with_settings(const path& file, const std::vector<Override>& overrides) {
  const path folder = file.parent_path();
  SceneSources sources;
  sources.tet_mesh = [&](const std::string& name) { return read_tet_mesh(folder / name); };
  sources.triangle_mesh = [&](const std::string& name) {
    return read_triangle_mesh(folder / name);
  };
  sources.strands_or_surface = [&](const std::string& name) {
    return read_strands_or_surface(folder / name);
  };
  sources.height_grid = [&](const std::string& name) { return read_heights(folder / name); };
  return parse_scene(load_scene_text(file), file.string(), sources, overrides);
}

Scene load_scene(const path& file, const std::vector<Override>& overrides) {
  return load_scene_with_settings(file, overrides).scene;
}

std::vector<SceneFile> list_scenes(const path& folder) {
  std::vector<SceneFile> scenes;
  std::error_code code;
  for (auto entry = std::filesystem::directory_iterator(folder, code);
       !code && entry != std::filesystem::directory_iterator(); entry.increment(code)) {
    if (entry->path().extension() != ".json") continue;
    try {
      const nlohmann::ordered_json document = parse_json(load_scene_text(entry->path()), "scene");
      if (!document.is_object() || !document.contains("supple")) continue;
      const auto name = document.find("name");
      const bool named = name != document.end() && name->is_string();
      scenes.push_back(
          {entry->path(), named ? name->get<std::string>() : entry->path().stem().string()});
    } catch (const Error&) {
      continue;  // not a scene, so not listed
    }
  }
  std::sort(scenes.begin(), scenes.end(),
            [](const SceneFile& a, const SceneFile& b) { return a.file < b.file; });
  return scenes;
}

}  // namespace supple
