#include "io/run/frame_values.h"

#include <gtest/gtest.h>

#include "io/run/test_run.h"
#include "supple/error.h"
#include "supple/simulation.h"

namespace supple::test {
namespace {

std::vector<MultiplierStress> numbered(double first) {
  std::vector<MultiplierStress> stresses(5);
  for (std::size_t t = 0; t < stresses.size(); ++t) {
    const double v = first + 10 * static_cast<double>(t);
    stresses[t] = {v, {v + 1, v + 2, v + 3, v + 4, v + 5, v + 6}};
  }
  return stresses;
}

void expect_equal(const std::vector<MultiplierStress>& found,
                  const std::vector<MultiplierStress>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t t = 0; t < found.size(); ++t) {
    EXPECT_EQ(found[t].hydrostatic, expected[t].hydrostatic);
    EXPECT_EQ(found[t].deviatoric, expected[t].deviatoric);
  }
}

TEST(FrameValues, GivesBackTheFramesThatItTook) {
  const TestFolder folder;
  FrameValues<MultiplierStress> file(folder / "stresses.part", 4, 5);
  EXPECT_FALSE(file.has_any());
  file.append(numbered(0.1));
  file.append({});
  file.append(numbered(1e9));
  EXPECT_TRUE(file.has_any());
  expect_equal(file.read(6), numbered(1e9));
  expect_equal(file.read(4), numbered(0.1));
  for (const int none : {0, 3, 5, 7}) EXPECT_TRUE(file.read(none).empty()) << none;
}

TEST(FrameValues, HasNoNameThatCouldStay) {
  const TestFolder folder;
  FrameValues<MultiplierStress> file(folder / "stresses.part", 1, 5);
  file.append(numbered(1));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FrameValues, TakesNoOtherNumberAndNeedsAFolder) {
  const TestFolder folder;
  FrameValues<MultiplierStress> file(folder / "stresses.part", 1, 4);
  EXPECT_THROW(file.append(numbered(1)), Error);
  EXPECT_THROW(FrameValues<MultiplierStress>(folder / "none" / "stresses.part", 1, 4), Error);
}

}  // namespace
}  // namespace supple::test
