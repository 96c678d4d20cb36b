#include "io/exports/npy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "io/exports/atomic_file.h"
#include "supple/error.h"

namespace supple {

namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie");

/// Magic, version and length are ten bytes, and NumPy wants the data aligned to 64. 128 bytes hold
/// the longest dictionary: 61 characters and two numbers of at most 19 digits.
constexpr std::int64_t header_size = 128;
constexpr std::string_view magic{"\x93NUMPY\x01\x00", 8};

std::string header(std::int64_t num_frames, int num_vertices) {
  std::string text(magic);
  constexpr auto length = static_cast<std::uint16_t>(header_size - 10);
  text.push_back(static_cast<char>(length & 0xFF));
  text.push_back(static_cast<char>(length >> 8));
  text += fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}, 3), }}",
                      num_frames, num_vertices);
  text.resize(header_size - 1, ' ');
  text.push_back('\n');
  return text;
}

std::int64_t frame_bytes(int num_vertices) {
  return static_cast<std::int64_t>(num_vertices) * 3 * static_cast<std::int64_t>(sizeof(double));
}

void check_count(const std::filesystem::path& path, int num_vertices, std::size_t values) {
  const auto expected = 3 * static_cast<std::size_t>(num_vertices);
  if (values != expected) {
    throw Error(
        ErrorKind::invalid_input, path.string(),
        fmt::format("{} coordinates; expected {} for {} vertices", values, expected, num_vertices));
  }
}

[[noreturn]] void reject(const std::filesystem::path& path, const std::string& why) {
  throw Error(ErrorKind::bad_file, path.string(), why);
}

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags)
      : value_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (value_ < 0) {
      throw_system_error(path, (flags & O_ACCMODE) == O_RDONLY ? "read" : "written", errno);
    }
  }
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

/// Fills `bytes` from an offset, or reports that the file is too short.
void read_at(int file, std::int64_t offset, std::span<std::byte> bytes,
             const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::pread(file, bytes.data(), bytes.size(), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_system_error(path, "read", errno);
    if (n == 0)
      reject(path, fmt::format("ends at byte {}; expected {} more", offset, bytes.size()));
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    offset += n;
  }
}

std::int64_t size_of(int file, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(file, &status) != 0) throw_system_error(path, "read", errno);
  if (!S_ISREG(status.st_mode)) reject(path, "is not a file; expected a NumPy array");
  return status.st_size;
}

/// The contents of a header.
struct Layout {
  std::int64_t data = 0;  ///< where the frames start, bytes
  std::int64_t num_frames = 0;
  int num_vertices = 0;
};

/// Parses the header's dictionary exactly, except for blanks.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::filesystem::path& path)
      : text_(text), path_(path) {}

  Layout parse() {
    Layout layout;
    bool descr = false, order = false, shape = false;
    expect("{");
    while (!accept("}")) {
      if (!descr && accept("'descr'")) {
        descr = true;
        expect(":");
        if (!accept("'<f8'")) fail("another type than float64, little endian ('<f8')");
      } else if (!order && accept("'fortran_order'")) {
        order = true;
        expect(":");
        if (!accept("False")) fail("another order than C order ('fortran_order': False)");
      } else if (!shape && accept("'shape'")) {
        shape = true;
        expect(":");
        parse_shape(layout);
      } else {
        fail("an unknown or repeated entry");
      }
      if (!accept(",")) {
        expect("}");
        break;
      }
    }
    skip_blanks();
    if (!text_.empty()) fail("something after the dictionary");
    if (!descr || !order || !shape) fail("no 'descr', 'fortran_order' or 'shape'");
    return layout;
  }

 private:
  void parse_shape(Layout& layout) {
    expect("(");
    layout.num_frames = number();
    expect(",");
    const std::int64_t vertices = number();
    expect(",");
    if (number() != 3) fail("a shape that does not end in 3");
    accept(",");
    if (!accept(")")) fail("a shape of more than three numbers");
    if (vertices > std::numeric_limits<int>::max()) fail("too many vertices");
    layout.num_vertices = static_cast<int>(vertices);
  }
  std::int64_t number() {
    skip_blanks();
    std::int64_t value = -1;
    const auto result = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (result.ec != std::errc() || value < 0) fail("a shape that is not (frames, vertices, 3)");
    text_.remove_prefix(static_cast<std::size_t>(result.ptr - text_.data()));
    return value;
  }
  void skip_blanks() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n'))
      text_.remove_prefix(1);
  }
  bool accept(std::string_view token) {
    skip_blanks();
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("no '{}' where one must stand", token));
  }
  [[noreturn]] void fail(const std::string& what) const {
    reject(path_, "its header has " + what +
                      "; expected a NumPy array of float64 of shape (frames, vertices, 3)");
  }

  std::string_view text_;
  const std::filesystem::path& path_;
};

Layout read_layout(int file, std::int64_t size, const std::filesystem::path& path) {
  if (size < 10) reject(path, "is too short for a NumPy array");
  std::array<char, 10> start{};
  read_at(file, 0, std::as_writable_bytes(std::span(start)), path);
  if (std::string_view(start.data(), 8) != magic) {
    reject(path, "is not a NumPy array of format version 1.0");
  }
  const auto length = static_cast<std::int64_t>(static_cast<unsigned char>(start[8]) |
                                                static_cast<unsigned char>(start[9]) << 8);
  if (10 + length > size) reject(path, "ends within its header");
  std::string text(static_cast<std::size_t>(length), '\0');
  read_at(file, 10, std::as_writable_bytes(std::span(text)), path);
  Layout layout = HeaderParser(text, path).parse();
  layout.data = 10 + length;
  return layout;
}

/// Copies the start of a finished file, so that it can be continued.
void copy_start(const Descriptor& from, const Descriptor& to, std::int64_t bytes,
                const std::filesystem::path& path) {
  std::vector<std::byte> block(std::size_t{1} << 20);
  for (std::int64_t done = 0; done < bytes;) {
    const auto n = std::min<std::int64_t>(static_cast<std::int64_t>(block.size()), bytes - done);
    const std::span<std::byte> part(block.data(), static_cast<std::size_t>(n));
    read_at(from.get(), done, part, path);
    write_all(to.get(), part, path);
    done += n;
  }
}

}  // namespace

NpyWriter::NpyWriter(std::filesystem::path path, int num_vertices, int file,
                     std::int64_t num_frames)
    : path_(std::move(path)), num_vertices_(num_vertices), file_(file), num_frames_(num_frames) {}

NpyWriter::NpyWriter(const std::filesystem::path& path, int num_vertices)
    : path_(path), num_vertices_(num_vertices) {
  if (num_vertices < 0) {
    throw Error(ErrorKind::invalid_input, path.string(), "fewer than no vertices");
  }
  Descriptor file(part_name(path), O_RDWR | O_CREAT | O_TRUNC);
  const std::string start = header(0, num_vertices);
  write_all(file.get(), std::as_bytes(std::span(start)), path);
  file_ = file.release();
}

NpyWriter NpyWriter::resume(const std::filesystem::path& path, int num_vertices,
                            std::int64_t num_frames) {
  const std::filesystem::path part = part_name(path);
  const bool has_part = std::filesystem::exists(part);
  const std::filesystem::path& source = has_part ? part : path;
  Descriptor from(source, has_part ? O_RDWR : O_RDONLY);
  const std::int64_t size = size_of(from.get(), source);
  const Layout layout = read_layout(from.get(), size, source);
  if (layout.num_vertices != num_vertices) {
    reject(source, fmt::format("has {} vertices; expected {}", layout.num_vertices, num_vertices));
  }
  if (layout.data != header_size) {
    reject(source, fmt::format("has a header of {} bytes; expected {}", layout.data, header_size));
  }
  const std::int64_t frame = frame_bytes(num_vertices);
  const std::int64_t available =
      frame > 0 ? (size - header_size) / frame : std::numeric_limits<std::int64_t>::max();
  if (num_frames < 0 || num_frames > available) {
    reject(source, fmt::format("has {} whole frames; expected at least {}", available, num_frames));
  }
  const std::int64_t kept = header_size + num_frames * frame;
  if (!has_part) {
    Descriptor to(part, O_RDWR | O_CREAT | O_TRUNC);
    copy_start(from, to, kept, path);
    return {path, num_vertices, to.release(), num_frames};
  }
  if (::ftruncate(from.get(), kept) != 0) throw_system_error(part, "cut", errno);
  if (::lseek(from.get(), 0, SEEK_END) < 0) throw_system_error(part, "written", errno);
  return {path, num_vertices, from.release(), num_frames};
}

NpyWriter::~NpyWriter() {
  if (file_ >= 0) ::close(file_);
}

NpyWriter::NpyWriter(NpyWriter&& other) noexcept
    : path_(std::move(other.path_)),
      num_vertices_(other.num_vertices_),
      file_(std::exchange(other.file_, -1)),
      num_frames_(other.num_frames_) {}

void NpyWriter::append(std::span<const double> positions) {
  check_count(path_, num_vertices_, positions.size());
  write_all(file_, std::as_bytes(positions), path_);
  ++num_frames_;
}

void NpyWriter::sync() { sync_file(file_, path_); }

void NpyWriter::finish() {
  const std::string start = header(num_frames_, num_vertices_);
  if (::lseek(file_, 0, SEEK_SET) < 0) throw_system_error(path_, "written", errno);
  write_all(file_, std::as_bytes(std::span(start)), path_);
  sync_file(file_, path_);
  rename_part(path_);
  ::close(std::exchange(file_, -1));
}

NpyReader::NpyReader(const std::filesystem::path& path) : path_(path) {
  Descriptor file(path, O_RDONLY);
  const std::int64_t size = size_of(file.get(), path);
  const Layout layout = read_layout(file.get(), size, path);
  const std::int64_t frame = frame_bytes(layout.num_vertices);
  const bool fits = frame == 0 ? size == layout.data
                               : layout.num_frames == (size - layout.data) / frame &&
                                     (size - layout.data) % frame == 0;
  if (!fits) {
    reject(path,
           fmt::format("has {} bytes of data; expected {} frames of {} vertices, {} bytes each",
                       size - layout.data, layout.num_frames, layout.num_vertices, frame));
  }
  data_ = layout.data;
  num_frames_ = layout.num_frames;
  num_vertices_ = layout.num_vertices;
  file_ = file.release();
}

NpyReader::~NpyReader() {
  if (file_ >= 0) ::close(file_);
}

NpyReader::NpyReader(NpyReader&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      data_(other.data_),
      num_frames_(other.num_frames_),
      num_vertices_(other.num_vertices_) {}

void NpyReader::read_frame(std::int64_t frame, std::span<double> positions) const {
  check_count(path_, num_vertices_, positions.size());
  if (frame < 0 || frame >= num_frames_) {
    throw Error(ErrorKind::invalid_input, path_.string(),
                fmt::format("there is no frame {}; expected 0 to {}", frame, num_frames_ - 1));
  }
  read_at(file_, data_ + frame * frame_bytes(num_vertices_), std::as_writable_bytes(positions),
          path_);
}

}  // namespace supple
