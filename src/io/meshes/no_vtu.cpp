// Replaces vtu.cpp if pugixml and zlib are not available.
#include "io/meshes/formats.h"
#include "supple/error.h"

namespace supple {

TetMesh parse_vtu(std::string_view, const std::string& name) {
  throw Error(ErrorKind::bad_file, name,
              "this build does not read VTU: expected .mesh, .msh, .node with .ele, or .vtk");
}

}  // namespace supple
