#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/names.h"
#include "io/meshes/endings.h"
#include "io/meshes/formats.h"
#include "io/meshes/heights.h"
#include "io/meshes/line_assembly.h"
#include "io/meshes/source.h"
#include "supple/error.h"
#include "supple/io.h"

namespace supple {

namespace {

using std::filesystem::path;

/// Either file of a pair stands for both.
TetMesh read_tetgen(const path& file, const FileBytes& bytes) {
  const auto load = [&](const char* ending) {
    path part = file;
    if (ending_of(file) != ending) part.replace_extension(ending);
    return std::pair(bytes(part), part.string());
  };
  const auto [node_bytes, node_name] = load(".node");
  const auto [ele_bytes, ele_name] = load(".ele");
  return parse_tetgen(node_bytes, node_name, ele_bytes, ele_name);
}

/// Reads from the disk, where the other file of a pair may be missing.
FileBytes bytes_beside(const path& file) {
  return [file](const path& part) {
    if (part != file && !std::filesystem::exists(part)) {
      throw Error(
          ErrorKind::bad_file, file.string(),
          "its companion file is missing: expected '" + part.filename().string() + "' beside it");
    }
    return load_bytes(part);
  };
}

template <typename Mesh>
struct Format {
  const char* ending;
  Mesh (*parse)(std::string_view bytes, const std::string& name);
};

constexpr Format<TetMesh> tet_formats[] = {
    {".mesh", parse_medit}, {".msh", parse_gmsh}, {".vtk", parse_vtk}, {".vtu", parse_vtu}};
constexpr Format<TriangleMesh> surface_formats[] = {
    {".obj", parse_obj}, {".ply", parse_ply}, {".stl", parse_stl}, {".off", parse_off}};

constexpr Format<SpringMesh> strand_formats[] = {{".obj", parse_obj_lines},
                                                 {".ply", parse_ply_lines}};

/// Null: files with this ending hold no strands.
const Format<SpringMesh>* strand_format(const path& file) {
  const std::string ending = ending_of(file);
  for (const auto& format : strand_formats) {
    if (ending == format.ending) return &format;
  }
  return nullptr;
}

/// `known`: the expected endings; `others`: those of the other kind of mesh.
[[noreturn]] void fail_on_ending(const path& file, const std::string& expected,
                                 const std::vector<std::string>& known, const std::string& other,
                                 const std::vector<std::string>& others) {
  const std::string ending = ending_of(file);
  std::string message = unknown_name(expected + " format", ending, known);
  if (std::find(others.begin(), others.end(), ending) != others.end()) {
    message = "'" + ending + "' holds a " + other + ": expected a " + expected + " (";
    for (const std::string& name : known) message += (name == known.front() ? "" : ", ") + name;
    message += ")";
  }
  throw Error(ErrorKind::bad_file, file.string(), message);
}

}  // namespace

TetMesh read_tet_mesh(const path& file, const FileBytes& bytes) {
  const std::string ending = ending_of(file);
  if (ending == ".node" || ending == ".ele") return read_tetgen(file, bytes);
  for (const auto& format : tet_formats) {
    if (ending == format.ending) return format.parse(bytes(file), file.string());
  }
  fail_on_ending(file, "tetrahedral mesh", tet_endings(), "surface", surface_endings());
}

TriangleMesh read_triangle_mesh(const path& file, const FileBytes& bytes) {
  const std::string ending = ending_of(file);
  for (const auto& format : surface_formats) {
    if (ending == format.ending) return format.parse(bytes(file), file.string());
  }
  fail_on_ending(file, "surface", surface_endings(), "tetrahedral mesh", tet_endings());
}

SpringMesh read_strands(const path& file, const FileBytes& bytes) {
  const Format<SpringMesh>* const format = strand_format(file);
  if (format == nullptr) {
    throw Error(ErrorKind::bad_file, file.string(),
                unknown_name("format of strands", ending_of(file), strand_endings()));
  }
  return with_segments(format->parse(bytes(file), file.string()), file.string());
}

SpringMesh read_strands_or_surface(const path& file, const FileBytes& bytes) {
  if (const Format<SpringMesh>* const format = strand_format(file)) {
    SpringMesh strands = format->parse(bytes(file), file.string());
    if (!strands.segments.empty()) return strands;
  }
  TriangleMesh surface = read_triangle_mesh(file, bytes);
  SpringMesh cloth;
  cloth.vertices = std::move(surface.vertices);
  cloth.triangles = std::move(surface.triangles);
  return cloth;
}

HeightGrid read_heights(const path& file) { return parse_heights(load_bytes(file), file.string()); }

TetMesh read_tet_mesh(const path& file) { return read_tet_mesh(file, bytes_beside(file)); }
TriangleMesh read_triangle_mesh(const path& file) {
  return read_triangle_mesh(file, bytes_beside(file));
}
SpringMesh read_strands(const path& file) { return read_strands(file, bytes_beside(file)); }
SpringMesh read_strands_or_surface(const path& file) {
  return read_strands_or_surface(file, bytes_beside(file));
}

}  // namespace supple
