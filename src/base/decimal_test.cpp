#include "base/decimal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace supple {
namespace {

TEST(Decimal, NumbersAreReadToTheNearestDouble) {
  for (const auto& [text, expected] : {std::pair<const char*, double>{"0", 0.0},
                                       {"-1.5e3", -1500.0},
                                       {"0.1", 0.1},
                                       {".5", 0.5},
                                       {"5.", 5.0},
                                       {"1E-2", 0.01},
                                       {"2.2250738585072014e-308", 0x1p-1022},
                                       {"1.7976931348623157e308", 0x1.fffffffffffffp1023}}) {
    double value = -7;
    EXPECT_TRUE(read_decimal(text, value)) << text;
    EXPECT_EQ(value, expected) << text;
  }
}

TEST(Decimal, NamesOfWhatIsNotFiniteAreRead) {
  double value = 0;
  ASSERT_TRUE(read_decimal("-inf", value));
  EXPECT_EQ(value, -INFINITY);
  ASSERT_TRUE(read_decimal("nan", value));
  EXPECT_TRUE(std::isnan(value));
}

TEST(Decimal, WhatIsNotOneNumberIsRefused) {
  using namespace std::string_literals;
  for (const std::string& text :
       {""s,        "-"s,    "+1"s,  "--1"s,   "-+1"s,    " 1"s,    "1 "s,
        "1x"s,      "0x10"s, "1,5"s, "1.2.3"s, "e5"s,     "1e"s,    "abc"s,
        "infinit"s, "1\0"s,  "\t1"s, "1e400"s, "-1e400"s, "1e-400"s}) {
    double value = -7;
    EXPECT_FALSE(read_decimal(text, value)) << text;
    EXPECT_EQ(value, -7);
  }
}

TEST(Decimal, OnlyTheTextGivenIsRead) {
  double value = 0;
  ASSERT_TRUE(read_decimal(std::string_view("12345").substr(1, 2), value));
  EXPECT_EQ(value, 23);
}

}  // namespace
}  // namespace supple
