#include <string>
#include <string_view>

#include "check.h"
#include "io/meshes/formats.h"
#include "supple/mesh.h"

// The first byte, a digit, selects the format: 0 OBJ, 1 PLY, 2 STL, 3 OFF (other values modulo 4).

namespace supple::fuzz {
namespace {

TriangleMesh parse(unsigned format, std::string_view bytes) {
  switch (format) {
    case 0:
      return parse_obj(bytes, "input");
    case 1:
      return parse_ply(bytes, "input");
    case 2:
      return parse_stl(bytes, "input");
    default:
      return parse_off(bytes, "input");
  }
}

/// Checks what the same bytes contain as strands, which may be nothing.
void check_strands(unsigned format, std::string_view bytes) {
  const SpringMesh mesh =
      format == 0 ? parse_obj_lines(bytes, "input") : parse_ply_lines(bytes, "input");
  for (const auto& [a, b] : mesh.segments) {
    for (const int end : {a, b}) {
      require(end >= 0 && static_cast<std::size_t>(end) < mesh.vertices.size(),
              "ends are in range");
    }
    require(a != b, "ends of a segment differ");
  }
}

void check(const TriangleMesh& mesh) {
  require(!mesh.triangles.empty(), "a surface has triangles");
  for (const auto& t : mesh.triangles) {
    for (const int corner : t) {
      require(corner >= 0 && static_cast<std::size_t>(corner) < mesh.vertices.size(),
              "corners are in range");
    }
    require(t[0] != t[1] && t[1] != t[2] && t[2] != t[0], "corners of a triangle differ");
  }
}

}  // namespace
}  // namespace supple::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const unsigned format = (static_cast<unsigned>(data[0]) + 256U - '0') % 256U % 4U;
  supple::fuzz::expect_mesh_or_error(
      "input", [&] { supple::fuzz::check(supple::fuzz::parse(format, input.substr(1))); });
  if (format > 1) return 0;
  supple::fuzz::expect_mesh_or_error("input",
                                     [&] { supple::fuzz::check_strands(format, input.substr(1)); });
  return 0;
}
