#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

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

/// A value that is derived from what stands beside it at the first question: who never asks has no
/// memory for it. Any threads may ask at once. Copies derive their own; what was moved from is not
/// to be asked.
template <class Value>
class Derived {
 public:
  Derived() = default;
  Derived(const Derived&) : Derived() {}
  Derived(Derived&&) noexcept = default;
  Derived& operator=(const Derived& other) {
    if (this != &other) forget();
    return *this;
  }
  Derived& operator=(Derived&&) noexcept = default;
  ~Derived() = default;

  /// derive() if nobody has asked before.
  template <class Derive>
  const Value& get(const Derive& derive) const {
    made_->guard.ensure([&] { made_->value = derive(); });
    return made_->value;
  }

  /// As it is; a Value() before the first question. Not while others ask.
  Value& value() { return made_->value; }

  /// The next question derives it anew.
  void forget() { made_ = std::make_unique<Made>(); }

 private:
  struct Made {
    OnDemand guard;
    Value value{};
  };
  std::unique_ptr<Made> made_ = std::make_unique<Made>();
};

}  // namespace supple
