#include "position/tet_parts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "base/index.h"

namespace supple {

namespace {

/// A part's work must be worth the barrier at the end of the phase: at 10 ns a tet, 20 us.
constexpr int tets_per_part = 2000;
constexpr int max_parts = 32;
constexpr int max_phases = 8;
/// A cut can move this share of the weight away from the middle, to where fewer tets lie across.
constexpr double tolerance = 0.06;
/// A cut gains nothing if less than the first share of the tets lies inside the parts, or if one
/// part has more than the second share of those, as around a vertex that most tets touch.
constexpr double least_inside = 0.25;
constexpr double largest_share = 0.8;

/// The power of two nearest to num_tets / tets_per_part by ratio, in [1, max_parts].
int number_of_parts(std::size_t num_tets) {
  int parts = 1;
  while (parts<max_parts&& static_cast<double>(num_tets)> 1.4142 * parts * tets_per_part) {
    parts *= 2;
  }
  return parts;
}

/// The tets that are left and the vertices they use, numbered from 0.
struct Patch {
  std::vector<std::array<int, 4>> tets;
  std::vector<int> start;   ///< [num_vertices + 1], into tets_of
  std::vector<int> tet_of;  ///< the tets of each vertex

  int num_vertices() const { return static_cast<int>(start.size()) - 1; }
  int valence(int v) const { return start[at(v) + 1] - start[at(v)]; }
  std::span<const int> tets_of(int v) const {
    return std::span(tet_of).subspan(at(start[at(v)]), at(valence(v)));
  }
};

/// Halves the vertices of a patch until it has as many parts as asked for.
class Bisection {
 public:
  explicit Bisection(const Patch& patch)
      : patch_(patch),
        order_(at(patch.num_vertices())),
        part_(at(patch.num_vertices()), 0),
        vertex_seen_(at(patch.num_vertices()), 0),
        tet_seen_(patch.tets.size(), 0),
        inside_(patch.tets.size(), 0) {
    std::iota(order_.begin(), order_.end(), 0);
  }

  /// Part of each vertex, 0 .. num_parts - 1.
  std::vector<int> cut(int num_parts) {
    halve(0, order_.size(), 0, num_parts);
    return std::move(part_);
  }

 private:
  void halve(std::size_t begin, std::size_t end, int part, int num_parts) {
    if (num_parts == 1 || end - begin < 2) return;
    const std::size_t middle = begin + arrange(std::span(order_).subspan(begin, end - begin), part);
    for (std::size_t i = middle; i < end; ++i) part_[at(order_[i])] = part + num_parts / 2;
    halve(begin, middle, part, num_parts / 2);
    halve(middle, end, part + num_parts / 2, num_parts / 2);
  }

  /// Puts the vertices of a part into an order in which a cut is cheap. Returns where to cut.
  std::size_t arrange(std::span<int> vertices, int part) {
    queue_.clear();
    ++search_;
    double total = 0;
    for (int v : vertices) total += patch_.valence(v);
    std::size_t begin = 0;
    double before = 0;
    for (int v : vertices) {
      if (vertex_seen_[at(v)] == search_) continue;
      // The piece around v:
      begin = queue_.size();
      const double weight = search_from(v, part);
      if (std::abs(before + weight - 0.5 * total) <= tolerance * total) {
        begin = queue_.size();
        before += weight;
        break;
      }
      if (before + weight > 0.5 * total) break;
      before += weight;
    }
    const std::size_t end = queue_.size();
    if (begin < end) {
      // Searches the piece across the middle once more, from the end that was found.
      const int far = queue_.back();
      for (std::size_t i = begin; i < end; ++i) vertex_seen_[at(queue_[i])] = 0;
      queue_.resize(begin);
      search_from_far(far, part);
    }
    // Pieces that were not reached come last.
    for (int v : vertices) {
      if (vertex_seen_[at(v)] != search_) queue_.push_back(v);
    }
    std::copy(queue_.begin(), queue_.end(), vertices.begin());
    return begin < end ? begin + cheapest(vertices.subspan(begin, end - begin), part, before, total)
                       : begin;
  }

  void search_from_far(int far, int part) {
    // The tets of the piece must be seen again: this is a new search, in which everything before
    // the piece counts as seen.
    ++search_;
    for (int v : queue_) vertex_seen_[at(v)] = search_;
    search_from(far, part);
  }

  /// Appends the vertices that are connected with v inside its part to the queue, nearest first.
  /// Returns the number of their tets, counted at every corner.
  double search_from(int v, int part) {
    std::size_t next = queue_.size();
    double weight = 0;
    vertex_seen_[at(v)] = search_;
    queue_.push_back(v);
    for (; next < queue_.size(); ++next) {
      const int u = queue_[next];
      weight += patch_.valence(u);
      for (int t : patch_.tets_of(u)) {
        if (tet_seen_[at(t)] == search_) continue;
        tet_seen_[at(t)] = search_;
        for (int w : patch_.tets[at(t)]) {
          if (part_[at(w)] != part || vertex_seen_[at(w)] == search_) continue;
          vertex_seen_[at(w)] = search_;
          queue_.push_back(w);
        }
      }
    }
    return weight;
  }

  /// Where in a piece, near the middle of the part, the fewest of the part's tets lie across.
  /// `before`: the weight in front of the piece.
  std::size_t cheapest(std::span<const int> piece, int part, double before, double total) {
    std::size_t best = 0;
    double nearest = total;
    int fewest = -1;
    int across = 0;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      const double off = std::abs(before - 0.5 * total);
      const bool allowed = off <= tolerance * total;
      if (fewest < 0 ? allowed || off < nearest
                     : allowed && (across < fewest || (across == fewest && off < nearest))) {
        best = i;
        nearest = off;
        if (allowed) fewest = across;
      }
      before += patch_.valence(piece[i]);
      for (int t : patch_.tets_of(piece[i])) {
        const auto& corners = patch_.tets[at(t)];
        if (std::any_of(corners.begin(), corners.end(),
                        [&](int v) { return part_[at(v)] != part; })) {
          continue;
        }
        const int before_cut = ++inside_[at(t)];
        if (before_cut == 1) ++across;
        if (before_cut == 4) --across;
      }
    }
    for (int v : piece) {
      for (int t : patch_.tets_of(v)) inside_[at(t)] = 0;
    }
    return best;
  }

  const Patch& patch_;
  std::vector<int> order_;        ///< the vertices, part after part
  std::vector<int> part_;         ///< [num_vertices]
  std::vector<int> queue_;        ///< of the search
  std::vector<int> vertex_seen_;  ///< [num_vertices], last search that met it
  std::vector<int> tet_seen_;     ///< [num_tets], likewise
  std::vector<int> inside_;       ///< [num_tets], number of corners before the cut; 0 between calls
  int search_ = 0;
};

class Cutter {
 public:
  Cutter(std::span<const std::array<int, 4>> tets, int num_vertices)
      : tets_(tets), local_(at(num_vertices), -1) {}

  TetParts cut() {
    result_.task_start.push_back(0);
    result_.phase_start.push_back(0);
    std::vector<int> left(tets_.size());
    std::iota(left.begin(), left.end(), 0);
    while (!left.empty()) left = phase(std::move(left));
    return std::move(result_);
  }

 private:
  /// Appends a phase and returns the tets that are left.
  std::vector<int> phase(std::vector<int> left) {
    const int num_parts = number_of_parts(left.size());
    std::vector<std::vector<int>> tasks(at(num_parts));
    std::vector<int> rest;
    if (num_parts > 1 && result_.phase_start.size() < max_phases) {
      const Patch patch = patch_of(left);
      const std::vector<int> part = Bisection(patch).cut(num_parts);
      for (std::size_t t = 0; t < left.size(); ++t) {
        const auto& c = patch.tets[t];
        const int p = part[at(c[0])];
        const bool within = part[at(c[1])] == p && part[at(c[2])] == p && part[at(c[3])] == p;
        (within ? tasks[at(p)] : rest).push_back(left[t]);
      }
    }
    if (!worth_while(tasks, left.size())) {
      tasks.clear();
      tasks.push_back(std::move(left));
      rest.clear();
    }
    for (const std::vector<int>& task : tasks) {
      if (task.empty()) continue;
      result_.tets.insert(result_.tets.end(), task.begin(), task.end());
      result_.task_start.push_back(static_cast<int>(result_.tets.size()));
    }
    result_.phase_start.push_back(static_cast<int>(result_.task_start.size()) - 1);
    return rest;
  }

  /// Whether threads gain from the cut. They do not if most tets touch one vertex.
  static bool worth_while(const std::vector<std::vector<int>>& tasks, std::size_t num_tets) {
    std::size_t inside = 0;
    std::size_t largest = 0;
    for (const std::vector<int>& task : tasks) {
      inside += task.size();
      largest = std::max(largest, task.size());
    }
    return static_cast<double>(inside) >= least_inside * static_cast<double>(num_tets) &&
           static_cast<double>(largest) <= largest_share * static_cast<double>(inside);
  }

  Patch patch_of(const std::vector<int>& left) {
    Patch patch;
    patch.tets.reserve(left.size());
    std::vector<int> used;
    for (int t : left) {
      std::array<int, 4> corners = tets_[at(t)];
      for (int& v : corners) {
        int& local = local_[at(v)];
        if (local < 0) {
          local = static_cast<int>(used.size());
          used.push_back(v);
        }
        v = local;
      }
      patch.tets.push_back(corners);
    }
    for (int v : used) local_[at(v)] = -1;
    patch.start.assign(used.size() + 1, 0);
    for (const auto& corners : patch.tets) {
      for (int v : corners) ++patch.start[at(v) + 1];
    }
    std::partial_sum(patch.start.begin(), patch.start.end(), patch.start.begin());
    patch.tet_of.resize(4 * patch.tets.size());
    std::vector<int> next(patch.start.begin(), patch.start.end() - 1);
    for (std::size_t t = 0; t < patch.tets.size(); ++t) {
      for (int v : patch.tets[t]) patch.tet_of[at(next[at(v)]++)] = static_cast<int>(t);
    }
    return patch;
  }

  std::span<const std::array<int, 4>> tets_;
  std::vector<int> local_;  ///< [num_vertices], number in the patch; -1 between calls
  TetParts result_;
};

}  // namespace

TetParts cut_into_parts(std::span<const std::array<int, 4>> tets, int num_vertices) {
  return Cutter(tets, num_vertices).cut();
}

}  // namespace supple
