#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace supple {

/// A file that appears under its name only when it is whole. It is written to NAME.part in the same
/// folder; `commit` flushes that to the disk and renames it. A crash leaves at most the part, an
/// exception not even that; an older file of the name stays until the new one is complete.
///
/// Everything here throws Error{bad_file} that names the file and the system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();  ///< removes the part unless committed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
  /// The bytes of a number or an array of numbers as they lie in memory.
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void write_values(std::span<const T> values) { write(std::as_bytes(values)); }
  template <class T>
  requires std::is_arithmetic_v<T>
  void write_value(T value) { write(std::as_bytes(std::span(&value, 1))); }

  /// Bytes written so far.
  std::size_t size() const { return size_; }

  /// To be called once, last.
  void commit();

 private:
  void flush();

  std::filesystem::path path_, part_;
  int file_ = -1;
  std::size_t size_ = 0;
  std::vector<std::byte> buffer_;
};

/// Writes a whole file at once, in the same manner.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Makes a folder and those above it. Throws Error{bad_file}.
void make_folder(const std::filesystem::path& folder);

/// The name under which a file is written before it is whole: NAME.part.
std::filesystem::path part_name(const std::filesystem::path& path);

/// Building stones for files that are written otherwise. `file` is a POSIX descriptor, `path` the
/// name that errors carry.
void write_all(int file, std::span<const std::byte> bytes, const std::filesystem::path& path);
void sync_file(int file, const std::filesystem::path& path);
/// Renames the part to its final name and makes that last.
void rename_part(const std::filesystem::path& path);
/// Throws Error{bad_file}: "PATH: cannot be WHAT: " and the reason of this errno.
[[noreturn]] void throw_system_error(const std::filesystem::path& path, std::string_view what,
                                     int code);

}  // namespace supple
