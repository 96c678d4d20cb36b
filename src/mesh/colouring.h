#pragma once

#include <span>
#include <vector>

namespace supple {

/// Vertices in colours, such that no two neighbours share one. The vertices of a colour can be
/// changed at the same time.
struct Colouring {
  std::vector<int> colour;    ///< [num_vertices]
  std::vector<int> start;     ///< [num_colours + 1], into `vertices`
  std::vector<int> vertices;  ///< [num_vertices], colour after colour, ascending in each

  int num_colours() const { return static_cast<int>(start.size()) - 1; }
};

/// Colours a graph greedily in the smallest-last order [Matula & Beck 1983]. This takes at most one
/// colour more than the largest k for which some part of the graph has only vertices with k or more
/// neighbours. Then vertices move to colours with fewer vertices if their neighbours allow it, so
/// that no colour is left with a handful. The same graph gives the same colours.
/// The neighbours of vertex i are neighbour[start[i]] .. neighbour[start[i + 1] - 1], in both
/// directions; start: [num_vertices + 1].
Colouring colour_vertices(std::span<const int> start, std::span<const int> neighbour);

}  // namespace supple
