#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/meshes/heights.h"
#include "io/scene/object_reader.h"
#include "supple/io.h"

/// Scenes from JSON text (docs/scene.md): strict, so that a misspelt key does not pass silently.
namespace supple {

/// What a body is made of: tets, or a cloth, a strand or a surface from a file.
using BodyMesh = std::variant<TetMesh, SpringMesh>;

/// Where the files named in a scene come from. The functions get the path as it stands there.
struct SceneSources {
  /// A mesh of a body that the program has in memory, which goes before files; null: it has none of
  /// that name. The function may be empty.
  std::function<const BodyMesh*(const std::string& name)> in_memory;
  std::function<TetMesh(const std::string& path)> tet_mesh;
  std::function<TriangleMesh(const std::string& path)> triangle_mesh;
  std::function<SpringMesh(const std::string& path)> strands;
  std::function<HeightGrid(const std::string& path)> height_grid;
  /// Of all generated bodies together.
  std::size_t max_tets = max_generated_tets;
};

struct LoadedScene {
  Scene scene;
  /// The scene as JSON with every default filled in, keys in a fixed order, paths as given. Read
  /// again it gives the same scene. It is made by the readers themselves, which record the value
  /// they use for each key.
  std::string settings;
  /// Every key that was read, made by the readers as well: what it takes, for panels and editors.
  /// Keys that the chosen solver, material or integrator does not read are not among them.
  std::vector<ReadField> fields;
};

/// `name` stands in errors; its stem is the default name of the scene. Throws Error{invalid_input}
/// at "name:LINE:COLUMN" or "name: /json/pointer", and what `sources` throw.
LoadedScene parse_scene(std::string_view text, const std::string& name, const SceneSources& sources,
                        const std::vector<Override>& overrides = {});

/// What stands in a scene for a material of a body of tets, and for the pins of a body, of JSON
/// text. Parameters by field come from `mesh`, and so do the vertices that are selected. Errors as
/// of parse_scene, with `name` in place of the file.
MaterialSettings parse_material(std::string_view text, const std::string& name,
                                const TetMesh& mesh);
std::vector<Pin> parse_pins(std::string_view text, const std::string& name, const TetMesh& mesh);
/// The object /solver/line_search of a scene, for a method.
LineSearchSettings parse_line_search(std::string_view text, const std::string& name,
                                     SolverMethod method);

/// parse_scene on a file; mesh files are relative to its folder. Throws Error{bad_file} for a file
/// that cannot be read.
LoadedScene load_scene_with_settings(const std::filesystem::path& file,
                                     const std::vector<Override>& overrides = {});

/// The JSON Schema (draft 7) of scenes, for editors. It is made of what the reader says that it
/// reads in example scenes: keys, types, ranges, names and defaults. What depends on more than one
/// key the reader alone refuses, but for the keys of a solver's method and of a material's model.
std::string scene_schema();

/// Name and file of every scene (*.json) in a folder, sorted by file name. A file that is no scene
/// is left out; so is a folder that is not there.
struct SceneFile {
  std::filesystem::path file;
  std::string name;
};
std::vector<SceneFile> list_scenes(const std::filesystem::path& folder);

}  // namespace supple
