#pragma once

#include <cstdint>
#include <utility>

#include "math/batch.h"
#include "math/mat3.h"
#include "position/positions.h"

/// Gathers positions of vertices into lanes and adds displacements in lanes to vertices. Four
/// padded vectors at a time are transposed in registers, with as many such fours side by side as a
/// register holds.
namespace supple {

inline namespace SUPPLE_SIMD {

/// How many numbers of type T a register of the processor holds.
template <class T>
inline constexpr int lanes_of_register = register_lanes* static_cast<int>(8 / sizeof(T));

/// The vertex at a place, which is counted in bytes so that an address needs no multiplication.
template <class T>
SUPPLE_INLINE const T* at(const PaddedPosition<T>* x, std::uint32_t place) {
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(x) + place);
}
template <class T>
SUPPLE_INLINE T* at(PaddedPosition<T>* x, std::uint32_t place) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(x) + place);
}

namespace position_detail {

template <class T, int W>
using Vector = typename Batch<T, W>::Vector;

/// The entries of a and b, numbered consecutively, that `Pick` names for each place.
template <class Pick, int W, class V, int... i>
SUPPLE_INLINE auto pick(const V& a, const V& b, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(a, b, Pick::template at<W>(i)...);
}
/// In each four of a register: entries of a (0 to 3) or b (4 to 7).
template <int p0, int p1, int p2, int p3>
struct InFours {
  template <int W>
  static constexpr int at(int i) {
    const int entry[4] = {p0, p1, p2, p3};
    const int e = entry[i % 4];
    return 4 * (i / 4) + (e < 4 ? e : W + e - 4);
  }
};
template <class Pick, class T, int W>
SUPPLE_INLINE Vector<T, W> shuffle(const Vector<T, W>& a, const Vector<T, W>& b) {
  return pick<Pick, W>(a, b, std::make_integer_sequence<int, W>{});
}

/// Transposes each 4x4 block that corresponding fours of the four registers form.
template <class T, int W>
SUPPLE_INLINE void transpose_fours(Vector<T, W>& a, Vector<T, W>& b, Vector<T, W>& c,
                                   Vector<T, W>& d) {
  if constexpr (sizeof(T) == 4) {
    using Low = InFours<0, 4, 1, 5>;
    using High = InFours<2, 6, 3, 7>;
    using First = InFours<0, 1, 4, 5>;
    using Second = InFours<2, 3, 6, 7>;
    const auto ab_low = shuffle<Low, T, W>(a, b), cd_low = shuffle<Low, T, W>(c, d);
    const auto ab_high = shuffle<High, T, W>(a, b), cd_high = shuffle<High, T, W>(c, d);
    a = shuffle<First, T, W>(ab_low, cd_low);
    b = shuffle<Second, T, W>(ab_low, cd_low);
    c = shuffle<First, T, W>(ab_high, cd_high);
    d = shuffle<Second, T, W>(ab_high, cd_high);
  } else {
    using Even = InFours<0, 4, 2, 6>;
    using Odd = InFours<1, 5, 3, 7>;
    using First = InFours<0, 1, 4, 5>;
    using Second = InFours<2, 3, 6, 7>;
    const auto ab_even = shuffle<Even, T, W>(a, b), cd_even = shuffle<Even, T, W>(c, d);
    const auto ab_odd = shuffle<Odd, T, W>(a, b), cd_odd = shuffle<Odd, T, W>(c, d);
    a = shuffle<First, T, W>(ab_even, cd_even);
    b = shuffle<First, T, W>(ab_odd, cd_odd);
    c = shuffle<Second, T, W>(ab_even, cd_even);
    d = shuffle<Second, T, W>(ab_odd, cd_odd);
  }
}

template <class T>
SUPPLE_INLINE Vector<T, 4> load_four(const T* p) {
  return Batch<T, 4>::load(p).v;
}

/// The vertices at place[0], place[4], ... side by side.
template <class T, int W>
SUPPLE_INLINE Vector<T, W> load_fours(const PaddedPosition<T>* x, const std::uint32_t* place) {
  if constexpr (W == 4) {
    return load_four(at(x, place[0]));
  } else if constexpr (W == 8) {
    return __builtin_shufflevector(load_four(at(x, place[0])), load_four(at(x, place[4])), 0, 1, 2,
                                   3, 4, 5, 6, 7);
  } else {
    static_assert(W == 16);
    return __builtin_shufflevector(load_fours<T, 8>(x, place), load_fours<T, 8>(x, place + 8), 0, 1,
                                   2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  }
}

/// Adds the fours of a register to the vertices at place[0], place[4], ...
template <class T, int W>
SUPPLE_INLINE void add_fours(const Vector<T, W>& a, PaddedPosition<T>* x,
                             const std::uint32_t* place) {
  if constexpr (W == 4) {
    Batch<T, 4>(load_four(at(x, place[0])) + a).store(at(x, place[0]));
  } else if constexpr (W == 8) {
    add_fours<T, 4>(__builtin_shufflevector(a, a, 0, 1, 2, 3), x, place);
    add_fours<T, 4>(__builtin_shufflevector(a, a, 4, 5, 6, 7), x, place + 4);
  } else {
    static_assert(W == 16);
    add_fours<T, 8>(__builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7), x, place);
    add_fours<T, 8>(__builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15), x, place + 8);
  }
}

}  // namespace position_detail

/// x, y, z of W vertices.
template <class T, int W>
SUPPLE_INLINE Vector3<Batch<T, W>> gather_positions(const PaddedPosition<T>* x,
                                                    const std::uint32_t* place) {
  using namespace position_detail;
  if constexpr (W == 2) {
    const auto* a = at(x, place[0]);
    const auto* b = at(x, place[1]);
    const Vector<T, 2> first = Batch<T, 2>::load(a).v, second = Batch<T, 2>::load(b).v;
    return {{Batch<T, 2>(__builtin_shufflevector(first, second, 0, 2)),
             Batch<T, 2>(__builtin_shufflevector(first, second, 1, 3)),
             Batch<T, 2>(Vector<T, 2>{a[2], b[2]})}};
  } else {
    Vector<T, W> a = load_fours<T, W>(x, place), b = load_fours<T, W>(x, place + 1);
    Vector<T, W> c = load_fours<T, W>(x, place + 2), d = load_fours<T, W>(x, place + 3);
    transpose_fours<T, W>(a, b, c, d);
    return {{Batch<T, W>(a), Batch<T, W>(b), Batch<T, W>(c)}};
  }
}

/// Adds a displacement to each of W vertices, lane after lane: two lanes can name the same vertex.
template <class T, int W>
SUPPLE_INLINE void add_to_positions(const Vector3<Batch<T, W>>& d, PaddedPosition<T>* x,
                                    const std::uint32_t* place) {
  using namespace position_detail;
  if constexpr (W == 2) {
    for (int lane = 0; lane < 2; ++lane) {
      T* p = at(x, place[lane]);
      for (int k = 0; k < 3; ++k) p[k] += d[k][lane];
    }
  } else {
    Vector<T, W> a = d[0].v, b = d[1].v, c = d[2].v, o{};
    transpose_fours<T, W>(a, b, c, o);
    add_fours<T, W>(a, x, place);
    add_fours<T, W>(b, x, place + 1);
    add_fours<T, W>(c, x, place + 2);
    add_fours<T, W>(o, x, place + 3);
  }
}

}  // namespace SUPPLE_SIMD

}  // namespace supple
