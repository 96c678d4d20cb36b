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

/// add_columns for `width` rows from `row` on.
template <int width>
void add_to_rows(const float* matrix, int stride, int row, const int* columns, int first, int count,
                 const float* f, std::size_t f_stride, float* y, std::size_t y_stride) {
  float sums[3][width] = {};
  for (int c = 0; c < count; ++c) {
    const int column = columns == nullptr ? c : columns[c] - first;
    const float* const entries =
        matrix + static_cast<std::size_t>(column) * static_cast<std::size_t>(stride) + row;
    for (int k = 0; k < 3; ++k) {
      const float force = f[static_cast<std::size_t>(k) * f_stride + static_cast<std::size_t>(c)];
      for (int l = 0; l < width; ++l) sums[k][l] += force * entries[l];
    }
  }
  for (int k = 0; k < 3; ++k) {
    float* const to = y + static_cast<std::size_t>(k) * y_stride + row;
    for (int l = 0; l < width; ++l) to[l] += sums[k][l];
  }
}

void add_columns(const float* matrix, int stride, const int* columns, int first, int count,
                 const float* f, std::size_t f_stride, float* y, std::size_t y_stride) {
  constexpr int width = ContactKernels::rows_at_a_time;
  // So many columns are read side by side, from top to bottom.
  constexpr int together = 16;
  for (int c = 0; c < count; c += together) {
    const int own = count - c < together ? count - c : together;
    const float* const from =
        columns == nullptr ? matrix + static_cast<std::size_t>(c) * static_cast<std::size_t>(stride)
                           : matrix;
    const int* const list = columns == nullptr ? nullptr : columns + c;
    int row = 0;
    for (; row + 2 * width <= stride; row += 2 * width) {
      add_to_rows<2 * width>(from, stride, row, list, first, own, f + c, f_stride, y, y_stride);
    }
    if (row < stride) {
      add_to_rows<width>(from, stride, row, list, first, own, f + c, f_stride, y, y_stride);
    }
  }
}

}  // namespace

const ContactKernels contact_table{fill_row, add, dot, add_columns};

}  // namespace SUPPLE_SIMD

}  // namespace supple
