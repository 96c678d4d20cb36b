#include "io/exports/video_encoder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "io/exports/atomic_file.h"
#include "supple/error.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): not in every unistd.h

namespace supple {

namespace {

/// What posix_spawn does in the new process; released at the end of the scope.
struct SpawnSettings {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};

  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  /// The program must not inherit the signals that this one blocks, nor that it ignores SIGPIPE.
  void reset_signals() {
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
};

std::vector<std::string> command(const std::filesystem::path& part, int width, int height,
                                 double frames_per_second) {
  return {"ffmpeg", "-hide_banner", "-nostdin", "-loglevel", "error", "-y",
          // input
          "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size",
          fmt::format("{}x{}", width, height), "-framerate",
          fmt::format("{:.6f}", frames_per_second), "-i", "pipe:0",
          // output
          "-an", "-vf", "scale=out_color_matrix=bt709:out_range=tv", "-c:v", "libx264", "-preset",
          "medium", "-crf", "18", "-pix_fmt", "yuv420p", "-colorspace", "bt709", "-color_primaries",
          "bt709", "-color_trc", "bt709", "-color_range", "tv", "-movflags", "+faststart",
          "-fflags", "+bitexact", "-f", "mp4",
          // "file:" keeps a colon in the name from being read as a protocol
          "file:" + part.string()};
}

}  // namespace

VideoEncoder::VideoEncoder(const std::filesystem::path& path, int width, int height,
                           double frames_per_second)
    : path_(path), width_(width), height_(height), messages_(std::tmpfile()) {
  if (width < 2 || height < 2 || width % 2 != 0 || height % 2 != 0) {
    throw Error(ErrorKind::invalid_input, path.string(),
                fmt::format("a video of {} x {} pixels; expected even sizes", width, height));
  }
  if (!messages_) throw_system_error(path, "written", errno);
  // Reports at once, in this program's words, if the folder is missing or not writable.
  { const AtomicFile probe(path); }
  start(frames_per_second);
}

void VideoEncoder::start(double frames_per_second) {
  // A socket instead of a pipe: it can be told to raise no signal when its reader is gone.
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw_system_error(path_, "written", errno);
  }
  pipe_ = ends[0];
  std::vector<std::string> words = command(part_name(path_), width_, height_, frames_per_second);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  SpawnSettings settings;
  settings.reset_signals();
  posix_spawn_file_actions_adddup2(&settings.actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&settings.actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&settings.actions, fileno(messages_.get()), STDERR_FILENO);
  pid_t process = -1;
  const int code = ::posix_spawnp(&process, arguments[0], &settings.actions, &settings.attributes,
                                  arguments.data(), environ);
  ::close(ends[1]);
  if (code != 0) {
    ::close(std::exchange(pipe_, -1));
    throw Error(
        ErrorKind::bad_file, path_.string(),
        code == ENOENT
            ? std::string("cannot be written: the program ffmpeg is not on PATH; "
                          "install it (Debian: apt install ffmpeg)")
            : fmt::format("cannot be written: ffmpeg cannot be started: {}", std::strerror(code)));
  }
  process_ = process;
}

VideoEncoder::~VideoEncoder() {
  if (pipe_ >= 0) ::close(pipe_);
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  wait();
  ::unlink(part_name(path_).c_str());
}

int VideoEncoder::wait() {
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

void VideoEncoder::fail(const std::string& what) {
  std::string said;
  std::rewind(messages_.get());
  std::array<char, 2000> text{};
  said.assign(text.data(), std::fread(text.data(), 1, text.size(), messages_.get()));
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.pop_back();
  ::unlink(part_name(path_).c_str());
  throw Error(ErrorKind::bad_file, path_.string(),
              "cannot be written: ffmpeg " + what + (said.empty() ? "" : ": " + said));
}

void VideoEncoder::add(const Image& image) {
  if (image.width != width_ || image.height != height_) {
    throw Error(ErrorKind::invalid_input, path_.string(),
                fmt::format("a picture of {} x {} pixels in a video of {} x {}", image.width,
                            image.height, width_, height_));
  }
  std::span<const std::uint8_t> rest(image.rgb);
  while (!rest.empty()) {
    const ssize_t n = ::send(pipe_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      ::close(std::exchange(pipe_, -1));
      wait();
      fail("stopped before the end");
    }
    rest = rest.subspan(static_cast<std::size_t>(n));
  }
}

void VideoEncoder::finish() {
  ::close(std::exchange(pipe_, -1));
  const int status = wait();
  if (!WIFEXITED(status)) fail(fmt::format("was ended by signal {}", WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) fail(fmt::format("failed with code {}", WEXITSTATUS(status)));
  const int file = ::open(part_name(path_).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail("wrote nothing");
  sync_file(file, path_);
  ::close(file);
  rename_part(path_);
}

}  // namespace supple
