#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "mesh/tet_check.h"
#include "supple/error.h"
#include "supple/mesh.h"

namespace supple {
namespace {

TetMesh unit_tet() { return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}, {}}; }

std::string failure(TetMesh mesh) {
  try {
    normalise(mesh, "body.mesh");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_file);
    EXPECT_EQ(error.where(), "body.mesh");
    return error.message();
  }
  return "";
}

void expect_failure(const TetMesh& mesh, const std::string& fragment) {
  const std::string message = failure(mesh);
  EXPECT_NE(message.find(fragment), std::string::npos) << "message: '" << message << "'";
}

TEST(Normalise, AFlippedTetIsTurned) {
  TetMesh mesh = unit_tet();
  mesh.tets = {{0, 1, 2, 3}, {0, 2, 1, 3}};
  normalise(mesh, "body.mesh");
  EXPECT_EQ(mesh.tets[0], (std::array<int, 4>{0, 1, 2, 3}));
  // Exact: the unit tet has determinant 1.
  EXPECT_EQ(tet_volumes(mesh), (std::vector<double>{1.0 / 6, 1.0 / 6}));
}

TEST(Normalise, EveryOrderOfTheCornersEndsRightHanded) {
  std::array<int, 4> order{0, 1, 2, 3};
  do {
    TetMesh mesh = unit_tet();
    mesh.tets = {order};
    normalise(mesh, "body.mesh");
    EXPECT_GT(tet_volumes(mesh)[0], 0);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Normalise, UnreferencedAndEqualVerticesAreKept) {
  TetMesh mesh = unit_tet();
  mesh.vertices.insert(mesh.vertices.begin(), {7, 7, 7});
  mesh.vertices.push_back({0, 0, 0});  // equal to the tet's first corner
  mesh.tets = {{1, 2, 3, 4}};
  const std::vector<Vec3> before = mesh.vertices;
  normalise(mesh, "body.mesh");
  EXPECT_EQ(mesh.vertices, before);
  EXPECT_EQ(mesh.tets[0], (std::array<int, 4>{1, 2, 3, 4}));
}

TEST(Normalise, AMeshWithoutTetsIsRefused) {
  TetMesh mesh = unit_tet();
  mesh.tets.clear();
  expect_failure(mesh, "no tetrahedra");
}

TEST(Normalise, NonFiniteCoordinatesAreRefusedEvenWhereNoTetUsesThem) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    TetMesh mesh = unit_tet();
    mesh.vertices.push_back({0, bad, 0});
    expect_failure(mesh, "vertex 4 (counted from 0)");
  }
}

TEST(Normalise, IndicesOutOfRangeAreRefused) {
  for (const int bad : {-1, 4, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    TetMesh mesh = unit_tet();
    mesh.tets.push_back({0, 1, 2, bad});
    expect_failure(mesh, "tet 1 (counted from 0) (vertices 0 1 2 " + std::to_string(bad) +
                             ") has a corner out of range");
  }
}

TEST(Normalise, ARepeatedVertexIsRefused) {
  TetMesh mesh = unit_tet();
  mesh.tets.push_back({0, 3, 2, 3});
  expect_failure(mesh, "tet 1 (counted from 0) (vertices 0 3 2 3) names a vertex twice");
}

TEST(Normalise, AFieldOfAnotherLengthIsRefused) {
  TetMesh mesh = unit_tet();
  mesh.tet_fields["young"] = {1, 2};
  expect_failure(mesh, "field 'young' has 2 values for 1 tets");
}

TEST(Normalise, FlatnessIsJudgedRelativeToTheEdges) {
  // A tet of any size is sound. One whose fourth corner is off the plane of the others by 1e-16 of
  // its edges is flat at any size.
  for (const double size : {1e-90, 1e-12, 1.0, 1e12, 1e90}) {
    TetMesh mesh = unit_tet();
    for (Vec3& x : mesh.vertices) {
      for (double& coordinate : x) coordinate *= size;
    }
    EXPECT_EQ(failure(mesh), "") << size;
    mesh.vertices[3] = {size, size, 1e-16 * size};
    expect_failure(mesh, "no volume");
    mesh.vertices[3] = {size, size, 1e-14 * size};
    EXPECT_EQ(failure(mesh), "") << size;
  }
}

TEST(Normalise, ASliverOfVeryDifferentEdgesIsSound) {
  // Right-angled: the determinant is the product of the edges, whatever their lengths.
  TetMesh mesh = unit_tet();
  mesh.vertices = {{0, 0, 0}, {1e60, 0, 0}, {0, 1, 0}, {0, 0, 1e-60}};
  EXPECT_EQ(failure(mesh), "");
}

TEST(Normalise, CoincidentCornersHaveNoVolume) {
  TetMesh mesh = unit_tet();
  mesh.vertices[2] = mesh.vertices[0];
  expect_failure(mesh, "no volume");
}

TEST(Normalise, AVolumeThatADoubleCannotHoldIsRefused) {
  for (const double size : {1e-160, 1e-105, 1e104, 1e200, 1.7e308}) {
    TetMesh mesh = unit_tet();
    for (Vec3& x : mesh.vertices) {
      for (double& coordinate : x) coordinate = (coordinate - 0.5) * 2 * size;
    }
    expect_failure(mesh, "beyond the range of a double");
  }
}

TEST(TetCheck, TurningATetNegatesItsDeterminantExactly) {
  const std::vector<Vec3> vertices{
      {0.1, 0.7, -0.3}, {1.3, 0.2, 0.9}, {-0.4, 1.1, 0.6}, {0.8, -0.9, 1.7}};
  EXPECT_EQ(tet_determinant(vertices, {0, 1, 2, 3}), -tet_determinant(vertices, {0, 1, 3, 2}));
}

TEST(BoundingBox, HoldsAllVertices) {
  const Box box = bounding_box({{1, -2, 3}, {-1, 5, 3}, {0, 0, 4}});
  EXPECT_EQ(box.min, (Vec3{-1, -2, 3}));
  EXPECT_EQ(box.max, (Vec3{1, 5, 4}));
}

TEST(BoundingBox, OfNothingIsZero) {
  EXPECT_EQ(bounding_box({}).min, (Vec3{0, 0, 0}));
  EXPECT_EQ(bounding_box({}).max, (Vec3{0, 0, 0}));
}

}  // namespace
}  // namespace supple
