#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/run/run_scene.h"

/// Helpers shared by the tests of this room.
namespace supple::test {

/// An empty folder for one test, removed at the end.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// A block of 90 tets that falls on a plane.
LoadedScene small_scene(const std::vector<Override>& overrides = {});

/// All bytes of a file; fails the test if it cannot be read.
std::string bytes_of(const std::filesystem::path& file);

/// frames.csv without its ninth column, the time that each frame took.
std::string table_without_times(const std::filesystem::path& file);

}  // namespace supple::test
