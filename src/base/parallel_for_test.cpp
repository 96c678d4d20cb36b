#include "base/parallel_for.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
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

TEST(Threads, SeveralThreadsMayBringWorkThatBringsWork) {
  std::atomic<int> calls{0};
  const auto bring = [&] {
    Threads threads(3);
    for (int round = 0; round < 50; ++round) {
      threads.parallel_for(4, [&](int) { threads.parallel_for(5, [&](int) { ++calls; }); });
    }
  };
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) callers.emplace_back(bring);
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(calls.load(), 3 * 50 * 4 * 5);
}

TEST(Threads, WhatAPieceThrowsReachesTheCaller) {
  Threads threads(3);
  const auto fail = [](int i) {
    if (i == 7) throw Error(ErrorKind::invalid_input, "piece", "seven");
  };
  EXPECT_THROW(threads.parallel_for(100, fail), Error);
  std::atomic<int> calls{0};
  threads.parallel_for(100, [&](int) { ++calls; });
  EXPECT_EQ(calls.load(), 100);
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
