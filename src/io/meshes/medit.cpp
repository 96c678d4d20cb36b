#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "io/meshes/cursor.h"
#include "io/meshes/formats.h"
#include "io/meshes/tet_assembly.h"

// MEDIT's format: P. Frey, "MEDIT: An interactive mesh visualization software", INRIA technical
// report 253, 2001, appendix.

namespace supple {

namespace {

/// Keywords whose numbers are skipped.
const std::vector<std::string>& skipped_keywords() {
  static const std::vector<std::string> names{
      "Edges",
      "Triangles",
      "Quadrilaterals",
      "Hexahedra",
      "Prisms",
      "Pentahedra",
      "Pyramids",
      "Corners",
      "Ridges",
      "Normals",
      "Tangents",
      "RequiredVertices",
      "RequiredEdges",
      "RequiredTriangles",
      "RequiredQuadrilaterals",
      "NormalAtVertices",
      "NormalAtTriangleVertices",
      "NormalAtQuadrilateralVertices",
      "NormalAtTetrahedronVertices",
      "TangentAtVertices",
      "TangentAtEdges",
      "TangentAtEdgeVertices",
      "AngleOfCornerBound",
      "VertexOnGeometricVertex",
      "VertexOnGeometricEdge",
      "VertexOnGeometricTriangle",
      "VertexOnGeometricQuadrilateral",
      "EdgeOnGeometricEdge",
      "TriangleOnGeometricTriangle",
      "TriangleOnGeometricQuadrilateral",
      "QuadrilateralOnGeometricTriangle",
      "QuadrilateralOnGeometricQuadrilateral",
      "SubDomainFromMesh",
      "SubDomainFromGeom",
      "SubDomain",
      "BoundingBox",
      "IntersectionBox",
      "MeshOn",
      "EdgesP2",
      "TrianglesP2",
      "TetrahedraP2",
      "RequiredTetrahedra",
      "Periodic",
      "IsoLines",
      "PrivateTable",
  };
  return names;
}

class MeditReader {
 public:
  explicit MeditReader(const Source& source) : source_(source), cursor_(source, {'#', false}) {
    assembly_.first_vertex = 1;
  }

  TetMesh read() {
    if (!same_word(cursor_.peek(), "MeshVersionFormatted")) {
      cursor_.fail("expected 'MeshVersionFormatted' at the beginning of a MEDIT mesh, found " +
                   in_quotes(cursor_.peek()));
    }
    while (!cursor_.at_end() && !read_section()) {
    }
    cursor_.expect_end("End");
    if (!dimension_) source_.fail("there is no keyword 'Dimension': expected 'Dimension 3'");
    if (!vertices_) source_.fail("there is no keyword 'Vertices'");
    return assembly_.finish(source_);
  }

 private:
  /// Returns whether the section was the end.
  bool read_section() {
    const std::string_view keyword = cursor_.word("keyword");
    const auto is = [&](std::string_view name) { return same_word(keyword, name); };
    if (is("End")) return true;
    if (is("MeshVersionFormatted")) {
      read_version();
    } else if (is("Dimension")) {
      read_dimension();
    } else if (is("Vertices")) {
      read_vertices();
    } else if (is("Tetrahedra")) {
      read_tets();
    } else {
      skip_section(keyword);
    }
    return false;
  }

  void read_version() {
    const std::int64_t version = cursor_.integer("version of the MEDIT mesh");
    if (version < 1 || version > 4) {
      source_.fail(cursor_.last(),
                   "MEDIT version " + std::to_string(version) + " is not known: expected 1 to 4");
    }
  }

  void read_dimension() {
    const std::int64_t dimension = cursor_.integer("dimension");
    if (dimension != 3) {
      source_.fail(cursor_.last(),
                   "the mesh has dimension " + std::to_string(dimension) + ": expected 3");
    }
    dimension_ = true;
  }

  void read_vertices() {
    if (vertices_) source_.fail(cursor_.last(), "a second list of vertices");
    vertices_ = true;
    constexpr std::size_t least_line = 8;  // "0 0 0 0\n"
    const std::size_t count = cursor_.count("number of vertices", least_line);
    assembly_.vertices.resize(count);
    for (std::size_t v = 0; v < count; ++v) {
      for (double& x : assembly_.vertices[v]) x = cursor_.real({"coordinate of vertex", v});
      // Some programs write references as 0.; references have no meaning here.
      cursor_.real({"reference of vertex", v});
    }
    expect_keyword("vertices", count);
  }

  void read_tets() {
    if (!assembly_.tets.empty()) source_.fail(cursor_.last(), "a second list of tetrahedra");
    constexpr std::size_t least_line = 10;  // "1 2 3 4 0\n"
    const std::size_t count = cursor_.count("number of tetrahedra", least_line);
    assembly_.tets.resize(count);
    for (std::size_t t = 0; t < count; ++t) {
      TetAssembly::PlacedTet& tet = assembly_.tets[t];
      for (std::size_t c = 0; c < 4; ++c) {
        tet.corners[c] = cursor_.integer({"corner of tet", t});
        if (c == 0) tet.offset = cursor_.last();
      }
      cursor_.real({"reference of tet", t});
    }
    expect_keyword("tetrahedra", count);
  }

  static bool starts_number(std::string_view word) {
    return !word.empty() &&
           (std::string_view("+-.0123456789").find(word[0]) != std::string_view::npos);
  }

  void expect_keyword(const std::string& what, std::size_t count) {
    const std::string_view next = cursor_.peek();
    if (!starts_number(next)) return;
    cursor_.fail("more " + what + " than the " + std::to_string(count) +
                 " announced: expected a keyword, found " + in_quotes(next));
  }

  void skip_section(std::string_view keyword) {
    bool known = false;
    for (const std::string& name : skipped_keywords()) known = known || same_word(name, keyword);
    if (!known) {
      std::vector<std::string> names = skipped_keywords();
      names.insert(names.begin(), {"Vertices", "Tetrahedra", "Dimension", "End"});
      source_.fail(cursor_.last(), starts_number(keyword)
                                       ? "expected a keyword, found " + in_quotes(keyword)
                                       : unknown_name("MEDIT keyword", keyword, names));
    }
    while (starts_number(cursor_.peek())) cursor_.word("number");
  }

  const Source& source_;
  Cursor cursor_;
  TetAssembly assembly_;
  bool dimension_ = false;
  bool vertices_ = false;
};

}  // namespace

TetMesh parse_medit(std::string_view bytes, const std::string& name) {
  const Source source(bytes, name);
  return MeditReader(source).read();
}

}  // namespace supple
