#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace supple {

/// Packs tets into batches whose lanes share no vertex.
///
/// Up to 64 batches are open at a time, and every vertex has a mask of those that touch it. A tet
/// goes to the oldest batch that none of its corners is in, which a few bit operations find. If
/// there is none, the oldest batch closes with empty lanes. To make this rare, tets are packed in
/// an order in which neighbours are far apart (see `spread`).
class LanePacker {
 public:
  /// tets: [num_tets], must outlive the packer; width: lanes of a batch, >= 1.
  LanePacker(std::span<const std::array<int, 4>> tets, int num_vertices, int width);

  /// Appends the batches of these tets to `tet_of_lane`, -1 in an empty lane. Cost: linear, apart
  /// from a sort. The order of `chosen` has no influence.
  void pack(std::span<const int> chosen, std::vector<int>& tet_of_lane);

 private:
  /// Puts the tets into the order in which they are packed. Sorted by their smallest vertex, runs
  /// of tets are close together, so each lane takes a run of its own. The tets around a vertex with
  /// many of them (a hub) can only follow each other, so they are spread evenly among the others.
  void spread(std::span<const int> chosen);
  /// Puts the tets with the fewest others around them last and returns how many there are.
  std::size_t split_fillers(std::vector<int>& tets) const;
  void interleave(std::span<const int> sorted);
  void strew_hubs();
  /// The vertex of a tet with the most chosen tets around it; -1 if none has many.
  int hub_of(int tet) const;

  void place(int tet);
  /// Appends the oldest open batch to the output and opens a new one.
  void close_oldest();

  const std::array<int, 4>& corners(int tet) const { return tets_[static_cast<std::size_t>(tet)]; }

  std::span<const std::array<int, 4>> tets_;
  std::size_t width_;
  std::vector<std::uint64_t> touched_by_;  ///< [num_vertices], open batches that touch it; 0
                                           ///< between calls
  std::vector<int> valence_;               ///< [num_vertices], number of chosen tets; 0 between
                                           ///< calls
  std::vector<int> order_;                 ///< result of `spread`
  std::vector<int> hub_tets_;
  std::vector<int> open_;     ///< [64 * width], lanes of the open batches, a ring
  std::array<int, 64> size_;  ///< tets in each open batch
  std::uint64_t room_ = 0;    ///< open batches with an empty lane
  int oldest_ = 0;            ///< index of the oldest in the ring
  std::vector<int>* out_ = nullptr;
};

}  // namespace supple
