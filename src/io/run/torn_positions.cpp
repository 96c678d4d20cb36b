#include "io/run/torn_positions.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <string>
#include <utility>

#include "base/index.h"
#include "io/exports/atomic_file.h"
#include "io/exports/npy.h"
#include "sim/separations.h"
#include "supple/error.h"

namespace supple {

namespace {

std::filesystem::path torn_name(const std::filesystem::path& path) {
  return path.string() + ".torn";
}

std::int64_t bytes_of_frame(int num_vertices) {
  return std::int64_t{num_vertices} * 3 * static_cast<std::int64_t>(sizeof(double));
}

}  // namespace

VertexGrowth::VertexGrowth(const Scene& whole, const std::vector<Separation>& separated) {
  struct OfBody {
    std::vector<std::int64_t> born;
    std::vector<int> origin;  ///< numbers in the body
  };
  std::vector<OfBody> bodies;
  for (const Body& body : whole.bodies) {
    const std::size_t count = body.mesh.vertices.size();
    bodies.push_back({std::vector<std::int64_t>(count, 0), std::vector<int>(count, -1)});
  }
  Separations separations(whole.bodies.size());
  Scene scene = whole;
  for (std::size_t i = 0; i < separated.size();) {
    const Separation& first = separated[i];
    BodySeparation some{first.body, {}};
    for (; i < separated.size() && separated[i].event == first.event &&
           separated[i].body == first.body;
         ++i) {
      some.pairs.emplace_back(separated[i].first, separated[i].second);
    }
    SeparatedScene next = separations.separate(scene, {&some, 1}, first.frame);
    OfBody& own = bodies[at(first.body)];
    for (const int origin : next.copies[at(first.body)]) {
      // A frame number is counted at the end of the frame: the body comes apart at the start of the
      // next one.
      own.born.push_back(first.frame + 1);
      own.origin.push_back(origin);
    }
    scene = std::move(next.scene);
  }
  for (const OfBody& own : bodies) {
    const auto first_vertex = static_cast<int>(born_.size());
    born_.insert(born_.end(), own.born.begin(), own.born.end());
    for (const int origin : own.origin) {
      origin_.push_back(origin < 0 ? -1 : first_vertex + origin);
    }
  }
}

int VertexGrowth::num_vertices(std::int64_t frame) const {
  return static_cast<int>(
      std::count_if(born_.begin(), born_.end(), [&](std::int64_t born) { return born <= frame; }));
}

void VertexGrowth::spread(std::int64_t frame, std::span<const double> positions,
                          std::span<double> all) const {
  std::size_t next = 0;
  for (std::size_t v = 0; v < born_.size(); ++v) {
    // An origin comes before its copies.
    const bool is_there = born_[v] <= frame;
    const double* const from = is_there ? &positions[3 * next] : &all[3 * at(origin_[v])];
    std::copy_n(from, 3, &all[3 * v]);
    if (is_there) ++next;
  }
}

TornPositions::TornPositions(const std::filesystem::path& path)
    : path_(path), file_path_(torn_name(path)) {
  file_ = ::open(file_path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) throw_system_error(file_path_, "written", errno);
}

TornPositions::TornPositions(const std::filesystem::path& path, const VertexGrowth& growth,
                             std::int64_t frame)
    : path_(path), file_path_(torn_name(path)), num_frames_(frame + 1) {
  file_ = ::open(file_path_.c_str(), O_RDWR | O_CLOEXEC);
  if (file_ < 0) {
    throw Error(ErrorKind::bad_file, file_path_.string(),
                "is missing: a run of bodies that come apart continues from this file, which a run "
                "with checkpoints leaves beside its output");
  }
  std::int64_t size = 0;
  for (std::int64_t f = 0; f <= frame; ++f) size += bytes_of_frame(growth.num_vertices(f));
  const off_t there = ::lseek(file_, 0, SEEK_END);
  if (there < size) {
    ::close(file_);
    throw Error(ErrorKind::bad_file, file_path_.string(),
                "has " + std::to_string(there) + " bytes; expected at least " +
                    std::to_string(size) + " for the frames up to that of the checkpoint");
  }
  if (::ftruncate(file_, size) != 0 || ::lseek(file_, 0, SEEK_END) < 0) {
    throw_system_error(file_path_, "cut", errno);
  }
}

TornPositions::~TornPositions() {
  if (file_ >= 0) ::close(file_);
}

TornPositions::TornPositions(TornPositions&& other) noexcept
    : path_(std::move(other.path_)),
      file_path_(std::move(other.file_path_)),
      file_(std::exchange(other.file_, -1)),
      num_frames_(other.num_frames_) {}

void TornPositions::append(std::span<const double> positions) {
  write_all(file_, std::as_bytes(positions), file_path_);
  ++num_frames_;
}

void TornPositions::sync() { sync_file(file_, file_path_); }

void TornPositions::finish(const VertexGrowth& growth, bool keeps) {
  NpyWriter writer(path_, growth.num_vertices());
  std::vector<double> positions, all(3 * at(growth.num_vertices()));
  std::int64_t place = 0;
  for (std::int64_t frame = 0; frame < num_frames_; ++frame) {
    positions.resize(3 * at(growth.num_vertices(frame)));
    std::span<std::byte> left = std::as_writable_bytes(std::span(positions));
    while (!left.empty()) {
      const ssize_t n = ::pread(file_, left.data(), left.size(), place);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw_system_error(file_path_, "read", errno);
      if (n == 0) {
        throw Error(ErrorKind::bad_file, file_path_.string(),
                    "ends within frame " + std::to_string(frame));
      }
      left = left.subspan(static_cast<std::size_t>(n));
      place += n;
    }
    growth.spread(frame, positions, all);
    writer.append(all);
  }
  writer.finish();
  if (keeps) {
    sync();
  } else {
    std::error_code ignored;
    std::filesystem::remove(file_path_, ignored);
  }
}

}  // namespace supple
