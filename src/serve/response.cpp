#include "serve/response.h"

#include <fmt/format.h>

namespace supple {

namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Service Unavailable";
  }
}

/// blob: and data: are for pictures and films that the page makes itself; style 'unsafe-inline' is
/// for the positions of what it draws over the canvas.
constexpr std::string_view page_headers =
    "Content-Security-Policy: default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; "
    "worker-src 'self' blob:; connect-src 'self' ws: blob: data:; img-src 'self' blob: data:; "
    "media-src 'self' blob:; style-src 'self' 'unsafe-inline'; font-src 'self' data:; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Embedder-Policy: require-corp\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Referrer-Policy: no-referrer\r\n";

}  // namespace

std::string head_of(const Response& response) {
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n", response.status,
                  reason_of(response.status), response.type, response.size);
  head += response.keep_alive ? "Connection: keep-alive\r\n" : "Connection: close\r\n";
  head += response.never_changes   ? "Cache-Control: private, max-age=31536000, immutable\r\n"
          : response.status == 200 ? "Cache-Control: private, no-cache\r\n"
                                   : "Cache-Control: no-store\r\n";
  if (response.status == 405) head += "Allow: GET, HEAD\r\n";
  if (!response.cookie.empty()) head += fmt::format("Set-Cookie: {}\r\n", response.cookie);
  head += page_headers;
  head += "\r\n";
  return head;
}

}  // namespace supple
