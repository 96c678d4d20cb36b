#include "io/meshes/heights.h"

#include <algorithm>

#include "io/meshes/cursor.h"

namespace supple {

HeightGrid parse_heights(std::string_view bytes, const std::string& name) {
  std::string text(bytes);
  std::replace(text.begin(), text.end(), ',', ' ');
  std::replace(text.begin(), text.end(), ';', ' ');
  const Source source(text, name);
  Cursor cursor(source, {'#', false});
  HeightGrid grid;
  while (!cursor.at_end()) {
    int count = 0;
    while (!cursor.at_line_end()) {
      const double height = cursor.real({"height", grid.heights.size()});
      if (grid.heights.size() == most_heights) {
        cursor.fail("there are more than " + std::to_string(most_heights) + " heights");
      }
      grid.heights.push_back(height);
      ++count;
    }
    if (grid.nz == 0) grid.nx = count;
    if (count != grid.nx) {
      cursor.fail("a row of " + std::to_string(count) + " heights: expected " +
                  std::to_string(grid.nx) + " as in the first row");
    }
    ++grid.nz;
  }
  if (grid.nx < 2 || grid.nz < 2) {
    source.fail(std::to_string(grid.nz) + " rows of " + std::to_string(grid.nx) +
                " heights: expected at least 2 rows of 2");
  }
  return grid;
}

}  // namespace supple
