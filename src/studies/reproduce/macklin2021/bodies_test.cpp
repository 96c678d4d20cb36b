#include "studies/reproduce/macklin2021/bodies.h"

#include <gtest/gtest.h>

#include <cmath>

namespace supple::reproduce::macklin2021 {
namespace {

std::vector<double> scaled(const Scene& scene, double x, double y, double z) {
  std::vector<double> positions = rest_positions(scene);
  for (std::size_t i = 0; i < positions.size(); i += 3) {
    positions[i] *= x;
    positions[i + 1] *= y;
    positions[i + 2] *= z;
  }
  return positions;
}

TEST(MeshQuality, OfARegularTetrahedron) {
  const MeshQuality worst = quality(generate(TetrahedronGenerator{}));
  EXPECT_NEAR(worst.smallest_angle, 60, 1e-10);
  EXPECT_NEAR(worst.largest_edge_ratio, 1, 1e-12);
  EXPECT_EQ(worst.inverted, 0);
}

TEST(MeshQuality, OfAThinTet) {
  TetMesh mesh;
  mesh.vertices = {{0, 0, 0}, {0.01, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.tets = {{0, 1, 2, 3}};
  MeshQuality worst = quality(mesh);
  EXPECT_NEAR(worst.largest_edge_ratio, std::sqrt(2) / 0.01, 1e-9);
  // In the face that has both short and long edges: atan(0.01).
  EXPECT_NEAR(worst.smallest_angle, std::atan(0.01) * 180 / 3.14159265358979, 1e-9);
  EXPECT_EQ(worst.inverted, 0);
  std::swap(mesh.tets[0][2], mesh.tets[0][3]);
  EXPECT_EQ(quality(mesh).inverted, 1);
}

// As bad as the paper's: 40k tets, smallest face angle below 0.3 degrees, edge ratio of 67:1.
TEST(CrazyCube, IsAsBadAsThePapers) {
  const TetMesh mesh = crazy_cube(20);
  EXPECT_EQ(mesh.tets.size(), 40000U);
  const MeshQuality worst = quality(mesh);
  EXPECT_LT(worst.smallest_angle, 0.3);
  EXPECT_GE(worst.smallest_angle, 0.2);
  EXPECT_GT(worst.largest_edge_ratio, 66);
  EXPECT_LE(worst.largest_edge_ratio, 67);
  EXPECT_EQ(worst.inverted, 0);
}

TEST(CrazyCube, IsStillACubeAndTheSameEveryTime) {
  const TetMesh mesh = crazy_cube(4);
  const TetMesh lattice = generate(BoxGenerator{.size = {1, 1, 1}, .cells = {4, 4, 4}});
  EXPECT_EQ(mesh.vertices, crazy_cube(4).vertices);
  EXPECT_EQ(mesh.tets, lattice.tets);
  double volume = 0;
  for (const double v : tet_volumes(mesh)) volume += v;
  EXPECT_NEAR(volume, 1, 1e-12) << "the surface is where it was";
  int moved = 0;
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_LE(std::abs(mesh.vertices[i][k]), 0.5);
      if (mesh.vertices[i][k] != lattice.vertices[i][k]) ++moved;
    }
  }
  EXPECT_GT(moved, 100) << "of 3 * 27 inner and the coordinates along the surface";
}

TEST(Bodies, VolumeIsMeasuredOverThatOfTheRestShape) {
  const Scene scene = scene_of("cube", crazy_cube(2), 0.3);
  EXPECT_NEAR(volume_ratio(scene, scaled(scene, 1, 1, 1)), 1, 1e-12);
  EXPECT_NEAR(volume_ratio(scene, scaled(scene, 2, 3, 0.5)), 3, 1e-12);
  EXPECT_NEAR(volume_ratio(scene, scaled(scene, -1, 1, 1)), -1, 1e-12);
}

TEST(Bodies, InvertedTetsAreCounted) {
  const Scene scene = scene_of("cube", generate(BoxGenerator{.cells = {2, 2, 2}}), 0.3);
  EXPECT_EQ(count_inverted(scene, scaled(scene, 2, 1, 1)), 0);
  EXPECT_EQ(count_inverted(scene, scaled(scene, 1, 0, 1)), 0) << "flat is not inverted";
  EXPECT_EQ(count_inverted(scene, scaled(scene, 1, -1, 1)), 40);
}

TEST(Bodies, DistanceIsOverTheDiagonal) {
  const Scene scene = scene_of("cube", generate(BoxGenerator{}), 0.3);
  const std::vector<double> rest = rest_positions(scene);
  std::vector<double> away = rest;
  for (double& value : away) value += 0.1;
  EXPECT_NEAR(distance(scene, rest, away), 0.1, 1e-12) << "0.1 sqrt(3) over sqrt(3)";
}

TEST(Bodies, AtARatioOfOneHalfNothingGivesWay) {
  const MaterialSettings material = material_of("stable_neo_hookean", 0.5);
  EXPECT_TRUE(std::isinf(material.lambda.value));
  EXPECT_DOUBLE_EQ(material.mu.value, young / 3);
}

TEST(Bodies, AHeldFaceIsThatFace) {
  const TetMesh mesh = generate(BoxGenerator{.size = {1, 1, 1}, .cells = {2, 2, 2}});
  const Pin pin = hold_face(mesh, 0, 0.5, {});
  int held = 0;
  for (const Vec3& X : mesh.vertices) {
    bool inside = true;
    for (std::size_t k = 0; k < 3; ++k) {
      inside = inside && X[k] >= pin.box.min[k] && X[k] <= pin.box.max[k];
    }
    if (inside) ++held;
  }
  EXPECT_EQ(held, 9);
}

}  // namespace
}  // namespace supple::reproduce::macklin2021
