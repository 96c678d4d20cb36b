#include "io/meshes/source.h"

#include <fstream>
#include <system_error>
#include <utility>

#include "supple/error.h"

namespace supple {

Source::Source(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (bytes_.starts_with(byte_order_mark)) {
    skipped_ = byte_order_mark.size();
    bytes_.remove_prefix(skipped_);
  }
}

std::string Source::where(std::size_t offset) const {
  if (binary_) return name_ + ": byte " + std::to_string(skipped_ + offset);
  std::size_t line = 1;
  for (std::size_t i = 0; i < offset && i < bytes_.size(); ++i) {
    const bool lone_return = bytes_[i] == '\r' && (i + 1 == bytes_.size() || bytes_[i + 1] != '\n');
    if (bytes_[i] == '\n' || lone_return) ++line;
  }
  return name_ + ":" + std::to_string(line);
}

void Source::fail(std::size_t offset, const std::string& message) const {
  throw Error(ErrorKind::bad_file, where(offset), message);
}

void Source::fail(const std::string& message) const {
  throw Error(ErrorKind::bad_file, name_, message);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result = "'";
  for (const char c : text.substr(0, longest)) result += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > longest) result += "...";
  return result += "'";
}

std::string load_bytes(const std::filesystem::path& file) {
  const auto fail = [&](const std::string& message) {
    throw Error(ErrorKind::bad_file, file.string(), message);
  };
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(file, code);
  if (status.type() == std::filesystem::file_type::not_found) fail("there is no such file");
  if (code) fail("cannot be read: " + code.message());
  if (std::filesystem::is_directory(status)) fail("is a folder: expected a mesh file");
  if (!std::filesystem::is_regular_file(status)) fail("is not a file: expected a mesh file");
  const std::uintmax_t size = std::filesystem::file_size(file, code);
  if (code) fail("cannot be read: " + code.message());
  if (size == 0) fail("is empty: expected a mesh");
  if (size > largest_mesh_file) {
    fail("has " + std::to_string(size) + " bytes: expected at most " +
         std::to_string(largest_mesh_file));
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) fail("cannot be opened for reading");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(size));
  if (static_cast<std::uintmax_t>(stream.gcount()) != size) fail("cannot be read to its end");
  return bytes;
}

}  // namespace supple
