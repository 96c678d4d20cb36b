#include "sim/touching_pairs.h"

#include <algorithm>

#include "base/index.h"

namespace supple {

void TouchingPairs::reset(std::size_t num_bodies, std::size_t num_colliders) {
  num_bodies_ = num_bodies;
  num_colliders_ = num_colliders;
  before_.assign((num_pairs() + 63) / 64, 0);
  now_ = before_;
}

void TouchingPairs::end_frame(const ContactEnergy* contact, const Model& model) {
  std::swap(before_, now_);
  std::fill(now_.begin(), now_.end(), 0);
  if (contact == nullptr) return;
  for (const Contact& own : contact->touching()) {
    int bodies[2] = {-1, -1};  // of positive weights; of the others
    for (int i = 0; i < own.point.count; ++i) {
      bodies[own.point.weights[i] > 0 ? 0 : 1] = model.body_of(own.point.vertices[i]);
    }
    const std::size_t body = at(own.is_of_bodies() ? std::min(bodies[0], bodies[1]) : bodies[0]);
    const std::size_t other =
        own.is_of_bodies() ? at(std::max(bodies[0], bodies[1])) : num_bodies_ + at(own.collider);
    const std::size_t pair = body * (num_bodies_ + num_colliders_) + other;
    now_[pair / 64] |= std::uint64_t{1} << pair % 64;
  }
}

void TouchingPairs::go_on_from(const TouchingPairs& before, const std::vector<int>& origin) {
  reset(origin.size(), before.num_colliders_);
  const std::size_t row = num_bodies_ + num_colliders_;
  const std::size_t row_before = before.num_bodies_ + before.num_colliders_;
  for (std::size_t pair = 0; pair < num_pairs(); ++pair) {
    const int body = origin[pair / row];
    const std::size_t other = pair % row;
    if (body < 0 || (other < num_bodies_ && origin[other] < 0)) continue;
    const std::size_t was =
        at(body) * row_before +
        (other < num_bodies_ ? at(origin[other]) : before.num_bodies_ + other - num_bodies_);
    now_[pair / 64] |= (before.now_[was / 64] >> was % 64 & 1) << pair % 64;
  }
  before_ = now_;
}

std::vector<ContactEvent> TouchingPairs::events() const {
  std::vector<ContactEvent> list;
  for (std::size_t word = 0; word < now_.size(); ++word) {
    for (std::uint64_t left = now_[word] ^ before_[word]; left != 0; left &= left - 1) {
      std::size_t bit = 0;
      while ((left >> bit & 1) == 0) ++bit;
      const std::size_t pair = 64 * word + bit, row = num_bodies_ + num_colliders_;
      const auto other = static_cast<int>(pair % row), bodies = static_cast<int>(num_bodies_);
      ContactEvent event;
      event.body = static_cast<int>(pair / row);
      (other < bodies ? event.other_body : event.collider) =
          other < bodies ? other : other - bodies;
      event.begins = (now_[word] >> bit & 1) != 0;
      list.push_back(event);
    }
  }
  return list;
}

}  // namespace supple
