#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "session/packet.h"
#include "session/session.h"

/// A session with a client, for tests.
namespace supple::test {

/// A page: sends commands and remembers the newest message of each kind.
class Page {
 public:
  /// Opens a scene from the folder of test scenes, which is written once (see scene_folder). By
  /// default changes are made at once, however slow the machine is. With `wait_ms` 0 no reading or
  /// building is waited for.
  explicit Page(const std::string& scene = "block", double build_at_once_ms = 1e9,
                double wait_ms = 1e9);

  /// Sends a command with an id, advances the session if the command is slow, and returns the
  /// reply.
  nlohmann::ordered_json ask(nlohmann::ordered_json command);
  nlohmann::ordered_json ask(const std::string& text);
  nlohmann::ordered_json ask_packet(PacketWriter packet);
  /// Advances the session until the reply to `id` has come.
  void wait_for_reply(int id);
  /// Like ask, but fails the test if the reply is an error.
  nlohmann::ordered_json tell(const std::string& text);
  /// Sends a command without an id.
  void send(const std::string& text);

  /// Calls advance at this time and takes the messages. Returns when the session wants the next
  /// call.
  double advance(double now);
  /// Steps single frames.
  void step(int frames);

  void take();

  Session session;
  nlohmann::ordered_json hello, scene, status, reply;
  std::vector<nlohmann::ordered_json> notes;
  std::string topology, frame, reply_packet;  ///< packets
  int num_frames = 0;                         ///< received so far
  double now = 0;

  nlohmann::ordered_json frame_header() const;
  /// An array of float32 of the newest frame.
  std::vector<float> frame_array(const std::string& name) const;
  std::vector<float> positions() const { return frame_array("positions"); }

 private:
  Session::Client client_ = 1;
  int next_id_ = 1;
};

std::vector<float> floats_of(const std::string& packet, const std::string& name);
std::vector<std::uint32_t> integers_of(const std::string& packet, const std::string& name);

/// The folder with the test scenes: "block" (a held bar of 2 x 1 x 1 cells of five tets each, above
/// a plane), "free" (a bar of 4 x 2 x 2 cells without pins, plane and gravity) and "cloth" (a cloth
/// and a strand).
std::string scene_folder();

}  // namespace supple::test
