#include "io/run/frame_values.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "io/exports/atomic_file.h"
#include "supple/error.h"

namespace supple {

FrameBytes::FrameBytes(std::filesystem::path path, int first_frame, std::size_t size)
    : path_(std::move(path)), first_frame_(first_frame), size_of_frame_(size) {
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) throw_system_error(path_, "written", errno);
  // The bytes stay as long as the file is open.
  ::unlink(path_.c_str());
}

FrameBytes::~FrameBytes() {
  if (file_ >= 0) ::close(file_);
}

void FrameBytes::append(std::span<const std::byte> bytes) {
  if (bytes.empty()) {
    places_.push_back(-1);
    return;
  }
  if (bytes.size() != size_of_frame_) {
    throw Error(ErrorKind::invalid_input, path_.string(),
                "a frame of " + std::to_string(bytes.size()) + " bytes; expected " +
                    std::to_string(size_of_frame_));
  }
  write_all(file_, bytes, path_);
  places_.push_back(size_);
  size_ += static_cast<std::int64_t>(bytes.size());
  has_any_ = true;
}

std::int64_t FrameBytes::place_of(int frame) const {
  const std::int64_t index = std::int64_t{frame} - first_frame_;
  if (index < 0 || index >= static_cast<std::int64_t>(places_.size())) return -1;
  return places_[static_cast<std::size_t>(index)];
}

bool FrameBytes::read(int frame, std::span<std::byte> left) const {
  std::int64_t place = place_of(frame);
  if (place < 0) return false;
  while (!left.empty()) {
    const ssize_t n = ::pread(file_, left.data(), left.size(), place);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_system_error(path_, "read", errno);
    if (n == 0) {
      throw Error(
          ErrorKind::bad_file, path_.string(),
          "ends at byte " + std::to_string(place) + ", within frame " + std::to_string(frame));
    }
    left = left.subspan(static_cast<std::size_t>(n));
    place += n;
  }
  return true;
}

}  // namespace supple
