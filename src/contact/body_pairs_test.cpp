// Planes between features of bodies, and ways that are shortened so that surfaces do not meet.
#include "contact/body_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "contact/ccd.h"
#include "contact/nearest_features.h"
#include "contact/test_meshes.h"
#include "math/vec3.h"
#include "math/vector_field.h"

namespace supple {
namespace {

using namespace vec3;

class Source {
 public:
  double number() { return random_() / 2147483648.0 - 1; }
  Vec3 place() { return {number(), number(), number()}; }

 private:
  std::mt19937 random_{17};
};

Vec3 mean_of(const std::array<double, 4>& weights, const std::array<Vec3, 4>& x) {
  Vec3 sum{0, 0, 0};
  for (std::size_t i = 0; i < 4; ++i) sum = sum + weights[i] * x[i];
  return sum;
}

/// Expects that no points of a grid on both features are nearer, and that the weights give the
/// nearest points.
void expect_nearest(const NearestPoints& found, const std::array<Vec3, 4>& x, bool is_edges) {
  const Vec3 between = mean_of(found.weights, x);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(between[k], found.between[k], 1e-14);
  EXPECT_NEAR(norm(between), found.distance, 1e-14);
  const std::size_t second = is_edges ? 2 : 1;
  double of_first = 0, of_second = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    (i < second ? of_first : of_second) += found.weights[i];
    EXPECT_GE(i < second ? found.weights[i] : -found.weights[i], 0);
  }
  EXPECT_NEAR(of_first, 1, 1e-14);
  EXPECT_NEAR(of_second, -1, 1e-14);
  constexpr int cells = 24;
  for (int i = 0; i <= cells; ++i) {
    for (int j = 0; j <= (is_edges ? cells : cells - i); ++j) {
      const double s = static_cast<double>(i) / cells, t = static_cast<double>(j) / cells;
      const std::array<double, 4> weights = is_edges ? std::array<double, 4>{1 - s, s, t - 1, -t}
                                                     : std::array<double, 4>{1, s + t - 1, -s, -t};
      EXPECT_LE(found.distance, norm(mean_of(weights, x)) + 1e-14);
    }
  }
}

TEST(NearestFeatures, AreNearerThanAllOtherPoints) {
  Source source;
  for (int trial = 0; trial < 400; ++trial) {
    std::array<Vec3, 4> x;
    for (Vec3& corner : x) corner = source.place();
    // Some are slivers, points or parallel edges.
    if (trial % 5 == 1) x[3] = x[2] + 1e-9 * source.place();
    if (trial % 5 == 2) x[3] = x[2] + (x[1] - x[0]);
    if (trial % 5 == 3) x[3] = x[2];
    expect_nearest(nearest_of_face(x), x, false);
    expect_nearest(nearest_of_edges(x), x, true);
  }
}

/// Two bodies of one triangle each.
struct Two {
  VectorField start, end;
  std::vector<BodyFeatures> bodies{{{{0, 1, 2}}, {}}, {{{3, 4, 5}}, {}}};
  SurfacePoints points{{}, {}, {}, 1000};
  Threads threads{1};

  explicit Two(const std::vector<Vec3>& x) {
    for (const Vec3& p : x) start.push_back({{p[0], p[1], p[2], 0}});
    end = start;
  }
  BodyPairs pairs(double layer) const {
    std::vector<Vec3> rest;
    for (const PaddedVector& p : start) rest.push_back({p[0], p[1], p[2]});
    return {bodies, {0, 0, 0, 1, 1, 1}, {layer, layer}, rest, PairSettings{}};
  }
  ContactWay way() const { return {start[0].v, end[0].v, 1}; }
};

TEST(BodyPairs, AVertexOverAFaceIsKeptOffByItsNormal) {
  // A tip points down at the middle of a face, 0.02 above it.
  Two two({{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}, {0, 0.02, 0}, {0.5, 1, 0.1}, {-0.5, 1, -0.1}});
  BodyPairs pairs = two.pairs(0.05);
  pairs.begin_step(1, 0);
  ASSERT_EQ(pairs.find(two.way(), false, two.points, two.threads), 1);
  const SurfaceContact& plane = two.points.points()[0];
  EXPECT_EQ(plane.collider, SurfaceContact::no_collider);
  ASSERT_EQ(plane.point.count, 4);
  const double sign = plane.point.weights[0] > 0 ? 1 : -1;
  EXPECT_NEAR(sign * plane.normal[1], 1, 1e-12);
  const Vec3 between = plane.point.position(two.start[0].v);
  EXPECT_NEAR(dot(between, plane.normal), 0.02, 1e-12);
  EXPECT_NEAR(dot(plane.surface, plane.normal), 0.05, 1e-12);
  // Now it is known.
  EXPECT_EQ(pairs.find(two.way(), false, two.points, two.threads), 0);
  pairs.begin_step(1, 0);
  two.points.clear();
  EXPECT_EQ(pairs.find(two.way(), false, two.points, two.threads), 1);
}

TEST(BodyPairs, LongerWaysThanBeforeMissNothing) {
  // The tip is held off the face if their common way sideways is at least half as long as the tip
  // is above the layer, which has a thickness of 0.05.
  const auto planes = [](double height, const std::vector<double>& ways, bool in_one_step) {
    Two two({{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}, {0, height, 0}, {0.5, 1, 0.1}, {-0.5, 1, -0.1}});
    BodyPairs pairs = two.pairs(0.05);
    std::vector<int> found;
    for (const double way : ways) {
      if (found.empty() || !in_one_step) pairs.begin_step(1, 0);
      for (std::size_t v = 0; v < two.start.size(); ++v) two.end[v][0] = two.start[v][0] + way;
      found.push_back(pairs.find(two.way(), false, two.points, two.threads));
    }
    return found;
  };
  // In later steps, and, where the ways' ends are near to those before, in one step.
  EXPECT_EQ(planes(0.14, {0, 0, 0.044, 0.046}, false), (std::vector{0, 0, 0, 1}));
  EXPECT_EQ(planes(0.085, {0.0125, 0.017, 0.018}, true), (std::vector{0, 0, 1}));
}

TEST(BodyPairs, WhatMeetsAgainHardensThePlaneOfThatDirection) {
  // The tip comes down through the face, or the face turns into it from the side.
  Two two({{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}, {0, 0.02, 0}, {0.5, 1, 0.1}, {-0.5, 1, -0.1}});
  const VectorField start = two.start;
  VectorField down = start, turned = start;
  for (std::size_t v = 3; v < 6; ++v) down[v][1] -= 0.1;
  turned[0] = {{0, -1, -1, 0}};
  turned[1] = {{0, 1, -1, 0}};
  turned[3][0] += 0.05;
  BodyPairs pairs = two.pairs(0.05);
  pairs.begin_step(1, 0);
  const auto factors = [&](const VectorField& end) {
    two.end = end;
    pairs.find(two.way(), true, two.points, two.threads);
    std::vector<double> found;  // of the tip and the face
    for (const SurfaceContact& plane : two.points.points()) {
      const bool has_tip = plane.point.vertices[0] == 3 || plane.point.vertices[3] == 3;
      if (plane.point.count == 4 && has_tip) found.push_back(plane.harder);
    }
    return found;
  };
  EXPECT_EQ(factors(start), (std::vector<double>{1}));
  EXPECT_EQ(factors(down), (std::vector<double>{4}));
  EXPECT_EQ(factors(turned), (std::vector<double>{4, 1}));
  EXPECT_EQ(factors(down), (std::vector<double>{16, 1}));
  EXPECT_EQ(factors(turned), (std::vector<double>{16, 4}));
}

TEST(BodyPairs, LayersGrowFromTheGapAtTheStart) {
  Two two({{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}, {0, 0.02, 0}, {0.5, 1, 0.1}, {-0.5, 1, -0.1}});
  BodyPairs pairs = two.pairs(0.05);
  pairs.start_apart(two.start[0].v);
  for (const auto& [time, layer] : {std::pair{0.0, 0.02}, {0.006, 0.025}, {0.1, 0.05}}) {
    pairs.begin_step(time, 0);
    two.points.clear();
    ASSERT_EQ(pairs.find(two.way(), false, two.points, two.threads), 1) << time;
    const SurfaceContact& plane = two.points.points()[0];
    EXPECT_NEAR(dot(plane.surface, plane.normal), layer, 1e-12) << time;
  }
}

TEST(BodyPairs, OfSharedNearestPointsOnePairStands) {
  // A fan of four faces with its tip up, and a vertex above the tip: expects one pair, not four.
  VectorField x;
  for (const Vec3& p : std::vector<Vec3>{{0, 0, 0},
                                         {1, -1, 0},
                                         {0, -1, 1},
                                         {-1, -1, 0},
                                         {0, -1, -1},
                                         {0, 0.02, 0},
                                         {0.3, 1, 0.2},
                                         {-0.3, 1, 0.4}}) {
    x.push_back({{p[0], p[1], p[2], 0}});
  }
  std::vector<BodyFeatures> bodies{{{{0, 1, 4}, {0, 2, 1}, {0, 3, 2}, {0, 4, 3}}, {}},
                                   {{{5, 6, 7}}, {}}};
  BodyPairs pairs(bodies, {0, 0, 0, 0, 0, 1, 1, 1}, {0.05, 0.05}, std::vector<Vec3>(8), {});
  SurfacePoints points({}, {}, {}, 100);
  Threads threads(1);
  pairs.begin_step(1, 0);
  EXPECT_EQ(pairs.find({x[0].v, x[0].v, 1}, false, points, threads), 1);
  EXPECT_EQ(points.points()[0].point.count, 2);
}

TEST(BodyPairs, FastFeaturesArePlannedForWhereTheyComeNear) {
  Two two({{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}, {0, 1, 0}, {0.5, 2, 0.1}, {-0.5, 2, -0.1}});
  for (std::size_t i = 3; i < 6; ++i) two.end[i][1] -= 50;
  BodyPairs pairs = two.pairs(0.05);
  pairs.begin_step(1, 0);
  ASSERT_GE(pairs.find(two.way(), false, two.points, two.threads), 1);
  bool is_held = false;
  for (const SurfaceContact& plane : two.points.points()) {
    const bool of_tip = plane.point.count == 4 && (plane.point.vertices[0] == 3);
    is_held = is_held || (of_tip && plane.normal[1] > 0.99);
  }
  EXPECT_TRUE(is_held);
}

/// Random triangles that move anywhere in a room of this half width: once their ways are shortened,
/// no two meet. Returns in how many trials any way was shortened.
int expect_no_meetings(int bodies, double room, double layer, int trials) {
  Source source;
  int shortened = 0;
  for (int trial = 0; trial < trials; ++trial) {
    VectorField start, end;
    std::vector<BodyFeatures> features;
    std::vector<int> body_of;
    for (int b = 0; b < bodies; ++b) {
      const Vec3 center = room * source.place(), way = 4.0 * source.place();
      for (int i = 0; i < 3; ++i) {
        const Vec3 p = center + source.place(), q = p + way + 0.5 * source.place();
        start.push_back({{p[0], p[1], p[2], 0}});
        end.push_back({{q[0], q[1], q[2], 0}});
        body_of.push_back(b);
      }
      features.push_back({{{3 * b, 3 * b + 1, 3 * b + 2}}, {}});
    }
    const auto count = static_cast<std::size_t>(bodies);
    BodyPairs pairs(features, body_of, std::vector<double>(count, layer),
                    std::vector<Vec3>(3 * count), {});
    Threads threads(1);
    pairs.find_overlaps(start[0].v);
    pairs.begin_step(1, 0);
    std::vector<double> shares;
    if (pairs.find_shares({start[0].v, end[0].v, 1}, shares, threads)) ++shortened;
    for (std::size_t i = 0; i < start.size(); ++i) {
      const double share = shares[static_cast<std::size_t>(body_of[i])];
      EXPECT_GE(share, 0);
      EXPECT_LE(share, 1);
      for (int k = 0; k < 3; ++k) end[i][k] = start[i][k] + share * (end[i][k] - start[i][k]);
    }
    const auto corners = [](const VectorField& x, const std::array<int, 4>& v) {
      std::array<Vec3, 4> places;
      for (std::size_t i = 0; i < 4; ++i) {
        const PaddedVector& p = x[static_cast<std::size_t>(v[i])];
        places[i] = {p[0], p[1], p[2]};
      }
      return places;
    };
    const auto& known = pairs.overlaps();
    for (int a = 0; a < bodies; ++a) {
      for (int b = 0; b < bodies; ++b) {
        const BodyPairs::Overlap pair(std::min(a, b), std::max(a, b));
        if (a == b || std::find(known.begin(), known.end(), pair) != known.end()) continue;
        for (int i = 0; i < 3; ++i) {
          const std::array<int, 4> face{3 * a + i, 3 * b, 3 * b + 1, 3 * b + 2};
          EXPECT_FALSE(vertex_face_ccd(corners(start, face), corners(end, face)).meets);
          for (int j = 0; j < 3; ++j) {
            const std::array<int, 4> edges{3 * a + i, 3 * a + (i + 1) % 3, 3 * b + j,
                                           3 * b + (j + 1) % 3};
            EXPECT_FALSE(edge_edge_ccd(corners(start, edges), corners(end, edges)).meets);
          }
        }
      }
    }
  }
  return shortened;
}

TEST(BodyPairs, ShortenedWaysNeverMeet) { EXPECT_GT(expect_no_meetings(12, 3, 0.01, 60), 40); }

/// Each is within the layers of all others: there are more pairs per vertex than are kept, until
/// the spare beyond the layers is least.
TEST(BodyPairs, ManyWithinEachOthersLayersNeverMeet) {
  EXPECT_EQ(expect_no_meetings(60, 10, 10, 4), 4);
}

TEST(BodyPairs, OverlapsAreFoundWhateverPierces) {
  // A face with the edge of another one through its middle, and with one beside it.
  for (const double aside : {0.0, 5.0}) {
    Two two({{-1, 0, -1}, {1, 0, -1}, {0, 0, 1}, {aside, -1, 0}, {aside, 1, 0}, {aside, 0.5, 9}});
    BodyPairs pairs = two.pairs(0.01);
    pairs.find_overlaps(two.start[0].v);
    EXPECT_EQ(pairs.overlaps().size(), aside == 0 ? 1u : 0u);
    if (aside != 0) continue;
    EXPECT_EQ(pairs.overlaps()[0], BodyPairs::Overlap(0, 1));
    pairs.begin_step(1, 0);
    EXPECT_EQ(pairs.find(two.way(), false, two.points, two.threads), 0);
    for (std::size_t i = 3; i < 6; ++i) two.start[i][0] += 5;
    pairs.look_at_overlaps(two.start[0].v);
    EXPECT_TRUE(pairs.overlaps().empty());
  }
}

TEST(BodyPairs, FacesThatTouchAtTheStartArePushedApart) {
  Two two({{-1, 0, -1}, {0, 0, 1}, {1, 0, -1}, {-1, 0, -1}, {1, 0, -1}, {0, 0, 1}});
  BodyPairs pairs = two.pairs(0.01);
  pairs.start_apart(two.start[0].v);
  for (std::size_t i = 0; i < 3; ++i) {
    // The first faces up, the second down: each gives way inwards, to an eighth of the layer.
    EXPECT_LT(two.start[i][1], -0.9 * 0.01 / 16);
    EXPECT_GT(two.start[3 + i][1], 0.9 * 0.01 / 16);
    EXPECT_LT(std::abs(two.start[i][1]), 0.01 / 4);
  }
  pairs.find_overlaps(two.start[0].v);
  EXPECT_TRUE(pairs.overlaps().empty());
}

/// Spheres of 1 m, one per body.
struct Spheres {
  VectorField x;
  std::vector<BodyFeatures> bodies;
  std::vector<int> body_of;
  std::vector<Vec3> rest;

  explicit Spheres(const std::vector<Vec3>& centers) {
    const TriangleMesh mesh = test_meshes::sphere(2);
    for (const Vec3& center : centers) {
      const int first = static_cast<int>(x.size());
      for (const Vec3& p : mesh.vertices) {
        rest.push_back(p + center);
        x.push_back({{rest.back()[0], rest.back()[1], rest.back()[2], 0}});
        body_of.push_back(static_cast<int>(bodies.size()));
      }
      BodyFeatures& own = bodies.emplace_back();
      for (const auto& [a, b, c] : mesh.triangles) {
        own.triangles.push_back({first + a, first + b, first + c});
      }
    }
  }
  BodyPairs pairs(double layer) const {
    return {bodies, body_of, std::vector<double>(bodies.size(), layer), rest, PairSettings{}};
  }
};

/// Bodies that no round could part stay to the bit, and what is beside them is parted all the same.
TEST(BodyPairs, BodiesThatOverlapInEarnestStayWhereTheyStart) {
  // Three in one place, one that overlaps them by half, and one that touches that one at a point.
  Spheres spheres({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {3, 0, 0}});
  const VectorField given = spheres.x;
  BodyPairs pairs = spheres.pairs(0.006);
  pairs.start_apart(spheres.x[0].v);
  const std::vector<BodyPairs::Overlap> expected = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  EXPECT_EQ(pairs.overlaps(), expected);
  double moved = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      if (spheres.body_of[i] < 3) {
        EXPECT_EQ(spheres.x[i][k], given[i][k]);
      }
      moved = std::max(moved, std::abs(spheres.x[i][k] - given[i][k]));
    }
  }
  EXPECT_GT(moved, 0.9 * 0.006 / 16);
  EXPECT_LT(moved, 0.006);
  pairs.find_overlaps(spheres.x[0].v);
  EXPECT_EQ(pairs.overlaps(), expected) << "the other two are apart";
}

}  // namespace
}  // namespace supple
