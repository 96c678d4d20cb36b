#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "supple/body_handle.h"

namespace supple {

/// The handles of the bodies of a simulation, and what the program keeps with them.
class BodyTable {
 public:
  BodyTable() = default;
  explicit BodyTable(std::size_t num_bodies) {
    for (std::size_t b = 0; b < num_bodies; ++b) add();
  }

  /// Handle of the body with this index, which must exist.
  BodyHandle handle(int body) const;
  bool contains(BodyHandle body) const;
  /// Throws Error{invalid_input} at "body" for a handle of no body.
  int index(BodyHandle body) const { return slot_of(body).index; }

  std::uint64_t user_data(BodyHandle body) const { return slot_of(body).user_data; }
  void set_user_data(BodyHandle body, std::uint64_t data);

  /// Adds a body after all others.
  BodyHandle add();
  /// Removes bodies; those after them move up. Throws as `index` does, and also if a body is named
  /// twice.
  void remove(std::span<const BodyHandle> bodies);

 private:
  struct Slot {
    std::uint32_t generation = 1;
    int index = -1;  ///< -1: free
    std::uint64_t user_data = 0;
  };
  const Slot& slot_of(BodyHandle body) const;

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> order_;  ///< slot of each body
};

}  // namespace supple
