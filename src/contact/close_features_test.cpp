// Pairs of features that may come close, compared with all pairs.
#include "contact/close_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "contact/ccd.h"
#include "contact/test_allocations.h"
#include "math/vec3.h"
#include "math/vector_field.h"

namespace supple {
namespace {

/// Moving sheets of triangles above one another, and a strand between them.
struct Layers {
  std::vector<std::array<int, 3>> triangles;
  std::vector<std::array<int, 2>> segments;
  VectorField before, after;
  std::mt19937 random{31};

  double noise(double size) { return size * (random() / 2147483648.0 - 1); }

  Layers(int num_sheets, int cells, double gap) {
    for (int sheet = 0; sheet < num_sheets; ++sheet) {
      const int first = static_cast<int>(before.size());
      for (int i = 0; i <= cells; ++i) {
        for (int j = 0; j <= cells; ++j) add({i + noise(0.3), gap * sheet, j + noise(0.3)});
      }
      for (int i = 0; i < cells; ++i) {
        for (int j = 0; j < cells; ++j) {
          const int a = first + i * (cells + 1) + j, b = a + cells + 1;
          triangles.push_back({a, a + 1, b});
          triangles.push_back({a + 1, b + 1, b});
        }
      }
    }
    const int first = static_cast<int>(before.size());
    for (int i = 0; i < 2 * cells; ++i) add({0.5 * i, 0.4 * gap, 0.3 * i});
    for (int i = 0; i + 1 < 2 * cells; ++i) segments.push_back({first + i, first + i + 1});
    after = before;
  }
  BodyFeatures surface() const { return {triangles, segments}; }
  void add(const Vec3& x) { before.push_back({{x[0], x[1], x[2], 0}}); }

  void move(double size) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      for (int c = 0; c < 3; ++c) {
        before[i][c] += noise(size);
        after[i][c] = before[i][c] + noise(size);
      }
    }
  }
  /// Like a sheet of paper: neighbours in the tree end up far from each other.
  void crumple(double size) {
    for (PaddedVector& x : before) {
      for (int c = 0; c < 3; ++c) x[c] = noise(size);
    }
    after = before;
  }
};

/// The gap between the boxes of two sets of moving vertices: the largest along any axis.
template <std::size_t N, std::size_t M>
double gap_of(const Layers& layers, const std::array<int, N>& a, const std::array<int, M>& b) {
  double gap = -1e300;
  for (int c = 0; c < 3; ++c) {
    double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
    const auto include = [&](int side, int vertex) {
      for (const VectorField* x : {&layers.before, &layers.after}) {
        const double value = (*x)[static_cast<std::size_t>(vertex)][c];
        low[side] = std::min(low[side], value);
        high[side] = std::max(high[side], value);
      }
    };
    for (const int vertex : a) include(0, vertex);
    for (const int vertex : b) include(1, vertex);
    gap = std::max({gap, low[0] - high[1], low[1] - high[0]});
  }
  return gap;
}

template <std::size_t N, std::size_t M>
bool share(const std::array<int, N>& a, const std::array<int, M>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](int vertex) { return std::find(b.begin(), b.end(), vertex) != b.end(); });
}

Threads& alone() {
  static Threads threads(1);
  return threads;
}

bool all_meet(int /*a*/, int /*b*/) { return true; }
bool only_different_bodies(int a, int b) { return a != b; }

/// body_of: [num_vertices].
void expect_all_pairs(const Layers& layers, CloseFeatures& close, double reach,
                      const CloseFeatures::Meets& meets = all_meet, std::vector<int> body_of = {}) {
  body_of.resize(layers.before.size());
  const auto may_meet = [&](int a, int b) {
    return meets(body_of[static_cast<std::size_t>(a)], body_of[static_cast<std::size_t>(b)]);
  };
  Threads three(3);
  close.find(layers.before[0].v, layers.after[0].v, reach, meets, three);
  const auto by_three = std::pair(close.vertex_faces(), close.edge_edges());
  close.find(layers.before[0].v, layers.after[0].v, reach, meets, alone());
  EXPECT_EQ(std::pair(close.vertex_faces(), close.edge_edges()), by_three);
  std::vector<VertexFacePair> vertex_faces;
  for (int vertex = 0; vertex < static_cast<int>(layers.before.size()); ++vertex) {
    for (std::size_t t = 0; t < close.triangles().size(); ++t) {
      const std::array<int, 1> point{vertex};
      if (share(point, close.triangles()[t])) continue;
      if (!may_meet(vertex, close.triangles()[t][0])) continue;
      if (gap_of(layers, point, close.triangles()[t]) > reach) continue;
      vertex_faces.push_back({vertex, static_cast<int>(t)});
    }
  }
  EXPECT_EQ(close.vertex_faces(), vertex_faces);
  std::vector<EdgePair> edge_edges;
  for (std::size_t i = 0; i < close.edges().size(); ++i) {
    for (std::size_t j = i + 1; j < close.edges().size(); ++j) {
      if (share(close.edges()[i], close.edges()[j])) continue;
      if (!may_meet(close.edges()[i][0], close.edges()[j][0])) continue;
      if (gap_of(layers, close.edges()[i], close.edges()[j]) > reach) continue;
      edge_edges.push_back({static_cast<int>(i), static_cast<int>(j)});
    }
  }
  EXPECT_EQ(close.edge_edges(), edge_edges);
}

TEST(CloseFeatures, EdgesAreThoseOfTheFeatures) {
  const CloseFeatures close({{{{4, 2, 0}, {0, 2, 6}}, {{8, 6}, {6, 8}}}});
  EXPECT_EQ(close.edges(),
            (std::vector<std::array<int, 2>>{{0, 2}, {0, 4}, {0, 6}, {2, 4}, {2, 6}, {6, 8}}));
}

TEST(CloseFeatures, PairsAreThoseOfAllPairsWhoseSweptBoxesAreWithinReach) {
  Layers layers(4, 7, 0.7);
  CloseFeatures close({layers.surface()});
  expect_all_pairs(layers, close, 0);
  for (const double reach : {0.0, 0.1, 0.8}) {
    layers.move(0.1);
    expect_all_pairs(layers, close, reach);
  }
  EXPECT_GT(close.vertex_faces().size(), 500u);
  EXPECT_GT(close.edge_edges().size(), 2000u);
}

TEST(CloseFeatures, TooManyPairsAreNotHeld) {
  Layers layers(4, 7, 0.7);
  CloseFeatures close({layers.surface()});
  const auto find = [&](CloseFeatures& in, std::size_t most, Threads& threads) {
    return in.find(layers.before[0].v, layers.after[0].v, 0.8, all_meet, threads, most);
  };
  ASSERT_TRUE(find(close, 100000, alone()));
  const auto all_faces = close.vertex_faces();
  const auto all_edges = close.edge_edges();
  const std::size_t count = all_faces.size() + all_edges.size();
  Threads three(3);
  for (Threads* const threads : {&alone(), &three}) {
    for (const std::size_t most : {std::size_t{0}, count / 4, count / 2, count - 1}) {
      EXPECT_FALSE(find(close, most, *threads));
      EXPECT_TRUE(close.vertex_faces().empty() && close.edge_edges().empty());
    }
    EXPECT_TRUE(find(close, count, *threads));
    EXPECT_EQ(close.vertex_faces(), all_faces);
    EXPECT_EQ(close.edge_edges(), all_edges);
  }
  // The search ends early: its lists grow less often.
  const auto allocations = [&](std::size_t most) {
    CloseFeatures fresh({layers.surface()});
    const long before = num_allocations();
    find(fresh, most, alone());
    return num_allocations() - before;
  };
  EXPECT_LT(allocations(0), allocations(count) / 2);
}

TEST(CloseFeatures, PairsAreRightAfterAnyMotion) {
  Layers layers(3, 6, 1);
  CloseFeatures close({layers.surface()});
  for (int step = 0; step < 4; ++step) {
    layers.crumple(10);
    expect_all_pairs(layers, close, 0.05);
    layers.move(3);
    expect_all_pairs(layers, close, 0);
  }
}

TEST(CloseFeatures, BodiesMeetWhomTheyMay) {
  constexpr int num_sheets = 4, cells = 5;
  Layers layers(num_sheets, cells, 0.4);
  std::vector<BodyFeatures> bodies(num_sheets + 1);
  std::vector<int> body_of(layers.before.size(), num_sheets);
  for (const auto& t : layers.triangles) {
    const int body = t[0] / ((cells + 1) * (cells + 1));
    bodies[static_cast<std::size_t>(body)].triangles.push_back(t);
    for (const int v : t) body_of[static_cast<std::size_t>(v)] = body;
  }
  bodies.back().segments = layers.segments;
  CloseFeatures close(bodies);
  for (const double reach : {0.0, 0.2}) {
    layers.move(0.2);
    expect_all_pairs(layers, close, reach, all_meet, body_of);
    expect_all_pairs(layers, close, reach, only_different_bodies, body_of);
    expect_all_pairs(
        layers, close, reach, [](int a, int b) { return a != b && a != 2 && b != 2; }, body_of);
  }
  EXPECT_GT(close.vertex_faces().size(), 100u);
}

TEST(CloseFeatures, DoNotDependOnWhatWasFoundBefore) {
  Layers layers(3, 6, 1);
  CloseFeatures old({layers.surface()});
  layers.crumple(10);
  old.find(layers.before[0].v, layers.after[0].v, 0.5, all_meet, alone());
  layers.move(2);
  CloseFeatures fresh({layers.surface()});
  old.find(layers.before[0].v, layers.after[0].v, 0.1, all_meet, alone());
  fresh.find(layers.before[0].v, layers.after[0].v, 0.1, all_meet, alone());
  EXPECT_EQ(old.vertex_faces(), fresh.vertex_faces());
  EXPECT_EQ(old.edge_edges(), fresh.edge_edges());
}

TEST(CloseFeatures, AllThatMeetDuringAStepAreAmongThem) {
  Layers layers(3, 6, 0.5);
  CloseFeatures close({layers.surface()});
  layers.move(0.8);
  close.find(layers.before[0].v, layers.after[0].v, 0, all_meet, alone());
  const auto query = [&](const std::array<int, 4>& v, const VectorField& x) {
    std::array<Vec3, 4> points;
    for (std::size_t i = 0; i < 4; ++i) {
      const PaddedVector& p = x[static_cast<std::size_t>(v[i])];
      points[i] = {p[0], p[1], p[2]};
    }
    return points;
  };
  int meetings = 0;
  const auto& edges = close.edges();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (std::size_t j = i + 1; j < edges.size(); ++j) {
      if (share(edges[i], edges[j])) continue;
      const std::array<int, 4> v{edges[i][0], edges[i][1], edges[j][0], edges[j][1]};
      if (!edge_edge_ccd(query(v, layers.before), query(v, layers.after)).meets) continue;
      ++meetings;
      EXPECT_TRUE(std::binary_search(close.edge_edges().begin(), close.edge_edges().end(),
                                     EdgePair{static_cast<int>(i), static_cast<int>(j)}));
    }
  }
  EXPECT_GT(meetings, 100);
}

TEST(CloseFeatures, WithoutFeaturesThereAreNoPairs) {
  CloseFeatures close({BodyFeatures{}});
  close.find(nullptr, nullptr, 1, all_meet, alone());
  EXPECT_TRUE(close.vertex_faces().empty());
  CloseFeatures without_bodies({});
  without_bodies.find(nullptr, nullptr, 1, all_meet, alone());
  EXPECT_TRUE(close.vertex_faces().empty());
  EXPECT_TRUE(close.edge_edges().empty());
}

TEST(CloseFeatures, FindingTheSameAgainAllocatesNothing) {
  Layers layers(3, 6, 0.5);
  CloseFeatures close({layers.surface()});
  layers.move(0.3);
  close.find(layers.before[0].v, layers.after[0].v, 0.1, all_meet, alone());
  const long before = num_allocations();
  close.find(layers.before[0].v, layers.after[0].v, 0.1, all_meet, alone());
  close.find(layers.after[0].v, layers.after[0].v, 0.1, all_meet, alone());
  EXPECT_EQ(num_allocations(), before);
}

}  // namespace
}  // namespace supple
