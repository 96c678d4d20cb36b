#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "supple/simulation.h"

namespace supple {

/// The table of a run, `frames.csv`, with one row per simulated frame,
///   frame,time,iterations,evaluations,objective,gradient_norm,kinetic_energy,elastic_energy,
///   milliseconds,pin_energy,gravity_energy,contact_energy,deepest_penetration,inverted,contacts,
///   unconverged,friction_work,plastic_work,pressure_energy
/// and with numbers in the shortest form that reads back to the same bits. Rows go to NAME.part,
/// which `finish` renames to NAME; a table that is destroyed before that leaves the part. Throws
/// Error{bad_file} if a file cannot be written.
class FrameTable {
 public:
  /// Starts a new table and replaces an older part.
  explicit FrameTable(const std::filesystem::path& path);
  /// Continues after the rows of frames 1 to `num_rows` of an earlier part or, if there is none, of
  /// the finished table. Throws Error{bad_file} if there are fewer rows, or something else.
  static FrameTable resume(const std::filesystem::path& path, std::int64_t num_rows);
  ~FrameTable();
  FrameTable(FrameTable&& other) noexcept;
  FrameTable& operator=(FrameTable&&) = delete;

  void append(std::int64_t frame, double time, const StepReport& report, const Energies& energies);
  /// Returns when all rows so far are on disk.
  void sync();
  /// Flushes and renames. Call it once, at the end.
  void finish();

 private:
  FrameTable(std::filesystem::path path, int file);

  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace supple
