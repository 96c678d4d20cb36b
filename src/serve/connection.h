#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <chrono>
#include <cstdint>
#include <memory>

#include "serve/admission.h"
#include "serve/mailboxes.h"
#include "serve/site.h"

namespace supple {

/// A TCP connection or, in tests, one end of a pair of sockets.
using Socket = boost::asio::generic::stream_protocol::socket;

/// What all connections of a server share.
struct Shared {
  const ServerOptions& options;
  const ServerLimits& limits;
  const Admission& admission;
  const Site& site;
  Mailboxes& mailboxes;
};

/// One connection from its first byte to its last: requests for files, or a WebSocket. Everything
/// happens on the thread that runs the socket's context; an object lives as long as one of its
/// operations is pending. Time limits are checked from outside, by `check`.
class Connection {
 public:
  using Time = std::chrono::steady_clock::time_point;
  virtual ~Connection() = default;
  virtual void start() = 0;
  /// The client, once this connection is a WebSocket; 0 until then.
  virtual Inbound::Client client() const = 0;
  /// A message waits to be sent to the client.
  virtual void mail() = 0;
  /// The server may read from the client again.
  virtual void room() = 0;
  /// Starts closing.
  virtual void leave() = 0;
  /// Closes at once.
  virtual void abort() = 0;
  /// Closes if an operation takes too long.
  virtual void check(Time now) = 0;
  virtual bool is_over() const = 0;
};

std::shared_ptr<Connection> make_connection(Socket socket, const Shared& shared);

}  // namespace supple
