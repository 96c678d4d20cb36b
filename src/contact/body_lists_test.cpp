#include "contact/body_lists.h"

#include <gtest/gtest.h>

#include <vector>

namespace supple {
namespace {

TEST(BodyLists, GiveWhatIsFiledUnderSelectedBodiesInItsOrder) {
  BodyLists lists(3, 8);
  for (const std::size_t body : {2, 0, 2, 1, 0}) lists.add(body);
  const auto selected = [&] {
    return std::vector<int>(lists.selected().begin(), lists.selected().end());
  };
  EXPECT_EQ(selected(), (std::vector<int>{0, 1, 2, 3, 4}));
  lists.select(std::vector<int>{0, 2, 9});
  EXPECT_EQ(selected(), (std::vector<int>{0, 1, 2, 4}));
  lists.add(2);
  EXPECT_EQ(selected(), (std::vector<int>{0, 1, 2, 4, 5}));
  lists.select(std::vector<int>{1});
  EXPECT_EQ(selected(), std::vector<int>{3});
  lists.clear();
  lists.select(std::vector<int>{0, 1, 2});
  EXPECT_TRUE(lists.selected().empty());
}

}  // namespace
}  // namespace supple
