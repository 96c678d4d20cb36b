#include "io/exports/formats.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/exports/exports.h"
#include "io/exports/test_motion.h"
#include "supple/error.h"

// Every format is read back by a program of somebody else.

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
    if (kind == "vtu") {
      source.measure = measures();
      source.stresses = stresses();
    }
    export_frames(kind, source, folder.path() / "out");
  }
  fs::path out() const { return folder.path() / "out"; }

  /// Numbers that differ between tets, components and frames; none for frame 0.
  std::function<std::vector<MultiplierStress>(int)> stresses() const {
    const std::size_t count = source.bodies[0].tets.size() + source.bodies[1].tets.size();
    return [count](int frame) {
      std::vector<MultiplierStress> all(frame > 0 ? count : 0);
      for (std::size_t i = 0; i < all.size(); ++i) {
        const double t = static_cast<double>(i) + 1000 * frame;
        all[i] = {-t, {t + 0.1, t + 0.2, t + 0.3, t + 0.4, t + 0.5, t + 0.6}};
      }
      return all;
    };
  }

  /// Numbers that differ between tets and frames. The swelling of the ball identifies the frame.
  std::function<ElementMeasures(int, std::span<const double>)> measures() const {
    const auto last = static_cast<std::size_t>(3 * source.num_vertices - 3);
    const double rest = source.rest[last];
    const std::size_t count = source.bodies[0].tets.size() + source.bodies[1].tets.size();
    return [last, rest, count](int, std::span<const double> x) {
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

TEST(Formats, VtuTakesStressesOfAllTetsOrNone) {
  Exported e("obj");
  e.source.stresses = [](int) { return std::vector<MultiplierStress>(3); };
  EXPECT_THROW(export_frames("vtu", e.source, e.out()), Error);
}

TEST(Formats, VtuTakesForcesOfAllVerticesOrNone) {
  Exported e("obj");
  const auto count = static_cast<std::size_t>(e.source.num_vertices);
  e.source.contact_forces = [count](int frame) {
    return std::vector<Vec3>(frame > 0 ? count : 0, Vec3{0.25, -3, 7});
  };
  export_frames("vtu", e.source, e.out());
  const std::string frame = content(e.out() / "vtu" / "frame_0002.vtu");
  EXPECT_NE(frame.find("Name=\"contact_force\" NumberOfComponents=\"3\""), std::string::npos);
  const double force[3] = {0.25, -3, 7};
  const std::string bytes(reinterpret_cast<const char*>(force), sizeof force);
  std::size_t found = 0;
  for (std::size_t at = frame.find(bytes); at != std::string::npos;
       at = frame.find(bytes, at + 1)) {
    ++found;
  }
  EXPECT_EQ(found, count);
  EXPECT_EQ(content(e.out() / "vtu" / "frame_0000.vtu").find(bytes), std::string::npos);
  e.source.contact_forces = [](int) { return std::vector<Vec3>(3); };
  EXPECT_THROW(export_frames("vtu", e.source, e.out()), Error);
}

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

/// The numbers between the end of a tag and the next tag, searched from `at`, which moves behind
/// them.
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

/// Corners of the triangles of each mesh as read by the program assimp.
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
        // assimp prints six digits of a number of single precision, here up to 3.
        ASSERT_NEAR(read[m][i][d], expected[m][i][d], 1e-6);
      }
    }
  }
}

std::string surface_arguments(const FrameSource& source, const char* separator, std::size_t body) {
  return fmt::format("{}", fmt::join(body_surfaces(source, "test")[body].vertices, separator));
}

TEST(Formats, ObjIsReadByAssimp) {
  if (!has_program("assimp")) GTEST_SKIP() << "the program assimp is not installed";
  const Exported e("obj");
  for (const int frame : {0, num_frames - 1}) {
    const fs::path file = e.out() / "obj" / fmt::format("frame_{:04}.obj", frame);
    expect_equal(read_by_assimp(file), expected_corners(e.source, frame));
  }
}

TEST(Formats, PlyIsReadByAssimp) {
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

TEST(Formats, GltfIsReadByAssimp) {
  if (!has_program("assimp")) GTEST_SKIP() << "the program assimp is not installed";
  const Exported e("gltf");
  expect_equal(read_by_assimp(e.out() / "animation.gltf"), expected_corners(e.source, 0));
  std::string info;
  EXPECT_EQ(run("assimp info " + quoted(e.out() / "animation.gltf"), &info), 0);
  EXPECT_NE(info.find("Animations:         1"), std::string::npos) << info;
}

TEST(Formats, GltfPlaysTheMotion) {
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

TEST(Formats, GltfThinsALongMotionOut) {
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

TEST(Formats, VtuAndPvdAreReadByVtk) {
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

TEST(Formats, Pc2MatchesItsRestObj) {
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

TEST(Formats, UsdaPassesAStrictCheckerAndHoldsTheMotion) {
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

TEST(Formats, TheUsdaCheckerRefusesBrokenFiles) {
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

}  // namespace
}  // namespace supple
