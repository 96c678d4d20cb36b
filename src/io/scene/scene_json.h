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

/// Scenes from JSON text (docs/scene.md). The reader is strict, so that a misspelt key is noticed.
namespace supple {

/// A body's elements: tets, or a cloth, a strand or a surface from a file.
using BodyMesh = std::variant<TetMesh, SpringMesh>;

/// Where the files named in a scene come from. The functions get the path as it is written there.
struct SceneSources {
  /// A mesh of a body that the program has in memory. It takes precedence over files; null: there
  /// is none of that name. The function may be empty.
  std::function<const BodyMesh*(const std::string& name)> in_memory;
  std::function<TetMesh(const std::string& path)> tet_mesh;
  std::function<TriangleMesh(const std::string& path)> triangle_mesh;
  std::function<SpringMesh(const std::string& path)> strands_or_surface;
  std::function<HeightGrid(const std::string& path)> height_grid;
  /// Limit for all generated bodies together.
  std::size_t max_tets = max_generated_tets;
};

struct LoadedScene {
  Scene scene;
  /// The scene as JSON with every default filled in, keys in a fixed order, paths as given. Reading
  /// it gives the same scene. The readers themselves make it: they record the value they use for
  /// each key.
  std::string settings;
  /// Every key that was read and what it accepts, for panels and editors. The readers make this
  /// list, too. It has no keys that the chosen solver, material or integrator does not read.
  std::vector<ReadField> fields;
};

/// `name` is used in errors; its stem is the default name of the scene. Throws Error{invalid_input}
/// at "name:LINE:COLUMN" or "name: /json/pointer", and whatever `sources` throw.
LoadedScene parse_scene(std::string_view text, const std::string& name, const SceneSources& sources,
                        const std::vector<Override>& overrides = {});

/// Reads, from JSON text, what a scene gives as the material of a body of tets or as the pins of a
/// body. Parameters by field come from `mesh`, and so do selected vertices. Errors as in
/// parse_scene, with `name` in place of the file.
MaterialSettings parse_material(std::string_view text, const std::string& name,
                                const TetMesh& mesh);
std::vector<Pin> parse_pins(std::string_view text, const std::string& name, const TetMesh& mesh);
/// Reads the object /solver/line_search of a scene, for a method.
LineSearchSettings parse_line_search(std::string_view text, const std::string& name,
                                     SolverMethod method);

/// parse_scene for a file; mesh files are relative to its folder. Throws Error{bad_file} for a file
/// that cannot be read.
LoadedScene load_scene_with_settings(const std::filesystem::path& file,
                                     const std::vector<Override>& overrides = {});

/// The JSON Schema (draft 7) of scenes, for editors. It is built from what the reader reports for
/// example scenes: keys, types, ranges, names and defaults. Of the rules that involve more than one
/// key it has only those for the keys of a solver's method and of a material's model; the reader
/// alone checks the others.
std::string scene_schema();

/// Name and file of every scene (*.json) in a folder, sorted by file name. Files that are not
/// scenes are left out. A folder that does not exist has no scenes.
struct SceneFile {
  std::filesystem::path file;
  std::string name;
};
std::vector<SceneFile> list_scenes(const std::filesystem::path& folder);

}  // namespace supple
