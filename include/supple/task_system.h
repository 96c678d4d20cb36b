#pragma once

#pragma GCC visibility push(default)

namespace supple {

/// Threads of the program that supple is part of, to be used in place of the library's own pool
/// (SimulationOptions::tasks). The results are the same to the last bit: the work is cut into the
/// same pieces, and sums are added in the same order, whoever does them.
///
/// A frame of some thousand tets brings a few hundred regions of microseconds each, so a region
/// should begin within a microsecond. The pool does; measure yours against it.
class TaskSystem {
 public:
  virtual ~TaskSystem() = default;

  /// Calls task(context, i) once for each i = 0 .. count-1, in any order and on any threads, and
  /// returns when all calls have returned. count is at most the number of threads of the simulation
  /// and at most 32. The tasks share out one region of work among them: a task that comes late
  /// finds nothing left to do, and no task waits for another. Tasks never throw; neither may run().
  ///
  /// The library calls it from the thread that called the library, and from a thread of its own
  /// while a scene of Simulation::change is built in the background: it must be thread-safe.
  virtual void run(int count, void (*task)(void* context, int index), void* context) = 0;
};

}  // namespace supple

#pragma GCC visibility pop
