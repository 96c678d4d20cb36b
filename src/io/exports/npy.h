#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace supple {

/// Positions over time as a NumPy array of float64, shape (frames, vertices, 3), C order: format
/// version 1.0 with a header of fixed size, so that the number of frames can be set at the end.
/// [NEP 1, "A simple file format for NumPy arrays"]
///
/// The writer appends to NAME.part, which `finish` renames to NAME. A writer that is destroyed
/// before that leaves the part, from which `resume` continues.
class NpyWriter {
 public:
  /// Starts a new array and replaces an older part. Throws Error{bad_file} if it cannot be written
  /// and Error{invalid_input} for num_vertices < 0.
  NpyWriter(const std::filesystem::path& path, int num_vertices);

  /// Continues after the first `num_frames` frames that an earlier writer left: in its part or, if
  /// there is none, in the finished file, which stays as it is until `finish`. Later frames and a
  /// half-written frame are cut off. Throws Error{bad_file} if there are fewer frames, another
  /// number of vertices, or something other than such an array.
  static NpyWriter resume(const std::filesystem::path& path, int num_vertices,
                          std::int64_t num_frames);

  ~NpyWriter();
  NpyWriter(NpyWriter&& other) noexcept;
  NpyWriter& operator=(NpyWriter&&) = delete;

  /// positions: [num_vertices * 3], m. Throws Error{invalid_input} for another size.
  void append(std::span<const double> positions);
  /// Returns when all frames so far are on disk. Call it before a checkpoint that depends on them.
  void sync();
  /// Sets the number of frames, flushes and renames. Call it once, at the end.
  void finish();

  std::int64_t num_frames() const { return num_frames_; }
  int num_vertices() const { return num_vertices_; }

 private:
  NpyWriter(std::filesystem::path path, int num_vertices, int file, std::int64_t num_frames);

  std::filesystem::path path_;
  int num_vertices_ = 0;
  int file_ = -1;
  std::int64_t num_frames_ = 0;
};

/// Random access to the frames of such an array. Throws Error{bad_file} for a file that cannot be
/// read, is not an array of float64 of shape (frames, vertices, 3) in C order, or whose size does
/// not match its header.
class NpyReader {
 public:
  explicit NpyReader(const std::filesystem::path& path);
  ~NpyReader();
  NpyReader(NpyReader&& other) noexcept;
  NpyReader& operator=(NpyReader&&) = delete;

  std::int64_t num_frames() const { return num_frames_; }
  int num_vertices() const { return num_vertices_; }

  /// positions: [num_vertices * 3], m. Throws Error{invalid_input} for another size or a frame out
  /// of range, Error{bad_file} if the file has become shorter. Several threads may call it at once.
  void read_frame(std::int64_t frame, std::span<double> positions) const;

 private:
  std::filesystem::path path_;
  int file_ = -1;
  std::int64_t data_ = 0;  ///< where the frames start, bytes
  std::int64_t num_frames_ = 0;
  int num_vertices_ = 0;
};

}  // namespace supple
