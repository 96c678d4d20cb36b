#include "io/meshes/heights.h"

#include <gtest/gtest.h>

#include <string>

#include "io/meshes/test_files.h"

namespace supple {
namespace {

std::string place_of(const std::string& text) {
  try {
    parse_heights(text, "hills.txt");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_file);
    return error.where();
  }
  return "nothing";
}

TEST(Heights, AreReadRowByRow) {
  const HeightGrid grid = parse_heights("# metres\n1 2.5, -3\n\n4;5e-1\t6 # the last\n", "a");
  EXPECT_EQ(grid.nx, 3);
  EXPECT_EQ(grid.nz, 2);
  EXPECT_EQ(grid.heights, (std::vector<double>{1, 2.5, -3, 4, 0.5, 6}));
}

TEST(Heights, WrongTextsAreRefusedWithTheirLine) {
  EXPECT_EQ(place_of("1 2\n3 4\n"), "nothing");
  EXPECT_EQ(place_of("1 2\n3 x\n"), "hills.txt:2");
  EXPECT_EQ(place_of("1 2\n\n3 nan\n"), "hills.txt:3");
  EXPECT_EQ(place_of("1 2\n3 inf\n"), "hills.txt:2");
  EXPECT_EQ(place_of("1 2\n3 4\n5 6 7\n").substr(0, 10), "hills.txt:");
  EXPECT_EQ(place_of("1 2\n3\n").substr(0, 10), "hills.txt:");
  EXPECT_EQ(place_of("1 2 3\n"), "hills.txt");
  EXPECT_EQ(place_of("1\n2\n3\n"), "hills.txt");
  EXPECT_EQ(place_of(""), "hills.txt");
  EXPECT_EQ(place_of("# nothing\n"), "hills.txt");
}

TEST(Heights, ThereAreAtMostAMillion) {
  std::string row;
  for (int i = 0; i < 1025; ++i) row += "0 ";
  std::string text;
  for (int j = 0; j < 1024; ++j) text += row + "\n";
  EXPECT_EQ(place_of(text), "hills.txt:1024");
}

}  // namespace
}  // namespace supple
