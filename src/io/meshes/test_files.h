#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "supple/error.h"

/// Files for the tests of the readers.
namespace supple::testing {

/// A separate folder for each object, removed with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int count = 0;
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            ("supple_meshes_" + std::to_string(::getpid()) + "_" + std::to_string(count++) + "_" +
             test->name());
    std::filesystem::create_directories(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }

  std::filesystem::path write(const std::string& name, std::string_view bytes) const {
    std::ofstream stream(path_ / name, std::ios::binary);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    EXPECT_TRUE(stream.good());
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// The error that `call` throws; nothing if it throws none.
template <typename Call>
std::optional<Error> error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

/// The bytes of numbers in the given byte order.
template <typename T>
std::string bytes_of(const std::vector<T>& values, bool big_endian) {
  std::string result;
  for (const T& value : values) {
    std::string bytes(sizeof(T), '\0');
    std::memcpy(bytes.data(), &value, sizeof(T));
    if (big_endian != (std::endian::native == std::endian::big)) {
      bytes = std::string(bytes.rbegin(), bytes.rend());
    }
    result += bytes;
  }
  return result;
}

}  // namespace supple::testing
