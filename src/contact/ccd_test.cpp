// Continuous collision detection against motions with a known time of impact, against a fine search
// for roots, and on degenerate or invalid input.
#include "contact/ccd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "contact/test_allocations.h"
#include "contact/test_ccd_queries.h"
#include "contact/test_exact_ccd.h"

namespace supple {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr CcdKind both_kinds[] = {CcdKind::vertex_face, CcdKind::edge_edge};

/// A vertex at `height` above the middle of a triangle that rests in y = 0.
std::array<Vec3, 4> vertex_above(double height) {
  return {Vec3{0, height, 0}, Vec3{-1, 0, -1}, Vec3{1, 0, -1}, Vec3{0, 0, 1}};
}

/// An edge along x, at `height` above an edge along z.
std::array<Vec3, 4> edge_above(double height) {
  return {Vec3{-1, height, 0}, Vec3{1, height, 0}, Vec3{0, 0, -1}, Vec3{0, 0, 1}};
}

CcdQuery falling(CcdKind kind, double from, double to) {
  if (kind == CcdKind::edge_edge) return {edge_above(from), edge_above(to), false};
  return {vertex_above(from), vertex_above(to), false};
}

/// The query with all its points changed.
template <class Change>
CcdQuery changed(CcdQuery query, const Change& change) {
  for (auto* points : {&query.before, &query.after}) {
    for (Vec3& x : *points) change(x);
  }
  return query;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  /// In [-size, size).
  double operator()(double size) { return size * (engine_() / 2147483648.0 - 1); }
  int below(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }
  CcdQuery query(double size, double motion) {
    CcdQuery q{};
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        q.before[i][c] = (*this)(size);
        q.after[i][c] = q.before[i][c] + (*this)(motion);
      }
    }
    return q;
  }

 private:
  std::mt19937 engine_;
};

Vec3 moved(const CcdQuery& q, std::size_t i, double t) {
  Vec3 x;
  for (std::size_t c = 0; c < 3; ++c) x[c] = q.before[i][c] + t * (q.after[i][c] - q.before[i][c]);
  return x;
}

TEST(Ccd, TimeOfImpactOfAFallIsKnown) {
  for (const CcdKind kind : both_kinds) {
    // From 1 to -3 it passes 0 at 1/4. The bounds on rounding take a few 1e-16 of the way.
    const CcdAnswer answer = detect(kind, falling(kind, 1, -3));
    EXPECT_TRUE(answer.meets);
    EXPECT_LE(answer.time, 0.25);
    EXPECT_NEAR(answer.time, 0.25, 1e-14);
  }
}

TEST(Ccd, SeparationBringsTheImpactForward) {
  for (const CcdKind kind : both_kinds) {
    const CcdAnswer answer = detect(kind, falling(kind, 1, -3), {.separation = 0.5});
    EXPECT_TRUE(answer.meets);
    EXPECT_LE(answer.time, 0.125);
    EXPECT_NEAR(answer.time, 0.125, 1e-14);
    EXPECT_FALSE(detect(kind, falling(kind, 1, 0.51), {.separation = 0.5}).meets);
    EXPECT_TRUE(detect(kind, falling(kind, 1, 0.5), {.separation = 0.5}).meets);
  }
}

TEST(Ccd, WhatPassesBesideDoesNotMeet) {
  CcdQuery query = falling(CcdKind::vertex_face, 1, -1);
  query.before[0][0] = query.after[0][0] = 1.001;
  EXPECT_FALSE(detect(CcdKind::vertex_face, query).meets);
  query = falling(CcdKind::edge_edge, 1, -1);
  for (auto* points : {&query.before, &query.after}) {
    (*points)[2][2] = 0.001;  // the lower edge ends before the upper one
  }
  EXPECT_FALSE(detect(CcdKind::edge_edge, query).meets);
  EXPECT_EQ(detect(CcdKind::edge_edge, query).time, 1);
}

TEST(Ccd, MotionThatFeaturesShareDoesNotMatter) {
  for (const CcdKind kind : both_kinds) {
    CcdQuery query = falling(kind, 1e-3, 1e-3);
    for (Vec3& x : query.after) x = {x[0] + 50, x[1] - 70, x[2] + 3};
    EXPECT_FALSE(detect(kind, query).meets);
  }
}

TEST(Ccd, WhatTouchesAtTheStartMeetsAtOnce) {
  for (const CcdKind kind : both_kinds) {
    for (const double to : {0.0, 1.0, -1.0}) {
      const CcdAnswer answer = detect(kind, falling(kind, 0, to));
      EXPECT_TRUE(answer.meets);
      EXPECT_EQ(answer.time, 0);
    }
    EXPECT_FALSE(detect(kind, falling(kind, 1e-9, 1)).meets);
  }
}

TEST(Ccd, WhatTouchesAtTheEndMeets) {
  for (const CcdKind kind : both_kinds) {
    const CcdAnswer answer = detect(kind, falling(kind, 1, 0));
    EXPECT_TRUE(answer.meets);
    EXPECT_NEAR(answer.time, 1, 1e-14);
    EXPECT_FALSE(detect(kind, falling(kind, 1, 1e-9)).meets);
  }
}

TEST(Ccd, RestingFeaturesMeetIfTheyTouch) {
  for (const CcdKind kind : both_kinds) {
    EXPECT_TRUE(detect(kind, falling(kind, 0, 0)).meets);
    EXPECT_FALSE(detect(kind, falling(kind, 1e-12, 1e-12)).meets);
    EXPECT_TRUE(detect(kind, falling(kind, 0.1, 0.1), {.separation = 0.1}).meets);
  }
}

TEST(Ccd, ParallelEdgesMeetWhereTheyOverlap) {
  const std::array<Vec3, 4> apart = {Vec3{-1, 1, 0}, Vec3{1, 1, 0}, Vec3{0, 0, 0}, Vec3{2, 0, 0}};
  std::array<Vec3, 4> through = apart;
  through[0][1] = through[1][1] = -1;
  const CcdAnswer answer = edge_edge_ccd(apart, through);
  EXPECT_TRUE(answer.meets);
  EXPECT_NEAR(answer.time, 0.5, 1e-14);
  // Slid along their own direction, in one plane and in one line.
  std::array<Vec3, 4> slid = apart;
  slid[0][0] += 10;
  slid[1][0] += 10;
  EXPECT_FALSE(edge_edge_ccd(apart, slid).meets);
  const std::array<Vec3, 4> in_line = {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{2, 0, 0}, Vec3{3, 0, 0}};
  std::array<Vec3, 4> closed = in_line;
  closed[0][0] = 1.5;
  closed[1][0] = 2.5;
  EXPECT_NEAR(edge_edge_ccd(in_line, closed).time, 2.0 / 3, 1e-14);
  closed[1][0] = 1.999;
  EXPECT_FALSE(edge_edge_ccd(in_line, closed).meets);
}

TEST(Ccd, DegenerateFeaturesAreTheirPointsAndSegments) {
  // A triangle that is a point, and one that is a segment.
  std::array<Vec3, 4> before = vertex_above(1), after = vertex_above(-1);
  for (auto* points : {&before, &after}) (*points)[1] = (*points)[2] = (*points)[3] = {0, 0, 0};
  EXPECT_NEAR(vertex_face_ccd(before, after).time, 0.5, 1e-14);
  before[0][0] = after[0][0] = 1e-6;
  EXPECT_FALSE(vertex_face_ccd(before, after).meets);
  for (auto* points : {&before, &after}) (*points)[3] = {1, 0, 0};
  EXPECT_TRUE(vertex_face_ccd(before, after).meets);
  for (auto* points : {&before, &after}) (*points)[2] = {0.25, 0, 0};
  EXPECT_TRUE(vertex_face_ccd(before, after).meets);
  before[0][2] = after[0][2] = 1e-6;
  EXPECT_FALSE(vertex_face_ccd(before, after).meets);
  // Two edges that are points.
  before = {Vec3{0, 1, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 0}, Vec3{0, 0, 0}};
  after = {Vec3{0, -1, 0}, Vec3{0, -1, 0}, Vec3{0, 0, 0}, Vec3{0, 0, 0}};
  EXPECT_NEAR(edge_edge_ccd(before, after).time, 0.5, 1e-14);
  after[0][2] = after[1][2] = 1e-6;
  EXPECT_FALSE(edge_edge_ccd(before, after).meets);
}

TEST(Ccd, AFastTumblingEdgeIsToldFromOneThatItPassesClosely) {
  // The upper edge turns by 53 degrees at a gap of a ten-thousandth of its length: no constant
  // direction proves more than a small part of the motion.
  for (const double gap : {1e-4, 1e-8, -1e-8}) {
    const std::array<Vec3, 4> before = {Vec3{-1, 1 + gap, -0.5}, Vec3{1, -1 + gap, -0.5},
                                        Vec3{0, 0, -1}, Vec3{0, 0, 1}};
    const std::array<Vec3, 4> after = {Vec3{-1, -0.5 + gap, 0.5}, Vec3{1, 0.5 + gap, 0.5},
                                       Vec3{0, 0, -1}, Vec3{0, 0, 1}};
    const CcdAnswer answer = edge_edge_ccd(before, after);
    EXPECT_FALSE(answer.meets) << gap;
  }
}

TEST(Ccd, AgreesWithAFineSearchForRoots) {
  // The corners become coplanar at roots of a cubic. These are sought at 400 times, and anything
  // that comes within a thousandth of a border is left out.
  Random random(11);
  int meetings = 0, misses = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const CcdKind kind = both_kinds[trial % 2];
    const CcdQuery q = random.query(1, 2);
    using Wide = std::array<long double, 3>;
    const auto at = [&](std::size_t i, long double t) {
      Wide x;
      for (std::size_t c = 0; c < 3; ++c) {
        x[c] = q.before[i][c] + t * (static_cast<long double>(q.after[i][c]) - q.before[i][c]);
      }
      return x;
    };
    const auto minus = [](const Wide& a, const Wide& b) {
      return Wide{a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    };
    const auto det = [](const Wide& a, const Wide& b, const Wide& c) {
      return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
             a[2] * (b[0] * c[1] - b[1] * c[0]);
    };
    const bool edges = kind == CcdKind::edge_edge;
    const auto volume = [&](long double t) {
      return det(minus(at(1, t), at(0, t)), minus(at(2, t), at(0, t)), minus(at(3, t), at(0, t)));
    };
    // The smallest weight of both features where they cross: > 0 inside.
    const auto inside = [&](long double t) {
      const auto x = [&](std::size_t i) { return at(i, t); };
      if (edges) {
        const Wide e = minus(x(1), x(0)), f = minus(x(3), x(2)), w = minus(x(0), x(2));
        const long double a = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
        const long double b = e[0] * f[0] + e[1] * f[1] + e[2] * f[2];
        const long double c = f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
        const long double d = e[0] * w[0] + e[1] * w[1] + e[2] * w[2];
        const long double g = f[0] * w[0] + f[1] * w[1] + f[2] * w[2];
        const long double u = (b * g - c * d) / (a * c - b * b);
        const long double v = (a * g - b * d) / (a * c - b * b);
        return std::min({u, 1 - u, v, 1 - v});
      }
      const Wide e = minus(x(2), x(1)), f = minus(x(3), x(1)), w = minus(x(0), x(1));
      const Wide n{e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]};
      const long double area = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
      const long double u = det(w, f, n) / area, v = det(e, w, n) / area;
      return std::min({u, v, 1 - u - v});
    };
    constexpr int steps = 400;
    long double first = 2;
    bool unclear = false;
    for (int i = 0; i < steps && first > 1; ++i) {
      long double a = i / static_cast<long double>(steps), b = (i + 1.0L) / steps;
      if (volume(a) * volume(b) > 0) {
        // Two roots may hide in between.
        unclear = unclear || std::fabs(volume(a)) < 1e-3L;
        continue;
      }
      for (int k = 0; k < 80; ++k) {
        const long double m = 0.5L * (a + b);
        (volume(a) * volume(m) > 0 ? a : b) = m;
      }
      const long double weight = inside(a);
      if (std::fabs(weight) < 1e-3L) unclear = true;
      if (weight > 0) first = a;
    }
    const CcdAnswer answer = detect(kind, q);
    if (first <= 1) {
      EXPECT_TRUE(answer.meets) << trial;
      EXPECT_LE(answer.time, static_cast<double>(first) + 1e-15) << trial;
      // A long double's own root is good to 1e-15, so the bound is a few times its rounding.
      if (!unclear) {
        EXPECT_NEAR(answer.time, static_cast<double>(first), 1e-10) << trial;
        ++meetings;
      }
    } else if (!unclear) {
      EXPECT_FALSE(answer.meets) << trial;
      ++misses;
    }
  }
  EXPECT_GT(meetings, 300);
  EXPECT_GT(misses, 1000);
}

TEST(Ccd, OrderOfCornersAndOfEdgesDoesNotMatter) {
  Random random(12);
  for (int trial = 0; trial < 3000; ++trial) {
    const CcdKind kind = both_kinds[trial % 2];
    const CcdQuery q = random.query(1, 2);
    const CcdAnswer answer = detect(kind, q);
    using Order = std::array<std::size_t, 4>;
    const std::vector<Order> orders =
        kind == CcdKind::edge_edge
            ? std::vector<Order>{{1, 0, 2, 3}, {0, 1, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}}
            : std::vector<Order>{{0, 1, 3, 2}, {0, 2, 3, 1}, {0, 3, 1, 2}};
    for (const Order& order : orders) {
      CcdQuery other{};
      for (std::size_t i = 0; i < 4; ++i) {
        other.before[i] = q.before[order[i]];
        other.after[i] = q.after[order[i]];
      }
      const CcdAnswer again = detect(kind, other);
      ASSERT_EQ(again.meets, answer.meets) << trial;
      // Roundings differ; if features graze each other, the time follows the root of the gap.
      ASSERT_NEAR(again.time, answer.time, 1e-7) << trial;
    }
  }
}

TEST(Ccd, ExactTranslationsMirrorsAndScalesChangeNoBit) {
  Random random(13);
  for (int trial = 0; trial < 3000; ++trial) {
    const CcdKind kind = both_kinds[trial % 2];
    // On a lattice, so that translated coordinates are exact.
    const CcdQuery q = changed(random.query(1, 2), [](Vec3& x) {
      for (double& c : x) c = std::round(c * 0x1p20) * 0x1p-20;
    });
    const CcdAnswer answer = detect(kind, q);
    const auto expect_same = [&](const CcdQuery& other) {
      const CcdAnswer again = detect(kind, other);
      ASSERT_EQ(again.meets, answer.meets) << trial;
      ASSERT_EQ(again.time, answer.time) << trial;
      ASSERT_EQ(again.directions, answer.directions) << trial;
    };
    expect_same(changed(q, [](Vec3& x) { x = {x[0] + 0x1p30, x[1] - 0x1p31, x[2] + 0x1p29}; }));
    expect_same(changed(q, [](Vec3& x) { x = {-x[0], -x[1], -x[2]}; }));
    // 2^-1050 leaves the lattice among the denormal numbers.
    for (const int exponent : {40, -40, 500, -500, 1000, 1021, -1000, -1050}) {
      expect_same(changed(q, [&](Vec3& x) {
        for (double& c : x) c = std::ldexp(c, exponent);
      }));
    }
  }
}

TEST(Ccd, InputThatIsNoNumberOrOverflowsMeetsAtOnce) {
  for (const CcdKind kind : both_kinds) {
    for (const double bad : {not_a_number, infinity, -infinity}) {
      for (std::size_t i = 0; i < 24; ++i) {
        CcdQuery query = falling(kind, 1, 2);
        (i < 12 ? query.before : query.after)[i % 12 / 3][i % 3] = bad;
        const CcdAnswer answer = detect(kind, query);
        EXPECT_TRUE(answer.meets);
        EXPECT_EQ(answer.time, 0);
      }
    }
    for (const double bad : {not_a_number, infinity, -1.0}) {
      EXPECT_EQ(detect(kind, falling(kind, 1, 2), {.separation = bad}).time, 0);
    }
    for (const double bad : {not_a_number, infinity, -0.1, 1.0}) {
      EXPECT_EQ(detect(kind, falling(kind, 1, 2), {.keep = bad}).time, 0);
    }
  }
}

TEST(Ccd, HugeAndTinyCoordinatesKeepTheirTimes) {
  for (const CcdKind kind : both_kinds) {
    for (const double size : {1.7e308, 1e150, 1e-150, 1e-300}) {
      const auto scaled = [&](double from, double to) {
        return changed(falling(kind, from, to), [&](Vec3& x) {
          for (double& c : x) c *= size;
        });
      };
      const CcdAnswer answer = detect(kind, scaled(1, -1));
      EXPECT_TRUE(answer.meets) << size;
      EXPECT_NEAR(answer.time, 0.5, 1e-14) << size;
      EXPECT_FALSE(detect(kind, scaled(1, 0.25)).meets) << size;
      EXPECT_TRUE(detect(kind, scaled(1, 0.25), {.separation = 0.25 * size}).meets) << size;
      EXPECT_FALSE(detect(kind, scaled(1, 0.25), {.separation = 0.2 * size}).meets) << size;
    }
    // Completely unrelated sizes, in every place.
    EXPECT_TRUE(detect(kind, falling(kind, 1e300, -1e300)).meets);
    EXPECT_FALSE(detect(kind, falling(kind, 1e100, 1e-100)).meets);
    EXPECT_TRUE(detect(kind, falling(kind, 1e-300, -1e-300)).meets);
    EXPECT_TRUE(detect(kind, falling(kind, 5e-324, 0)).meets);
  }
}

TEST(Ccd, AnyBitsGetAnAnswerWithinBoundedWork) {
  std::mt19937_64 random(14);
  const long before = num_allocations();
  for (int trial = 0; trial < 100000; ++trial) {
    CcdQuery q{};
    for (auto* points : {&q.before, &q.after}) {
      for (Vec3& x : *points) {
        for (double& c : x) {
          // Any finite or infinite number, with any exponent or one of a few, or one of the others
          // again.
          const std::uint64_t bits = random();
          const int exponent = static_cast<int>(bits >> 48 & 0x7ff);
          c = std::ldexp(static_cast<double>(bits & 0xfffff) - 0x80000,
                         trial % 4 == 0 ? exponent - 1100 : exponent % 8);
          if (bits >> 60 == 0) c = q.before[0][bits % 3];
        }
      }
    }
    for (const CcdKind kind : both_kinds) {
      const CcdAnswer answer = detect(kind, q, {.separation = trial % 3 == 0 ? 1e-3 : 0.0});
      ASSERT_LE(answer.directions, 134);
      ASSERT_TRUE(answer.time >= 0 && answer.time <= 1);
      ASSERT_TRUE(answer.meets || answer.time == 1);
    }
  }
  EXPECT_EQ(num_allocations(), before);
}

TEST(Ccd, ExactArithmeticConfirmsThatFeaturesAreApartUpToTheAnswer) {
  Random random(15);
  int proofs = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    const CcdKind kind = both_kinds[trial % 2];
    const CcdSettings settings{.separation = trial % 3 == 0 ? 0.05 : 0,
                               .keep = trial % 5 == 0 ? 0.1 : 0};
    const int exponent = trial % 7 == 0 ? -600 : 0;
    const CcdQuery q = changed(random.query(1, 2), [&](Vec3& x) {
      for (double& c : x) c = std::ldexp(c, exponent);
    });
    CcdProof proof;
    const CcdAnswer answer = detect(kind, q, settings, &proof);
    if (answer.time == 0) continue;
    ASSERT_TRUE(ExactCheck(kind, q, settings.separation).holds(proof, answer.time)) << trial;
    ++proofs;
  }
  EXPECT_GT(proofs, 5000);
}

TEST(Ccd, ExactArithmeticRefusesAFalseProof) {
  const CcdQuery q = falling(CcdKind::vertex_face, 1, -3);
  const ExactCheck check(CcdKind::vertex_face, q);
  CcdProof proof;
  const double time = detect(CcdKind::vertex_face, q, {}, &proof).time;
  EXPECT_TRUE(check.holds(proof, time));
  EXPECT_FALSE(check.holds(proof, 0.25));
  for (int i = 0; i < proof.count; ++i) {
    CcdProof::Piece& piece = proof.pieces[static_cast<std::size_t>(i)];
    if (piece.from == 0) piece.to = 0.25;
  }
  EXPECT_FALSE(check.holds(proof, 0.25));
  EXPECT_FALSE(ExactCheck(CcdKind::vertex_face, q, 1e-3).holds(proof, time));
  proof.count = 0;
  EXPECT_FALSE(check.holds(proof, 0));
}

TEST(Ccd, TheAnswerIsNotEarly) {
  Random random(16);
  int impacts = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    const CcdKind kind = both_kinds[trial % 2];
    const double separation = trial % 3 == 0 ? 0 : 0.05;
    const CcdQuery q = random.query(1, 2);
    const CcdAnswer answer = detect(kind, q, {.separation = separation});
    if (!answer.meets || answer.time == 0) continue;
    ++impacts;
    // Placed at rest where they meet, they are within rounding of the separation.
    CcdQuery here{};
    for (std::size_t i = 0; i < 4; ++i) here.before[i] = moved(q, i, answer.time);
    here.after = here.before;
    ASSERT_TRUE(detect(kind, here, {.separation = separation + 1e-13}).meets) << trial;
  }
  EXPECT_GT(impacts, 500);
}

TEST(Ccd, RoundedPositionsStayApartToo) {
  Random random(17);
  int impacts = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    const CcdKind kind = both_kinds[trial % 2];
    const double separation = trial % 3 == 0 ? 0 : 1e-3;
    // Far from the origin, where positions round much more than their differences.
    const CcdQuery q = changed(random.query(1, 2), [](Vec3& x) {
      x = {x[0] + 1e6, x[1] - 3e6, x[2] + 2e6};
    });
    const CcdAnswer answer = detect(kind, q, {.separation = separation, .rounded = true});
    if (!answer.meets || answer.time == 0) continue;
    ++impacts;
    for (const double share : {1.0, 0.999999, 0.7, 0.3}) {
      CcdQuery here{};
      for (std::size_t i = 0; i < 4; ++i) here.before[i] = moved(q, i, share * answer.time);
      here.after = here.before;
      CcdProof proof;
      ASSERT_FALSE(detect(kind, here, {.separation = separation}, &proof).meets) << trial;
      ASSERT_TRUE(ExactCheck(kind, here, separation).holds(proof, 1)) << trial;
    }
  }
  EXPECT_GT(impacts, 500);
}

TEST(Ccd, AShareOfTheGapIsKept) {
  for (const CcdKind kind : both_kinds) {
    const CcdAnswer answer = detect(kind, falling(kind, 1, -1), {.keep = 0.2});
    EXPECT_TRUE(answer.meets);
    EXPECT_NEAR(answer.time, 0.4, 1e-14);
    const CcdAnswer thick = detect(kind, falling(kind, 1, -1), {.separation = 0.5, .keep = 0.2});
    EXPECT_NEAR(thick.time, 0.2, 1e-14);
    EXPECT_TRUE(detect(kind, falling(kind, 1, 0.1), {.keep = 0.2}).meets);
    EXPECT_FALSE(detect(kind, falling(kind, 1, 0.3), {.keep = 0.2}).meets);
  }
}

}  // namespace
}  // namespace supple
