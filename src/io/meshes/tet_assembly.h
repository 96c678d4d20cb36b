#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/meshes/source.h"
#include "supple/mesh.h"

namespace supple {

/// Finds the index of every tag of a list by binary search. Tags need not be sorted or dense.
class TagIndex {
 public:
  static constexpr std::size_t not_found = static_cast<std::size_t>(-1);

  TagIndex() = default;
  explicit TagIndex(const std::vector<std::int64_t>& tags);
  std::size_t find(std::int64_t tag) const;  ///< not_found if there is none
  /// Position of a tag that occurs a second time; not_found: all differ.
  std::size_t repeated() const { return repeated_; }

 private:
  struct Entry {
    std::int64_t tag;
    std::size_t index;
  };
  std::vector<Entry> entries_;
  std::size_t repeated_ = not_found;
};

/// A tetrahedral mesh while it is being read. The corners are still as numbered in the file, and
/// each tet has its position in the file, because a file may name vertices before it lists them.
struct TetAssembly {
  struct PlacedTet {
    std::array<std::int64_t, 4> corners{};
    std::size_t offset = 0;  ///< in the source of the tets
  };

  std::vector<Vec3> vertices;
  std::vector<PlacedTet> tets;
  std::int64_t first_vertex = 0;          ///< number of the first vertex
  std::vector<std::int64_t> vertex_tags;  ///< numbers of all vertices; empty: consecutive
  std::map<std::string, std::vector<double>> fields;  ///< each [num_tets]

  /// The mesh, checked and right-handed. Throws Error{bad_file} at the position of an invalid tet,
  /// or about the source as a whole if there are no tets.
  TetMesh finish(const Source& source);

 private:
  std::array<int, 4> indices(const PlacedTet& tet, const TagIndex& tags) const;
};

}  // namespace supple
