#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/exports/exports.h"
#include "io/exports/pictures.h"
#include "io/exports/test_motion.h"

// Bodies of springs in every format, read back by programs of somebody else.

namespace supple {
namespace {

using namespace testing_exports;

constexpr int num_frames = 4, cells = 5, segments = 6;

Body body_of(const char* name, const SpringMesh& mesh) {
  Body body;
  body.name = name;
  body.mesh.vertices = mesh.vertices;
  body.triangles = mesh.triangles;
  body.segments = mesh.segments;
  body.springs = make_springs(mesh, {100, 50, 10});
  return body;
}

/// A ball, a cloth and a strand that grow.
struct Growing {
  TemporaryFolder folder;
  Scene scene;
  FrameSource source;

  explicit Growing(bool with_ball = true) {
    if (with_ball) {
      Body ball;
      ball.name = "ball";
      ball.mesh = generate(SphereGenerator{0.5, 4, {0, 2, 0}});
      scene.bodies.push_back(ball);
    }
    scene.bodies.push_back(body_of("cloth", generate(ClothGenerator{.cells = {cells, cells}})));
    scene.bodies.push_back(body_of("strand", generate(StrandGenerator{.segments = segments})));
    source = frame_source(scene);
    source.num_frames = num_frames;
    source.read = [rest = source.rest](int frame, std::span<double> x) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = (1 + 0.1 * frame) * rest[i];
    };
    const std::size_t tets = scene.bodies[0].mesh.tets.size();
    source.measure = [tets](int, std::span<const double>) {
      return ElementMeasures{std::vector<double>(tets, 1), std::vector<double>(tets, 2),
                             std::vector<Vec3>(tets, Vec3{3, 2, 1})};
    };
    write_positions(source, folder.path() / "positions.npy");
  }
};

TEST(SpringExports, VtuObjAndPlyAreReadByVtk) {
  if (!python_has("vtk")) GTEST_SKIP() << python << " with vtk is not installed";
  const Growing e;
  for (const char* kind : {"vtu", "obj", "ply"}) {
    export_frames(kind, e.source, e.folder.path());
  }
  std::string output;
  EXPECT_EQ(run(fmt::format("{} {} {} {} {} {} {} {} {}", python,
                            quoted(room_tests() / "check_springs.py"), quoted(e.folder.path()),
                            quoted(e.folder.path() / "positions.npy"),
                            e.source.bodies[1].first_vertex, e.source.bodies[2].first_vertex,
                            e.source.bodies[0].tets.size(), cells, segments),
                &output),
            0)
      << output;
  EXPECT_EQ(output, "ok\n");
}

TEST(SpringExports, APlyOfAStrandAloneHasOnlyWhatEveryReaderTakes) {
  Growing e(false);
  e.source.bodies.erase(e.source.bodies.begin());  // the cloth
  export_frames("ply", e.source, e.folder.path());
  const fs::path file = e.folder.path() / "ply" / "frame_0000.ply";
  const std::string bytes = content(file);
  // meshio stops at any element but these two.
  const std::size_t end = bytes.find("end_header\n") + 11;
  const std::string header = bytes.substr(0, end);
  EXPECT_NE(header.find(fmt::format("element vertex {}\n", segments + 1)), std::string::npos);
  EXPECT_NE(header.find(fmt::format("element face {}\n", segments)), std::string::npos);
  EXPECT_EQ(header.find("element edge"), std::string::npos);
  EXPECT_EQ(bytes.size() - end, (segments + 1) * 16 + segments * 13);
  if (!has_program("assimp")) GTEST_SKIP() << "the program assimp is not installed";
  std::string info;
  EXPECT_EQ(run("assimp info " + quoted(file), &info), 0) << info;
}

TEST(SpringExports, AVtuWithoutTetsHasNoMeasures) {
  const Growing e(false);
  export_frames("vtu", e.source, e.folder.path());
  const std::string text = content(e.folder.path() / "vtu" / "frame_0000.vtu");
  EXPECT_NE(text.find(fmt::format("NumberOfCells=\"{}\"", 2 * cells * cells + segments)),
            std::string::npos);
  EXPECT_EQ(text.find("von_mises"), std::string::npos);
}

TEST(SpringExports, AStrandIsCurvesInUsda) {
  if (run(python + " --version") != 0) GTEST_SKIP() << python << " is not installed";
  const Growing e;
  export_frames("usda", e.source, e.folder.path());
  const fs::path checker = fs::path(SUPPLE_SOURCE_DIR) / "tests/tools/usda_check.py";
  std::string output;
  ASSERT_EQ(run(fmt::format("{} {} {} --json", python, quoted(checker),
                            quoted(e.folder.path() / "animation.usda")),
                &output),
            0)
      << output;
  const auto root = nlohmann::json::parse(output);
  EXPECT_EQ(root["prims"][2]["type"], "Mesh");
  EXPECT_EQ(root["prims"][2]["attributes"]["faceVertexCounts"]["value"].size(), 2U * cells * cells);
  EXPECT_EQ(root["prims"][3]["type"], "BasisCurves");
  const auto& points = root["prims"][3]["attributes"]["points"]["samples"];
  ASSERT_EQ(points.size(), static_cast<std::size_t>(num_frames));
  const std::vector<double> x = positions(e.source, num_frames - 1);
  for (std::size_t s = 0; s < segments; ++s) {
    for (std::size_t end = 0; end < 2; ++end) {
      const auto v = static_cast<std::size_t>(e.source.bodies[2].first_vertex) + s + end;
      for (std::size_t d = 0; d < 3; ++d) {
        EXPECT_EQ(points[num_frames - 1][1][2 * s + end][d].get<float>(),
                  static_cast<float>(x[3 * v + d]));
      }
    }
  }
}

TEST(SpringExports, AStrandIsLinesInGltf) {
  const Growing e;
  export_frames("gltf", e.source, e.folder.path());
  const auto root = nlohmann::json::parse(content(e.folder.path() / "animation.gltf"));
  ASSERT_EQ(root["meshes"].size(), 3U);
  EXPECT_FALSE(root["meshes"][1]["primitives"][0].contains("mode"));
  const auto& strand = root["meshes"][2]["primitives"][0];
  EXPECT_EQ(strand["mode"], 1);
  EXPECT_EQ(root["accessors"][strand["indices"].get<std::size_t>()]["count"], 2 * segments);
  EXPECT_EQ(strand["targets"].size(), static_cast<std::size_t>(num_frames - 1));
  if (!has_program("assimp")) GTEST_SKIP() << "the program assimp is not installed";
  std::string info;
  EXPECT_EQ(run("assimp info " + quoted(e.folder.path() / "animation.gltf"), &info), 0) << info;
}

TEST(SpringExports, Pc2HoldsAllVerticesOfClothAndStrand) {
  const Growing e;
  export_frames("pc2", e.source, e.folder.path());
  const std::size_t vertices[] = {(cells + 1) * (cells + 1), segments + 1};
  const char* const names[] = {"cloth", "strand"};
  for (std::size_t b = 0; b < 2; ++b) {
    const std::string points = content(e.folder.path() / "pc2" / (names[b] + std::string(".pc2")));
    EXPECT_EQ(points.size(), 32 + num_frames * vertices[b] * 12);
    const std::string rest = content(e.folder.path() / "pc2" / (names[b] + std::string(".obj")));
    EXPECT_NE(rest.find(b == 0 ? "\nf " : "\nl "), std::string::npos);
  }
}

TEST(SpringExports, ThePreviewShowsClothAndStrandFromBothSides) {
  Growing e(false);
  const Image both = preview(e.source);
  e.source.bodies.pop_back();
  const Image cloth = preview(e.source);
  EXPECT_NE(both, cloth);
  e.source.bodies.pop_back();
  EXPECT_NE(cloth, preview(e.source));
}

TEST(SpringExports, ABodyOfBareSpringsIsDrawnAsThem) {
  Scene scene;
  Body net = body_of("net", generate(StrandGenerator{.segments = 3}));
  net.segments.clear();
  scene.bodies.push_back(net);
  const FrameSource source = frame_source(scene);
  EXPECT_EQ(source.bodies[0].segments.size(), net.springs.size());
}

}  // namespace
}  // namespace supple
