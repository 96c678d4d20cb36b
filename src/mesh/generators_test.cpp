#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mesh/lattice.h"
#include "supple/error.h"
#include "supple/mesh.h"

namespace supple {
namespace {

constexpr double pi = std::numbers::pi;

/// 6 sqrt 2 V / rms(edge)^3: 1 for the regular tet, 0 for a flat one.
double worst_quality(const TetMesh& mesh) {
  const std::vector<double> volumes = tet_volumes(mesh);
  double worst = 1;
  for (std::size_t t = 0; t < volumes.size(); ++t) {
    double squares = 0;
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = a + 1; b < 4; ++b) {
        const Vec3& x = mesh.vertices[static_cast<std::size_t>(mesh.tets[t][a])];
        const Vec3& y = mesh.vertices[static_cast<std::size_t>(mesh.tets[t][b])];
        for (std::size_t d = 0; d < 3; ++d) squares += (x[d] - y[d]) * (x[d] - y[d]);
      }
    }
    worst = std::min(worst, 6 * std::numbers::sqrt2 * volumes[t] / std::pow(squares / 6, 1.5));
  }
  return worst;
}

double total_volume(const TetMesh& mesh) {
  double sum = 0;
  for (const double volume : tet_volumes(mesh)) sum += volume;
  return sum;
}

int most_tets_at_a_face(const TetMesh& mesh) {
  std::map<std::array<int, 3>, int> count;
  int most = 0;
  for (const auto& tet : mesh.tets) {
    for (std::size_t left_out = 0; left_out < 4; ++left_out) {
      std::array<int, 3> face{};
      for (std::size_t c = 0, n = 0; c < 4; ++c) {
        if (c != left_out) face[n++] = tet[c];
      }
      std::sort(face.begin(), face.end());
      most = std::max(most, ++count[face]);
    }
  }
  return most;
}

/// Checks that each directed edge of the surface occurs once and its opposite too (closed and
/// consistently oriented), and returns vertices - edges + triangles.
int euler_characteristic_of_closed_surface(const TetMesh& mesh) {
  const auto triangles = surface_triangles(mesh);
  std::set<std::pair<int, int>> edges;
  std::set<int> vertices;
  for (const auto& t : triangles) {
    for (std::size_t c = 0; c < 3; ++c) {
      vertices.insert(t[c]);
      EXPECT_TRUE(edges.insert({t[c], t[(c + 1) % 3]}).second) << "a directed edge occurs twice";
    }
  }
  for (const auto& [a, b] : edges) EXPECT_TRUE(edges.contains({b, a})) << "an edge is open";
  return static_cast<int>(vertices.size()) - static_cast<int>(edges.size() / 2) +
         static_cast<int>(triangles.size());
}

void expect_sound(const TetMesh& mesh, int euler, double least_quality) {
  ASSERT_FALSE(mesh.tets.empty());
  for (const double volume : tet_volumes(mesh)) ASSERT_GT(volume, 0);
  EXPECT_GE(worst_quality(mesh), least_quality);
  EXPECT_EQ(most_tets_at_a_face(mesh), 2);
  EXPECT_EQ(euler_characteristic_of_closed_surface(mesh), euler);
  std::set<int> used;
  for (const auto& tet : mesh.tets) used.insert(tet.begin(), tet.end());
  EXPECT_EQ(used.size(), mesh.vertices.size()) << "a generator leaves no vertex unused";
}

template <typename Generator>
void expect_refused(const Generator& generator, const std::string& fragment) {
  try {
    generate(generator);
    ADD_FAILURE() << "accepted; expected an error with '" << fragment << "'";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
    EXPECT_NE(std::string(error.what()).find(fragment), std::string::npos) << error.what();
  }
}

TEST(BoxGenerator, FillsItsBoxConformingly) {
  for (const int per_cell : {5, 6}) {
    for (const std::array<int, 3> cells :
         {std::array<int, 3>{1, 1, 1}, {2, 1, 1}, {3, 2, 4}, {5, 5, 5}}) {
      const BoxGenerator box{{4, 1, 2}, cells, {1, -2, 3}, per_cell};
      const TetMesh mesh = generate(box);
      EXPECT_EQ(mesh.tets.size(),
                static_cast<std::size_t>(per_cell * cells[0] * cells[1] * cells[2]));
      // Cells of this test are up to 8 times as long as wide, so the bound is low.
      expect_sound(mesh, 2, 0.02);
      EXPECT_NEAR(total_volume(mesh), 8, 1e-12);  // rounding of at most 750 terms
      const Box bounds = bounding_box(mesh.vertices);
      EXPECT_EQ(bounds.min, (Vec3{-1, -2.5, 2}));  // exact: halves
      EXPECT_EQ(bounds.max, (Vec3{3, -1.5, 4}));
    }
  }
}

TEST(BoxGenerator, FiveTetsOfACubeAreBetterThanSix) {
  // The corner tets of a unit cube have volume 1/6 and edges 1 1 1 sqrt2 sqrt2 sqrt2: sqrt2 /
  // 1.5^1.5 = 0.7698; Kuhn's: sqrt2 / (10/6)^1.5 = 0.6573. Up to rounding.
  EXPECT_NEAR(worst_quality(generate(BoxGenerator{{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, 5})),
              std::numbers::sqrt2 / std::pow(1.5, 1.5), 1e-14);
  EXPECT_NEAR(worst_quality(generate(BoxGenerator{{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, 6})),
              std::numbers::sqrt2 / std::pow(10.0 / 6, 1.5), 1e-14);
}

TEST(BoxGenerator, MirrorsFiveTetsFromCellToCell) {
  const TetMesh mesh = generate(BoxGenerator{{2, 1, 1}, {2, 1, 1}, {0, 0, 0}, 5});
  // The second cell mirrors the first, and so do the centroids of its tets.
  std::set<std::array<long, 3>> left, right;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    std::array<long, 3> sum{};
    for (const int corner : mesh.tets[t]) {
      for (std::size_t d = 0; d < 3; ++d) {
        sum[d] += std::lround(2 * mesh.vertices[static_cast<std::size_t>(corner)][d]);
      }
    }
    if (sum[0] < 0) {
      left.insert({-sum[0], sum[1], sum[2]});
    } else {
      right.insert(sum);
    }
  }
  EXPECT_EQ(left.size(), 5U);
  EXPECT_EQ(left, right);
}

TEST(SphereGenerator, IsSoundAtEverySize) {
  for (const int cells : {2, 3, 4, 5, 8, 13, 20}) {
    const TetMesh mesh = generate(SphereGenerator{0.5, cells, {1, 2, 3}});
    expect_sound(mesh, 2, 0.5);
  }
}

TEST(SphereGenerator, SurfaceLiesOnTheSphere) {
  const TetMesh mesh = generate(SphereGenerator{2, 7, {1, 0, -1}});
  for (const auto& t : surface_triangles(mesh)) {
    for (const int v : t) {
      const Vec3& x = mesh.vertices[static_cast<std::size_t>(v)];
      EXPECT_NEAR(std::hypot(x[0] - 1, x[1], x[2] + 1), 2, 1e-14);  // rounding
    }
  }
}

/// Halving the cells must divide the error of the volume by four: by 3.6 to 4.4 for the sizes here,
/// since the next term of the error is of fourth order.
template <typename Make>
void expect_second_order(Make make, double exact) {
  const double coarse = exact - total_volume(generate(make(1)));
  const double fine = exact - total_volume(generate(make(2)));
  EXPECT_GT(fine, 0);  // inscribed
  EXPECT_GT(coarse / fine, 3.6);
  EXPECT_LT(coarse / fine, 4.4);
}

TEST(SphereGenerator, VolumeConvergesWithSecondOrder) {
  for (const int cells : {5, 8}) {
    expect_second_order([&](int f) { return SphereGenerator{0.5, cells * f, {0, 0, 0}}; }, pi / 6);
  }
}

TEST(CylinderGenerator, IsSoundAtEverySize) {
  for (const int cells : {2, 3, 4, 7, 12}) {
    // Layers are as high as the cells are wide.
    const CylinderGenerator cylinder{0.5, 2, cells, 2 * cells, {1, 2, -0.5}, {1, 2, 3}};
    expect_sound(generate(cylinder), 2, 0.5);
  }
  expect_sound(generate(CylinderGenerator{0.5, 0.3, 3, 1, {0, 1, 0}, {0, 0, 0}}), 2, 0.4);
}

TEST(CylinderGenerator, VolumeConvergesWithSecondOrder) {
  expect_second_order(
      [](int f) {
        return CylinderGenerator{0.5, 2, 6 * f, 3, {0, 1, 0}, {0, 0, 0}};
      },
      pi / 2);
}

TEST(CylinderGenerator, StandsAlongItsAxis) {
  const TetMesh mesh = generate(CylinderGenerator{0.25, 3, 4, 5, {0, 2, 0}, {1, 1, 1}});
  const Box bounds = bounding_box(mesh.vertices);
  const Vec3 low{0.75, -0.5, 0.75}, high{1.25, 2.5, 1.25};
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_NEAR(bounds.min[d], low[d], 1e-14);  // rounding
    EXPECT_NEAR(bounds.max[d], high[d], 1e-14);
  }
}

TEST(TorusGenerator, IsSoundAtEverySize) {
  for (const int cells : {2, 3, 4, 7}) {
    const TorusGenerator torus{1, 0.3, 10 * cells, cells, {0.3, 1, -2}, {1, 2, 3}};
    expect_sound(generate(torus), 0, 0.35);
  }
}

TEST(TorusGenerator, ThreeSegmentsOfAFatTubeAreStillConforming) {
  expect_sound(generate(TorusGenerator{1, 0.95, 3, 2, {0, 1, 0}, {0, 0, 0}}), 0, 0.01);
}

TEST(TorusGenerator, VolumeConvergesWithSecondOrder) {
  expect_second_order(
      [](int f) {
        return TorusGenerator{1, 0.3, 16 * f, 4 * f, {0, 1, 0}, {0, 0, 0}};
      },
      2 * pi * pi * 0.3 * 0.3);
}

TEST(TorusGenerator, LiesAroundItsAxis) {
  const TetMesh mesh = generate(TorusGenerator{1, 0.25, 16, 4, {0, 0, 1}, {0, 0, 5}});
  for (const Vec3& x : mesh.vertices) {
    // Inside the tube, up to rounding.
    EXPECT_LE(std::hypot(std::hypot(x[0], x[1]) - 1, x[2] - 5), 0.25 + 1e-14);
  }
}

TEST(TetrahedronGenerator, IsRegular) {
  const TetMesh mesh = generate(TetrahedronGenerator{2, {1, 2, 3}});
  ASSERT_EQ(mesh.tets.size(), 1U);
  // Up to rounding: edge^3 / (6 sqrt 2), and only the regular tet has quality 1.
  EXPECT_NEAR(total_volume(mesh), 8 / (6 * std::numbers::sqrt2), 1e-14);
  EXPECT_NEAR(worst_quality(mesh), 1, 1e-14);
  Vec3 sum{0, 0, 0};
  for (const Vec3& x : mesh.vertices) {
    for (std::size_t d = 0; d < 3; ++d) sum[d] += x[d] / 4;
  }
  EXPECT_EQ(sum, (Vec3{1, 2, 3}));
}

TEST(Generators, RepeatThemselvesBitForBit) {
  const SphereGenerator sphere{0.7, 6, {0.1, 0.2, 0.3}};
  EXPECT_EQ(generate(sphere).vertices, generate(sphere).vertices);
  EXPECT_EQ(generate(sphere).tets, generate(sphere).tets);
}

TEST(Generators, RefuseParametersOutOfRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  expect_refused(BoxGenerator{{1, 0, 1}, {1, 1, 1}, {0, 0, 0}, 5}, "box: size/1: 0 is not");
  expect_refused(BoxGenerator{{1, 1, -3}, {1, 1, 1}, {0, 0, 0}, 5}, "box: size/2: -3 is not");
  expect_refused(BoxGenerator{{inf, 1, 1}, {1, 1, 1}, {0, 0, 0}, 5}, "box: size/0");
  expect_refused(BoxGenerator{{1, 1, 1}, {1, 1, 0}, {0, 0, 0}, 5}, "box: cells/2: 0 is below 1");
  expect_refused(BoxGenerator{{1, 1, 1}, {1, 1, 1}, {0, nan, 0}, 5}, "box: center");
  expect_refused(BoxGenerator{{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, 4}, "tets_per_cell: 4");
  expect_refused(SphereGenerator{nan, 4, {0, 0, 0}}, "sphere: radius");
  expect_refused(SphereGenerator{1, 1, {0, 0, 0}}, "sphere: cells: 1 is below 2");
  expect_refused(CylinderGenerator{1, 1, 4, 0, {0, 1, 0}, {0, 0, 0}}, "cylinder: layers");
  expect_refused(CylinderGenerator{1, -1, 4, 4, {0, 1, 0}, {0, 0, 0}}, "cylinder: height");
  expect_refused(CylinderGenerator{1, 1, 4, 4, {0, 0, 0}, {0, 0, 0}}, "cylinder: axis");
  expect_refused(CylinderGenerator{1, 1, 4, 4, {0, nan, 0}, {0, 0, 0}}, "cylinder: axis");
  expect_refused(TorusGenerator{0.3, 0.3, 8, 4, {0, 1, 0}, {0, 0, 0}}, "torus: major");
  expect_refused(TorusGenerator{1, 0.3, 2, 4, {0, 1, 0}, {0, 0, 0}}, "torus: segments");
  expect_refused(TorusGenerator{1, 0.3, 8, 1, {0, 1, 0}, {0, 0, 0}}, "torus: cells");
  expect_refused(TetrahedronGenerator{0, {0, 0, 0}}, "tetrahedron: edge");
  expect_refused(TetrahedronGenerator{1, {0, 0, inf}}, "tetrahedron: center");
}

TEST(Generators, RefuseMoreTetsThanMemoryBears) {
  const int huge = std::numeric_limits<int>::max();
  expect_refused(BoxGenerator{{1, 1, 1}, {huge, huge, huge}, {0, 0, 0}, 5}, "box: this would be");
  expect_refused(SphereGenerator{1, 2000, {0, 0, 0}}, "sphere: this would be");
  expect_refused(CylinderGenerator{1, 1, huge, huge, {0, 1, 0}, {0, 0, 0}}, "cylinder: this");
  expect_refused(TorusGenerator{1, 0.3, huge, 2, {0, 1, 0}, {0, 0, 0}}, "torus: this would be");
}

TEST(Generators, RefuseSizesThatDoublesCannotResolve) {
  // Neighbouring doubles at 1e18 are 128 apart.
  expect_refused(SphereGenerator{1, 4, {1e18, 0, 0}}, "without volume in double precision");
  expect_refused(TetrahedronGenerator{1e-200, {0, 0, 0}}, "without volume in double precision");
  expect_refused(BoxGenerator{{1e300, 1e300, 1e300}, {1, 1, 1}, {0, 0, 0}, 5},
                 "without volume in double precision");
}

TEST(Generators, AnAxisOfAnyLengthIsADirection) {
  const TetMesh small = generate(CylinderGenerator{1, 1, 2, 1, {0, 1e-310, 0}, {0, 0, 0}});
  const TetMesh large = generate(CylinderGenerator{1, 1, 2, 1, {0, 1e308, 0}, {0, 0, 0}});
  EXPECT_EQ(small.vertices, large.vertices);
}

TEST(Lattice, KuhnTetsAreRightHandedFromEveryCorner) {
  const TetMesh cube = generate(BoxGenerator{{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, 6});
  for (unsigned start = 0; start < 8; ++start) {
    TetMesh mesh{cube.vertices, {}, {}};
    append_kuhn_tets(Lattice{}.corners(0, 0, 0), start, mesh.tets);
    // Exact: the coordinates are halves.
    for (const double volume : tet_volumes(mesh)) EXPECT_EQ(volume, 1.0 / 6);
  }
}

TEST(Lattice, FiveTetsAreRightHandedInBothMirrorImages) {
  const TetMesh cube = generate(BoxGenerator{{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, 6});
  for (const unsigned parity : {0U, 1U}) {
    TetMesh mesh{cube.vertices, {}, {}};
    append_five_tets(Lattice{}.corners(0, 0, 0), parity, mesh.tets);
    for (const double volume : tet_volumes(mesh)) EXPECT_GT(volume, 0);
    EXPECT_NEAR(total_volume(mesh), 1, 1e-15);  // rounding of five terms
  }
}

}  // namespace
}  // namespace supple
