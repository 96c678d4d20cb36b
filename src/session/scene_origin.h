#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "io/meshes/formats.h"
#include "io/scene/scene_json.h"

namespace supple {

/// Where a scene came from: its document, and the files that it may read. A page must not make the
/// program read arbitrary files. It may read the meshes that the scene itself names, and otherwise
/// only those in the scene's own folder.
class SceneOrigin {
 public:
  using Files = std::map<std::string, std::string>;  ///< content by name

  /// A scene file. `source`: the name by which the page knows it. Throws Error as load_scene does.
  SceneOrigin(const std::filesystem::path& file, std::string source);
  /// A scene in memory with its meshes. Throws Error as parse_json does.
  SceneOrigin(std::string source, const std::string& text, Files files);

  const std::string& source() const { return source_; }
  /// The document as it stands in the file.
  const nlohmann::ordered_json& document() const { return document_; }
  const Files& files() const { return files_; }

  /// Reads a document as if it were in this place. Throws like parse_scene. Each mesh is read once.
  /// Generated bodies may have up to `max_tets` tets and springs together.
  LoadedScene load(const nlohmann::ordered_json& document, std::size_t max_tets);

 private:
  template <class Mesh, class Read>
  const Mesh& find(std::map<std::string, Mesh>& known, const std::string& name, const Read& read);
  std::filesystem::path allowed_file(const std::string& name) const;

  std::string source_;
  std::string name_;  ///< the name in errors
  nlohmann::ordered_json document_;
  std::filesystem::path folder_;
  bool in_memory_ = false;
  bool first_ = true;  ///< the next document to load is the file's own
  Files files_;
  std::map<std::string, TetMesh> tet_meshes_;
  std::map<std::string, TriangleMesh> triangle_meshes_;
  std::map<std::string, SpringMesh> strands_;
};

/// Reads from files that came with a scene. `files` must outlive the result.
FileBytes bytes_of(const SceneOrigin::Files& files);

}  // namespace supple
