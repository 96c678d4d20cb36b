#include <gtest/gtest.h>

#include "io/meshes/test_files.h"
#include "supple/io.h"

namespace supple {
namespace {

using testing::bytes_of;
using testing::error_of;
using testing::TemporaryFolder;

/// A file that must be refused.
struct Broken {
  const char* what;
  const char* file;  ///< its name; the ending selects the format
  std::string bytes;
  const char* place;    ///< what `where` ends with
  const char* message;  ///< what the message contains
};

class Brokens : public ::testing::Test {
 protected:
  template <typename Read>
  static void expect_refused(const std::vector<Broken>& table, Read read) {
    for (const Broken& broken : table) {
      SCOPED_TRACE(broken.what);
      const TemporaryFolder folder;
      const std::filesystem::path file = folder.write(broken.file, broken.bytes);
      const auto error = error_of([&] { read(file); });
      ASSERT_TRUE(error) << "accepted";
      EXPECT_EQ(error->kind(), ErrorKind::bad_file);
      EXPECT_EQ(error->where(), file.string() + broken.place);
      EXPECT_NE(error->message().find(broken.message), std::string::npos)
          << "the message is: " << error->message();
    }
  }
};

const std::string medit_head = "MeshVersionFormatted 1\nDimension 3\n";
const std::string medit_vertices = "Vertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n";
const std::string medit_start = medit_head + medit_vertices;  // 8 lines

std::vector<Broken> broken_medit() {
  return {
      {"not MEDIT at all", "a.mesh", "hello\n", ":1", "expected 'MeshVersionFormatted'"},
      {"unknown version", "a.mesh", "MeshVersionFormatted 9\n", ":1", "version 9"},
      {"two dimensions", "a.mesh", "MeshVersionFormatted 1\nDimension 2\n", ":2", "expected 3"},
      {"no dimension", "a.mesh", "MeshVersionFormatted 1\n" + medit_vertices + "Tetrahedra 0\n", "",
       "'Dimension'"},
      {"no vertices", "a.mesh", medit_head + "Tetrahedra\n1\n1 2 3 4 0\n", "", "'Vertices'"},
      {"no tets", "a.mesh", medit_start + "Triangles\n1\n1 2 3 0\nEnd\n", "",
       "there are no tetrahedra"},
      {"misspelt keyword", "a.mesh", medit_head + "Vertixes\n0\n", ":3",
       "did you mean 'Vertices'?"},
      {"NaN", "a.mesh", medit_head + "Vertices\n1\n0 nan 0 0\n", ":5",
       "expected a finite number (coordinate of vertex 0), found 'nan'"},
      {"infinity", "a.mesh", medit_head + "Vertices\n1\n0 0 1e999 0\n", ":5", "found '1e999'"},
      {"a word for a number", "a.mesh", medit_head + "Vertices\n2\n0 0 0 0\n0 x 0 0\n", ":6",
       "(coordinate of vertex 1), found 'x'"},
      {"too few vertices", "a.mesh",
       medit_head + "Vertices\n3\n0 0 0 0\n1 0 0 0\nTetrahedra\n1\n1 2 3 4 0\n", ":7",
       "found 'Tetrahedra'"},
      {"too many vertices", "a.mesh", medit_head + "Vertices\n1\n0 0 0 0\n1 0 0 0\n", ":6",
       "more vertices than the 1 announced"},
      {"too many tets", "a.mesh", medit_start + "Tetrahedra\n1\n1 2 3 4 0\n1 2 3 4 0\n", ":12",
       "more tetrahedra than the 1 announced"},
      {"a count beyond all memory", "a.mesh", medit_head + "Vertices\n9000000000000000000\n", ":4",
       "but only 1 bytes follow"},
      {"a negative count", "a.mesh", medit_head + "Vertices\n-1\n", ":4", "expected 0 or more"},
      {"vertices twice", "a.mesh", medit_start + medit_vertices, ":9", "a second list of vertices"},
      {"an index of 0", "a.mesh", medit_start + "Tetrahedra\n1\n0 1 2 3 0\n", ":11",
       "tet 0 (counted from 0) (vertices 0 1 2 3) has a corner out of range: vertices are "
       "numbered 1 to 4"},
      {"an index too large", "a.mesh", medit_start + "Tetrahedra\n2\n1 2 3 4 0\n1 2 3 5 0\n", ":12",
       "tet 1 (counted from 0) (vertices 1 2 3 5) has a corner out of range"},
      {"an index beyond an int", "a.mesh", medit_start + "Tetrahedra\n1\n1 2 3 4294967298 0\n",
       ":11", "out of range"},
      {"a repeated vertex", "a.mesh", medit_start + "Tetrahedra\n1\n1 2 3 2 0\n", ":11",
       "names a vertex twice"},
      {"a flat tet", "a.mesh",
       medit_head + "Vertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n1 1 0 0\nTetrahedra\n1\n1 2 3 4 0\n",
       ":11", "has no volume"},
      {"a tet before its vertices", "a.mesh",
       medit_head + "Tetrahedra\n1\n1 2 3 9 0\n" + medit_vertices, ":5", "out of range"},
      {"cut off within a tet", "a.mesh", medit_start + "Tetrahedra\n1\n1 2 3     ", ":11",
       "the file ends where corner of tet 0 was expected"},
      {"something after the end", "a.mesh", medit_start + "Tetrahedra\n1\n1 2 3 4 0\nEnd\nmore\n",
       ":13", "expected the file to end after End, found 'more'"},
  };
}

TEST_F(Brokens, MeditIsRefusedWithItsLine) {
  expect_refused(broken_medit(), [](const auto& file) { read_tet_mesh(file); });
}

std::vector<Broken> broken_gmsh() {
  const std::string head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
  const std::string nodes = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n";
  const std::string start = head + nodes;  // 10 lines
  const std::string tet = "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n";
  const std::string head_4 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
  std::string binary = "$MeshFormat\n2.2 1 8\n" + bytes_of<int>({1}, false);
  binary += "\n$EndMeshFormat\n$Nodes\n1\n" + bytes_of<int>({1}, false);
  return {
      {"not Gmsh at all", "a.msh", "solid\n", ":1", "expected a section"},
      {"no format", "a.msh", nodes, ":1", "expected the section $MeshFormat"},
      {"version 4.0", "a.msh", "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n", ":2",
       "version '4.0' is not read: expected 2.2 or 4.1"},
      {"numbers of 4 bytes", "a.msh", "$MeshFormat\n2.2 0 4\n$EndMeshFormat\n", ":2", "expected 8"},
      {"a section without its end", "a.msh", head + "$Comments\nabc\n", ":4", "has no end"},
      {"no nodes", "a.msh", head + tet, "", "no section $Nodes"},
      {"no elements", "a.msh", start, "", "no section $Elements"},
      {"fewer nodes than announced", "a.msh", head + "$Nodes\n2\n1 0 0 0\n$EndNodes\n", ":7",
       "found '$EndNodes'"},
      {"more nodes than announced", "a.msh", head + "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n",
       ":7", "expected '$EndNodes', found '2'"},
      {"a node twice", "a.msh", head + "$Nodes\n2\n7 0 0 0\n7 1 0 0\n$EndNodes\n", ":7",
       "node 7 occurs twice"},
      {"a node that is not there", "a.msh", start + "$Elements\n1\n1 4 0 1 2 3 77\n$EndElements\n",
       ":13", "(vertices 1 2 3 77) has a corner out of range"},
      {"an unknown element", "a.msh", start + "$Elements\n1\n1 777 0 1\n$EndElements\n", ":13",
       "element type 777 is not known"},
      {"tets of second order alone", "a.msh",
       start + "$Elements\n1\n1 11 0 1 2 3 4 1 1 1 1 1 1\n$EndElements\n", "",
       "of second order (10 nodes)"},
      {"data for some tets", "a.msh",
       start + "$Elements\n2\n1 4 0 1 2 3 4\n2 4 0 1 2 4 3\n$EndElements\n$ElementData\n1\n"
               "\"young\"\n1\n0\n3\n0\n1\n1\n1 5\n$EndElementData\n",
       ":17", "$ElementData 'young' gives 1 values for 2 tets"},
      {"a value that is not finite", "a.msh",
       start + tet + "$ElementData\n1\n\"young\"\n1\n0\n3\n0\n1\n1\n1 inf\n$EndElementData\n",
       ":24", "found 'inf'"},
      {"4.1: blocks against the total", "a.msh",
       head_4 + "$Nodes\n1 3 1 2\n3 1 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n", ":10",
       "$Nodes announces 3 nodes, its blocks hold 2"},
      {"4.1: a block beyond all memory", "a.msh",
       head_4 + "$Nodes\n1 3 1 2\n3 1 0 4611686018427387904\n1\n", ":6", "bytes follow"},
      {"binary: cut off", "a.msh", binary + "abc", ": byte 47", "bytes follow"},
      {"binary: no byte order", "a.msh",
       "$MeshFormat\n2.2 1 8\n" + bytes_of<int>({7}, false) + "\n$EndMeshFormat\n", ": byte 20",
       "the order of bytes"},
      {"binary: NaN", "a.msh", binary + std::string(24, '\xFF') + "\n$EndNodes\n", ": byte 53",
       "expected a finite number (a coordinate of node 0)"},
  };
}

TEST_F(Brokens, GmshIsRefusedWithItsPlace) {
  expect_refused(broken_gmsh(), [](const auto& file) { read_tet_mesh(file); });
}

std::vector<Broken> broken_vtk() {
  const std::string head = "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\n";
  const std::string points = "POINTS 4 double\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
  const std::string start = head + points;  // 9 lines
  const std::string cells = "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n";
  std::string binary = "# vtk DataFile Version 3.0\ntitle\nBINARY\nDATASET UNSTRUCTURED_GRID\n";
  binary += "POINTS 1 float\n";
  return {
      {"not VTK at all", "a.vtk", "solid\n", ":1", "expected '# vtk DataFile Version'"},
      {"another data set", "a.vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\n",
       ":4", "'POLYDATA'"},
      {"an unknown type", "a.vtk", head + "POINTS 1 duble\n0 0 0\n", ":5",
       "did you mean 'double'?"},
      {"a misspelt keyword", "a.vtk", start + "CELL 1 5\n", ":10", "did you mean 'CELLS'?"},
      {"NaN", "a.vtk", head + "POINTS 1 double\n0 nan 0\n", ":6", "found 'nan'"},
      {"a list of another length", "a.vtk", start + "CELLS 1 6\n4 0 1 2 3 0\nCELL_TYPES 1\n10\n",
       ":11", "its 1 cells take 5"},
      {"a cell longer than the list", "a.vtk", start + "CELLS 1 5\n9 0 1 2 3\n", ":11",
       "announces 9 corners"},
      {"another number of types", "a.vtk", start + "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n10 10\n",
       ":12", "2 cell types for 1 cells"},
      {"a tet of three corners", "a.vtk", start + "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", ":11",
       "a tet of 3 corners"},
      {"an index out of range", "a.vtk", start + "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n", ":11",
       "vertices are numbered 0 to 3"},
      {"no cells", "a.vtk", start, "", "no CELLS"},
      {"data of another length", "a.vtk", start + cells + "CELL_DATA 2\n", ":14",
       "CELL_DATA announces 2 values for 1 cells"},
      {"data cut off", "a.vtk", start + cells + "CELL_DATA 1\nSCALARS a double\nLOOKUP_TABLE b\n",
       ":17", "the file ends"},
      {"offsets that decrease", "a.vtk",
       start + "CELLS 3 4\nOFFSETS vtktypeint64\n0 5 4\nCONNECTIVITY vtktypeint64\n0 1 2 3\n",
       ":10", "decrease"},
      {"binary: cut off", "a.vtk", binary + "abc", ": byte 75", "but only 3 bytes follow"},
  };
}

TEST_F(Brokens, VtkIsRefusedWithItsPlace) {
  expect_refused(broken_vtk(), [](const auto& file) { read_tet_mesh(file); });
}

/// A VTU of one tet, with the given arrays in place of the valid ones.
std::string vtu(const std::string& points, const std::string& cells,
                const std::string& attributes = "") {
  return "<VTKFile type=\"UnstructuredGrid\"" + attributes +
         ">\n<UnstructuredGrid>\n"
         "<Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n<Points>\n" +
         points + "</Points>\n<Cells>\n" + cells +
         "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
}

std::string array(const std::string& type, const std::string& attributes,
                  const std::string& content) {
  return "<DataArray type=\"" + type + "\" " + attributes + ">\n" + content + "</DataArray>\n";
}

std::vector<Broken> broken_vtu() {
  const std::string points =
      array("Float64", "NumberOfComponents=\"3\"", "0 0 0\n1 0 0\n0 1 0\n0 0 1\n");
  const std::string offsets = array("Int32", "Name=\"offsets\"", "4\n");
  const std::string types = array("UInt8", "Name=\"types\"", "10\n");
  const auto corners = [&](const std::string& text) {
    return array("Int32", "Name=\"connectivity\"", text) + offsets + types;
  };
  const std::string good = corners("0 1 2 3\n");
  return {
      {"not XML", "a.vtu", "<VTKFile <>\n</VTKFile>", ":1", "this is not XML"},
      {"cut off", "a.vtu", vtu(points, good).substr(0, 200), ":11",
       "expected the file to end with </VTKFile>"},
      {"something after the end", "a.vtu", vtu(points, good) + "more\n", ":26",
       "expected the file to end with </VTKFile>"},
      {"another kind of grid", "a.vtu", "<VTKFile type=\"PolyData\">\n</VTKFile>", ":1",
       "'PolyData': expected 'UnstructuredGrid'"},
      {"an unknown compressor", "a.vtu", vtu(points, good, " compressor=\"vtkLZ4DataCompressor\""),
       ":1", "vtkLZ4DataCompressor"},
      {"NaN", "a.vtu",
       vtu(array("Float64", "NumberOfComponents=\"3\"", "0 0 0\n1 nan 0\n0 1 0\n0 0 1\n"), good),
       ":7", "found 'nan'"},
      {"too few coordinates", "a.vtu",
       vtu(array("Float64", "NumberOfComponents=\"3\"", "0 0 0\n1 0 0\n"), good), ":8",
       "ends after 6 of 12 values"},
      {"too many corners", "a.vtu", vtu(points, corners("0 1 2 3 0\n")), ":14",
       "more than 4 values"},
      {"an index out of range", "a.vtu", vtu(points, corners("0 1 2 4\n")), ":14",
       "index out of range"},
      {"a repeated vertex", "a.vtu", vtu(points, corners("0 1 2 2\n")), ":14",
       "names a vertex twice"},
      {"an unknown type", "a.vtu", vtu(array("Float46", "NumberOfComponents=\"3\"", "0\n"), good),
       ":5", "did you mean 'Float64'?"},
      {"base64 that ends early", "a.vtu",
       vtu(array("Float64", "NumberOfComponents=\"3\" format=\"binary\"", "YAAAAAAA\n"), good),
       ":5", "ends early or is not base64"},
      {"a size of another array", "a.vtu",
       vtu(array("Float64", "NumberOfComponents=\"3\" format=\"binary\"", "BAAAAAAAAAA=\n"), good),
       ":5", "the array has 4 bytes: expected 96"},
      {"nothing appended", "a.vtu",
       vtu(array("Float64", "NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"", ""), good),
       ":5", "there is no AppendedData"},
      {"more points than the file can hold", "a.vtu",
       "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>\n<Piece "
       "NumberOfPoints=\"900000000000\" NumberOfCells=\"1\"/></UnstructuredGrid></VTKFile>",
       ":2", "more points or cells than the file can hold"},
  };
}

TEST_F(Brokens, VtuIsRefusedWithItsLine) {
  expect_refused(broken_vtu(), [](const auto& file) { read_tet_mesh(file); });
}

/// TetGen's two files, one of them broken.
struct BrokenPair {
  const char* what;
  std::string nodes, tets;
  const char* place;
  const char* message;
};

TEST_F(Brokens, TetGenIsRefusedWithFileAndLine) {
  const std::string nodes = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
  const std::string tets = "1 4 0\n1 1 2 3 4\n";
  const std::vector<BrokenPair> table{
      {"two dimensions", "2 2\n1 0 0\n2 1 0\n", tets, "a.node:1", "dimension 2: expected 3"},
      {"a first number of 5", "1 3\n5 0 0 0\n", tets, "a.node:2", "expected 0 or 1"},
      {"numbers out of order", "2 3\n0 0 0 0\n2 0 0 0\n", tets, "a.node:3", "expected number 1"},
      {"a line too short", "2 3\n0 0 0\n1 0 0 0\n", tets, "a.node:2", "the line ends"},
      {"a line too long", "2 3\n0 0 0 0 7\n1 0 0 0\n", tets, "a.node:2",
       "expected the line to end"},
      {"infinity", "1 3\n0 0 0 inf\n", tets, "a.node:2", "found 'inf'"},
      {"more nodes than announced", nodes + "5 1 1 1\n", tets, "a.node:6",
       "expected the file to end"},
      {"an index out of range", nodes, "1 4 0\n1 0 1 2 3\n", "a.ele:2",
       "vertices are numbered 1 to 4"},
      {"fewer tets than announced", nodes, "2 4\n1 1 2 3 4\n# no more     \n", "a.ele:4",
       "the file ends where number of tet 1 was expected"},
      {"more tets than announced", nodes, tets + "2 1 2 3 4\n", "a.ele:3",
       "expected the file to end"},
      {"five corners", nodes, "1 5\n1 1 2 3 4 5\n", "a.ele:1", "expected 4 or 10"},
      {"an attribute that is missing", nodes, "1 4 1\n1 1 2 3 4\n", "a.ele:2", "the line ends"},
  };
  for (const BrokenPair& broken : table) {
    SCOPED_TRACE(broken.what);
    const TemporaryFolder folder;
    folder.write("a.node", broken.nodes);
    folder.write("a.ele", broken.tets);
    const auto error = error_of([&] { read_tet_mesh(folder.path() / "a.ele"); });
    ASSERT_TRUE(error) << "accepted";
    EXPECT_EQ(error->kind(), ErrorKind::bad_file);
    EXPECT_EQ(error->where(), (folder.path() / broken.place).string());
    EXPECT_NE(error->message().find(broken.message), std::string::npos) << error->message();
  }
}

std::vector<Broken> broken_surfaces() {
  const std::string triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  const std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
      "property float y\nproperty float z\nelement face 1\n"
      "property list uchar int vertex_indices\nend_header\n";  // 9 lines
  const std::string facet = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n";
  std::string stl(80, '\0');
  stl += bytes_of<std::uint32_t>({1}, false);
  return {
      {"OBJ: no faces", "a.obj", triangle, "", "there are no triangles"},
      {"OBJ: a coordinate that is no number", "a.obj", "v 0 abc 0\n", ":1", "found 'abc'"},
      {"OBJ: NaN", "a.obj", "v 0 0 0\nv 0 nan 0\n", ":2", "found 'nan'"},
      {"OBJ: two coordinates", "a.obj", "v 0 0\nv 0 0 0\n", ":1", "the line ends"},
      {"OBJ: an index out of range", "a.obj", triangle + "f 1 2 9\n", ":4",
       "names vertex 9: vertices are numbered 1 to 3"},
      {"OBJ: an index of 0", "a.obj", triangle + "f 0 1 2\n", ":4", "names vertex 0"},
      {"OBJ: an index before the first", "a.obj", triangle + "f -1 -2 -4\n", ":4",
       "only 3 stand before it"},
      {"OBJ: two corners", "a.obj", triangle + "f 1 2\n", ":4", "expected at least 3"},
      {"OBJ: a corner that is none", "a.obj", triangle + "f 1 2 x\n", ":4", "expected a corner"},
      {"OBJ: an unknown statement", "a.obj", triangle + "vq 1\n", ":4",
       "there is no OBJ statement 'vq'"},
      {"PLY: not PLY", "a.ply", "solid\n", ":1", "expected 'ply'"},
      {"PLY: an unknown format", "a.ply", "ply\nformat asci 1.0\n", ":2", "did you mean 'ascii'?"},
      {"PLY: an unknown type", "a.ply",
       "ply\nformat ascii 1.0\nelement vertex 1\nproperty flot x\n", ":4", "did you mean 'float'?"},
      {"PLY: no z", "a.ply",
       "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n"
       "0 0\n",
       "", "no property 'z'"},
      {"PLY: a count beyond all memory", "a.ply",
       "ply\nformat ascii 1.0\nelement vertex 1000000000000\nproperty float x\nproperty float y\n"
       "property float z\nend_header\n0 0 0\n",
       ":8", "announces 1000000000000 entries"},
      {"PLY: an index out of range", "a.ply", ply + "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", ":13",
       "names vertex 3"},
      {"PLY: a line too long", "a.ply", ply + "0 0 0 9\n1 0 0\n0 1 0\n3 0 1 2\n", ":10",
       "expected the line to end"},
      {"PLY: cut off", "a.ply", ply + "0 0 0\n1 0 0\n0 1 0\n", ":13", "announces 1 entries"},
      {"PLY: something after the end", "a.ply", ply + "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n7\n", ":14",
       "expected the file to end"},
      {"STL: cut off", "a.stl", facet, ":6", "the file ends where 'vertex' was expected"},
      {"STL: four corners", "a.stl",
       facet + "vertex 1 1 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n", ":7",
       "expected 'endloop', found 'vertex'"},
      {"STL: nothing in it", "a.stl", "solid a\nendsolid a\n", "", "there are no triangles"},
      {"STL: binary of another length", "a.stl", stl + std::string(10, 'x'), ": byte 80",
       "but only 10 bytes follow"},
      {"STL: binary with bytes at the end", "a.stl", stl + std::string(51, '\0'), ": byte 134",
       "1 bytes follow the 1 facets"},
      {"STL: binary with NaN", "a.stl",
       stl + std::string(12, '\0') + std::string(36, '\xFF') + std::string(2, '\0'), ": byte 96",
       "expected a finite number"},
      {"OFF: not OFF", "a.off", "OF\n", ":1", "expected 'OFF', found 'OF'"},
      {"OFF: binary", "a.off", "OFF BINARY\n", ":1", "binary OFF is not read"},
      {"OFF: a count too large", "a.off", "OFF\n1 99999 0\n0 0 0\n", ":2", "number of faces is"},
      {"OFF: an index out of range", "a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 5\n", ":6",
       "names vertex 5"},
      {"OFF: fewer corners than announced", "a.off",
       "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n4 0 1 2\n3 0 1 2\n", ":6", "corner 3 of 4"},
      {"OFF: something after the end", "a.off",
       "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 2\n", ":7", "expected the file to end"},
  };
}

TEST_F(Brokens, SurfacesAreRefusedWithTheirPlace) {
  expect_refused(broken_surfaces(), [](const auto& file) { read_triangle_mesh(file); });
}

// ------------------------------------------------------------------------------ files

TEST(ReadMesh, AFileThatIsNotThereIsRefused) {
  const auto error = error_of([] { read_tet_mesh("no/such/bar.mesh"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::bad_file);
  EXPECT_EQ(std::string(error->what()), "no/such/bar.mesh: there is no such file");
}

TEST(ReadMesh, AnEmptyFileIsRefused) {
  const TemporaryFolder folder;
  const auto error = error_of([&] { read_tet_mesh(folder.write("a.mesh", "")); });
  ASSERT_TRUE(error);
  EXPECT_NE(error->message().find("is empty"), std::string::npos);
}

TEST(ReadMesh, AFolderIsRefused) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "a.mesh");
  const auto error = error_of([&] { read_tet_mesh(folder.path() / "a.mesh"); });
  ASSERT_TRUE(error);
  EXPECT_NE(error->message().find("is a folder"), std::string::npos);
}

TEST(ReadMesh, AFileOfMoreThanFourGigabytesIsRefused) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.write("a.mesh", "MeshVersionFormatted 1\n");
  std::error_code code;
  std::filesystem::resize_file(file, (std::uintmax_t{1} << 32U) + 1, code);  // a sparse file
  if (code) GTEST_SKIP() << "the file system of the temporary folder has no sparse files";
  const auto error = error_of([&] { read_tet_mesh(file); });
  ASSERT_TRUE(error);
  EXPECT_NE(error->message().find("expected at most 4294967296"), std::string::npos);
}

TEST(ReadMesh, AnUnknownEndingNamesThoseKnown) {
  const auto tets = error_of([] { read_tet_mesh("bar.mseh"); });
  ASSERT_TRUE(tets);
  EXPECT_EQ(tets->kind(), ErrorKind::bad_file);
  EXPECT_EQ(tets->where(), "bar.mseh");
  EXPECT_NE(tets->message().find("did you mean '.mesh'"), std::string::npos);
  EXPECT_NE(tets->message().find(".mesh, .msh, .node, .ele, .vtk, .vtu"), std::string::npos);
  const auto surface = error_of([] { read_triangle_mesh("bar"); });
  ASSERT_TRUE(surface);
  EXPECT_NE(surface->message().find(".obj, .ply, .stl, .off"), std::string::npos);
}

TEST(ReadMesh, ASurfaceInThePlaceOfTetsIsNamedAsSuch) {
  const auto tets = error_of([] { read_tet_mesh("bar.OBJ"); });
  ASSERT_TRUE(tets);
  EXPECT_NE(tets->message().find("'.obj' holds a surface: expected a tetrahedral mesh"),
            std::string::npos);
  const auto surface = error_of([] { read_triangle_mesh("bar.vtu"); });
  ASSERT_TRUE(surface);
  EXPECT_NE(surface->message().find("holds a tetrahedral mesh: expected a surface"),
            std::string::npos);
}

TEST(ReadMesh, AMissingPairIsNamed) {
  const TemporaryFolder folder;
  const auto file = folder.write("body.node", "4 3\n");
  const auto error = error_of([&] { read_tet_mesh(file); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->where(), file.string());
  EXPECT_NE(error->message().find("its companion file is missing: expected 'body.ele'"),
            std::string::npos);
  const auto other = folder.write("other.ele", "1 4\n");
  const auto missing_node = error_of([&] { read_tet_mesh(other); });
  ASSERT_TRUE(missing_node);
  EXPECT_NE(missing_node->message().find("expected 'other.node'"), std::string::npos);
}

}  // namespace
}  // namespace supple
