#include "io/view/session.h"

#include <cmath>
#include <limits>

#include "io/view/session_state.h"

namespace supple {

struct Session::Implementation : SessionState {
  using SessionState::SessionState;
};

Session::Session(Options options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {
  SessionState& s = *implementation_;
  std::unique_ptr<SceneOrigin> origin = s.gallery.open(s.gallery.first(), "scene");
  SetupPointer setup = read_setup(s, *origin, origin->document(), {});
  start(s, std::move(origin), std::move(setup));
  make_topology(s);
  s.topology_is_new = s.scene_is_new = s.frame_is_new = false;
}

Session::~Session() = default;

void Session::connect(Client client) {
  SessionState& s = *implementation_;
  s.clients.insert(client);
  s.out.text(client, hello_message(s));
  s.out.text(client, scene_message(s));
  s.out.text(client, status_message(s));
  if (s.topology_is_new) make_topology(s);
  s.topology_is_new = false;
  s.out.packet(client, topology_packet(s));
  s.out.frame(client, frame_packet(s, true), false);
}

void Session::disconnect(Client client) {
  implementation_->clients.erase(client);
  release_all(*implementation_, client);
}

void Session::receive(Client client, std::string_view text) {
  take_command(*implementation_, client, text);
}

void Session::receive(Client client, std::span<const std::byte> packet) {
  take_packet(*implementation_, client, packet);
}

std::vector<Session::Message> Session::take_messages() { return implementation_->out.take(); }

double Session::advance(double now) { return advance_to(*implementation_, now); }

}  // namespace supple
