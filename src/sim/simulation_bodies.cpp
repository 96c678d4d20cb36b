#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/refuse.h"
#include "sim/simulation_implementation.h"
#include "sim/stepper.h"
#include "sim/survivors.h"

namespace supple {

namespace {

/// Checks the name of a body that is to be added after others.
void check_name(const std::vector<Body>& others, const std::string& name) {
  if (name.empty()) return;
  for (std::size_t b = 0; b < others.size(); ++b) {
    if (others[b].name != name) continue;
    refuse(place_of_body(others.size()) + "/name",
           "body " + std::to_string(b) + " is called '" + name + "' too");
  }
}

/// Removes names that nothing has any more from the lists of what touches what, and removes what
/// ties such bodies from the scene.
void forget_bodies(const Scene& before, Scene& next) {
  const auto has = [](const Scene& scene, const std::string& name) {
    return std::any_of(scene.bodies.begin(), scene.bodies.end(),
                       [&](const Body& body) { return body.name == name; });
  };
  const auto forget = [&](std::optional<std::vector<std::string>>& names) {
    if (!names) return;
    std::erase_if(*names, [&](const auto& name) { return has(before, name) && !has(next, name); });
  };
  for (Body& body : next.bodies) forget(body.touches);
  for (Blade& blade : next.blades) forget(blade.cuts);
  for (Collider& collider : next.colliders) forget(collider.touches);
  const auto is_gone = [&](const std::string& name) { return !has(next, name); };
  std::erase_if(next.bonds,
                [&](const Bond& bond) { return is_gone(bond.body) || is_gone(bond.to); });
  std::erase_if(next.seams,
                [&](const Seam& seam) { return is_gone(seam.a.body) || is_gone(seam.b.body); });
}

}  // namespace

std::string place_of_body(std::size_t body) { return "/bodies/" + std::to_string(body); }

void check_body(const Scene& scene, int body) {
  if (body >= 0 && static_cast<std::size_t>(body) < scene.bodies.size()) return;
  refuse("/bodies", "there is no body " + std::to_string(body) + ": the scene has " +
                        std::to_string(scene.bodies.size()));
}

TornBodies Simulation::Implementation::torn_bodies(const Separations& by,
                                                   const Scene& scene) const {
  std::vector<int> origin(running->scene().bodies.size());
  std::iota(origin.begin(), origin.end(), 0);
  return {.made = &running->numbering(),
          .origin = std::move(origin),
          .copies = by.copies(),
          .spring_shares = by.spring_shares(scene)};
}

std::vector<BodyHandle> Simulation::Implementation::change_bodies(
    std::span<const BodyHandle> removed, std::span<const Body> added) {
  if (waiting) {
    refuse("change", "a scene waits to take over: add and remove bodies before or after that");
  }
  BodyTable next_bodies = bodies;
  next_bodies.remove(removed);
  if (removed.empty() && added.empty()) return {};
  const Scene& now = running->scene();
  Scene next = now;
  next.bodies.clear();
  std::vector<int> origin;
  for (std::size_t b = 0; b < now.bodies.size(); ++b) {
    if (!next_bodies.contains(bodies.handle(static_cast<int>(b)))) continue;
    next.bodies.push_back(now.bodies[b]);
    origin.push_back(static_cast<int>(b));
  }
  std::vector<BodyHandle> handles;
  for (const Body& body : added) {
    check_name(next.bodies, body.name);
    next.bodies.push_back(body);
    origin.push_back(-1);
    handles.push_back(next_bodies.add());
  }
  if (separates(next)) require_untied();
  forget_bodies(now, next);
  const Survivors survivors(now, next, std::move(origin));
  Attachments held = running->attachments();
  held.renumber(survivors.vertices());
  const std::vector<int> same = running->unchanged(survivors.origin());
  Separations next_separations = separations.of_bodies(survivors.origin());
  auto built = std::make_unique<RunningScene>(
      next, options, RunningScene::Begin::later, std::move(held),
      Earlier<RunningScene>{.made = running.get(), .origin = same},
      TornBodies{.made = &running->numbering(),
                 .origin = survivors.origin(),
                 .copies = next_separations.copies(),
                 .spring_shares = next_separations.spring_shares(next)});
  built->go_on_from(*running, survivors);
  running = std::move(built);
  bodies = std::move(next_bodies);
  separations = std::move(next_separations);
  return handles;
}

int Simulation::Implementation::come_apart(const std::vector<BodySeparation>& pairs) {
  if (pairs.empty()) return 0;
  const Scene& now = running->scene();
  Separations next_separations = separations;
  const SeparatedScene next = next_separations.separate(now, pairs, running->frame());
  int count = 0;
  for (const BodySeparation& some : pairs) count += static_cast<int>(some.pairs.size());
  if (next.has_copies()) {
    std::vector<int> origin(now.bodies.size());
    std::iota(origin.begin(), origin.end(), 0);
    const Survivors survivors(now, next.scene, origin, next.copies, next.spring_parents);
    Attachments held = running->attachments();
    held.renumber(survivors.vertices(),
                  [&](std::vector<int>& corners) { return follow_element(now, next, corners); });
    std::vector<int> same = running->unchanged(origin);
    for (std::size_t b = 0; b < same.size(); ++b) {
      if (!next.copies[b].empty()) same[b] = -1;
    }
    auto built = std::make_unique<RunningScene>(
        next.scene, options, RunningScene::Begin::later, std::move(held),
        Earlier<RunningScene>{.made = running.get(), .origin = same},
        torn_bodies(next_separations, next.scene));
    built->go_on_from(*running, survivors);
    running = std::move(built);
  }
  separations = std::move(next_separations);
  return count;
}

int Simulation::Implementation::separate() {
  if (waiting || !separates(running->scene())) return 0;
  return come_apart(running->find_separations(separations));
}

void Simulation::Implementation::require_no_change() const {
  if (!waiting) return;
  refuse("change", "a scene waits to take over: separate bodies before or after that");
}

int Simulation::Implementation::cut(std::span<const std::array<Vec3, 3>> triangles,
                                    std::span<const int> asked) {
  require_no_change();
  const Scene& now = running->scene();
  std::vector<int> chosen(asked.begin(), asked.end());
  for (std::size_t b = 0; asked.empty() && b < now.bodies.size(); ++b) {
    chosen.push_back(static_cast<int>(b));
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  for (const int body : chosen) check_separable(body);
  std::vector<CutTriangle> cutting;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const std::string where = "triangles[" + std::to_string(i) + "]";
    for (const Vec3& corner : triangles[i]) {
      for (const double x : corner) {
        require(std::abs(x) <= 1e100, where, "expected numbers between -1e100 and 1e100");
      }
    }
    const auto triangle = CutTriangle::of(triangles[i]);
    if (!triangle) refuse(where, "its corners are in one line");
    cutting.push_back(*triangle);
  }
  return come_apart(running->cut(cutting, chosen, separations));
}

int Simulation::Implementation::separate(int body, std::span<const std::array<int, 2>> elements) {
  require_no_change();
  check_separable(body);
  BodySeparation some{body, {}};
  for (const auto& [a, b] : elements) some.pairs.emplace_back(std::min(a, b), std::max(a, b));
  std::sort(some.pairs.begin(), some.pairs.end());
  some.pairs.erase(std::unique(some.pairs.begin(), some.pairs.end()), some.pairs.end());
  return some.pairs.empty() ? 0 : come_apart({some});
}

void Simulation::Implementation::check_separable(int body) const {
  check_body(running->scene(), body);
  const std::string reason = why_inseparable(running->scene(), static_cast<std::size_t>(body));
  require(reason.empty(), place_of_body(static_cast<std::size_t>(body)), "this body " + reason);
  require_untied();
}

void Simulation::Implementation::require_untied() const {
  require(!running->ties_bodies(), "attachments",
          "bodies are tied to each other; detach them before bodies come apart");
}

}  // namespace supple
