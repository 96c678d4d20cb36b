#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace supple {

/// The head of an answer, and what becomes of the connection after it.
struct Response {
  int status = 200;
  std::string_view type = "text/plain; charset=utf-8";
  std::uint64_t size = 0;
  bool keep_alive = false;
  bool never_changes = false;
  std::string cookie;  ///< to be set; empty: none
};

/// Status line and headers, with the empty line at their end. What they let a page do: scripts,
/// workers and WebAssembly of this server alone, no frames around it, shared memory.
std::string head_of(const Response& response);

}  // namespace supple
