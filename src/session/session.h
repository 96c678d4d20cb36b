#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supple {

/// What is behind the viewer's page: a scene that runs, is looked at and pulled. Commands come in
/// as JSON text or packets, messages go out (docs/viewer_protocol.md). It knows nothing of sockets:
/// whoever carries its messages calls `advance` when that asks for it. Scenes are read and built on
/// a further thread, so that no command keeps others waiting; destroying the session waits for it.
///
/// One for all clients of a program: all of them see and may pull the same body. Not to be used by
/// two threads at once.
///
/// The same calls with the same times give the same bits, but for what is measured (milliseconds)
/// and where a scene takes longer to read or to build than a frame (Options::build_at_once_ms,
/// wait_ms): then the frame at which it is felt depends on the machine.
class Session {
 public:
  struct Options {
    std::filesystem::path scenes;  ///< folder of the gallery
    /// File, or a name of the gallery, to open first; empty: twisting_bar, or the gallery's first.
    std::string scene;
    int threads = 0;                ///< see SimulationOptions
    std::string engine = "native";  ///< "native" or "wasm", told to the page
    /// Of all generated bodies of a scene together: a page must not take all memory.
    std::size_t max_tets = 2'000'000;
    /// A change of the scene is made at once where the last build took no longer than this, ms, and
    /// beside the steps where it did. About a frame at 25 per second.
    double build_at_once_ms = 40;
    /// So long a command is waited for that reads a scene or builds it anew, ms; then the session
    /// goes on beside it.
    double wait_ms = 40;
  };
  using Client = std::uint32_t;

  /// Throws Error where the first scene cannot be read or simulated.
  explicit Session(Options options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Queues hello, scene, status, topology and the newest frame for a client.
  void connect(Client client);
  /// What it holds is released.
  void disconnect(Client client);

  /// One command. What is wrong with it becomes an error reply, or a note where it has no id.
  void receive(Client client, std::string_view text);
  void receive(Client client, std::span<const std::byte> packet);

  /// Does what is due at `now` (s, of any steady clock): at most about one frame of simulation.
  /// Returns when it wants to be called again: a time that is not after `now` means at once,
  /// infinity when something was received.
  double advance(double now);

  struct Message {
    std::optional<Client> to;  ///< none: all clients
    bool is_packet = false;    ///< binary packet, else JSON text
    bool is_frame = false;     ///< a newer frame makes it worthless: who lags gets the newest only
    std::shared_ptr<const std::string> bytes;
  };
  /// What has been queued since the last call.
  std::vector<Message> take_messages();

  /// Is something being built whose end the destructor would wait for?
  bool is_building() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace supple
