#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace supple {

/// A file that appears under its name only when it is complete. It is written to NAME.part in the
/// same folder; `commit` flushes that to disk and renames it. A crash leaves at most the part, and
/// an exception not even that. An older file with the name stays until the new one is complete.
///
/// Everything here throws Error{bad_file} with the file and the system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();  ///< removes the part unless committed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
  /// Writes a number or an array of numbers exactly as it lies in memory.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void write_values(std::span<const T> values) { write(std::as_bytes(values)); }
  template <class T>
  requires std::is_arithmetic_v<T>
  void write_value(T value) { write(std::as_bytes(std::span(&value, 1))); }

  /// Number of bytes written so far.
  std::size_t size() const { return size_; }

  /// Call it once, at the end.
  void commit();

 private:
  void flush();

  std::filesystem::path path_, part_;
  int file_ = -1;
  std::size_t size_ = 0;
  std::vector<std::byte> buffer_;
};

/// Writes a whole file at once, in the same way.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Makes a folder and its parents. Throws Error{bad_file}.
void make_folder(const std::filesystem::path& folder);

/// The name under which a file is written before it is complete: NAME.part.
std::filesystem::path part_name(const std::filesystem::path& path);

/// Building blocks for files that are written in other ways. `file` is a POSIX descriptor, `path`
/// the name in errors.
void write_all(int file, std::span<const std::byte> bytes, const std::filesystem::path& path);
void sync_file(int file, const std::filesystem::path& path);
/// Renames the part to its final name and flushes the new name to disk.
void rename_part(const std::filesystem::path& path);
/// Throws Error{bad_file}: "PATH: cannot be WHAT: " and the reason of this errno.
[[noreturn]] void throw_system_error(const std::filesystem::path& path, std::string_view what,
                                     int code);

}  // namespace supple
