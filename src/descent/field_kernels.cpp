#include "descent/field_kernels.h"

#include "math/batch.h"

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {

/// Numbers that all pairs are added to before the next: they stay in the first cache.
constexpr int numbers_per_block = 256;

/// Slots lie where their blocks are, and the processor does not see which comes next.
constexpr int slots_ahead = 16;

/// Eight partial sums hide the latency of the additions; they are added in order at the end.
double dot(const double* a, const double* b, int count) {
  double partial[8] = {};
  int i = 0;
  for (; i + 8 <= count; i += 8) {
    for (int l = 0; l < 8; ++l) partial[l] += a[i + l] * b[i + l];
  }
  for (int l = 0; i < count; ++i, ++l) partial[l] += a[i] * b[i];
  double total = 0;
  for (double p : partial) total += p;
  return total;
}

void add(double s, const double* x, int count, double* y) {
  for (int i = 0; i < count; ++i) y[i] += s * x[i];
}

void step(const double* x, double s, const double* p, int count, double* z) {
  for (int i = 0; i < count; ++i) z[i] = x[i] + s * p[i];
}

void difference(const double* x, const double* y, int count, double* z) {
  for (int i = 0; i < count; ++i) z[i] = x[i] - y[i];
}

template <bool with_gradient>
double inertia_of(const GradientWork& work, int first, int last, PaddedVector* gradient) {
  double energy = 0;
  const int slots_end = work.slot_start[last];
  for (std::int64_t vertex = first; vertex < last; ++vertex) {
    const double mass = work.mass[vertex];
    const double scale = mass * work.inverse_a2;
    PaddedVector sum;
    for (int k = 0; k < 3; ++k) {
      const double d = work.z[vertex][k] - work.y[vertex][k];
      const double force = mass * work.weight[k];
      sum[k] = scale * d - force;
      energy += 0.5 * scale * d * d - force * work.z[vertex][k];
    }
    if constexpr (with_gradient) {
      PaddedVector elastic;
      for (int s = work.slot_start[vertex]; s < work.slot_start[vertex + 1]; ++s) {
        if (s + slots_ahead < slots_end) {
          __builtin_prefetch(&work.slots[work.slot_list[s + slots_ahead]]);
        }
        const PaddedVector& slot = work.slots[work.slot_list[s]];
        for (int k = 0; k < 4; ++k) elastic[k] += slot[k];
      }
      if (work.spring_start != nullptr) {
        for (int i = work.spring_start[vertex]; i < work.spring_start[vertex + 1]; ++i) {
          const int entry = work.spring_incident[i];
          const PaddedVector& force = work.spring_forces[entry / 2];
          const double sign = entry % 2 == 0 ? 1.0 : -1.0;
          for (int k = 0; k < 4; ++k) elastic[k] += sign * force[k];
        }
      }
      for (int k = 0; k < 3; ++k) sum[k] += elastic[k];
      gradient[vertex] = sum;
    }
  }
  return energy;
}

double inertia(const GradientWork& work, int first, int last, PaddedVector* gradient) {
  return gradient != nullptr ? inertia_of<true>(work, first, last, gradient)
                             : inertia_of<false>(work, first, last, gradient);
}

/// Partial sums of a product, which hide the latency of the additions.
struct Sum {
  Batch8 even{0.0}, odd{0.0};

  /// Adds the products of sixteen numbers.
  SUPPLE_INLINE void add(const double* a, const double* b) {
    even = even + Batch8::load(a) * Batch8::load(b);
    odd = odd + Batch8::load(a + 8) * Batch8::load(b + 8);
  }
  /// Of the four numbers that are left over.
  SUPPLE_INLINE void add_four(const double* a, const double* b) {
    double left[8] = {}, right[8] = {};
    for (int l = 0; l < 4; ++l) left[l] = a[l], right[l] = b[l];
    even = even + Batch8::load(left) * Batch8::load(right);
  }
  SUPPLE_INLINE double total() const {
    double lane[8];
    (even + odd).store(lane);
    double result = 0;
    for (const double value : lane) result += value;
    return result;
  }
};

void new_pair(const double* to_x, const double* from_x, const double* to_g, const double* from_g,
              int count, double* __restrict s, double* __restrict t, double* sums) {
  Sum ts, ss, tt;
  int i = 0;
  for (; i + 16 <= count; i += 16) {
    for (int l = i; l < i + 16; ++l) s[l] = to_x[l] - from_x[l];
    for (int l = i; l < i + 16; ++l) t[l] = to_g[l] - from_g[l];
    ts.add(t + i, s + i);
    ss.add(s + i, s + i);
    tt.add(t + i, t + i);
  }
  for (; i < count; i += 4) {
    for (int l = i; l < i + 4; ++l) s[l] = to_x[l] - from_x[l];
    for (int l = i; l < i + 4; ++l) t[l] = to_g[l] - from_g[l];
    ts.add_four(t + i, s + i);
    ss.add_four(s + i, s + i);
    tt.add_four(t + i, t + i);
  }
  sums[0] = ts.total();
  sums[1] = ss.total();
  sums[2] = tt.total();
}

double renew(const double* now, const double* t, int count, double* __restrict old,
             double* __restrict w) {
  Sum sum;
  int i = 0;
  for (; i + 16 <= count; i += 16) {
    for (int l = i; l < i + 16; ++l) w[l] = old[l] - now[l];
    for (int l = i; l < i + 16; ++l) old[l] = now[l];
    sum.add(w + i, t + i);
  }
  for (; i < count; i += 4) {
    for (int l = i; l < i + 4; ++l) w[l] = old[l] - now[l];
    for (int l = i; l < i + 4; ++l) old[l] = now[l];
    sum.add_four(w + i, t + i);
  }
  return sum.total();
}

void two_products(const double* s, const double* w, const double* g, int count, double* sums) {
  Sum of_s, of_w;
  int i = 0;
  for (; i + 16 <= count; i += 16) {
    of_s.add(s + i, g + i);
    of_w.add(w + i, g + i);
  }
  for (; i < count; i += 4) {
    of_s.add_four(s + i, g + i);
    of_w.add_four(w + i, g + i);
  }
  sums[0] = of_s.total();
  sums[1] = of_w.total();
}

void add_pairs(const PairTerm* pairs, int num_pairs, std::int64_t first, int count, double* p) {
  for (int begin = 0; begin < count; begin += numbers_per_block) {
    const int size = count - begin < numbers_per_block ? count - begin : numbers_per_block;
    double* __restrict const to = p + first + begin;
    for (const PairTerm* pair = pairs; pair != pairs + num_pairs; ++pair) {
      const double* const w = pair->w + first + begin;
      const double* const s = pair->s + first + begin;
      const double zeta = pair->zeta, factor = pair->step;
      for (int i = 0; i < size; ++i) to[i] += zeta * w[i] - factor * s[i];
    }
  }
}

}  // namespace

const FieldKernels field_table{dot,      add,   step,         difference, inertia,
                               new_pair, renew, two_products, add_pairs};

}  // namespace SUPPLE_SIMD

}  // namespace supple
