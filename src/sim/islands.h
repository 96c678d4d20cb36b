#pragma once

#include <span>
#include <utility>
#include <vector>

#include "contact/contact_energy.h"

namespace supple {

/// The bodies of a scene in groups that nothing couples in a step: each is a problem by itself.
class Islands {
 public:
  explicit Islands(std::size_t num_bodies);

  /// Bodies that stand in one island whatever touches: groups of BondSet::groups. Allocates.
  void set_groups(std::vector<int> groups) { groups_ = std::move(groups); }

  /// Bodies that contacts of the step or bonds couple stand in one island; where the others are not
  /// `are_apart`, all do. Allocates nothing.
  void find(const ContactEnergy* contact, bool are_apart);

  int count() const { return static_cast<int>(start_.size()) - 1; }
  /// Its bodies, ascending. Islands are in the order of their first bodies.
  std::span<const int> operator[](int island) const;

 private:
  int root(int body);

  std::vector<int> groups_;  ///< first body of each, then the number of bodies; or empty
  std::vector<int> parent_;  ///< [num_bodies], of the smaller number
  std::vector<int> place_;   ///< [num_bodies], of the island of a root
  std::vector<int> start_;   ///< [count + 1], into bodies_
  std::vector<int> bodies_;
};

}  // namespace supple
