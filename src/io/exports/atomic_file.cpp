#include "io/exports/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "supple/error.h"

namespace supple {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 18;

}  // namespace

void throw_system_error(const std::filesystem::path& path, std::string_view what, int code) {
  throw Error(ErrorKind::bad_file, path.string(),
              fmt::format("cannot be {}: {}", what, std::generic_category().message(code)));
}

std::filesystem::path part_name(const std::filesystem::path& path) {
  std::filesystem::path part = path;
  part += ".part";
  return part;
}

void write_all(int file, std::span<const std::byte> bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_system_error(path, "written", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

void sync_file(int file, const std::filesystem::path& path) {
  // EINVAL: a pipe or device that has nothing to flush.
  if (::fsync(file) != 0 && errno != EINVAL) throw_system_error(path, "flushed", errno);
}

void rename_part(const std::filesystem::path& path) {
  if (::rename(part_name(path).c_str(), path.c_str()) != 0) {
    throw_system_error(path, "renamed from its part", errno);
  }
  // The new name survives a crash only once the folder is on disk. If the folder cannot be opened
  // for that (no right to read it), the file in it is complete all the same.
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  ::fsync(directory);
  ::close(directory);
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw Error(ErrorKind::bad_file, folder.string(), "cannot be made: " + error.message());
  }
}

AtomicFile::AtomicFile(std::filesystem::path path)
    : path_(std::move(path)), part_(part_name(path_)) {
  file_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) throw_system_error(path_, "written", errno);
  buffer_.reserve(buffer_size);
}

AtomicFile::~AtomicFile() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(part_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  size_ += bytes.size();
  if (buffer_.size() + bytes.size() > buffer_size) flush();
  if (bytes.size() > buffer_size) {
    write_all(file_, bytes, path_);
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
}

void AtomicFile::flush() {
  write_all(file_, buffer_, path_);
  buffer_.clear();
}

void AtomicFile::commit() {
  flush();
  sync_file(file_, path_);
  rename_part(path_);
  // Closing cannot lose anything: the data is on disk under its name.
  ::close(std::exchange(file_, -1));
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace supple
