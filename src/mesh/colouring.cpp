#include "mesh/colouring.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "base/index.h"

namespace supple {

namespace {

/// The neighbours of each vertex.
struct Graph {
  std::span<const int> start;
  std::span<const int> neighbour;

  int size() const { return start.empty() ? 0 : static_cast<int>(start.size()) - 1; }
  int degree(int v) const { return start[at(v) + 1] - start[at(v)]; }
  std::span<const int> of(int v) const {
    return neighbour.subspan(at(start[at(v)]), at(degree(v)));
  }
};

/// Orders the vertices so that each has the fewest neighbours among those that are left, with a
/// bucket for each number of neighbours [Matula & Beck 1983].
std::vector<int> smallest_first(const Graph& graph) {
  const int n = graph.size();
  std::vector<int> degree(at(n));
  int largest = 0;
  for (int v = 0; v < n; ++v) largest = std::max(largest, degree[at(v)] = graph.degree(v));
  // order: sorted by degree; bucket[d]: the first vertex of degree d or more.
  std::vector<int> bucket(at(largest) + 2), order(at(n)), place(at(n));
  for (int d : degree) ++bucket[at(d) + 1];
  std::partial_sum(bucket.begin(), bucket.end(), bucket.begin());
  std::vector<int> next(bucket.begin(), bucket.end() - 1);
  for (int v = 0; v < n; ++v) {
    place[at(v)] = next[at(degree[at(v)])]++;
    order[at(place[at(v)])] = v;
  }
  for (int i = 0; i < n; ++i) {
    const int v = order[at(i)];
    for (int w : graph.of(v)) {
      if (degree[at(w)] <= degree[at(v)]) continue;
      // w moves to the front of its bucket, and the front of the bucket moves past it.
      int& front = bucket[at(degree[at(w)])];
      const int other = order[at(front)];
      std::swap(order[at(front)], order[at(place[at(w)])]);
      std::swap(place[at(other)], place[at(w)]);
      ++front;
      --degree[at(w)];
    }
  }
  return order;
}

class Painter {
 public:
  explicit Painter(const Graph& graph) : graph_(graph), colour_(at(graph.size()), -1) {}

  void paint() {
    const std::vector<int> order = smallest_first(graph_);
    for (auto v = order.rbegin(); v != order.rend(); ++v) {
      mark_neighbours(*v);
      int c = 0;
      while (c < num_colours() && taken_[at(c)] == *v) ++c;
      if (c == num_colours()) {
        size_.push_back(0);
        taken_.push_back(-1);
      }
      colour_[at(*v)] = c;
      ++size_[at(c)];
    }
  }

  /// Moves each vertex of a colour above the average size to the smallest colour open to it.
  void balance() {
    std::fill(taken_.begin(), taken_.end(), -1);
    const int n = graph_.size();
    for (int v = 0; v < n; ++v) {
      int& own = colour_[at(v)];
      if (size_[at(own)] * num_colours() <= n) continue;
      mark_neighbours(v);
      int best = own;
      for (int c = 0; c < num_colours(); ++c) {
        if (taken_[at(c)] != v && size_[at(c)] < size_[at(best)]) best = c;
      }
      if (size_[at(best)] + 1 >= size_[at(own)]) continue;
      --size_[at(own)];
      ++size_[at(best)];
      own = best;
    }
  }

  Colouring result() {
    Colouring colouring;
    colouring.start.assign(at(num_colours()) + 1, 0);
    std::partial_sum(size_.begin(), size_.end(), colouring.start.begin() + 1);
    colouring.vertices.resize(colour_.size());
    std::vector<int> next(colouring.start.begin(), colouring.start.end() - 1);
    for (int v = 0; v < graph_.size(); ++v) {
      colouring.vertices[at(next[at(colour_[at(v)])]++)] = v;
    }
    colouring.colour = std::move(colour_);
    return colouring;
  }

 private:
  int num_colours() const { return static_cast<int>(size_.size()); }

  void mark_neighbours(int v) {
    for (int w : graph_.of(v)) {
      if (colour_[at(w)] >= 0) taken_[at(colour_[at(w)])] = v;
    }
  }

  Graph graph_;
  std::vector<int> colour_;
  std::vector<int> size_;   ///< [num_colours]
  std::vector<int> taken_;  ///< [num_colours], last vertex that has a neighbour of this colour
};

}  // namespace

Colouring colour_vertices(std::span<const int> start, std::span<const int> neighbour) {
  Painter painter({start, neighbour});
  painter.paint();
  painter.balance();
  return painter.result();
}

}  // namespace supple
