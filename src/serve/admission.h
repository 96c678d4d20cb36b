#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Rules for who may connect, as pure functions of a request's contents.
namespace supple {

struct Admission {
  std::vector<std::string> hosts;  ///< lower case; IPv6 addresses in brackets
  bool any_address = false;        ///< an IP address counts as one of the hosts above
  unsigned short port = 0;
  std::string token;  ///< empty: no token is needed
};

/// True if the request names the server by one of its own names ("localhost:8420"). A page of
/// another site whose name suddenly resolves to this machine (DNS rebinding) sends that site's
/// name.
bool is_our_host(const Admission& rules, std::string_view host);

/// True if a page of this origin may open a WebSocket to `host`: only a page of this server may.
bool is_our_origin(std::string_view origin, std::string_view host);

/// True if `target` ("/?token=...") or the cookies carry the token. Takes the same time whatever is
/// wrong with it.
bool has_token(const Admission& rules, std::string_view target, std::string_view cookies);

/// True if `target` itself carries the token, so that the browser should keep it.
bool has_token_in_target(const Admission& rules, std::string_view target);

/// The value of a Set-Cookie header that makes the browser keep the token. The cookie is named
/// after the port, because cookies do not distinguish the ports of a machine.
std::string token_cookie(const Admission& rules);

/// True if a token has only characters that need no quoting and is too long to guess.
bool is_good_token(std::string_view token);

/// 128 random bits from the system, as 32 hexadecimal digits.
std::string random_token();

}  // namespace supple
