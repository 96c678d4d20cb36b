#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "math/vector_field.h"

namespace supple {

/// The friction at each vertex where a step ended (contact/contact_energy.h).
struct FrictionMemory {
  /// What a vertex touches: a collider by its index, another body by that of the body.
  static constexpr std::int32_t nothing = -1;
  static std::int32_t of_body(int body) { return -2 - body; }

  /// The sum of the normal forces between two bodies, N. one <= other.
  struct NormalForce {
    std::int32_t one, other;
    double force;
  };

  VectorField share;                  ///< [num_vertices], of the largest force, at most 1
  std::vector<std::int32_t> partner;  ///< [num_vertices]; both are empty if nothing is remembered
  std::vector<NormalForce> normal_forces;  ///< by bodies, ascending, > 0

  /// Null: nothing is known of these two.
  const NormalForce* find(std::int32_t one, std::int32_t other) const {
    const NormalForce own{one, other, 0};
    const auto found = std::lower_bound(normal_forces.begin(), normal_forces.end(), own, is_before);
    return found == normal_forces.end() || is_before(own, *found) ? nullptr : &*found;
  }
  void add(const NormalForce& own) {
    const auto found = std::lower_bound(normal_forces.begin(), normal_forces.end(), own, is_before);
    if (found == normal_forces.end() || is_before(own, *found)) {
      normal_forces.insert(found, own);
    } else {
      found->force += own.force;
    }
  }

  bool empty() const { return partner.empty(); }

 private:
  static bool is_before(const NormalForce& a, const NormalForce& b) {
    return a.one != b.one ? a.one < b.one : a.other < b.other;
  }
};

}  // namespace supple
