#include "sim/body_table.h"

#include <algorithm>

#include "base/index.h"
#include "base/refuse.h"

namespace supple {

BodyHandle BodyTable::handle(int body) const {
  const std::uint32_t slot = order_[at(body)];
  return {slot, slots_[slot].generation};
}

bool BodyTable::contains(BodyHandle body) const {
  return body.index < slots_.size() && slots_[body.index].index >= 0 &&
         slots_[body.index].generation == body.generation;
}

const BodyTable::Slot& BodyTable::slot_of(BodyHandle body) const {
  if (!contains(body)) {
    refuse("body", body.generation == 0 ? "the handle names no body"
                                        : "was removed, or is of another simulation");
  }
  return slots_[body.index];
}

void BodyTable::set_user_data(BodyHandle body, std::uint64_t data) {
  slot_of(body);
  slots_[body.index].user_data = data;
}

BodyHandle BodyTable::add() {
  const auto free =
      std::find_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.index < 0; });
  const auto index = static_cast<std::uint32_t>(free - slots_.begin());
  if (free == slots_.end()) slots_.emplace_back();
  slots_[index].index = static_cast<int>(order_.size());
  slots_[index].user_data = 0;
  order_.push_back(index);
  return {index, slots_[index].generation};
}

void BodyTable::remove(std::span<const BodyHandle> bodies) {
  for (const BodyHandle& body : bodies) {
    slot_of(body);
    slots_[body.index].index = -1;
    ++slots_[body.index].generation;
  }
  std::erase_if(order_, [&](std::uint32_t slot) { return slots_[slot].index < 0; });
  for (std::size_t b = 0; b < order_.size(); ++b) slots_[order_[b]].index = static_cast<int>(b);
}

}  // namespace supple
