#include "contact/test_allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

// The replaced operators are in a file of their own: if the compiler sees them together with a
// caller, it reports malloc and delete as a mismatch.
namespace {
std::atomic<long> allocations{0};
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size > 0 ? size : 1)) return p;
  throw std::bad_alloc();
}
// Sorts of the standard library allocate in this way.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size > 0 ? size : 1);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace supple {

long num_allocations() { return allocations; }

}  // namespace supple
