#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/names.h"
#include "io/meshes/cursor.h"
#include "io/meshes/formats.h"
#include "io/meshes/tet_assembly.h"
#include "io/meshes/vtk_cells.h"

// VTK's legacy format: "The VTK User's Guide", "VTK File Formats", and for version 5 "VTK Legacy
// File Format" of docs.vtk.org. Binary data is big-endian.

namespace supple {

namespace {

enum class Association { none, points, cells };

/// Types of the data. `nothing` if a type is known but is not a number of whole bytes.
struct DataType {
  const char* name;
  std::optional<Scalar> scalar;
};

/// vtkIdType is written with four bytes, whatever its size in memory.
constexpr DataType data_types[] = {
    {"bit", std::nullopt},           {"char", Scalar::int8},
    {"signed_char", Scalar::int8},   {"unsigned_char", Scalar::uint8},
    {"short", Scalar::int16},        {"unsigned_short", Scalar::uint16},
    {"int", Scalar::int32},          {"unsigned_int", Scalar::uint32},
    {"long", Scalar::int64},         {"unsigned_long", Scalar::uint64},
    {"vtktypeint64", Scalar::int64}, {"vtktypeuint64", Scalar::uint64},
    {"float", Scalar::float32},      {"double", Scalar::float64},
    {"vtkidtype", Scalar::int32},    {"string", std::nullopt},
};

class VtkReader {
 public:
  explicit VtkReader(Source& source) : source_(source), cursor_(source) {
    cursor_.set_swapped(std::endian::native == std::endian::little);
  }

  TetMesh read() {
    read_header();
    while (!cursor_.at_end()) read_section();
    if (!points_) source_.fail("there are no POINTS");
    if (!types_) source_.fail("there are no CELLS with CELL_TYPES");
    cells_.append_tets(source_, assembly_);
    return assembly_.finish(source_);
  }

 private:
  void read_header() {
    if (!source_.bytes().starts_with("# vtk DataFile Version")) {
      cursor_.fail("expected '# vtk DataFile Version' at the beginning");
    }
    cursor_.rest_of_line();
    cursor_.rest_of_line();  // title
    const std::string_view format = cursor_.word("ASCII or BINARY");
    if (same_word(format, "BINARY")) {
      binary_ = true;
      source_.tell_bytes();
    } else if (!same_word(format, "ASCII")) {
      source_.fail(cursor_.last(), "expected ASCII or BINARY, found " + in_quotes(format));
    }
    cursor_.expect("DATASET");
    const std::string_view dataset = cursor_.word("UNSTRUCTURED_GRID");
    if (!same_word(dataset, "UNSTRUCTURED_GRID")) {
      source_.fail(cursor_.last(),
                   "the data set is " + in_quotes(dataset) + ": expected UNSTRUCTURED_GRID");
    }
  }

  // ---- arrays of numbers

  DataType type() {
    const std::string_view name = cursor_.word("type of data");
    std::vector<std::string> names;
    for (const DataType& known : data_types) {
      if (same_word(name, known.name)) return known;
      names.emplace_back(known.name);
    }
    source_.fail(cursor_.last(), unknown_name("type of data", name, names));
  }

  Scalar number_type() {
    const DataType found = type();
    if (!found.scalar) source_.fail(cursor_.last(), "expected a type of numbers");
    return *found.scalar;
  }

  /// Ends the line that announces an array of numbers, and checks that the file can contain that
  /// many.
  std::size_t begin_array(std::size_t count, Scalar scalar, What what) {
    if (binary_) cursor_.end_line(what);
    constexpr std::size_t least_word = 2;
    return cursor_.checked_count(static_cast<std::int64_t>(count), what,
                                 binary_ ? size_of(scalar) : least_word);
  }

  std::vector<double> reals(std::size_t count, Scalar scalar, What what) {
    std::vector<double> values(begin_array(count, scalar, what));
    for (double& value : values) {
      value = binary_ ? cursor_.raw_real(scalar, what) : cursor_.real(what);
    }
    return values;
  }

  std::vector<std::int64_t> integers(std::size_t count, Scalar scalar, What what) {
    std::vector<std::int64_t> values(begin_array(count, scalar, what));
    offsets_.clear();
    for (std::int64_t& value : values) {
      value = binary_ ? cursor_.raw_integer(scalar, what) : cursor_.integer(what);
      offsets_.push_back(cursor_.last());
    }
    return values;
  }

  void skip_array(std::size_t count, const DataType& data, What what) {
    if (!data.scalar && same_word(data.name, "string")) return skip_strings(count, what);
    const Scalar scalar = data.scalar.value_or(Scalar::uint8);
    if (!binary_) {
      for (std::size_t i = 0; i < count; ++i) cursor_.word(what);
      return;
    }
    cursor_.end_line(what);
    const std::size_t values = data.scalar ? count : count / 8 + (count % 8 != 0 ? 1 : 0);
    if (values > cursor_.remaining() / size_of(scalar))
      cursor_.fail("the file ends within an array");
    cursor_.raw(values * size_of(scalar), what);
  }

  /// Skips strings: one line each, or in binary files a length (its first two bits say how many
  /// bytes it has) and the characters.
  void skip_strings(std::size_t count, What what) {
    cursor_.end_line(what);
    for (std::size_t i = 0; i < count; ++i) {
      if (cursor_.remaining() == 0) cursor_.fail("the file ends within an array of strings");
      if (!binary_) {
        cursor_.rest_of_line();
        continue;
      }
      const auto first = static_cast<unsigned char>(cursor_.raw(1, what)[0]);
      std::uint64_t length = first & 0x3FU;
      constexpr std::size_t more_bytes[4] = {7, 3, 1, 0};
      for (const char c : cursor_.raw(more_bytes[first >> 6U], what)) {
        length = length << 8U | static_cast<unsigned char>(c);
      }
      if (length > cursor_.remaining()) cursor_.fail("the file ends within a string");
      cursor_.raw(static_cast<std::size_t>(length), what);
    }
  }

  // ---- geometry

  void read_section() {
    const std::string_view keyword = cursor_.word("keyword");
    const auto is = [&](std::string_view name) { return same_word(keyword, name); };
    if (is("POINTS")) return read_points();
    if (is("CELLS")) return read_cells();
    if (is("CELL_TYPES")) return read_cell_types();
    if (is("CELL_DATA")) return begin_data(Association::cells);
    if (is("POINT_DATA")) return begin_data(Association::points);
    if (is("FIELD")) return read_field_data();
    if (is("METADATA")) return skip_metadata();
    if (association_ != Association::none) return read_attribute(keyword);
    source_.fail(cursor_.last(), unknown_name("VTK keyword", keyword,
                                              {"POINTS", "CELLS", "CELL_TYPES", "CELL_DATA",
                                               "POINT_DATA", "FIELD", "METADATA"}));
  }

  void read_points() {
    if (points_) source_.fail(cursor_.last(), "a second list of POINTS");
    points_ = true;
    constexpr std::size_t least_point = 3;
    const std::size_t count = cursor_.count("number of points", least_point);
    const Scalar scalar = number_type();
    const std::vector<double> values = reals(3 * count, scalar, "coordinates of the points");
    assembly_.vertices.resize(count);
    for (std::size_t v = 0; v < count; ++v) {
      assembly_.vertices[v] = {values[3 * v], values[3 * v + 1], values[3 * v + 2]};
    }
  }

  void read_cells() {
    if (have_cells_) source_.fail(cursor_.last(), "a second list of CELLS");
    have_cells_ = true;
    const std::size_t place = cursor_.last();
    const std::size_t first = cursor_.count("number of cells", 1);
    const std::size_t second = cursor_.count("size of the list of cells", 1);
    // Up to version 4 the list follows at once; from version 5 on there are two arrays, each with
    // its name.
    const bool two_arrays =
        cursor_.at_line_end() &&
        (binary_ ? next_line_is("OFFSETS") : same_word(cursor_.peek(), "OFFSETS"));
    if (!two_arrays) {
      const auto list = integers(second, Scalar::int32, "corners of the cells");
      cells_.set_list(source_, first, list, offsets_);
      return;
    }
    if (binary_) cursor_.end_line("CELLS");
    cursor_.expect("OFFSETS");
    const Scalar offset_type = number_type();
    const auto starts = integers(first, offset_type, "offsets of the cells");
    cursor_.expect("CONNECTIVITY");
    const Scalar corner_type = number_type();
    const auto corners = integers(second, corner_type, "corners of the cells");
    cells_.set_offsets(source_, place, starts, corners, offsets_);
  }

  /// Does the next line start with the word? Binary data may look like blanks, so the next word
  /// must not be searched for.
  bool next_line_is(std::string_view word) const {
    Cursor ahead = cursor_;
    ahead.end_line("CELLS");
    return same_word(source_.bytes().substr(ahead.offset(), word.size()), word);
  }

  void read_cell_types() {
    if (types_) source_.fail(cursor_.last(), "a second list of CELL_TYPES");
    types_ = true;
    if (!have_cells_) source_.fail(cursor_.last(), "expected CELLS before CELL_TYPES");
    const std::size_t place = cursor_.last();
    const std::size_t count = cursor_.count("number of cell types", 1);
    const auto types = integers(count, Scalar::int32, "types of the cells");
    cells_.set_types(source_, place, types);
  }

  // ---- data

  void begin_data(Association association) {
    if (association == Association::cells && !have_cells_) {
      source_.fail(cursor_.last(), "expected CELLS before CELL_DATA");
    }
    const std::size_t count = whole("number of values");
    const std::size_t place = cursor_.last();
    association_ = association;
    const bool of_cells = association == Association::cells;
    const std::size_t expected = of_cells ? cells_.size() : assembly_.vertices.size();
    if (count != expected) {
      source_.fail(place, std::string(of_cells ? "CELL_DATA" : "POINT_DATA") + " announces " +
                              std::to_string(count) + " values for " + std::to_string(expected) +
                              (of_cells ? " cells" : " points"));
    }
    data_count_ = count;
  }

  /// Reads `components` numbers for each cell or point. They are kept if they are one scalar per
  /// cell.
  void read_values(const std::string& name, std::size_t components, std::size_t count,
                   const DataType& data) {
    const bool wanted = association_ == Association::cells && components == 1 &&
                        count == data_count_ && data.scalar.has_value();
    if (wanted) {
      cells_.set_field(name, reals(count, *data.scalar, "values of the cells"));
      return;
    }
    // Each number takes at least one bit; this also keeps the product small.
    constexpr std::size_t bits = 8;
    if (components > 0 && count > bits * (cursor_.remaining() + 1) / components) {
      cursor_.fail("the file ends within the array " + in_quotes(name));
    }
    skip_array(components * count, data, "an array");
  }

  /// A number that is not used to allocate.
  std::size_t whole(What what) {
    const std::int64_t number = cursor_.integer(what);
    if (number < 0) {
      source_.fail(cursor_.last(),
                   what.text() + " is " + std::to_string(number) + ": expected 0 or more");
    }
    return static_cast<std::size_t>(number);
  }

  std::size_t small_count(What what) {
    constexpr std::size_t most = 1000;
    const std::size_t number = whole(what);
    if (number > most) {
      source_.fail(cursor_.last(), what.text() + " is " + std::to_string(number) +
                                       ": expected at most " + std::to_string(most));
    }
    return number;
  }

  void read_field_data() {
    cursor_.word("name of the field");
    const std::size_t arrays = cursor_.count("number of arrays", 1);
    for (std::size_t a = 0; a < arrays; ++a) {
      if (same_word(cursor_.peek(), "METADATA")) {
        cursor_.word("METADATA");
        skip_metadata();
      }
      const std::string name = decoded_name(cursor_.word("name of an array"));
      const std::size_t components = small_count("number of components");
      const std::size_t tuples = whole("number of values");
      const DataType data = type();
      read_values(name, components, tuples, data);
    }
  }

  void read_attribute(std::string_view keyword) {
    const auto is = [&](std::string_view name) { return same_word(keyword, name); };
    const std::size_t place = cursor_.last();
    const std::string name = decoded_name(cursor_.word("name of the data"));
    if (is("SCALARS")) {
      const DataType data = type();
      const std::size_t components = cursor_.at_line_end() ? 1 : small_count("components");
      if (same_word(cursor_.peek(), "LOOKUP_TABLE")) {
        cursor_.word("LOOKUP_TABLE");
        cursor_.word("name of the lookup table");
      }
      return read_values(name, components, data_count_, data);
    }
    if (is("LOOKUP_TABLE")) {
      const std::size_t size = cursor_.count("size of the lookup table", 1);
      return read_values(name, 4, size, {"unsigned_char", Scalar::uint8});
    }
    if (is("COLOR_SCALARS")) {
      const std::size_t components = small_count("components");
      // Colours are not quantities, so they never become fields.
      return skip_array(components * data_count_, {"unsigned_char", Scalar::uint8}, "colours");
    }
    if (is("TEXTURE_COORDINATES")) {
      const std::size_t components = small_count("components");
      const DataType data = type();
      return skip_array(components * data_count_, data, "texture coordinates");
    }
    constexpr std::pair<const char*, std::size_t> attributes[] = {
        {"VECTORS", 3},    {"NORMALS", 3},      {"TENSORS", 9},   {"TENSORS6", 6},
        {"GLOBAL_IDS", 1}, {"PEDIGREE_IDS", 1}, {"EDGE_FLAGS", 1}};
    std::vector<std::string> names{
        "SCALARS", "LOOKUP_TABLE", "COLOR_SCALARS", "TEXTURE_COORDINATES",
        "FIELD",   "CELL_DATA",    "POINT_DATA"};
    for (const auto& [known, components] : attributes) {
      if (is(known)) return skip_array(components * data_count_, type(), "an attribute");
      names.emplace_back(known);
    }
    source_.fail(place, unknown_name("VTK attribute", keyword, names));
  }

  /// Skips lines up to an empty one.
  void skip_metadata() {
    cursor_.rest_of_line();
    while (cursor_.remaining() > 0 && !cursor_.at_line_end()) cursor_.rest_of_line();
  }

  /// Decodes a name in which blanks and other characters are written as %XX.
  static std::string decoded_name(std::string_view text) {
    const auto digit = [](char c) {
      constexpr std::string_view digits = "0123456789ABCDEF";
      const std::size_t found = digits.find(c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c);
      return found == std::string_view::npos ? -1 : static_cast<int>(found);
    };
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 &&
          digit(text[i + 2]) >= 0) {
        name += static_cast<char>(16 * digit(text[i + 1]) + digit(text[i + 2]));
        i += 2;
      } else {
        name += text[i];
      }
    }
    return name;
  }

  Source& source_;
  Cursor cursor_;
  TetAssembly assembly_;
  VtkCells cells_;
  std::vector<std::size_t> offsets_;  ///< of the last whole numbers that were read
  Association association_ = Association::none;
  std::size_t data_count_ = 0;
  bool binary_ = false;
  bool points_ = false;
  bool have_cells_ = false;
  bool types_ = false;
};

}  // namespace

TetMesh parse_vtk(std::string_view bytes, const std::string& name) {
  Source source(bytes, name);
  return VtkReader(source).read();
}

}  // namespace supple
