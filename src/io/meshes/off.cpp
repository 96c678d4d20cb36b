#include <string>
#include <string_view>
#include <vector>

#include "io/meshes/cursor.h"
#include "io/meshes/formats.h"
#include "io/meshes/surface_assembly.h"

// OFF as described by Geomview (www.geomview.org, "OFF Files"): one line per vertex, one line per
// face.

namespace supple {

namespace {

void read_header(Cursor& cursor) {
  std::string_view keyword = cursor.word("'OFF'");
  const std::size_t place = cursor.last();
  const std::string_view whole = keyword;
  for (const std::string_view prefix : {"ST", "C", "N"}) {
    if (keyword.starts_with(prefix)) keyword.remove_prefix(prefix.size());
  }
  if (keyword == "4OFF" || keyword == "nOFF" || keyword == "4nOFF") {
    cursor.source().fail(place, "the vertices of " + in_quotes(whole) +
                                    " are not in three dimensions: expected 'OFF'");
  }
  if (keyword != "OFF") cursor.source().fail(place, "expected 'OFF', found " + in_quotes(whole));
  if (same_word(cursor.peek(), "BINARY")) cursor.fail("binary OFF is not read: expected ASCII");
}

void read_face(Cursor& cursor, std::size_t f, std::vector<std::int64_t>& corners,
               SurfaceAssembly& assembly) {
  corners.clear();
  constexpr std::size_t least_corner = 2;  // "0 "
  const std::size_t count = cursor.count({"number of corners of face", f}, least_corner);
  const std::size_t place = cursor.last();
  for (std::size_t c = 0; c < count; ++c) {
    if (cursor.at_line_end()) {
      cursor.fail("the line ends where corner " + std::to_string(c) + " of " +
                  std::to_string(count) + " of face " + std::to_string(f) + " was expected");
    }
    corners.push_back(cursor.integer({"corner of face", f}));
  }
  assembly.add_polygon(cursor.source(), corners, place);
  cursor.rest_of_line();  // a colour
}

}  // namespace

TriangleMesh parse_off(std::string_view bytes, const std::string& name) {
  const Source source(bytes, name);
  Cursor cursor(source, {'#', false});
  read_header(cursor);
  SurfaceAssembly assembly(0);
  constexpr std::size_t least_vertex = 6;  // "0 0 0\n"
  constexpr std::size_t least_face = 8;    // "3 0 1 2\n"
  const std::size_t num_vertices = cursor.count("number of vertices", least_vertex);
  const std::size_t num_faces = cursor.count("number of faces", least_face);
  if (!cursor.at_line_end()) cursor.integer("number of edges");
  cursor.end_line("the counts");
  assembly.vertices.resize(num_vertices);
  for (std::size_t v = 0; v < num_vertices; ++v) {
    for (std::size_t d = 0; d < 3; ++d) {
      if (d > 0 && cursor.at_line_end()) {
        cursor.fail("the line ends where a coordinate of vertex " + std::to_string(v) +
                    " was expected");
      }
      assembly.vertices[v][d] = cursor.real({"coordinate of vertex", v});
    }
    cursor.rest_of_line();  // normal, colour, texture coordinates
  }
  std::vector<std::int64_t> corners;
  for (std::size_t f = 0; f < num_faces; ++f) read_face(cursor, f, corners, assembly);
  cursor.expect_end("the last face");
  return assembly.finish(source);
}

}  // namespace supple
