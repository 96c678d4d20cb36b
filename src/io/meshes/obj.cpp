#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/names.h"
#include "io/meshes/cursor.h"
#include "io/meshes/formats.h"
#include "io/meshes/line_assembly.h"
#include "io/meshes/surface_assembly.h"

// Wavefront OBJ, "Object Files (.obj)", Wavefront Advanced Visualizer manual, appendix B1.
//
// A reader of our own: tinyobjloader 2.0 silently takes a coordinate that is not a number for 0 and
// accepts a negative index before the first vertex. A simulation needs an error with the line.

namespace supple {

namespace {

/// Statements that do not affect the polygons.
const std::vector<std::string>& skipped_statements() {
  static const std::vector<std::string> names{
      "vt",     "vn",         "vp",        "g",      "o",    "s",     "mg",       "usemtl",
      "mtllib", "usemap",     "maplib",    "l",      "p",    "bevel", "c_interp", "d_interp",
      "lod",    "shadow_obj", "trace_obj", "cstype", "deg",  "bmat",  "step",     "curv",
      "curv2",  "surf",       "parm",      "trim",   "hole", "scrv",  "sp",       "end",
      "con",    "ctech",      "stech",     "call",   "csh"};
  return names;
}

class ObjReader {
 public:
  explicit ObjReader(const Source& source) : source_(source), cursor_(source, {'#', true}) {}

  TriangleMesh read() {
    SurfaceAssembly assembly{1};
    read_statements([&](std::string_view statement) {
      if (statement != "f" && statement != "fo") return false;
      const std::size_t place = cursor_.last();
      read_corners("corner of a face");
      assembly.add_polygon(source_, corners_, place);
      return true;
    });
    assembly.vertices = std::move(vertices_);
    return assembly.finish(source_);
  }

  SpringMesh read_lines() {
    LineAssembly assembly{1};
    read_statements([&](std::string_view statement) {
      if (statement != "l") return false;
      const std::size_t place = cursor_.last();
      read_corners("vertex of a line");
      if (corners_.size() < 2) {
        source_.fail(place, "a line of " + std::to_string(corners_.size()) +
                                " vertices: expected at least 2");
      }
      for (std::size_t c = 1; c < corners_.size(); ++c) {
        assembly.add_segment(corners_[c - 1], corners_[c], place);
      }
      return true;
    });
    assembly.vertices = std::move(vertices_);
    return assembly.finish(source_);
  }

 private:
  /// Calls take(statement) for everything but vertices. It either reads the rest of the line and
  /// returns true, or returns false, and the statement is skipped.
  template <class Take>
  void read_statements(const Take& take) {
    while (!cursor_.at_end()) {
      const std::string_view statement = cursor_.word("statement");
      if (statement == "v") {
        read_vertex();
      } else if (!take(statement)) {
        check_skipped(statement);
        cursor_.rest_of_line();
      }
    }
  }

  void read_vertex() {
    const std::size_t v = vertices_.size();
    Vec3 x{};
    for (double& coordinate : x) {
      if (cursor_.at_line_end()) {
        cursor_.fail("the line ends where a coordinate of vertex " + std::to_string(v + 1) +
                     " was expected");
      }
      coordinate = cursor_.real({"coordinate of vertex", v + 1});
    }
    vertices_.push_back(x);
    // A weight or a colour may follow.
    while (!cursor_.at_line_end()) cursor_.real({"weight or colour of vertex", v + 1});
    cursor_.rest_of_line();
  }

  void read_corners(const char* what) {
    corners_.clear();
    while (!cursor_.at_line_end()) corners_.push_back(read_corner(what));
    cursor_.rest_of_line();
  }

  /// "12", "12/3", "12//4" or "12/3/4": the first number, counting from 1; -1 is the latest vertex.
  std::int64_t read_corner(const char* what) {
    const std::string_view word = cursor_.word(what);
    const std::string_view digits = word.substr(0, word.find('/'));
    std::int64_t corner = 0;
    const auto [stop, code] = std::from_chars(digits.data(), digits.data() + digits.size(), corner);
    const bool rest_is_sound =
        word.find_first_not_of("0123456789-/", digits.size()) == std::string_view::npos;
    if (code != std::errc() || stop != digits.data() + digits.size() || !rest_is_sound) {
      source_.fail(cursor_.last(),
                   "expected a corner such as 1, 1/2, 1//3 or 1/2/3, found " + in_quotes(word));
    }
    const auto num_vertices = static_cast<std::int64_t>(vertices_.size());
    if (corner >= 0) return corner;
    if (corner < -num_vertices) {
      source_.fail(cursor_.last(), "a vertex " + std::to_string(corner) +
                                       " counted back is named, but only " +
                                       std::to_string(num_vertices) + " stand before it");
    }
    return num_vertices + 1 + corner;
  }

  void check_skipped(std::string_view statement) {
    for (const std::string& name : skipped_statements()) {
      if (name == statement) return;
    }
    if (statement == "f" || statement == "fo") return;
    std::vector<std::string> names = skipped_statements();
    names.insert(names.begin(), {"v", "f"});
    source_.fail(cursor_.last(), unknown_name("OBJ statement", statement, names));
  }

  const Source& source_;
  Cursor cursor_;
  std::vector<Vec3> vertices_;
  std::vector<std::int64_t> corners_;
};

}  // namespace

TriangleMesh parse_obj(std::string_view bytes, const std::string& name) {
  const Source source(bytes, name);
  return ObjReader(source).read();
}

SpringMesh parse_obj_lines(std::string_view bytes, const std::string& name) {
  const Source source(bytes, name);
  return ObjReader(source).read_lines();
}

}  // namespace supple
