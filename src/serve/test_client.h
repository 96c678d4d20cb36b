#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

/// A client on plain sockets for tests of a server: it can do what no browser would.
namespace supple::test {

struct Answer {
  int status = 0;  ///< 0: no complete answer came
  std::string head;
  std::string body;
  /// The value of a header; empty if it is missing.
  std::string header(const std::string& name) const;
};

struct Frame {
  int opcode = -1;  ///< -1: none came
  bool is_last = false;
  std::string payload;
  /// The code of a close frame.
  int code() const;
};

/// The form of a frame, which can be wrong on purpose.
struct FrameForm {
  int opcode = 1;
  bool is_last = true;
  bool is_masked = true;
  int reserved = 0;                ///< bits RSV1 to RSV3, as 0x70
  std::uint64_t claimed_size = 0;  ///< 0: the payload's size
};

constexpr std::chrono::milliseconds patience{5'000};

/// A client that waits at most `patience` for anything.
class TestClient {
 public:
  explicit TestClient(unsigned short port, int receive_buffer = 0);
  ~TestClient();
  TestClient(TestClient&& other) noexcept;
  TestClient& operator=(TestClient&&) = delete;
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  bool is_connected() const { return socket_ >= 0; }
  /// False if the server has closed.
  bool send(std::string_view bytes);
  /// Receives one answer. The answer to HEAD has no body.
  Answer answer(bool has_body = true);
  /// Sends GET for a target with the right Host and further header lines ("A: b\r\n").
  Answer get(const std::string& target, const std::string& headers = "");
  /// Does the handshake of a WebSocket and returns the answer's status: 101 if it succeeded.
  int upgrade(const std::string& target = "/session", const std::string& headers = "");
  bool send_frame(std::string_view payload, const FrameForm& form = {});
  Frame frame();
  /// True if the server closes within `patience`; data that arrives meanwhile is dropped.
  bool is_closed();
  /// Receives and drops data for a while.
  void drain(std::chrono::milliseconds time);

 private:
  bool fill(std::chrono::steady_clock::time_point end);
  bool fill_to(std::size_t size);

  unsigned short port_;
  int socket_ = -1;
  std::string received_;
};

}  // namespace supple::test
