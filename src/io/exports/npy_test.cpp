#include "io/exports/npy.h"

#include <gtest/gtest.h>

#include "io/exports/atomic_file.h"
#include "io/exports/test_motion.h"
#include "supple/error.h"

namespace supple {
namespace {

using namespace testing_exports;

constexpr int num_vertices = 5;

std::vector<double> frame_values(int frame) {
  std::vector<double> x;
  for (int v = 0; v < num_vertices; ++v) {
    for (int c = 0; c < 3; ++c) x.push_back(frame + v / 8.0 + c / 64.0);
  }
  return x;
}

void append_frames(NpyWriter& writer, int from, int to) {
  for (int frame = from; frame < to; ++frame) writer.append(frame_values(frame));
}

void write_frames(const fs::path& path, int count) {
  NpyWriter writer(path, num_vertices);
  append_frames(writer, 0, count);
  writer.finish();
}

void expect_frames(const fs::path& path, int count) {
  const NpyReader reader(path);
  ASSERT_EQ(reader.num_frames(), count);
  ASSERT_EQ(reader.num_vertices(), num_vertices);
  std::vector<double> x(3 * num_vertices);
  for (int frame = count - 1; frame >= 0; --frame) {
    reader.read_frame(frame, x);
    EXPECT_EQ(x, frame_values(frame));
  }
}

/// Replaces a part of a file's header, whose size stays 128.
std::string changed(const std::string& bytes, const std::string& from, const std::string& to) {
  std::string header = bytes.substr(0, 127);
  const std::size_t at = header.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  header.replace(at, from.size(), to);
  header.resize(127, ' ');
  return header + bytes.substr(127);
}

std::string message_of(const fs::path& path) {
  try {
    const NpyReader reader(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_file);
    EXPECT_EQ(error.where(), path.string());
    return error.message();
  }
  return "";
}

TEST(Npy, ReadsBackInAnyOrder) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "positions.npy";
  write_frames(path, 7);
  EXPECT_FALSE(fs::exists(part_name(path)));
  EXPECT_EQ(fs::file_size(path), 128U + 7 * num_vertices * 24);
  expect_frames(path, 7);
}

TEST(Npy, NumPyReadsIt) {
  if (!python_has("numpy")) GTEST_SKIP() << python << " with numpy is not installed";
  const TemporaryFolder folder;
  for (const int count : {0, 1, 12}) {
    const fs::path path = folder.path() / "positions.npy";
    write_frames(path, count);
    std::string output;
    EXPECT_EQ(run(python + " " + quoted(room_tests() / "check_npy.py") + " " + quoted(path) + " " +
                      std::to_string(count) + " " + std::to_string(num_vertices),
                  &output),
              0)
        << output;
  }
}

TEST(Npy, WhatNumPyWroteIsRead) {
  if (!python_has("numpy")) GTEST_SKIP() << python << " with numpy is not installed";
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a.npy";
  ASSERT_EQ(run(python + " -c \"import numpy; f, v, c = numpy.indices((4, 5, 3)); numpy.save(" +
                quoted(path) + ", f + v / 8 + c / 64)\""),
            0);
  expect_frames(path, 4);
}

TEST(Npy, APartIsResumedAfterAnyOfItsFrames) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "positions.npy";
  for (const int kept : {0, 3, 6}) {
    {
      NpyWriter writer(path, num_vertices);
      append_frames(writer, 0, 6);
      writer.sync();
    }
    EXPECT_TRUE(fs::exists(part_name(path)));
    // As after a kill: half a frame at the end.
    std::ofstream(part_name(path), std::ios::app | std::ios::binary) << "torn";
    NpyWriter writer = NpyWriter::resume(path, num_vertices, kept);
    EXPECT_EQ(writer.num_frames(), kept);
    append_frames(writer, kept, 9);
    writer.finish();
    expect_frames(path, 9);
    fs::remove(path);
  }
}

TEST(Npy, AFinishedFileIsResumedAndStaysUntilTheEnd) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "positions.npy";
  write_frames(path, 6);
  NpyWriter writer = NpyWriter::resume(path, num_vertices, 4);
  append_frames(writer, 4, 8);
  expect_frames(path, 6);
  writer.finish();
  expect_frames(path, 8);
}

TEST(Npy, ResumingNeedsEnoughFramesOfTheSameVertices) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "positions.npy";
  EXPECT_THROW(NpyWriter::resume(path, num_vertices, 0), Error);  // there is none
  {
    NpyWriter writer(path, num_vertices);
    append_frames(writer, 0, 3);
  }
  EXPECT_THROW(NpyWriter::resume(path, num_vertices, 4), Error);
  EXPECT_THROW(NpyWriter::resume(path, num_vertices, -1), Error);
  EXPECT_THROW(NpyWriter::resume(path, num_vertices + 1, 2), Error);
  EXPECT_NO_THROW(NpyWriter::resume(path, num_vertices, 3));
}

TEST(Npy, AnotherSizeIsRefused) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "positions.npy";
  NpyWriter writer(path, num_vertices);
  EXPECT_THROW(writer.append(std::vector<double>(14)), Error);
  append_frames(writer, 0, 2);
  writer.finish();
  const NpyReader reader(path);
  std::vector<double> x(15), wrong(12);
  EXPECT_THROW(reader.read_frame(0, wrong), Error);
  EXPECT_THROW(reader.read_frame(2, x), Error);
  EXPECT_THROW(reader.read_frame(-1, x), Error);
  EXPECT_THROW(NpyWriter(folder.path() / "missing" / "a.npy", 1), Error);
}

TEST(Npy, BrokenFilesAreErrorsThatSayWhy) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "positions.npy";
  write_frames(path, 2);
  const std::string good = content(path);
  const auto message = [&](const std::string& bytes) {
    const fs::path broken = folder.path() / "broken.npy";
    std::ofstream(broken, std::ios::binary) << bytes;
    return message_of(broken);
  };
  EXPECT_EQ(message(good), "");
  EXPECT_NE(message_of(folder.path() / "missing.npy").find("No such file"), std::string::npos);
  EXPECT_NE(message_of(folder.path()), "");  // a folder
  EXPECT_NE(message("").find("too short"), std::string::npos);
  EXPECT_NE(message("\x93NUMPX" + good.substr(6)).find("not a NumPy"), std::string::npos);
  EXPECT_NE(message(changed(good, "<f8", "<f4")).find("another type"), std::string::npos);
  EXPECT_NE(message(changed(good, "False", "True")).find("another order"), std::string::npos);
  EXPECT_NE(message(changed(good, "(2, 5, 3)", "(2, 15)")), "");
  EXPECT_NE(message(changed(good, "(2, 5, 3)", "(2, 3, 5)")).find("end in 3"), std::string::npos);
  EXPECT_NE(message(changed(good, "(2, 5, 3)", "(-2, 5, 3")), "");
  EXPECT_NE(message(changed(good, "(2, 5, 3)", "(3, 5, 3)")).find("expected 3 frames"),
            std::string::npos);
  EXPECT_NE(message(changed(good, "'descr'", "'other'")).find("unknown"), std::string::npos);
  EXPECT_NE(message(changed(good, "'shape': (2, 5, 3), }", "}")).find("no 'descr'"),
            std::string::npos);
  EXPECT_NE(message(changed(good, "(2, 5, 3), }", "(2, 5, 3), } x")), "");
  // Every shorter file, and a longer one.
  for (std::size_t n = 0; n < good.size(); ++n) EXPECT_NE(message(good.substr(0, n)), "") << n;
  EXPECT_NE(message(good + "x"), "");
  // A count whose size would overflow must not be believed.
  const std::string huge = changed(good, "(2, 5, 3)", "(9000000000000000000, 2000000000, 3)");
  EXPECT_NE(message(huge), "");
}

}  // namespace
}  // namespace supple
