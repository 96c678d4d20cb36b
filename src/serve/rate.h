#pragma once

#include <algorithm>
#include <chrono>

namespace supple {

/// A bucket that fills at `rate` a second up to `burst`, and is drawn from: a limit on an average
/// that lets short bursts pass.
class Rate {
 public:
  using Time = std::chrono::steady_clock::time_point;
  Rate(double rate, double burst, Time now)
      : rate_(rate), burst_(burst), level_(burst), filled_(now) {}

  /// Draws `amount`. Was there enough?
  bool draw(double amount, Time now) {
    const std::chrono::duration<double> passed = now - filled_;
    filled_ = now;
    level_ = std::min(burst_, level_ + rate_ * passed.count()) - amount;
    return level_ >= 0;
  }

 private:
  double rate_;
  double burst_;
  double level_;
  Time filled_;
};

}  // namespace supple
