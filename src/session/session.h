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

/// The engine behind the viewer's page: a scene that runs, is watched and is pulled. Commands come
/// in as JSON text or packets, and messages go out (docs/viewer_protocol.md). The session knows
/// nothing of sockets: whoever carries its messages calls `advance` when it asks for that. Scenes
/// are read and built on another thread, so that no command keeps others waiting. Destroying the
/// session waits for that thread.
///
/// All clients of a program share one session: all of them see the same body and may pull it. Not
/// to be used by two threads at once.
///
/// The same calls with the same times give the same bits, with two exceptions. One is what is
/// measured (milliseconds). The other is a scene that takes longer to read or to build than a frame
/// (Options::build_at_once_ms, wait_ms): the frame at which it takes effect depends on the machine.
class Session {
 public:
  struct Options {
    std::filesystem::path scenes;  ///< folder of the gallery
    /// File, or name in the gallery, to open first. If empty: twisting_bar, or else the gallery's
    /// first.
    std::string scene;
    int threads = 0;                ///< see SimulationOptions
    std::string engine = "native";  ///< "native" or "wasm", told to the page
    /// Limit for all generated bodies of a scene together: a page must not take all memory.
    std::size_t max_tets = 2'000'000;
    /// If the last build took at most this long, ms, a change of the scene is made at once;
    /// otherwise it is built beside the steps. About a frame at 25 per second.
    double build_at_once_ms = 40;
    /// How long, ms, to wait for a command that reads a scene or builds it anew; after that the
    /// session continues beside it.
    double wait_ms = 40;
  };
  using Client = std::uint32_t;

  /// Throws Error if the first scene cannot be read or simulated.
  explicit Session(Options options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Queues hello, scene, status, topology and the newest frame for a client.
  void connect(Client client);
  /// Releases everything that the client holds.
  void disconnect(Client client);

  /// Takes one command. An error in it becomes an error reply, or a note if the command has no id.
  void receive(Client client, std::string_view text);
  void receive(Client client, std::span<const std::byte> packet);

  /// Does what is due at `now` (s, of any steady clock): at most about one frame of simulation.
  /// Returns when it wants to be called again. A time not after `now` means at once; infinity means
  /// once something has been received.
  double advance(double now);

  struct Message {
    std::optional<Client> to;  ///< none: all clients
    bool is_packet = false;    ///< binary packet, else JSON text
    bool is_frame = false;     ///< worthless once a newer frame exists: slow clients get the newest
    std::shared_ptr<const std::string> bytes;
  };
  /// The messages queued since the last call.
  std::vector<Message> take_messages();

  /// Is anything being built that the destructor would wait for?
  bool is_building() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace supple
