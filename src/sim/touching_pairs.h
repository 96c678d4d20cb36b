#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "contact/contact_energy.h"
#include "model/model.h"
#include "supple/simulation.h"

namespace supple {

/// Which bodies touch which bodies and colliders at the ends of the last two frames, two bits a
/// pair: Simulation::contact_events.
class TouchingPairs {
 public:
  /// Starts afresh: the next frame is the first one, and nothing has touched.
  void reset(std::size_t num_bodies, std::size_t num_colliders);
  /// Keeps what has touched if there are as many bodies and colliders as before; otherwise resets.
  void keep(std::size_t num_bodies, std::size_t num_colliders) {
    if (num_bodies != num_bodies_ || num_colliders != num_colliders_) {
      reset(num_bodies, num_colliders);
    }
  }

  /// Goes on from bodies of which some were removed and others added. origin: the number that each
  /// body had, or -1.
  void go_on_from(const TouchingPairs& before, const std::vector<int>& origin);

  /// Ends a frame, with the contacts that were found last; null: there are none. Allocates nothing.
  void end_frame(const ContactEnergy* contact, const Model& model);
  /// Ends a frame in which nothing moved.
  void end_frame_as_before() { before_ = now_; }

  std::vector<ContactEvent> events() const;

 private:
  std::size_t num_pairs() const { return num_bodies_ * (num_bodies_ + num_colliders_); }

  std::size_t num_bodies_ = 0, num_colliders_ = 0;
  /// [num_bodies * (num_bodies + num_colliders)] bits: for each body, its bodies, then its
  /// colliders.
  std::vector<std::uint64_t> before_, now_;
};

}  // namespace supple
