#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "session/scene_origin.h"

namespace supple {

/// The scenes that a page may open by name.
class Gallery {
 public:
  /// `first`: a file, or a name in the gallery, or empty. A file joins the gallery. Throws
  /// Error{invalid_input} for an unknown name.
  Gallery(const std::filesystem::path& folder, const std::string& first);

  /// The name of the scene to open first; empty if there is none.
  const std::string& first() const { return first_; }

  /// Throws Error{invalid_input} at `where` for an unknown name, and whatever reading throws.
  std::unique_ptr<SceneOrigin> open(const std::string& name, const std::string& where) const;

  /// [{name, title, picture}]
  nlohmann::ordered_json list() const;

  /// The message without the folders of this machine, for people other than the one who started the
  /// program.
  std::string without_folders(std::string message) const;

 private:
  struct Entry {
    std::string name;
    std::string title;
    std::filesystem::path file;
    bool has_picture;
  };
  std::vector<Entry> entries_;
  std::string first_;
};

}  // namespace supple
