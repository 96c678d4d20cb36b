#include "elements/fiber_field.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/index.h"
#include "supple/error.h"

namespace supple {
namespace {

constexpr double pi = 3.14159265358979323846;

LaplaceFibers between(Box from, Box to) { return {{from, {}}, {to, {}}}; }

std::vector<Vec3> directions(const TetMesh& mesh, const LaplaceFibers& fibers) {
  Threads one(1);
  return laplace_directions(mesh, fibers, "/bodies/0/fiber/laplace", one);
}

const Box left{{-2.001, -9, -9}, {-1.999, 9, 9}}, right{{1.999, -9, -9}, {2.001, 9, 9}};

TEST(FiberField, InABarItIsItsAxis) {
  const TetMesh bar = generate(BoxGenerator{.size = {4, 1, 1}, .cells = {8, 3, 3}});
  for (const Vec3& d : directions(bar, between(left, right))) {
    // u is linear, and linear tets represent it exactly: only rounding of the solve is left.
    EXPECT_NEAR(d[0], 1, 1e-12);
    EXPECT_NEAR(d[1], 0, 1e-10);
    EXPECT_NEAR(d[2], 0, 1e-10);
  }
}

TEST(FiberField, PointsFromTheFirstSetToTheSecond) {
  const TetMesh bar = generate(BoxGenerator{.size = {4, 1, 1}, .cells = {4, 1, 1}});
  for (const Vec3& d : directions(bar, between(right, left))) EXPECT_NEAR(d[0], -1, 1e-12);
}

/// A quarter of a ring between the radii 1 and 2 about z: a bent bar.
TetMesh quarter_ring(int cells) {
  TetMesh mesh = generate(
      BoxGenerator{.size = {1, 1, 0.2}, .cells = {2 * cells, cells, 1}, .tets_per_cell = 6});
  for (Vec3& x : mesh.vertices) {
    const double angle = (x[0] + 0.5) * pi / 2, r = x[1] + 1.5;
    x = {r * std::sin(angle), r * std::cos(angle), x[2]};
  }
  normalise(mesh, "test");
  return mesh;
}

/// Mean of 1 - cos of the angle between the field and the arc.
double error_in_ring(int cells) {
  const TetMesh mesh = quarter_ring(cells);
  const Box top{{-1e-9, -9, -9}, {1e-9, 9, 9}}, side{{-9, -1e-9, -9}, {9, 1e-9, 9}};
  const std::vector<Vec3> field = directions(mesh, between(top, side));
  double sum = 0;
  for (std::size_t t = 0; t < field.size(); ++t) {
    double x = 0, y = 0;
    for (const int vertex : mesh.tets[t]) {
      x += mesh.vertices[at(vertex)][0];
      y += mesh.vertices[at(vertex)][1];
    }
    const double r = std::hypot(x, y);
    sum += 1 - (field[t][0] * y - field[t][1] * x) / r;
  }
  return sum / static_cast<double>(field.size());
}

/// u depends on the angle alone.
TEST(FiberField, InAQuarterRingItFollowsTheArc) {
  const double coarse = error_in_ring(4), fine = error_in_ring(12);
  EXPECT_LT(fine, 1e-3);
  EXPECT_LT(fine, coarse / 6);  // 1 - cos is quadratic in the angle, which is linear in the edges
}

TEST(FiberField, RefusesSetsWithoutAWayBetweenThem) {
  const TetMesh bar = generate(BoxGenerator{.size = {4, 1, 1}, .cells = {4, 1, 1}});
  const auto place = [&](const TetMesh& mesh, const LaplaceFibers& fibers) -> std::string {
    try {
      directions(mesh, fibers);
    } catch (const Error& error) {
      return error.where();
    }
    return "taken";
  };
  const std::string where = "/bodies/0/fiber/laplace";
  EXPECT_EQ(place(bar, between(left, left)), where + "/to");
  EXPECT_EQ(place(bar, between(left, {{5, 5, 5}, {6, 6, 6}})), where + "/to");
  EXPECT_EQ(place(bar, between({}, right)), where + "/from");
  EXPECT_EQ(place(bar, {{{}, {0, 99}}, {right, {}}}), where + "/from/vertices");
  // A second part that neither set touches, and one that only one of the sets touches.
  TetMesh two = bar;
  const int n = static_cast<int>(bar.vertices.size());
  for (Vec3 x : bar.vertices) two.vertices.push_back({x[0], x[1] + 5, x[2]});
  for (auto tet : bar.tets) two.tets.push_back({tet[0] + n, tet[1] + n, tet[2] + n, tet[3] + n});
  const Box low_left{{-2.001, -9, -9}, {-1.999, 1, 9}}, low_right{{1.999, -9, -9}, {2.001, 1, 9}};
  EXPECT_EQ(place(two, between(left, right)), "taken");
  EXPECT_EQ(place(two, between(low_left, low_right)), where);
  EXPECT_EQ(place(two, between(left, low_right)), where);
}

}  // namespace
}  // namespace supple
