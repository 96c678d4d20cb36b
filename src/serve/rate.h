#pragma once

#include <algorithm>
#include <chrono>

namespace supple {

/// A bucket that fills at `rate` per second up to `burst` and can be drawn from: it limits an
/// average but lets short bursts pass.
class Rate {
 public:
  using Time = std::chrono::steady_clock::time_point;
  Rate(double rate, double burst, Time now)
      : rate_(rate), burst_(burst), level_(burst), filled_(now) {}

  /// Draws `amount`. Returns true if there was enough.
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
