#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "contact/test_ccd_queries.h"

namespace supple {

/// Finds the sign of a sum of products of three doubles without any rounding: a fixed-point number
/// with room for each of them.
class ExactSum {
 public:
  void add(double a, double b = 1, double c = 1) {
    if (a == 0 || b == 0 || c == 0) return;
    std::array<std::uint64_t, 6> product{1};  // 32 bits each
    int exponent = -lowest;
    bool negative = false;
    for (const double factor : {a, b, c}) {
      int e = 0;
      const double mantissa = std::frexp(std::fabs(factor), &e);
      const auto integer = static_cast<std::uint64_t>(std::ldexp(mantissa, 53));
      exponent += e - 53;
      negative = negative != (factor < 0);
      product = times(product, integer);
    }
    const auto limb = static_cast<std::size_t>(exponent / 32);
    const int shift = exponent % 32;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      carry += product[i] << shift;
      const auto part = static_cast<std::int64_t>(carry & 0xffffffff);
      limbs_[limb + i] += negative ? -part : part;
      carry >>= 32;
    }
  }
  /// -1, 0 or 1.
  int sign() const {
    std::int64_t carry = 0;
    bool zero = true;
    for (const std::int64_t limb : limbs_) {
      carry += limb;
      zero = zero && (carry & 0xffffffff) == 0;
      carry >>= 32;
    }
    return carry < 0 ? -1 : zero && carry == 0 ? 0 : 1;
  }
  /// A double that is at most as large as the sum, which must be > 0.
  double below() const {
    std::int64_t carry = 0;
    double value = 0;
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
      carry += limbs_[i];
      value +=
          std::ldexp(static_cast<double>(carry & 0xffffffff), static_cast<int>(32 * i) + lowest);
      carry >>= 32;
    }
    return value * (1 - 1e-12);
  }

 private:
  static constexpr int lowest = -3 * 1126;  ///< exponent of the lowest bit
  static std::array<std::uint64_t, 6> times(const std::array<std::uint64_t, 6>& a,
                                            std::uint64_t b) {
    std::array<std::uint64_t, 6> product{};
    const std::uint64_t halves[2] = {b & 0xffffffff, b >> 32};
    for (std::size_t h = 0; h < 2; ++h) {
      std::uint64_t carry = 0;
      for (std::size_t i = 0; i + h < 6; ++i) {
        carry += product[i + h] + a[i] * halves[h];
        product[i + h] = carry & 0xffffffff;
        carry >>= 32;
      }
    }
    return product;
  }
  std::array<std::int64_t, 208> limbs_{};
};

/// Whether the proof shows, in exact arithmetic, that the features are farther apart than
/// `separation` throughout [0, time].
class ExactCheck {
 public:
  ExactCheck(CcdKind kind, const CcdQuery& query, double separation = 0)
      : query_(query), separation_(separation) {
    using Pair = std::array<std::size_t, 2>;
    if (kind == CcdKind::edge_edge) {
      pairs_ = {Pair{0, 2}, Pair{0, 3}, Pair{1, 2}, Pair{1, 3}};
    } else {
      pairs_ = {Pair{0, 1}, Pair{0, 2}, Pair{0, 3}};
    }
  }
  bool holds(const CcdProof& proof, double time) const {
    std::vector<CcdProof::Piece> pieces(proof.pieces.begin(), proof.pieces.begin() + proof.count);
    std::sort(pieces.begin(), pieces.end(),
              [](const auto& a, const auto& b) { return a.from < b.from; });
    double reached = 0;
    for (const CcdProof::Piece& piece : pieces) {
      if (!holds(piece)) return false;
      if (piece.from <= reached) reached = std::max(reached, piece.to);
    }
    return !pieces.empty() && reached >= time;
  }

 private:
  /// On a piece, a corner projects onto a quadratic in time. After subtracting the separation times
  /// a bound of the direction's length, its Bernstein coefficients are `start`, `twice_middle`/2
  /// and `end`. It is positive if the outer two are and the middle one is above minus the root of
  /// their product.
  bool holds(const CcdProof::Piece& piece) const {
    const double first = separation_ * length(piece.first), last = separation_ * length(piece.last);
    for (const auto& pair : pairs_) {
      ExactSum start, twice_middle, end;
      add(start, piece.first, piece.from, pair, -first);
      add(end, piece.last, piece.to, pair, -last);
      add(twice_middle, piece.first, piece.to, pair, -first);
      add(twice_middle, piece.last, piece.from, pair, -last);
      if (start.sign() <= 0 || end.sign() <= 0) return false;
      if (twice_middle.sign() >= 0) continue;
      const double a = start.below(), b = end.below();
      const double root = std::sqrt(a) * std::sqrt(b) * (1 - 1e-12);
      ExactSum square;
      square.add(a, b);
      square.add(-root, root);
      twice_middle.add(2, root);
      if (square.sign() < 0 || twice_middle.sign() <= 0) return false;
    }
    return true;
  }
  /// Upper bound of |n|.
  static double length(const Vec3& n) {
    return std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) * (1 + 0x1p-49);
  }
  /// Adds n . (a - b)(t) + c.
  void add(ExactSum& sum, const Vec3& n, double t, const std::array<std::size_t, 2>& pair,
           double c) const {
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t i = pair[side];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double ni = side == 0 ? n[axis] : -n[axis];
        sum.add(ni, query_.before[i][axis]);
        sum.add(-ni, query_.before[i][axis], t);
        sum.add(ni, query_.after[i][axis], t);
      }
    }
    sum.add(c);
  }

  CcdQuery query_;
  double separation_;
  std::vector<std::array<std::size_t, 2>> pairs_;
};

/// Whether features that are said to meet, but are answered to be apart, are apart only because
/// their coordinates were rounded to doubles: exact arithmetic confirms that they are apart, but by
/// no more than rounding can move them.
inline bool rounding_explains(CcdKind kind, const CcdQuery& query) {
  if (!query.rounded) return false;
  double largest = 0;
  for (const auto* points : {&query.before, &query.after}) {
    for (const Vec3& x : *points) {
      for (const double c : x) largest = std::max(largest, std::fabs(c));
    }
  }
  CcdProof proof;
  if (detect(kind, query, {}, &proof).meets || !ExactCheck(kind, query).holds(proof, 1)) {
    return false;
  }
  // Half a unit in the last place on each axis for either feature: sqrt(3) * 2^-52.
  return detect(kind, query, {.separation = 0x1p-51 * largest + 5e-324}).meets;
}

}  // namespace supple
