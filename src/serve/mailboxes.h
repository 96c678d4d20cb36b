#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>

#include "serve/web_server.h"

namespace supple {

/// A message on its way to one or many clients.
struct Outgoing {
  std::shared_ptr<const std::string> bytes;
  bool binary = false;
};

/// What passes between the program and the thread that serves: messages in both directions, within
/// limits. All functions may be called from any thread.
class Mailboxes {
 public:
  using Client = Inbound::Client;
  /// Called, from whichever thread causes it and without a lock, when a client has something to be
  /// sent (`mail`) or may be read from again (`room`).
  struct Calls {
    std::function<void(Client)> mail;
    std::function<void(Client)> room;
  };

  Mailboxes(const ServerLimits& limits, Calls calls);

  // For the thread that serves.

  /// A new client, or none where there are as many as there may be.
  std::optional<Client> enter();
  void leave(Client client);
  /// Bytes of a message that is half here; false when all clients together hold too many.
  bool hold(Client client, std::size_t bytes);
  /// A whole message, whose bytes are held.  Is there room for another one?
  bool put(Client client, Inbound::Kind kind, std::string bytes);
  void interrupt();
  /// What is to be sent to a client next; it is no longer waiting then.
  std::optional<Outgoing> next(Client client);
  /// Did more wait for this client than may?
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
    bool called = false;     ///< `mail` was called and nothing has come to an end since
    bool overflowed = false;
    std::deque<Letter> queue;
    std::size_t queue_bytes = 0;
    std::optional<Letter> newest;   ///< the replaceable one
    std::size_t half_bytes = 0;     ///< of a message that is half here
    std::size_t waiting_bytes = 0;  ///< of the messages in the inbox
    std::size_t num_waiting = 0;    ///< messages in the inbox
    bool paused = false;
  };
  /// Is `mail` to be called?
  bool add(Box& box, const Letter& letter, bool replaceable);
  bool is_full(const Box& box) const;

  const ServerLimits limits_;
  const Calls calls_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Inbound> inbox_;
  std::map<Client, Box> boxes_;
  std::size_t held_bytes_ = 0;  ///< of half messages and of those in the inbox
  Client last_client_ = 0;
  std::uint64_t last_letter_ = 0;
};

}  // namespace supple
