#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A small web server for one program's page: files over HTTP, messages over WebSockets. It knows
/// nothing of what the messages say.
namespace supple {

/// A folder whose files are served below `prefix` ("/", "/scenes/").
struct Mount {
  std::string prefix;
  std::filesystem::path folder;
};

/// A file that is made up: small, and of the server itself.
struct Document {
  std::string path;  ///< "/engine.json"
  std::string bytes;
};

/// What one client, or all of them, may take of the program. Defaults suit a page on the same
/// machine.
struct ServerLimits {
  std::size_t max_clients = 32;       ///< WebSockets at a time
  std::size_t max_connections = 128;  ///< of any kind; beyond, the oldest that is no WebSocket goes
  std::size_t max_header_bytes = 16 * 1024;  ///< of a request
  std::size_t max_text_bytes = 1 << 20;      ///< of a text message from a client
  std::size_t max_binary_bytes = 64 << 20;   ///< of a binary message from a client
  std::size_t max_received_bytes =
      256 << 20;  ///< of all clients' messages that wait to be taken or are half here
  std::size_t max_waiting_messages = 1024;  ///< of one client; then it is not read from
  std::size_t max_queue_bytes = 64 << 20;   ///< waiting to be sent to one client
  std::size_t max_queue_messages = 10'000;  ///< waiting to be sent to one client
  double messages_per_second = 500;         ///< from one client, on average; bursts of two seconds
  double bytes_per_second = 100e6;          ///< alike
  std::chrono::milliseconds header_time{10'000};  ///< for a whole request to arrive
  std::chrono::milliseconds write_time{20'000};   ///< for a megabyte to be taken by a client
  std::chrono::milliseconds close_time{1'000};    ///< for a client to say good-bye
};

struct ServerOptions {
  std::string address = "127.0.0.1";  ///< IPv4 or IPv6 address to listen on
  unsigned short port = 0;            ///< 0: any that is free
  int more_ports = 0;                 ///< how many ports above it are tried where it is taken
  /// What whoever connects must know, letters and digits. Empty: nothing on a loopback address, and
  /// a random one of 128 bits on others.
  std::string token;
  /// Names besides the address under which the server may be asked for.
  std::vector<std::string> hosts;
  std::vector<Mount> mounts;        ///< the longest prefix that fits is taken
  std::vector<Document> documents;  ///< they come before what lies in the folders
  std::string socket = "/session";  ///< where the WebSocket is
  /// SIGINT and SIGTERM are told as Inbound::Kind::interrupted, once; the next one ends the program
  /// as it always would.
  bool catch_signals = false;
  ServerLimits limits;
};

/// What has happened, in the order in which it did.
struct Inbound {
  using Client = std::uint32_t;  ///< counted from 1, never used twice
  enum class Kind { connected, disconnected, text, binary, interrupted };
  Kind kind = Kind::text;
  Client client = 0;
  std::string bytes;  ///< of a message; text is valid UTF-8
};

/// Serves from its construction to its destruction, on one thread of its own. Clients connect by a
/// WebSocket; what they send waits to be taken, and a client is not read from while much
/// of it waits. Other functions than the constructor throw nothing but std::bad_alloc; they may be
/// called from one thread at a time.
class WebServer {
 public:
  /// Listens. Throws Error (invalid_input) for an address that is none or cannot be had, a port
  /// that is taken, a token of other characters; (bad_file) for a folder that is not there.
  explicit WebServer(ServerOptions options);
  /// Says good-bye to all clients and closes within ServerLimits::close_time.
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  unsigned short port() const;
  /// What a browser that knows this machine as `host` is to be given: with the token, where one is
  /// wanted.
  std::string url(std::string_view host) const;

  /// Takes what has come in; waits for something up to `wait` seconds.
  std::vector<Inbound> take(std::chrono::duration<double> wait);

  /// Sends to a client, or to all whose `connected` has been taken. Messages arrive in the order in
  /// which they were sent. A replaceable one that still waits when the next replaceable one comes
  /// is dropped in favour of that. A client that takes nothing is dropped when a write takes longer
  /// than write_time or more than max_queue_bytes wait for it.
  void send(std::optional<Inbound::Client> to, const std::shared_ptr<const std::string>& bytes,
            bool binary, bool replaceable);

 private:
  class Worker;
  std::unique_ptr<Worker> worker_;
};

}  // namespace supple
