#pragma once

#include <span>
#include <utility>
#include <vector>

#include "contact/contact_energy.h"

namespace supple {

/// Groups of bodies that nothing couples in a step: each group is a problem of its own.
class Islands {
 public:
  explicit Islands(std::size_t num_bodies);

  /// Bodies that share an island whatever touches: groups of BondSet::groups. Allocates.
  void set_groups(std::vector<int> groups) { groups_ = std::move(groups); }

  /// Puts bodies that contacts of the step or bonds couple into one island. If the others are not
  /// `are_apart`, all bodies share one. Allocates nothing.
  void find(const ContactEnergy* contact, bool are_apart);

  int count() const { return static_cast<int>(start_.size()) - 1; }
  /// The bodies of an island, ascending. Islands are ordered by their first bodies.
  std::span<const int> operator[](int island) const;

 private:
  int root(int body);

  std::vector<int> groups_;  ///< first body of each, then the number of bodies; or empty
  std::vector<int> parent_;  ///< [num_bodies], itself or a coupled body with a smaller number
  std::vector<int> place_;   ///< [num_bodies], the island of each root
  std::vector<int> start_;   ///< [count + 1], into bodies_
  std::vector<int> bodies_;
};

}  // namespace supple
