#include "serve/server_loop.h"

#include <fmt/format.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <csignal>
#include <new>
#include <utility>

#include "supple/error.h"

namespace supple {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::steady_clock;

asio::ip::address parse_address(const std::string& text) {
  error_code error;
  const asio::ip::address address =
      asio::ip::make_address(text == "localhost" ? "127.0.0.1" : text, error);
  if (error) {
    throw Error(
        ErrorKind::invalid_input, text,
        "is not an address; expected one like 127.0.0.1, 0.0.0.0 (all of this machine) or ::1");
  }
  return address;
}

std::string as_host(const asio::ip::address& address) {
  return address.is_v6() ? fmt::format("[{}]", address.to_string()) : address.to_string();
}

Admission admission_of(const ServerOptions& options, const asio::ip::address& address) {
  Admission admission;
  admission.hosts = {"localhost", "127.0.0.1", "[::1]", as_host(address)};
  for (std::string host : options.hosts) {
    for (char& c : host) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    admission.hosts.push_back(std::move(host));
  }
  admission.any_address = address.is_unspecified();
  admission.token = options.token;
  if (!options.token.empty() && !is_good_token(options.token)) {
    throw Error(ErrorKind::invalid_input, "token",
                "expected 16 to 256 letters, digits, - and _ (or none, and one is generated)");
  }
  if (admission.token.empty() && !address.is_loopback()) admission.token = random_token();
  return admission;
}

/// Small messages are sent at once. A client that disappears is noticed within a minute. Frames
/// wait on our side, where a newer one can replace them, and not in the socket.
void set_options(tcp::socket& socket) {
  using Integer = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPIDLE>;
  using Interval = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPINTVL>;
  using Count = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPCNT>;
  using Unsent = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_NOTSENT_LOWAT>;
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(tcp::socket::keep_alive(true), ignored);
  socket.set_option(Integer(30), ignored);
  socket.set_option(Interval(10), ignored);
  socket.set_option(Count(3), ignored);
  socket.set_option(Unsent(256 * 1024), ignored);
}

}  // namespace

ServerLoop::ServerLoop(ServerOptions options, bool listening)
    : options_(std::move(options)),
      address_(parse_address(options_.address)),
      admission_(admission_of(options_, address_)),
      site_(options_.mounts),
      mailboxes_(options_.limits,
                 {[this](Inbound::Client client) { with(client, &Connection::mail); },
                  [this](Inbound::Client client) { with(client, &Connection::room); }}),
      shared_{options_, options_.limits, admission_, site_, mailboxes_} {
  if (listening) {
    listen();
    accept();
  }
  if (options_.catch_signals) {
    signals_.add(SIGINT);
    signals_.add(SIGTERM);
    signals_.async_wait([this](const error_code& error, int) {
      if (error) return;
      error_code ignored;
      signals_.clear(ignored);
      mailboxes_.interrupt();
    });
  }
  sweep();
}

void ServerLoop::listen() {
  error_code error;
  for (int i = 0; i <= options_.more_ports && options_.port + i <= 65535; ++i) {
    const tcp::endpoint endpoint(address_, static_cast<unsigned short>(options_.port + i));
    error.clear();
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
    if (!error) {
      admission_.port = acceptor_.local_endpoint().port();
      return;
    }
    error_code ignored;
    acceptor_.close(ignored);
    if (error != asio::error::address_in_use) break;
  }
  const std::string where = fmt::format("{}:{}", as_host(address_), options_.port);
  if (error == asio::error::address_in_use) {
    throw Error(ErrorKind::invalid_input, where, "the port is taken by another program");
  }
  if (error == asio::error::access_denied) {
    throw Error(ErrorKind::invalid_input, where,
                "the system denies this port; ports above 1023 need no privileges");
  }
  throw Error(ErrorKind::invalid_input, where, "cannot be listened on: " + error.message());
}

void ServerLoop::accept() {
  acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
    if (leaving_ || error == asio::error::operation_aborted) return;
    if (!error) {
      accepted(std::move(socket));
      return accept();
    }
    // Perhaps no file descriptor is left: some will be free again.
    pause_.expires_after(std::chrono::milliseconds(100));
    pause_.async_wait([this](const error_code&) {
      if (!leaving_) accept();
    });
  });
}

void ServerLoop::accepted(tcp::socket socket) {
  set_options(socket);
  remove_those_over();
  if (connections_.size() >= options_.limits.max_connections) {
    const auto oldest =
        std::find_if(connections_.begin(), connections_.end(),
                     [](const auto& connection) { return connection->client() == 0; });
    if (oldest == connections_.end()) return;
    (*oldest)->abort();
    connections_.erase(oldest);
  }
  adopt(Socket(std::move(socket)));
}

void ServerLoop::adopt(Socket socket) {
  connections_.push_back(make_connection(std::move(socket), shared_));
  connections_.back()->start();
}

void ServerLoop::remove_those_over() {
  std::erase_if(connections_, [](const auto& connection) { return connection->is_over(); });
}

std::size_t ServerLoop::num_connections() {
  remove_those_over();
  return connections_.size();
}

void ServerLoop::sweep() {
  const auto now = steady_clock::now();
  for (const auto& connection : connections_) connection->check(now);
  remove_those_over();
  if (leaving_ && (connections_.empty() || now > end_)) return context_.stop();
  using std::chrono::milliseconds;
  const ServerLimits& limits = options_.limits;
  const milliseconds shortest =
      std::min({limits.header_time, limits.write_time, limits.close_time});
  sweep_.expires_after(
      std::clamp(leaving_ ? milliseconds(10) : shortest / 4, milliseconds(10), milliseconds(250)));
  sweep_.async_wait([this](const error_code& error) {
    if (!error) sweep();
  });
}

void ServerLoop::with(Inbound::Client client, void (Connection::*act)()) {
  asio::post(context_, [this, client, act] {
    for (const auto& connection : connections_) {
      if (connection->client() == client) {
        // This can end the connection, which stays in the list until the next sweep.
        ((*connection).*act)();
        return;
      }
    }
  });
}

void ServerLoop::run() {
  for (;;) {
    try {
      context_.run();
      return;
    } catch (const std::bad_alloc&) {
      // The client that asked for too much lost its connection with the operation that failed.
      continue;
    }
  }
}

std::size_t ServerLoop::poll() { return context_.poll(); }

void ServerLoop::leave() {
  if (std::exchange(leaving_, true)) return;
  error_code ignored;
  acceptor_.close(ignored);
  signals_.clear(ignored);
  signals_.cancel(ignored);
  end_ = steady_clock::now() + options_.limits.close_time;
  for (const auto& connection : connections_) connection->leave();
  sweep_.cancel();
  sweep();
}

void ServerLoop::stop() {
  asio::post(context_, [this] { leave(); });
}

}  // namespace supple
