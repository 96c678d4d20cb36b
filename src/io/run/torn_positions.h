#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "supple/scene.h"
#include "supple/simulation.h"

namespace supple {

/// How a scene gets more vertices over the frames of a run, as its bodies come apart. Vertices are
/// numbered as at the end of the run. Before a copy exists, it has the position of its origin.
class VertexGrowth {
 public:
  /// whole: the scene at the start; separated: all separations since then.
  VertexGrowth(const Scene& whole, const std::vector<Separation>& separated);

  int num_vertices() const { return static_cast<int>(born_.size()); }
  /// Number of vertices of the scene after this many frames.
  int num_vertices(std::int64_t frame) const;
  /// Spreads the positions of a frame, [3 * num_vertices(frame)], to those of all vertices at the
  /// end of the run.
  void spread(std::int64_t frame, std::span<const double> positions, std::span<double> all) const;

 private:
  std::vector<std::int64_t> born_;  ///< the first frame in which each vertex exists
  std::vector<int> origin_;         ///< the earlier vertex that each is a copy of; -1: not a copy
};

/// Positions of a run in which the number of vertices grows. The frames are kept as they are in
/// NAME.torn beside the array NAME, until `finish` makes the array from them. Throws
/// Error{bad_file}.
class TornPositions {
 public:
  /// Starts a new file.
  explicit TornPositions(const std::filesystem::path& path);
  /// Continues after the frames 0 to `frame` of an earlier run that left its file.
  TornPositions(const std::filesystem::path& path, const VertexGrowth& growth, std::int64_t frame);
  ~TornPositions();
  TornPositions(TornPositions&& other) noexcept;
  TornPositions& operator=(TornPositions&&) = delete;

  void append(std::span<const double> positions);
  /// Returns when all frames so far are on disk.
  void sync();
  /// Writes the array. keeps: the file stays, for a run that is resumed from a checkpoint. Call it
  /// once, at the end.
  void finish(const VertexGrowth& growth, bool keeps);

 private:
  std::filesystem::path path_, file_path_;
  int file_ = -1;
  std::int64_t num_frames_ = 0;
};

}  // namespace supple
