#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "io/meshes/formats.h"
#include "io/meshes/test_files.h"
#include "supple/error.h"
#include "supple/io.h"

namespace supple {
namespace {

using testing::TemporaryFolder;
using Pairs = std::vector<std::array<int, 2>>;

SpringMesh read_lines(const std::string& name, std::string_view bytes) {
  const TemporaryFolder folder;
  return read_strands(folder.write(name, bytes));
}

constexpr const char* obj_vertices = "v 0 0 0\nv 0 -1 0\nv 0 -2 0\nv 1 0 0\nv 1 -1 0\nv 9 9 9\n";

std::string obj(const std::string& lines) { return obj_vertices + lines; }

constexpr const char* ply_header = R"(ply
format ascii 1.0
element vertex 5
property float x
property float y
property float z
element face 1
property list uchar int vertex_indices
element edge 3
property uchar red
property int vertex1
property int vertex2
end_header
0 0 0
0 -1 0
0 -2 0
1 0 0
1 -1 0
3 0 1 3
)";

TEST(Strands, OfAnObjAreItsLines) {
  const SpringMesh mesh =
      read_lines("a.obj", obj("o hair\nf 1 2 4\nl 1/1 2/2 3\nl -3 -2 # the second\n"));
  EXPECT_EQ(mesh.vertices.size(), 6U);
  EXPECT_EQ(mesh.segments, (Pairs{{0, 1}, {1, 2}, {3, 4}}));
  EXPECT_EQ(mesh.structural, mesh.segments);
  EXPECT_EQ(mesh.bending, (Pairs{{0, 2}}));
  EXPECT_TRUE(mesh.triangles.empty());
}

TEST(Strands, OfAPlyAreItsEdges) {
  const SpringMesh mesh = read_lines("a.ply", std::string(ply_header) + "1 0 1\n2 1 2\n3 3 4\n");
  EXPECT_EQ(mesh.vertices.size(), 5U);
  EXPECT_EQ(mesh.segments, (Pairs{{0, 1}, {1, 2}, {3, 4}}));
  EXPECT_EQ(mesh.bending, (Pairs{{0, 2}}));
}

TEST(Strands, OfABinaryPlyAreItsEdges) {
  std::string bytes =
      "ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
      "property float z\nelement edge 1\nproperty int vertex1\nproperty int vertex2\nend_header\n";
  const auto add = [&](auto value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof value);
  };
  for (const float x : {0.F, 0.F, 0.F, 0.F, 2.F, 0.F}) add(x);
  for (const std::int32_t v : {1, 0}) add(v);
  const SpringMesh mesh = read_lines("a.ply", bytes);
  EXPECT_EQ(mesh.vertices, (std::vector<Vec3>{{0, 0, 0}, {0, 2, 0}}));
  EXPECT_EQ(mesh.segments, (Pairs{{1, 0}}));
}

/// No bending spring duplicates another one or a segment.
TEST(Strands, LoopsAndBranchesHaveTheirBending) {
  EXPECT_TRUE(read_lines("a.obj", obj("l 1 2 4 1\n")).bending.empty());
  EXPECT_EQ(read_lines("a.obj", obj("l 1 2 5 4 1\n")).bending, (Pairs{{0, 4}, {1, 3}}));
  EXPECT_TRUE(read_lines("a.obj", obj("l 2 1\nl 2 3\nl 2 4\n")).bending.empty());
}

TEST(Strands, OrTheSurfaceWhereThereAreNoLines) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& name, const std::string& bytes) {
    return read_strands_or_surface(folder.write(name, bytes));
  };
  const std::vector<std::array<int, 3>> face{{0, 1, 3}};
  const SpringMesh faces = read("a.obj", obj("f 1 2 4\n"));
  EXPECT_EQ(faces.triangles, face);
  EXPECT_EQ(faces.vertices.size(), 6U);
  EXPECT_TRUE(faces.segments.empty());
  EXPECT_TRUE(faces.structural.empty());
  const SpringMesh both = read("b.obj", obj("f 1 2 4\nl 1 2\n"));
  EXPECT_TRUE(both.triangles.empty());
  EXPECT_EQ(both.segments, (Pairs{{0, 1}}));
  EXPECT_EQ(read("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").triangles.size(), 1U);
  EXPECT_THROW(read("c.obj", obj("")), Error);
  EXPECT_THROW(read("a.mesh", ""), Error);
}

TEST(Strands, WhatIsWrongIsNamedWithItsLine) {
  const auto refused = [](const std::string& name, const std::string& bytes,
                          const std::string& where, const std::string& message) {
    try {
      read_lines(name, bytes);
      ADD_FAILURE() << bytes;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_file);
      EXPECT_NE(error.where().find(where), std::string::npos) << error.what();
      EXPECT_NE(error.message().find(message), std::string::npos) << error.what();
    }
  };
  refused("a.obj", obj(""), "a.obj", "there are no lines");
  refused("a.obj", obj("f 1 2 4\n"), "a.obj", "there are no lines");
  refused("a.obj", obj("l 1\n"), "a.obj:7", "expected at least 2");
  refused("a.obj", obj("l 1 7\n"), "a.obj:7", "names vertex 7: vertices are numbered 1 to 6");
  refused("a.obj", obj("l 1 0\n"), "a.obj:7", "names vertex 0");
  refused("a.obj", obj("l 1 -9\n"), "a.obj:7", "only 6 stand before it");
  refused("a.obj", obj("l 1 x\n"), "a.obj:7", "expected a corner");
  refused("a.obj", obj("l 1 2 2\n"), "a.obj:7", "no length");
  refused("a.obj", obj("v 0 0 0\nl 1 2\nl 1 7\n"), "a.obj:9", "no length");
  refused("a.obj", obj("l 1 2\nl 3 4\nl 2 1\n"), "a.obj:9", "is there already");
  refused("a.obj", obj("lines 1 2\n"), "a.obj:7", "OBJ statement");
  const std::string ply = ply_header;
  refused("a.ply", ply + "1 0 1\n2 1 2\n3 3 5\n", "a.ply:22", "numbered 0 to 4");
  refused("a.ply", ply + "1 0 1\n2 1 2\n", "a.ply", "");
  refused("a.ply", ply + "1 0 1\n2 1 2\n3 3 3.5\n", "a.ply:22", "");
  refused("a.stl", "solid", "a.stl", "Known: .obj, .ply");
  refused("a.mesh", "", "a.mesh", "format of strands");
}

}  // namespace
}  // namespace supple
