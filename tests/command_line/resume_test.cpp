#include <gtest/gtest.h>
#include <poll.h>

#include <cstdint>
#include <cstring>

#include "program.h"

/// What a run leaves behind when it is killed, and what becomes of it.
namespace supple::test {
namespace {

void expect_same_run(const std::filesystem::path& one, const std::filesystem::path& two) {
  // Without printing them where they differ.
  EXPECT_TRUE(bytes_of(one / "positions.npy") == bytes_of(two / "positions.npy"));
  EXPECT_TRUE(table_without_times(one / "frames.csv") == table_without_times(two / "frames.csv"));
}

/// The frame of a checkpoint: see io/run/checkpoint.h.
std::int64_t frame_of(const std::filesystem::path& checkpoint) {
  const std::string bytes = bytes_of(checkpoint);
  std::int64_t frame = -1;
  constexpr std::size_t place = 24;
  if (bytes.size() > place + sizeof(frame)) {
    std::memcpy(&frame, bytes.data() + place, sizeof(frame));
  }
  return frame;
}

/// Waits until the file is there; false after half a minute.
bool appears(const std::filesystem::path& file) {
  for (int i = 0; i < 30000; ++i) {
    if (std::filesystem::exists(file)) return true;
    ::poll(nullptr, 0, 1);  // sleeps a millisecond
  }
  return false;
}

TEST(Resume, AfterAKillEndsWithTheSameBits) {
  const Workplace place;
  place.write("block.json", falling_block);
  // So many frames that the kill comes long before the last one.
  const pid_t process = start(place.path(), {"run", "block.json", "--frames", "1000000", "-o",
                                             "killed", "--checkpoint", "3"});
  ASSERT_GT(process, 0);
  const bool started = appears(place / "killed/checkpoint.bin");
  kill_hard(process);
  ASSERT_TRUE(started);
  EXPECT_FALSE(std::filesystem::exists(place / "killed/positions.npy"));
  EXPECT_TRUE(std::filesystem::exists(place / "killed/positions.npy.part"));

  const std::int64_t frame = frame_of(place / "killed/checkpoint.bin");
  ASSERT_GE(frame, 3);
  const std::string frames = std::to_string(frame + 10);
  const Outcome resumed = run(place.path(), {"run", "block.json", "--frames", frames, "--resume",
                                             "killed/checkpoint.bin", "--threads", "2"});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  const Outcome whole =
      run(place.path(), {"run", "block.json", "--frames", frames, "-o", "whole", "--threads", "1"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  expect_same_run(place / "whole", place / "killed");
  EXPECT_FALSE(std::filesystem::exists(place / "killed/positions.npy.part"));
  EXPECT_FALSE(std::filesystem::exists(place / "killed/frames.csv.part"));
}

TEST(Resume, OfADamagedCheckpointEndsWithThree) {
  const Workplace place;
  place.write("block.json", falling_block);
  ASSERT_EQ(
      run(place.path(), {"run", "block.json", "-o", "out", "--frames", "4", "--checkpoint", "2"})
          .code,
      0);
  std::string bytes = bytes_of(place / "out/checkpoint.bin");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  place.write("damaged.bin", bytes);
  place.write("cut.bin", bytes.substr(0, bytes.size() / 2));
  for (const char* file : {"damaged.bin", "cut.bin"}) {
    const Outcome outcome = run(place.path(), {"run", "block.json", "-o", "out", "--resume", file});
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.err.find(std::string("supple: ") + file), std::string::npos) << outcome.err;
  }
  const Outcome other = run(place.path(), {"run", "block.json", "--resume", "out/checkpoint.bin",
                                           "--set", "/time/step=0.01"});
  EXPECT_EQ(other.code, 3);
  EXPECT_NE(other.err.find("another scene"), std::string::npos) << other.err;
}

TEST(Run, TheNumberOfThreadsDoesNotShow) {
  const Workplace place;
  place.write("block.json", falling_block);
  for (const char* threads : {"1", "2"}) {
    ASSERT_EQ(run(place.path(), {"run", "block.json", "-o", threads, "--threads", threads}).code,
              0);
  }
  expect_same_run(place / "1", place / "2");
}

}  // namespace
}  // namespace supple::test
