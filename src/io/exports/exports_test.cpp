#include "io/exports/exports.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/exports/formats.h"
#include "io/exports/frame_files.h"
#include "io/exports/pictures.h"
#include "io/exports/test_motion.h"
#include "io/exports/video_encoder.h"
#include "supple/error.h"

// Every format is read back by a program that is not ours.

namespace supple {
namespace {

using namespace testing_exports;

constexpr int num_frames = 5;

struct Exported {
  TemporaryFolder folder;
  Scene scene = test_scene();
  FrameSource source = test_motion(scene, num_frames);
  fs::path positions_file = folder.path() / "positions.npy";

  explicit Exported(const std::string& kind) {
    write_positions(source, positions_file);
    if (kind == "vtu") source.measure = measures();
    ExportOptions options;
    options.video_width = 96;
    options.video_height = 54;
    export_frames(kind, source, folder.path() / "out", options);
  }
  fs::path out() const { return folder.path() / "out"; }

  /// Numbers that tell tets and frames apart; the frame is known by the swelling of the ball.
  std::function<ElementMeasures(std::span<const double>)> measures() const {
    const auto last = static_cast<std::size_t>(3 * source.num_vertices - 3);
    const double rest = source.rest[last];
    const std::size_t count = source.bodies[0].tets.size() + source.bodies[1].tets.size();
    return [last, rest, count](std::span<const double> x) {
      const double frame = std::round((x[last] / rest - 1) / 0.05);
      ElementMeasures m;
      for (std::size_t i = 0; i < count; ++i) {
        const auto t = static_cast<double>(i);
        m.determinant.push_back(1 + t / 1000 + frame);
        m.von_mises.push_back(10 * t + frame);
        m.stretches.push_back({3 + t / 1000, 2 + t / 1000, 1 + t / 1000});
      }
      return m;
    };
  }
};

/// Corners of the triangles of each body's surface.
std::vector<std::vector<Vec3>> expected_corners(const FrameSource& source, int frame) {
  const std::vector<double> x = positions(source, frame);
  std::vector<std::vector<Vec3>> corners;
  for (const FrameBody& body : source.bodies) {
    std::vector<Vec3>& list = corners.emplace_back();
    for (const auto& t : body.triangles) {
      for (const int v : t) {
        const double* p = &x[3 * static_cast<std::size_t>(body.first_vertex + v)];
        list.push_back({p[0], p[1], p[2]});
      }
    }
  }
  return corners;
}

/// Numbers between the end of a tag and the next tag, from `at` on, which moves behind them.
std::vector<double> numbers_after(const std::string& text, const std::string& tag,
                                  std::size_t& at) {
  at = text.find(tag, at);
  if (at == std::string::npos) return {};
  at = text.find('>', at) + 1;
  std::istringstream stream(text.substr(at, text.find('<', at) - at));
  std::vector<double> values;
  for (double v = 0; stream >> v;) values.push_back(v);
  return values;
}

/// Corners of the triangles of each mesh as the program assimp reads them.
std::vector<std::vector<Vec3>> read_by_assimp(const fs::path& file) {
  const fs::path dump = file.parent_path() / "dump.assxml";
  std::string output;
  EXPECT_EQ(run("assimp dump " + quoted(file) + " " + quoted(dump), &output), 0) << output;
  const std::string text = content(dump);
  std::vector<std::vector<Vec3>> meshes;
  for (std::size_t mesh = text.find("<Mesh "); mesh != std::string::npos;
       mesh = text.find("<Mesh ", mesh + 1)) {
    const std::size_t end = text.find("</Mesh>", mesh);
    std::vector<std::size_t> indices;
    std::size_t at = mesh;
    for (;;) {
      const std::size_t next = text.find("<Face num=\"3\"", at);
      if (next == std::string::npos || next > end) break;
      at = next;
      for (const double v : numbers_after(text, "<Face ", at)) {
        indices.push_back(static_cast<std::size_t>(v));
      }
    }
    at = mesh;
    const std::vector<double> points = numbers_after(text, "<Positions", at);
    std::vector<Vec3>& corners = meshes.emplace_back();
    for (const std::size_t i : indices) {
      EXPECT_LT(3 * i + 2, points.size());
      if (3 * i + 2 < points.size()) {
        corners.push_back({points[3 * i], points[3 * i + 1], points[3 * i + 2]});
      }
    }
  }
  return meshes;
}

void expect_equal(const std::vector<std::vector<Vec3>>& read,
                  const std::vector<std::vector<Vec3>>& expected) {
  ASSERT_EQ(read.size(), expected.size());
  for (std::size_t m = 0; m < read.size(); ++m) {
    ASSERT_EQ(read[m].size(), expected[m].size());
    ASSERT_FALSE(read[m].empty());
    for (std::size_t i = 0; i < read[m].size(); ++i) {
      for (std::size_t d = 0; d < 3; ++d) {
        // assimp prints six places of a number of single precision, here up to 3.
        ASSERT_NEAR(read[m][i][d], expected[m][i][d], 1e-6);
      }
    }
  }
}

std::string surface_arguments(const FrameSource& source, const char* separator, std::size_t body) {
  return fmt::format("{}", fmt::join(body_surfaces(source, "test")[body].vertices, separator));
}

bool has_program(const char* name) { return run(std::string("command -v ") + name) == 0; }

TEST(Exports, ObjIsReadByAssimp) {
  if (!has_program("assimp")) GTEST_SKIP() << "the program assimp is not installed";
  const Exported e("obj");
  for (const int frame : {0, num_frames - 1}) {
    const fs::path file = e.out() / "obj" / fmt::format("frame_{:04}.obj", frame);
    expect_equal(read_by_assimp(file), expected_corners(e.source, frame));
  }
}

TEST(Exports, PlyIsReadByAssimp) {
  if (!has_program("assimp")) GTEST_SKIP() << "the program assimp is not installed";
  const Exported e("ply");
  for (const int frame : {0, num_frames - 1}) {
    const fs::path file = e.out() / "ply" / fmt::format("frame_{:04}.ply", frame);
    auto expected = expected_corners(e.source, frame);
    expected[0].insert(expected[0].end(), expected[1].begin(), expected[1].end());
    expected.pop_back();  // one mesh
    expect_equal(read_by_assimp(file), expected);
  }
}

TEST(Exports, GltfIsReadByAssimp) {
  if (!has_program("assimp")) GTEST_SKIP() << "the program assimp is not installed";
  const Exported e("gltf");
  expect_equal(read_by_assimp(e.out() / "animation.gltf"), expected_corners(e.source, 0));
  std::string info;
  EXPECT_EQ(run("assimp info " + quoted(e.out() / "animation.gltf"), &info), 0);
  EXPECT_NE(info.find("Animations:         1"), std::string::npos) << info;
}

TEST(Exports, GltfPlaysTheMotion) {
  if (!python_has("numpy")) GTEST_SKIP() << python << " with numpy is not installed";
  const Exported e("gltf");
  std::string output;
  EXPECT_EQ(
      run(fmt::format("{} {} {} {} {} 1 {} {}", python, quoted(room_tests() / "check_gltf.py"),
                      quoted(e.out()), quoted(e.positions_file), e.source.frame_step,
                      surface_arguments(e.source, ",", 0), surface_arguments(e.source, ",", 1)),
          &output),
      0)
      << output;
  EXPECT_TRUE(output.starts_with("ok 5 frames")) << output;
}

TEST(Exports, GltfThinsALongMotionOut) {
  if (!python_has("numpy")) GTEST_SKIP() << python << " with numpy is not installed";
  const TemporaryFolder folder;
  Scene scene = test_scene();
  for (Body& body : scene.bodies) body.mesh = generate(TetrahedronGenerator{});
  const FrameSource source = test_motion(scene, max_gltf_frames + 5);
  write_positions(source, folder.path() / "positions.npy");
  export_frames("gltf", source, folder.path());
  std::string output;
  EXPECT_EQ(run(fmt::format("{} {} {} {} {} 2 {} {}", python,
                            quoted(room_tests() / "check_gltf.py"), quoted(folder.path()),
                            quoted(folder.path() / "positions.npy"), source.frame_step,
                            surface_arguments(source, ",", 0), surface_arguments(source, ",", 1)),
                &output),
            0)
      << output;
}

TEST(Exports, VtuAndPvdAreReadByVtk) {
  if (!python_has("vtk")) GTEST_SKIP() << python << " with vtk is not installed";
  const Exported e("vtu");
  const auto& bodies = e.source.bodies;
  std::string output;
  EXPECT_EQ(
      run(fmt::format("{} {} {} {} {} {} {} {}", python, quoted(room_tests() / "check_vtu.py"),
                      quoted(e.out()), quoted(e.positions_file), e.source.frame_step,
                      bodies[0].tets.size() + bodies[1].tets.size(), bodies[0].tets.size(),
                      bodies[1].first_vertex),
          &output),
      0)
      << output;
  EXPECT_EQ(output, "ok 5 frames\n");
}

TEST(Exports, Pc2MatchesItsRestObj) {
  if (!python_has("numpy")) GTEST_SKIP() << python << " with numpy is not installed";
  const Exported e("pc2");
  const fs::path rest = e.folder.path() / "rest.npy";
  NpyWriter writer(rest, e.source.num_vertices);
  writer.append(e.source.rest);
  writer.finish();
  const std::vector<std::string> names{"_7_odd_b__r", "ball"};
  for (std::size_t b = 0; b < names.size(); ++b) {
    std::string output;
    EXPECT_EQ(
        run(fmt::format("{} {} {} {} {} {} {}", python, quoted(room_tests() / "check_pc2.py"),
                        quoted(e.out() / "pc2" / (names[b] + ".pc2")),
                        quoted(e.out() / "pc2" / (names[b] + ".obj")), quoted(e.positions_file),
                        quoted(rest), surface_arguments(e.source, " ", b)),
            &output),
        0)
        << output;
  }
}

TEST(Exports, UsdaPassesAStrictCheckerAndHoldsTheMotion) {
  if (run(python + " --version") != 0) GTEST_SKIP() << python << " is not installed";
  const Exported e("usda");
  const fs::path checker = fs::path(SUPPLE_SOURCE_DIR) / "tests/tools/usda_check.py";
  std::string output;
  ASSERT_EQ(run(fmt::format("{} {} {} --json", python, quoted(checker),
                            quoted(e.out() / "animation.usda")),
                &output),
            0)
      << output;
  const auto root = nlohmann::json::parse(output);
  EXPECT_EQ(root["layer"]["endTimeCode"], num_frames - 1);
  EXPECT_EQ(root["layer"]["upAxis"], "Y");
  EXPECT_DOUBLE_EQ(root["layer"]["timeCodesPerSecond"], 25);
  ASSERT_EQ(root["prims"].size(), 3U);
  EXPECT_EQ(root["prims"][1]["path"], "/supple/_7_odd_b__r");
  EXPECT_EQ(root["prims"][2]["path"], "/supple/ball");
  for (int frame = 0; frame < num_frames; ++frame) {
    const auto expected = expected_corners(e.source, frame);
    for (std::size_t b = 0; b < 2; ++b) {
      const auto& attributes = root["prims"][b + 1]["attributes"];
      const auto& sample = attributes["points"]["samples"][static_cast<std::size_t>(frame)];
      EXPECT_EQ(sample[0], frame);
      const auto& indices = attributes["faceVertexIndices"]["value"];
      ASSERT_EQ(indices.size(), expected[b].size());
      for (std::size_t i = 0; i < indices.size(); ++i) {
        for (std::size_t d = 0; d < 3; ++d) {
          // Shortest digits of the number in single precision give that number back.
          EXPECT_EQ(sample[1][indices[i].get<std::size_t>()][d].get<float>(),
                    static_cast<float>(expected[b][i][d]));
        }
      }
    }
  }
}

TEST(Exports, TheUsdaCheckerRefusesBrokenFiles) {
  if (run(python + " --version") != 0) GTEST_SKIP() << python << " is not installed";
  const Exported e("usda");
  const std::string good = content(e.out() / "animation.usda");
  const std::vector<std::pair<std::string, std::string>> changes{
      {"#usda 1.0", "#usda 2.0"},
      {"def Mesh \"ball\"", "def Mesh \"b all\""},
      {"def Mesh \"ball\"", "def Mesh \"_7_odd_b__r\""},
      {"upAxis = \"Y\"", "upAxis = \"W\""},
      {"int[] faceVertexCounts = [3, ", "int[] faceVertexCounts = ["},
      {"int[] faceVertexIndices = [", "int[] faceVertexIndices = [0.5, "},
      {"            1: [", "            0: ["},
      {"point3f[] points", "point4f[] points"},
      {"]\n        int[] faceVertexIndices", "\n        int[] faceVertexIndices"},
      {"        }\n    }\n}\n", "        }\n    }\n"},
      {"defaultPrim = \"supple\"", "defaultPrim = \"x\""}};
  for (const auto& [from, to] : changes) {
    std::string broken = good;
    const std::size_t at = broken.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    broken.replace(at, from.size(), to);
    std::ofstream(e.folder.path() / "broken.usda") << broken;
    EXPECT_EQ(run(python + " " + quoted(fs::path(SUPPLE_SOURCE_DIR) / "tests/tools/usda_check.py") +
                  " " + quoted(e.folder.path() / "broken.usda")),
              1)
        << from;
  }
}

TEST(Exports, Mp4HasTheFramesAndTheSize) {
  if (!has_program("ffmpeg") || !has_program("ffprobe")) {
    GTEST_SKIP() << "the programs ffmpeg and ffprobe are not installed";
  }
  const Exported e("mp4");
  std::string output;
  ASSERT_EQ(run("ffprobe -v error -count_frames -select_streams v:0 -show_entries "
                "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames -of json " +
                    quoted(e.out() / "animation.mp4"),
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
  EXPECT_FALSE(fs::exists(e.out() / "animation.mp4.part"));
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
  const FrameSource source = test_motion(scene, 40);
  ExportOptions options;
  options.video_width = 640;  // more than what a pipe holds
  options.video_height = 360;
  try {
    export_frames("mp4", source, folder, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_file);
    EXPECT_TRUE(error.where().ends_with("animation.mp4"));
    return error.message();
  }
  return "";
}

TEST(Exports, AMissingFfmpegIsAClearError) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "empty");
  const PathGuard guard(folder.path() / "empty");
  EXPECT_NE(video_error(folder.path()).find("ffmpeg is not on PATH"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder.path() / "animation.mp4.part"));
}

TEST(Exports, AFailingFfmpegIsAnErrorWithItsWords) {
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

TEST(Exports, AGivenUpVideoLeavesNothing) {
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

TEST(Exports, TheListIsWhatCanBeExported) {
  const std::vector<Description> list = list_exports();
  std::vector<std::string> names;
  for (const Description& d : list) {
    names.push_back(d.name);
    EXPECT_FALSE(d.text.empty());
    EXPECT_NO_THROW(check_export(d.name, "here"));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"usda", "obj", "ply", "vtu", "gltf", "pc2", "mp4"}));
}

TEST(Exports, AnUnknownKindNamesTheNearest) {
  const TemporaryFolder folder;
  const Scene scene = test_scene();
  try {
    export_frames("usd", test_motion(scene, 1), folder.path());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    EXPECT_NE(error.message().find("did you mean 'usda'?"), std::string::npos) << error.message();
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Exports, ALongerSeriesBeforeLeavesNoFrames) {
  const TemporaryFolder folder;
  const Scene scene = test_scene();
  export_frames("obj", test_motion(scene, 4), folder.path());
  std::ofstream(folder.path() / "obj" / "frame_mine.obj") << "kept";
  export_frames("obj", test_motion(scene, 2), folder.path());
  EXPECT_TRUE(fs::exists(folder.path() / "obj" / "frame_0001.obj"));
  EXPECT_FALSE(fs::exists(folder.path() / "obj" / "frame_0002.obj"));
  EXPECT_FALSE(fs::exists(folder.path() / "obj" / "frame_0003.obj"));
  EXPECT_TRUE(fs::exists(folder.path() / "obj" / "frame_mine.obj"));
  EXPECT_EQ(FrameFiles(folder.path(), "x", 20001).name(3), "frame_00003.x");
}

TEST(Exports, EveryFormatTakesOneFrameAndTheSameBitsComeTwice) {
  const Scene scene = test_scene();
  const FrameSource source = test_motion(scene, 1);
  for (const Description& format : list_exports()) {
    if (format.name == "mp4") continue;  // another program's bits
    const TemporaryFolder a, b;
    export_frames(format.name, source, a.path());
    export_frames(format.name, source, b.path());
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(a.path())) {
      if (!entry.is_regular_file()) continue;
      ++files;
      EXPECT_EQ(content(entry.path()), content(b.path() / fs::relative(entry.path(), a.path())));
    }
    EXPECT_GE(files, 1) << format.name;
  }
}

TEST(Exports, ASourceThatIsNotSoundIsRefused) {
  const TemporaryFolder folder;
  const Scene scene = test_scene();
  const auto refused = [&](auto change, const char* kind = "obj") {
    FrameSource source = test_motion(scene, 2);
    change(source);
    EXPECT_THROW(export_frames(kind, source, folder.path()), Error);
  };
  refused([](FrameSource& s) { s.num_frames = 0; });
  refused([](FrameSource& s) { s.frame_step = 0; });
  refused([](FrameSource& s) { s.read = nullptr; });
  refused([](FrameSource& s) { s.rest.pop_back(); });
  refused([](FrameSource& s) { s.bodies[1].num_vertices += 1; });
  refused([](FrameSource& s) { s.bodies[0].first_vertex = -1; });
  refused([](FrameSource& s) { s.bodies[1].triangles[3][1] = 1 << 20; });
  refused([](FrameSource& s) { s.bodies[1].tets[3][1] = -1; });
  refused([](FrameSource& s) {
    for (FrameBody& body : s.bodies) body.triangles.clear();
  });
  refused(
      [](FrameSource& s) { s.measure = [](std::span<const double>) { return ElementMeasures(); }; },
      "vtu");
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), 1e200}) {
    const auto spoil = [bad](FrameSource& s) {
      s.read = [bad](int, std::span<double> x) { std::fill(x.begin(), x.end(), bad); };
    };
    for (const char* kind : {"usda", "obj", "ply", "vtu", "gltf", "pc2"}) refused(spoil, kind);
  }
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    EXPECT_FALSE(entry.is_regular_file()) << entry.path();
  }
}

TEST(Identifiers, AreValidAndDiffer) {
  EXPECT_EQ(identifiers({"bar", "bar", "Bar", "", "9", "a b/c", "bar_2", ""}),
            (std::vector<std::string>{"bar", "bar_2", "Bar_3", "body", "_9", "a_b_c", "bar_2_2",
                                      "body_2"}));
}

TEST(Preview, ShowsEightFrames) {
  const Scene scene = test_scene();
  EXPECT_EQ(evenly(120, 8), (std::vector<int>{0, 17, 34, 51, 69, 86, 103, 120}));
  EXPECT_EQ(evenly(2, 8), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(evenly(0, 8), (std::vector<int>{0}));
  const Image sheet = preview(test_motion(scene, 30), 2);
  EXPECT_EQ(sheet.width, 4 * 480 + 5 * 6);
  EXPECT_EQ(sheet.height, 2 * 360 + 3 * 6);
  EXPECT_EQ(sheet, preview(test_motion(scene, 30), 1));
  EXPECT_EQ(preview(test_motion(scene, 3)).height, 360 + 2 * 6);
}

}  // namespace
}  // namespace supple
