#include "potentials/spring_kernels.h"

#include "math/transpose.h"

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {

using detail::Vector4;

constexpr int lanes = 8;
using Group = RegisterBatch;

Vector4 row_of(const PaddedVector& x) { return *reinterpret_cast<const Vector4*>(x.v); }

/// The spring at l = 0 or any other one. Returns its energy, J.
double evaluate_one(const SpringSet::Spring& spring, const Vec3& rest_direction,
                    const PaddedVector* x, PaddedVector& gradient) {
  const PaddedVector &x_a = x[spring.a], &x_b = x[spring.b];
  double d[4];
  for (int k = 0; k < 4; ++k) d[k] = x_a[k] - x_b[k];
  const double length = __builtin_sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  const double stretch = length - spring.rest_length;
  const double force = spring.stiffness * stretch;
  if (length > 0) {
    const double scale = force / length;
    for (int k = 0; k < 4; ++k) gradient[k] = scale * d[k];
  } else {
    for (int k = 0; k < 3; ++k) gradient[k] = force * rest_direction[static_cast<std::size_t>(k)];
    gradient[3] = 0;
  }
  return 0.5 * force * stretch;
}

/// The next springs, as many as fit into a register. Returns their energies, J.
Group evaluate_group(const SpringSet::Spring* springs, const int* number,
                     const Vec3* rest_direction, const PaddedVector* x, PaddedVector* forces) {
  constexpr int W = Group::width;
  Vector4 d[W];
  Group square, stiffness, rest_length;
  for (int l = 0; l < W; ++l) {
    d[l] = row_of(x[springs[l].a]) - row_of(x[springs[l].b]);
    stiffness.set(l, springs[l].stiffness);
    rest_length.set(l, springs[l].rest_length);
  }
  if constexpr (W >= 4) {
    Group column[4];
    detail::columns_of<W>([&](int l) { return d[l]; }, column);
    square = column[0] * column[0] + column[1] * column[1] + column[2] * column[2];
  } else {
    for (int l = 0; l < W; ++l) {
      square.set(l, d[l][0] * d[l][0] + d[l][1] * d[l][1] + d[l][2] * d[l][2]);
    }
  }
  const Group length = sqrt(square);
  const Group stretch = length - rest_length;
  const Group force = stiffness * stretch;
  const Group scale = force / length;
  for (int l = 0; l < W; ++l) *reinterpret_cast<Vector4*>(forces[l].v) = scale[l] * d[l];
  if (any(!(length > Group(0.0)))) {
    for (int l = 0; l < W; ++l) evaluate_one(springs[l], rest_direction[number[l]], x, forces[l]);
  }
  return Group(0.5) * force * stretch;
}

/// Eight partial sums hide the latency of the additions; they are added in order at the end.
double evaluate(const SpringSet::Spring* springs, const int* number, const Vec3* rest_direction,
                const PaddedVector* x, int count, PaddedVector* forces) {
  constexpr int W = Group::width;
  Group energy[lanes / W] = {};
  int s = 0;
  for (; s + lanes <= count; s += lanes) {
    for (int g = 0; g < lanes / W; ++g) {
      const int first = s + g * W;
      energy[g] +=
          evaluate_group(springs + first, number + first, rest_direction, x, forces + first);
    }
  }
  double partial[lanes];
  for (int g = 0; g < lanes / W; ++g) energy[g].store(partial + g * W);
  for (int l = 0; s < count; ++s, ++l) {
    partial[l] += evaluate_one(springs[s], rest_direction[number[s]], x, forces[s]);
  }
  double total = 0;
  for (const double own : partial) total += own;
  return total;
}

}  // namespace

const SpringKernels spring_table{evaluate};

}  // namespace SUPPLE_SIMD

}  // namespace supple
