#include <filesystem>
#include <string>
#include <vector>

#include "base/names.h"
#include "io/meshes/formats.h"
#include "io/meshes/source.h"
#include "supple/error.h"
#include "supple/io.h"

namespace supple {

namespace {

using std::filesystem::path;

/// The ending in lower case (ASCII), with its dot.
std::string ending_of(const path& file) {
  std::string ending = file.extension().string();
  for (char& c : ending) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return ending;
}

/// Either file of a pair names both.
TetMesh read_tetgen(const path& file) {
  const auto load = [&](const char* ending) {
    path part = file;
    if (ending_of(file) != ending) {
      part.replace_extension(ending);
      if (!std::filesystem::exists(part)) {
        throw Error(ErrorKind::bad_file, file.string(),
                    "its pair is missing: expected '" + part.filename().string() + "' beside it");
      }
    }
    return std::pair(load_bytes(part), part.string());
  };
  const auto [node_bytes, node_name] = load(".node");
  const auto [ele_bytes, ele_name] = load(".ele");
  return parse_tetgen(node_bytes, node_name, ele_bytes, ele_name);
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

[[noreturn]] void fail_on_ending(const path& file, const char* what,
                                 const std::vector<std::string>& known) {
  throw Error(
      ErrorKind::bad_file, file.string(),
      unknown_name(std::string(what) + " with the ending", file.extension().string(), known));
}

}  // namespace

TetMesh read_tet_mesh(const path& file) {
  const std::string ending = ending_of(file);
  if (ending == ".node" || ending == ".ele") return read_tetgen(file);
  std::vector<std::string> known{".node", ".ele"};
  for (const auto& format : tet_formats) {
    if (ending == format.ending) return format.parse(load_bytes(file), file.string());
    known.emplace_back(format.ending);
  }
  fail_on_ending(file, "tetrahedral mesh", known);
}

TriangleMesh read_triangle_mesh(const path& file) {
  const std::string ending = ending_of(file);
  std::vector<std::string> known;
  for (const auto& format : surface_formats) {
    if (ending == format.ending) return format.parse(load_bytes(file), file.string());
    known.emplace_back(format.ending);
  }
  fail_on_ending(file, "surface", known);
}

}  // namespace supple
