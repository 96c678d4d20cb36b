#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "program.h"

/// What a run leaves behind when it is killed or interrupted, and how it resumes.
namespace supple::test {
namespace {

void expect_same_run(const std::filesystem::path& one, const std::filesystem::path& two) {
  // EXPECT_TRUE, so that differing contents are not printed.
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

/// Waits until the file exists; false after half a minute.
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

/// Waits until a run's table has rows; false after half a minute.
bool has_rows(const std::filesystem::path& table) {
  for (int i = 0; i < 30000; ++i) {
    std::ifstream stream(table);
    std::string head, row;
    if (std::getline(stream, head) && std::getline(stream, row) && !stream.eof()) return true;
    ::poll(nullptr, 0, 1);
  }
  return false;
}

TEST(Resume, AnInterruptedRunIsWholeAndGoesOnToTheSameBits) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const Workplace place;
    place.write("block.json", falling_block);
    const std::vector<std::string> command{"run", "block.json", "-o", "out", "--export", "pc2"};
    std::vector<std::string> long_run = command;
    long_run.insert(long_run.end(), {"--frames", "1000000"});
    const pid_t process = start_writing(place.path(), long_run, place / "said");
    ASSERT_GT(process, 0);
    const bool started = has_rows(place / "out/frames.csv.part");
    EXPECT_EQ(end_by(process, signal), 128 + signal);
    ASSERT_TRUE(started);

    const std::int64_t frame = frame_of(place / "out/checkpoint.bin");
    ASSERT_GE(frame, 1);
    const auto report = nlohmann::json::parse(bytes_of(place / "out/run.json"));
    EXPECT_EQ(report["totals"]["status"], "interrupted");
    EXPECT_EQ(report["totals"]["frames"], frame);
    const std::string table = bytes_of(place / "out/frames.csv");
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), frame + 1);
    // Each frame has 48 vertices of three doubles; the header is a multiple of 64 bytes.
    EXPECT_EQ(bytes_of(place / "out/positions.npy").size() % 1152,
              bytes_of(place / "out/positions.npy").size() - (frame + 1) * 1152);
    EXPECT_NE(bytes_of(place / "out/positions.npy").find(std::to_string(frame + 1) + ", 48, 3)"),
              std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(place / "out/pc2"));
    const std::string said = bytes_of(place / "said");
    EXPECT_NE(said.find("with --resume out/checkpoint.bin continues"), std::string::npos) << said;

    std::vector<std::string> rest = command;
    const std::string frames = std::to_string(frame + 10);
    rest.insert(rest.end(), {"--frames", frames, "--resume", "out/checkpoint.bin"});
    const Outcome resumed = run(place.path(), rest);
    ASSERT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_TRUE(std::filesystem::exists(place / "out/pc2"));
    const Outcome whole =
        run(place.path(), {"run", "block.json", "--frames", frames, "-o", "whole"});
    ASSERT_EQ(whole.code, 0) << whole.err;
    expect_same_run(place / "whole", place / "out");
  }
}

TEST(Resume, ASecondSignalEndsARunAtOnce) {
  const Workplace place;
  place.write("block.json", falling_block);
  // Its first frame takes a minute.
  const pid_t process =
      start(place.path(), {"run", "block.json", "-o", "out", "--set", "/time/substeps=100000",
                           "--set", "/bodies/0/initial={\"stretch\": [2, 1, 1]}"});
  ASSERT_GT(process, 0);
  const bool started = appears(place / "out/frames.csv.part");
  ::poll(nullptr, 0, 200);
  ::kill(process, SIGINT);
  ::poll(nullptr, 0, 200);
  EXPECT_EQ(::kill(process, 0), 0) << "the first signal waits for the frame";
  EXPECT_EQ(end_by(process, SIGTERM), 128 + SIGTERM);
  EXPECT_TRUE(started);
  EXPECT_FALSE(std::filesystem::exists(place / "out/positions.npy"));
}

TEST(Resume, WhatIsIgnoredFromTheStartStaysIgnored) {
  const Workplace place;
  place.write("block.json", falling_block);
  const Outcome outcome = run_after("trap '' INT; (sleep 0.1; kill -INT $$) & :", place.path(),
                                    {"run", "block.json", "-o", "out", "--frames", "2000"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
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
