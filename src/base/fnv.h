#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace supple {

/// FNV-1a, 64 bits [Fowler, Noll & Vo].
class Fnv {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
      value_ ^= static_cast<std::uint64_t>(byte);
      value_ *= 0x100000001b3;
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace supple
