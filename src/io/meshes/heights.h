#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace supple {

/// Heights on a grid, row after row.
struct HeightGrid {
  int nx = 0, nz = 0;           ///< heights per row, and rows
  std::vector<double> heights;  ///< [nz * nx], m
};

inline constexpr std::size_t most_heights = std::size_t{1} << 20;

/// Text: one line per row, with numbers separated by blanks, commas or semicolons. # starts a
/// comment, and empty lines are skipped. Throws Error{bad_file} at "name:LINE" for a word that is
/// not a finite number, a row of another length than the first, fewer than two rows or numbers per
/// row, and more than most_heights.
HeightGrid parse_heights(std::string_view bytes, const std::string& name);

/// Reads such a file. Also throws Error{bad_file} if it cannot be read.
HeightGrid read_heights(const std::filesystem::path& file);

}  // namespace supple
