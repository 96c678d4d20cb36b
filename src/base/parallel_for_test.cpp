#include "base/parallel_for.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "supple/error.h"

namespace supple {
namespace {

TEST(Threads, EveryPieceRunsOnceAtAnyThreadCount) {
  for (int count : {1, 2, 3, 8}) {
    Threads threads(count);
    EXPECT_EQ(threads.count(), count);
    std::vector<std::atomic<int>> runs(1000);
    threads.parallel_for(1000, [&](int i) { runs[i].fetch_add(1); });
    for (const auto& run : runs) EXPECT_EQ(run.load(), 1);
  }
}

TEST(Threads, NoPieceIsNoCall) {
  Threads threads(2);
  std::atomic<int> calls{0};
  threads.parallel_for(0, [&](int) { calls.fetch_add(1); });
  EXPECT_EQ(calls.load(), 0);
}

TEST(Threads, ZeroMeansAllAndNonsenseIsRefused) {
  EXPECT_GE(Threads(0).count(), 1);
  EXPECT_THROW(Threads(-1), Error);
  EXPECT_THROW(Threads(1000000), Error);
}

}  // namespace
}  // namespace supple
