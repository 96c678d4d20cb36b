#include "serve/test_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace supple::test {

using Clock = std::chrono::steady_clock;

std::string Answer::header(const std::string& name) const {
  const std::string start = "\r\n" + name + ": ";
  const std::size_t at = head.find(start);
  if (at == std::string::npos) return "";
  const std::size_t from = at + start.size();
  return head.substr(from, head.find("\r\n", from) - from);
}

int Frame::code() const {
  if (opcode != 8 || payload.size() < 2) return -1;
  return 256 * static_cast<unsigned char>(payload[0]) + static_cast<unsigned char>(payload[1]);
}

TestClient::TestClient(unsigned short port, int receive_buffer) : port_(port) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (receive_buffer > 0) {
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(socket_);
    socket_ = -1;
  }
}

TestClient::~TestClient() {
  if (socket_ >= 0) ::close(socket_);
}

TestClient::TestClient(TestClient&& other) noexcept
    : port_(other.port_),
      socket_(std::exchange(other.socket_, -1)),
      received_(std::move(other.received_)) {}

bool TestClient::send(std::string_view bytes) {
  const auto end = Clock::now() + patience;
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno != EAGAIN || Clock::now() > end) return false;
    pollfd waiting{socket_, POLLOUT, 0};
    ::poll(&waiting, 1, 50);
  }
  return true;
}

bool TestClient::fill(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
  pollfd waiting{socket_, POLLIN, 0};
  if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) return false;
  std::array<char, 65536> bytes{};
  const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), 0);
  if (got <= 0) return false;
  received_.append(bytes.data(), static_cast<std::size_t>(got));
  return true;
}

bool TestClient::fill_to(std::size_t size) {
  const auto end = Clock::now() + patience;
  while (received_.size() < size) {
    if (!fill(end)) return false;
  }
  return true;
}

Answer TestClient::answer(bool has_body) {
  Answer answer;
  const auto end = Clock::now() + patience;
  std::size_t at = 0;
  while ((at = received_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill(end)) return answer;
  }
  answer.head = received_.substr(0, at + 2);
  received_.erase(0, at + 4);
  const auto size = static_cast<std::size_t>(std::atoll(answer.header("Content-Length").c_str()));
  if (has_body) {
    if (!fill_to(size)) return answer;
    answer.body = received_.substr(0, size);
    received_.erase(0, size);
  }
  answer.status = std::atoi(answer.head.c_str() + answer.head.find(' '));
  return answer;
}

Answer TestClient::get(const std::string& target, const std::string& headers) {
  send("GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n" +
       headers + "\r\n");
  return answer();
}

int TestClient::upgrade(const std::string& target, const std::string& headers) {
  const Answer answer = get(target,
                            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: "
                            "13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                                headers);
  // The example of RFC 6455, section 1.3.
  if (answer.status == 101 &&
      answer.header("Sec-WebSocket-Accept") != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") {
    return -1;
  }
  return answer.status;
}

bool TestClient::send_frame(std::string_view payload, const FrameForm& form) {
  std::string bytes;
  bytes += static_cast<char>((form.is_last ? 0x80 : 0) | form.reserved | form.opcode);
  const std::uint64_t size = form.claimed_size != 0 ? form.claimed_size : payload.size();
  const int mask_bit = form.is_masked ? 0x80 : 0;
  int length_bytes = 0;
  if (size < 126) {
    bytes += static_cast<char>(mask_bit | static_cast<int>(size));
  } else {
    length_bytes = size < 65536 ? 2 : 8;
    bytes += static_cast<char>(mask_bit | (length_bytes == 2 ? 126 : 127));
  }
  for (int i = length_bytes - 1; i >= 0; --i) bytes += static_cast<char>(size >> (8 * i) & 0xff);
  constexpr std::array<char, 4> mask{0x12, 0x34, 0x56, 0x78};
  if (form.is_masked) bytes.append(mask.data(), mask.size());
  for (std::size_t i = 0; i < payload.size(); ++i) {
    bytes += form.is_masked ? static_cast<char>(payload[i] ^ mask[i % 4]) : payload[i];
  }
  return send(bytes);
}

Frame TestClient::frame() {
  if (!fill_to(2)) return {};
  const auto byte = [this](std::size_t i) { return static_cast<unsigned char>(received_[i]); };
  Frame frame;
  std::uint64_t size = byte(1) & 0x7f;
  std::size_t head = 2;
  if (size >= 126) {
    const std::size_t length_bytes = size == 126 ? 2 : 8;
    if (!fill_to(2 + length_bytes)) return {};
    size = 0;
    for (std::size_t i = 0; i < length_bytes; ++i) size = 256 * size + byte(2 + i);
    head += length_bytes;
  }
  if (!fill_to(head + size)) return {};
  frame.opcode = byte(0) & 0xf;
  frame.is_last = (byte(0) & 0x80) != 0;
  frame.payload = received_.substr(head, size);
  received_.erase(0, head + size);
  return frame;
}

bool TestClient::is_closed() {
  const auto end = Clock::now() + patience;
  while (fill(end)) received_.clear();
  return Clock::now() < end;
}

void TestClient::drain(std::chrono::milliseconds time) {
  const auto end = Clock::now() + time;
  while (fill(end)) received_.clear();
}

}  // namespace supple::test
