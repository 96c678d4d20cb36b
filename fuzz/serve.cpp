#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/generic/stream_protocol.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "check.h"
#include "serve/server_loop.h"

// One client of the web server. The first byte, a digit, selects a mode: 0, the rest is all that
// the client sends; 1, the rest is sent after the handshake of a WebSocket; 2, the rest has targets
// of requests, one per line, which are looked up in the folders without a server. The second byte
// says where the data is cut in two (in 256ths).

namespace supple::fuzz {
namespace {

constexpr std::string_view handshake =
    "GET /session HTTP/1.1\r\nHost: localhost:0\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/// A folder with a page, and files beside it that must not be served.
const std::filesystem::path& page() {
  static const std::filesystem::path folder = [] {
    std::string name = (std::filesystem::temp_directory_path() / "supple_fuzz_XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr, "a folder can be made");
    static const std::filesystem::path root = name;
    std::atexit([] {
      std::error_code ignored;
      std::filesystem::remove_all(root, ignored);
    });
    std::filesystem::create_directories(root / "page/a");
    std::ofstream(root / "page/index.html") << "page";
    std::ofstream(root / "page/a/b.js") << "page";
    std::ofstream(root / "secret") << "secret";
    std::filesystem::create_directory_symlink(root, root / "page/up");
    return root / "page";
  }();
  return folder;
}

void check_targets(std::string_view lines) {
  static const Site site({{"/", page()}});
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    std::optional<Site::Found> found = site.open(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (!found) continue;
    std::string bytes;
    found->file.read(100, bytes);
    require(bytes == "page", "only what lies in the folder is served");
  }
}

/// The client's end of a pair of sockets; the server has the other end.
class Pair {
 public:
  explicit Pair(ServerLoop& loop) : loop_(loop) {
    std::array<int, 2> ends{};
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) == 0,
            "a pair of sockets can be had");
    end_ = ends[0];
    const boost::asio::generic::stream_protocol protocol(AF_UNIX, 0);
    loop_.adopt(Socket(loop_.context(), protocol, ends[1]));
  }
  ~Pair() { ::close(end_); }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  void send(std::string_view bytes) {
    if (!bytes.empty()) (void)!::send(end_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    settle();
  }
  /// What the server has sent so far.
  std::string& said() { return said_; }

 private:
  void settle() {
    std::array<char, 65536> bytes{};
    for (bool again = true; again;) {
      again = loop_.poll() > 0;
      const ssize_t got = ::recv(end_, bytes.data(), bytes.size(), 0);
      if (got <= 0) continue;
      said_.append(bytes.data(), static_cast<std::size_t>(got));
      again = true;
    }
  }

  ServerLoop& loop_;
  int end_ = -1;
  std::string said_;
};

void check_client(std::string_view first, std::string_view second, bool shakes_hands) {
  ServerOptions options;
  options.mounts = {{"/", page()}};
  options.limits.max_binary_bytes = 3000;
  options.limits.max_text_bytes = 1000;
  options.limits.max_waiting_messages = 20;
  static ServerLoop loop(options, false);
  const auto bytes = std::make_shared<const std::string>("message");
  std::size_t received = 0;
  {
    Pair pair(loop);
    if (shakes_hands) {
      pair.send(handshake);
      require(pair.said().rfind("HTTP/1.1 101", 0) == 0, "a handshake is answered");
    }
    for (const std::string_view part : {first, second}) {
      for (const Inbound& message : loop.mailboxes().take({})) received += message.bytes.size();
      loop.mailboxes().send(std::nullopt, bytes, true, false);
      loop.mailboxes().send(std::nullopt, bytes, true, true);
      pair.send(part);
    }
    require(pair.said().empty() || pair.said().rfind("HTTP/1.1 ", 0) == 0, "it answers in HTTP");
    require(pair.said().find("secret") == std::string::npos, "what is secret is not said");
  }
  // A client that was not read from is gone too, once its messages are taken.
  for (int i = 0; i < 1000 && loop.num_connections() > 0; ++i) {
    for (const Inbound& message : loop.mailboxes().take({})) received += message.bytes.size();
    loop.poll();
  }
  require(loop.num_connections() == 0, "a client that has gone leaves nothing behind");
  // Its last messages still wait; take them, so that they are not counted for the next client.
  for (const Inbound& message : loop.mailboxes().take({})) received += message.bytes.size();
  require(received <= first.size() + second.size(), "no more is received than was sent");
}

}  // namespace
}  // namespace supple::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
  const unsigned mode = (static_cast<unsigned>(data[0]) + 256U - '0') % 256U % 3U;
  if (mode == 2) {
    supple::fuzz::check_targets(input);
    return 0;
  }
  const std::size_t cut = input.size() * data[1] / 256;
  supple::fuzz::check_client(input.substr(0, cut), input.substr(cut), mode == 1);
  return 0;
}
