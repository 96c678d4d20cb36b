#include <gtest/gtest.h>

#include "io/meshes/formats.h"
#include "io/meshes/test_files.h"
#include "supple/io.h"

namespace supple {
namespace {

using testing::bytes_of;
using testing::TemporaryFolder;

// The faces of a tet, outward.
const std::vector<Vec3> tet_vertices{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
const std::vector<std::array<int, 3>> tet_faces{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

void expect_tet(const TriangleMesh& mesh) {
  EXPECT_EQ(mesh.vertices, tet_vertices);
  EXPECT_EQ(mesh.triangles, tet_faces);
}

TriangleMesh read(const std::string& name, std::string_view bytes) {
  const TemporaryFolder folder;
  return read_triangle_mesh(folder.write(name, bytes));
}

TEST(Obj, IsReadWithAllFormsOfCorners) {
  expect_tet(read("a.obj", R"(# a tet
mtllib a.mtl
o body
v 0 0 0
v 1 0 0 1.0
v 0 1 0 0.5 0.5 0.5
v 0 0 1
vt 0 0
vn 0 0 -1
g faces
usemtl grey
s off
f 1 3 2
f 1/1 2/1 4/1
f 1//1 4//1 3//1
f -3/1/1 \
  -2/-1/-1 -1/1/1
l 1 2
)"));
}

TEST(Obj, PolygonsAreCut) {
  const TriangleMesh mesh =
      read("a.OBJ", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 .5 0\nf 1 2 3 4 5\n");
  EXPECT_EQ(mesh.triangles.size(), 3U);
}

TEST(Ply, AsciiIsReadWithOtherPropertiesAndElements) {
  expect_tet(read("a.ply", R"(ply
comment before the format
format ascii 1.0
obj_info none
element material 1
property list uchar float values
element vertex 4
property float x
property float y
property float z
property uchar red
element empty 99999999
element face 4
property uchar flags
property list uchar int vertex_indices
property list uchar float texcoord
end_header
2 0.5 0.25
0 0 0 255
1 0 0 255
0 1 0 255
0 0 1 255
0 3 0 2 1 0
0 3 0 1 3 2 0.5 0.5
0 3 0 3 2 0
0 3 1 2 3 0
)"));
}

TEST(Ply, BinaryIsReadInEitherByteOrder) {
  for (const bool big : {false, true}) {
    std::string file = std::string("ply\r\nformat binary_") + (big ? "big" : "little") +
                       "_endian 1.0\r\nelement vertex 4\r\nproperty double x\r\n"
                       "property list uint8 int16 extra\r\nproperty double y\r\n"
                       "property double z\r\nelement face 4\r\n"
                       "property list uint16 uint32 vertex_index\r\nend_header\r\n";
    for (const Vec3& x : tet_vertices) {
      file += bytes_of<double>({x[0]}, big) + "\x02" + bytes_of<std::int16_t>({8, 9}, big);
      file += bytes_of<double>({x[1], x[2]}, big);
    }
    for (const auto& f : tet_faces) {
      file += bytes_of<std::uint16_t>({3}, big) + bytes_of<int>({f[0], f[1], f[2]}, big);
    }
    expect_tet(read("a.ply", file));
  }
}

TEST(Stl, AsciiJoinsEqualVertices) {
  std::string file = "solid a body\n";
  for (const auto& f : tet_faces) {
    file += "  facet normal nan nan nan\n    outer loop\n";
    for (const int v : f) {
      const Vec3& x = tet_vertices[static_cast<std::size_t>(v)];
      // Zeros of either sign are the same position.
      file += "      vertex " + std::string(v == 0 ? "-0" : std::to_string(x[0])) + " " +
              std::to_string(x[1]) + " " + std::to_string(x[2]) + "\n";
    }
    file += "    ENDLOOP\n  endfacet\n";
  }
  const TriangleMesh mesh = read("a.stl", file + "endsolid a body\n");
  // Numbered by first occurrence: the vertices 0 2 1 of the first face come first.
  EXPECT_EQ(mesh.vertices, (std::vector<Vec3>{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}}));
  EXPECT_EQ(mesh.triangles,
            (std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {2, 1, 3}}));
}

TEST(Stl, BinaryIsReadThoughItsHeaderSaysSolid) {
  std::string file = "solid in name only";
  file.resize(80, ' ');
  file += bytes_of<std::uint32_t>({5}, false);
  const auto facet = [&](const std::array<int, 3>& f) {
    file += bytes_of<float>({0, 0, 0}, false);
    for (const int v : f) {
      const Vec3& x = tet_vertices[static_cast<std::size_t>(v)];
      for (const double coordinate : x) {
        file += bytes_of<float>({static_cast<float>(coordinate)}, false);
      }
    }
    file += std::string(2, '\0');
  };
  for (const auto& f : tet_faces) facet(f);
  facet({1, 1, 2});  // has no area, so it is left out
  const TriangleMesh mesh = read("a.stl", file);
  EXPECT_EQ(mesh.vertices.size(), 4U);
  EXPECT_EQ(mesh.triangles.size(), 4U);
}

TEST(Stl, SeveralSolidsAreOneSurface) {
  const std::string one =
      "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
      "endloop\nendfacet\nendsolid\n";
  const std::string two =
      "solid two\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex -1 0 0\n"
      "endloop\nendfacet\nendsolid two\n";
  const TriangleMesh mesh = read("a.stl", one + two);
  EXPECT_EQ(mesh.vertices.size(), 4U);
  EXPECT_EQ(mesh.triangles.size(), 2U);
}

TEST(Off, IsReadWithOrWithoutColours) {
  expect_tet(read("a.off",
                  "OFF\n# a tet\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n"
                  "3 0 1 3\n3 0 3 2\n3 1 2 3\n"));
  expect_tet(read("a.off",
                  "CNOFF 4 4\n0 0 0 0 0 1 255 0 0\n1 0 0 0 0 1 255 0 0\n"
                  "0 1 0 0 0 1 255 0 0\n0 0 1 0 0 1 255 0 0\n3 0 2 1 0.5 0.5 0.5\n"
                  "3 0 1 3\n3 0 3 2 0.5\n3 1 2 3"));
}

TEST(SurfaceFormats, UnreferencedVerticesAreKept) {
  EXPECT_EQ(read("a.obj", "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 2 3 4\n").vertices.size(), 4U);
}

}  // namespace
}  // namespace supple
