#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace supple {

/// The head of an answer, and whether the connection is kept after it.
struct Response {
  int status = 200;
  std::string_view type = "text/plain; charset=utf-8";
  std::uint64_t size = 0;
  bool keep_alive = false;
  bool never_changes = false;
  std::string cookie;  ///< to be set; empty: none
};

/// Status line and headers, with the final empty line. The headers let a page use scripts, workers
/// and WebAssembly of this server only, forbid framing it, and allow shared memory.
std::string head_of(const Response& response);

}  // namespace supple
