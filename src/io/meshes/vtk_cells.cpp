#include "io/meshes/vtk_cells.h"

#include <limits>
#include <utility>

namespace supple {

namespace {
constexpr std::int64_t tet_type = 10;
constexpr std::int64_t quadratic_tet_type = 24;
}  // namespace

void VtkCells::set_list(const Source& source, std::size_t num_cells,
                        const std::vector<std::int64_t>& list, const Places& places) {
  starts_.assign(1, 0);
  std::size_t next = 0;
  for (std::size_t c = 0; c < num_cells; ++c) {
    if (next >= list.size()) {
      source.fail("the list of cells ends after " + std::to_string(c) + " of " +
                  std::to_string(num_cells) + " cells");
    }
    const std::int64_t count = list[next];
    if (count < 0 || static_cast<std::uint64_t>(count) > list.size() - next - 1) {
      source.fail(places[next], "cell " + std::to_string(c) + " announces " +
                                    std::to_string(count) + " corners, but the list has " +
                                    std::to_string(list.size() - next - 1) + " more numbers");
    }
    places_.push_back(places[next]);
    ++next;
    for (std::int64_t i = 0; i < count; ++i, ++next) corners_.push_back(list[next]);
    starts_.push_back(corners_.size());
  }
  if (next != list.size()) {
    source.fail(places[next], "the list of cells holds " + std::to_string(list.size()) +
                                  " numbers, its " + std::to_string(num_cells) + " cells take " +
                                  std::to_string(next));
  }
}

void VtkCells::set_offsets(const Source& source, std::size_t place,
                           const std::vector<std::int64_t>& starts,
                           const std::vector<std::int64_t>& corners, const Places& places) {
  if (starts.empty() || starts.front() != 0 ||
      starts.back() != static_cast<std::int64_t>(corners.size())) {
    source.fail(place, "the offsets of the cells do not go from 0 to the " +
                           std::to_string(corners.size()) + " corners");
  }
  for (std::size_t c = 1; c < starts.size(); ++c) {
    if (starts[c] < starts[c - 1]) {
      source.fail(place, "the offsets of the cells decrease at cell " + std::to_string(c - 1));
    }
  }
  starts_.assign(starts.begin(), starts.end());
  corners_ = corners;
  for (std::size_t c = 0; c < size(); ++c) {
    const bool each = places.size() == corners.size() && starts_[c] < corners.size();
    places_.push_back(each ? places[starts_[c]] : place);
  }
}

void VtkCells::set_types(const Source& source, std::size_t place,
                         const std::vector<std::int64_t>& types) {
  if (types.size() != size()) {
    source.fail(place, std::to_string(types.size()) + " cell types for " + std::to_string(size()) +
                           " cells");
  }
  types_ = types;
}

void VtkCells::set_field(const std::string& name, std::vector<double> values) {
  fields_[name] = std::move(values);
}

void VtkCells::append_tets(const Source& source, TetAssembly& assembly,
                           std::int64_t first_vertex) const {
  std::vector<std::size_t> cells;
  std::size_t num_quadratic = 0;
  for (std::size_t c = 0; c < types_.size(); ++c) {
    if (types_[c] == quadratic_tet_type) ++num_quadratic;
    if (types_[c] != tet_type) continue;
    const std::size_t count = starts_[c + 1] - starts_[c];
    if (count != 4) {
      source.fail(places_[c], "cell " + std::to_string(c) + " is a tet of " +
                                  std::to_string(count) + " corners: expected 4");
    }
    TetAssembly::PlacedTet tet;
    tet.offset = places_[c];
    for (std::size_t i = 0; i < 4; ++i) {
      // A number near the limit of the type is out of range before and after the addition.
      const std::int64_t corner = corners_[starts_[c] + i];
      const bool small = corner >= 0 && corner <= std::numeric_limits<std::int32_t>::max();
      tet.corners[i] = small ? corner + first_vertex : -1;
    }
    assembly.tets.push_back(tet);
    cells.push_back(c);
  }
  if (cells.empty() && num_quadratic > 0) {
    source.fail("all " + std::to_string(num_quadratic) +
                " tetrahedra are quadratic (10 nodes): expected tets of 4 nodes");
  }
  for (const auto& [name, values] : fields_) {
    std::vector<double>& field = assembly.fields[name];
    for (const std::size_t c : cells) field.push_back(values[c]);
  }
}

}  // namespace supple
