#include "io/meshes/cursor.h"

#include <gtest/gtest.h>

#include <bit>
#include <clocale>
#include <limits>
#include <string>

#include "io/meshes/test_files.h"

namespace supple {
namespace {

using testing::error_of;

TEST(Cursor, ReadsWordsAndNumbers) {
  const Source source("  one\t+2 -3.5e2\r\n 4 ", "a.txt");
  Cursor cursor(source);
  EXPECT_EQ(cursor.peek(), "one");
  EXPECT_EQ(cursor.word("word"), "one");
  EXPECT_EQ(cursor.integer("number"), 2);
  EXPECT_EQ(cursor.real("number"), -350);
  EXPECT_TRUE(cursor.at_line_end());
  EXPECT_EQ(cursor.integer("number"), 4);
  EXPECT_TRUE(cursor.at_end());
  EXPECT_EQ(cursor.peek(), "");
}

TEST(Cursor, CountsLinesOfEveryKind) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    std::string text;
    for (const char* word : {"1", "2", "", "x"}) text.append(word).append(end);
    const Source source(text, "a.txt");
    Cursor cursor(source);
    cursor.integer("number");
    cursor.integer("number");
    const auto error = error_of([&] { cursor.integer("number"); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->where(), "a.txt:4");
    EXPECT_EQ(error->message(), "expected a whole number (number), found 'x'");
  }
}

TEST(Cursor, TellsBytesOfBinaryFiles) {
  Source source(std::string_view("\0\0\0\1\0\0", 6), "a.bin");
  source.tell_bytes();
  Cursor cursor(source);
  cursor.set_swapped(std::endian::native == std::endian::little);
  EXPECT_EQ(cursor.raw_integer(Scalar::int32, "number"), 1);
  const auto error = error_of([&] { cursor.raw_integer(Scalar::int32, "the second number"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->where(), "a.bin: byte 4");
  EXPECT_EQ(error->message(), "the file ends within the second number");
}

TEST(Cursor, SkipsCommentsAndTheByteOrderMark) {
  const Source source("\xEF\xBB\xBF# first\n1 # second 5\n2#third", "a.txt");
  Cursor cursor(source, {'#', false});
  EXPECT_EQ(cursor.integer("number"), 1);
  EXPECT_TRUE(cursor.at_line_end());
  EXPECT_EQ(cursor.integer("number"), 2);
  EXPECT_TRUE(cursor.at_end());
}

TEST(Cursor, JoinsContinuedLines) {
  const Source source("1 \\\n 2\\\r\n3\n4", "a.txt");
  Cursor cursor(source, {'#', true});
  for (int number = 1; number <= 3; ++number) {
    EXPECT_FALSE(cursor.at_line_end());
    EXPECT_EQ(cursor.integer("number"), number);
  }
  EXPECT_TRUE(cursor.at_line_end());
  cursor.rest_of_line();
  EXPECT_EQ(cursor.rest_of_line(), "4");
}

TEST(Cursor, RefusesWhatIsNoFiniteNumber) {
  for (const char* text : {"nan", "inf", "-inf", "infinity", "1e999", "0x10", "1.5x", "--1", "+-1",
                           "+", "1,5", "1e", "."}) {
    const Source source(text, "a.txt");
    Cursor cursor(source);
    EXPECT_TRUE(error_of([&] { cursor.real("number"); })) << text;
  }
  for (const char* text : {"1.5", "99999999999999999999", "1e3", "", "abc", "-"}) {
    const Source source(text, "a.txt");
    Cursor cursor(source);
    EXPECT_TRUE(error_of([&] { cursor.integer("number"); })) << text;
  }
}

TEST(Cursor, RefusesCountsThatTheFileCannotHold) {
  const Source source("3 0 0 0", "a.txt");
  Cursor cursor(source);
  // Three things of two bytes fit, the last without its blank; four do not.
  EXPECT_EQ(cursor.count("things", 2), 3U);
  const Source large("4 0 0 0", "a.txt");
  Cursor other(large);
  const auto error = error_of([&] { other.count("number of things", 2); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message(), "number of things is 4, but only 6 bytes follow");
}

TEST(Cursor, DoesNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") == nullptr) {
    GTEST_SKIP() << "the locale de_DE.UTF-8 is not installed";
  }
  const Source source("1.5", "a.txt");
  Cursor cursor(source);
  const double value = cursor.real("number");
  std::setlocale(LC_NUMERIC, before.c_str());
  EXPECT_EQ(value, 1.5);
}

TEST(Scalar, NumbersOfEveryTypeAndOrderAreRead) {
  for (const bool big : {false, true}) {
    const bool swapped = big != (std::endian::native == std::endian::big);
    const auto expect = [&](const auto value, Scalar type) {
      const std::string bytes = testing::bytes_of(std::vector{value}, big);
      EXPECT_EQ(bytes.size(), size_of(type));
      EXPECT_EQ(real_at(bytes.data(), type, swapped), static_cast<double>(value));
      if (is_integer(type)) {
        EXPECT_EQ(integer_at(bytes.data(), type, swapped), static_cast<std::int64_t>(value));
      }
    };
    expect(std::int8_t{-3}, Scalar::int8);
    expect(std::uint8_t{200}, Scalar::uint8);
    expect(std::int16_t{-300}, Scalar::int16);
    expect(std::uint16_t{60000}, Scalar::uint16);
    expect(std::int32_t{-70000}, Scalar::int32);
    expect(std::uint32_t{4000000000U}, Scalar::uint32);
    expect(std::int64_t{-5000000000}, Scalar::int64);
    expect(std::uint64_t{5000000000U}, Scalar::uint64);
    expect(1.5F, Scalar::float32);
    expect(-2.25, Scalar::float64);
  }
}

TEST(Scalar, AnUnsignedNumberBeyondTheRangeBecomesTheLargest) {
  const std::string bytes(8, '\xFF');
  EXPECT_EQ(integer_at(bytes.data(), Scalar::uint64, false),
            std::numeric_limits<std::int64_t>::max());
}

TEST(Source, QuotesAreShortAndPrintable) {
  EXPECT_EQ(in_quotes(std::string_view("a\0\x80z", 4)), "'a??z'");
  EXPECT_EQ(in_quotes(std::string(50, 'x')), "'" + std::string(40, 'x') + "...'");
}

}  // namespace
}  // namespace supple
