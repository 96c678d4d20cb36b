#include "session/gallery.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/names.h"
#include "io/scene/json_text.h"
#include "supple/error.h"

namespace supple {

using nlohmann::ordered_json;

Gallery::Gallery(const std::filesystem::path& folder, const std::string& first) {
  for (const SceneFile& scene : list_scenes(folder)) {
    entries_.push_back({scene.file.stem().string(), scene.name, scene.file, true});
  }
  const auto is_named = [&](const std::string& name) {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const Entry& entry) { return entry.name == name; });
  };
  if (first.empty()) {
    first_ = is_named("twisting_bar") || entries_.empty() ? "twisting_bar" : entries_[0].name;
    return;
  }
  const std::filesystem::path file(first);
  if (is_named(first)) {
    first_ = first;
  } else {
    // A file outside the gallery's folder; open() says what is wrong with it.
    first_ = file.stem().string();
    if (is_named(first_)) first_ += "_file";
    entries_.push_back({first_, first_, file, false});
  }
}

std::unique_ptr<SceneOrigin> Gallery::open(const std::string& name,
                                           const std::string& where) const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) {
    if (entry.name == name) return std::make_unique<SceneOrigin>(entry.file, entry.name);
    names.push_back(entry.name);
  }
  throw Error(ErrorKind::invalid_input, where,
              unknown_name("scene in the gallery", pointer_step(name), names));
}

std::string Gallery::without_folders(std::string message) const {
  std::vector<std::string> folders;
  for (const Entry& entry : entries_) folders.push_back(entry.file.parent_path().string());
  std::error_code none;
  folders.push_back(std::filesystem::temp_directory_path(none).string());
  for (std::string folder : folders) {
    if (folder.empty()) continue;
    if (folder.back() != '/') folder += '/';
    for (std::size_t at = 0; (at = message.find(folder, at)) != std::string::npos;) {
      // Only if the path begins here and is not the end of a longer one.
      const bool begins =
          at == 0 || std::string_view(" '\"([:").find(message[at - 1]) != std::string_view::npos;
      if (begins) {
        message.erase(at, folder.size());
      } else {
        at += folder.size();
      }
    }
  }
  return message;
}

ordered_json Gallery::list() const {
  ordered_json list = ordered_json::array();
  for (const Entry& entry : entries_) {
    ordered_json& scene = list.emplace_back();
    scene["name"] = entry.name;
    scene["title"] = entry.title;
    if (entry.has_picture) {
      scene["picture"] = "scenes/" + entry.name + ".png";
    } else {
      scene["picture"] = nullptr;
    }
  }
  return list;
}

}  // namespace supple
