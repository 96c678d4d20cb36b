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

/// Runs one piece of work at a time on its own thread, beside the caller. The caller fetches the
/// result when it is due, so the time at which the work was done never shows. Destroying or
/// replacing it waits for the work.
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

  /// Starts the work; first waits for earlier work and drops its result. If the system gives no
  /// thread, whoever takes the result does the work.
  void start(Work work) {
    wait();
    // Not std::async: if libc++'s finds no thread for a task, it waits for it forever.
    const auto task = std::make_shared<std::packaged_task<Result()>>(work);
    result_ = task->get_future();
    try {
      thread_ = std::thread([task] { (*task)(); });
    } catch (const std::system_error&) {
      result_ = std::async(std::launch::deferred, std::move(work));
    }
  }

  /// Whether there is a result to take.
  bool has_work() const { return result_.valid(); }

  /// Waits up to `milliseconds`. Returns whether `take` would not have to wait any longer, or would
  /// do the work itself. Requires has_work().
  bool is_done(double milliseconds = 0) const {
    constexpr double longest = 1e9;  // so that no clock overflows
    const std::chrono::duration<double, std::milli> time(std::min(milliseconds, longest));
    return result_.wait_for(time) != std::future_status::timeout;
  }

  /// Waits for the result. Throws what the work threw.
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
