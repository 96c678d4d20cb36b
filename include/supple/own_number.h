#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "supple/mat3.h"

/// The number types that a program's own energy is evaluated with (own_material.h): several doubles
/// at once, one per tet, and the same with derivatives.
///
/// All of them add, subtract, multiply and divide, also with plain numbers, and have sqrt, log,
/// log1p, exp, expm1, pow (with a plain exponent), sin, cos, tanh, abs, min and max. A comparison
/// gives one answer per tet, so instead of branching an energy writes select(J > 0.1, a, b), which
/// evaluates both.
namespace supple::own {

// Vectors of the processor that the including file is compiled for. They enter the names of
// everything that depends on them.
#if defined(__AVX512F__)
#define SUPPLE_OWN_LANES 8
#define SUPPLE_OWN_SPACE eight_lanes
#elif defined(__AVX__)
#define SUPPLE_OWN_LANES 4
#define SUPPLE_OWN_SPACE four_lanes
#else
#define SUPPLE_OWN_LANES 2
#define SUPPLE_OWN_SPACE two_lanes
#endif

inline namespace SUPPLE_OWN_SPACE {

/// Doubles that a Number holds: as many as a call evaluates, so differentiation keeps one record
/// for all of them.
inline constexpr int num_lanes = 8;
/// Vectors that a Number consists of.
inline constexpr int num_parts = num_lanes / SUPPLE_OWN_LANES;

typedef double Vector __attribute__((vector_size(8 * SUPPLE_OWN_LANES)));
typedef std::int64_t Integers __attribute__((vector_size(8 * SUPPLE_OWN_LANES)));

/// Result of a comparison: all bits of a lane are set where it is true.
struct Mask {
  Integers v[num_parts];

  SUPPLE_INLINE friend Mask operator&(const Mask& a, const Mask& b) {
    Mask r;
    for (int p = 0; p < num_parts; ++p) r.v[p] = a.v[p] & b.v[p];
    return r;
  }
  SUPPLE_INLINE friend Mask operator|(const Mask& a, const Mask& b) {
    Mask r;
    for (int p = 0; p < num_parts; ++p) r.v[p] = a.v[p] | b.v[p];
    return r;
  }
  SUPPLE_INLINE friend Mask operator!(const Mask& a) {
    Mask r;
    for (int p = 0; p < num_parts; ++p) r.v[p] = ~a.v[p];
    return r;
  }
};

/// Eight doubles.
struct Number {
  Vector v[num_parts];

  Number() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): numbers mix with plain ones
  SUPPLE_INLINE Number(double x) {
    for (int p = 0; p < num_parts; ++p) v[p] = Vector{} + x;
  }

  SUPPLE_INLINE static Number load(const double* from) {
    Number x;
    std::memcpy(x.v, from, sizeof(x.v));
    return x;
  }
  SUPPLE_INLINE void store(double* to) const { std::memcpy(to, v, sizeof(v)); }

  SUPPLE_INLINE friend Number operator+(const Number& a, const Number& b) {
    return each(a, b, [](Vector x, Vector y) { return x + y; });
  }
  SUPPLE_INLINE friend Number operator-(const Number& a, const Number& b) {
    return each(a, b, [](Vector x, Vector y) { return x - y; });
  }
  SUPPLE_INLINE friend Number operator*(const Number& a, const Number& b) {
    return each(a, b, [](Vector x, Vector y) { return x * y; });
  }
  SUPPLE_INLINE friend Number operator/(const Number& a, const Number& b) {
    return each(a, b, [](Vector x, Vector y) { return x / y; });
  }
  SUPPLE_INLINE friend Number operator-(const Number& a) {
    return each(a, a, [](Vector x, Vector) { return -x; });
  }

  SUPPLE_INLINE friend Mask operator<(const Number& a, const Number& b) {
    return compare(a, b, [](Vector x, Vector y) { return x < y; });
  }
  SUPPLE_INLINE friend Mask operator>(const Number& a, const Number& b) { return b < a; }
  SUPPLE_INLINE friend Mask operator<=(const Number& a, const Number& b) {
    return compare(a, b, [](Vector x, Vector y) { return x <= y; });
  }
  SUPPLE_INLINE friend Mask operator>=(const Number& a, const Number& b) { return b <= a; }
  /// Lanes that are zero.
  SUPPLE_INLINE friend Mask is_zero(const Number& a) {
    return compare(a, a, [](Vector x, Vector) { return x == Vector{}; });
  }

 private:
  template <class F>
  SUPPLE_INLINE static Number each(const Number& a, const Number& b, const F& f) {
    Number r;
#pragma GCC unroll 4
    for (int p = 0; p < num_parts; ++p) r.v[p] = f(a.v[p], b.v[p]);
    return r;
  }
  template <class F>
  SUPPLE_INLINE static Mask compare(const Number& a, const Number& b, const F& f) {
    Mask r;
#pragma GCC unroll 4
    for (int p = 0; p < num_parts; ++p) r.v[p] = f(a.v[p], b.v[p]);
    return r;
  }
};

/// mask ? a : b, tet by tet.
SUPPLE_INLINE Number select(const Mask& mask, const Number& a, const Number& b) {
  Number r;
  for (int p = 0; p < num_parts; ++p) r.v[p] = mask.v[p] ? a.v[p] : b.v[p];
  return r;
}

/// f(x), tet by tet, for functions of a double.
template <class F>
SUPPLE_INLINE Number map(const Number& x, const F& f) {
  double lane[num_lanes];
  x.store(lane);
  for (double& y : lane) y = f(y);
  return Number::load(lane);
}

inline Number sqrt(Number x) {
  return map(x, [](double y) { return std::sqrt(y); });
}
inline Number log(Number x) {
  return map(x, [](double y) { return std::log(y); });
}
inline Number log1p(Number x) {
  return map(x, [](double y) { return std::log1p(y); });
}
inline Number exp(Number x) {
  return map(x, [](double y) { return std::exp(y); });
}
inline Number expm1(Number x) {
  return map(x, [](double y) { return std::expm1(y); });
}
inline Number pow(Number x, double p) {
  return map(x, [p](double y) { return std::pow(y, p); });
}
inline Number sin(Number x) {
  return map(x, [](double y) { return std::sin(y); });
}
inline Number cos(Number x) {
  return map(x, [](double y) { return std::cos(y); });
}
inline Number tanh(Number x) {
  return map(x, [](double y) { return std::tanh(y); });
}

/// A Number with its derivatives in three directions: forward differentiation.
struct Jet {
  Number value;
  Number first[3];

  Jet() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): as of Number
  SUPPLE_INLINE Jet(double x) : value(x), first{0.0, 0.0, 0.0} {}
  /// The independent variable of direction k.
  SUPPLE_INLINE static Jet variable(Number value, int k) {
    Jet x(0.0);
    x.value = value;
    x.first[k] = 1.0;
    return x;
  }

  SUPPLE_INLINE friend Jet operator+(const Jet& a, const Jet& b) {
    return each(a, b, [](Number p, Number q) { return p + q; });
  }
  SUPPLE_INLINE friend Jet operator-(const Jet& a, const Jet& b) {
    return each(a, b, [](Number p, Number q) { return p - q; });
  }
  SUPPLE_INLINE friend Jet operator-(const Jet& a) {
    return each(a, a, [](Number p, Number) { return -p; });
  }
  SUPPLE_INLINE friend Jet operator*(double s, const Jet& a) {
    return each(a, a, [s](Number p, Number) { return s * p; });
  }
  SUPPLE_INLINE friend Jet operator*(const Jet& a, double s) { return s * a; }
  SUPPLE_INLINE friend Jet operator*(const Jet& a, const Jet& b) {
    Jet r;
    r.value = a.value * b.value;
    for (int k = 0; k < 3; ++k) r.first[k] = a.value * b.first[k] + b.value * a.first[k];
    return r;
  }
  SUPPLE_INLINE friend Jet operator/(const Jet& a, const Jet& b) {
    const Number inverse = 1.0 / b.value;
    Jet r;
    r.value = a.value / b.value;
    for (int k = 0; k < 3; ++k) r.first[k] = inverse * (a.first[k] - r.value * b.first[k]);
    return r;
  }

  SUPPLE_INLINE friend Mask operator<(const Jet& a, const Jet& b) { return a.value < b.value; }
  SUPPLE_INLINE friend Mask operator>(const Jet& a, const Jet& b) { return a.value > b.value; }
  SUPPLE_INLINE friend Mask operator<=(const Jet& a, const Jet& b) { return a.value <= b.value; }
  SUPPLE_INLINE friend Mask operator>=(const Jet& a, const Jet& b) { return a.value >= b.value; }

 private:
  template <class F>
  SUPPLE_INLINE static Jet each(const Jet& a, const Jet& b, const F& f) {
    Jet r;
    r.value = f(a.value, b.value);
    for (int k = 0; k < 3; ++k) r.first[k] = f(a.first[k], b.first[k]);
    return r;
  }
};

SUPPLE_INLINE Jet select(Mask mask, const Jet& a, const Jet& b) {
  Jet r;
  r.value = select(mask, a.value, b.value);
  for (int k = 0; k < 3; ++k) r.first[k] = select(mask, a.first[k], b.first[k]);
  return r;
}
/// f(x), df being its derivative at x.value.
SUPPLE_INLINE Jet derived(const Jet& x, Number f, Number df) {
  Jet r;
  r.value = f;
  for (int k = 0; k < 3; ++k) r.first[k] = df * x.first[k];
  return r;
}

/// p x, but 0 where x is 0: a branch that select did not take may have an infinite slope.
SUPPLE_INLINE Number pulled(Number p, Number x) {
  const Mask none = is_zero(x);
  return select(none, 0.0, p * x);
}
SUPPLE_INLINE Jet pulled(const Jet& p, const Jet& x) {
  const Mask none =
      is_zero(x.value) & is_zero(x.first[0]) & is_zero(x.first[1]) & is_zero(x.first[2]);
  return select(none, 0.0, p * x);
}

/// A record of the operations of a computation, from which one reverse pass gives the derivatives
/// by all nine entries of F.
template <class Base>
class Tape {
 public:
  /// The tape of this thread, with the entries of F as its first numbers. Its memory is reused.
  static Tape& begin() {
    thread_local Tape tape;
    tape.num_edges_ = 0;
    tape.num_numbers_ = 9;
    return tape;
  }

  /// The next number, with at most `edges` parents.
  SUPPLE_INLINE int add_number(int edges) {
    if (num_numbers_ == max_numbers_ || num_edges_ + edges > max_edges_) grow(edges);
    return num_numbers_++;
  }
  /// Adds a parent of a number, with the derivative by it.
  SUPPLE_INLINE void add_edge(int number, int parent, const Base& by_parent) {
    Edge& edge = edges_[static_cast<std::size_t>(num_edges_++)];
    edge.slope = by_parent;
    edge.number = number;
    edge.parent = parent;
  }

  /// P = the derivatives of a number by the entries of F.
  void walk_back(int result, Mat3<Base>& P) {
    Base* const pull = pull_.data();
    for (int i = 0; i < num_numbers_; ++i) pull[i] = 0.0;
    pull[result] = 1.0;
    for (int e = num_edges_ - 1; e >= 0; --e) {
      const Edge& edge = edges_[static_cast<std::size_t>(e)];
      pull[edge.parent] = pull[edge.parent] + pulled(edge.slope, pull[edge.number]);
    }
    for (int i = 0; i < 9; ++i) P(i / 3, i % 3) = pull[i];
  }

 private:
  struct Edge {
    Base slope;
    int number;
    int parent;
  };

  Tape() { grow(500); }

  [[gnu::noinline]] void grow(int edges) {
    max_numbers_ = 2 * num_numbers_ + 200;
    max_edges_ = 2 * num_edges_ + edges;
    pull_.resize(static_cast<std::size_t>(max_numbers_));
    edges_.resize(static_cast<std::size_t>(max_edges_));
  }

  std::vector<Edge> edges_;
  std::vector<Base> pull_;  ///< of the result by each number
  int num_edges_ = 0, num_numbers_ = 0, max_edges_ = 0, max_numbers_ = 0;
};

/// A number that is recorded on a tape: reverse differentiation. Base: Number, or Jet for second
/// derivatives.
template <class Base>
struct Traced {
  Base value;
  int number;        ///< on the tape
  Tape<Base>* tape;  ///< null: a constant

  Traced() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): as of Number
  SUPPLE_INLINE Traced(double x) : value(x), number(0), tape(nullptr) {}
  SUPPLE_INLINE Traced(const Base& x, int at, Tape<Base>* on) : value(x), number(at), tape(on) {}

  SUPPLE_INLINE friend Traced operator+(const Traced& a, const Traced& b) {
    return computed(a.value + b.value, a, 1.0, b, 1.0);
  }
  SUPPLE_INLINE friend Traced operator-(const Traced& a, const Traced& b) {
    return computed(a.value - b.value, a, 1.0, b, -1.0);
  }
  SUPPLE_INLINE friend Traced operator*(const Traced& a, const Traced& b) {
    return computed(a.value * b.value, a, b.value, b, a.value);
  }
  SUPPLE_INLINE friend Traced operator/(const Traced& a, const Traced& b) {
    const Base inverse = 1.0 / b.value, quotient = a.value / b.value;
    return computed(quotient, a, inverse, b, -(quotient * inverse));
  }
  SUPPLE_INLINE friend Traced operator-(const Traced& a) { return derived(a, -a.value, -1.0); }
  SUPPLE_INLINE friend Traced operator*(double s, const Traced& a) {
    return derived(a, s * a.value, s);
  }
  SUPPLE_INLINE friend Traced operator*(const Traced& a, double s) { return s * a; }
  SUPPLE_INLINE friend Traced operator+(const Traced& a, double s) {
    return {a.value + s, a.number, a.tape};
  }
  SUPPLE_INLINE friend Traced operator+(double s, const Traced& a) { return a + s; }
  SUPPLE_INLINE friend Traced operator-(const Traced& a, double s) { return a + -s; }

  SUPPLE_INLINE friend Mask operator<(const Traced& a, const Traced& b) {
    return a.value < b.value;
  }
  SUPPLE_INLINE friend Mask operator>(const Traced& a, const Traced& b) {
    return a.value > b.value;
  }
  SUPPLE_INLINE friend Mask operator<=(const Traced& a, const Traced& b) {
    return a.value <= b.value;
  }
  SUPPLE_INLINE friend Mask operator>=(const Traced& a, const Traced& b) {
    return a.value >= b.value;
  }

  /// f(x), df being its derivative at x.value.
  SUPPLE_INLINE friend Traced derived(const Traced& x, const Base& f, const Base& df) {
    return computed(f, x, df);
  }
  SUPPLE_INLINE friend Traced select(Mask mask, const Traced& a, const Traced& b) {
    return computed(select(mask, a.value, b.value), a, select(mask, Base(1.0), Base(0.0)), b,
                    select(mask, Base(0.0), Base(1.0)));
  }

  SUPPLE_INLINE friend Traced sum_of_products(const Traced& a, const Traced& b, const Traced& c,
                                              const Traced& d, const Traced& e, const Traced& f) {
    return computed(sum_of_products(a.value, b.value, c.value, d.value, e.value, f.value), a,
                    b.value, b, a.value, c, d.value, d, c.value, e, f.value, f, e.value);
  }
  SUPPLE_INLINE friend Traced difference_of_products(const Traced& a, const Traced& b,
                                                     const Traced& c, const Traced& d) {
    return computed(a.value * b.value - c.value * d.value, a, b.value, b, a.value, c, -d.value, d,
                    -c.value);
  }
  friend Traced squared_norm(const Mat3<Traced>& m) {
    const Base two[9] = {2.0 * m(0, 0).value, 2.0 * m(0, 1).value, 2.0 * m(0, 2).value,
                         2.0 * m(1, 0).value, 2.0 * m(1, 1).value, 2.0 * m(1, 2).value,
                         2.0 * m(2, 0).value, 2.0 * m(2, 1).value, 2.0 * m(2, 2).value};
    Mat3<Base> values;
    for (int i = 0; i < 9; ++i) values(i / 3, i % 3) = m(i / 3, i % 3).value;
    const Base sum = squared_norm(values);
    return computed(sum, m(0, 0), two[0], m(0, 1), two[1], m(0, 2), two[2], m(1, 0), two[3],
                    m(1, 1), two[4], m(1, 2), two[5], m(2, 0), two[6], m(2, 1), two[7], m(2, 2),
                    two[8]);
  }

 private:
  /// A number computed from parents, each given with the derivative by it.
  template <class... Pairs>
  SUPPLE_INLINE static Traced computed(const Base& value, const Pairs&... pairs) {
    Tape<Base>* const tape = tape_of(pairs...);
    if (tape == nullptr) return {value, 0, nullptr};
    const int number = tape->add_number(sizeof...(Pairs) / 2);
    add_edges(*tape, number, pairs...);
    return {value, number, tape};
  }
  template <class... Pairs>
  SUPPLE_INLINE static Tape<Base>* tape_of(const Traced& parent, const Base&,
                                           const Pairs&... pairs) {
    if constexpr (sizeof...(Pairs) == 0) {
      return parent.tape;
    } else {
      return parent.tape != nullptr ? parent.tape : tape_of(pairs...);
    }
  }
  template <class... Pairs>
  SUPPLE_INLINE static void add_edges(Tape<Base>& tape, int number, const Traced& parent,
                                      const Base& by_parent, const Pairs&... pairs) {
    if (parent.tape != nullptr) tape.add_edge(number, parent.number, by_parent);
    if constexpr (sizeof...(Pairs) > 0) add_edges(tape, number, pairs...);
  }
};

template <class T>
concept Differentiated = requires(const T& x) {
  {derived(x, x.value, x.value)};
};
template <Differentiated T>
SUPPLE_INLINE T sqrt(const T& x) {
  const auto f = sqrt(x.value);
  return derived(x, f, 0.5 / f);
}
template <Differentiated T>
SUPPLE_INLINE T log(const T& x) {
  return derived(x, log(x.value), 1.0 / x.value);
}
template <Differentiated T>
SUPPLE_INLINE T log1p(const T& x) {
  return derived(x, log1p(x.value), 1.0 / (1.0 + x.value));
}
template <Differentiated T>
SUPPLE_INLINE T exp(const T& x) {
  const auto f = exp(x.value);
  return derived(x, f, f);
}
template <Differentiated T>
SUPPLE_INLINE T expm1(const T& x) {
  return derived(x, expm1(x.value), exp(x.value));
}
template <Differentiated T>
SUPPLE_INLINE T pow(const T& x, double p) {
  return derived(x, pow(x.value, p), p * pow(x.value, p - 1));
}
template <Differentiated T>
SUPPLE_INLINE T sin(const T& x) {
  return derived(x, sin(x.value), cos(x.value));
}
template <Differentiated T>
SUPPLE_INLINE T cos(const T& x) {
  return derived(x, cos(x.value), -sin(x.value));
}
template <Differentiated T>
SUPPLE_INLINE T tanh(const T& x) {
  const auto f = tanh(x.value);
  return derived(x, f, 1.0 - f * f);
}

template <class T>
concept OwnNumber = requires(const T& x, Mask mask) {
  {select(mask, x, x)};
};
template <OwnNumber T>
SUPPLE_INLINE T& operator+=(T& a, const T& b) {
  return a = a + b;
}
template <OwnNumber T>
SUPPLE_INLINE T& operator-=(T& a, const T& b) {
  return a = a - b;
}
template <OwnNumber T>
SUPPLE_INLINE T& operator*=(T& a, const T& b) {
  return a = a * b;
}
template <OwnNumber T>
SUPPLE_INLINE T abs(const T& x) {
  return select(x < T(0.0), -x, x);
}
template <OwnNumber T>
SUPPLE_INLINE T max(const T& a, const T& b) {
  return select(a < b, b, a);
}
template <OwnNumber T>
SUPPLE_INLINE T min(const T& a, const T& b) {
  return select(b < a, b, a);
}
template <OwnNumber T>
SUPPLE_INLINE T max(const T& a, double b) {
  return max(a, T(b));
}
template <OwnNumber T>
SUPPLE_INLINE T min(const T& a, double b) {
  return min(a, T(b));
}

}  // namespace SUPPLE_OWN_SPACE

}  // namespace supple::own
