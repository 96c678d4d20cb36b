#include "serve/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace supple {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// True for "1.2.3.4" and "[::1]": an address, unlike a name, cannot be registered by an attacker.
bool is_address(std::string_view host) {
  if (host.empty()) return false;
  if (host.front() == '[') {
    return host.size() > 3 && host.back() == ']' &&
           host.substr(1, host.size() - 2).find_first_not_of("0123456789abcdef:.") ==
               std::string_view::npos;
  }
  return host.find_first_not_of("0123456789.") == std::string_view::npos &&
         std::count(host.begin(), host.end(), '.') == 3;
}

/// Compares all characters even after a difference, so that the time tells nothing.
bool same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const char other = i < a.size() ? a[i] : '\0';
    difference |=
        static_cast<unsigned>(static_cast<unsigned char>(other) ^ static_cast<unsigned char>(b[i]));
  }
  return difference == 0;
}

std::string cookie_name(const Admission& rules) { return fmt::format("supple_{}", rules.port); }

/// True if one of the pairs "name=value" in a list carries the token.
bool carries(std::string_view list, char separator, std::string_view name, std::string_view token) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(separator), list.size());
    std::string_view pair = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || pair.substr(0, equals) != name) continue;
    if (same_secret(pair.substr(equals + 1), token)) return true;
  }
  return false;
}

}  // namespace

bool is_our_host(const Admission& rules, std::string_view host) {
  const std::string name = lower(host);
  const auto is = [&](std::string_view own) {
    // Browsers omit port 80.
    return name == fmt::format("{}:{}", own, rules.port) || (rules.port == 80 && name == own);
  };
  if (std::any_of(rules.hosts.begin(), rules.hosts.end(), is)) return true;
  const std::size_t colon = std::min(name.rfind(':'), name.size());
  return rules.any_address && is_address(std::string_view(name).substr(0, colon)) &&
         is(std::string_view(name).substr(0, colon));
}

bool is_our_origin(std::string_view origin, std::string_view host) {
  return lower(origin) == "http://" + lower(host);
}

bool has_token_in_target(const Admission& rules, std::string_view target) {
  const std::size_t question = target.find('?');
  return question != std::string_view::npos &&
         carries(target.substr(question + 1), '&', "token", rules.token);
}

bool has_token(const Admission& rules, std::string_view target, std::string_view cookies) {
  return has_token_in_target(rules, target) ||
         carries(cookies, ';', cookie_name(rules), rules.token);
}

std::string token_cookie(const Admission& rules) {
  return fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_name(rules), rules.token);
}

bool is_good_token(std::string_view token) {
  constexpr std::string_view letters =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
  return token.size() >= 16 && token.size() <= 256 &&
         token.find_first_not_of(letters) == std::string_view::npos;
}

std::string random_token() {
  // With libstdc++, the system's generator on all platforms that have one.
  std::random_device source("/dev/urandom");
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", source() & 0xffffffffU);
  return token;
}

}  // namespace supple
