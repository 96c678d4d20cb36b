#include "serve/mailboxes.h"

#include <algorithm>
#include <utility>

namespace supple {

namespace {

/// A limit, because clients that come and go while the program is busy leave two messages each.
constexpr std::size_t max_inbox = 100'000;

}  // namespace

Mailboxes::Mailboxes(const ServerLimits& limits, Calls calls)
    : limits_(limits), calls_(std::move(calls)) {}

std::optional<Mailboxes::Client> Mailboxes::enter() {
  {
    const std::scoped_lock lock(mutex_);
    if (boxes_.size() >= limits_.max_clients || inbox_.size() >= max_inbox) return std::nullopt;
    ++last_client_;
    boxes_[last_client_];
    inbox_.push_back({Inbound::Kind::connected, last_client_, {}});
  }
  arrived_.notify_one();
  return last_client_;
}

void Mailboxes::leave(Client client) {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = boxes_.find(client);
    if (found == boxes_.end()) return;
    // Its complete messages still wait to be taken, and count until then.
    held_bytes_ -= found->second.half_bytes;
    boxes_.erase(found);
    inbox_.push_back({Inbound::Kind::disconnected, client, {}});
  }
  arrived_.notify_one();
}

bool Mailboxes::hold(Client client, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto found = boxes_.find(client);
  if (found == boxes_.end() || held_bytes_ + bytes > limits_.max_received_bytes) return false;
  found->second.half_bytes += bytes;
  held_bytes_ += bytes;
  return true;
}

bool Mailboxes::is_full(const Box& box) const {
  return box.num_waiting >= limits_.max_waiting_messages ||
         box.waiting_bytes >= limits_.max_binary_bytes;
}

bool Mailboxes::put(Client client, Inbound::Kind kind, std::string bytes) {
  bool room = true;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = boxes_.find(client);
    if (found == boxes_.end()) return true;
    Box& box = found->second;
    box.half_bytes -= bytes.size();
    box.waiting_bytes += bytes.size();
    ++box.num_waiting;
    inbox_.push_back({kind, client, std::move(bytes)});
    box.paused = is_full(box);
    room = !box.paused;
  }
  arrived_.notify_one();
  return room;
}

void Mailboxes::interrupt() {
  {
    const std::scoped_lock lock(mutex_);
    inbox_.push_back({Inbound::Kind::interrupted, 0, {}});
  }
  arrived_.notify_one();
}

std::optional<Outgoing> Mailboxes::next(Client client) {
  const std::scoped_lock lock(mutex_);
  const auto found = boxes_.find(client);
  if (found == boxes_.end()) return std::nullopt;
  Box& box = found->second;
  if (box.newest && (box.queue.empty() || box.newest->number < box.queue.front().number)) {
    Outgoing content = std::move(box.newest->content);
    box.newest.reset();
    return content;
  }
  if (box.queue.empty()) {
    box.called = false;
    return std::nullopt;
  }
  Outgoing content = std::move(box.queue.front().content);
  box.queue.pop_front();
  box.queue_bytes -= content.bytes->size();
  return content;
}

bool Mailboxes::overflowed(Client client) const {
  const std::scoped_lock lock(mutex_);
  const auto found = boxes_.find(client);
  return found != boxes_.end() && found->second.overflowed;
}

std::vector<Inbound> Mailboxes::take(std::chrono::duration<double> wait) {
  // Practically for ever, but short enough for any clock.
  const std::chrono::duration<double> bounded{std::clamp(wait.count(), 0.0, 3600.0)};
  std::vector<Inbound> taken;
  std::vector<Client> resumed;
  {
    std::unique_lock lock(mutex_);
    arrived_.wait_for(lock, bounded, [this] { return !inbox_.empty(); });
    taken.swap(inbox_);
    for (const Inbound& message : taken) {
      held_bytes_ -= message.bytes.size();
      const auto found = boxes_.find(message.client);
      if (found == boxes_.end()) continue;
      Box& box = found->second;
      if (message.kind == Inbound::Kind::connected) box.announced = true;
      if (message.kind != Inbound::Kind::text && message.kind != Inbound::Kind::binary) continue;
      --box.num_waiting;
      box.waiting_bytes -= message.bytes.size();
      if (box.paused && box.num_waiting == 0) {
        box.paused = false;
        resumed.push_back(message.client);
      }
    }
  }
  for (const Client client : resumed) calls_.room(client);
  return taken;
}

bool Mailboxes::add(Box& box, const Letter& letter, bool replaceable) {
  if (box.overflowed) return false;
  if (replaceable) {
    box.newest = letter;
  } else if (box.queue_bytes > limits_.max_queue_bytes ||
             box.queue.size() >= limits_.max_queue_messages) {
    // One message can have any length: the limit is on what already waits.
    box.overflowed = true;
    box.queue.clear();
    box.newest.reset();
    return true;
  } else {
    box.queue.push_back(letter);
    box.queue_bytes += letter.content.bytes->size();
  }
  return !std::exchange(box.called, true);
}

void Mailboxes::send(std::optional<Client> to, const std::shared_ptr<const std::string>& bytes,
                     bool binary, bool replaceable) {
  std::vector<Client> called;
  {
    const std::scoped_lock lock(mutex_);
    const Letter letter{++last_letter_, {bytes, binary}};
    for (auto& [client, box] : boxes_) {
      if (to ? *to != client : !box.announced) continue;
      if (add(box, letter, replaceable)) called.push_back(client);
    }
  }
  for (const Client client : called) calls_.mail(client);
}

}  // namespace supple
