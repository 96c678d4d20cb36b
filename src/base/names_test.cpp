#include "base/names.h"

#include <gtest/gtest.h>

namespace supple {
namespace {

const std::vector<std::string> known = {"corotated", "neo_hookean", "stable_neo_hookean", "stvk"};

TEST(Names, AMisspeltNameFindsItsNeighbour) {
  EXPECT_EQ(nearest_name("neo_hookan", known), "neo_hookean");
  EXPECT_EQ(nearest_name("stkv", known), "stvk");  // neighbours swapped: one edit
  EXPECT_EQ(nearest_name("corotate", known), "corotated");
}

TEST(Names, AnUnrelatedNameFindsNone) {
  EXPECT_EQ(nearest_name("finite_difference", known), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'x'), known), "");
  // Within two edits, but with no letter in common.
  EXPECT_EQ(nearest_name("E", {"mu"}), "");
}

TEST(Names, TheMessageNamesWhatWouldHaveBeenRight) {
  EXPECT_EQ(unknown_name("material", "stvx", known),
            "there is no material 'stvx'; did you mean 'stvk'? Known: corotated, neo_hookean, "
            "stable_neo_hookean, stvk");
}

}  // namespace
}  // namespace supple
