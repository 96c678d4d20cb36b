#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Who may come in: pure functions on what a request says.
namespace supple {

struct Admission {
  std::vector<std::string> hosts;  ///< lower case; IPv6 addresses in brackets
  bool any_address = false;        ///< an address of digits is as good as a host above
  unsigned short port = 0;
  std::string token;  ///< empty: none is wanted
};

/// Was the server asked for by a name of its own ("localhost:8420")? A page of another site whose
/// name suddenly leads to this machine (DNS rebinding) says that site's name.
bool is_our_host(const Admission& rules, std::string_view host);

/// May a page of this origin open a WebSocket to `host`? Only one that came from here.
bool is_our_origin(std::string_view origin, std::string_view host);

/// Does `target` ("/?token=...") or the cookie carry the token? Takes the same time whatever is
/// wrong with it.
bool has_token(const Admission& rules, std::string_view target, std::string_view cookies);

/// Does `target` itself carry the token, so that the browser is to keep it?
bool has_token_in_target(const Admission& rules, std::string_view target);

/// The value of a Set-Cookie header by which the browser keeps the token. Named after the port:
/// cookies do not tell ports of a machine apart.
std::string token_cookie(const Admission& rules);

/// Whether a token is made of what needs no quoting anywhere, and long enough to be no guess.
bool is_good_token(std::string_view token);

/// 128 bits of the system's randomness, as 32 digits.
std::string random_token();

}  // namespace supple
