#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <chrono>
#include <cstdint>
#include <memory>

#include "serve/admission.h"
#include "serve/mailboxes.h"
#include "serve/site.h"

namespace supple {

/// A TCP connection; or, in tests, one end of a pair of sockets.
using Socket = boost::asio::generic::stream_protocol::socket;

/// What all connections of a server share.
struct Shared {
  const ServerOptions& options;
  const ServerLimits& limits;
  const Admission& admission;
  const Site& site;
  Mailboxes& mailboxes;
};

/// One connection, from its first byte to its last: requests for files, or a WebSocket. Everything
/// happens on the thread that runs the socket's context; an object lives as long as an operation of
/// it is under way. How long each may take is checked from outside, by `check`.
class Connection {
 public:
  using Time = std::chrono::steady_clock::time_point;
  virtual ~Connection() = default;
  virtual void start() = 0;
  /// The client this has become by its WebSocket; 0: none yet.
  virtual Inbound::Client client() const = 0;
  /// Something waits to be sent to the client.
  virtual void mail() = 0;
  /// The client may be read from again.
  virtual void room() = 0;
  /// Says good-bye.
  virtual void leave() = 0;
  /// Ends now.
  virtual void abort() = 0;
  /// Ends what takes too long.
  virtual void check(Time now) = 0;
  virtual bool is_over() const = 0;
};

std::shared_ptr<Connection> make_connection(Socket socket, const Shared& shared);

}  // namespace supple
