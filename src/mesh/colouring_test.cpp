#include "mesh/colouring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <utility>

#include "supple/mesh.h"

namespace supple {
namespace {

struct Graph {
  std::vector<int> start, neighbour;
};

Graph graph_of(int n, const std::set<std::pair<int, int>>& edges) {
  Graph graph;
  graph.start.assign(static_cast<std::size_t>(n) + 1, 0);
  std::set<std::pair<int, int>> both;
  for (const auto& [a, b] : edges) {
    both.emplace(a, b);
    both.emplace(b, a);
  }
  for (const auto& [a, b] : both) {
    ++graph.start[static_cast<std::size_t>(a) + 1];
    graph.neighbour.push_back(b);
  }
  for (std::size_t i = 1; i < graph.start.size(); ++i) graph.start[i] += graph.start[i - 1];
  return graph;
}

Graph graph_of(const TetMesh& mesh) {
  std::set<std::pair<int, int>> edges;
  for (const auto& tet : mesh.tets) {
    for (int a : tet) {
      for (int b : tet) {
        if (a < b) edges.emplace(a, b);
      }
    }
  }
  return graph_of(static_cast<int>(mesh.vertices.size()), edges);
}

/// Checks that all vertices occur once, by colour, and that no edge is inside a colour.
void expect_valid(const Graph& graph, const Colouring& colouring) {
  const auto n = graph.start.size() - 1;
  ASSERT_EQ(colouring.colour.size(), n);
  ASSERT_EQ(colouring.vertices.size(), n);
  std::vector<int> seen(n, 0);
  for (int c = 0; c < colouring.num_colours(); ++c) {
    int last = -1;
    for (int i = colouring.start[static_cast<std::size_t>(c)];
         i < colouring.start[static_cast<std::size_t>(c) + 1]; ++i) {
      const int v = colouring.vertices[static_cast<std::size_t>(i)];
      EXPECT_EQ(colouring.colour[static_cast<std::size_t>(v)], c);
      EXPECT_GT(v, last);
      last = v;
      ++seen[static_cast<std::size_t>(v)];
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(n));
  for (std::size_t v = 0; v < n; ++v) {
    for (int i = graph.start[v]; i < graph.start[v + 1]; ++i) {
      const int w = graph.neighbour[static_cast<std::size_t>(i)];
      EXPECT_NE(colouring.colour[v], colouring.colour[static_cast<std::size_t>(w)]);
    }
  }
}

TEST(Colouring, NoTwoVerticesOfATetShareAColour) {
  const TetMesh box = generate(BoxGenerator{.cells = {6, 5, 4}, .tets_per_cell = 6});
  const Graph graph = graph_of(box);
  const Colouring colouring = colour_vertices(graph.start, graph.neighbour);
  expect_valid(graph, colouring);
  EXPECT_GE(colouring.num_colours(), 4);
  // Smallest-last: a vertex of the box's rim has at most seven neighbours in what is left.
  EXPECT_LE(colouring.num_colours(), 8);
}

TEST(Colouring, AVertexOfHighValenceCostsNoColours) {
  // A hub and a ring: one colour for the hub, and two for an even ring.
  std::set<std::pair<int, int>> edges;
  const int ring = 5000;
  for (int i = 0; i < ring; ++i) {
    edges.emplace(i, ring);
    edges.emplace(i, (i + 1) % ring);
  }
  const Graph wheel = graph_of(ring + 1, edges);
  const Colouring colouring = colour_vertices(wheel.start, wheel.neighbour);
  expect_valid(wheel, colouring);
  EXPECT_LE(colouring.num_colours(), 4);
}

TEST(Colouring, ACompleteGraphNeedsAColourForEachVertex) {
  std::set<std::pair<int, int>> edges;
  for (int a = 0; a < 40; ++a) {
    for (int b = 0; b < a; ++b) edges.emplace(a, b);
  }
  const Graph graph = graph_of(40, edges);
  const Colouring colouring = colour_vertices(graph.start, graph.neighbour);
  expect_valid(graph, colouring);
  EXPECT_EQ(colouring.num_colours(), 40);
}

TEST(Colouring, RandomGraphsAreColouredAndTheColoursAreBalanced) {
  std::mt19937 generator(4);
  for (int trial = 0; trial < 20; ++trial) {
    std::set<std::pair<int, int>> edges;
    std::uniform_int_distribution<int> vertex(0, 399);
    for (int e = 0; e < 2000; ++e) {
      const int a = vertex(generator), b = vertex(generator);
      if (a != b) edges.emplace(std::min(a, b), std::max(a, b));
    }
    const Graph graph = graph_of(400, edges);
    const Colouring colouring = colour_vertices(graph.start, graph.neighbour);
    expect_valid(graph, colouring);
    const int average = 400 / colouring.num_colours();
    for (int c = 0; c < colouring.num_colours(); ++c) {
      const auto i = static_cast<std::size_t>(c);
      // Without balancing, two or three vertices would be left in the last colour.
      EXPECT_GT(colouring.start[i + 1] - colouring.start[i], average / 3);
    }
    const Colouring again = colour_vertices(graph.start, graph.neighbour);
    EXPECT_EQ(again.colour, colouring.colour);
  }
}

TEST(Colouring, VerticesWithoutNeighboursShareOneColour) {
  const std::vector<int> start(11, 0);
  const Colouring colouring = colour_vertices(start, {});
  EXPECT_EQ(colouring.num_colours(), 1);
  EXPECT_EQ(colouring.vertices.size(), 10u);
  EXPECT_EQ(colour_vertices(std::vector<int>{0}, {}).num_colours(), 0);
}

}  // namespace
}  // namespace supple
