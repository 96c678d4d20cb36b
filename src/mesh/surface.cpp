#include "mesh/surface.h"

#include <algorithm>
#include <cstddef>

namespace supple {

namespace {

/// The faces of a right-handed tet, counter-clockwise seen from outside. Face i is opposite corner
/// i.
constexpr std::array<std::array<std::size_t, 3>, 4> faces_of_tet{
    {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

std::array<int, 3> face_corners(const std::array<int, 4>& tet, std::size_t face) {
  const auto& f = faces_of_tet[face];
  return {tet[f[0]], tet[f[1]], tet[f[2]]};
}

/// A face by its sorted corners without the smallest, which names the bucket that it is in.
struct Face {
  int middle;
  int largest;
  std::size_t number;  ///< 4 tet + face

  bool same_corners(const Face& other) const {
    return middle == other.middle && largest == other.largest;
  }
  bool operator<(const Face& other) const {
    if (middle != other.middle) return middle < other.middle;
    if (largest != other.largest) return largest < other.largest;
    return number < other.number;
  }
};

/// Faces in buckets by their smallest corner: bucket v is faces[start[v] .. start[v + 1]).
struct Buckets {
  std::vector<std::size_t> start;  ///< [num_vertices + 1]
  std::vector<Face> faces;         ///< [4 num_tets]
};

Buckets faces_by_smallest_corner(const TetMesh& mesh) {
  Buckets buckets;
  buckets.start.assign(mesh.vertices.size() + 1, 0);
  buckets.faces.resize(4 * mesh.tets.size());
  const auto smallest = [](const std::array<int, 3>& c) {
    return static_cast<std::size_t>(std::min({c[0], c[1], c[2]}));
  };
  for (const auto& tet : mesh.tets) {
    for (std::size_t f = 0; f < 4; ++f) ++buckets.start[smallest(face_corners(tet, f)) + 1];
  }
  for (std::size_t v = 1; v < buckets.start.size(); ++v) buckets.start[v] += buckets.start[v - 1];
  std::vector<std::size_t> next(buckets.start.begin(), buckets.start.end() - 1);
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    for (std::size_t f = 0; f < 4; ++f) {
      std::array<int, 3> corners = face_corners(mesh.tets[t], f);
      std::sort(corners.begin(), corners.end());
      buckets.faces[next[smallest(corners)]++] = {corners[1], corners[2], 4 * t + f};
    }
  }
  return buckets;
}

}  // namespace

std::vector<SurfaceFace> surface_faces(const TetMesh& mesh) {
  Buckets buckets = faces_by_smallest_corner(mesh);
  std::vector<char> is_surface(buckets.faces.size(), 0);
  std::size_t num_triangles = 0;
  for (std::size_t v = 0; v + 1 < buckets.start.size(); ++v) {
    const auto begin = buckets.faces.begin() + static_cast<std::ptrdiff_t>(buckets.start[v]);
    const auto end = buckets.faces.begin() + static_cast<std::ptrdiff_t>(buckets.start[v + 1]);
    std::sort(begin, end);
    for (auto first = begin; first != end;) {
      const auto last =
          std::find_if(first, end, [&](const Face& face) { return !face.same_corners(*first); });
      if (last - first != 2) {
        for (auto face = first; face != last; ++face) is_surface[face->number] = 1;
        num_triangles += static_cast<std::size_t>(last - first);
      }
      first = last;
    }
  }
  std::vector<SurfaceFace> faces;
  faces.reserve(num_triangles);
  for (std::size_t number = 0; number < is_surface.size(); ++number) {
    const std::size_t tet = number / 4;
    if (!is_surface[number]) continue;
    faces.push_back({face_corners(mesh.tets[tet], number % 4), static_cast<int>(tet)});
  }
  return faces;
}

std::vector<std::array<int, 3>> surface_triangles(const TetMesh& mesh) {
  std::vector<std::array<int, 3>> triangles;
  for (const SurfaceFace& face : surface_faces(mesh)) triangles.push_back(face.corners);
  return triangles;
}

}  // namespace supple
