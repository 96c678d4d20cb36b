#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "io/meshes/formats.h"
#include "io/meshes/test_files.h"
#include "supple/io.h"

namespace supple {
namespace {

using testing::bytes_of;
using testing::TemporaryFolder;

// Every file of these tests contains the same two tets, the second one inverted, with whatever else
// its format allows around them.
const std::vector<Vec3> expected_vertices{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};

void expect_two_tets(const TetMesh& mesh) {
  EXPECT_EQ(mesh.vertices, expected_vertices);
  ASSERT_EQ(mesh.tets.size(), 2U);
  EXPECT_EQ(mesh.tets[0], (std::array<int, 4>{0, 1, 2, 3}));
  std::array<int, 4> second = mesh.tets[1];
  std::sort(second.begin(), second.end());
  EXPECT_EQ(second, (std::array<int, 4>{1, 2, 3, 4}));
  // Exact: the coordinates are small whole numbers.
  EXPECT_EQ(tet_volumes(mesh), (std::vector<double>{1.0 / 6, 2.0 / 6}));
}

void expect_field(const TetMesh& mesh, const std::string& name, const std::vector<double>& values) {
  ASSERT_TRUE(mesh.tet_fields.contains(name)) << "there is no field '" << name << "'";
  EXPECT_EQ(mesh.tet_fields.at(name), values);
}

TetMesh read(const std::string& name, std::string_view bytes) {
  const TemporaryFolder folder;
  return read_tet_mesh(folder.write(name, bytes));
}

TEST(Medit, IsReadWithKeywordsInAnyOrder) {
  expect_two_tets(read("a.mesh", R"(MeshVersionFormatted 1
Dimension 3
Vertices
5
0 0 0 0
1 0 0 0
0 1 0 0
0 0 1 0
1 1 1 0
Tetrahedra
2
1 2 3 4 0
2 4 3 5 0
End
)"));
  const TetMesh mesh = read("b.MESH", R"(
# written by hand
MeshVersionFormatted
2
Dimension
3
Triangles 1   1 2 3 7
Tetrahedra 2
1 2 3 4 5
2 4 3 5 6
Corners 2  1 2
Ridges 0
Normals 1  0 0 -1.5e-3
NormalAtVertices 1  1 1
Vertices 5 # five
0 0 0 0.
1 0 0 0
+0 1 0 0
0 0 1 0
1e0 1. 1.0 0
Edges
0
End)");
  expect_two_tets(mesh);
  EXPECT_TRUE(mesh.tet_fields.empty());
}

TEST(Medit, KeepsUnreferencedVertices) {
  const TetMesh mesh = read("a.mesh",
                            "MeshVersionFormatted 1\nDimension 3\nVertices 6\n9 9 9 0\n0 0 0 0\n"
                            "1 0 0 0\n0 1 0 0\n8 8 8 0\n0 0 1 0\nTetrahedra 1\n2 3 4 6 0\n");
  EXPECT_EQ(mesh.vertices.size(), 6U);
  EXPECT_EQ(mesh.tets[0], (std::array<int, 4>{1, 2, 3, 5}));
}

TEST(Medit, TheMeshesOfThePaperAreRead) {
  const char* folder = std::getenv("SUPPLE_PAPER_MESHES");
  if (folder == nullptr) GTEST_SKIP() << "SUPPLE_PAPER_MESHES does not name the paper's meshes";
  // Vertices and tets as published, and the known volumes of the bars.
  struct Known {
    const char* name;
    std::size_t vertices, tets;
    double volume;
  };
  for (const Known& known :
       {Known{"thin_sheet", 660, 1932, 5}, Known{"sphere", 889, 1772, 0},
        Known{"longbar", 574, 1631, 1000}, Known{"hippo", 2387, 8406, 0},
        Known{"longbar2", 3472, 10199, 1000}, Known{"bunny", 6308, 26096, 0},
        Known{"squirrel_modified", 8395, 23645, 0}, Known{"tibiman", 22263, 84125, 0},
        Known{"bar66792", 22490, 66792, 0}, Known{"super_thin_sheet_2", 6562, 19119, 5},
        Known{"torus", 469, 1396, 0}}) {
    const std::filesystem::path file =
        std::filesystem::path(folder) / (std::string(known.name) + ".mesh");
    const TetMesh mesh = read_tet_mesh(file);
    EXPECT_EQ(mesh.vertices.size(), known.vertices) << known.name;
    EXPECT_EQ(mesh.tets.size(), known.tets) << known.name;
    double volume = 0;
    for (const double v : tet_volumes(mesh)) {
      EXPECT_GT(v, 0);
      volume += v;
    }
    // Rounding of the sum of at most 20,000 terms.
    if (known.volume == 0) continue;
    EXPECT_NEAR(volume, known.volume, 1e-11 * known.volume) << known.name;
  }
}

TEST(Gmsh, Version22AsciiIsReadWithSparseTags) {
  const TetMesh mesh = read("a.msh", R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
3 1 "the body"
$EndPhysicalNames
$Nodes
5
7 0 0 0
3 1 0 0
100 0 1 0
41 0 0 1
5 1 1 1
$EndNodes
$Elements
4
1 15 2 1 1 7
2 2 2 1 1 7 3 100
8 4 2 1 1 7 3 100 41
9 4 0 3 41 100 5
$EndElements
$NodeData
1
"temperature"
1
0
3
0
1
1
7 300
$EndNodeData
$ElementData
1
"young modulus"
1
0.0
3
0
1
3
9 2e5
8 1e5
2 7
$EndElementData
$ElementData
1
"velocity"
1
0.0
3
0
3
1
9 1 2 3
$EndElementData
$ElementData
1
"of triangles only"
1
0.0
3
0
1
1
2 5
$EndElementData
)");
  expect_two_tets(mesh);
  expect_field(mesh, "young modulus", {1e5, 2e5});
  EXPECT_EQ(mesh.tet_fields.size(), 1U);
}

TEST(Gmsh, Version41AsciiIsRead) {
  const TetMesh mesh = read("a.msh", R"($MeshFormat
4.1 0 8
$EndMeshFormat
$Entities
0 0 0 1
1 0 0 0 1 1 1 0 0
$EndEntities
$Nodes
2 5 10 90
3 1 0 4
10
20
30
40
0 0 0
1 0 0
0 1 0
0 0 1
2 1 1 1
90
1 1 1 0.25 0.75
$EndNodes
$Elements
2 3 1 3
2 1 2 1
1 10 20 30
3 1 4 2
2 10 20 30 40
3 20 40 30 90
$EndElements
$ElementData
1
"young"
1
0
3
0
1
2
2 1e5
3 2e5
$EndElementData
)");
  expect_two_tets(mesh);
  expect_field(mesh, "young", {1e5, 2e5});
}

std::string gmsh_data(bool big) {
  std::string text = "$ElementData\n1\n\"young\"\n1\n0\n3\n0\n1\n2\n";
  text += bytes_of<int>({3}, big) + bytes_of<double>({2e5}, big);
  text += bytes_of<int>({2}, big) + bytes_of<double>({1e5}, big);
  return text + "\n$EndElementData\n";
}

TEST(Gmsh, Version22BinaryIsReadInEitherByteOrder) {
  for (const bool big : {false, true}) {
    std::string file = "$MeshFormat\n2.2 1 8\n" + bytes_of<int>({1}, big) + "\n$EndMeshFormat\n";
    file += "$Nodes\n5\n";
    for (int v = 0; v < 5; ++v) {
      const Vec3& x = expected_vertices[static_cast<std::size_t>(v)];
      file += bytes_of<int>({10 * v}, big) + bytes_of<double>({x[0], x[1], x[2]}, big);
    }
    file += "\n$EndNodes\n$Elements\n3\n";
    file += bytes_of<int>({2, 1, 2, 1, 0, 0, 0, 10, 20}, big);
    file += bytes_of<int>({4, 2, 1, 2, 0, 0, 10, 20, 30, 3, 0, 10, 30, 20, 40}, big);
    file += "\n$EndElements\n" + gmsh_data(big);
    const TetMesh mesh = read("a.msh", file);
    expect_two_tets(mesh);
    expect_field(mesh, "young", {1e5, 2e5});
  }
}

TEST(Gmsh, Version41BinaryIsReadInEitherByteOrder) {
  using Size = std::uint64_t;
  for (const bool big : {false, true}) {
    std::string file = "$MeshFormat\n4.1 1 8\n" + bytes_of<int>({1}, big) + "\n$EndMeshFormat\n";
    file += "$Nodes\n" + bytes_of<Size>({2, 5, 1, 50}, big);
    file += bytes_of<int>({3, 1, 0}, big) + bytes_of<Size>({4, 1, 2, 3, 4}, big);
    for (std::size_t v = 0; v < 4; ++v) {
      const Vec3& x = expected_vertices[v];
      file += bytes_of<double>({x[0], x[1], x[2]}, big);
    }
    file += bytes_of<int>({1, 1, 1}, big) + bytes_of<Size>({1, 50}, big);
    file += bytes_of<double>({1, 1, 1, 0.5}, big) + "\n$EndNodes\n";
    file += "$Elements\n" + bytes_of<Size>({2, 3, 1, 3}, big);
    file += bytes_of<int>({2, 1, 2}, big) + bytes_of<Size>({1, 1, 1, 2, 3}, big);
    file += bytes_of<int>({3, 1, 4}, big) + bytes_of<Size>({2, 2, 1, 2, 3, 4, 3, 2, 4, 3, 50}, big);
    file += "\n$EndElements\n" + gmsh_data(big);
    const TetMesh mesh = read("a.msh", file);
    expect_two_tets(mesh);
    expect_field(mesh, "young", {1e5, 2e5});
  }
}

TEST(TetGen, IsReadFromEitherFileOfThePairWithEitherNumbering) {
  for (const int base : {0, 1}) {
    std::string nodes = "# nodes\n5 3 1 1\n", tets = "2 4 2 # two\n";
    for (int v = 0; v < 5; ++v) {
      nodes += std::to_string(v + base);
      for (const double x : expected_vertices[static_cast<std::size_t>(v)]) {
        nodes += " " + std::to_string(x);
      }
      nodes += "  0.5 1\r\n";
    }
    const auto line = [&](int number, std::array<int, 4> corners, const std::string& attributes) {
      tets += "  " + std::to_string(number + base);
      for (const int corner : corners) tets += "  " + std::to_string(corner + base);
      tets += " " + attributes + "\n";
    };
    line(0, {0, 1, 2, 3}, "1e5 -1");
    line(1, {1, 3, 2, 4}, "2e5 -2");
    tets += "# Generated by hand";
    const TemporaryFolder folder;
    folder.write("body.1.node", nodes);
    folder.write("body.1.ele", tets);
    for (const char* name : {"body.1.node", "body.1.ele"}) {
      const TetMesh mesh = read_tet_mesh(folder.path() / name);
      expect_two_tets(mesh);
      expect_field(mesh, "attribute_1", {1e5, 2e5});
      expect_field(mesh, "attribute_2", {-1, -2});
    }
  }
}

TEST(TetGen, OfTenNodeTetsTheCornersAreRead) {
  std::string nodes = "10 3\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n";
  for (int v = 4; v < 10; ++v) nodes += std::to_string(v) + " 0.5 0.5 0.5\n";
  const TetMesh mesh = parse_tetgen(nodes, "a.node", "1 10\n0 0 1 2 3 4 5 6 7 8 9\n", "a.ele");
  EXPECT_EQ(mesh.tets, (std::vector<std::array<int, 4>>{{0, 1, 2, 3}}));
}

constexpr const char* vtk_cell_data = R"(CELL_DATA 3
SCALARS young double 1
LOOKUP_TABLE default
7 1e5 2e5
SCALARS plain float
LOOKUP_TABLE own
1 2 3
LOOKUP_TABLE own 1
0 0 0 1
VECTORS direction float
1 0 0 0 1 0 0 0 1
COLOR_SCALARS colour 2
0 0 0 0 0 0
FIELD FieldData 3
region%20number 1 3 int
0 4 5
pairs 2 3 short
1 2 3 4 5 6
names 1 3 string
first cell
second cell
third cell
POINT_DATA 5
SCALARS temperature float
LOOKUP_TABLE default
1 2 3 4 5
)";

TEST(Vtk, AsciiWithAListOfCellsIsRead) {
  const std::string file = std::string(R"(# vtk DataFile Version 3.0
a title, POINTS 3
ASCII
DATASET UNSTRUCTURED_GRID
FIELD FieldData 1
TIME 1 1 double
0.5
POINTS 5 float
0 0 0  1 0 0  0 1 0
0 0 1  1 1 1
CELLS 3 13
2 0 1
4 0 1 2 3
4 1 3 2 4
CELL_TYPES 3
3
10
10
)") + vtk_cell_data;
  const TetMesh mesh = read("a.vtk", file);
  expect_two_tets(mesh);
  expect_field(mesh, "young", {1e5, 2e5});
  expect_field(mesh, "plain", {2, 3});
  expect_field(mesh, "region number", {4, 5});
  EXPECT_EQ(mesh.tet_fields.size(), 3U);
}

TEST(Vtk, AsciiWithOffsetsAndConnectivityIsRead) {
  const std::string file = std::string(R"(# vtk DataFile Version 5.1
title
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 5 double
0 0 0 1 0 0 0 1 0 0 0 1 1 1 1
METADATA
INFORMATION 1
NAME L2_NORM_RANGE LOCATION vtkDataArray
DATA 2 0 1.7

CELLS 4 10
OFFSETS vtktypeint64
0 2 6 10
CONNECTIVITY vtktypeint64
0 1
0 1 2 3
1 3 2 4
CELL_TYPES 3
3 10 10
)") + vtk_cell_data;
  const TetMesh mesh = read("a.vtk", file);
  expect_two_tets(mesh);
  expect_field(mesh, "young", {1e5, 2e5});
  expect_field(mesh, "region number", {4, 5});
}

TEST(Vtk, BinaryIsReadInBothLayouts) {
  std::vector<double> points;
  for (const Vec3& x : expected_vertices) points.insert(points.end(), x.begin(), x.end());
  const std::string begin =
      "title\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n" + bytes_of(points, true);
  const std::string end = "\nCELL_TYPES 3\n" + bytes_of<int>({3, 10, 10}, true) +
                          "\nCELL_DATA 3\nSCALARS flags bit\nLOOKUP_TABLE default\n\x40"
                          "\nFIELD FieldData 3\nyoung 1 3 float\n" +
                          bytes_of<float>({7, 1e5F, 2e5F}, true) + "\nid 1 3 vtkIdType\n" +
                          bytes_of<int>({0, 1, 2}, true) +
                          "\nnames 1 3 string\n\xC1"
                          "a\xC2"
                          "bc" +
                          std::string("\x80\x03xyz", 5) + "\n";
  const std::string list =
      "\nCELLS 3 13\n" + bytes_of<int>({2, 0, 1, 4, 0, 1, 2, 3, 4, 1, 3, 2, 4}, true);
  const std::string arrays = "\nCELLS 4 10\nOFFSETS vtktypeint64\n" +
                             bytes_of<std::int64_t>({0, 2, 6, 10}, true) +
                             "\nCONNECTIVITY vtktypeint64\n" +
                             bytes_of<std::int64_t>({0, 1, 0, 1, 2, 3, 1, 3, 2, 4}, true);
  for (const bool with_offsets : {false, true}) {
    std::string file = "# vtk DataFile Version ";
    file.append(with_offsets ? "5.1\n" : "2.0\n").append(begin);
    file.append(with_offsets ? arrays : list).append(end);
    const TetMesh mesh = read("a.vtk", file);
    expect_two_tets(mesh);
    expect_field(mesh, "young", {1e5, 2e5});
    expect_field(mesh, "id", {1, 2});
  }
}

constexpr const char* vtu_piece = R"(<Piece NumberOfPoints="5" NumberOfCells="3">
  <PointData><DataArray type="Float32" Name="p" format="ascii">1 2 3 4 5</DataArray></PointData>
  <CellData Scalars="young">
    <DataArray type="Float64" Name="young" format="ascii">7 1e5 2e5</DataArray>
    <DataArray type="Int32" Name="region" NumberOfComponents="1" format="ascii">1 2 3</DataArray>
    <DataArray type="Float64" Name="v" NumberOfComponents="3" format="ascii">1 2 3 4 5 6 7 8 9
    </DataArray>
  </CellData>
  <Points><DataArray type="Float32" NumberOfComponents="3" format="ascii">
    0 0 0 1 0 0 0 1 0 0 0 1 1 1 1</DataArray></Points>
  <Cells>
    <DataArray type="Int32" Name="connectivity" format="ascii">0 1 0 1 2 3 1 3 2 4</DataArray>
    <DataArray type="Int32" Name="offsets" format="ascii">2 6 10</DataArray>
    <DataArray type="UInt8" Name="types" format="ascii">3 10 10</DataArray>
  </Cells>
</Piece>
)";

std::string vtu_of(const std::string& pieces) {
  return "<?xml version=\"1.0\"?>\n<!-- a comment -->\n"
         "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
         "<UnstructuredGrid>\n" +
         pieces + "</UnstructuredGrid>\n</VTKFile>\n";
}

TEST(Vtu, AsciiIsRead) {
  const TetMesh mesh = read("a.vtu", vtu_of(vtu_piece));
  expect_two_tets(mesh);
  expect_field(mesh, "young", {1e5, 2e5});
  expect_field(mesh, "region", {2, 3});
  EXPECT_EQ(mesh.tet_fields.size(), 2U);
}

TEST(Vtu, PiecesAreJoined) {
  const TetMesh mesh = read("a.vtu", vtu_of(std::string(vtu_piece) + vtu_piece));
  EXPECT_EQ(mesh.vertices.size(), 10U);
  ASSERT_EQ(mesh.tets.size(), 4U);
  EXPECT_EQ(mesh.tets[2], (std::array<int, 4>{5, 6, 7, 8}));
  expect_field(mesh, "young", {1e5, 2e5, 1e5, 2e5});
}

// The seeds of the fuzzer have the encodings of VTU, and every other format in all its variants.
TEST(TetFormats, EverySeedOfTheFuzzerIsTheSameTwoTets) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(SUPPLE_SOURCE_DIR) / "fuzz/corpus/tet_mesh")) {
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    const std::string name = entry.path().filename().string();
    const std::string content = bytes.substr(1);
    TetMesh mesh;
    if (name.starts_with("medit")) {
      mesh = parse_medit(content, name);
    } else if (name.starts_with("gmsh")) {
      mesh = parse_gmsh(content, name);
    } else if (name.starts_with("tetgen")) {
      const std::size_t cut = content.find("----\n");
      mesh = parse_tetgen(content.substr(0, cut), name, content.substr(cut + 5), name);
    } else if (name.starts_with("vtk")) {
      mesh = parse_vtk(content, name);
    } else if (name.starts_with("vtu")) {
      mesh = parse_vtu(content, name);
      expect_field(mesh, "young", {1e5, 2e5});
    } else {
      continue;  // an input that once crashed
    }
    SCOPED_TRACE(name);
    expect_two_tets(mesh);
    ++files;
  }
  EXPECT_GE(files, 21U);
}

}  // namespace
}  // namespace supple
