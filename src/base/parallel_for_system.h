#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#ifdef __EMSCRIPTEN__
#include <emscripten/threading.h>

#include <limits>
#endif
#ifdef __linux__
#include <sched.h>
#endif
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/// What parallel_for.cpp needs from the processor and the system.
namespace supple::detail {

/// Processors that this process may use, at least one.
inline int usable_cores() {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  const unsigned cores = std::thread::hardware_concurrency();
  return cores > 0 ? static_cast<int>(cores) : 1;
}

/// Pauses between two looks at a number that another thread is about to change.
inline void pause_processor() {
#if defined(__SSE2__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("isb");  // `yield` does nothing on most
#endif
}

/// Sleeps while `word` is `value`; can return early. Not a condition variable: a forked child could
/// find one that waits for threads that the child does not have.
inline void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
#ifdef __EMSCRIPTEN__
  // Its standard library would keep looking.
  static_assert(sizeof word == sizeof value);
  emscripten_futex_wait(&word, value, std::numeric_limits<double>::infinity());
#else
  word.wait(value);
#endif
}

/// Wakes one thread, or all threads, that sleep on `word`.
inline void wake(std::atomic<std::uint32_t>& word, bool all) {
#ifdef __EMSCRIPTEN__
  emscripten_futex_wake(&word, all ? std::numeric_limits<int>::max() : 1);
#else
  if (all) {
    word.notify_all();
  } else {
    word.notify_one();
  }
#endif
}

}  // namespace supple::detail
