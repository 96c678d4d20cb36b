#include "contact/ccd.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "math/vec3.h"

// Features A and B are farther apart than s at time t if there is a direction n with
//   n . (a_i(t) - b_j(t)) > s |n|   for all corners i of A and j of B.
// The differences d_k = a_i - b_j are the corners of a convex polygon: a triangle for a vertex and
// a triangle, a parallelogram for two edges. They move linearly, so a bound at two times holds
// between them. How n was found does not matter to the proof: only `sample_along`, `lower_bound`,
// `turning` and `outside_box` bound rounding errors, and only their comparisons decide.

namespace supple {
namespace {

using vec3::cross, vec3::dot;
using vec3::operator-, vec3::operator*;

/// Upper bound of the relative error of one operation in any rounding mode.
constexpr double ccd_eps = 0x1p-52;
/// The polygon's size is between these, and `ccd_tiny` exceeds everything that underflow can cost:
/// a time is off by 2^-1022 at most, which moves a projection by 2^-921.
constexpr double ccd_smallest = 0x1p-100, ccd_largest = 0x1p100, ccd_tiny = 0x1p-900;
/// Of 7,279 foreign queries none took more than 70 (docs/collision.md).
constexpr int most_directions = 128;

/// Corners of the polygon of differences, in cyclic order: [time 0 or 1][axis][corner].
template <std::size_t K>
struct MovingPolygon {
  double at[2][3][K];
};

/// A closed interval of times; empty if from > to.
struct Times {
  double from, to;
};

/// What a direction, found at one time, proves at all times.
template <std::size_t K>
struct Sample {
  double time;
  Vec3 direction;
  double first[K], last[K];  ///< lower bounds of n . d_k - s |n| at times 0 and 1
  double here[K];            ///< and at `time`
  double gap;                ///< the smallest of `here`: apart at `time` if > 0
  Times apart;
};

/// Lower bound of (1 - t) a + t b, for t in [0, 1]: five roundings, each of at most eps times the
/// terms.
double lower_bound(double a, double b, double t) {
  const double x = (1 - t) * a, y = t * b;
  return x + y - 6 * ccd_eps * (std::fabs(x) + std::fabs(y));
}

/// What direction n, |n| <= 1 + 8 eps, proves. `separation` is that of `padded`.
template <std::size_t K>
Sample<K> sample_along(const MovingPolygon<K>& polygon, const Vec3& n, double time,
                       double separation) {
  Sample<K> s;
  s.time = time;
  s.direction = n;
  s.gap = std::numeric_limits<double>::infinity();
  s.apart = {0, 1};
  for (std::size_t k = 0; k < K; ++k) {
    // The difference, the product, two sums, and the last two operations: each rounds by at most
    // eps times the sum of the magnitudes.
    const auto bound = [&](const double(&d)[3][K]) {
      const double x = n[0] * d[0][k], y = n[1] * d[1][k], z = n[2] * d[2][k];
      const double sum = std::fabs(x) + std::fabs(y) + std::fabs(z);
      return x + y + z - 8 * ccd_eps * sum - separation;
    };
    const double first = bound(polygon.at[0]), last = bound(polygon.at[1]);
    s.first[k] = first;
    s.last[k] = last;
    s.here[k] = lower_bound(first, last, time);
    s.gap = std::min(s.gap, s.here[k]);
    // The root of the line through both bounds, rounded towards the side that is apart: three
    // roundings, and one of 1 - share.
    if (first > 0) {
      if (last > 0) continue;
      s.apart.to = std::min(s.apart.to, first / (first - last) * (1 - 8 * ccd_eps));
    } else if (last > 0) {
      const double share = last / (last - first) * (1 - 8 * ccd_eps);
      s.apart.from = std::max(s.apart.from, 1 - share + 4 * ccd_eps);
    } else {
      s.apart = {2, -1};
    }
  }
  return s;
}

/// Weight of y's direction, > 0, if the direction that turns linearly from x's to y's times this
/// weight keeps the polygon apart between their times; otherwise 0. Along it, corner k projects
/// onto a quadratic with the Bernstein coefficients x.here, (p + weight r)/2 and weight y.here,
/// where p is x's bound at y's time and r is y's at x's.
template <std::size_t K>
double turning(const Sample<K>& x, const Sample<K>& y) {
  if (!(x.gap > 0 && y.gap > 0)) return 0;
  double p[K], r[K];
  // The range of weights for which all p + weight r are positive.
  double low = 0x1p-20, high = 0x1p20;
  for (std::size_t k = 0; k < K; ++k) {
    p[k] = lower_bound(x.first[k], x.last[k], y.time);
    r[k] = lower_bound(y.first[k], y.last[k], x.time);
    if (p[k] < 0 && r[k] > 0) low = std::max(low, -p[k] / r[k]);
    if (p[k] > 0 && r[k] < 0) high = std::min(high, -p[k] / r[k]);
  }
  const double weight = low <= 1 && 1 <= high ? 1 : std::sqrt(low * high);
  for (std::size_t k = 0; k < K; ++k) {
    const double term = weight * r[k];
    const double middle = p[k] + term - 4 * ccd_eps * (std::fabs(p[k]) + std::fabs(term));
    if (middle >= 0) continue;
    // A quadratic is also positive if this one is more than -sqrt of the product of the others.
    const double ends = 4 * x.here[k] * (weight * y.here[k]);
    if (!(middle * middle * (1 + 16 * ccd_eps) < ends && ends > ccd_tiny)) return 0;
  }
  return weight;
}

void add_piece(CcdProof* proof, double from, const Vec3& first, double to, const Vec3& last) {
  if (proof == nullptr) return;
  proof->pieces[static_cast<std::size_t>(proof->count++)] = {from, to, first, last};
}

Vec3 axis(std::size_t c, double sign) {
  Vec3 n{0, 0, 0};
  n[c] = sign;
  return n;
}

/// Whether all corners are beyond the separation on one side of an axis at both ends of the motion.
template <std::size_t K>
bool outside_box(const MovingPolygon<K>& polygon, double separation, CcdProof* proof) {
  for (std::size_t c = 0; c < 3; ++c) {
    double low = polygon.at[0][c][0], high = low;
    for (const auto& end : polygon.at) {
      for (std::size_t k = 0; k < K; ++k) {
        low = std::min(low, end[c][k]);
        high = std::max(high, end[c][k]);
      }
    }
    if (!(low > separation || high < -separation)) continue;
    const Vec3 n = axis(c, low > separation ? 1 : -1);
    add_piece(proof, 0, n, 1, n);
    return true;
  }
  return false;
}

/// Direction from the origin to the nearest point of the polygon at a time, |n| = 1 up to rounding;
/// not a unit vector if there is none. The proof does not need it to be right.
template <std::size_t K>
Vec3 nearest_direction(const MovingPolygon<K>& polygon, double time) {
  Vec3 corner[K], edge[K];
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t c = 0; c < 3; ++c) {
      const double from = polygon.at[0][c][k], to = polygon.at[1][c][k];
      corner[k][c] = time == 1 ? to : from + time * (to - from);
    }
  }
  for (std::size_t k = 0; k < K; ++k) edge[k] = corner[(k + 1) % K] - corner[k];
  const auto scaled = [](const Vec3& v) {
    const double largest = std::max({std::fabs(v[0]), std::fabs(v[1]), std::fabs(v[2])});
    const Vec3 u = (1 / largest) * v;
    return (1 / std::sqrt(dot(u, u))) * u;
  };
  // Seen along its normal, either the origin is outside of some edges or it projects into the
  // polygon. The normal of a sliver consists of rounding errors, so a sliver is left to its edges.
  const Vec3 area = cross(edge[0], edge[1]);
  const bool sliver = !(dot(area, area) > 1e-28 * dot(edge[0], edge[0]) * dot(edge[1], edge[1]));
  const Vec3 normal = scaled(area);
  bool inside = !sliver;
  double nearest = std::numeric_limits<double>::infinity();
  Vec3 n{0, 0, 0};
  for (std::size_t k = 0; k < K; ++k) {
    const Vec3 &a = corner[k], &e = edge[k];
    if (!sliver && !(dot(cross(normal, e), a) > 0)) continue;
    inside = false;
    const double along = -dot(a, e), squared = dot(e, e);
    Vec3 x = a;
    if (along >= squared && along > 0) {
      x = corner[(k + 1) % K];
    } else if (along > 0) {
      // Made perpendicular a second time: close to the edge, the first time leaves rounding errors
      // as large as x.
      x = a - (-along / squared) * e;
      x = x - (dot(x, e) / squared) * e;
    }
    if (dot(x, x) < nearest) {
      nearest = dot(x, x);
      n = x;
    }
  }
  if (!inside) return scaled(n);
  double height = 0;
  for (std::size_t k = 0; k < K; ++k) height += dot(normal, corner[k]);
  return height < 0 ? -1.0 * normal : normal;
}

template <std::size_t K>
Sample<K> sample(const MovingPolygon<K>& polygon, double time, double separation) {
  const Vec3 n = nearest_direction(polygon, time);
  const double squared = dot(n, n);
  if (squared > 0.5 && squared < 1.5) return sample_along(polygon, n, time, separation);
  Sample<K> nothing{};
  nothing.time = time;
  nothing.gap = -1;
  nothing.apart = {2, -1};
  return nothing;
}

/// The latest time through which one axis proves the polygon apart from `time` on; `time` itself if
/// none does. The only rounding errors of axes are those of the differences, so axes can tell
/// smaller gaps than a general direction can.
template <std::size_t K>
double past_along_axes(const MovingPolygon<K>& polygon, double time, double separation,
                       CcdProof* proof) {
  double past = time;
  for (std::size_t c = 0; c < 3; ++c) {
    for (const double sign : {-1.0, 1.0}) {
      const Vec3 n = axis(c, sign);
      const Times apart = sample_along(polygon, n, time, separation).apart;
      if (!(apart.from <= time && apart.to > past)) continue;
      past = apart.to;
      add_piece(proof, apart.from, n, apart.to, n);
    }
  }
  return past;
}

/// Extends [0, reached], throughout which the polygon is proved apart, starting from x, which has
/// x.gap > 0 at time 0. `end` is where a proof that lasts until 1 begins.
template <std::size_t K>
CcdAnswer advance(const MovingPolygon<K>& polygon, Sample<K> x, double separation,
                  CcdProof* proof) {
  double reached = x.apart.to, end = 1;
  add_piece(proof, 0, x.direction, reached, x.direction);
  if (reached >= 1) return {false, 1, 1};
  double next = 1;
  double failed = 1;     // where a direction proved nothing: the meeting may be there
  double margin = 0.1;   // share of the way to the time where the gap seems to close
  bool at_once = false;  // whether x was taken where the one before it ended
  int directions = 1;
  while (directions < most_directions) {
    const Sample<K> y = sample(polygon, next, separation);
    ++directions;
    bool advanced = false;
    const double before = reached;
    if (y.gap > 0) {
      const bool around = y.apart.from <= next && next <= y.apart.to;
      const Times apart = around ? y.apart : Times{next, next};
      if (around) add_piece(proof, apart.from, y.direction, apart.to, y.direction);
      advanced = apart.from <= reached;
      if (!advanced) {
        const double weight = turning(x, y);
        advanced = weight > 0;
        if (advanced) add_piece(proof, x.time, x.direction, next, weight * y.direction);
      }
      if (advanced) {
        reached = std::max(reached, apart.to);
      } else if (apart.to >= end) {
        end = apart.from;
      }
    }
    if (reached >= end) return {false, 1, directions};
    if (advanced) {
      at_once = next <= before;
      const double slope = (y.gap - x.gap) / (y.time - x.time);
      x = y;
      next = end;
      if (slope < 0) {
        // A secant step, closer to the root each time that it was right.
        const double closes = x.time - (1 - margin) * (x.gap / slope);
        if (closes < next) {
          next = closes;
          margin *= 0.1;
        }
      }
      if (next >= failed) next = reached + 0.5 * (failed - reached);
      next = std::max(next, reached);
      if (next > x.time) continue;
    } else if (next > reached) {
      margin = 0.1;
      if (!(y.gap > 0)) failed = next;
      const double middle = reached + 0.5 * (next - reached);
      const bool wide = middle > reached && middle < next;
      next = wide && (at_once || x.time >= reached) ? middle : reached;
      if (next > x.time) continue;
    }
    const double past = past_along_axes(polygon, reached, separation, proof);
    directions += 6;
    if (past >= end) return {false, 1, directions};
    const bool stuck = !(past > reached + 1e-12);
    reached = past;
    if (stuck) break;
    next = reached;
    failed = 1;
  }
  return {true, reached, directions};
}

/// Distance that projections must exceed, for any |n| <= 1 + 8 eps.
double padded(double separation) { return separation * (1 + 32 * ccd_eps) + ccd_tiny; }

template <std::size_t K>
CcdAnswer detect(const MovingPolygon<K>& polygon, double separation, double keep, CcdProof* proof) {
  double least = padded(separation);
  if (!(least < ccd_largest * ccd_largest)) return {true, 0, 0};
  if (keep == 0 && outside_box(polygon, least, proof)) return {false, 1, 0};
  Sample<K> start = sample(polygon, 0, least);
  if (!(start.gap > 0 && start.apart.from <= 0)) return {true, 0, 1};
  if (keep > 0) {
    least = padded(separation + keep * start.gap);
    if (outside_box(polygon, least, proof)) return {false, 1, 1};
    start = sample(polygon, 0, least);
    if (!(start.gap > 0 && start.apart.from <= 0)) return {true, 0, 2};
  }
  return advance(polygon, start, least, proof);
}

/// Which corners of `before` and `after` make the polygon: corner k is first[k] - second[k].
template <std::size_t K>
struct Pairs {
  std::size_t first[K], second[K];
};
constexpr Pairs<3> vertex_face{{0, 0, 0}, {1, 2, 3}};
constexpr Pairs<4> edge_edge{{0, 1, 1, 0}, {2, 2, 3, 3}};

/// The polygon of `scale`d positions. Returns the sum of its magnitudes; infinite or not a number
/// if a coordinate is, or if one overflows.
template <std::size_t K>
double subtract(const std::array<Vec3, 4>& before, const std::array<Vec3, 4>& after, double scale,
                const Pairs<K>& pairs, MovingPolygon<K>& polygon) {
  double size = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t k = 0; k < K; ++k) {
      const std::size_t i = pairs.first[k], j = pairs.second[k];
      polygon.at[0][c][k] = scale * before[i][c] - scale * before[j][c];
      polygon.at[1][c][k] = scale * after[i][c] - scale * after[j][c];
    }
    // A sum, because a maximum would pass over NaN.
    for (const auto& end : polygon.at) {
      for (std::size_t k = 0; k < K; ++k) size += std::fabs(end[c][k]);
    }
  }
  return size;
}

double largest_coordinate(const std::array<Vec3, 4>& before, const std::array<Vec3, 4>& after) {
  double largest = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      largest = std::max({largest, std::fabs(before[i][c]), std::fabs(after[i][c])});
    }
  }
  return largest;
}

template <std::size_t K>
CcdAnswer detect(const std::array<Vec3, 4>& before, const std::array<Vec3, 4>& after,
                 const CcdSettings& settings, CcdProof* proof, const Pairs<K>& pairs) {
  if (proof != nullptr) proof->count = 0;
  if (!(settings.separation >= 0 && settings.keep >= 0 && settings.keep < 1)) return {true, 0, 0};
  MovingPolygon<K> polygon;
  double separation = settings.separation;
  double size = subtract(before, after, 1, pairs, polygon);
  const double largest = settings.rounded ? largest_coordinate(before, after) : 0;
  // A rounded coordinate is off by at most 5 eps of the largest one, in either feature and on each
  // axis: 5 * 2 * sqrt(3) = 17.4.
  const double rounding = 24 * ccd_eps * largest;
  if (size > ccd_smallest && size < ccd_largest) {
    return detect(polygon, separation + rounding, settings.keep, proof);
  }
  double scale = 1;
  if (!(size < std::numeric_limits<double>::infinity())) {
    // Sums of 24 terms: with this scale nothing overflows unless it is infinite itself.
    scale = 0x1p-6;
    size = subtract(before, after, scale, pairs, polygon);
  }
  if (!(size > 0 && size < std::numeric_limits<double>::infinity())) return {true, 0, 0};
  // Scales by a power of two, which rounds only what underflows.
  const int exponent = -std::ilogb(size);
  for (auto& end : polygon.at) {
    for (auto& axis : end) {
      for (double& d : axis) d = std::ldexp(d, exponent);
    }
  }
  separation = std::ldexp(scale * separation, exponent) + std::ldexp(scale * rounding, exponent);
  return detect(polygon, separation, settings.keep, proof);
}

}  // namespace

CcdAnswer vertex_face_ccd(const std::array<Vec3, 4>& before, const std::array<Vec3, 4>& after,
                          const CcdSettings& settings, CcdProof* proof) noexcept {
  return detect(before, after, settings, proof, vertex_face);
}

CcdAnswer edge_edge_ccd(const std::array<Vec3, 4>& before, const std::array<Vec3, 4>& after,
                        const CcdSettings& settings, CcdProof* proof) noexcept {
  return detect(before, after, settings, proof, edge_edge);
}

}  // namespace supple
