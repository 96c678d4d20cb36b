#include "base/on_demand.h"

#include <gtest/gtest.h>

#include <thread>
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

}  // namespace
}  // namespace supple
