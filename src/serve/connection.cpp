#include "serve/connection.h"

#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <optional>
#include <string>
#include <utility>

#include "serve/rate.h"
#include "serve/response.h"

namespace supple {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using boost::system::error_code;

constexpr std::size_t file_chunk = 256 * 1024;
constexpr std::size_t read_chunk = 64 * 1024;
/// A message is sent in pieces of this size, to tell a slow client from one that is gone.
constexpr std::size_t write_piece = 1 << 20;
/// A burst can have as much as two seconds at the average rate; one message of any allowed size
/// always passes.
constexpr double burst_seconds = 2;

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

class WebConnection final : public Connection, public std::enable_shared_from_this<WebConnection> {
 public:
  WebConnection(Socket socket, const Shared& shared)
      : socket_(std::move(socket)), shared_(shared) {}

  void start() override { read_request(); }
  Inbound::Client client() const override { return client_; }
  void mail() override;
  void room() override;
  void leave() override;
  void abort() override;
  void check(Time now) override;
  bool is_over() const override { return over_; }

 private:
  using Parser = http::request_parser<http::empty_body>;
  using Request = Parser::value_type;

  static Time now() { return std::chrono::steady_clock::now(); }

  void read_request();
  void request_read(const error_code& error);
  void answer();
  void answer_file(const Request& request);
  /// Sends an error as text instead of a file.
  void refuse(int status, const std::string& text);
  void say(int status, std::string_view type, const std::string& body);
  void write_file();
  void written();
  /// Lets the client read the answer before the connection is closed.
  void linger();

  void upgrade(const Request& request);
  void upgraded();
  void read_message();
  void message_read(const error_code& error, std::size_t bytes);
  void write_message();
  void message_written(const error_code& error);
  void close(websocket::close_code code, const char* reason);

  Socket socket_;  ///< moved into `web_` on upgrade
  const Shared& shared_;
  bool over_ = false;
  Time deadline_ = Time::max();        ///< of the request, its answer or the closing handshake
  Time write_deadline_ = Time::max();  ///< of a piece of a message

  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::string out_;
  std::optional<OpenFile> file_;
  std::uint64_t file_left_ = 0;
  bool keep_alive_ = false;

  std::optional<websocket::stream<Socket>> web_;
  Inbound::Client client_ = 0;
  std::string chunk_;
  std::string message_;
  std::optional<Rate> messages_;
  std::optional<Rate> bytes_;
  bool reading_ = false;
  bool paused_ = false;
  bool closing_ = false;
  std::optional<Outgoing> sending_;
  std::size_t sent_ = 0;
};

void WebConnection::read_request() {
  const ServerLimits& limits = shared_.limits;
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(limits.max_header_bytes));
  buffer_.max_size(2 * limits.max_header_bytes);
  deadline_ = now() + limits.header_time;
  http::async_read_header(socket_, buffer_, *parser_,
                          [self = shared_from_this()](const error_code& error, std::size_t) {
                            if (!self->over_) self->request_read(error);
                          });
}

void WebConnection::request_read(const error_code& error) {
  deadline_ = now() + shared_.limits.write_time;
  if (!error) return answer();
  keep_alive_ = false;
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return refuse(431, "The request is too long.");
  }
  if (error == http::error::end_of_stream || error == http::error::partial_message ||
      error.category() != make_error_code(http::error::bad_method).category()) {
    return abort();  // the client is gone
  }
  refuse(400, "This is not an HTTP request.");
}

void WebConnection::answer() {
  const Request& request = parser_->get();
  keep_alive_ = false;
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    return refuse(405, "Only GET and HEAD are supported.");
  }
  if (!parser_->is_done()) return refuse(400, "Requests must not have a body.");
  if (request.count(http::field::host) != 1 || request.count(http::field::origin) > 1) {
    return refuse(400, "Exactly one Host and at most one Origin are expected.");
  }
  const Admission& admission = shared_.admission;
  if (!is_our_host(admission, view(request[http::field::host]))) {
    return refuse(421, "This server is not known by that name; use the address that it printed.");
  }
  if (!admission.token.empty() &&
      !has_token(admission, view(request.target()), view(request[http::field::cookie]))) {
    return refuse(401, "The address lacks the token; use the one that supple view printed.");
  }
  if (websocket::is_upgrade(request)) return upgrade(request);
  keep_alive_ = request.keep_alive();
  answer_file(request);
}

void WebConnection::answer_file(const Request& request) {
  for (const Document& document : shared_.options.documents) {
    if (path_of(view(request.target())) != path_of(document.path)) continue;
    return say(200, media_type(document.path), document.bytes);
  }
  std::optional<Site::Found> found = shared_.site.open(view(request.target()));
  if (!found) return refuse(404, "There is no such file.");
  Response response;
  response.type = found->type;
  response.size = found->file.size();
  response.keep_alive = keep_alive_;
  response.never_changes = found->never_changes;
  if (has_token_in_target(shared_.admission, view(request.target()))) {
    response.cookie = token_cookie(shared_.admission);
  }
  out_ = head_of(response);
  if (request.method() == http::verb::get) {
    file_left_ = found->file.size();
    file_.emplace(std::move(found->file));
  }
  write_file();
}

void WebConnection::refuse(int status, const std::string& text) {
  say(status, media_type(".txt"), text + "\n");
}

void WebConnection::say(int status, std::string_view type, const std::string& body) {
  Response response;
  response.status = status;
  response.type = type;
  response.size = body.size();
  response.keep_alive = keep_alive_;
  out_ = head_of(response);
  if (parser_->get().method() != http::verb::head) out_ += body;
  write_file();
}

/// Writes what is in out_, followed by the rest of the file.
void WebConnection::write_file() {
  if (file_) {
    const std::size_t wanted = std::min<std::uint64_t>(file_left_, file_chunk);
    const std::size_t before = out_.size();
    file_->read(wanted, out_);
    // The file has become shorter than the announced size.
    if (out_.size() - before < wanted) return abort();
    file_left_ -= wanted;
    if (file_left_ == 0) file_.reset();
  }
  deadline_ = now() + shared_.limits.write_time;
  asio::async_write(socket_, asio::buffer(out_),
                    [self = shared_from_this()](const error_code& error, std::size_t) {
                      if (self->over_) return;
                      if (error) return self->abort();
                      self->out_.clear();
                      if (self->file_) return self->write_file();
                      self->written();
                    });
}

void WebConnection::written() {
  if (keep_alive_) return read_request();
  error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  deadline_ = now() + shared_.limits.close_time;
  chunk_.resize(read_chunk);
  linger();
}

void WebConnection::linger() {
  socket_.async_read_some(asio::buffer(chunk_),
                          [self = shared_from_this()](const error_code& error, std::size_t) {
                            if (self->over_) return;
                            if (error) return self->abort();
                            self->linger();
                          });
}

void WebConnection::upgrade(const Request& request) {
  if (path_of(view(request.target())) != path_of(shared_.options.socket)) {
    return refuse(404, "There is no WebSocket at this path.");
  }
  if (request.count(http::field::origin) == 1 &&
      !is_our_origin(view(request[http::field::origin]), view(request[http::field::host]))) {
    return refuse(403, "Only a page of this server may talk to it.");
  }
  if (buffer_.size() != 0) return refuse(400, "Data arrived before the answer to the upgrade.");
  const ServerLimits& limits = shared_.limits;
  web_.emplace(std::move(socket_));
  web_->set_option(websocket::stream_base::timeout{websocket::stream_base::none(),
                                                   websocket::stream_base::none(), false});
  web_->read_message_max(limits.max_binary_bytes);
  web_->auto_fragment(false);
  web_->control_callback([this](websocket::frame_type, beast::string_view) {
    if (messages_ && !messages_->draw(1, now())) close(websocket::close_code::policy_error, "rate");
  });
  web_->async_accept(request, [self = shared_from_this()](const error_code& error) {
    if (self->over_) return;
    if (error) return self->abort();
    self->upgraded();
  });
}

void WebConnection::upgraded() {
  const ServerLimits& limits = shared_.limits;
  parser_.reset();
  deadline_ = Time::max();
  const std::optional<Inbound::Client> client = shared_.mailboxes.enter();
  if (!client) return close(websocket::close_code::try_again_later, "too many clients");
  client_ = *client;
  const double largest = static_cast<double>(limits.max_binary_bytes);
  messages_.emplace(limits.messages_per_second, burst_seconds * limits.messages_per_second, now());
  bytes_.emplace(limits.bytes_per_second, largest + burst_seconds * limits.bytes_per_second, now());
  chunk_.resize(read_chunk);
  read_message();
}

void WebConnection::read_message() {
  reading_ = true;
  web_->async_read_some(asio::buffer(chunk_),
                        [self = shared_from_this()](const error_code& error, std::size_t bytes) {
                          self->reading_ = false;
                          if (!self->over_) self->message_read(error, bytes);
                        });
}

void WebConnection::message_read(const error_code& error, std::size_t bytes) {
  if (error) return abort();  // Beast has told the client why, if the client should know
  // While closing, ignore data but wait for the client's answer.
  if (closing_) return read_message();
  using Code = websocket::close_code;
  if (!web_->got_binary() && message_.size() + bytes > shared_.limits.max_text_bytes) {
    return close(Code::too_big, "a text message is too long");
  }
  if (!bytes_->draw(static_cast<double>(bytes), now())) {
    return close(Code::policy_error, "too many bytes a second");
  }
  if (!shared_.mailboxes.hold(client_, bytes)) {
    return close(Code::try_again_later, "too many messages are waiting");
  }
  message_.append(chunk_, 0, bytes);
  if (!web_->is_message_done()) return read_message();
  if (!messages_->draw(1, now())) return close(Code::policy_error, "too many messages a second");
  const auto kind = web_->got_binary() ? Inbound::Kind::binary : Inbound::Kind::text;
  paused_ = !shared_.mailboxes.put(client_, kind, std::exchange(message_, {}));
  if (!paused_) read_message();
}

void WebConnection::room() {
  if (over_ || !paused_) return;
  paused_ = false;
  if (!reading_) read_message();
}

void WebConnection::mail() {
  if (over_ || closing_ || !web_ || client_ == 0) return;
  if (shared_.mailboxes.overflowed(client_)) return abort();
  if (sending_) return;
  sending_ = shared_.mailboxes.next(client_);
  sent_ = 0;
  if (!sending_) return;
  web_->binary(sending_->binary);
  write_message();
}

void WebConnection::write_message() {
  const std::string& bytes = *sending_->bytes;
  const std::size_t piece = std::min(bytes.size() - sent_, write_piece);
  const bool is_last = sent_ + piece == bytes.size();
  write_deadline_ = now() + shared_.limits.write_time;
  web_->async_write_some(is_last, asio::buffer(bytes.data() + sent_, piece),
                         [self = shared_from_this(), piece](const error_code& error, std::size_t) {
                           self->sent_ += piece;
                           if (!self->over_) self->message_written(error);
                         });
}

void WebConnection::message_written(const error_code& error) {
  write_deadline_ = Time::max();
  if (error) return closing_ ? void() : abort();
  if (sent_ < sending_->bytes->size()) return write_message();
  sending_.reset();
  mail();
}

void WebConnection::close(websocket::close_code code, const char* reason) {
  if (closing_ || over_) return;
  closing_ = true;
  paused_ = false;
  deadline_ = now() + shared_.limits.close_time;
  if (client_ != 0) shared_.mailboxes.leave(client_);
  message_ = {};
  web_->async_close(websocket::close_reason(code, reason),
                    [self = shared_from_this()](const error_code&) { self->abort(); });
}

void WebConnection::leave() {
  if (web_ && client_ != 0)
    return close(websocket::close_code::going_away, "the program is closing");
  abort();
}

void WebConnection::abort() {
  if (over_) return;
  over_ = true;
  if (client_ != 0) shared_.mailboxes.leave(client_);
  file_.reset();
  error_code ignored;
  if (web_) {
    web_->next_layer().close(ignored);
  } else {
    socket_.close(ignored);
  }
}

void WebConnection::check(Time now) {
  // The client closed, or Beast did after a fault: that needs a time limit too.
  if (client_ != 0 && !closing_ && deadline_ == Time::max() && !web_->is_open()) {
    deadline_ = now + shared_.limits.close_time;
  }
  if (now > deadline_ || now > write_deadline_) abort();
}

}  // namespace

std::shared_ptr<Connection> make_connection(Socket socket, const Shared& shared) {
  return std::make_shared<WebConnection>(std::move(socket), shared);
}

}  // namespace supple
