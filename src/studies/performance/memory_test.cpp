#include "studies/performance/memory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace supple::bench {
namespace {

constexpr double megabyte = 1e6;

/// The system counts pages in lumps of about 100 kB per thread.
constexpr double lumps = 4 * megabyte;

std::shared_ptr<std::vector<char>> filled(double bytes) {
  return std::make_shared<std::vector<char>>(static_cast<std::size_t>(bytes), 'x');
}

TEST(Memory, WhatIsAliveIsCounted) {
  const Memory memory = memory_of([] { return filled(64 * megabyte); });
  if (std::isnan(memory.held)) GTEST_SKIP() << "the system does not say";
  EXPECT_NEAR(memory.held, 64 * megabyte, lumps);
}

TEST(Memory, WhatWasFreedOnTheWayShowsInThePeakAlone) {
  const Memory memory = memory_of([] {
    const auto gone = filled(96 * megabyte);
    return filled((*gone)[0] == 'x' ? 32 * megabyte : 0);
  });
  if (std::isnan(memory.held)) GTEST_SKIP() << "the system does not say";
  EXPECT_NEAR(memory.held, 32 * megabyte, lumps);
  if (!std::isnan(memory.peak)) {
    EXPECT_NEAR(memory.peak, 128 * megabyte, lumps);
  }
}

TEST(Memory, ManySmallPiecesFreedBeforeAreNotTakenForNew) {
  std::vector<std::unique_ptr<std::vector<char>>> pieces;
  for (int i = 0; i < 4000; ++i) pieces.push_back(std::make_unique<std::vector<char>>(8000, 'x'));
  pieces.clear();
  const Memory memory = memory_of([] { return filled(16 * megabyte); });
  if (std::isnan(memory.held)) GTEST_SKIP() << "the system does not say";
  EXPECT_NEAR(memory.held, 16 * megabyte, lumps);
}

}  // namespace
}  // namespace supple::bench
