#include "descent/contact_kernels.h"

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {

void fill_row(const double* direction, const double* directions, const double* between,
              const int* point, int count, float* row) {
  const double* const x = directions;
  const double* const y = x + count;
  const double* const z = y + count;
  for (int j = 0; j < count; ++j) {
    row[j] = static_cast<float>((direction[0] * x[j] + direction[1] * y[j] + direction[2] * z[j]) *
                                between[point[j]]);
  }
}

void add(float s, const float* x, int count, float* y) {
  for (int i = 0; i < count; ++i) y[i] += s * x[i];
}

float dot(const float* x, const float* y, int count) {
  constexpr int width = 16;
  float sums[width] = {};
  int i = 0;
  for (; i + width <= count; i += width) {
    for (int l = 0; l < width; ++l) sums[l] += x[i + l] * y[i + l];
  }
  for (int l = 0; i < count; ++i, ++l) sums[l] += x[i] * y[i];
  float total = 0;
  for (const float sum : sums) total += sum;
  return total;
}

}  // namespace

const ContactKernels contact_table{fill_row, add, dot};

}  // namespace SUPPLE_SIMD

}  // namespace supple
