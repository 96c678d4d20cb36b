#include "io/run/stress_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <string>
#include <type_traits>

#include "io/exports/atomic_file.h"
#include "supple/error.h"

namespace supple {

static_assert(std::is_trivially_copyable_v<MultiplierStress> &&
                  sizeof(MultiplierStress) == 7 * sizeof(double),
              "stresses are written as they lie");

StressFile::StressFile(const std::filesystem::path& folder, int first_frame, int num_tets)
    : path_(folder / "stresses.part"),
      first_frame_(first_frame),
      num_tets_(static_cast<std::size_t>(num_tets)) {
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) throw_system_error(path_, "written", errno);
  // Its bytes stay as long as it is open.
  ::unlink(path_.c_str());
}

StressFile::~StressFile() {
  if (file_ >= 0) ::close(file_);
}

void StressFile::append(const std::vector<MultiplierStress>& stresses) {
  if (stresses.empty()) {
    places_.push_back(-1);
    return;
  }
  if (stresses.size() != num_tets_) {
    throw Error(
        ErrorKind::invalid_input, path_.string(),
        std::to_string(stresses.size()) + " stresses; expected " + std::to_string(num_tets_));
  }
  const auto bytes = std::as_bytes(std::span(stresses));
  write_all(file_, bytes, path_);
  places_.push_back(size_);
  size_ += static_cast<std::int64_t>(bytes.size());
  has_any_ = true;
}

std::vector<MultiplierStress> StressFile::read(int frame) const {
  const std::int64_t index = std::int64_t{frame} - first_frame_;
  if (index < 0 || index >= static_cast<std::int64_t>(places_.size())) return {};
  std::int64_t place = places_[static_cast<std::size_t>(index)];
  if (place < 0) return {};
  std::vector<MultiplierStress> stresses(num_tets_);
  auto left = std::as_writable_bytes(std::span(stresses));
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
  return stresses;
}

}  // namespace supple
