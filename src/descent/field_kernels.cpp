#include "descent/field_kernels.h"

#include "math/batch.h"

namespace supple {

inline namespace SUPPLE_SIMD {

namespace {

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

/// A vertex: three numbers and the padding, which is zero.
using Four = Batch<double, 4>;

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
          sum += Four(entry % 2 == 0 ? 1.0 : -1.0) * own;
        }
      }
      (pull - force + sum).store(gradient[vertex].v);
    }
  }
  return supple::sum(energy);
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

/// As many numbers of a field as one conversion makes.
template <class T>
struct Kept;
template <>
struct Kept<double> {
  using Lanes = Batch8;
  SUPPLE_INLINE static Lanes load(const double* p) { return Lanes::load(p); }
};
template <>
struct Kept<float> {
  using Lanes = Four;
  SUPPLE_INLINE static Lanes load(const float* p) {
    return __builtin_convertvector((Batch<float, 4>::load(p).v), Lanes::Vector);
  }
};

/// What fields are multiplied with.
struct Plain {
  const double* g;

  template <class Lanes>
  SUPPLE_INLINE Lanes load(int i) const {
    return Lanes::load(g + i);
  }
  double operator[](int i) const { return g[i]; }
};
struct Change {
  const double *g, *before;

  template <class Lanes>
  SUPPLE_INLINE Lanes load(int i) const {
    return Lanes::load(g + i) - Lanes::load(before + i);
  }
  double operator[](int i) const { return g[i] - before[i]; }
};

/// The products of `num` fields at once, which share the numbers of g.
template <int num, class T, class Gradient>
SUPPLE_INLINE void multiply_some(const KeptFields<T>& fields, int first, const Gradient& g,
                                 int count, double* sums) {
  using Lanes = typename Kept<T>::Lanes;
  constexpr int width = Lanes::width;
  const T* of[num];
  Lanes even[num], odd[num];
  for (int f = 0; f < num; ++f) {
    of[f] = fields[first + f];
    even[f] = odd[f] = 0.0;
  }
  int i = 0;
  for (; i + 2 * width <= count; i += 2 * width) {
    const auto a = g.template load<Lanes>(i), b = g.template load<Lanes>(i + width);
    for (int f = 0; f < num; ++f) {
      even[f] += Kept<T>::load(of[f] + i) * a;
      odd[f] += Kept<T>::load(of[f] + i + width) * b;
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
  int f = 0;
  for (; f + 4 <= fields.count; f += 4) multiply_some<4>(fields, f, g, count, sums);
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

/// Numbers that stay in registers while all fields are added to them.
constexpr int combined = 32;

template <class T>
void combine(const KeptFields<T>& fields, const double* factor, double own_factor,
             const double* shift, int count, const CombinedField& to) {
  using Lanes = typename Kept<T>::Lanes;
  constexpr int width = Lanes::width, parts = combined / width;
  double pattern[width];
  for (int k = 0; k < width; ++k) pattern[k] = shift[k % 4];
  const Lanes all = Lanes::load(pattern);
  double* const p = to.p;
  int i = 0;
  for (; i + combined <= count; i += combined) {
    Lanes sum[parts];
    for (int k = 0; k < parts; ++k) {
      sum[k] = Lanes(own_factor) * Lanes::load(p + i + width * k) + all;
    }
    for (int f = 0; f < fields.count; ++f) {
      const T* const from = fields[f] + i;
      const Lanes own(factor[f]);
      for (int k = 0; k < parts; ++k) sum[k] += own * Kept<T>::load(from + width * k);
    }
    for (int k = 0; k < parts; ++k) sum[k].store(p + i + width * k);
    if (to.copy != nullptr) {
      for (int k = 0; k < parts; ++k) sum[k].store(to.copy + i + width * k);
    }
    if (to.x != nullptr) {
      for (int k = 0; k < parts; ++k) {
        (Lanes::load(to.x + i + width * k) + sum[k]).store(to.ahead + i + width * k);
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

/// Vertices in turn to two sums, which hides the latency of the additions.
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
    const Batch<float, 4> rounded(__builtin_convertvector(own.v, Batch<float, 4>::Vector));
    rounded.store(to + 4 * i);
    return Four(weight[i]) * (own - Four(__builtin_convertvector(rounded.v, Four::Vector)));
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

const FieldKernels field_table{
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
