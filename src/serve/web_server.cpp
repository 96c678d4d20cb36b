#include "serve/web_server.h"

#include <fmt/format.h>

#include <thread>
#include <utility>

#include "serve/server_loop.h"

namespace supple {

class WebServer::Worker {
 public:
  explicit Worker(ServerOptions options)
      : loop_(std::move(options)), thread_([this] { loop_.run(); }) {}
  ~Worker() {
    loop_.stop();
    thread_.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ServerLoop& loop() { return loop_; }

 private:
  ServerLoop loop_;
  std::thread thread_;
};

WebServer::WebServer(ServerOptions options)
    : worker_(std::make_unique<Worker>(std::move(options))) {}

WebServer::~WebServer() = default;

unsigned short WebServer::port() const { return worker_->loop().port(); }

std::string WebServer::url(std::string_view host) const {
  const std::string& token = worker_->loop().token();
  return fmt::format("http://{}:{}/{}{}", host, port(), token.empty() ? "" : "?token=", token);
}

std::vector<Inbound> WebServer::take(std::chrono::duration<double> wait) {
  return worker_->loop().mailboxes().take(wait);
}

void WebServer::send(std::optional<Inbound::Client> to,
                     const std::shared_ptr<const std::string>& bytes, bool binary,
                     bool replaceable) {
  worker_->loop().mailboxes().send(to, bytes, binary, replaceable);
}

}  // namespace supple
