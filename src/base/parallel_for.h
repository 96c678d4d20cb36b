#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "supple/task_system.h"

namespace supple {

/// Runs independent pieces of work on a fixed number of threads; with one, the caller runs them
/// all. Which thread runs a piece never shows in a result: all threads round as the caller does,
/// every piece writes to its own place, and sums are added in the order of the pieces.
class Threads {
 public:
  /// count: number of threads, including the caller; 0: as many as the machine has. tasks: who
  /// provides the threads; null: the program's own pool. Throws Error{invalid_input} for a negative
  /// count or one above 1024.
  explicit Threads(int count = 1, TaskSystem* tasks = nullptr);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  int count() const { return count_; }

  /// Calls work(i), i = 0 .. n-1, each once, in any order, and returns when all are done. If pieces
  /// throw, the first such piece's exception reaches the caller. Copies, allocates and locks
  /// nothing.
  template <class Work>
  void parallel_for(int n, const Work& work) {
    if (count_ == 1 || n <= 1) {
      for (int i = 0; i < n; ++i) work(i);
      return;
    }
    run(n, &work, [](const void* context, int i) { (*static_cast<const Work*>(context))(i); });
  }

 private:
  void run(int n, const void* context, void (*call)(const void*, int));

  /// Data for the pool; null for one thread, and if `tasks_` provides the threads.
  struct Pool;
  int count_ = 1;
  TaskSystem* tasks_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace supple
