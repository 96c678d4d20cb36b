#pragma once

#include <span>
#include <vector>

#include "contact/contact_energy.h"

namespace supple {

/// The bodies of a scene in groups that nothing couples in a step: each is a problem by itself.
class Islands {
 public:
  explicit Islands(std::size_t num_bodies);

  /// Bodies that contacts of the step couple stand in one island; where the others are not
  /// `are_apart`, all do. Allocates nothing.
  void find(const ContactEnergy* contact, bool are_apart);

  int count() const { return static_cast<int>(start_.size()) - 1; }
  /// Its bodies, ascending. Islands are in the order of their first bodies.
  std::span<const int> operator[](int island) const;

 private:
  int root(int body);

  std::vector<int> parent_;  ///< [num_bodies], of the smaller number
  std::vector<int> place_;   ///< [num_bodies], of the island of a root
  std::vector<int> start_;   ///< [count + 1], into bodies_
  std::vector<int> bodies_;
};

}  // namespace supple
