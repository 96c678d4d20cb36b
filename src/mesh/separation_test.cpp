#include "mesh/separation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/index.h"
#include "supple/scene.h"

namespace supple {
namespace {

using Tets = std::vector<std::array<int, 4>>;
using Triangles = std::vector<std::array<int, 3>>;

template <std::size_t n>
Vec3 centre(const std::vector<Vec3>& vertices, const std::array<int, n>& element) {
  Vec3 sum{0, 0, 0};
  for (const int v : element) {
    for (std::size_t k = 0; k < 3; ++k) sum[k] += vertices[at(v)][k] / double{n};
  }
  return sum;
}

/// Pairs of joined elements with is_cut(centre, centre).
template <std::size_t n, class IsCut>
std::vector<ElementPair> pairs_where(const std::vector<Vec3>& vertices,
                                     const std::vector<std::array<int, n>>& elements,
                                     const IsCut& is_cut) {
  std::vector<ElementPair> pairs;
  for (const ElementPair& pair : joined_elements<n>(elements)) {
    if (is_cut(centre(vertices, elements[at(pair.first)]),
               centre(vertices, elements[at(pair.second)]))) {
      pairs.push_back(pair);
    }
  }
  return pairs;
}

/// Number of groups of elements that vertices join.
template <std::size_t n>
int num_parts(const std::vector<std::array<int, n>>& elements, int num_vertices) {
  std::vector<int> root(at(num_vertices));
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int v) {
    while (root[at(v)] != v) v = root[at(v)];
    return v;
  };
  std::set<int> used;
  for (const auto& element : elements) {
    for (const int v : element) root[at(find(v))] = find(element[0]);
  }
  for (const auto& element : elements) used.insert(find(element[0]));
  return static_cast<int>(used.size());
}

/// Number of used vertices - edges + faces - tets.
int euler_characteristic(const Tets& tets) {
  std::set<int> vertices;
  std::set<std::array<int, 2>> edges;
  std::set<std::array<int, 3>> faces;
  for (std::array<int, 4> t : tets) {
    std::sort(t.begin(), t.end());
    vertices.insert(t.begin(), t.end());
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = a + 1; b < 4; ++b) edges.insert({t[a], t[b]});
    }
    faces.insert({{t[0], t[1], t[2]}, {t[0], t[1], t[3]}, {t[0], t[2], t[3]}, {t[1], t[2], t[3]}});
  }
  return static_cast<int>(vertices.size()) - static_cast<int>(edges.size()) +
         static_cast<int>(faces.size()) - static_cast<int>(tets.size());
}

TetMesh with_copies(TetMesh mesh, const SeparatedElements<4>& separated) {
  for (const int origin : separated.copies) mesh.vertices.push_back(mesh.vertices[at(origin)]);
  mesh.tets = separated.elements;
  return mesh;
}

/// Whether each edge has two triangles, as in a closed surface without pinches.
bool is_manifold(const std::vector<std::array<int, 3>>& surface) {
  std::map<std::array<int, 2>, int> count;
  for (const auto& t : surface) {
    for (std::size_t i = 0; i < 3; ++i) {
      const int a = t[i], b = t[(i + 1) % 3];
      ++count[{std::min(a, b), std::max(a, b)}];
    }
  }
  return std::all_of(count.begin(), count.end(), [](const auto& edge) { return edge.second == 2; });
}

TEST(Separation, ACutThroughABlockMakesTwoPartsOfTheSameTets) {
  const TetMesh mesh = generate(BoxGenerator{.size = {4, 1, 1}, .cells = {8, 3, 3}});
  const auto pairs = pairs_where(mesh.vertices, mesh.tets, [](const Vec3& a, const Vec3& b) {
    return (a[0] < 0.1) != (b[0] < 0.1);
  });
  ASSERT_FALSE(pairs.empty());
  EXPECT_EQ(euler_characteristic(mesh.tets), 1);
  const TetMesh cut = with_copies(
      mesh, separate_elements<4>(mesh.tets, static_cast<int>(mesh.vertices.size()), pairs, pairs));
  EXPECT_EQ(num_parts(cut.tets, static_cast<int>(cut.vertices.size())), 2);
  EXPECT_EQ(euler_characteristic(cut.tets), 2) << "each part is a ball";
  EXPECT_EQ(cut.tets.size(), mesh.tets.size());
  EXPECT_EQ(tet_volumes(cut), tet_volumes(mesh)) << "bit for bit";
  EXPECT_EQ(surface_triangles(cut).size(), surface_triangles(mesh).size() + 2 * pairs.size());
  EXPECT_TRUE(is_manifold(surface_triangles(cut)));
}

TEST(Separation, APartialCutLeavesOnePartAndOpensItsFacesButForTheTip) {
  const TetMesh mesh = generate(BoxGenerator{.size = {4, 1, 1}, .cells = {8, 4, 4}});
  const auto pairs = pairs_where(mesh.vertices, mesh.tets, [](const Vec3& a, const Vec3& b) {
    return (a[0] < 0) != (b[0] < 0) && a[1] > 0 && b[1] > 0;
  });
  const auto separated =
      separate_elements<4>(mesh.tets, static_cast<int>(mesh.vertices.size()), pairs, pairs);
  EXPECT_FALSE(separated.copies.empty());
  const TetMesh cut = with_copies(mesh, separated);
  EXPECT_EQ(num_parts(cut.tets, static_cast<int>(cut.vertices.size())), 1);
  EXPECT_EQ(euler_characteristic(cut.tets), 1) << "still a ball";
  EXPECT_TRUE(is_manifold(surface_triangles(cut)));
}

TEST(Separation, InTwoStrokesAsInOne) {
  const TetMesh mesh = generate(BoxGenerator{.size = {4, 1, 1}, .cells = {8, 4, 4}});
  const auto in_plane = [](const Vec3& a, const Vec3& b) { return (a[0] < 0) != (b[0] < 0); };
  const auto all = pairs_where(mesh.vertices, mesh.tets, in_plane);
  std::vector<ElementPair> first, second;
  for (std::size_t i = 0; i < all.size(); ++i) (i % 2 == 0 ? first : second).push_back(all[i]);
  const int n = static_cast<int>(mesh.vertices.size());
  const auto whole = separate_elements<4>(mesh.tets, n, all, all);
  const TetMesh half = with_copies(mesh, separate_elements<4>(mesh.tets, n, first, first));
  const int m = static_cast<int>(half.vertices.size());
  const TetMesh rest = with_copies(half, separate_elements<4>(half.tets, m, all, second));
  EXPECT_EQ(num_parts(rest.tets, static_cast<int>(rest.vertices.size())), 2);
  EXPECT_EQ(rest.vertices.size(), mesh.vertices.size() + whole.copies.size());
  // Without what came apart before, the second stroke leaves them joined where the strokes meet.
  const TetMesh forgetful = with_copies(half, separate_elements<4>(half.tets, m, second, second));
  EXPECT_EQ(num_parts(forgetful.tets, static_cast<int>(forgetful.vertices.size())), 1);
}

TEST(Separation, OneFaceInsideStaysClosed) {
  const TetMesh mesh = generate(BoxGenerator{.cells = {4, 4, 4}});
  const auto near = [](const Vec3& a) {
    return std::max({std::abs(a[0]), std::abs(a[1]), std::abs(a[2])});
  };
  auto pairs = pairs_where(mesh.vertices, mesh.tets, [&](const Vec3& a, const Vec3& b) {
    return near(a) < 0.3 && near(b) < 0.3;
  });
  ASSERT_FALSE(pairs.empty());
  pairs.resize(1);
  const auto separated =
      separate_elements<4>(mesh.tets, static_cast<int>(mesh.vertices.size()), pairs, pairs);
  EXPECT_TRUE(separated.copies.empty());
  EXPECT_EQ(separated.elements, mesh.tets);
}

TEST(Separation, AllTetsApartHaveVerticesOfTheirOwn) {
  const TetMesh mesh = generate(BoxGenerator{.cells = {2, 3, 2}, .tets_per_cell = 6});
  const auto pairs = joined_elements<4>(mesh.tets);
  const auto separated =
      separate_elements<4>(mesh.tets, static_cast<int>(mesh.vertices.size()), pairs, pairs);
  EXPECT_EQ(mesh.vertices.size() + separated.copies.size(), 4 * mesh.tets.size());
}

TEST(Separation, ACutThroughClothMakesTwoSheets) {
  const SpringMesh cloth = generate(ClothGenerator{.cells = {6, 5}});
  const auto pairs = pairs_where(cloth.vertices, cloth.triangles, [](const Vec3& a, const Vec3& b) {
    return (a[0] < 0) != (b[0] < 0);
  });
  const int n = static_cast<int>(cloth.vertices.size());
  const auto separated = separate_elements<3>(cloth.triangles, n, pairs, pairs);
  EXPECT_EQ(separated.copies.size(), 6U) << "one for each of the vertices across";
  EXPECT_EQ(num_parts(separated.elements, n + 6), 2);
  EXPECT_EQ(separated.elements.size(), cloth.triangles.size());
  // A slit inside opens at the vertices between its ends.
  const auto slit = pairs_where(cloth.vertices, cloth.triangles, [](const Vec3& a, const Vec3& b) {
    return (a[0] < 0) != (b[0] < 0) && std::abs(a[2]) < 0.29 && std::abs(b[2]) < 0.29;
  });
  const auto open = separate_elements<3>(cloth.triangles, n, slit, slit);
  EXPECT_EQ(open.copies.size() + 1, slit.size());
  EXPECT_EQ(num_parts(open.elements, n + static_cast<int>(open.copies.size())), 1);
}

TEST(Separation, PartsThatTouchedInAVertexAloneComeApartOnlyWhereItIsCut) {
  // Two triangles on each side of vertex 0, which is all that the sides have in common.
  const Triangles fans{{0, 1, 2}, {0, 2, 3}, {0, 4, 5}, {0, 5, 6}, {7, 8, 9}};
  const std::vector<ElementPair> pair{{0, 1}};
  const auto separated = separate_elements<3>(fans, 10, pair, pair);
  EXPECT_EQ(separated.copies, (std::vector<int>{0, 0, 2}));
  EXPECT_EQ(separated.elements[0], fans[0]);
  EXPECT_EQ(separated.elements[1], (std::array<int, 3>{10, 12, 3}));
  EXPECT_EQ(separated.elements[2], (std::array<int, 3>{11, 4, 5}));
  EXPECT_EQ(separated.elements[4], fans[4]);
}

/// A body of springs, k = 3, 2 and 1 N/m by kind, and its springs after elements came apart.
template <std::size_t n>
struct Net {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, n>> elements;
  std::vector<Spring> springs, after;
  int count(double stiffness) const {
    return static_cast<int>(std::count_if(
        after.begin(), after.end(), [&](const Spring& s) { return s.stiffness == stiffness; }));
  }
};

template <std::size_t n, class IsCut>
Net<n> cut_net(const SpringMesh& mesh, const std::vector<std::array<int, n>>& elements,
               const IsCut& is_cut) {
  Net<n> net{
      mesh.vertices, elements, make_springs(mesh, {3, mesh.shear.empty() ? 0.0 : 2.0, 1}), {}};
  const int count = static_cast<int>(mesh.vertices.size());
  const auto pairs = pairs_where(mesh.vertices, elements, is_cut);
  const auto separated = separate_elements<n>(elements, count, pairs, pairs);
  net.elements = separated.elements;
  for (const int origin : separated.copies) net.vertices.push_back(net.vertices[at(origin)]);
  net.after = separate_springs<n>(net.springs, elements, net.elements, count).springs;
  return net;
}

/// Energy with both halves where they were, J: copies are moved like their originals.
double energy_of(const std::vector<Vec3>& rest, const std::vector<Spring>& springs) {
  double sum = 0;
  const auto moved = [&](int v) {
    const Vec3& x = rest[at(v)];
    return Vec3{1.3 * x[0] + 0.2 * x[2], std::sin(3 * x[0]), 1.1 * x[2] - x[0] * x[0]};
  };
  for (const Spring& s : springs) {
    const Vec3 a = moved(s.a), b = moved(s.b);
    const double l = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    sum += 0.5 * s.stiffness * (l - s.rest_length) * (l - s.rest_length);
  }
  return sum;
}

TEST(Separation, SpringsAlongACutAreSharedAndThoseAcrossItAreGone) {
  const SpringMesh cloth = generate(ClothGenerator{.cells = {6, 5}});
  const auto net = cut_net(cloth, cloth.triangles,
                           [](const Vec3& a, const Vec3& b) { return (a[0] < 0) != (b[0] < 0); });
  // Along the cut are 5 sides of cells and the 4 springs that bend over their ends; 6 bend across
  // it.
  EXPECT_EQ(net.after.size(), net.springs.size() + 5 + 4 - 6);
  EXPECT_EQ(net.count(1.5), 10);
  EXPECT_EQ(net.count(0.5), 8);
  EXPECT_EQ(net.count(2), 2 * 6 * 5) << "none shears over a border";
  std::vector<Spring> across;
  for (const Spring& s : net.springs) {
    if (net.vertices[at(s.a)][0] * net.vertices[at(s.b)][0] < -0.01) across.push_back(s);
  }
  ASSERT_EQ(across.size(), 6U);
  const double before = energy_of(net.vertices, net.springs);
  EXPECT_NEAR(energy_of(net.vertices, net.after), before - energy_of(net.vertices, across),
              1e-12 * before);
  // No spring joins the two sheets.
  std::vector<std::array<int, 3>> with_springs = net.elements;
  for (const Spring& s : net.after) with_springs.push_back({s.a, s.b, s.b});
  EXPECT_EQ(num_parts(with_springs, static_cast<int>(net.vertices.size())), 2);
}

TEST(Separation, ASpringThatShearsOverATornEdgeIsGone) {
  const SpringMesh cell = generate(ClothGenerator{.cells = {1, 1}});
  const auto net = cut_net(cell, cell.triangles, [](const Vec3&, const Vec3&) { return true; });
  // The spring along the diagonal is shared, the one across it is gone.
  EXPECT_EQ(net.after.size(), 6U);
  EXPECT_EQ(net.count(3), 4);
  EXPECT_EQ(net.count(1), 2);
}

TEST(Separation, SpringsAreSharedUpToTheTipOfASlit) {
  const SpringMesh cloth = generate(ClothGenerator{.cells = {6, 6}});
  const auto net = cut_net(cloth, cloth.triangles, [](const Vec3& a, const Vec3& b) {
    return (a[0] < 0) != (b[0] < 0) && a[2] < 0 && b[2] < 0;
  });
  ASSERT_EQ(net.vertices.size(), cloth.vertices.size() + 3);
  // Three sides are along the slit, and three springs that bend along them, one of which starts at
  // the tip. Three bend across it, up to the last one before the tip.
  EXPECT_EQ(net.count(1.5), 6);
  EXPECT_EQ(net.count(0.5), 6);
  EXPECT_EQ(net.after.size(), net.springs.size() + 3 + 3 - 3);
  for (const Spring& s : net.after) EXPECT_NE(s.a, s.b);
}

TEST(Separation, AStrandPartsAtAVertex) {
  const SpringMesh strand = generate(StrandGenerator{.segments = 8});
  const auto net = cut_net(strand, strand.segments,
                           [](const Vec3& a, const Vec3& b) { return a[1] > -0.5 && b[1] < -0.5; });
  EXPECT_EQ(net.vertices.size(), 10U);
  EXPECT_EQ(num_parts(net.elements, 10), 2);
  EXPECT_EQ(net.after.size(), net.springs.size() - 1) << "nothing bends over the end";
  EXPECT_EQ(net.count(3), 8);
  std::vector<std::array<int, 2>> ends;
  for (const Spring& s : net.after) ends.push_back({s.a, s.b});
  EXPECT_EQ(num_parts(ends, 10), 2);
}

TEST(Separation, SpringsThatBelongToNoElementsStay) {
  const Triangles two{{0, 1, 2}, {1, 3, 2}};
  const std::vector<ElementPair> pair{{0, 1}};
  const auto separated = separate_elements<3>(two, 6, pair, pair);
  const std::vector<Spring> springs{{0, 5, 7, 1}, {4, 5, 7, 1}, {1, 2, 7, 1}, {0, 3, 7, 1}};
  const auto after = separate_springs<3>(springs, two, separated.elements, 6).springs;
  ASSERT_EQ(after.size(), 4U);
  EXPECT_EQ(after[0].b, 5);
  EXPECT_EQ(after[1].a, 4);
  EXPECT_EQ(after[2].stiffness, 3.5);
  EXPECT_EQ(after[3].stiffness, 3.5);
}

}  // namespace
}  // namespace supple
