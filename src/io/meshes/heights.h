#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace supple {

/// Heights on a grid, row after row.
struct HeightGrid {
  int nx = 0, nz = 0;           ///< in a row, and rows
  std::vector<double> heights;  ///< [nz * nx], m
};

inline constexpr std::size_t most_heights = std::size_t{1} << 20;

/// Text: a line a row, of numbers with blanks, commas or semicolons between them; # starts a
/// comment and empty lines are left out. Throws Error{bad_file} at "name:LINE" for a word that is
/// no finite number, a row of another length than the first, fewer than two rows or numbers in a
/// row, more than most_heights.
HeightGrid parse_heights(std::string_view bytes, const std::string& name);

/// The same of a file. Throws Error{bad_file} also for one that cannot be read.
HeightGrid read_heights(const std::filesystem::path& file);

}  // namespace supple
