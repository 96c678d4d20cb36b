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
  /// `first`: a file or a name of the gallery, or empty; a file joins the gallery. Throws
  /// Error{invalid_input} for a name that is not there.
  Gallery(const std::filesystem::path& folder, const std::string& first);

  /// The name of the scene to open first; empty where there is none.
  const std::string& first() const { return first_; }

  /// Throws Error{invalid_input} at `where` for an unknown name, and what reading throws.
  std::unique_ptr<SceneOrigin> open(const std::string& name, const std::string& where) const;

  /// [{name, title, picture}]
  nlohmann::ordered_json list() const;

  /// A message for others than who started the program: without the folders of this machine.
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
