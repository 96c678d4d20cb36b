#include "session/history.h"

#include <utility>

namespace supple {

namespace {

std::size_t bytes_of(const Edit& edit, const Edit* neighbour) {
  const bool shared = neighbour != nullptr && neighbour->document == edit.document;
  std::size_t bytes = sizeof(Edit) + (shared ? 0 : edit.document->size());
  for (const BodyPins& pins : edit.pins) {
    bytes += sizeof(BodyPins);
    for (const ScenePinEdit& pin : pins.scene) {
      bytes += sizeof(pin) + pin.removed.size() * sizeof(int);
    }
    for (const HandPin& pin : pins.by_hand) {
      bytes += sizeof(pin) + pin.vertices.size() * (sizeof(int) + sizeof(Vec3));
    }
  }
  return bytes + edit.colliders.size() * sizeof(Placement);
}

}  // namespace

void History::add(Edit before, const std::string& key) {
  const bool same_step = !key.empty() && key == key_ && !past_.empty();
  key_ = key;
  future_.clear();
  if (same_step) return;
  past_.push_back(std::move(before));
  forget();
}

void History::forget() {
  while (past_.size() > depth) past_.pop_front();
  std::size_t bytes = 0;
  std::size_t kept = 0;
  for (std::size_t i = past_.size(); i-- > 0; ++kept) {
    bytes += bytes_of(past_[i], i + 1 < past_.size() ? &past_[i + 1] : nullptr);
    if (bytes > most_bytes) break;
  }
  while (past_.size() > kept) past_.pop_front();
}

void History::clear() {
  past_.clear();
  future_.clear();
  key_.clear();
}

void History::undone(Edit now) {
  past_.pop_back();
  future_.push_back(std::move(now));
  key_.clear();
}

void History::redone(Edit now) {
  future_.pop_back();
  past_.push_back(std::move(now));
  key_.clear();
}

}  // namespace supple
