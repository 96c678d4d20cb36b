#include "io/meshes/scalar.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

namespace supple {

namespace {

template <typename T>
T load(const char* bytes, bool swapped) {
  std::array<char, sizeof(T)> copy{};
  std::memcpy(copy.data(), bytes, sizeof(T));
  if (swapped) std::reverse(copy.begin(), copy.end());
  T value{};
  std::memcpy(&value, copy.data(), sizeof(T));
  return value;
}

/// Calls `use` with the number in its own type.
template <typename Use>
auto visit_scalar(const char* bytes, Scalar type, bool swapped, Use use) {
  switch (type) {
    case Scalar::int8:
      return use(load<std::int8_t>(bytes, swapped));
    case Scalar::uint8:
      return use(load<std::uint8_t>(bytes, swapped));
    case Scalar::int16:
      return use(load<std::int16_t>(bytes, swapped));
    case Scalar::uint16:
      return use(load<std::uint16_t>(bytes, swapped));
    case Scalar::int32:
      return use(load<std::int32_t>(bytes, swapped));
    case Scalar::uint32:
      return use(load<std::uint32_t>(bytes, swapped));
    case Scalar::int64:
      return use(load<std::int64_t>(bytes, swapped));
    case Scalar::uint64:
      return use(load<std::uint64_t>(bytes, swapped));
    case Scalar::float32:
      return use(load<float>(bytes, swapped));
    case Scalar::float64:
      break;
  }
  return use(load<double>(bytes, swapped));
}

}  // namespace

std::size_t size_of(Scalar type) {
  switch (type) {
    case Scalar::int8:
    case Scalar::uint8:
      return 1;
    case Scalar::int16:
    case Scalar::uint16:
      return 2;
    case Scalar::int32:
    case Scalar::uint32:
    case Scalar::float32:
      return 4;
    case Scalar::int64:
    case Scalar::uint64:
    case Scalar::float64:
      break;
  }
  return 8;
}

bool is_integer(Scalar type) { return type != Scalar::float32 && type != Scalar::float64; }

double real_at(const char* bytes, Scalar type, bool swapped) {
  return visit_scalar(bytes, type, swapped, [](auto value) { return static_cast<double>(value); });
}

std::int64_t integer_at(const char* bytes, Scalar type, bool swapped) {
  return visit_scalar(bytes, type, swapped, [](auto value) -> std::int64_t {
    using T = decltype(value);
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    if constexpr (std::is_floating_point_v<T>) {
      return 0;
    } else if constexpr (std::is_same_v<T, std::uint64_t>) {
      return value > static_cast<std::uint64_t>(largest) ? largest
                                                         : static_cast<std::int64_t>(value);
    } else {
      return value;
    }
  });
}

}  // namespace supple
