#pragma once

#include <array>

/// For straight-line arithmetic over numbers of several lanes: a function call in the middle would
/// spill forty registers to memory (measured on the corotated local step: 81 ns a tet with the
/// compiler's own choice).
#define SUPPLE_INLINE [[gnu::always_inline]] inline

/// 3x3 algebra as templates over the number type.
namespace supple {

/// The operations that most of it consists of. Numbers that record operations (own_number.h)
/// overload them to record fewer.
template <class S>
SUPPLE_INLINE S sum_of_products(const S& a, const S& b, const S& c, const S& d, const S& e,
                                const S& f) {
  return a * b + c * d + e * f;
}
template <class S>
SUPPLE_INLINE S difference_of_products(const S& a, const S& b, const S& c, const S& d) {
  return a * b - c * d;
}

template <class S>
struct Vector3 {
  S v[3];
  SUPPLE_INLINE S& operator[](int i) { return v[i]; }
  SUPPLE_INLINE const S& operator[](int i) const { return v[i]; }

  SUPPLE_INLINE friend Vector3 operator+(const Vector3& a, const Vector3& b) {
    return {{a[0] + b[0], a[1] + b[1], a[2] + b[2]}};
  }
  SUPPLE_INLINE friend Vector3 operator-(const Vector3& a, const Vector3& b) {
    return {{a[0] - b[0], a[1] - b[1], a[2] - b[2]}};
  }
  SUPPLE_INLINE friend Vector3 operator*(const S& s, const Vector3& a) {
    return {{s * a[0], s * a[1], s * a[2]}};
  }
};

template <class S>
SUPPLE_INLINE S dot(const Vector3<S>& a, const Vector3<S>& b) {
  return sum_of_products(a[0], b[0], a[1], b[1], a[2], b[2]);
}
template <class S>
SUPPLE_INLINE Vector3<S> cross(const Vector3<S>& a, const Vector3<S>& b) {
  return {{difference_of_products(a[1], b[2], a[2], b[1]),
           difference_of_products(a[2], b[0], a[0], b[2]),
           difference_of_products(a[0], b[1], a[1], b[0])}};
}

/// Row r, column c: m(r, c).
template <class S>
struct Mat3 {
  S a[3][3];
  SUPPLE_INLINE S& operator()(int r, int c) { return a[r][c]; }
  SUPPLE_INLINE const S& operator()(int r, int c) const { return a[r][c]; }

  SUPPLE_INLINE static Mat3 zero() { return diagonal(S(0.0), S(0.0), S(0.0)); }
  SUPPLE_INLINE static Mat3 identity() { return diagonal(S(1.0), S(1.0), S(1.0)); }
  SUPPLE_INLINE static Mat3 diagonal(const S& x, const S& y, const S& z) {
    const S o = S(0.0);
    return {{{x, o, o}, {o, y, o}, {o, o, z}}};
  }
  SUPPLE_INLINE Vector3<S> column(int c) const { return {{a[0][c], a[1][c], a[2][c]}}; }
  SUPPLE_INLINE Vector3<S> row(int r) const { return {{a[r][0], a[r][1], a[r][2]}}; }
  SUPPLE_INLINE void set_column(int c, const Vector3<S>& x) {
    for (int r = 0; r < 3; ++r) a[r][c] = x[r];
  }

  SUPPLE_INLINE friend Mat3 operator+(const Mat3& x, const Mat3& y) {
    return map2(x, y, [](const S& p, const S& q) -> S { return p + q; });
  }
  SUPPLE_INLINE friend Mat3 operator-(const Mat3& x, const Mat3& y) {
    return map2(x, y, [](const S& p, const S& q) -> S { return p - q; });
  }
  SUPPLE_INLINE friend Mat3 operator*(const S& s, const Mat3& x) {
    return map2(x, x, [&](const S& p, const S&) -> S { return s * p; });
  }
  SUPPLE_INLINE friend Mat3 operator*(const Mat3& x, const Mat3& y) {
    Mat3 z;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        z(r, c) = sum_of_products(x(r, 0), y(0, c), x(r, 1), y(1, c), x(r, 2), y(2, c));
      }
    }
    return z;
  }
  SUPPLE_INLINE friend Vector3<S> operator*(const Mat3& m, const Vector3<S>& x) {
    Vector3<S> y;
    for (int r = 0; r < 3; ++r) y[r] = dot(m.row(r), x);
    return y;
  }

 private:
  template <class F>
  SUPPLE_INLINE static Mat3 map2(const Mat3& x, const Mat3& y, F f) {
    Mat3 z;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) z(r, c) = f(x(r, c), y(r, c));
    }
    return z;
  }
};

template <class S>
SUPPLE_INLINE Mat3<S> transpose(const Mat3<S>& m) {
  Mat3<S> t;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) t(r, c) = m(c, r);
  }
  return t;
}

/// x y, if it is symmetric: the upper triangle is computed and mirrored.
template <class S>
SUPPLE_INLINE Mat3<S> symmetric_product(const Mat3<S>& x, const Mat3<S>& y) {
  Mat3<S> z;
  for (int r = 0; r < 3; ++r) {
    for (int c = r; c < 3; ++c) {
      z(r, c) = sum_of_products(x(r, 0), y(0, c), x(r, 1), y(1, c), x(r, 2), y(2, c));
      z(c, r) = z(r, c);
    }
  }
  return z;
}

/// x^T y.
template <class S>
SUPPLE_INLINE Mat3<S> transpose_times(const Mat3<S>& x, const Mat3<S>& y) {
  Mat3<S> z;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      z(r, c) = dot(x.column(r), y.column(c));
    }
  }
  return z;
}

/// x y^T.
template <class S>
SUPPLE_INLINE Mat3<S> times_transpose(const Mat3<S>& x, const Mat3<S>& y) {
  Mat3<S> z;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      z(r, c) = dot(x.row(r), y.row(c));
    }
  }
  return z;
}

/// Cofactor matrix, d det(m)/dm: cof m = det(m) m^-T where that exists.
template <class S>
SUPPLE_INLINE Mat3<S> cofactor(const Mat3<S>& m) {
  Mat3<S> k;
  k.set_column(0, cross(m.column(1), m.column(2)));
  k.set_column(1, cross(m.column(2), m.column(0)));
  k.set_column(2, cross(m.column(0), m.column(1)));
  return k;
}

template <class S>
SUPPLE_INLINE S determinant(const Mat3<S>& m) {
  return dot(m.column(0), cross(m.column(1), m.column(2)));
}

template <class S>
SUPPLE_INLINE S trace(const Mat3<S>& m) {
  return m(0, 0) + m(1, 1) + m(2, 2);
}

/// Frobenius product x : y.
template <class S>
SUPPLE_INLINE S inner(const Mat3<S>& x, const Mat3<S>& y) {
  return x(0, 0) * y(0, 0) + x(0, 1) * y(0, 1) + x(0, 2) * y(0, 2) + x(1, 0) * y(1, 0) +
         x(1, 1) * y(1, 1) + x(1, 2) * y(1, 2) + x(2, 0) * y(2, 0) + x(2, 1) * y(2, 1) +
         x(2, 2) * y(2, 2);
}

template <class S>
SUPPLE_INLINE S squared_norm(const Mat3<S>& m) {
  return inner(m, m);
}

/// Inverse; det(m) must not be zero.
template <class S>
SUPPLE_INLINE Mat3<S> inverse(const Mat3<S>& m) {
  return (S(1.0) / determinant(m)) * transpose(cofactor(m));
}

/// Second derivatives by the nine entries of a 3x3 matrix: [3 r + c][3 r' + c'].
template <class S>
using Matrix9 = std::array<std::array<S, 9>, 9>;

/// U diag(d) V^T.
template <class S>
SUPPLE_INLINE Mat3<S> compose(const Mat3<S>& U, const Vector3<S>& d, const Mat3<S>& V) {
  Mat3<S> Ud;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) Ud(r, c) = U(r, c) * d[c];
  }
  return times_transpose(Ud, V);
}

}  // namespace supple
