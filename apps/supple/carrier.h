#pragma once

#include <chrono>
#include <limits>
#include <vector>

#include "serve/web_server.h"
#include "session/session.h"

namespace supple::cli {

/// The time that a session sees (s): it stops while no client is connected, and the body with it.
class SessionClock {
 public:
  double now() const { return is_running_ ? before_ + since_start() : before_; }
  void run(bool running);

 private:
  double since_start() const;

  double before_ = 0;
  std::chrono::steady_clock::time_point start_;
  bool is_running_ = false;
};

/// Carries messages between a server's clients and a session, one round after another:
///   while (carrier.wait()) carrier.work();
class Carrier {
 public:
  Carrier(WebServer& server, Session& session) : server_(server), session_(session) {}

  /// Waits until something arrives or the session wants to continue, and hands over what arrived.
  /// False if the program was asked to end.
  bool wait();
  /// Lets the session do what is due and sends its messages. Returns them.
  std::vector<Session::Message> work();

 private:
  WebServer& server_;
  Session& session_;
  SessionClock clock_;
  int num_clients_ = 0;
  double due_ = std::numeric_limits<double>::infinity();
};

}  // namespace supple::cli
