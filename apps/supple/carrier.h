#pragma once

#include <chrono>
#include <limits>
#include <vector>

#include "serve/web_server.h"
#include "session/session.h"

namespace supple::cli {

/// The time that a session sees (s): it stands still while nobody looks, and so does the body.
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

/// Carries messages between the clients of a server and a session, turn by turn:
///   while (carrier.wait()) carrier.work();
class Carrier {
 public:
  Carrier(WebServer& server, Session& session) : server_(server), session_(session) {}

  /// Waits until something comes in or the session wants to go on, and hands over what came. False
  /// where the program was asked to end.
  bool wait();
  /// The session does what is due, and what it says is sent. Returns what that was.
  std::vector<Session::Message> work();

 private:
  WebServer& server_;
  Session& session_;
  SessionClock clock_;
  int num_clients_ = 0;
  double due_ = std::numeric_limits<double>::infinity();
};

}  // namespace supple::cli
