#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "render/image.h"

namespace supple {

/// Pipes pictures to the program ffmpeg, which is found on PATH and started without a shell. It
/// writes to NAME.part, which `finish` renames.
///
/// Errors are Error{bad_file} with the message of ffmpeg. An encoder that is destroyed before
/// `finish` ends ffmpeg and removes the part.
class VideoEncoder {
 public:
  /// width, height: even (H.264 with yuv420p keeps colour for blocks of two by two pixels);
  /// otherwise Error{invalid_input}.
  VideoEncoder(const std::filesystem::path& path, int width, int height, double frames_per_second);
  ~VideoEncoder();
  VideoEncoder(const VideoEncoder&) = delete;
  VideoEncoder& operator=(const VideoEncoder&) = delete;

  /// Throws Error{invalid_input} for an image of another size.
  void add(const Image& image);
  /// Call it once, at the end.
  void finish();

 private:
  struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void start(double frames_per_second);
  int wait();
  [[noreturn]] void fail(const std::string& what);

  std::filesystem::path path_;
  int width_, height_;
  std::unique_ptr<std::FILE, FileCloser> messages_;  ///< what ffmpeg writes to its error output
  int pipe_ = -1;
  pid_t process_ = -1;
};

}  // namespace supple
