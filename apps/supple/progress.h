#pragma once

#include <chrono>
#include <string>

namespace supple::cli {

/// How far a run is, on standard output: on a terminal one line that is redrawn, otherwise a line
/// about every tenth of the way.
class Progress {
 public:
  /// Frames first to last are to come. `seconds` is the clock, for tests none.
  Progress(int first, int last);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool on_terminal() const { return terminal_; }

  void frame_done(int frame);
  /// A part of the work, `done` of `total` being behind it.
  void stage(int done, int total, const std::string& label);
  /// What is being written, once the frames are done.
  void writing(const std::string& output);
  /// Takes the line away.
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
