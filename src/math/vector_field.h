#pragma once

#include <span>
#include <vector>

namespace supple {

/// Three numbers per vertex, padded to four so that a vertex is one aligned 256-bit load. The
/// padding is zero and stays zero under every operation of the library.
struct alignas(32) PaddedVector {
  double v[4] = {0, 0, 0, 0};
  double& operator[](int i) { return v[i]; }
  double operator[](int i) const { return v[i]; }
};

/// A vector at each vertex: [num_vertices].
using VectorField = std::vector<PaddedVector>;

/// Converts plain [num_vertices * 3] to padded and back. Sizes must agree.
inline void pad(std::span<const double> from, VectorField& to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    for (int k = 0; k < 3; ++k) to[i][k] = from[3 * i + static_cast<std::size_t>(k)];
  }
}
inline void unpad(const VectorField& from, std::span<double> to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (int k = 0; k < 3; ++k) to[3 * i + static_cast<std::size_t>(k)] = from[i][k];
  }
}

}  // namespace supple
