#pragma once

#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace supple {

/// How this thread rounds and treats subnormal numbers, if that can be chosen; else 0.
inline std::uint32_t float_mode() {
#if defined(__SSE2__)
  return _mm_getcsr() & ~std::uint32_t{_MM_EXCEPT_MASK};
#elif defined(__aarch64__)
  std::uint64_t mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return static_cast<std::uint32_t>(mode);
#else
  return 0;
#endif
}

inline void set_float_mode(std::uint32_t mode) {
  if (mode == float_mode()) return;
#if defined(__SSE2__)
  _mm_setcsr(mode);
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{mode}));
#endif
}

/// While it lives, subnormal numbers are zero in this thread and in the Threads that it starts:
/// processors take a hundred cycles for each, and floats soon get there. Does nothing where the
/// processor has no such mode.
class SubnormalsAsZero {
 public:
  SubnormalsAsZero() { set_float_mode(before_ | bits); }
  ~SubnormalsAsZero() { set_float_mode(before_); }
  SubnormalsAsZero(const SubnormalsAsZero&) = delete;
  SubnormalsAsZero& operator=(const SubnormalsAsZero&) = delete;

 private:
#if defined(__SSE2__)
  static constexpr std::uint32_t bits = 0x8040;  // results and operands
#elif defined(__aarch64__)
  static constexpr std::uint32_t bits = 1U << 24;  // both
#else
  static constexpr std::uint32_t bits = 0;
#endif
  std::uint32_t before_ = float_mode();
};

}  // namespace supple
