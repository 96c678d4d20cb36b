#include <algorithm>
#include <cmath>
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
  renumber_parting(survivors.origin());
  return handles;
}

}  // namespace supple
