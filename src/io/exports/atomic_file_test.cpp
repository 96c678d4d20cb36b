#include "io/exports/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "io/exports/test_motion.h"
#include "supple/error.h"

namespace supple {
namespace {

using namespace testing_exports;

TEST(AtomicFile, AppearsWhenCommitted) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a.txt";
  write_file(path, "old");
  AtomicFile file(path);
  file.write("new ");
  file.write_value(std::uint16_t{0x4241});
  EXPECT_EQ(content(path), "old");
  EXPECT_TRUE(fs::exists(part_name(path)));
  EXPECT_EQ(file.size(), 6U);
  file.commit();
  EXPECT_EQ(content(path), "new AB");
  EXPECT_FALSE(fs::exists(part_name(path)));
}

TEST(AtomicFile, LeavesTheOldFileWhenItIsGivenUp) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a.txt";
  write_file(path, "old");
  {
    AtomicFile file(path);
    file.write("half");
  }
  EXPECT_EQ(content(path), "old");
  EXPECT_FALSE(fs::exists(part_name(path)));
}

TEST(AtomicFile, KeepsLargeContentInOrder) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "large";
  std::string expected;
  AtomicFile file(path);
  for (int i = 0; i < 40; ++i) {
    // Sizes below, about and above the buffer.
    const std::string block(static_cast<std::size_t>(1) << (i % 20),
                            static_cast<char>('a' + i % 26));
    file.write(block);
    expected += block;
  }
  file.commit();
  EXPECT_EQ(content(path), expected);
}

TEST(AtomicFile, SaysWhatCannotBeWritten) {
  const TemporaryFolder folder;
  try {
    AtomicFile file(folder.path() / "missing" / "a.txt");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_file);
    EXPECT_TRUE(error.where().ends_with("missing/a.txt")) << error.where();
    EXPECT_EQ(error.message(), "cannot be written: No such file or directory");
  }
  fs::create_directories(folder.path() / "taken" / "inside");
  EXPECT_THROW(write_file(folder.path() / "taken", "x"), Error);
  EXPECT_FALSE(fs::exists(folder.path() / "taken.part"));
  write_file(folder.path() / "file", "x");
  EXPECT_THROW(make_folder(folder.path() / "file" / "sub"), Error);
}

TEST(AtomicFile, AFullDiskIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  const int file = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  const std::string text(100, 'x');
  EXPECT_THROW(write_all(file, std::as_bytes(std::span(text)), "full"), Error);
  ::close(file);
}

}  // namespace
}  // namespace supple
