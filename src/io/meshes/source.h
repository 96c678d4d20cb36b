#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

/// The bytes of a mesh file and its name. Readers remember positions as offsets; only an error
/// turns an offset into a line.
namespace supple {

class Source {
 public:
  /// The bytes must outlive this object. A UTF-8 byte order mark is skipped.
  Source(std::string_view bytes, std::string name);

  std::string_view bytes() const { return bytes_; }
  const std::string& name() const { return name_; }

  /// The file is binary: positions then read "name: byte N" instead of "name:LINE".
  void tell_bytes() { binary_ = true; }

  /// The position text for an error at this offset. Lines count from 1, bytes from 0.
  std::string where(std::size_t offset) const;

  /// Throws Error{bad_file} at an offset, or about the file as a whole.
  [[noreturn]] void fail(std::size_t offset, const std::string& message) const;
  [[noreturn]] void fail(const std::string& message) const;

 private:
  std::string_view bytes_;
  std::string name_;
  std::size_t skipped_ = 0;
  bool binary_ = false;
};

/// A piece of a file in quotes for a message: cut after 40 characters, without control characters.
std::string in_quotes(std::string_view text);

/// The content of a file. Throws Error{bad_file} if the file does not exist, is a folder or a
/// device, is empty, has more than `largest_mesh_file` bytes or cannot be read to its end.
std::string load_bytes(const std::filesystem::path& file);

inline constexpr std::uintmax_t largest_mesh_file = std::uintmax_t{1} << 32;  // 4 GiB

}  // namespace supple
