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

/// Numbers that stay in registers from one pass to the next.
struct Sixteen {
  Batch8 lo, hi;

  SUPPLE_INLINE explicit Sixteen(const double* p) : lo(Batch8::load(p)), hi(Batch8::load(p + 8)) {}
  SUPPLE_INLINE Sixteen(const Batch8& a, const Batch8& b) : lo(a), hi(b) {}
  SUPPLE_INLINE friend Sixteen operator-(const Sixteen& a, const Sixteen& b) {
    return {a.lo - b.lo, a.hi - b.hi};
  }
  SUPPLE_INLINE void store(double* p) const {
    lo.store(p);
    hi.store(p + 8);
  }
};

/// Partial sums of a product, which hide the latency of the additions.
struct Sum {
  Batch8 even{0.0}, odd{0.0};

  /// Adds the products of sixteen numbers.
  SUPPLE_INLINE void add(const double* a, const double* b) { add(Sixteen(a), Sixteen(b)); }
  SUPPLE_INLINE void add(const Sixteen& a, const Sixteen& b) {
    even = even + a.lo * b.lo;
    odd = odd + a.hi * b.hi;
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
    const Sixteen own_s = Sixteen(to_x + i) - Sixteen(from_x + i);
    const Sixteen own_t = Sixteen(to_g + i) - Sixteen(from_g + i);
    own_s.store(s + i);
    own_t.store(t + i);
    ts.add(own_t, own_s);
    ss.add(own_s, own_s);
    tt.add(own_t, own_t);
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
    const Sixteen own(now + i);
    const Sixteen change = Sixteen(old + i) - own;
    change.store(w + i);
    own.store(old + i);
    sum.add(change, Sixteen(t + i));
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

/// A number for each of two vertices, four times.
SUPPLE_INLINE Batch8 of_two(const double* weight) {
  const double a = weight[0], b = weight[1];
  return {Batch8::Vector{a, a, a, a, b, b, b, b}};
}

/// Four vertices at a time in two registers, which are added at the end; so are the vertices left
/// over.
void sum(const PaddedVector* x, const double* weight, int count, double* sums) {
  Batch8 even(0.0), odd(0.0);
  const double* p = x->v;
  int i = 0;
  for (; i + 4 <= count; i += 4, p += 16) {
    Sixteen own(p);
    if (weight != nullptr) own = {own.lo * of_two(weight + i), own.hi * of_two(weight + i + 2)};
    even += own.lo;
    odd += own.hi;
  }
  double lane[8];
  (even + odd).store(lane);
  for (int k = 0; k < 4; ++k) sums[k] = lane[k] + lane[k + 4];
  for (; i < count; ++i, p += 4) {
    for (int k = 0; k < 4; ++k) sums[k] += weight != nullptr ? p[k] * weight[i] : p[k];
  }
}

void subtract_weighted(const PaddedVector* x, const double* weight, const double* mean, int count,
                       double* to) {
  const double a = mean[0], b = mean[1], c = mean[2], d = mean[3];
  const Batch8 both{Batch8::Vector{a, b, c, d, a, b, c, d}};
  int i = 0;
  for (; i + 2 <= count; i += 2) {
    (Batch8::load(x[i].v) - of_two(weight + i) * both).store(to + 4 * i);
  }
  for (; i < count; ++i) {
    for (int k = 0; k < 4; ++k) to[4 * i + k] = x[i][k] - weight[i] * mean[k];
  }
}

void negate_shifted(const double* shift, int count, PaddedVector* x) {
  const double a = shift[0], b = shift[1], c = shift[2], d = shift[3];
  const Batch8 both{Batch8::Vector{a, b, c, d, a, b, c, d}};
  int i = 0;
  for (; i + 2 <= count; i += 2) (-(Batch8::load(x[i].v) + both)).store(x[i].v);
  for (; i < count; ++i) {
    for (int k = 0; k < 4; ++k) x[i][k] = -(x[i][k] + shift[k]);
  }
}

}  // namespace

const FieldKernels field_table{
    dot,   add,          step,      difference, inertia,           new_pair,
    renew, two_products, add_pairs, sum,        subtract_weighted, negate_shifted};

}  // namespace SUPPLE_SIMD

}  // namespace supple
