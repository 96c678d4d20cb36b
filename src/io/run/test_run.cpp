#include "io/run/test_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace supple::test {

TestFolder::TestFolder() {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  path_ = std::filesystem::temp_directory_path() /
          ("supple_" + std::string(info->test_suite_name()) + "_" + info->name() + "_" +
           std::to_string(::getpid()));
  std::filesystem::remove_all(path_);
  std::filesystem::create_directories(path_);
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
  std::filesystem::remove_all(path_, ignored);
}

LoadedScene small_scene(const std::vector<Override>& overrides) {
  const char* const text = R"({
    "supple": 1,
    "time": { "frames": 12 },
    "bodies": [ { "mesh": { "box": { "cells": [2, 3, 3], "center": [0, 0.6, 0] } },
                  "material": { "model": "neo_hookean", "young": 1e5, "poisson": 0.4 },
                  "velocity": [0.5, -2, 0] } ],
    "colliders": [ { "plane": {} } ],
    "contact": { "friction": 0.2 }
  })";
  return parse_scene(text, "small.json", {}, overrides);
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string table_without_times(const std::filesystem::path& file) {
  std::istringstream table(bytes_of(file));
  std::string kept, line;
  while (std::getline(table, line)) {
    std::size_t begin = 0;
    for (int cell = 0; cell < 8; ++cell) begin = line.find(',', begin) + 1;
    kept += line.erase(begin, line.find(',', begin) + 1 - begin) + "\n";
  }
  return kept;
}

}  // namespace supple::test
