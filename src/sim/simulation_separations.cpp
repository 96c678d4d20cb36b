#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/index.h"
#include "base/refuse.h"
#include "sim/simulation_implementation.h"
#include "sim/survivors.h"

namespace supple {

namespace {

using Found = std::vector<BodySeparation>;

int num_pairs(const Found& found) {
  int count = 0;
  for (const BodySeparation& some : found) count += static_cast<int>(some.pairs.size());
  return count;
}

/// Removes from `found` what is among `known`.
void remove_known(const Found& known, Found& found) {
  for (BodySeparation& some : found) {
    const auto own = std::find_if(known.begin(), known.end(),
                                  [&](const auto& other) { return other.body == some.body; });
    if (own == known.end()) continue;
    std::vector<ElementPair> left;
    std::set_difference(some.pairs.begin(), some.pairs.end(), own->pairs.begin(), own->pairs.end(),
                        std::back_inserter(left));
    some.pairs = std::move(left);
  }
  std::erase_if(found, [](const BodySeparation& some) { return some.pairs.empty(); });
}

std::vector<int> every_body(const Scene& scene) {
  std::vector<int> bodies(scene.bodies.size());
  std::iota(bodies.begin(), bodies.end(), 0);
  return bodies;
}

/// The pairs with their numbers. event: see Separation.
void append(const Found& found, std::int64_t frame, int event, std::vector<Separation>& to) {
  for (const BodySeparation& some : found) {
    for (const auto& [first, second] : some.pairs) {
      to.push_back(
          {.frame = frame, .event = event, .body = some.body, .first = first, .second = second});
    }
  }
}

}  // namespace

TornBodies Simulation::Implementation::torn_bodies(const Separations& by,
                                                   const Scene& scene) const {
  return {.made = &running->numbering(),
          .origin = every_body(running->scene()),
          .copies = by.copies(),
          .spring_shares = by.spring_shares(scene)};
}

Parted Parted::of(const Scene& now, const Attachments& held, const Separations& before,
                  const Found& found, std::int64_t frame, const SimulationOptions& options,
                  const Numbering& numbering, const RunningScene* earlier) {
  Parted parted{.separations = before};
  parted.scene = parted.separations.separate(now, found, frame);
  if (!parted.scene.has_copies()) return parted;
  parted.survivors.emplace(now, parted.scene.scene, every_body(now), parted.scene.copies,
                           parted.scene.spring_parents);
  std::vector<int> unchanged = every_body(now);
  if (earlier != nullptr) unchanged = earlier->unchanged(std::move(unchanged));
  for (std::size_t b = 0; b < unchanged.size(); ++b) {
    if (!parted.scene.copies[b].empty()) unchanged[b] = -1;
  }
  parted.running = std::make_unique<RunningScene>(
      parted.scene.scene, options, RunningScene::Begin::later, parted.follow(held, now),
      Earlier<RunningScene>{earlier, unchanged},
      TornBodies{.made = &numbering,
                 .origin = every_body(now),
                 .copies = parted.separations.copies(),
                 .spring_shares = parted.separations.spring_shares(parted.scene.scene)});
  return parted;
}

Attachments Parted::follow(Attachments held, const Scene& before) const {
  held.renumber(survivors->vertices(),
                [&](std::vector<int>& corners) { return follow_element(before, scene, corners); });
  return held;
}

void Simulation::Implementation::use(Parted parted) {
  if (parted.running) {
    parted.running->go_on_from(*running, *parted.survivors);
    running = std::move(parted.running);
  }
  separations = std::move(parted.separations);
}

int Simulation::Implementation::come_apart(const Found& found) {
  if (found.empty()) return 0;
  const int frames = running->scene().time.separate_after;
  if (parting || frames > 0) return come_apart_later(found);
  use(Parted::of(running->scene(), running->attachments(), separations, found, running->frame(),
                 options, running->numbering(), running.get()));
  return num_pairs(found);
}

/// Returns how many pairs are new.
int Simulation::Implementation::come_apart_later(Found found) {
  if (!parting) {
    const int count = num_pairs(found);
    begin_parting(std::move(found), running->frame() + running->scene().time.separate_after);
    return count;
  }
  remove_known(parting->found, found);
  remove_known(parting->next, found);
  for (const BodySeparation& some : found) add_pairs(some, parting->next);
  return num_pairs(found);
}

void Simulation::Implementation::begin_parting(Found found, std::int64_t frame) {
  parting.emplace();
  parting->found = found;
  parting->frame = frame;
  // The running scene goes on meanwhile, or is replaced: nothing of it may be read.
  struct Job {
    Scene scene;
    Attachments held;
    Separations separations;
    Found found;
    std::int64_t frame;
    SimulationOptions options;
    Numbering numbering;
  };
  const auto job =
      std::make_shared<const Job>(Job{running->scene(), running->attachments(), separations,
                                      std::move(found), frame, options, running->numbering()});
  parting->build.start([job] {
    return Parted::of(job->scene, job->held, job->separations, job->found, job->frame, job->options,
                      job->numbering, nullptr);
  });
}

int Simulation::Implementation::end_parting() {
  // If anything throws, what was found is lost with it: it would throw again in every step.
  Parting done = *std::exchange(parting, std::nullopt);
  Parted parted = done.build.take();
  for (const auto& edit : done.edits) edit(parted);
  // Targets have moved since, and attachments may have come and gone.
  std::optional<Attachments> held;
  if (parted.running) held = parted.follow(running->attachments(), running->scene());
  use(std::move(parted));
  if (held) running->use_all_attachments(*std::move(held));
  if (!done.next.empty()) come_apart(done.next);
  return num_pairs(done.found);
}

void Simulation::Implementation::forget_parting() {
  if (parting) discarded_parting = std::move(parting->build);
  parting.reset();
}

/// origin: for each body of the running scene, the one before; -1: it is added.
void Simulation::Implementation::renumber_parting(std::span<const int> origin) {
  if (!parting) return;
  const auto renumber = [&](const Found& before) {
    Found found;
    for (std::size_t b = 0; b < origin.size(); ++b) {
      for (const BodySeparation& some : before) {
        if (some.body == origin[b]) found.push_back({static_cast<int>(b), some.pairs});
      }
    }
    return found;
  };
  set_parting(renumber(parting->found), renumber(parting->next), parting->frame);
}

/// Begins anew, with the scene that is running now.
void Simulation::Implementation::set_parting(Found found, Found next, std::int64_t frame) {
  forget_parting();
  if (found.empty()) std::swap(found, next);
  if (found.empty()) return;
  begin_parting(std::move(found), frame);
  parting->next = std::move(next);
}

std::vector<Separation> Simulation::Implementation::separating() const {
  std::vector<Separation> separating;
  if (!parting) return separating;
  append(parting->found, parting->frame, 0, separating);
  append(parting->next, parting->frame + running->scene().time.separate_after, 1, separating);
  return separating;
}

/// What a state says of what comes apart later. Throws Error{invalid_input} at "separating".
Found Simulation::Implementation::read_separating(std::span<const Separation> separating,
                                                  const Scene& now, Separations& by) {
  Found found;
  for (const Separation& own : separating) {
    const auto check = [](bool condition, const std::string& message) {
      require(condition, "separating", message);
    };
    check(own.body >= 0 && at(own.body) < now.bodies.size(),
          "there is no body " + std::to_string(own.body));
    const std::string reason = why_inseparable(now, at(own.body));
    check(reason.empty(), "body " + std::to_string(own.body) + " " + reason);
    const ElementPair pair(own.first, own.second);
    const std::vector<ElementPair>& joined = by.joined(own.body, now.bodies[at(own.body)]);
    check(std::binary_search(joined.begin(), joined.end(), pair),
          "elements " + std::to_string(own.first) + " and " + std::to_string(own.second) +
              " of body " + std::to_string(own.body) + " are not connected");
    add_pairs({own.body, {pair}}, found);
  }
  return found;
}

int Simulation::Implementation::separate() {
  if (waiting) return 0;
  int count = 0;
  bool looks_for_limits = !parting;
  if (parting && running->frame() >= parting->frame) count = end_parting();
  if (!separates(running->scene())) return count;
  const bool waits = parting || running->scene().time.separate_after > 0;
  const int found = come_apart(running->find_separations(separations, looks_for_limits));
  return waits ? count : count + found;
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
  if (some.pairs.empty()) return 0;
  separations.require_joined(some, running->scene());
  return come_apart({some});
}

void Simulation::Implementation::check_separable(int body) const {
  check_body(running->scene(), body);
  const std::string reason = why_inseparable(running->scene(), static_cast<std::size_t>(body));
  require(reason.empty(), place_of_body(static_cast<std::size_t>(body)), "this body " + reason);
}

}  // namespace supple
