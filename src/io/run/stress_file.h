#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "supple/simulation.h"

namespace supple {

/// Stresses of the frames of a run, kept on the disk until they are exported: only while a run
/// simulates are its multipliers there. 56 bytes a tet and frame, none of them in memory. The file
/// has no name after it has been opened, so that nothing is left of it, whatever becomes of the
/// run. Throws Error{bad_file} where it cannot be written or read.
class StressFile {
 public:
  /// Opens stresses.part in a folder. The first frame appended is `first_frame`.
  StressFile(const std::filesystem::path& folder, int first_frame, int num_tets);
  ~StressFile();
  StressFile(const StressFile&) = delete;
  StressFile& operator=(const StressFile&) = delete;

  /// Those of the next frame: [num_tets], or none, of a frame where they are not known. Throws
  /// Error{invalid_input} for another number.
  void append(const std::vector<MultiplierStress>& stresses);

  /// Whether there are any.
  bool has_any() const { return has_any_; }

  /// [num_tets], or nothing of a frame that was not appended or had none.
  std::vector<MultiplierStress> read(int frame) const;

 private:
  std::filesystem::path path_;
  int file_ = -1;
  int first_frame_ = 0;
  std::size_t num_tets_ = 0;
  std::vector<std::int64_t> places_;  ///< of each frame appended, bytes; -1: none
  std::int64_t size_ = 0;             ///< bytes
  bool has_any_ = false;
};

}  // namespace supple
