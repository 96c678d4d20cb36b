#include "io/meshes/tet_assembly.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "mesh/tet_check.h"

namespace supple {

std::array<int, 4> TetAssembly::indices(const PlacedTet& tet, const TagIndex& tags) const {
  std::array<int, 4> result{};
  for (std::size_t c = 0; c < 4; ++c) {
    const std::int64_t corner = tet.corners[c];
    if (!vertex_tags.empty()) {
      const std::size_t index = tags.find(corner);
      result[c] = index == TagIndex::not_found ? -1 : static_cast<int>(index);
      continue;
    }
    // Compared before the subtraction, because the number is whatever the file says.
    const bool in_range = corner >= first_vertex &&
                          corner - first_vertex < static_cast<std::int64_t>(vertices.size());
    result[c] = in_range ? static_cast<int>(corner - first_vertex) : -1;
  }
  return result;
}

TetMesh TetAssembly::finish(const Source& source) {
  if (tets.empty()) source.fail("there are no tetrahedra: expected at least one");
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (vertices.size() > most || tets.size() > most) {
    source.fail("the mesh has more than " + std::to_string(most) + " vertices or tets");
  }
  const TagIndex tags(vertex_tags);
  TetMesh mesh;
  mesh.tets.reserve(tets.size());
  for (std::size_t t = 0; t < tets.size(); ++t) {
    std::array<int, 4> tet = indices(tets[t], tags);
    const TetDefect defect = normalise_tet(vertices, tet);
    if (defect != TetDefect::none) {
      std::int64_t first = first_vertex;
      std::int64_t last = first + static_cast<std::int64_t>(vertices.size()) - 1;
      if (!vertex_tags.empty()) {
        const auto [least, greatest] = std::minmax_element(vertex_tags.begin(), vertex_tags.end());
        first = *least;
        last = *greatest;
      }
      source.fail(tets[t].offset, "tet " + std::to_string(t) + " (counted from 0) " +
                                      describe(defect, tets[t].corners, first, last));
    }
    mesh.tets.push_back(tet);
  }
  tets.clear();
  mesh.vertices = std::move(vertices);
  mesh.tet_fields = std::move(fields);
  normalise(mesh, source.name());
  return mesh;
}

TagIndex::TagIndex(const std::vector<std::int64_t>& tags) {
  entries_.reserve(tags.size());
  for (std::size_t i = 0; i < tags.size(); ++i) entries_.push_back({tags[i], i});
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return a.tag != b.tag ? a.tag < b.tag : a.index < b.index;
  });
  for (std::size_t i = 1; i < entries_.size(); ++i) {
    if (entries_[i].tag == entries_[i - 1].tag) {
      repeated_ = std::min(repeated_, entries_[i].index);
    }
  }
}

std::size_t TagIndex::find(std::int64_t tag) const {
  const auto found =
      std::lower_bound(entries_.begin(), entries_.end(), tag,
                       [](const Entry& entry, std::int64_t value) { return entry.tag < value; });
  return found != entries_.end() && found->tag == tag ? found->index : not_found;
}

}  // namespace supple
