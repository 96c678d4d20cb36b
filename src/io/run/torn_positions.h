#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "supple/scene.h"
#include "supple/simulation.h"

namespace supple {

/// How vertices of a scene become more over the frames of a run, as its bodies come apart. Vertices
/// are those of the end; before a copy is made it is where its origin is.
class VertexGrowth {
 public:
  /// whole: the scene as it starts; separated: all that came apart since.
  VertexGrowth(const Scene& whole, const std::vector<Separation>& separated);

  int num_vertices() const { return static_cast<int>(born_.size()); }
  /// Vertices of the scene after so many frames.
  int num_vertices(std::int64_t frame) const;
  /// Positions of a frame, [3 * num_vertices(frame)], to those of all vertices of the end.
  void spread(std::int64_t frame, std::span<const double> positions, std::span<double> all) const;

 private:
  std::vector<std::int64_t> born_;  ///< the first frame in which there is each vertex
  std::vector<int> origin_;         ///< the vertex that each is a copy of, before it; -1: of none
};

/// Positions of a run in which vertices become more: frame after frame as they are, in NAME.torn
/// beside the array NAME, until `finish` makes the array of them. Throws Error{bad_file}.
class TornPositions {
 public:
  /// Starts anew.
  explicit TornPositions(const std::filesystem::path& path);
  /// Goes on after the frames 0 to `frame` of an earlier run that left its file.
  TornPositions(const std::filesystem::path& path, const VertexGrowth& growth, std::int64_t frame);
  ~TornPositions();
  TornPositions(TornPositions&& other) noexcept;
  TornPositions& operator=(TornPositions&&) = delete;

  void append(std::span<const double> positions);
  /// Returns when all frames so far are on the disk.
  void sync();
  /// Writes the array. keeps: for a run that goes on from a checkpoint, the file stays. To be
  /// called once, last.
  void finish(const VertexGrowth& growth, bool keeps);

 private:
  std::filesystem::path path_, file_path_;
  int file_ = -1;
  std::int64_t num_frames_ = 0;
};

}  // namespace supple
