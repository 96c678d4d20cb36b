#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/names.h"
#include "io/meshes/cursor.h"
#include "io/meshes/formats.h"
#include "io/meshes/tet_assembly.h"
#include "io/meshes/vtk_cells.h"
#include "io/meshes/vtu_data.h"

// VTK's XML format, "VTK XML Formats" of docs.vtk.org.

namespace supple {

namespace {

Scalar scalar_of(const Source& source, std::size_t place, const std::string& name) {
  static const std::vector<std::pair<std::string, Scalar>> types{
      {"Int8", Scalar::int8},      {"UInt8", Scalar::uint8},   {"Int16", Scalar::int16},
      {"UInt16", Scalar::uint16},  {"Int32", Scalar::int32},   {"UInt32", Scalar::uint32},
      {"Int64", Scalar::int64},    {"UInt64", Scalar::uint64}, {"Float32", Scalar::float32},
      {"Float64", Scalar::float64}};
  std::vector<std::string> names;
  for (const auto& [known, type] : types) {
    if (known == name) return type;
    names.push_back(known);
  }
  source.fail(place, unknown_name("type of a DataArray", name, names));
}

class VtuReader {
 public:
  explicit VtuReader(const Source& source)
      : source_(source), budget_(smallest_budget + expansion * source.bytes().size()) {}

  TetMesh read() {
    parse_xml();
    const pugi::xml_node file = document_.child("VTKFile");
    if (!file) source_.fail("there is no element VTKFile");
    read_encoding(file);
    const pugi::xml_node grid = file.child("UnstructuredGrid");
    if (!grid) {
      source_.fail(place(file), "the file is of type " + in_quotes(file.attribute("type").value()) +
                                    ": expected 'UnstructuredGrid'");
    }
    for (const pugi::xml_node piece : grid.children("Piece")) read_piece(piece);
    return assembly_.finish(source_);
  }

 private:
  // ---- the document

  /// Parses the XML. Appended data need not be XML, so it is cut out before parsing.
  void parse_xml() {
    std::string_view xml = source_.bytes();
    std::string shortened;
    const std::size_t begin = xml.find("<AppendedData");
    if (begin != std::string_view::npos) {
      find_appended(begin);
      shortened = std::string(xml.substr(0, begin)) + "</VTKFile>";
      xml = shortened;
    } else {
      const std::size_t last = xml.find_last_not_of(" \t\r\n");
      if (last == std::string_view::npos || !xml.substr(0, last + 1).ends_with("</VTKFile>")) {
        source_.fail(std::min(last, xml.size()), "expected the file to end with </VTKFile>");
      }
    }
    const pugi::xml_parse_result result =
        document_.load_buffer(xml.data(), xml.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result) {
      source_.fail(static_cast<std::size_t>(result.offset),
                   std::string("this is not XML: ") + result.description());
    }
  }

  void find_appended(std::size_t begin) {
    const std::string_view bytes = source_.bytes();
    const std::size_t tag_end = bytes.find('>', begin);
    if (tag_end == std::string_view::npos) source_.fail(begin, "AppendedData has no end");
    const std::string_view tag = bytes.substr(begin, tag_end - begin);
    const bool base64 = tag.find("\"base64\"") != std::string_view::npos ||
                        tag.find("'base64'") != std::string_view::npos;
    const bool raw = tag.find("\"raw\"") != std::string_view::npos ||
                     tag.find("'raw'") != std::string_view::npos;
    if (base64 == raw) source_.fail(begin, "expected AppendedData with encoding 'raw' or 'base64'");
    const std::size_t start = bytes.find_first_not_of(" \t\r\n", tag_end + 1);
    if (start == std::string_view::npos || bytes[start] != '_') {
      source_.fail(tag_end, "expected the appended data to start with '_'");
    }
    const std::size_t end = bytes.rfind("</AppendedData>");
    if (end == std::string_view::npos || end <= start) {
      source_.fail(bytes.size(), "the file ends within the appended data");
    }
    std::string rest(bytes.substr(end));
    std::erase_if(rest, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
    if (rest != "</AppendedData></VTKFile>") {
      source_.fail(end, "expected </VTKFile> and the end of the file after the appended data");
    }
    appended_ = bytes.substr(start + 1, end - start - 1);
    appended_base64_ = base64;
    has_appended_ = true;
  }

  std::size_t place(const pugi::xml_node& node) const {
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, node.offset_debug()));
  }

  void read_encoding(const pugi::xml_node& file) {
    const std::string order = file.attribute("byte_order").value();
    if (order != "LittleEndian" && order != "BigEndian" && !order.empty()) {
      source_.fail(place(file), unknown_name("byte order", order, {"LittleEndian", "BigEndian"}));
    }
    encoding_.swapped = (order == "BigEndian") != (std::endian::native == std::endian::big);
    const std::string header = file.attribute("header_type").value();
    if (header == "UInt64") {
      encoding_.header = Scalar::uint64;
    } else if (!header.empty() && header != "UInt32") {
      source_.fail(place(file), unknown_name("header type", header, {"UInt32", "UInt64"}));
    }
    const std::string compressor = file.attribute("compressor").value();
    encoding_.compressed = compressor == "vtkZLibDataCompressor";
    if (!compressor.empty() && !encoding_.compressed) {
      source_.fail(place(file), "the compressor " + in_quotes(compressor) +
                                    " is not read: expected 'vtkZLibDataCompressor'");
    }
  }

  // ---- arrays

  std::size_t attribute_count(const pugi::xml_node& node, const char* name) const {
    const std::string_view text = node.attribute(name).value();
    std::int64_t count = -1;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (code != std::errc() || stop != text.data() + text.size() || count < 0) {
      source_.fail(place(node), std::string("expected a whole number as ") + name + ", found " +
                                    in_quotes(text));
    }
    return static_cast<std::size_t>(count);
  }

  /// Where the text of an array lies in the file, so that its words keep their line numbers.
  std::pair<std::size_t, std::size_t> text_range(const pugi::xml_node& array) const {
    const std::ptrdiff_t begin = array.text().data().offset_debug();
    if (begin < 0 || static_cast<std::size_t>(begin) >= source_.bytes().size()) return {0, 0};
    const std::size_t end = source_.bytes().find('<', static_cast<std::size_t>(begin));
    return {static_cast<std::size_t>(begin), std::min(end, source_.bytes().size())};
  }

  /// Subtracts the memory of an array from what the size of the file allows. Compressed data can
  /// expand a thousandfold, and arrays can share it.
  std::size_t checked_bytes(const pugi::xml_node& array, std::size_t count, std::size_t each) {
    if (count > budget_ / each) {
      source_.fail(place(array), "the array has " + std::to_string(count) +
                                     " values: too many for the size of the file");
    }
    budget_ -= count * each;
    return count * each;
  }

  /// Decoded bytes of an array that is not ASCII.
  std::string binary_data(const pugi::xml_node& array, std::size_t expected) {
    const std::string format = array.attribute("format").value();
    if (format == "binary") {
      const auto [begin, end] = text_range(array);
      return decode_array(source_, place(array), source_.bytes().substr(begin, end - begin), true,
                          encoding_, expected);
    }
    if (format != "appended") {
      source_.fail(place(array),
                   unknown_name("format of a DataArray", format, {"ascii", "binary", "appended"}));
    }
    if (!has_appended_) source_.fail(place(array), "there is no AppendedData");
    const std::size_t offset = attribute_count(array, "offset");
    if (offset > appended_.size()) {
      source_.fail(place(array),
                   "the offset " + std::to_string(offset) + " lies beyond the appended data");
    }
    return decode_array(source_, place(array), appended_.substr(offset), appended_base64_,
                        encoding_, expected);
  }

  /// Calls `add(cursor, what)` for the words of an ASCII array, of which there must be `count`.
  template <typename Add>
  void for_each_word(const pugi::xml_node& array, std::size_t count, Add add) {
    const auto [begin, end] = text_range(array);
    Cursor cursor(source_, Cursor::Syntax{}, begin, end);
    for (std::size_t i = 0; i < count; ++i) {
      if (cursor.at_end()) {
        source_.fail(begin == end ? place(array) : end, "the array ends after " +
                                                            std::to_string(i) + " of " +
                                                            std::to_string(count) + " values");
      }
      add(cursor, What{"value", i});
    }
    if (!cursor.at_end()) {
      cursor.fail("the array has more than " + std::to_string(count) + " values");
    }
  }

  std::vector<double> reals(const pugi::xml_node& array, std::size_t count) {
    const Scalar scalar = scalar_of(source_, place(array), array.attribute("type").value());
    checked_bytes(array, count, sizeof(double));
    std::vector<double> values;
    if (is_ascii(array)) {
      for_each_word(array, count,
                    [&](Cursor& cursor, What what) { values.push_back(cursor.real(what)); });
      return values;
    }
    const std::size_t each = size_of(scalar);
    const std::string data = binary_data(array, checked_bytes(array, count, each));
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(real_at(data.data() + i * each, scalar, encoding_.swapped));
      if (!std::isfinite(values.back())) {
        source_.fail(place(array), "value " + std::to_string(i) + " of the array is not finite");
      }
    }
    return values;
  }

  std::vector<std::int64_t> integers(const pugi::xml_node& array, std::size_t count,
                                     VtkCells::Places& places) {
    const Scalar scalar = scalar_of(source_, place(array), array.attribute("type").value());
    if (!is_integer(scalar)) source_.fail(place(array), "expected an array of whole numbers");
    checked_bytes(array, count, sizeof(std::int64_t));
    std::vector<std::int64_t> values;
    places.clear();
    if (is_ascii(array)) {
      for_each_word(array, count, [&](Cursor& cursor, What what) {
        values.push_back(cursor.integer(what));
        places.push_back(cursor.last());
      });
      return values;
    }
    const std::size_t each = size_of(scalar);
    const std::string data = binary_data(array, checked_bytes(array, count, each));
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(integer_at(data.data() + i * each, scalar, encoding_.swapped));
    }
    return values;
  }

  static bool is_ascii(const pugi::xml_node& array) {
    const std::string_view format = array.attribute("format").value();
    return format.empty() || format == "ascii";
  }

  // ---- the grid

  pugi::xml_node named_array(const pugi::xml_node& parent, const char* name) const {
    const pugi::xml_node array = parent.find_child_by_attribute("DataArray", "Name", name);
    if (!array) {
      source_.fail(place(parent), std::string("there is no DataArray '") + name + "'");
    }
    return array;
  }

  void read_piece(const pugi::xml_node& piece) {
    const std::size_t num_points = attribute_count(piece, "NumberOfPoints");
    const std::size_t num_cells = attribute_count(piece, "NumberOfCells");
    const auto first_vertex = static_cast<std::int64_t>(assembly_.vertices.size());
    if (num_points > budget_ || num_cells > budget_) {
      source_.fail(place(piece), "more points or cells than the file can hold");
    }
    if (num_points > 0) read_points(piece, num_points);
    if (num_cells == 0) return;
    const pugi::xml_node cells = piece.child("Cells");
    if (!cells) source_.fail(place(piece), "the piece has no element Cells");
    VtkCells list;
    VtkCells::Places places;
    std::vector<std::int64_t> starts = integers(named_array(cells, "offsets"), num_cells, places);
    const std::int64_t num_corners = starts.back();
    if (num_corners < 0) source_.fail(place(cells), "the offsets of the cells are negative");
    starts.insert(starts.begin(), 0);
    const pugi::xml_node connectivity = named_array(cells, "connectivity");
    const std::vector<std::int64_t> corners =
        integers(connectivity, static_cast<std::size_t>(num_corners), places);
    check_corners(connectivity, corners, places, num_points);
    list.set_offsets(source_, place(connectivity), starts, corners, places);
    const pugi::xml_node types = named_array(cells, "types");
    VtkCells::Places type_places;
    list.set_types(source_, place(types), integers(types, num_cells, type_places));
    for (const pugi::xml_node array : piece.child("CellData").children("DataArray")) {
      read_field(array, num_cells, list);
    }
    list.append_tets(source_, assembly_, first_vertex);
  }

  /// Checked for each piece: a corner must not name a vertex of the next piece.
  void check_corners(const pugi::xml_node& array, const std::vector<std::int64_t>& corners,
                     const VtkCells::Places& places, std::size_t num_points) const {
    for (std::size_t i = 0; i < corners.size(); ++i) {
      if (corners[i] >= 0 && static_cast<std::uint64_t>(corners[i]) < num_points) continue;
      source_.fail(places.empty() ? place(array) : places[i],
                   "a cell names point " + std::to_string(corners[i]) + " of a piece of " +
                       std::to_string(num_points) + ": an index out of range");
    }
  }

  void read_points(const pugi::xml_node& piece, std::size_t num_points) {
    const pugi::xml_node array = piece.child("Points").child("DataArray");
    if (!array) source_.fail(place(piece), "the piece has no array of points");
    if (attribute_count(array, "NumberOfComponents") != 3) {
      source_.fail(place(array), "expected points of 3 components");
    }
    const std::vector<double> values = reals(array, 3 * num_points);
    for (std::size_t v = 0; v < num_points; ++v) {
      assembly_.vertices.push_back({values[3 * v], values[3 * v + 1], values[3 * v + 2]});
    }
  }

  void read_field(const pugi::xml_node& array, std::size_t num_cells, VtkCells& list) {
    const std::string_view components = array.attribute("NumberOfComponents").value();
    const std::string_view type = array.attribute("type").value();
    if ((!components.empty() && components != "1") || type == "String" || type == "Bit") return;
    list.set_field(array.attribute("Name").value(), reals(array, num_cells));
  }

  static constexpr std::size_t smallest_budget = std::size_t{64} << 20U;
  static constexpr std::size_t expansion = 100;

  const Source& source_;
  std::size_t budget_;  ///< bytes that arrays can still take
  pugi::xml_document document_;
  VtuEncoding encoding_;
  std::string_view appended_;  ///< after the '_'
  bool has_appended_ = false;
  bool appended_base64_ = false;
  TetAssembly assembly_;
};

}  // namespace

TetMesh parse_vtu(std::string_view bytes, const std::string& name) {
  const Source source(bytes, name);
  return VtuReader(source).read();
}

}  // namespace supple
