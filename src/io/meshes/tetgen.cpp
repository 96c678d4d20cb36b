#include <string>
#include <string_view>

#include "io/meshes/cursor.h"
#include "io/meshes/formats.h"
#include "io/meshes/tet_assembly.h"

// TetGen's .node and .ele: H. Si, "TetGen: A Quality Tetrahedral Mesh Generator and a 3D Delaunay
// Triangulator", WIAS technical report 13, 2013, section 5.2. One line per vertex, one line per
// tet.

namespace supple {

namespace {

constexpr Cursor::Syntax tetgen_syntax{'#', false};
constexpr std::int64_t most_columns = 1000;

std::size_t column_count(Cursor& cursor, What what) {
  const std::int64_t number = cursor.integer(what);
  if (number < 0 || number > most_columns) {
    cursor.source().fail(cursor.last(), what.text() + " is " + std::to_string(number) +
                                            ": expected 0 to " + std::to_string(most_columns));
  }
  return static_cast<std::size_t>(number);
}

/// A count that can be missing at the end of a line, and then is 0.
std::size_t optional_column_count(Cursor& cursor, What what) {
  return cursor.at_line_end() ? 0 : column_count(cursor, what);
}

/// A number on the current line.
double real_in_line(Cursor& cursor, What what) {
  if (cursor.at_line_end()) cursor.fail("the line ends where " + what.text() + " was expected");
  return cursor.real(what);
}

std::int64_t integer_in_line(Cursor& cursor, What what) {
  if (cursor.at_line_end()) cursor.fail("the line ends where " + what.text() + " was expected");
  return cursor.integer(what);
}

void expect_number(Cursor& cursor, std::int64_t number, std::int64_t expected,
                   const std::string& what) {
  if (number == expected) return;
  cursor.source().fail(cursor.last(), what + " " + std::to_string(number) +
                                          " is out of order: expected number " +
                                          std::to_string(expected));
}

void read_nodes(const Source& source, TetAssembly& assembly) {
  Cursor cursor(source, tetgen_syntax);
  constexpr std::size_t least_line = 8;  // "0 0 0 0\n"
  // The counts are on one line. What follows is checked against the size of the file.
  const std::size_t count = cursor.count("number of vertices", least_line);
  const std::int64_t dimension = integer_in_line(cursor, "dimension");
  if (dimension != 3) {
    source.fail(cursor.last(),
                "the vertices have dimension " + std::to_string(dimension) + ": expected 3");
  }
  const std::size_t columns = optional_column_count(cursor, "number of attributes") +
                              optional_column_count(cursor, "number of boundary markers");
  cursor.end_line("the counts");
  assembly.vertices.resize(count);
  for (std::size_t v = 0; v < count; ++v) {
    const std::int64_t number = cursor.integer({"number of vertex", v});
    if (v == 0) {
      if (number != 0 && number != 1) {
        source.fail(cursor.last(),
                    "the first vertex has number " + std::to_string(number) + ": expected 0 or 1");
      }
      assembly.first_vertex = number;
    }
    expect_number(cursor, number, assembly.first_vertex + static_cast<std::int64_t>(v), "vertex");
    for (double& x : assembly.vertices[v]) x = real_in_line(cursor, {"coordinate of vertex", v});
    for (std::size_t a = 0; a < columns; ++a) real_in_line(cursor, {"attribute of vertex", v});
    cursor.end_line({"vertex", v});
  }
  cursor.expect_end("the last vertex");
}

void read_tets(const Source& source, TetAssembly& assembly) {
  Cursor cursor(source, tetgen_syntax);
  constexpr std::size_t least_line = 10;  // "0 0 1 2 3\n"
  const std::size_t count = cursor.count("number of tets", least_line);
  std::int64_t corners = 4;
  if (!cursor.at_line_end()) corners = cursor.integer("corners of a tet");
  if (corners != 4 && corners != 10) {
    source.fail(cursor.last(),
                "the tets have " + std::to_string(corners) + " corners: expected 4 or 10");
  }
  const std::size_t attributes = optional_column_count(cursor, "number of attributes");
  cursor.end_line("the counts");
  assembly.tets.resize(count);
  std::vector<std::vector<double>> values(attributes);
  for (std::size_t t = 0; t < count; ++t) {
    TetAssembly::PlacedTet& tet = assembly.tets[t];
    const std::int64_t number = cursor.integer({"number of tet", t});
    tet.offset = cursor.last();
    expect_number(cursor, number, assembly.first_vertex + static_cast<std::int64_t>(t), "tet");
    for (std::int64_t& corner : tet.corners) {
      corner = integer_in_line(cursor, {"corner of tet", t});
    }
    for (std::int64_t c = 4; c < corners; ++c) {
      integer_in_line(cursor, {"middle of an edge of tet", t});
    }
    for (std::vector<double>& column : values) {
      column.push_back(real_in_line(cursor, {"attribute of tet", t}));
    }
    cursor.end_line({"tet", t});
  }
  cursor.expect_end("the last tet");
  for (std::size_t a = 0; a < attributes; ++a) {
    assembly.fields["attribute_" + std::to_string(a + 1)] = std::move(values[a]);
  }
}

}  // namespace

TetMesh parse_tetgen(std::string_view node_bytes, const std::string& node_name,
                     std::string_view ele_bytes, const std::string& ele_name) {
  const Source nodes(node_bytes, node_name);
  const Source tets(ele_bytes, ele_name);
  TetAssembly assembly;
  read_nodes(nodes, assembly);
  read_tets(tets, assembly);
  return assembly.finish(tets);
}

}  // namespace supple
