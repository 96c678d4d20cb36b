#pragma once

#include <cstdint>
#include <vector>

#include "math/vector_field.h"

namespace supple {

/// The friction at each vertex where a step ended (contact/contact_energy.h).
struct FrictionMemory {
  /// What a vertex touches: a collider by its index, another body by that of the body.
  static constexpr std::int32_t nothing = -1;
  static std::int32_t of_body(int body) { return -2 - body; }

  VectorField share;                  ///< [num_vertices], of the largest force, at most 1
  std::vector<std::int32_t> partner;  ///< [num_vertices]; both are empty if nothing is remembered

  bool empty() const { return partner.empty(); }
};

}  // namespace supple
