#include "base/on_demand.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

namespace supple {
namespace {

TEST(OnDemand, DerivesOnceForEachChangeHoweverManyThreadsAsk) {
  OnDemand guard;
  int derived = 0, seen[8] = {};
  for (int change = 1; change <= 50; ++change) {
    std::vector<std::thread> threads;
    for (int& value : seen) {
      threads.emplace_back([&] {
        guard.ensure([&] { ++derived; });
        value = derived;
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const int value : seen) EXPECT_EQ(value, change);
    guard.changed();
  }
}

TEST(Derived, IsMadeOnceAtTheFirstQuestion) {
  Derived<std::vector<int>> value;
  int made = 0;
  const auto ask = [&] { return value.get([&] { return std::vector<int>(3, ++made); }); };
  EXPECT_TRUE(value.value().empty());
  EXPECT_EQ(ask(), std::vector<int>(3, 1));
  EXPECT_EQ(ask(), std::vector<int>(3, 1));
  value.value()[0] = 7;
  EXPECT_EQ(ask()[0], 7);
  value.forget();
  EXPECT_TRUE(value.value().empty());
  EXPECT_EQ(ask(), std::vector<int>(3, 2));
}

TEST(Derived, GoesAlongWhereItIsMovedAndIsMadeAnewByCopies) {
  Derived<std::vector<int>> first;
  first.get([] { return std::vector<int>{1}; });
  Derived<std::vector<int>> copy = first, moved = std::move(first);
  EXPECT_EQ(copy.get([] { return std::vector<int>{2}; })[0], 2);
  EXPECT_EQ(moved.get([] { return std::vector<int>{3}; })[0], 1);
  moved = copy;
  EXPECT_EQ(moved.get([] { return std::vector<int>{4}; })[0], 4);
  moved = std::move(copy);
  EXPECT_EQ(moved.get([] { return std::vector<int>{5}; })[0], 2);
}

}  // namespace
}  // namespace supple
