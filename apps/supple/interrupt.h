#pragma once

namespace supple::cli {

/// While one lives, SIGINT and SIGTERM are noted instead of ending the program, so that a run can
/// close its files; the next one ends it at once, as ever. What the program was started to ignore
/// (`nohup`, a shell's background) stays ignored. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// The signal that came, 0 where none has.
  static int signal();
};

}  // namespace supple::cli
