#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/index.h"

namespace supple {

/// Numbers 0, 1, 2, ... of a growing list, each filed under a body, and the numbers whose bodies
/// are selected. Allocates nothing once there is room.
class BodyLists {
 public:
  BodyLists() = default;
  BodyLists(std::size_t num_bodies, std::size_t room) : ends_(num_bodies, {-1, -1}) {
    next_.reserve(room);
    selected_.reserve(room);
  }

  void clear() {
    std::fill(ends_.begin(), ends_.end(), Ends{-1, -1});
    next_.clear();
    selected_.clear();
  }

  /// Adds the next number, for a body that is selected.
  void add(std::size_t body) {
    const int number = static_cast<int>(next_.size());
    next_.push_back(-1);
    Ends& own = ends_[body];
    (own.first < 0 ? own.first : next_[at(own.last)]) = number;
    own.last = number;
    selected_.push_back(number);
  }

  void select(std::span<const int> bodies) {
    selected_.clear();
    for (const int body : bodies) {
      if (at(body) >= ends_.size()) break;
      for (int i = ends_[at(body)].first; i >= 0; i = next_[at(i)]) selected_.push_back(i);
    }
    std::sort(selected_.begin(), selected_.end());
  }

  /// Ascending.
  std::span<const int> selected() const { return selected_; }

 private:
  struct Ends {
    int first, last;
  };
  std::vector<Ends> ends_;  ///< [num_bodies]; -1: none
  std::vector<int> next_;   ///< the next number of the same body; -1: none
  std::vector<int> selected_;
};

}  // namespace supple
