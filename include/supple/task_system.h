#pragma once

#pragma GCC visibility push(default)

namespace supple {

/// Threads of the host program, used instead of the library's own pool (SimulationOptions::tasks).
/// The results are the same to the last bit: the work is divided into the same pieces, and sums are
/// added in the same order, whichever thread does them.
///
/// A frame of some thousand tets consists of a few hundred regions of microseconds each, so a
/// region should start within a microsecond. The pool does; compare yours with it.
class TaskSystem {
 public:
  virtual ~TaskSystem() = default;

  /// Calls task(context, i) once for each i = 0 .. count-1, in any order and on any threads, and
  /// returns when all calls have returned. count is at most the number of threads of the simulation
  /// and at most 32. The tasks divide one region of work among themselves: a task that starts late
  /// finds nothing left to do, and no task waits for another. Tasks never throw, and run() must not
  /// throw.
  ///
  /// The library calls run() from the thread that called the library, and from a thread of its own
  /// while a scene of Simulation::change is built in the background: it must be thread-safe.
  virtual void run(int count, void (*task)(void* context, int index), void* context) = 0;
};

}  // namespace supple

#pragma GCC visibility pop
