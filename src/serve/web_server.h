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
/// nothing about the content of the messages.
namespace supple {

/// A folder whose files are served below `prefix` ("/", "/scenes/").
struct Mount {
  std::string prefix;
  std::filesystem::path folder;
};

/// A file that exists only in memory: small, and made by the server itself.
struct Document {
  std::string path;  ///< "/engine.json"
  std::string bytes;
};

/// Limits on what one client, or all together, may use. The defaults suit a page on the same
/// machine.
struct ServerLimits {
  std::size_t max_clients = 32;       ///< WebSockets at a time
  std::size_t max_connections = 128;  ///< of any kind; beyond, the oldest non-WebSocket is closed
  std::size_t max_header_bytes = 16 * 1024;  ///< of a request
  std::size_t max_text_bytes = 1 << 20;      ///< of a text message from a client
  std::size_t max_binary_bytes = 64 << 20;   ///< of a binary message from a client
  std::size_t max_received_bytes =
      256 << 20;  ///< of all clients' messages that wait to be taken or are incomplete
  std::size_t max_waiting_messages = 1024;  ///< of one client; then it is not read from
  std::size_t max_queue_bytes = 64 << 20;   ///< waiting to be sent to one client
  std::size_t max_queue_messages = 10'000;  ///< waiting to be sent to one client
  double messages_per_second = 500;         ///< from one client, on average; bursts of two seconds
  double bytes_per_second = 100e6;          ///< likewise; one message of any allowed size passes
  std::chrono::milliseconds header_time{10'000};  ///< for a whole request to arrive
  std::chrono::milliseconds write_time{20'000};   ///< for a client to accept a megabyte
  std::chrono::milliseconds close_time{1'000};    ///< for a client to close
};

struct ServerOptions {
  std::string address = "127.0.0.1";  ///< IPv4 or IPv6 address to listen on
  unsigned short port = 0;            ///< 0: any free port
  int more_ports = 0;                 ///< how many higher ports are tried if this one is taken
  /// A secret that clients must know: 16 to 256 letters, digits, - and _. If empty, none is needed
  /// on a loopback address; on others, a random one of 128 bits is generated.
  std::string token;
  /// Names besides the address by which the server may be reached.
  std::vector<std::string> hosts;
  std::vector<Mount> mounts;        ///< the longest prefix that matches is used
  std::vector<Document> documents;  ///< these take precedence over files in the folders
  std::string socket = "/session";  ///< path of the WebSocket
  /// The first SIGINT or SIGTERM is reported as Inbound::Kind::interrupted; the next one ends the
  /// program as usual.
  bool catch_signals = false;
  ServerLimits limits;
};

/// An event or a message, in the order in which they happened.
struct Inbound {
  using Client = std::uint32_t;  ///< counted from 1, never reused
  enum class Kind { connected, disconnected, text, binary, interrupted };
  Kind kind = Kind::text;
  Client client = 0;
  std::string bytes;  ///< of a message; text is valid UTF-8
};

/// Serves from construction to destruction, on a thread of its own. Clients connect by WebSocket.
/// Their messages wait to be taken, and a client is not read from while too many of them wait.
/// Except for the constructor, functions throw only std::bad_alloc; only one thread may call them
/// at a time.
class WebServer {
 public:
  /// Starts listening. Throws Error: (invalid_input) for an invalid or unavailable address, a port
  /// that is taken, or an invalid token; (bad_file) for a folder that does not exist.
  explicit WebServer(ServerOptions options);
  /// Closes the connections of all clients within ServerLimits::close_time.
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  unsigned short port() const;
  /// The URL for a browser that knows this machine as `host`, including the token if one is needed.
  std::string url(std::string_view host) const;

  /// Takes what has arrived; waits up to `wait` seconds if there is nothing.
  std::vector<Inbound> take(std::chrono::duration<double> wait);

  /// Sends to one client, or to all whose `connected` has been taken. Messages arrive in the order
  /// in which they were sent. A replaceable message that still waits is dropped when the next
  /// replaceable one comes. A client is disconnected if a write takes longer than write_time or
  /// more than max_queue_bytes wait for it.
  void send(std::optional<Inbound::Client> to, const std::shared_ptr<const std::string>& bytes,
            bool binary, bool replaceable);

 private:
  class Worker;
  std::unique_ptr<Worker> worker_;
};

}  // namespace supple
