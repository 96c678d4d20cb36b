#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace supple {

/// Says whether there is time for another iteration, judged by the longer of the last two: chance
/// can slow a single one, and the first pays for cold memory.
class Budget {
 public:
  using Clock = std::chrono::steady_clock;

  /// No deadline: there is always time.
  explicit Budget(const std::optional<Clock::time_point>& deadline) : deadline_(deadline) {
    if (deadline_) last_ = Clock::now();
  }

  bool allows_another() {
    if (!deadline_) return true;
    const Clock::time_point now = Clock::now();
    const Clock::duration before = took_;
    took_ = now - last_;
    last_ = now;
    return now + std::max(before, took_) <= *deadline_;
  }

 private:
  std::optional<Clock::time_point> deadline_;
  Clock::time_point last_;
  Clock::duration took_{0};
};

}  // namespace supple
