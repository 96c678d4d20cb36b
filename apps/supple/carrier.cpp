#include "supple/carrier.h"

#include <span>

namespace supple::cli {

void SessionClock::run(bool running) {
  before_ = now();
  start_ = std::chrono::steady_clock::now();
  is_running_ = running;
}

double SessionClock::since_start() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool Carrier::wait() {
  for (const Inbound& message : server_.take(std::chrono::duration<double>(due_ - clock_.now()))) {
    switch (message.kind) {
      case Inbound::Kind::connected:
        if (num_clients_++ == 0) clock_.run(true);
        session_.connect(message.client);
        break;
      case Inbound::Kind::disconnected:
        session_.disconnect(message.client);
        if (--num_clients_ == 0) clock_.run(false);
        break;
      case Inbound::Kind::text:
        session_.receive(message.client, message.bytes);
        break;
      case Inbound::Kind::binary:
        session_.receive(message.client, std::as_bytes(std::span(message.bytes)));
        break;
      case Inbound::Kind::interrupted:
        return false;
    }
  }
  return true;
}

std::vector<Session::Message> Carrier::work() {
  due_ = session_.advance(clock_.now());
  if (num_clients_ == 0) due_ = std::numeric_limits<double>::infinity();
  std::vector<Session::Message> messages = session_.take_messages();
  for (const Session::Message& message : messages) {
    server_.send(message.to, message.bytes, message.is_packet, message.is_frame);
  }
  return messages;
}

}  // namespace supple::cli
