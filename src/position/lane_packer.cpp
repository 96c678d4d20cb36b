#include "position/lane_packer.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <tuple>
#include <utility>

#include "base/index.h"

namespace supple {

namespace {

constexpr std::size_t num_open = 64;

/// Tets in which neighbours are kept apart together. The positions of their vertices stay in the
/// first-level cache (2048 tets have about 500 vertices).
constexpr std::size_t block_size = 2048;

/// If more tets than this share one vertex, they do not fit into the open batches.
constexpr int hub_valence = 48;

/// This share of the tets comes last, those with the fewest others around them. They find a place
/// in the batches that are left open at the end. (A ball of 24,576 tets in parts, 16 lanes: 0.963
/// of the lanes are filled, without it 0.946.)
constexpr double filler_share = 0.25;

}  // namespace

LanePacker::LanePacker(std::span<const std::array<int, 4>> tets, int num_vertices, int width)
    : tets_(tets),
      width_(at(width)),
      touched_by_(at(num_vertices), 0),
      valence_(at(num_vertices), 0),
      open_(num_open * width_, -1),
      size_{} {}

void LanePacker::pack(std::span<const int> chosen, std::vector<int>& tet_of_lane) {
  spread(chosen);
  out_ = &tet_of_lane;
  oldest_ = 0;
  room_ = ~std::uint64_t{0};
  for (int tet : order_) place(tet);
  // The open batches are the last ones, and no empty one comes before one with tets.
  while (size_[at(oldest_)] > 0) close_oldest();
}

void LanePacker::place(int tet) {
  for (;;) {
    std::uint64_t free = room_;
    for (int v : corners(tet)) free &= ~touched_by_[at(v)];
    if (free == 0) {
      close_oldest();
      continue;
    }
    const int slot = (std::countr_zero(std::rotr(free, oldest_)) + oldest_) % 64;
    const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(slot);
    for (int v : corners(tet)) touched_by_[at(v)] |= bit;
    int& size = size_[at(slot)];
    open_[at(slot) * width_ + at(size)] = tet;
    ++size;
    if (at(size) == width_) room_ &= ~bit;
    break;
  }
  while (at(size_[at(oldest_)]) == width_) close_oldest();
}

void LanePacker::close_oldest() {
  const auto slot = at(oldest_);
  const std::uint64_t bit = std::uint64_t{1} << slot;
  const auto places = std::span(open_).subspan(slot * width_, width_);
  out_->insert(out_->end(), places.begin(), places.end());
  for (int tet : places.first(at(size_[slot]))) {
    for (int v : corners(tet)) touched_by_[at(v)] &= ~bit;
  }
  std::fill(places.begin(), places.end(), -1);
  size_[slot] = 0;
  room_ |= bit;
  oldest_ = (oldest_ + 1) % 64;
}

void LanePacker::spread(std::span<const int> chosen) {
  const auto smallest = [&](int tet) {
    const auto& c = corners(tet);
    return std::min(std::min(c[0], c[1]), std::min(c[2], c[3]));
  };
  std::vector<std::pair<int, int>> keyed;
  keyed.reserve(chosen.size());
  for (int tet : chosen) {
    keyed.emplace_back(smallest(tet), tet);
    for (int v : corners(tet)) ++valence_[at(v)];
  }
  std::sort(keyed.begin(), keyed.end());
  hub_tets_.clear();
  std::vector<int> others;
  others.reserve(chosen.size());
  for (const auto& [key, tet] : keyed) (hub_of(tet) < 0 ? others : hub_tets_).push_back(tet);
  order_.clear();
  order_.reserve(chosen.size());
  const auto fillers = split_fillers(others);
  interleave(std::span(others).first(others.size() - fillers));
  interleave(std::span(others).last(fillers));
  if (!hub_tets_.empty()) strew_hubs();
  for (int tet : chosen) {
    for (int v : corners(tet)) valence_[at(v)] = 0;
  }
}

std::size_t LanePacker::split_fillers(std::vector<int>& tets) const {
  const auto around = [&](int tet) {
    int sum = 0;
    for (int v : corners(tet)) sum += valence_[at(v)];
    return sum;
  };
  const auto wanted = static_cast<std::size_t>(filler_share * static_cast<double>(tets.size()));
  if (wanted == 0) return 0;
  std::vector<int> sums;
  sums.reserve(tets.size());
  for (int tet : tets) sums.push_back(around(tet));
  const auto last = sums.begin() + static_cast<std::ptrdiff_t>(wanted);
  std::nth_element(sums.begin(), last, sums.end());
  const int limit = *last;
  const auto split = std::stable_partition(tets.begin(), tets.end(),
                                           [&](int tet) { return around(tet) >= limit; });
  return static_cast<std::size_t>(tets.end() - split);
}

void LanePacker::interleave(std::span<const int> sorted) {
  const std::size_t num_blocks =
      std::max<std::size_t>(1, (sorted.size() + block_size / 2) / block_size);
  for (std::size_t b = 0; b < num_blocks; ++b) {
    const std::size_t begin = sorted.size() * b / num_blocks;
    const auto block = sorted.subspan(begin, sorted.size() * (b + 1) / num_blocks - begin);
    const std::size_t run = (block.size() + width_ - 1) / width_;
    for (std::size_t i = 0; i < run; ++i) {
      for (std::size_t k = i; k < block.size(); k += run) order_.push_back(block[k]);
    }
  }
}

int LanePacker::hub_of(int tet) const {
  int hub = -1;
  int most = hub_valence;
  for (int v : corners(tet)) {
    if (valence_[at(v)] > most) {
      hub = v;
      most = valence_[at(v)];
    }
  }
  return hub;
}

void LanePacker::strew_hubs() {
  struct Placed {
    double place;  ///< in [0, 1]
    int hub;       ///< -1: of no hub
    int tet;
    bool operator<(const Placed& other) const {
      return std::tie(place, hub, tet) < std::tie(other.place, other.hub, other.tet);
    }
  };
  std::vector<Placed> placed;
  placed.reserve(order_.size() + hub_tets_.size());
  const auto middle = [](std::size_t i, std::size_t count) {
    return (static_cast<double>(i) + 0.5) / static_cast<double>(count);
  };
  for (std::size_t i = 0; i < order_.size(); ++i) {
    placed.push_back({middle(i, order_.size()), -1, order_[i]});
  }
  std::stable_sort(hub_tets_.begin(), hub_tets_.end(),
                   [&](int a, int b) { return hub_of(a) < hub_of(b); });
  for (std::size_t begin = 0, end = 0; begin < hub_tets_.size(); begin = end) {
    const int hub = hub_of(hub_tets_[begin]);
    while (end < hub_tets_.size() && hub_of(hub_tets_[end]) == hub) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      placed.push_back({middle(i - begin, end - begin), hub, hub_tets_[i]});
    }
  }
  std::sort(placed.begin(), placed.end());
  order_.clear();
  for (const Placed& p : placed) order_.push_back(p.tet);
}

}  // namespace supple
