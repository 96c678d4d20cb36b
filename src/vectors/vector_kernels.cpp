#include "vectors/vector_kernels.h"

#include <algorithm>
#include <type_traits>

#include "math/interleaved_batch.h"

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {

/// Slots are stored by block, so the processor cannot predict which one comes next.
constexpr int slots_ahead = 16;

/// A vertex: three numbers and the padding, which is zero.
using Four = Lanes<4>;
using Eight = Lanes<8>;

/// Eight partial sums hide the latency of the additions; they are added in order at the end.
double dot(const double* a, const double* b, int count) {
  Eight sum(0.0);
  int i = 0;
  for (; i + 8 <= count; i += 8) sum += Eight::load(a + i) * Eight::load(b + i);
  double partial[8];
  sum.store(partial);
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
  Four energy(0.0);
  const double weight_of_mass[4] = {work.weight[0], work.weight[1], work.weight[2], 0};
  const Four weight = Four::load(weight_of_mass);
  const int slots_end = work.slot_start[last];
  for (std::int64_t vertex = first; vertex < last; ++vertex) {
    const double mass = work.mass[vertex];
    const Four z = Four::load(work.z[vertex].v);
    const Four d = z - Four::load(work.y[vertex].v);
    const Four pull = Four(mass * work.inverse_a2) * d, force = Four(mass) * weight;
    energy += Four(0.5) * pull * d - force * z;
    if constexpr (with_gradient) {
      Four sum(0.0);
      for (int s = work.slot_start[vertex]; s < work.slot_start[vertex + 1]; ++s) {
        if (s + slots_ahead < slots_end) {
          __builtin_prefetch(&work.slots[work.slot_list[s + slots_ahead]]);
        }
        sum += Four::load(work.slots[work.slot_list[s]].v);
      }
      if (work.spring_start != nullptr) {
        for (int i = work.spring_start[vertex]; i < work.spring_start[vertex + 1]; ++i) {
          const int entry = work.spring_incident[i];
          const Four own = Four::load(work.spring_forces[entry / 2].v);
          sum += Four(1.0 - 2.0 * (entry & 1)) * own;  // without a branch
        }
      }
      if (work.membrane_start != nullptr) {
        for (int i = work.membrane_start[vertex]; i < work.membrane_start[vertex + 1]; ++i) {
          const MembraneSet::Term& term = work.membrane_terms[i];
          sum += Four(term.factor) * Four::load(work.membrane_slots[term.slot].v);
        }
      }
      (pull - force + sum).store(gradient[vertex].v);
    }
  }
  double lane[4];
  energy.store(lane);
  return ((lane[0] + lane[1]) + lane[2]) + lane[3];
}

double inertia(const GradientWork& work, int first, int last, PaddedVector* gradient) {
  return gradient != nullptr ? inertia_of<true>(work, first, last, gradient)
                             : inertia_of<false>(work, first, last, gradient);
}

/// Numbers that stay in registers from one pass to the next.
struct Sixteen {
  Eight lo, hi;

  SUPPLE_INLINE explicit Sixteen(const double* p) : lo(Eight::load(p)), hi(Eight::load(p + 8)) {}
  SUPPLE_INLINE Sixteen(const Eight& a, const Eight& b) : lo(a), hi(b) {}
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
  Eight even{0.0}, odd{0.0};

  /// Adds the products of sixteen numbers.
  SUPPLE_INLINE void add(const double* a, const double* b) { add(Sixteen(a), Sixteen(b)); }
  SUPPLE_INLINE void add(const Sixteen& a, const Sixteen& b) {
    even = even + a.lo * b.lo;
    odd = odd + a.hi * b.hi;
  }
  /// Adds the products of the remaining four numbers.
  SUPPLE_INLINE void add_four(const double* a, const double* b) {
    double left[8] = {}, right[8] = {};
    for (int l = 0; l < 4; ++l) left[l] = a[l], right[l] = b[l];
    even = even + Eight::load(left) * Eight::load(right);
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

/// Numbers of a field that is kept in T, as doubles.
template <class S>
SUPPLE_INLINE S load_kept(const double* p) {
  return S::load(p);
}
template <class S>
SUPPLE_INLINE S load_kept(const float* p) {
  if constexpr (std::is_same_v<S, Batch<double, S::width>>) {
    return __builtin_convertvector((Batch<float, S::width>::load(p).v), typename S::Vector);
  } else {
    using Half = decltype(S::lo);
    return {load_kept<Half>(p), load_kept<Half>(p + Half::width)};
  }
}

/// Stores x as floats at `to` and returns the rounded values as doubles.
template <class S>
SUPPLE_INLINE S store_rounded(const S& x, float* to) {
  if constexpr (std::is_same_v<S, Batch<double, S::width>>) {
    using Floats = Batch<float, S::width>;
    const Floats rounded(__builtin_convertvector(x.v, typename Floats::Vector));
    rounded.store(to);
    return __builtin_convertvector(rounded.v, typename S::Vector);
  } else {
    return {store_rounded(x.lo, to), store_rounded(x.hi, to + decltype(S::lo)::width)};
  }
}

/// A field kept in T has two sets of this many partial sums.
template <class T>
inline constexpr int sums_of = std::is_same_v<T, double> ? 8 : 4;

/// What the fields are multiplied by.
struct Plain {
  const double* g;

  template <class S>
  SUPPLE_INLINE S load(int i) const {
    return S::load(g + i);
  }
  double operator[](int i) const { return g[i]; }
};
struct Change {
  const double *g, *before;

  template <class S>
  SUPPLE_INLINE S load(int i) const {
    return S::load(g + i) - S::load(before + i);
  }
  double operator[](int i) const { return g[i] - before[i]; }
};

/// The products of `num` fields at once, which share each load of g.
template <int num, class T, class Gradient>
SUPPLE_INLINE void multiply_some(const KeptFields<T>& fields, int first, const Gradient& g,
                                 int count, double* sums) {
  constexpr int width = sums_of<T>;
  using S = Lanes<width>;
  const T* of[num];
  S even[num], odd[num];
  for (int f = 0; f < num; ++f) {
    of[f] = fields[first + f];
    even[f] = odd[f] = 0.0;
  }
  int i = 0;
  for (; i + 2 * width <= count; i += 2 * width) {
    const auto a = g.template load<S>(i), b = g.template load<S>(i + width);
    for (int f = 0; f < num; ++f) {
      even[f] += load_kept<S>(of[f] + i) * a;
      odd[f] += load_kept<S>(of[f] + i + width) * b;
    }
  }
  for (int f = 0; f < num; ++f) {
    double lane[width];
    (even[f] + odd[f]).store(lane);
    for (int k = i; k < count; ++k) lane[k % width] += static_cast<double>(of[f][k]) * g[k];
    double sum = 0;
    for (const double value : lane) sum += value;
    sums[first + f] = sum;
  }
}

template <class T, class Gradient>
SUPPLE_INLINE void multiply_all(const KeptFields<T>& fields, const Gradient& g, int count,
                                double* sums) {
  // As many fields as fit in the registers.
  constexpr int at_once = std::min(4, 4 * register_lanes / sums_of<T>);
  int f = 0;
  for (; f + at_once <= fields.count; f += at_once) {
    multiply_some<at_once>(fields, f, g, count, sums);
  }
  for (; f < fields.count; ++f) multiply_some<1>(fields, f, g, count, sums);
}

template <class T>
void multiply(const KeptFields<T>& fields, const double* g, int count, double* sums) {
  multiply_all(fields, Plain{g}, count, sums);
}

template <class T>
void multiply_change(const KeptFields<T>& fields, const double* g, const double* before, int count,
                     double* sums) {
  multiply_all(fields, Change{g, before}, count, sums);
}

/// How many numbers stay in registers while all fields are added to them.
constexpr int combined = register_lanes == 2 ? 16 : 32;

template <class T>
void combine(const KeptFields<T>& fields, const double* factor, double own_factor,
             const double* shift, int count, const CombinedField& to) {
  constexpr int width = sums_of<T>, parts = combined / width;
  using S = Lanes<width>;
  double pattern[width];
  for (int k = 0; k < width; ++k) pattern[k] = shift[k % 4];
  const S all = S::load(pattern);
  double* const p = to.p;
  int i = 0;
  for (; i + combined <= count; i += combined) {
    S sum[parts];
    for (int k = 0; k < parts; ++k) {
      sum[k] = S(own_factor) * S::load(p + i + width * k) + all;
    }
    for (int f = 0; f < fields.count; ++f) {
      const T* const from = fields[f] + i;
      const S own(factor[f]);
      for (int k = 0; k < parts; ++k) sum[k] += own * load_kept<S>(from + width * k);
    }
    for (int k = 0; k < parts; ++k) sum[k].store(p + i + width * k);
    if (to.copy != nullptr) {
      for (int k = 0; k < parts; ++k) sum[k].store(to.copy + i + width * k);
    }
    if (to.x != nullptr) {
      for (int k = 0; k < parts; ++k) {
        (S::load(to.x + i + width * k) + sum[k]).store(to.ahead + i + width * k);
      }
    }
  }
  for (; i < count; ++i) {
    double sum = own_factor * p[i] + shift[i % 4];
    for (int f = 0; f < fields.count; ++f) sum += factor[f] * static_cast<double>(fields[f][i]);
    p[i] = sum;
    if (to.copy != nullptr) to.copy[i] = sum;
    if (to.x != nullptr) to.ahead[i] = to.x[i] + sum;
  }
}

/// Adds vertices alternately to two sums, which hides the latency of the additions.
void sum(const PaddedVector* x, const double* weight, int count, double* sums) {
  Four even(0.0), odd(0.0);
  const auto own = [&](int i) {
    const Four vertex = Four::load(x[i].v);
    return weight != nullptr ? vertex * Four(weight[i]) : vertex;
  };
  int i = 0;
  for (; i + 2 <= count; i += 2) {
    even += own(i);
    odd += own(i + 1);
  }
  if (i < count) even += own(i);
  (even + odd).store(sums);
}

double largest(const PaddedVector* x, int count) {
  Four even(0.0), odd(0.0);
  const auto larger = [](const Four& a, const Four& b) { return select(a > b, a, b); };
  int i = 0;
  for (; i + 2 <= count; i += 2) {
    even = larger(abs(Four::load(x[i].v)), even);
    odd = larger(abs(Four::load(x[i + 1].v)), odd);
  }
  if (i < count) even = larger(abs(Four::load(x[i].v)), even);
  double lane[4];
  larger(even, odd).store(lane);
  double result = 0;
  for (const double value : lane) result = value > result ? value : result;
  return result;
}

void subtract_weighted(const PaddedVector* x, const double* weight, const double* mean, int count,
                       double* to) {
  const Four all = Four::load(mean);
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    (Four::load(x[i].v) - Four(weight[i]) * all).store(to + 4 * i);
  }
}

void negate_shifted(const double* shift, int count, PaddedVector* x) {
  const Four all = Four::load(shift);
  for (int i = 0; i < count; ++i) (-(Four::load(x[i].v) + all)).store(x[i].v);
}

void round(const PaddedVector* x, const double* weight, int count, float* to, double* sums) {
  Four even(0.0), odd(0.0);
  const auto lost = [&](std::ptrdiff_t i) {
    const Four own = Four::load(x[i].v);
    return Four(weight[i]) * (own - store_rounded(own, to + 4 * i));
  };
  int i = 0;
  for (; i + 2 <= count; i += 2) {
    even += lost(i);
    odd += lost(i + 1);
  }
  if (i < count) even += lost(i);
  (even + odd).store(sums);
}

}  // namespace

const VectorKernels vector_table{
    .dot = dot,
    .add = add,
    .step = step,
    .difference = difference,
    .inertia = inertia,
    .new_pair = new_pair,
    .of_doubles = {multiply<double>, multiply_change<double>, combine<double>},
    .of_floats = {multiply<float>, multiply_change<float>, combine<float>},
    .sum = sum,
    .largest = largest,
    .subtract_weighted = subtract_weighted,
    .negate_shifted = negate_shifted,
    .round = round};

}  // namespace SUPPLE_SIMD

}  // namespace supple
