#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <type_traits>
#include <vector>

namespace supple {

/// The bytes of FrameValues.
class FrameBytes {
 public:
  FrameBytes(std::filesystem::path path, int first_frame, std::size_t size);
  ~FrameBytes();
  FrameBytes(const FrameBytes&) = delete;
  FrameBytes& operator=(const FrameBytes&) = delete;

  void append(std::span<const std::byte> bytes);
  bool has_any() const { return has_any_; }
  bool has(int frame) const { return place_of(frame) >= 0; }
  /// [size]; false if the frame has none.
  bool read(int frame, std::span<std::byte> bytes) const;

 private:
  std::int64_t place_of(int frame) const;

  std::filesystem::path path_;
  int file_ = -1;
  int first_frame_ = 0;
  std::size_t size_of_frame_ = 0;
  std::vector<std::int64_t> places_;  ///< of each appended frame, bytes; -1: none
  std::int64_t size_ = 0;             ///< bytes
  bool has_any_ = false;
};

/// Values of the frames of a run, equally many per frame, kept on disk until they are exported.
/// They are what only a running simulation knows, such as stresses from multipliers and forces of
/// contacts. None of them stay in memory. The file is unlinked as soon as it has been opened, so
/// nothing is left of it, however the run ends. Throws Error{bad_file} if it cannot be written or
/// read.
template <class Value>
class FrameValues {
  static_assert(std::is_trivially_copyable_v<Value>, "values are written as they lie");

 public:
  /// Opens a file at `path`. The first frame appended is `first_frame`.
  FrameValues(const std::filesystem::path& path, int first_frame, std::size_t count)
      : bytes_(path, first_frame, count * sizeof(Value)), count_(count) {}

  /// Appends the values of the next frame: [count], or none if they are not known. Throws
  /// Error{invalid_input} for another number.
  void append(const std::vector<Value>& values) { bytes_.append(std::as_bytes(std::span(values))); }

  /// Does any frame have values?
  bool has_any() const { return bytes_.has_any(); }

  /// [count], or nothing if the frame was not appended or has none.
  std::vector<Value> read(int frame) const {
    if (!bytes_.has(frame)) return {};
    std::vector<Value> values(count_);
    bytes_.read(frame, std::as_writable_bytes(std::span(values)));
    return values;
  }

 private:
  FrameBytes bytes_;
  std::size_t count_;
};

}  // namespace supple
