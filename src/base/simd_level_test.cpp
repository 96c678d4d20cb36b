#include "base/simd_level.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "supple/error.h"
#include "supple/simd.h"

namespace supple {
namespace {

std::string message_for(const std::string& name) {
  try {
    simd_level_of_name(name);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(SimdLevel, TheFirstIsAlwaysThereAndTheRestAscend) {
  const std::vector<SimdLevel> levels = usable_simd_levels();
  ASSERT_FALSE(levels.empty());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(levels[i]), i);
  }
}

TEST(SimdLevel, EveryUsableOneIsFoundByItsName) {
  for (const SimdLevel level : usable_simd_levels()) {
    EXPECT_EQ(simd_level_of_name(simd_level_name(level)), level);
  }
}

TEST(SimdLevel, WithoutAWishItIsTheWidest) {
  EXPECT_EQ(simd_level_of_name(""), usable_simd_levels().back());
}

TEST(SimdLevel, TheOneInUseIsThatOfTheEnvironment) {
  const char* const wish = std::getenv("SUPPLE_SIMD");
  EXPECT_EQ(simd_level_in_use(), simd_level_of_name(wish == nullptr ? "" : wish));
  EXPECT_EQ(simd_level(), simd_level_name(simd_level_in_use()));
}

TEST(SimdLevel, AMisspeltOneIsAnErrorThatNamesThePossibleOnes) {
  const std::string message = message_for("avx-2");
  EXPECT_TRUE(message.starts_with("SUPPLE_SIMD: there is no level of vectors 'avx-2'")) << message;
  EXPECT_NE(message.find(simd_level_name(SimdLevel::baseline)), std::string::npos) << message;
}

TEST(SimdLevel, OneThatTheProcessorLacksIsAnErrorThatNamesThoseItHas) {
#ifdef SUPPLE_SIMD_LEVELS
  if (usable_simd_levels().size() == 3) GTEST_SKIP() << "this processor has all levels";
  const std::string message = message_for("avx512");
  EXPECT_TRUE(message.starts_with("SUPPLE_SIMD: this processor has no 'avx512'; it has: baseline"))
      << message;
#else
  GTEST_SKIP() << "compiled for one level";
#endif
}

}  // namespace
}  // namespace supple
