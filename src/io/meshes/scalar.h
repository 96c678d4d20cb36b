#pragma once

#include <cstddef>
#include <cstdint>

namespace supple {

/// Number types of binary mesh files.
enum class Scalar { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

std::size_t size_of(Scalar type);
bool is_integer(Scalar type);

/// The number at `bytes` (any alignment, size_of(type) bytes). Its bytes are reversed if `swapped`.
double real_at(const char* bytes, Scalar type, bool swapped);

/// The same for integer types; 0 for float types. A number beyond the range becomes the largest. No
/// mesh has that many of anything, so it is refused later as an index or count out of range.
std::int64_t integer_at(const char* bytes, Scalar type, bool swapped);

}  // namespace supple
