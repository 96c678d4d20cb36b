#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>

#include "serve/web_server.h"

namespace supple {

/// A message to one or several clients.
struct Outgoing {
  std::shared_ptr<const std::string> bytes;
  bool binary = false;
};

/// Exchanges messages between the program and the serving thread in both directions, within limits.
/// All functions may be called from any thread.
class Mailboxes {
 public:
  using Client = Inbound::Client;
  /// Called from whichever thread causes it, without a lock: `mail` when there is something to send
  /// to a client, `room` when the client may be read from again.
  struct Calls {
    std::function<void(Client)> mail;
    std::function<void(Client)> room;
  };

  Mailboxes(const ServerLimits& limits, Calls calls);

  // For the serving thread.

  /// Returns a new client, or none if there are already as many as allowed.
  std::optional<Client> enter();
  void leave(Client client);
  /// Counts bytes of an incomplete message; false if all clients together hold too many.
  bool hold(Client client, std::size_t bytes);
  /// Adds a complete message, whose bytes are held. Returns true if there is room for another one.
  bool put(Client client, Inbound::Kind kind, std::string bytes);
  void interrupt();
  /// Removes and returns the next message to send to a client.
  std::optional<Outgoing> next(Client client);
  /// True if more waited for this client than the limit allows.
  bool overflowed(Client client) const;

  // For the program.

  std::vector<Inbound> take(std::chrono::duration<double> wait);
  void send(std::optional<Client> to, const std::shared_ptr<const std::string>& bytes, bool binary,
            bool replaceable);

 private:
  struct Letter {
    std::uint64_t number = 0;
    Outgoing content;
  };
  struct Box {
    bool announced = false;  ///< the program knows of it
    bool called = false;     ///< `mail` was called, and `next` has not run out of messages since
    bool overflowed = false;
    std::deque<Letter> queue;
    std::size_t queue_bytes = 0;
    std::optional<Letter> newest;   ///< the replaceable message
    std::size_t half_bytes = 0;     ///< of a message that is incomplete
    std::size_t waiting_bytes = 0;  ///< of the messages in the inbox
    std::size_t num_waiting = 0;    ///< messages in the inbox
    bool paused = false;
  };
  /// Returns true if `mail` must be called.
  bool add(Box& box, const Letter& letter, bool replaceable);
  bool is_full(const Box& box) const;

  const ServerLimits limits_;
  const Calls calls_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Inbound> inbox_;
  std::map<Client, Box> boxes_;
  std::size_t held_bytes_ = 0;  ///< of incomplete messages and of those in the inbox
  Client last_client_ = 0;
  std::uint64_t last_letter_ = 0;
};

}  // namespace supple
