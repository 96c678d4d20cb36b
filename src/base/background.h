#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

namespace supple {

/// One piece of work at a time on a thread of its own, beside whoever started it. Its result is
/// fetched when it is due, so that when it was done never shows. Destroying or replacing it waits.
template <class Result>
class Background {
 public:
  using Work = std::function<Result()>;

  Background() = default;
  ~Background() { wait(); }
  Background(Background&&) noexcept = default;
  Background& operator=(Background&& other) noexcept {
    wait();
    thread_ = std::move(other.thread_);
    result_ = std::move(other.result_);
    return *this;
  }

  /// Begins; waits for what was begun before and drops it. Where the system gives no thread, the
  /// work is done by whoever takes its result.
  void start(Work work) {
    wait();
    // Not std::async: libc++'s waits for ever for what it found no thread for.
    const auto task = std::make_shared<std::packaged_task<Result()>>(work);
    result_ = task->get_future();
    try {
      thread_ = std::thread([task] { (*task)(); });
    } catch (const std::system_error&) {
      result_ = std::async(std::launch::deferred, std::move(work));
    }
  }

  /// Is there something to take?
  bool has_work() const { return result_.valid(); }

  /// Waits up to `milliseconds`; whether `take` would not wait any more, or has the work to do
  /// itself. To be asked where there is something to take.
  bool is_done(double milliseconds = 0) const {
    constexpr double longest = 1e9;  // no clock overflows
    const std::chrono::duration<double, std::milli> time(std::min(milliseconds, longest));
    return result_.wait_for(time) != std::future_status::timeout;
  }

  /// Waits for the result; throws what the work threw.
  Result take() {
    wait();
    return result_.get();
  }

 private:
  void wait() noexcept {
    if (thread_.joinable()) thread_.join();
  }

  std::thread thread_;
  std::future<Result> result_;
};

}  // namespace supple
