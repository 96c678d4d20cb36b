#include "session/session.h"

#include <cmath>
#include <limits>

#include "session/session_state.h"

namespace supple {

struct Session::Implementation : SessionState {
  using SessionState::SessionState;
};

Session::Session(Options options)
    : implementation_(std::make_unique<Implementation>(std::move(options))) {
  SessionState& s = *implementation_;
  std::shared_ptr<SceneOrigin> origin = s.gallery.open(s.gallery.first(), "scene");
  SetupPointer setup = read_setup(s.options.max_tets, *origin, origin->document(), {});
  const std::shared_ptr<Built> built = build(*setup, s.options.threads);
  start(s, std::move(origin), std::move(setup), *built);
  make_topology(s);
  s.topology_is_new = s.scene_is_new = s.frame_is_new = false;
}

Session::~Session() = default;

void Session::connect(Client client) {
  SessionState& s = *implementation_;
  // Clients that are already connected get it too.
  if (s.scene_is_new || s.topology_is_new) send_news(s);
  s.clients.insert(client);
  Welcome& welcome = s.welcome;
  const auto make = [](Welcome::Bytes& bytes, const auto& content) {
    if (!bytes) bytes = std::make_shared<const std::string>(content());
  };
  make(welcome.hello, [&] { return text_of(hello_message(s)); });
  make(welcome.scene, [&] { return text_of(scene_message(s)); });
  make(welcome.topology, [&] { return topology_packet(s); });
  make(welcome.frame, [&] { return frame_packet(s, true); });
  s.out.bytes(client, welcome.hello, false);
  s.out.bytes(client, welcome.scene, false);
  s.out.text(client, status_message(s));
  s.out.bytes(client, welcome.topology, true);
  s.out.bytes(client, welcome.frame, true);
}

void Session::disconnect(Client client) {
  implementation_->clients.erase(client);
  implementation_->show.wants_all.erase(client);
  implementation_->show.wants_forces.erase(client);
  release_all(*implementation_, client);
}

void Session::receive(Client client, std::string_view text) {
  take_command(*implementation_, client, text);
}

void Session::receive(Client client, std::span<const std::byte> packet) {
  take_packet(*implementation_, client, packet);
}

std::vector<Session::Message> Session::take_messages() { return implementation_->out.take(); }

bool Session::is_building() const {
  const SessionState& s = *implementation_;
  const auto works = [](const Background<Finish>& work) {
    return work.has_work() && !work.is_done();
  };
  return (s.job && works(s.job->work)) || works(s.dropped) || works(s.retired) ||
         s.simulation->change_is_waiting();
}

double Session::advance(double now) { return advance_to(*implementation_, now); }

}  // namespace supple
