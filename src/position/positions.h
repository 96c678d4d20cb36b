#pragma once

#include <vector>

#include "math/vector_field.h"

namespace supple {

/// The position of a vertex while constraints move it, in the precision of the method: three
/// numbers, padded to four, of which the last stays zero.
template <class T>
struct alignas(4 * sizeof(T)) PaddedPosition {
  T v[4] = {0, 0, 0, 0};
  T& operator[](int i) { return v[i]; }
  T operator[](int i) const { return v[i]; }
};

template <class T>
using Positions = std::vector<PaddedPosition<T>>;

/// Converts between the precisions; sizes must agree.
template <class T>
void copy_to(const VectorField& from, Positions<T>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    for (int k = 0; k < 3; ++k) to[i][k] = static_cast<T>(from[i][k]);
  }
}
template <class T>
void copy_to(const Positions<T>& from, VectorField& to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    for (int k = 0; k < 3; ++k) to[i][k] = static_cast<double>(from[i][k]);
  }
}

}  // namespace supple
