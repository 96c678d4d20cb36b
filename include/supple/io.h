#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "supple/compare.h"
#include "supple/mesh.h"
#include "supple/scene.h"

/// Files: scenes and meshes. Everything here throws Error{bad_file} for a file that cannot be read
/// or is not what it says, with file and line, and Error{invalid_input} for a scene that is not
/// valid, with file and JSON pointer.
namespace supple {

/// A setting that replaces a value of the scene file.
struct Override {
  std::string pointer{};  ///< JSON pointer, for example "/solver/iterations"
  std::string value{};    ///< JSON; what is not valid JSON is taken as a string
};

/// Reads a scene (JSON with comments; docs/scene.md). Mesh files are relative to the scene's
/// folder.
Scene load_scene(const std::filesystem::path& file, const std::vector<Override>& overrides = {});

/// "l_bfgs:history=5,initial_hessian=rest": a method, and keys of /solver with their values (nested
/// ones as line_search/type=none), over the default settings. The label is the text. `iterations`
/// and `budget_ms` are no keys here. Throws Error{invalid_input} with the text as its place.
LabelledSolver parse_solver(const std::string& text);

/// Reads a tetrahedral mesh by the file's ending: .mesh (MEDIT), .msh (Gmsh 2.2 and 4.1, ASCII and
/// binary), .node or .ele (TetGen, its pair beside it), .vtk (legacy), .vtu. The result is
/// normalised.
TetMesh read_tet_mesh(const std::filesystem::path& file);

/// Reads a triangle mesh by the file's ending: .obj, .ply, .stl, .off. Polygons are cut into
/// triangles; equal vertices of an STL are joined.
TriangleMesh read_triangle_mesh(const std::filesystem::path& file);

}  // namespace supple
