#include "studies/reproduce/claim.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace supple::reproduce {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Claim, TheBoundAloneDecides) {
  EXPECT_EQ(judge({"q", Relation::below, 1}, 0.999), Verdict::holds);
  EXPECT_EQ(judge({"q", Relation::below, 1}, 1), Verdict::does_not_hold);
  EXPECT_EQ(judge({"q", Relation::at_most, 1}, 1), Verdict::holds);
  EXPECT_EQ(judge({"q", Relation::at_most, 1}, 1.001), Verdict::does_not_hold);
  EXPECT_EQ(judge({"q", Relation::above, 10}, 10.5), Verdict::holds);
  EXPECT_EQ(judge({"q", Relation::above, 10}, 10), Verdict::does_not_hold);
  EXPECT_EQ(judge({"q", Relation::at_least, 10}, 10), Verdict::holds);
  EXPECT_EQ(judge({"q", Relation::at_least, 10}, 9.99), Verdict::does_not_hold);
}

TEST(Claim, InfinityIsANumberAndNotANumberIsNone) {
  EXPECT_EQ(judge({"q", Relation::below, 1}, infinity), Verdict::does_not_hold);
  EXPECT_EQ(judge({"q", Relation::above, 1}, infinity), Verdict::holds);
  EXPECT_EQ(judge({"q", Relation::below, 1}, std::nan("")), Verdict::not_measured);
  EXPECT_EQ(judge({"q", Relation::above, 1}, std::nan("")), Verdict::not_measured);
}

TEST(Claim, HoldsWhereItHoldsOnEveryBodyThatWasMeasured) {
  Claim claim{"a claim", {"ratio", Relation::below, 1}, {}};
  EXPECT_EQ(claim.verdict(), Verdict::not_measured);
  claim.not_measured("first", "no mesh");
  EXPECT_EQ(claim.verdict(), Verdict::not_measured);
  claim.measure("second", 0.5, "1 to 2");
  EXPECT_EQ(claim.verdict(), Verdict::holds);
  claim.measure("third", 2, "2 to 1");
  EXPECT_EQ(claim.verdict(), Verdict::does_not_hold);
  ASSERT_EQ(claim.outcomes.size(), 3U);
  EXPECT_EQ(claim.outcomes[0].measured, "no mesh");
  EXPECT_EQ(claim.outcomes[1].verdict, Verdict::holds);
}

TEST(Claim, ACriterionReadsAsASentence) {
  EXPECT_EQ(to_string(Criterion{"error of a over b", Relation::at_most, 1.5}),
            "error of a over b <= 1.5");
  EXPECT_EQ(to_string(Criterion{"drift", Relation::below, 1e-9}), "drift < 1.0e-09");
}

TEST(Claim, NumbersAreShort) {
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(0.12345), "0.123");
  EXPECT_EQ(number(1.234e-7), "1.2e-07");
  EXPECT_EQ(number(-45.678), "-45.7");
  EXPECT_EQ(number(infinity), "infinite");
  EXPECT_EQ(number(std::nan("")), "not a number");
}

}  // namespace
}  // namespace supple::reproduce
