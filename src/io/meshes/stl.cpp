#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/meshes/cursor.h"
#include "io/meshes/formats.h"
#include "io/meshes/surface_assembly.h"

// STL: 3D Systems, "StereoLithography Interface Specification", 1989.

namespace supple {

namespace {

constexpr std::size_t binary_header = 80;
constexpr std::size_t binary_start = binary_header + 4;
constexpr std::size_t binary_facet = 50;  // 12 floats and 2 bytes of attributes

/// Binary files can also begin with "solid". The size of the file decides, then a zero byte.
bool is_binary(std::string_view bytes) {
  if (bytes.size() >= binary_start) {
    const std::int64_t count = integer_at(bytes.data() + binary_header, Scalar::uint32,
                                          std::endian::native == std::endian::big);
    if (bytes.size() - binary_start == static_cast<std::uint64_t>(count) * binary_facet)
      return true;
  }
  return !same_word(bytes.substr(0, 5), "solid") ||
         bytes.substr(0, binary_start).find('\0') != std::string_view::npos;
}

/// Corners of the facets, three per facet.
struct Facets {
  std::vector<Vec3> corners;
  std::vector<std::size_t> offsets;  ///< of each facet
};

Facets read_binary(const Source& source) {
  Cursor cursor(source);
  cursor.set_swapped(std::endian::native == std::endian::big);
  cursor.raw(binary_header, "the header of a binary STL");
  const std::int64_t announced = cursor.raw_integer(Scalar::uint32, "the number of facets");
  const std::size_t count = cursor.checked_count(announced, "number of facets", binary_facet);
  Facets facets;
  facets.corners.reserve(3 * count);
  facets.offsets.reserve(count);
  for (std::size_t f = 0; f < count; ++f) {
    facets.offsets.push_back(cursor.offset());
    cursor.raw(3 * sizeof(float), {"the normal of facet", f});
    for (std::size_t c = 0; c < 3; ++c) {
      Vec3 x{};
      for (double& coordinate : x) {
        coordinate = cursor.raw_real(Scalar::float32, {"a coordinate of facet", f});
      }
      facets.corners.push_back(x);
    }
    cursor.raw(2, {"the attributes of facet", f});
  }
  if (cursor.remaining() > 0) {
    cursor.fail(std::to_string(cursor.remaining()) + " bytes follow the " + std::to_string(count) +
                " facets announced");
  }
  return facets;
}

void read_ascii_facet(Cursor& cursor, Facets& facets) {
  const std::size_t f = facets.offsets.size();
  cursor.expect("facet");
  facets.offsets.push_back(cursor.last());
  cursor.expect("normal");
  // Facets without area come with normals that are not numbers. Normals are not used.
  for (int d = 0; d < 3; ++d) cursor.word({"normal of facet", f});
  cursor.expect("outer");
  cursor.expect("loop");
  for (std::size_t c = 0; c < 3; ++c) {
    cursor.expect("vertex");
    Vec3 x{};
    for (double& coordinate : x) coordinate = cursor.real({"coordinate of facet", f});
    facets.corners.push_back(x);
  }
  cursor.expect("endloop");
  cursor.expect("endfacet");
}

/// Reads one or several solids.
Facets read_ascii(const Source& source) {
  Cursor cursor(source);
  Facets facets;
  do {
    cursor.expect("solid");
    cursor.rest_of_line();
    while (!same_word(cursor.peek(), "endsolid")) read_ascii_facet(cursor, facets);
    cursor.expect("endsolid");
    cursor.rest_of_line();
  } while (!cursor.at_end());
  return facets;
}

/// Gives equal corners the same number, in the order of their first occurrence.
std::vector<std::int64_t> join_equal(std::vector<Vec3>& corners) {
  for (Vec3& x : corners) {
    for (double& coordinate : x) coordinate += 0.0;  // -0 becomes 0
  }
  std::vector<std::size_t> order(corners.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return corners[a] != corners[b] ? corners[a] < corners[b] : a < b;
  });
  std::vector<std::size_t> first(corners.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool repeats = i > 0 && corners[order[i]] == corners[order[i - 1]];
    first[order[i]] = repeats ? first[order[i - 1]] : order[i];
  }
  std::vector<std::int64_t> numbers(corners.size());
  std::vector<Vec3> vertices;
  for (std::size_t c = 0; c < corners.size(); ++c) {
    if (first[c] == c) {
      numbers[c] = static_cast<std::int64_t>(vertices.size());
      vertices.push_back(corners[c]);
    } else {
      numbers[c] = numbers[first[c]];
    }
  }
  corners = std::move(vertices);
  return numbers;
}

}  // namespace

TriangleMesh parse_stl(std::string_view bytes, const std::string& name) {
  Source source(bytes, name);
  const bool binary = is_binary(source.bytes());
  if (binary) source.tell_bytes();
  Facets facets = binary ? read_binary(source) : read_ascii(source);
  const std::vector<std::int64_t> numbers = join_equal(facets.corners);
  SurfaceAssembly assembly(0);
  assembly.vertices = std::move(facets.corners);
  for (std::size_t f = 0; f < facets.offsets.size(); ++f) {
    assembly.add_polygon(source, std::span(numbers).subspan(3 * f, 3), facets.offsets[f]);
  }
  return assembly.finish(source);
}

}  // namespace supple
