#include "mesh/separation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/index.h"
#include "supple/mesh.h"

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

/// Joined elements for which is_cut(centre, centre).
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

/// Groups of elements that vertices join.
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

/// Vertices that are used - edges + faces - tets.
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

/// Each edge of a closed surface without pinches has two triangles.
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
  // Without what came apart before, the second stroke leaves them joined where both meet.
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
  // Two triangles each side of vertex 0, which alone they have in common.
  const Triangles fans{{0, 1, 2}, {0, 2, 3}, {0, 4, 5}, {0, 5, 6}, {7, 8, 9}};
  const std::vector<ElementPair> pair{{0, 1}};
  const auto separated = separate_elements<3>(fans, 10, pair, pair);
  EXPECT_EQ(separated.copies, (std::vector<int>{0, 0, 2}));
  EXPECT_EQ(separated.elements[0], fans[0]);
  EXPECT_EQ(separated.elements[1], (std::array<int, 3>{10, 12, 3}));
  EXPECT_EQ(separated.elements[2], (std::array<int, 3>{11, 4, 5}));
  EXPECT_EQ(separated.elements[4], fans[4]);
}

}  // namespace
}  // namespace supple
