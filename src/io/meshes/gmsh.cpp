#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/meshes/cursor.h"
#include "io/meshes/formats.h"
#include "io/meshes/tet_assembly.h"

// Gmsh's MSH format, "Gmsh Reference Manual", sections "MSH file format" (4.1) and "MSH file format
// version 2 (Legacy)". ASCII and binary files hold the same numbers in the same order, except for
// the elements of version 2.

namespace supple {

namespace {

constexpr std::int64_t four_node_tet = 4;
constexpr std::int64_t ten_node_tet = 11;

/// Number of nodes of an element of Gmsh's type; 0: unknown.
std::size_t nodes_of_type(std::int64_t type) {
  constexpr std::array<std::size_t, 32> nodes{0,  2,  3,  4,  4, 8, 6,  5,  3,  6, 9,
                                              10, 27, 18, 14, 1, 8, 20, 15, 13, 9, 10,
                                              12, 15, 15, 21, 4, 5, 6,  20, 35, 56};
  if (type == 92) return 64;
  if (type == 93) return 125;
  return type > 0 && type < static_cast<std::int64_t>(nodes.size())
             ? nodes[static_cast<std::size_t>(type)]
             : 0;
}

/// Values of $ElementData by the tag of the element.
struct ElementData {
  std::string name;
  std::vector<std::int64_t> tags;
  std::vector<double> values;
  std::size_t offset = 0;
};

class GmshReader {
 public:
  explicit GmshReader(Source& source) : source_(source), cursor_(source) {}

  TetMesh read() {
    while (!cursor_.at_end()) read_section();
    if (!format_) source_.fail("there is no section $MeshFormat");
    if (!nodes_) source_.fail("there is no section $Nodes");
    if (!elements_) source_.fail("there is no section $Elements");
    if (assembly_.tets.empty() && num_ten_node_tets_ > 0) {
      source_.fail("all " + std::to_string(num_ten_node_tets_) +
                   " tetrahedra are of second order (10 nodes): expected tets of 4 nodes");
    }
    const TagIndex tets(tet_tags_);
    for (const ElementData& data : data_) add_field(data, tets);
    return assembly_.finish(source_);
  }

 private:
  // ---- numbers, from text or binary data

  std::int64_t integer(What what) {
    return binary_ ? cursor_.raw_integer(Scalar::int32, what) : cursor_.integer(what);
  }
  /// A size_t of version 4.1.
  std::int64_t large(What what) {
    return binary_ ? cursor_.raw_integer(Scalar::uint64, what) : cursor_.integer(what);
  }
  double real(What what) {
    return binary_ ? cursor_.raw_real(Scalar::float64, what) : cursor_.real(what);
  }
  /// Checks a number of things that consist of `numbers` numbers each.
  std::size_t checked(std::int64_t number, What what, std::size_t numbers) {
    constexpr std::size_t least_word = 2, least_binary = 4;
    return cursor_.checked_count(number, what, numbers * (binary_ ? least_binary : least_word));
  }

  // ---- sections

  void read_section() {
    const std::string section(cursor_.word("section"));
    const std::size_t place = cursor_.last();
    if (section.size() < 2 || section[0] != '$') {
      source_.fail(place, "expected a section such as $Nodes, found " + in_quotes(section));
    }
    if (section.starts_with("$End")) {
      source_.fail(place, in_quotes(section) + " without its beginning");
    }
    const bool read = section == "$MeshFormat" || section == "$Nodes" || section == "$Elements" ||
                      section == "$ElementData";
    if (!read) return skip_section(section, place);
    if ((section == "$MeshFormat") == format_) {
      source_.fail(place, format_
                              ? "a second section $MeshFormat"
                              : "expected the section $MeshFormat before " + in_quotes(section));
    }
    cursor_.end_line("the name of a section");
    if (section == "$MeshFormat") read_format();
    if (section == "$Nodes") read_nodes(place);
    if (section == "$Elements") read_elements(place);
    if (section == "$ElementData") read_data();
    cursor_.expect("$End" + section.substr(1));
  }

  /// Skips a section that is not read, up to its $End at the start of a line.
  void skip_section(const std::string& section, std::size_t place) {
    const std::string end = "\n$End" + section.substr(1);
    const std::size_t found = source_.bytes().find(end, place);
    if (found == std::string_view::npos) {
      source_.fail(place, "the section " + in_quotes(section) + " has no end: expected " +
                              in_quotes(end.substr(1)));
    }
    cursor_.raw(found + end.size() - cursor_.offset(), "a section");
  }

  void read_format() {
    const std::string version(cursor_.word("version"));
    if (version == "4.1") {
      version_ = 4;
    } else if (version == "2" || version == "2.0" || version == "2.1" || version == "2.2") {
      version_ = 2;
    } else {
      source_.fail(cursor_.last(),
                   "version " + in_quotes(version) + " is not read: expected 2.2 or 4.1");
    }
    const std::int64_t type = cursor_.integer("0 for ASCII or 1 for binary");
    if (type != 0 && type != 1) {
      source_.fail(cursor_.last(),
                   "expected 0 for ASCII or 1 for binary, found " + std::to_string(type));
    }
    const std::int64_t size = cursor_.integer("size of the numbers");
    if (size != 8) {
      source_.fail(cursor_.last(),
                   "numbers of " + std::to_string(size) + " bytes are not read: expected 8");
    }
    cursor_.end_line("the format");
    format_ = true;
    if (type == 0) return;
    binary_ = true;
    source_.tell_bytes();
    if (cursor_.raw_integer(Scalar::int32, "the number 1 that tells the order of bytes") != 1) {
      cursor_.set_swapped(true);
      const std::string_view bytes = source_.bytes().substr(cursor_.last(), sizeof(std::int32_t));
      if (integer_at(bytes.data(), Scalar::int32, true) != 1) {
        source_.fail(cursor_.last(), "expected the number 1 that tells the order of bytes");
      }
    }
  }

  void read_nodes(std::size_t place) {
    if (nodes_) source_.fail(place, "a second section $Nodes");
    nodes_ = true;
    if (version_ == 4) {
      read_nodes_4();
    } else {
      const std::size_t count = cursor_.count("number of nodes", 1);
      if (binary_) cursor_.end_line("the number of nodes");
      checked(static_cast<std::int64_t>(count), "number of nodes", 4);
      for (std::size_t i = 0; i < count; ++i) {
        add_tag(integer({"tag of node", i}));
        add_coordinates();
      }
    }
    const std::size_t repeated = TagIndex(assembly_.vertex_tags).repeated();
    if (repeated != TagIndex::not_found) {
      source_.fail(tag_offsets_[repeated],
                   "node " + std::to_string(assembly_.vertex_tags[repeated]) + " occurs twice");
    }
    tag_offsets_ = {};
  }

  void add_tag(std::int64_t tag) {
    assembly_.vertex_tags.push_back(tag);
    tag_offsets_.push_back(cursor_.last());
  }

  void add_coordinates() {
    Vec3 x{};
    for (double& coordinate : x) {
      coordinate = real({"a coordinate of node", assembly_.vertices.size()});
    }
    assembly_.vertices.push_back(x);
  }

  void read_nodes_4() {
    const std::int64_t num_blocks = large("number of blocks");
    const std::int64_t num_nodes = large("number of nodes");
    large("smallest tag");
    large("largest tag");
    for (std::int64_t b = 0; b < num_blocks; ++b) {
      const auto dimension = integer("dimension of a block");
      integer("tag of a block");
      const std::int64_t parametric = integer("whether a block is parametric");
      const std::int64_t announced = large("number of nodes of a block");
      const std::size_t count = checked(announced, "number of nodes of a block", 4);
      for (std::size_t i = 0; i < count; ++i) add_tag(large({"tag of node", i}));
      for (std::size_t i = 0; i < count; ++i) {
        add_coordinates();
        // One parameter on a curve, two on a surface, three in a volume.
        const std::int64_t extra = parametric == 0 ? 0 : std::clamp<std::int64_t>(dimension, 0, 3);
        for (std::int64_t p = 0; p < extra; ++p) real({"a parameter of node", i});
      }
    }
    if (num_nodes != static_cast<std::int64_t>(assembly_.vertices.size())) {
      cursor_.fail("$Nodes announces " + std::to_string(num_nodes) + " nodes, its blocks hold " +
                   std::to_string(assembly_.vertices.size()));
    }
  }

  // ---- elements

  std::size_t nodes_of(std::int64_t type) {
    const std::size_t nodes = nodes_of_type(type);
    if (nodes == 0) {
      source_.fail(cursor_.last(), "element type " + std::to_string(type) + " is not known");
    }
    return nodes;
  }

  /// Reads the nodes of one element whose tag has been read at `place`.
  template <typename ReadTag>
  void add_element(std::int64_t type, std::int64_t tag, std::size_t place, std::size_t nodes,
                   ReadTag read_tag) {
    if (type == ten_node_tet) ++num_ten_node_tets_;
    TetAssembly::PlacedTet tet;
    tet.offset = place;
    for (std::size_t n = 0; n < nodes; ++n) {
      const std::int64_t node = read_tag();
      if (type == four_node_tet) tet.corners[n] = node;
    }
    if (type != four_node_tet) return;
    assembly_.tets.push_back(tet);
    tet_tags_.push_back(tag);
  }

  void read_elements(std::size_t place) {
    if (elements_) source_.fail(place, "a second section $Elements");
    elements_ = true;
    if (version_ == 4) return read_elements_4();
    const std::size_t count = cursor_.count("number of elements", 1);
    if (binary_) {
      cursor_.end_line("the number of elements");
      for (std::size_t done = 0; done < count;) done += read_block_2(count - done);
      return;
    }
    for (std::size_t e = 0; e < count; ++e) {
      const What what{"element", e};
      const std::int64_t tag = cursor_.integer(what);
      const std::size_t element_place = cursor_.last();
      const std::int64_t type = cursor_.integer({"type of element", e});
      const std::size_t nodes = nodes_of(type);
      const std::size_t num_tags = cursor_.count({"number of tags of element", e}, 2);
      for (std::size_t t = 0; t < num_tags; ++t) cursor_.integer({"tag of element", e});
      add_element(type, tag, element_place, nodes, [&] {
        return cursor_.integer({"node of element", e});
      });
      cursor_.end_line(what);
    }
  }

  /// Reads a block of binary elements of version 2; returns how many there were.
  std::size_t read_block_2(std::size_t most) {
    const std::int64_t type = integer("type of elements");
    const std::size_t nodes = nodes_of(type);
    const std::int64_t announced = integer("number of elements of a block");
    const std::size_t place = cursor_.last();
    const std::int64_t num_tags = integer("number of tags of an element");
    const std::size_t tags = checked(num_tags, "number of tags of an element", 1);
    const std::size_t count = checked(announced, "number of elements of a block", 1 + tags + nodes);
    if (count == 0 || count > most) {
      source_.fail(place, "a block of " + std::to_string(count) + " elements where " +
                              std::to_string(most) + " are left");
    }
    for (std::size_t e = 0; e < count; ++e) {
      const std::int64_t tag = integer({"element", e});
      const std::size_t element_place = cursor_.last();
      for (std::size_t t = 0; t < tags; ++t) integer({"tag of element", e});
      add_element(type, tag, element_place, nodes, [&] { return integer({"node of element", e}); });
    }
    return count;
  }

  void read_elements_4() {
    const std::int64_t num_blocks = large("number of blocks");
    const std::int64_t num_elements = large("number of elements");
    large("smallest tag");
    large("largest tag");
    std::int64_t total = 0;
    for (std::int64_t b = 0; b < num_blocks; ++b) {
      integer("dimension of a block");
      integer("tag of a block");
      const std::int64_t type = integer("type of elements");
      const std::size_t nodes = nodes_of(type);
      const std::int64_t announced = large("number of elements of a block");
      const std::size_t count = checked(announced, "number of elements of a block", 1 + nodes);
      total += static_cast<std::int64_t>(count);
      for (std::size_t e = 0; e < count; ++e) {
        const std::int64_t tag = large({"element", e});
        const std::size_t place = cursor_.last();
        add_element(type, tag, place, nodes, [&] { return large({"node of element", e}); });
      }
    }
    if (total != num_elements) {
      cursor_.fail("$Elements announces " + std::to_string(num_elements) +
                   " elements, its blocks hold " + std::to_string(total));
    }
  }

  // ---- fields

  static std::string without_quotes(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
      text = text.substr(1, text.size() - 2);
    }
    return std::string(text);
  }

  void read_data() {
    ElementData data;
    data.offset = cursor_.offset();
    const std::size_t num_strings = cursor_.count("number of strings", 1);
    cursor_.end_line("the number of strings");
    for (std::size_t s = 0; s < num_strings; ++s) {
      if (cursor_.at_end()) cursor_.fail("the file ends within $ElementData");
      const std::string text = without_quotes(cursor_.rest_of_line());
      if (s == 0) data.name = text;
    }
    const std::size_t num_reals = cursor_.count("number of reals", 2);
    for (std::size_t r = 0; r < num_reals; ++r) cursor_.real("real of $ElementData");
    const std::size_t num_integers = cursor_.count("number of whole numbers", 2);
    if (num_integers < 3) {
      source_.fail(cursor_.last(), "$ElementData has " + std::to_string(num_integers) +
                                       " whole numbers: expected time step, components, elements");
    }
    std::int64_t components = 0, elements = 0;
    for (std::size_t i = 0; i < num_integers; ++i) {
      const std::int64_t number = cursor_.integer("whole number of $ElementData");
      if (i == 1) components = number;
      if (i == 2) elements = number;
    }
    if (binary_) cursor_.end_line("the whole numbers");
    const std::size_t width = checked(components, "number of components", 1);
    const std::size_t count = checked(elements, "number of elements", 1 + width);
    for (std::size_t e = 0; e < count; ++e) {
      const std::int64_t tag = integer({"element of $ElementData", e});
      for (std::size_t c = 0; c < width; ++c) {
        const double value = real({"value of element", e});
        if (width == 1) data.values.push_back(value);
      }
      if (width == 1) data.tags.push_back(tag);
    }
    if (width == 1) data_.push_back(std::move(data));
  }

  /// Data of elements other than tets is ignored; it must cover all tets or none. The work is
  /// proportional to the data, however many sections there are.
  void add_field(const ElementData& data, const TagIndex& tets) {
    const std::size_t num_tets = tet_tags_.size();
    std::size_t found = 0;
    for (const std::int64_t tag : data.tags) found += tets.find(tag) != TagIndex::not_found ? 1 : 0;
    if (found == 0) return;
    std::vector<double> field(found < num_tets ? 0 : num_tets);
    std::vector<char> given(field.size(), 0);
    for (std::size_t e = 0; e < data.tags.size() && !field.empty(); ++e) {
      const std::size_t t = tets.find(data.tags[e]);
      if (t == TagIndex::not_found) continue;
      field[t] = data.values[e];
      given[t] = 1;
    }
    const auto missing = std::find(given.begin(), given.end(), 0) - given.begin();
    if (field.empty() || missing < static_cast<std::ptrdiff_t>(num_tets)) {
      source_.fail(data.offset, "$ElementData " + in_quotes(data.name) + " gives " +
                                    std::to_string(found) + " values for " +
                                    std::to_string(num_tets) + " tets: expected one for each");
    }
    assembly_.fields[data.name] = std::move(field);
  }

  Source& source_;
  Cursor cursor_;
  TetAssembly assembly_;
  std::vector<std::size_t> tag_offsets_;  ///< of the nodes
  std::vector<std::int64_t> tet_tags_;    ///< [num_tets]
  std::vector<ElementData> data_;
  std::size_t num_ten_node_tets_ = 0;
  int version_ = 0;
  bool binary_ = false;
  bool format_ = false;
  bool nodes_ = false;
  bool elements_ = false;
};

}  // namespace

TetMesh parse_gmsh(std::string_view bytes, const std::string& name) {
  Source source(bytes, name);
  return GmshReader(source).read();
}

}  // namespace supple
