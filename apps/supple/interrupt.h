#pragma once

namespace supple::cli {

/// While an object lives, SIGINT and SIGTERM are noted instead of ending the program, so that a run
/// can close its files; the next signal ends it at once, as usual. A signal that the program was
/// started to ignore (`nohup`, a shell's background) stays ignored. Only one object at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// The signal that came, 0 if none has.
  static int signal();
};

}  // namespace supple::cli
