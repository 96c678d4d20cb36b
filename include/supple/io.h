#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "supple/compare.h"
#include "supple/mesh.h"
#include "supple/scene.h"

#pragma GCC visibility push(default)

/// Reads scene and mesh files. Everything here throws Error{bad_file} with file and line if a file
/// cannot be read or is malformed, and Error{invalid_input} with file and JSON pointer if a scene
/// is invalid.
namespace supple {

/// Replaces a value of the scene file.
struct Override {
  std::string pointer{};  ///< JSON pointer, for example "/solver/iterations"
  std::string value{};    ///< JSON; anything that is not valid JSON is taken as a string
};

/// Reads a scene (JSON with comments; docs/scene.md). Paths of mesh files are relative to the
/// scene's folder.
Scene load_scene(const std::filesystem::path& file, const std::vector<Override>& overrides = {});

/// Parses "l_bfgs:history=5,initial_hessian=rest": a method, then keys of /solver with their values
/// (nested ones as line_search/type=none). All other settings keep their defaults; `iterations` and
/// `budget_ms` are not accepted. The label is the text itself. Throws Error{invalid_input} with the
/// text as `where`.
LabelledSolver parse_solver(const std::string& text);

/// Reads a tetrahedral mesh. The file's extension chooses the format: .mesh (MEDIT), .msh (Gmsh 2.2
/// and 4.1, ASCII and binary), .node or .ele (TetGen; the other one must lie beside it), .vtk
/// (legacy), .vtu. The result is normalised.
TetMesh read_tet_mesh(const std::filesystem::path& file);

/// Reads a triangle mesh. The file's extension chooses the format: .obj, .ply, .stl, .off. Polygons
/// are cut into triangles; equal vertices of an STL are merged.
TriangleMesh read_triangle_mesh(const std::filesystem::path& file);

/// Reads strands: the lines ("l") of an .obj, the edges of a .ply. They become segments in the
/// order of the file, structural springs along them, and bending springs over each vertex where
/// exactly two meet. Errors also name a segment without length and one that is there twice.
SpringMesh read_strands(const std::filesystem::path& file);

}  // namespace supple

#pragma GCC visibility pop
