#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

#include "serve/connection.h"

namespace supple {

/// The server without a thread: the caller of `run` provides one. Everything is asynchronous, so
/// that no client waits for another.
class ServerLoop {
 public:
  /// Throws as WebServer does. If not `listening`, it serves only sockets that are given to
  /// `adopt`.
  explicit ServerLoop(ServerOptions options, bool listening = true);

  unsigned short port() const { return admission_.port; }
  const std::string& token() const { return admission_.token; }
  Mailboxes& mailboxes() { return mailboxes_; }

  /// Serves until `stop`, then until all connections are closed or close_time is over.
  void run();
  /// Does what can be done without waiting. Returns how much that was.
  std::size_t poll();
  /// Serves a connected socket. Call on the serving thread.
  void adopt(Socket socket);
  boost::asio::io_context& context() { return context_; }
  /// Number of connections. Call on the serving thread.
  std::size_t num_connections();

  /// May be called from any thread.
  void stop();

 private:
  void listen();
  void accept();
  void accepted(boost::asio::ip::tcp::socket socket);
  void sweep();
  void remove_those_over();
  void leave();
  /// Calls `act` with a client's connection, on the serving thread.
  void with(Inbound::Client client, void (Connection::*act)());

  ServerOptions options_;
  boost::asio::ip::address address_;
  Admission admission_;
  Site site_;
  Mailboxes mailboxes_;
  Shared shared_;
  boost::asio::io_context context_{1};
  boost::asio::ip::tcp::acceptor acceptor_{context_};
  boost::asio::steady_timer pause_{context_};  ///< after a failed accept
  boost::asio::steady_timer sweep_{context_};
  boost::asio::signal_set signals_{context_};
  std::vector<std::shared_ptr<Connection>> connections_;  ///< the oldest first
  bool leaving_ = false;
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::time_point::max();
};

}  // namespace supple
