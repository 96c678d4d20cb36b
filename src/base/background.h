#pragma once

#include <functional>
#include <future>
#include <system_error>
#include <utility>

namespace supple {

/// One piece of work at a time on a thread of its own, beside whoever started it. Its result is
/// fetched when it is due, so that when it was done never shows. Destroying or replacing it waits.
template <class Result>
class Background {
 public:
  using Work = std::function<Result()>;

  /// Begins; waits for what was begun before and drops it. Where the system gives no thread, the
  /// work is done by whoever takes its result.
  void start(Work work) {
    result_ = {};
    try {
      result_ = std::async(std::launch::async, work);
    } catch (const std::system_error&) {
      result_ = std::async(std::launch::deferred, std::move(work));
    }
  }

  /// Is there something to take?
  bool has_work() const { return result_.valid(); }

  /// Waits for the result; throws what the work threw.
  Result take() { return result_.get(); }

 private:
  std::future<Result> result_;
};

}  // namespace supple
