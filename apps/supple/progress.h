#pragma once

#include <chrono>
#include <string>

namespace supple::cli {

/// Shows the progress of a run on standard output: on a terminal in one line that is redrawn,
/// otherwise with a line for about every tenth of the frames.
class Progress {
 public:
  /// Frames first to last are still to come.
  Progress(int first, int last);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool on_terminal() const { return terminal_; }

  void frame_done(int frame);
  /// A part of the work begins; `done` of `total` parts are finished.
  void stage(int done, int total, const std::string& label);
  /// Names what is being written after the frames are done.
  void writing(const std::string& output);
  /// Removes the line.
  void finish();

 private:
  void draw(const std::string& line);
  std::string bar(int frame) const;
  std::string numbers(int frame, double seconds) const;

  using Clock = std::chrono::steady_clock;
  int first_, last_;
  bool terminal_;
  bool drawn_ = false;
  int tenths_ = 0;  ///< printed so far
  Clock::time_point start_;
  Clock::time_point last_draw_{};
};

}  // namespace supple::cli
