#pragma once

#include <atomic>
#include <mutex>

namespace supple {

/// Guards what is derived from something else at the first question after that has changed. Any
/// threads may ask at once; who changes it sees to it that nobody asks meanwhile.
class OnDemand {
 public:
  /// What was derived is out of date.
  void changed() { is_fresh_.store(false, std::memory_order_relaxed); }

  /// Calls derive() unless that was done since the last change: one thread, others wait for it.
  template <class Derive>
  void ensure(const Derive& derive) {
    if (is_fresh_.load(std::memory_order_acquire)) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_fresh_.load(std::memory_order_relaxed)) return;
    derive();
    is_fresh_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<bool> is_fresh_{false};
  std::mutex mutex_;
};

}  // namespace supple
