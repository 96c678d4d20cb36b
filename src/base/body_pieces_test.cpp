#include "base/body_pieces.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace supple {
namespace {

TEST(BodyPieces, OfSelectedBodiesAreDoneAndSummed) {
  const std::vector<int> items{0, 10, 10, 13};  // of three bodies
  std::vector<PieceRange> ranges;
  BodyPieces pieces = cut_into_pieces(
      items, [](int count) { return count > 5 ? 4 : 2; }, ranges);
  ASSERT_EQ(pieces.count(), 5);
  EXPECT_EQ(ranges[2].first, 8);
  EXPECT_EQ(ranges[2].last, 10);
  EXPECT_EQ(ranges[3].first, 10);
  EXPECT_EQ(ranges[4].last, 13);
  EXPECT_EQ(pieces.selected().size(), 5u);
  const std::vector<double> energy{1, 2, 4, 8, 16};
  Threads threads(2);
  const auto done = [&] {
    std::vector<int> count(5, 0);
    pieces.parallel_for(threads, [&](int piece) { ++count[static_cast<std::size_t>(piece)]; });
    return count;
  };
  EXPECT_EQ(pieces.sum(energy), 31);
  pieces.select(std::vector<int>{1, 2});
  EXPECT_EQ(pieces.sum(energy), 24);
  EXPECT_EQ(done(), (std::vector<int>{0, 0, 0, 1, 1}));
  // Unknown bodies have none.
  pieces.select(std::vector<int>{0, 7});
  EXPECT_EQ(pieces.sum(energy), 7);
  EXPECT_EQ(done(), (std::vector<int>{1, 1, 1, 0, 0}));
}

}  // namespace
}  // namespace supple
