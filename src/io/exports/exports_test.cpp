#include "io/exports/exports.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "io/exports/frame_files.h"
#include "io/exports/pictures.h"
#include "io/exports/test_motion.h"
#include "supple/error.h"

namespace supple {
namespace {

using namespace testing_exports;

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
      [](FrameSource& s) {
        s.measure = [](int, std::span<const double>) { return ElementMeasures(); };
      },
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

TEST(Preview, AVertexThatNothingUsesDoesNotWidenTheView) {
  const Scene scene = test_scene();
  const FrameSource source = test_motion(scene, 3);
  EXPECT_EQ(positions(source, 0)[3 * static_cast<std::size_t>(source.bodies[1].first_vertex - 1)],
            9);
  const Box box = viewed_scene(source).motion;
  EXPECT_EQ(box.min[0], -1);
  EXPECT_EQ(box.max[0], 1);
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
