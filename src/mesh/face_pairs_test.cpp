#include "mesh/face_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "supple/mesh.h"

namespace supple {
namespace {

using Tets = std::vector<std::array<int, 4>>;
using Pairs = std::vector<std::pair<int, int>>;

int num_shared(const std::array<int, 4>& a, const std::array<int, 4>& b) {
  return static_cast<int>(
      std::ranges::count_if(a, [&](int v) { return std::ranges::find(b, v) != b.end(); }));
}

/// Checks that every tet is in one pair, in order, and that pairs share a face. Counts lone tets.
int alone_in(const Pairs& pairs, const Tets& tets) {
  std::vector<int> seen(tets.size());
  int alone = 0, before = -1;
  for (const auto& [own, other] : pairs) {
    EXPECT_LT(before, own);
    before = own;
    ++seen[static_cast<std::size_t>(own)];
    if (other < 0) {
      ++alone;
      continue;
    }
    EXPECT_LT(own, other);
    ++seen[static_cast<std::size_t>(other)];
    EXPECT_GE(
        num_shared(tets[static_cast<std::size_t>(own)], tets[static_cast<std::size_t>(other)]), 3);
  }
  EXPECT_TRUE(std::ranges::all_of(seen, [](int count) { return count == 1; }));
  return alone;
}

TEST(FacePairs, OfNoTetAndOfOne) {
  EXPECT_TRUE(pair_by_faces(Tets{}).empty());
  EXPECT_EQ(pair_by_faces(Tets{{5, 2, 0, 1}}), (Pairs{{0, -1}}));
}

TEST(FacePairs, AskForAFaceAndNotForAnEdge) {
  // 0 and 2 share an edge, and 1 shares a face with each of them: one of the two stays alone.
  const Tets tets = {{0, 1, 2, 3}, {1, 2, 3, 4}, {3, 4, 2, 5}};
  EXPECT_EQ(alone_in(pair_by_faces(tets), tets), 1);
  EXPECT_EQ(pair_by_faces(Tets{{0, 1, 2, 3}, {3, 4, 2, 5}}), (Pairs{{0, -1}, {1, -1}}));
}

TEST(FacePairs, LeaveNobodyAloneWhereTheEndsHaveOneWay) {
  // A row of six tets, each with a face in common with the next, listed from its fourth on. Pairing
  // that one with the fifth would leave the last one alone, and the third, too.
  const Tets row = {{3, 4, 5, 6}, {4, 5, 6, 7}, {2, 3, 4, 5},
                    {1, 2, 3, 4}, {0, 1, 2, 3}, {5, 6, 7, 8}};
  EXPECT_EQ(alone_in(pair_by_faces(row), row), 0);
}

TEST(FacePairs, TakeTwoOfThreeAtOneFace) {
  const Tets fan = {{0, 1, 2, 3}, {0, 1, 2, 4}, {0, 1, 2, 5}};
  EXPECT_EQ(alone_in(pair_by_faces(fan), fan), 1);
  const Tets twice = {{0, 1, 2, 3}, {3, 2, 1, 0}};
  EXPECT_EQ(pair_by_faces(twice), (Pairs{{0, 1}}));
}

TEST(FacePairs, OfBodies) {
  for (const int per_cell : {5, 6}) {
    const TetMesh box = generate(BoxGenerator{.cells = {7, 8, 9}, .tets_per_cell = per_cell});
    const Pairs pairs = pair_by_faces(box.tets);
    EXPECT_LE(alone_in(pairs, box.tets), static_cast<int>(box.tets.size()) / 50);
    EXPECT_EQ(pair_by_faces(box.tets), pairs);
  }
  const TetMesh ball = generate(SphereGenerator{.cells = 10});
  EXPECT_LE(alone_in(pair_by_faces(ball.tets), ball.tets), static_cast<int>(ball.tets.size()) / 50);
}

}  // namespace
}  // namespace supple
