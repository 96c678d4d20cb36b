#include <string>
#include <string_view>

#include "check.h"
#include "io/meshes/formats.h"
#include "supple/mesh.h"

// The first byte, a digit, selects the format: 0 MEDIT, 1 Gmsh, 2 TetGen, 3 VTK, 4 VTU (other
// values modulo 5). A line "----" separates TetGen's files.

namespace supple::fuzz {
namespace {

TetMesh parse(unsigned format, std::string_view bytes) {
  switch (format) {
    case 0:
      return parse_medit(bytes, "input");
    case 1:
      return parse_gmsh(bytes, "input");
    case 2: {
      constexpr std::string_view divider = "----\n";
      const std::size_t cut = bytes.find(divider);
      if (cut == std::string_view::npos) return parse_tetgen(bytes, "input", "", "input");
      return parse_tetgen(bytes.substr(0, cut), "input", bytes.substr(cut + divider.size()),
                          "input");
    }
    case 3:
      return parse_vtk(bytes, "input");
    default:
      return parse_vtu(bytes, "input");
  }
}

void check(const TetMesh& mesh) {
  require(!mesh.tets.empty(), "a mesh has tets");
  for (const auto& tet : mesh.tets) {
    for (const int corner : tet) {
      require(corner >= 0 && static_cast<std::size_t>(corner) < mesh.vertices.size(),
              "corners are in range");
    }
  }
  for (const double volume : tet_volumes(mesh)) require(volume > 0, "tets are right-handed");
  for (const auto& [name, values] : mesh.tet_fields) {
    require(values.size() == mesh.tets.size(), "fields have a value a tet");
  }
}

}  // namespace
}  // namespace supple::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const unsigned format = (static_cast<unsigned>(data[0]) + 256U - '0') % 256U % 5U;
  supple::fuzz::expect_mesh_or_error(
      "input", [&] { supple::fuzz::check(supple::fuzz::parse(format, input.substr(1))); });
  return 0;
}
