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
  /// The next frame is the first one: nothing has touched.
  void reset(std::size_t num_bodies, std::size_t num_colliders);
  /// The same where there are as many of both as before: what has touched stays.
  void keep(std::size_t num_bodies, std::size_t num_colliders) {
    if (num_bodies != num_bodies_ || num_colliders != num_colliders_) {
      reset(num_bodies, num_colliders);
    }
  }

  /// Of bodies of which some were removed and added: of each the number it had, or -1.
  void go_on_from(const TouchingPairs& before, const std::vector<int>& origin);

  /// A frame ended, with the contacts that were found last, or with none: null. Allocates nothing.
  void end_frame(const ContactEnergy* contact, const Model& model);
  /// A frame ended where it had begun.
  void end_frame_as_before() { before_ = now_; }

  std::vector<ContactEvent> events() const;

 private:
  std::size_t num_pairs() const { return num_bodies_ * (num_bodies_ + num_colliders_); }

  std::size_t num_bodies_ = 0, num_colliders_ = 0;
  /// [num_bodies * (num_bodies + num_colliders)] bits: of each body, with bodies, with colliders.
  std::vector<std::uint64_t> before_, now_;
};

}  // namespace supple
