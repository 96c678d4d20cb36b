#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace supple {

/// Packs tets into batches whose lanes share no vertex.
///
/// Up to 64 batches are open at a time, and every vertex keeps a mask of those that touch it: a tet
/// goes to the oldest batch that none of its corners is in, found by a few bit operations. Where
/// there is none, the oldest batch closes with empty lanes. So that this happens rarely, tets come
/// in an order in which neighbours stand far apart (see `spread`).
class LanePacker {
 public:
  /// tets: [num_tets], must outlive the packer; width: lanes of a batch, >= 1.
  LanePacker(std::span<const std::array<int, 4>> tets, int num_vertices, int width);

  /// Appends the batches of these tets to `tet_of_lane`, -1 in an empty lane. Cost: linear but for
  /// a sort. The order of `chosen` has no influence.
  void pack(std::span<const int> chosen, std::vector<int>& tet_of_lane);

 private:
  /// Into the order in which they are packed. Sorted by their smallest vertex, runs of tets stand
  /// close together; each lane takes a run of its own. The tets around a vertex of many (a hub)
  /// can only follow each other, so that they are strewn evenly between the others.
  void spread(std::span<const int> chosen);
  /// Puts the tets that have the fewest others around them last and returns how many those are.
  std::size_t split_fillers(std::vector<int>& tets) const;
  void interleave(std::span<const int> sorted);
  void strew_hubs();
  /// The vertex of a tet with the most of the chosen ones, or -1 where it has few.
  int hub_of(int tet) const;

  void place(int tet);
  /// Appends the oldest open batch to the output and opens a new one.
  void close_oldest();

  const std::array<int, 4>& corners(int tet) const { return tets_[static_cast<std::size_t>(tet)]; }

  std::span<const std::array<int, 4>> tets_;
  std::size_t width_;
  std::vector<std::uint64_t> touched_by_;  ///< [num_vertices], open batches; 0 between calls
  std::vector<int> valence_;               ///< [num_vertices], of the chosen; 0 between calls
  std::vector<int> order_;                 ///< what spread has made
  std::vector<int> hub_tets_;
  std::vector<int> open_;     ///< [64 * width], lanes of the open batches, a ring
  std::array<int, 64> size_;  ///< tets in each open batch
  std::uint64_t room_ = 0;    ///< open batches with an empty lane
  int oldest_ = 0;            ///< place of the oldest in the ring
  std::vector<int>* out_ = nullptr;
};

}  // namespace supple
