#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "io/exports/exports.h"
#include "io/exports/formats.h"
#include "io/exports/test_motion.h"
#include "io/exports/video_encoder.h"
#include "supple/error.h"

namespace supple {
namespace {

using namespace testing_exports;

TEST(Video, Mp4HasTheFramesAndTheSize) {
  if (!has_program("ffmpeg") || !has_program("ffprobe")) {
    GTEST_SKIP() << "the programs ffmpeg and ffprobe are not installed";
  }
  const TemporaryFolder folder;
  const Scene scene = test_scene();
  ExportOptions options;
  options.video_width = 96;
  options.video_height = 54;
  export_frames("mp4", test_motion(scene, 5), folder.path(), options);
  std::string output;
  ASSERT_EQ(run("ffprobe -v error -count_frames -select_streams v:0 -show_entries "
                "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames -of json " +
                    quoted(folder.path() / "animation.mp4"),
                &output),
            0)
      << output;
  const auto stream = nlohmann::json::parse(output)["streams"][0];
  EXPECT_EQ(stream["codec_name"], "h264");
  EXPECT_EQ(stream["pix_fmt"], "yuv420p");
  EXPECT_EQ(stream["width"], 96);
  EXPECT_EQ(stream["height"], 54);
  EXPECT_EQ(stream["r_frame_rate"], "25/1");
  EXPECT_EQ(stream["nb_read_frames"], "5");
  EXPECT_FALSE(fs::exists(folder.path() / "animation.mp4.part"));
}

/// Puts a folder before everything on PATH, or in place of it.
class PathGuard {
 public:
  explicit PathGuard(const fs::path& folder) : old_(std::getenv("PATH")) {
    setenv("PATH", folder.c_str(), 1);
  }
  ~PathGuard() { setenv("PATH", old_.c_str(), 1); }
  PathGuard(const PathGuard&) = delete;
  PathGuard& operator=(const PathGuard&) = delete;

 private:
  std::string old_;
};

std::string video_error(const fs::path& folder) {
  const Scene scene = test_scene();
  const FrameSource source = test_motion(scene, 12);
  ExportOptions options;
  options.video_width = 320;  // more than a pipe holds
  options.video_height = 180;
  try {
    export_frames("mp4", source, folder, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_file);
    EXPECT_TRUE(error.where().ends_with("animation.mp4"));
    return error.message();
  }
  return "";
}

TEST(Video, AMissingFfmpegIsAClearError) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "empty");
  const PathGuard guard(folder.path() / "empty");
  EXPECT_NE(video_error(folder.path()).find("ffmpeg is not on PATH"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder.path() / "animation.mp4.part"));
}

TEST(Video, AFailingFfmpegIsAnErrorWithItsWords) {
  const TemporaryFolder folder;
  const fs::path bin = folder.path() / "bin";
  fs::create_directory(bin);
  const auto install = [&](const std::string& script) {
    std::ofstream(bin / "ffmpeg") << "#!/bin/sh\n" << script;
    fs::permissions(bin / "ffmpeg", fs::perms::owner_all);
  };
  const PathGuard guard(bin);
  install("echo no such encoder >&2; exit 3");
  const std::string early = video_error(folder.path());
  EXPECT_NE(early.find("no such encoder"), std::string::npos) << early;
  install("/bin/cat >/dev/null; echo late words >&2; exit 4");
  const std::string late = video_error(folder.path());
  EXPECT_NE(late.find("failed with code 4: late words"), std::string::npos) << late;
  EXPECT_FALSE(fs::exists(folder.path() / "animation.mp4"));
  EXPECT_FALSE(fs::exists(folder.path() / "animation.mp4.part"));
}

TEST(Video, AGivenUpVideoLeavesNothing) {
  if (!has_program("ffmpeg")) GTEST_SKIP() << "the program ffmpeg is not installed";
  const TemporaryFolder folder;
  {
    VideoEncoder encoder(folder.path() / "a.mp4", 16, 16, 25);
    encoder.add(Image(16, 16));
    EXPECT_THROW(encoder.add(Image(16, 18)), Error);
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);  // no process is left either
  EXPECT_EQ(errno, ECHILD);
  EXPECT_THROW(VideoEncoder(folder.path() / "a.mp4", 15, 16, 25), Error);
  EXPECT_THROW(VideoEncoder(folder.path() / "missing" / "a.mp4", 16, 16, 25), Error);
}

TEST(VideoTiming, IsRealTimeUpToSixtyFramesASecond) {
  const auto expect = [](int frames, double step, int stride, int shown, double rate) {
    const VideoTiming timing = video_timing(frames, step);
    EXPECT_EQ(timing.stride, stride);
    EXPECT_EQ(timing.num_frames, shown);
    EXPECT_NEAR(timing.frames_per_second, rate, 1e-9);
  };
  expect(121, 1.0 / 30, 1, 121, 30);
  expect(121, 1.0 / 60, 1, 121, 60);
  expect(1200, 1.0 / 240, 4, 300, 60);
  expect(1000, 0.01, 2, 500, 50);
  expect(120, 1e-6, 2, 60, 60);  // slow motion rather than nothing
  expect(5, 1e-3, 1, 5, 60);
  expect(1, 10, 1, 1, 1);
  expect(1000000, 1e-300, 16666, 61, 60);
}

}  // namespace
}  // namespace supple
