#include "sim/touches.h"

#include <algorithm>

#include "base/names.h"
#include "base/refuse.h"

namespace supple {

namespace {

using Names = std::vector<std::string>;

bool holds(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool lets(const std::optional<Names>& touches, const std::string& name) {
  return !touches || holds(*touches, name);
}

/// The first name in a list that is unknown.
std::optional<UnknownTouch> unknown_in(const std::optional<Names>& touches, const char* kind,
                                       const Names& known, const std::string& where) {
  for (std::size_t i = 0; touches && i < touches->size(); ++i) {
    const std::string& name = (*touches)[i];
    if (holds(known, name)) continue;
    return UnknownTouch{where + "/touches/" + std::to_string(i), unknown_name(kind, name, known)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<UnknownTouch> find_unknown_touch(const Scene& scene) {
  const auto is_limited = [](const auto& own) { return own.touches.has_value(); };
  if (std::none_of(scene.bodies.begin(), scene.bodies.end(), is_limited) &&
      std::none_of(scene.colliders.begin(), scene.colliders.end(), is_limited)) {
    return std::nullopt;
  }
  Names bodies;
  for (const Body& body : scene.bodies) bodies.push_back(body.name);
  for (std::size_t c = 0; c < scene.colliders.size(); ++c) {
    const std::string where = "/colliders/" + std::to_string(c);
    if (auto found = unknown_in(scene.colliders[c].touches, "body", bodies, where)) return found;
  }
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    // Whether a body touches itself is set elsewhere.
    Names others = bodies;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(b));
    for (const Collider& collider : scene.colliders) others.push_back(collider.name);
    const std::string where = "/bodies/" + std::to_string(b);
    if (auto found = unknown_in(scene.bodies[b].touches, "other body or collider", others, where)) {
      return found;
    }
  }
  return std::nullopt;
}

void check_touches(const Scene& scene) {
  if (const auto found = find_unknown_touch(scene)) refuse(found->where, found->message);
}

std::vector<std::uint8_t> touching_bodies(const Scene& scene, const Collider& collider) {
  std::vector<std::uint8_t> touching;
  bool all = true;
  for (const Body& body : scene.bodies) {
    const bool own = lets(collider.touches, body.name) && lets(body.touches, collider.name);
    touching.push_back(own ? 1 : 0);
    all = all && own;
  }
  return all ? std::vector<std::uint8_t>() : touching;
}

std::vector<std::pair<int, int>> bodies_apart(const Scene& scene) {
  std::vector<std::pair<int, int>> apart;
  if (std::none_of(scene.bodies.begin(), scene.bodies.end(),
                   [](const Body& body) { return body.touches.has_value(); })) {
    return apart;
  }
  for (std::size_t a = 0; a < scene.bodies.size(); ++a) {
    for (std::size_t b = a + 1; b < scene.bodies.size(); ++b) {
      const Body &first = scene.bodies[a], &second = scene.bodies[b];
      if (lets(first.touches, second.name) && lets(second.touches, first.name)) continue;
      apart.emplace_back(static_cast<int>(a), static_cast<int>(b));
    }
  }
  return apart;
}

}  // namespace supple
