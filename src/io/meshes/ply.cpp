#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/names.h"
#include "io/meshes/cursor.h"
#include "io/meshes/formats.h"
#include "io/meshes/line_assembly.h"
#include "io/meshes/surface_assembly.h"

// PLY: G. Turk, "The PLY Polygon File Format", 1994.

namespace supple {

namespace {

struct Property {
  std::string name;
  Scalar type = Scalar::float32;  ///< for a list, the type of its entries
  std::optional<Scalar> count;    ///< for a list, the type of its length
};

struct Element {
  std::string name;
  std::int64_t count = 0;
  std::vector<Property> properties;
};

class PlyReader {
 public:
  explicit PlyReader(Source& source) : source_(source), cursor_(source) {}

  TriangleMesh read() {
    SurfaceAssembly assembly{0};
    read_elements("face", [&](const Element& element) { read_faces(element, assembly); });
    assembly.vertices = std::move(vertices_);
    return assembly.finish(source_);
  }

  SpringMesh read_lines() {
    LineAssembly assembly{0};
    read_elements("edge", [&](const Element& element) { read_edges(element, assembly); });
    assembly.vertices = std::move(vertices_);
    return assembly.finish(source_);
  }

 private:
  /// Reads the vertices, calls take(element) for the elements named `name` and skips the others.
  template <class Take>
  void read_elements(const char* name, const Take& take) {
    read_header();
    for (const Element& element : elements_) {
      if (element.name == "vertex") {
        read_vertices(element);
      } else if (element.name == name) {
        take(element);
      } else {
        skip_element(element);
      }
    }
    if (binary_ && cursor_.remaining() > 0) {
      cursor_.fail(std::to_string(cursor_.remaining()) + " bytes follow the last element");
    }
    if (!binary_) cursor_.expect_end("the last element");
  }

  // ---- header: one statement per line

  void read_header() {
    cursor_.expect("ply");
    cursor_.end_line("'ply'");
    read_format();
    while (true) {
      const std::string_view statement = cursor_.word("'end_header'");
      if (statement == "end_header") break;
      if (statement == "element") {
        elements_.push_back(read_element());
      } else if (statement == "property") {
        read_property();
      } else if (statement != "comment" && statement != "obj_info") {
        source_.fail(cursor_.last(),
                     unknown_name("PLY statement", statement,
                                  {"element", "property", "comment", "obj_info", "end_header"}));
      }
      cursor_.rest_of_line();
    }
    cursor_.end_line("'end_header'");
    if (binary_) source_.tell_bytes();
  }

  void read_format() {
    while (same_word(cursor_.peek(), "comment") || same_word(cursor_.peek(), "obj_info")) {
      cursor_.rest_of_line();
    }
    cursor_.expect("format");
    const std::string_view format = cursor_.word("format");
    constexpr bool big_machine = std::endian::native == std::endian::big;
    if (format == "binary_little_endian" || format == "binary_big_endian") {
      binary_ = true;
      cursor_.set_swapped((format == "binary_big_endian") != big_machine);
    } else if (format != "ascii") {
      source_.fail(cursor_.last(),
                   unknown_name("PLY format", format,
                                {"ascii", "binary_little_endian", "binary_big_endian"}));
    }
    cursor_.expect("1.0");
    cursor_.end_line("the format");
  }

  Element read_element() {
    Element element;
    element.name = std::string(cursor_.word("name of an element"));
    for (const Element& other : elements_) {
      if (other.name == element.name) {
        source_.fail(cursor_.last(), "a second element " + in_quotes(element.name));
      }
    }
    // Checked when the properties are known.
    element.count = cursor_.integer("number of elements");
    if (element.count < 0) source_.fail(cursor_.last(), "a negative number of elements");
    return element;
  }

  void read_property() {
    if (elements_.empty()) source_.fail(cursor_.last(), "a property before the first element");
    Property property;
    if (cursor_.peek() == "list") {
      cursor_.word("'list'");
      property.count = read_type();
      if (!is_integer(*property.count)) {
        source_.fail(cursor_.last(), "the count of a list must be of a whole number type");
      }
    }
    property.type = read_type();
    property.name = std::string(cursor_.word("name of a property"));
    elements_.back().properties.push_back(std::move(property));
  }

  Scalar read_type() {
    static const std::vector<std::pair<std::string, Scalar>> types{
        {"char", Scalar::int8},      {"uchar", Scalar::uint8},    {"short", Scalar::int16},
        {"ushort", Scalar::uint16},  {"int", Scalar::int32},      {"uint", Scalar::uint32},
        {"float", Scalar::float32},  {"double", Scalar::float64}, {"int8", Scalar::int8},
        {"uint8", Scalar::uint8},    {"int16", Scalar::int16},    {"uint16", Scalar::uint16},
        {"int32", Scalar::int32},    {"uint32", Scalar::uint32},  {"float32", Scalar::float32},
        {"float64", Scalar::float64}};
    const std::string_view name = cursor_.word("type of a property");
    std::vector<std::string> names;
    for (const auto& [known, type] : types) {
      if (known == name) return type;
      names.push_back(known);
    }
    source_.fail(cursor_.last(), unknown_name("PLY type", name, names));
  }

  // ---- elements

  /// The least number of bytes of an element; none for an element without properties.
  std::size_t least_bytes(const Element& element) const {
    constexpr std::size_t least_word = 2;
    std::size_t bytes = 0;
    for (const Property& property : element.properties) {
      bytes += binary_ ? size_of(property.count.value_or(property.type)) : least_word;
    }
    return bytes;
  }

  std::size_t checked_count(const Element& element) {
    const std::size_t bytes = least_bytes(element);
    if (bytes == 0) return 0;
    const std::size_t available = (cursor_.remaining() + 1) / bytes;
    if (static_cast<std::uint64_t>(element.count) > available) {
      cursor_.fail("element " + in_quotes(element.name) + " announces " +
                   std::to_string(element.count) + " entries, but only " +
                   std::to_string(cursor_.remaining()) + " bytes follow");
    }
    return static_cast<std::size_t>(element.count);
  }

  std::size_t list_size(const Property& property, What what) {
    const std::int64_t size =
        binary_ ? cursor_.raw_integer(*property.count, what) : cursor_.integer(what);
    constexpr std::size_t least_word = 2;
    return cursor_.checked_count(size, what, binary_ ? size_of(property.type) : least_word);
  }

  void skip_value(const Property& property, What what) {
    const std::size_t values = property.count ? list_size(property, what) : 1;
    if (binary_) {
      cursor_.raw(values * size_of(property.type), what);
    } else {
      for (std::size_t i = 0; i < values; ++i) cursor_.word(what);
    }
  }

  void end_entry(What what) {
    if (!binary_) cursor_.end_line(what);
  }

  void skip_element(const Element& element) {
    const std::size_t count = checked_count(element);
    for (std::size_t i = 0; i < count; ++i) {
      for (const Property& property : element.properties) skip_value(property, {"element", i});
      end_entry({"element", i});
    }
  }

  void read_vertices(const Element& element) {
    const std::size_t none = element.properties.size();
    std::vector<std::size_t> axis(element.properties.size(), 3);  // coordinate index, 3: none
    for (std::size_t d = 0; d < 3; ++d) {
      const std::string name(1, static_cast<char>('x' + d));
      std::size_t found = none;
      for (std::size_t p = 0; p < element.properties.size(); ++p) {
        if (element.properties[p].name == name && !element.properties[p].count) found = p;
      }
      if (found == none) source_.fail("the vertices have no property " + in_quotes(name));
      axis[found] = d;
    }
    const std::size_t count = checked_count(element);
    vertices_.resize(count);
    for (std::size_t v = 0; v < count; ++v) {
      for (std::size_t p = 0; p < axis.size(); ++p) {
        const Property& property = element.properties[p];
        if (axis[p] == 3) {
          skip_value(property, {"a property of vertex", v});
          continue;
        }
        const What what{"a coordinate of vertex", v};
        vertices_[v][axis[p]] =
            binary_ ? cursor_.raw_real(property.type, what) : cursor_.real(what);
      }
      end_entry({"vertex", v});
    }
  }

  void read_faces(const Element& element, SurfaceAssembly& assembly) {
    const auto holds_corners = [](const Property& property) {
      return property.count && is_integer(property.type) &&
             (property.name == "vertex_indices" || property.name == "vertex_index");
    };
    bool found = false;
    for (const Property& property : element.properties) found = found || holds_corners(property);
    if (!found) source_.fail("the faces have no list of whole numbers 'vertex_indices'");
    const std::size_t count = checked_count(element);
    for (std::size_t f = 0; f < count; ++f) {
      for (const Property& property : element.properties) {
        if (holds_corners(property)) {
          read_corners(property, f, assembly);
        } else {
          skip_value(property, {"a property of face", f});
        }
      }
      end_entry({"face", f});
    }
  }

  void read_edges(const Element& element, LineAssembly& assembly) {
    int end[2] = {-1, -1};
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      const Property& property = element.properties[p];
      if (property.count || !is_integer(property.type)) continue;
      if (property.name == "vertex1") end[0] = static_cast<int>(p);
      if (property.name == "vertex2") end[1] = static_cast<int>(p);
    }
    if (end[0] < 0 || end[1] < 0) {
      source_.fail("the edges have no whole numbers 'vertex1' and 'vertex2'");
    }
    const std::size_t count = checked_count(element);
    for (std::size_t e = 0; e < count; ++e) {
      std::int64_t vertex[2] = {};
      std::size_t place = 0;
      for (std::size_t p = 0; p < element.properties.size(); ++p) {
        const Property& property = element.properties[p];
        const bool is_first = static_cast<int>(p) == end[0];
        if (!is_first && static_cast<int>(p) != end[1]) {
          skip_value(property, {"a property of edge", e});
          continue;
        }
        const What what{"a vertex of edge", e};
        vertex[is_first ? 0 : 1] =
            binary_ ? cursor_.raw_integer(property.type, what) : cursor_.integer(what);
        place = cursor_.last();
      }
      end_entry({"edge", e});
      assembly.add_segment(vertex[0], vertex[1], place);
    }
  }

  void read_corners(const Property& property, std::size_t f, SurfaceAssembly& assembly) {
    const What what{"corners of face", f};
    const std::size_t size = list_size(property, what);
    const std::size_t place = cursor_.last();
    corners_.clear();
    for (std::size_t c = 0; c < size; ++c) {
      corners_.push_back(binary_ ? cursor_.raw_integer(property.type, what)
                                 : cursor_.integer(what));
    }
    assembly.add_polygon(source_, corners_, place);
  }

  Source& source_;
  Cursor cursor_;
  bool binary_ = false;
  std::vector<Element> elements_;
  std::vector<Vec3> vertices_;
  std::vector<std::int64_t> corners_;
};

}  // namespace

TriangleMesh parse_ply(std::string_view bytes, const std::string& name) {
  Source source(bytes, name);
  return PlyReader(source).read();
}

SpringMesh parse_ply_lines(std::string_view bytes, const std::string& name) {
  Source source(bytes, name);
  return PlyReader(source).read_lines();
}

}  // namespace supple
