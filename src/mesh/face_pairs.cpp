#include "mesh/face_pairs.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace supple {

namespace {

constexpr int bits_of_vertex = 21;

/// For each tet, the tets behind its four faces; -1 if there is none.
using Neighbours = std::vector<std::array<int, 4>>;

/// Faces that have one tet so far, by their vertices: a hash table with open addressing, half of it
/// empty.
class OpenFaces {
 public:
  explicit OpenFaces(std::size_t num_faces) : entries_(std::bit_ceil(2 * num_faces + 1)) {}

  /// Returns four times the tet that waits at this face, plus the number of its face. Returns -1 if
  /// none waits; `place` then waits there.
  int meet(std::uint64_t vertices, int place) {
    // After multiplication by 2^64 over the golden ratio, the upper half depends on all bits.
    std::size_t at = (vertices * 0x9E3779B97F4A7C15U) >> 32U;
    for (;; ++at) {
      Entry& entry = entries_[at & (entries_.size() - 1)];
      if (entry.place < 0 && entry.vertices == 0) {
        entry = {vertices, place};
        return -1;
      }
      if (entry.vertices == vertices && entry.place >= 0) return std::exchange(entry.place, -1);
    }
  }

 private:
  struct Entry {
    std::uint64_t vertices = 0;  ///< three of them, ascending: 0 for none
    int place = -1;              ///< -1: the face has its two tets
  };
  std::vector<Entry> entries_;
};

Neighbours neighbours_of(std::span<const std::array<int, 4>> tets) {
  OpenFaces open(4 * tets.size());
  Neighbours neighbours(tets.size(), {-1, -1, -1, -1});
  for (std::size_t t = 0; t < tets.size(); ++t) {
    std::array<int, 4> v = tets[t];
    std::sort(v.begin(), v.end());
    for (std::size_t opposite = 0; opposite < 4; ++opposite) {
      std::uint64_t key = 0;
      for (std::size_t c = 0; c < 4; ++c) {
        if (c != opposite) key = key << bits_of_vertex | static_cast<std::uint64_t>(v[c]);
      }
      const int met = open.meet(key, static_cast<int>(4 * t + opposite));
      if (met < 0) continue;
      neighbours[t][opposite] = met / 4;
      neighbours[static_cast<std::size_t>(met / 4)][static_cast<std::size_t>(met % 4)] =
          static_cast<int>(t);
    }
  }
  return neighbours;
}

/// Tets that are left, and how many of each one's neighbours are left.
class Matching {
 public:
  explicit Matching(Neighbours neighbours)
      : neighbours_(std::move(neighbours)),
        partner_(neighbours_.size(), -1),
        is_left_(neighbours_.size(), 1),
        degree_(neighbours_.size(), 0) {
    for (std::size_t t = 0; t < neighbours_.size(); ++t) {
      degree_[t] =
          static_cast<int>(4 - std::count(neighbours_[t].begin(), neighbours_[t].end(), -1));
      if (degree_[t] == 1) last_chance_.push_back(static_cast<int>(t));
    }
  }

  std::vector<int> partners() && {
    for (int t = 0; t < static_cast<int>(partner_.size()); ++t) {
      serve_last_chances();
      take(t);
    }
    serve_last_chances();
    return std::move(partner_);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void serve_last_chances() {
    while (!last_chance_.empty()) {
      const int t = last_chance_.back();
      last_chance_.pop_back();
      take(t);
    }
  }

  void take(int t) {
    if (is_left_[at(t)] == 0) return;
    int best = -1;
    for (const int n : neighbours_[at(t)]) {
      if (n < 0 || is_left_[at(n)] == 0) continue;
      if (best < 0 || degree_[at(n)] < degree_[at(best)]) best = n;
    }
    if (best < 0) return;
    partner_[at(t)] = best;
    partner_[at(best)] = t;
    leave(t);
    leave(best);
  }

  void leave(int t) {
    is_left_[at(t)] = 0;
    for (const int n : neighbours_[at(t)]) {
      if (n >= 0 && --degree_[at(n)] == 1 && is_left_[at(n)] != 0) last_chance_.push_back(n);
    }
  }

  Neighbours neighbours_;
  std::vector<int> partner_;
  std::vector<char> is_left_;
  std::vector<int> degree_;
  std::vector<int> last_chance_;  ///< tets with one neighbour left, the newest at the end
};

}  // namespace

std::vector<std::pair<int, int>> pair_by_faces(std::span<const std::array<int, 4>> tets) {
  const std::vector<int> partner = Matching(neighbours_of(tets)).partners();
  std::vector<std::pair<int, int>> pairs;
  pairs.reserve((tets.size() + 1) / 2);
  for (int t = 0; t < static_cast<int>(partner.size()); ++t) {
    const int other = partner[static_cast<std::size_t>(t)];
    if (other < 0 || other > t) pairs.emplace_back(t, other);
  }
  return pairs;
}

}  // namespace supple
