#include "base/background.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

namespace supple {
namespace {

TEST(Background, TheResultIsThatOfTheWorkOnAnotherThread) {
  Background<std::unique_ptr<std::thread::id>> background;
  EXPECT_FALSE(background.has_work());
  background.start([] { return std::make_unique<std::thread::id>(std::this_thread::get_id()); });
  EXPECT_TRUE(background.has_work());
  EXPECT_NE(*background.take(), std::this_thread::get_id());
  EXPECT_FALSE(background.has_work());
}

TEST(Background, WhatTheWorkThrowsComesWithTheResult) {
  Background<int> background;
  background.start([]() -> int { throw std::runtime_error("no"); });
  EXPECT_THROW(background.take(), std::runtime_error);
  EXPECT_FALSE(background.has_work());
}

TEST(Background, ReplacedOrDestroyedWorkIsWaitedFor) {
  std::atomic<int> done{0};
  const auto slow = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return ++done;
  };
  {
    Background<int> background;
    background.start(slow);
    background.start(slow);
    EXPECT_GE(done.load(), 1);
    Background<int> moved = std::move(background);
    background.start(slow);
    EXPECT_GE(moved.take(), 2);  // one of the two that are left
  }
  EXPECT_EQ(done.load(), 3);
}

}  // namespace
}  // namespace supple
