#include <gtest/gtest.h>

#include "program.h"

/// Levels of vectors (SUPPLE_SIMD) seen from outside.
namespace supple::test {
namespace {

TEST(Simd, AMisspeltLevelIsAnErrorThatNamesThem) {
  const Workplace place;
  place.write("block.json", falling_block);
  const Outcome outcome =
      run_after("export SUPPLE_SIMD=sse", place.path(), {"run", "block.json", "-o", "out"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("SUPPLE_SIMD: there is no level of vectors 'sse'"), std::string::npos)
      << outcome.err;
}

/// Methods that factorise no matrix use only the loops over elements and vector fields.
TEST(Simd, AllLevelsGiveTheSameBitsWhereNothingIsFactorised) {
  const Workplace place;
  place.write("block.json", falling_block);
  std::string skipped;
  for (const char* method : {"jacobi", "vertex_block_descent"}) {
    std::string expected;
    for (const char* level : {"baseline", "avx2", "avx512", ""}) {
      const std::string folder = std::string(method) + level;
      const Outcome outcome = run_after(
          std::string("export SUPPLE_SIMD=") + level, place.path(),
          {"run", "block.json", "-o", folder, "--set", "/solver/method=" + std::string(method)});
      if (outcome.code == 2 && outcome.err.find("SUPPLE_SIMD") != std::string::npos) {
        skipped += std::string(" ") + level;
        continue;
      }
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      const std::string positions = bytes_of(place / (folder + "/positions.npy"));
      if (expected.empty()) expected = positions;
      EXPECT_TRUE(positions == expected) << method << ", " << level;
    }
    EXPECT_FALSE(expected.empty());
  }
  if (!skipped.empty()) GTEST_SKIP() << "not on this processor or in this build:" << skipped;
}

}  // namespace
}  // namespace supple::test
