#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

namespace supple {

/// Guards a value that is derived from something else when it is first asked for after a change.
/// Any threads can ask at the same time; the thread that makes a change ensures that nobody asks
/// meanwhile.
class OnDemand {
 public:
  /// Marks the derived value as out of date.
  void changed() { is_fresh_.store(false, std::memory_order_relaxed); }

  /// Calls derive() if it has not been called since the last change. One thread does; others wait
  /// for it.
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

/// A value that is derived from its surroundings when first asked for; if nobody asks, it takes no
/// memory. Any threads can ask at the same time. Copies derive their own; a moved-from object must
/// not be asked.
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

  /// The value; calls derive() if nobody has asked before.
  template <class Derive>
  const Value& get(const Derive& derive) const {
    made_->guard.ensure([&] { made_->value = derive(); });
    return made_->value;
  }

  /// The value as it is; a Value() before anybody asks. Not while others ask.
  Value& value() { return made_->value; }

  /// It is derived anew the next time somebody asks.
  void forget() { made_ = std::make_unique<Made>(); }

 private:
  struct Made {
    OnDemand guard;
    Value value{};
  };
  std::unique_ptr<Made> made_ = std::make_unique<Made>();
};

}  // namespace supple
