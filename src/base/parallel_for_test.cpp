#include "base/parallel_for.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "supple/error.h"

#ifdef __linux__
#include <sys/wait.h>
#include <unistd.h>
#endif

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

TEST(Threads, MoreCallersThanThereIsRoomForGetTheirWorkDone) {
  Threads threads(3);
  std::atomic<int> calls{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 40; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        threads.parallel_for(7, [&](int) {
          ++calls;
          std::this_thread::yield();
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(calls.load(), 40 * 20 * 7);
}

TEST(Threads, CallsInsideCallsAreDoneHoweverDeep) {
  Threads threads(4);
  std::atomic<int> calls{0};
  // Deeper than the number of calls that can be in progress at the same time.
  const auto bring = [&](const auto& self, int depth) -> void {
    ++calls;
    if (depth < 20) {
      threads.parallel_for(depth < 4 ? 3 : 2, [&](int i) {
        if (i == 0 || depth < 4) self(self, depth + 1);
      });
    }
  };
  bring(bring, 0);
  // 3^d calls at depth d up to 4, then one below each: 1 + 3 + 9 + 27 + 81 * 17.
  EXPECT_EQ(calls.load(), 1 + 3 + 9 + 27 + 81 * 17);
}

TEST(Threads, TinyRegionsOneAfterTheOtherComeToAnEnd) {
  for (const int count : {2, 3, 16}) {
    Threads threads(count);
    std::vector<int> runs(3, 0);
    const int rounds = count == 2 ? 100000 : 5000;
    for (int round = 0; round < rounds; ++round) {
      threads.parallel_for(3, [&](int i) { ++runs[static_cast<std::size_t>(i)]; });
    }
    // No lock protects them: what one region wrote, the next one reads.
    EXPECT_EQ(runs, std::vector<int>(3, rounds));
  }
}

TEST(Threads, APieceThatSleepsIsWaitedFor) {
  Threads threads(2);
  for (int slow = 0; slow < 4; ++slow) {
    std::vector<int> done(4, 0);
    threads.parallel_for(4, [&](int i) {
      if (i == slow) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      done[static_cast<std::size_t>(i)] = 1;
    });
    EXPECT_EQ(done, std::vector<int>(4, 1));
  }
}

TEST(Threads, WorkersThatWentToSleepComeBack) {
  Threads threads(2);
  ASSERT_EQ(threads.count(), 2);
  // The two pieces wait for each other, so no thread can do both alone.
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    std::atomic<int> begun{0};
    threads.parallel_for(2, [&](int) {
      ++begun;
      while (begun.load() < 2) std::this_thread::yield();
    });
    EXPECT_EQ(begun.load(), 2);
  }
}

#if defined(__SSE2__) || defined(__aarch64__)
TEST(Threads, EveryPieceRoundsAsItsCaller) {
  Threads threads(2);
  ASSERT_EQ(threads.count(), 2);
  volatile double one = 1, three = 3;
  const double nearest = one / three;
  for (const int mode : {FE_UPWARD, FE_TONEAREST}) {
    std::fesetround(mode);
    const double third = one / three;
    std::atomic<int> begun{0};
    double found[2] = {};
    threads.parallel_for(2, [&](int i) {
      ++begun;
      while (begun.load() < 2) std::this_thread::yield();
      found[i] = one / three;
    });
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(third > nearest, mode == FE_UPWARD);
    EXPECT_EQ(found[0], third);
    EXPECT_EQ(found[1], third);
  }
}
#endif

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

/// The place of the error that reaches the caller if every sixteenth of 64 pieces throws its
/// number, from 5 on.
std::string place_of_fault(Threads& threads) {
  try {
    threads.parallel_for(64, [&](int i) {
      if (i % 16 == 5) throw Error(ErrorKind::invalid_input, std::to_string(i), "sixteenth");
    });
  } catch (const Error& error) {
    return error.where();
  }
  return {};
}

TEST(Threads, OfSeveralFaultsTheFirstPiecesReachesTheCaller) {
  for (const int count : {1, 2, 5}) {
    Threads threads(count);
    for (int round = 0; round < 200; ++round) {
      EXPECT_EQ(place_of_fault(threads), "5");
    }
  }
}

#ifdef __linux__
TEST(Threads, AForkedChildDoesItsWorkAloneAndEnds) {
  Threads threads(3);
  std::atomic<int> calls{0};
  const auto count = [&](int) { ++calls; };
  threads.parallel_for(10, count);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);  // ends a child that hangs, which is detected below
    for (int round = 0; round < 100; ++round) threads.parallel_for(10, count);
    std::exit(calls.load() == 1010 ? 7 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  threads.parallel_for(10, count);
  EXPECT_EQ(calls.load(), 20);
}
#endif

/// Two very different hosts: tasks run in a different order, or on different threads.
class Backwards : public TaskSystem {
 public:
  void run(int count, void (*task)(void*, int), void* context) override {
    most = std::max(most, count);
    for (int i = count - 1; i >= 0; --i) task(context, i);
  }
  int most = 0;
};
class AThreadForEach : public TaskSystem {
 public:
  void run(int count, void (*task)(void*, int), void* context) override {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back(task, context, i);
    for (std::thread& thread : threads) thread.join();
  }
};

TEST(Threads, AHostsTasksRunEveryPieceOnce) {
  Backwards backwards;
  AThreadForEach each;
  for (TaskSystem* const tasks :
       {static_cast<TaskSystem*>(&backwards), static_cast<TaskSystem*>(&each)}) {
    for (const int count : {1, 2, 3, 64}) {
      Threads threads(count, tasks);
      EXPECT_EQ(threads.count(), count);
      for (const int n : {0, 1, 2, 1000}) {
        std::vector<std::atomic<int>> runs(static_cast<std::size_t>(n));
        threads.parallel_for(n, [&](int i) { runs[static_cast<std::size_t>(i)].fetch_add(1); });
        for (const auto& run : runs) EXPECT_EQ(run.load(), 1);
      }
    }
  }
  EXPECT_EQ(backwards.most, 32) << "as the header says, however many threads are asked for";
}

TEST(Threads, WhatAPieceThrowsOnAHostsThreadReachesTheCaller) {
  AThreadForEach each;
  Threads threads(4, &each);
  EXPECT_EQ(place_of_fault(threads), "5");
}

#if defined(__SSE2__) || defined(__aarch64__)
TEST(Threads, AHostsThreadRoundsAsTheCallerAndThenAsBefore) {
  volatile double one = 1, three = 3;
  const double nearest = one / three;
  double found[2] = {};
  // The tasks run on this thread, whose mode the host may have changed.
  class Host : public Backwards {
   public:
    void run(int count, void (*task)(void*, int), void* context) override {
      std::fesetround(FE_UPWARD);
      Backwards::run(count, task, context);
      mode_after = std::fegetround();
      std::fesetround(FE_TONEAREST);
    }
    int mode_after = 0;
  } host;
  Threads(2, &host).parallel_for(2, [&](int i) { found[i] = one / three; });
  EXPECT_EQ(found[0], nearest);
  EXPECT_EQ(found[1], nearest);
  EXPECT_EQ(host.mode_after, FE_UPWARD);
}
#endif

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
