#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/meshes/source.h"
#include "io/meshes/tet_assembly.h"

namespace supple {

/// The cells of a VTK unstructured grid; the tets are selected once everything has been read. Every
/// function throws Error{bad_file} for numbers that contradict each other.
class VtkCells {
 public:
  /// Positions of an array's entries in the file.
  using Places = std::vector<std::size_t>;

  /// Cells as "n i_1 ... i_n" one after another.
  void set_list(const Source& source, std::size_t num_cells, const std::vector<std::int64_t>& list,
                const Places& places);

  /// Cell c has the corners [starts[c], starts[c + 1]) of `corners`; starts has one entry more than
  /// there are cells. `places`: positions of the corners; if empty, `place` serves for all.
  void set_offsets(const Source& source, std::size_t place, const std::vector<std::int64_t>& starts,
                   const std::vector<std::int64_t>& corners, const Places& places);

  void set_types(const Source& source, std::size_t place, const std::vector<std::int64_t>& types);

  /// Values for all cells: [size()].
  void set_field(const std::string& name, std::vector<double> values);

  std::size_t size() const { return starts_.empty() ? 0 : starts_.size() - 1; }

  /// Appends the tets with the values of their fields. `first_vertex` is added to vertex indices
  /// (for a further piece).
  void append_tets(const Source& source, TetAssembly& assembly,
                   std::int64_t first_vertex = 0) const;

 private:
  std::vector<std::size_t> starts_;  ///< [size() + 1]
  std::vector<std::int64_t> corners_;
  Places places_;  ///< [size()]
  std::vector<std::int64_t> types_;
  std::map<std::string, std::vector<double>> fields_;
};

}  // namespace supple
