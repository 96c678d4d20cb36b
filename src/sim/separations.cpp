#include "sim/separations.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <type_traits>
#include <utility>

#include "base/index.h"
#include "base/refuse.h"
#include "mesh/surface.h"
#include "model/membrane_builder.h"
#include "model/pin_selection.h"
#include "potentials/pressure.h"

namespace supple {

namespace {

std::string named(const ElementPair& pair) {
  return std::to_string(pair.first) + " and " + std::to_string(pair.second);
}

/// Makes pins hold copies as well; a vertex and its copies share the stiffness.
void share_pins(std::vector<Pin>& pins, const std::vector<Vec3>& rest,
                const std::vector<int>& copies, std::span<const Collider> colliders) {
  const auto n = static_cast<int>(rest.size());
  std::map<int, std::vector<int>> copies_of;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    copies_of[copies[i]].push_back(n + static_cast<int>(i));
  }
  PinSet set;
  add_pins(pins, rest, 0, "", colliders, set);
  if (std::none_of(set.pins.begin(), set.pins.end(),
                   [&](const PinnedVertex& pin) { return copies_of.contains(pin.vertex); })) {
    return;
  }
  int first_free = 0;
  for (const Pin& pin : pins) first_free = std::max(first_free, pin.part_of + 1);
  std::vector<Pin> shared;
  for (std::size_t p = 0; p < pins.size(); ++p) {
    std::map<std::size_t, std::vector<int>> by_share;
    for (const PinnedVertex& pin : set.pins) {
      if (at(pin.motion) != p) continue;
      const auto found = copies_of.find(pin.vertex);
      const std::size_t share = found == copies_of.end() ? 1 : found->second.size() + 1;
      std::vector<int>& vertices = by_share[share];
      vertices.push_back(pin.vertex);
      if (share > 1) vertices.insert(vertices.end(), found->second.begin(), found->second.end());
    }
    for (auto& [share, vertices] : by_share) {
      shared.push_back(
          {.box = {},
           .vertices = std::move(vertices),
           .stiffness = pins[p].stiffness / static_cast<double>(share),
           .motion = pins[p].motion,
           .collider = pins[p].collider,
           .part_of = pins[p].part_of < 0 ? first_free + static_cast<int>(p) : pins[p].part_of});
    }
  }
  pins = std::move(shared);
}

/// Makes folds hold those of their edges that are left. `copies` are the last vertices of the body.
void follow_copies(Body& body, const std::vector<int>& copies) {
  const int first = static_cast<int>(body.mesh.vertices.size() - copies.size());
  for (Fold& fold : body.folds) {
    std::vector<int>& vertices = fold.select.vertices;
    std::sort(vertices.begin(), vertices.end());
    const auto count = static_cast<std::ptrdiff_t>(vertices.size());
    for (std::size_t i = 0; i < copies.size(); ++i) {
      if (std::binary_search(vertices.begin(), vertices.begin() + count, copies[i])) {
        vertices.push_back(first + static_cast<int>(i));
      }
    }
  }
  keep_folds(body);
}

/// The vertex of the rod before it came apart, for a vertex that is not the last one.
int first_rod_vertex(const Body& body, int vertex) {
  const std::vector<int>& copies = body.rod->copies;
  // One vertex has been added that is not among the copies yet.
  const std::size_t whole = body.mesh.vertices.size() - copies.size() - 1;
  return at(vertex) < whole ? vertex : copies[at(vertex) - whole];
}

/// Whether a surface around a volume that holds the body's pressure has opened. whole: the tets of
/// the whole body, of its first num_vertices vertices.
bool is_open(const Body& now, const std::vector<std::array<int, 4>>& whole, int num_vertices) {
  TetMesh mesh{now.mesh.vertices, whole};
  mesh.vertices.resize(at(num_vertices));
  PressureSet volumes;
  volumes.add(*now.pressure, surface_triangles(mesh), mesh.vertices, 0, false, "pressure");
  const auto sorted = [](std::array<int, 3> corners) {
    std::sort(corners.begin(), corners.end());
    return corners;
  };
  std::set<std::array<int, 3>> faces;
  for (const auto& face : volumes.faces) faces.insert(sorted(face));
  std::map<std::array<int, 2>, std::array<int, 2>> edges;  // what those of the whole body are now
  for (const SurfaceFace& face : surface_faces(mesh)) {
    if (!faces.contains(sorted(face.corners))) continue;
    const auto& before = whole[at(face.tet)];
    const auto is_now = [&](int corner) {
      const auto place = std::find(before.begin(), before.end(), corner);
      return now.mesh.tets[at(face.tet)][static_cast<std::size_t>(place - before.begin())];
    };
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [a, b] = std::minmax(face.corners[i], face.corners[(i + 1) % 3]);
      const std::array<int, 2> ends{is_now(a), is_now(b)};
      if (edges.emplace(std::array{a, b}, ends).first->second != ends) return true;
    }
  }
  return false;
}

SeparatedScene unchanged(const Scene& scene) {
  const std::vector<std::vector<int>> none(scene.bodies.size());
  return {scene, none, none};
}

}  // namespace

void add_pairs(const BodySeparation& more, std::vector<BodySeparation>& found) {
  const auto known = std::find_if(found.begin(), found.end(),
                                  [&](const auto& own) { return own.body == more.body; });
  if (known == found.end()) {
    found.push_back(more);
    return;
  }
  std::vector<ElementPair> all;
  std::set_union(known->pairs.begin(), known->pairs.end(), more.pairs.begin(), more.pairs.end(),
                 std::back_inserter(all));
  known->pairs = std::move(all);
}

std::vector<Pin> SeparatedScene::shared_pins(int body, std::vector<Pin> pins,
                                             std::span<const Collider> colliders) const {
  std::vector<Vec3> rest = scene.bodies[at(body)].mesh.vertices;
  rest.resize(rest.size() - copies[at(body)].size());
  share_pins(pins, rest, copies[at(body)], colliders);
  return pins;
}

bool SeparatedScene::has_copies() const {
  return std::any_of(copies.begin(), copies.end(), [](const auto& own) { return !own.empty(); });
}

const std::vector<ElementPair>& Separations::apart(int index) const {
  return bodies_[at(index)].apart;
}

const std::vector<ElementPair>& Separations::joined(int index, const Body& body) {
  OfBody& own = bodies_[at(index)];
  if (own.has_joined) return own.joined;
  const std::vector<ElementPair> all = with_elements(
      body, [](const auto& elements) { return joined_elements(std::span(elements)); });
  own.joined.clear();
  std::set_difference(all.begin(), all.end(), own.apart.begin(), own.apart.end(),
                      std::back_inserter(own.joined));
  own.has_joined = true;
  return own.joined;
}

/// Returns, for each spring that is left, the one before.
std::vector<int> Separations::separate_springs_of(Body& body, OfBody& own,
                                                  const std::vector<int>& copies) {
  const Whole& whole = *own.whole;
  if (whole.springs.empty()) return {};
  const auto follow = [&](const auto& before, const auto& now) {
    return separate_springs(std::span(whole.springs), std::span(before), std::span(now),
                            whole.num_vertices);
  };
  SeparatedSprings next = body.triangles.empty() ? follow(whole.segments, body.segments)
                                                 : follow(whole.triangles, body.triangles);
  const SeparatedSprings before{std::move(body.springs), std::move(own.spring_origins)};
  std::vector<int> parents =
      parents_of(before, next, copies, static_cast<int>(body.mesh.vertices.size()));
  // Stiffness lost by one part does not go over to another, which may be stretched further.
  std::vector<double> sums(before.springs.size(), 0.0);
  for (std::size_t s = 0; s < parents.size(); ++s) {
    sums[at(parents[s])] += next.springs[s].stiffness;
  }
  for (std::size_t s = 0; s < parents.size(); ++s) {
    const double most = before.springs[at(parents[s])].stiffness, sum = sums[at(parents[s])];
    if (sum > most) next.springs[s].stiffness *= most / sum;
  }
  body.springs = std::move(next.springs);
  own.spring_origins = std::move(next.origins);
  return parents;
}

Separations::Sources Separations::separate_body(Scene& scene, const BodySeparation& some) {
  Body& body = scene.bodies[at(some.body)];
  OfBody& own = bodies_[at(some.body)];
  const std::vector<ElementPair>& pairs = some.pairs;
  if (!own.whole) {
    own.whole = std::make_shared<const Whole>(
        Whole{static_cast<int>(body.mesh.vertices.size()), body.mesh.tets, body.triangles,
              body.segments, body.springs, body.rod ? body.rod->copies : std::vector<int>(),
              body.folds, body.pressure, body.volume});
    own.pins = body.pins;
    own.spring_origins.resize(body.springs.size());
    std::iota(own.spring_origins.begin(), own.spring_origins.end(), 0);
  }
  std::vector<ElementPair> apart;
  std::set_union(own.apart.begin(), own.apart.end(), pairs.begin(), pairs.end(),
                 std::back_inserter(apart));
  own.apart = std::move(apart);
  std::vector<ElementPair> joined;
  std::set_difference(own.joined.begin(), own.joined.end(), pairs.begin(), pairs.end(),
                      std::back_inserter(joined));
  own.joined = std::move(joined);
  std::vector<Vec3>& rest = body.mesh.vertices;
  std::vector<int> copies = with_elements(body, [&](auto& elements) {
    auto separated = separate_elements(std::span(std::as_const(elements)),
                                       static_cast<int>(rest.size()), own.apart, pairs);
    elements = std::move(separated.elements);
    return std::move(separated.copies);
  });
  std::vector<int> parents = separate_springs_of(body, own, copies);
  share_pins(body.pins, rest, copies, scene.colliders);
  const auto first = at(own.whole->num_vertices);
  for (const int origin : copies) {
    const Vec3 place = rest[at(origin)];
    rest.push_back(place);
    own.copies.push_back(at(origin) < first ? origin : own.copies[at(origin) - first]);
    if (body.rod) body.rod->copies.push_back(first_rod_vertex(body, origin));
  }
  if (!body.folds.empty()) follow_copies(body, copies);
  // What it enclosed can escape.
  if (body.pressure && !copies.empty() &&
      (body.mesh.tets.empty() || is_open(body, own.whole->tets, own.whole->num_vertices))) {
    body.pressure.reset();
  }
  if (body.mesh.tets.empty() && !copies.empty()) body.volume = BodyVolume::free;
  // These follow from the whole body.
  for (FiberSettings& fiber : body.fibers) fiber.laplace.reset();
  return {std::move(copies), std::move(parents)};
}

void Separations::note(const BodySeparation& some, std::int64_t frame, int event) {
  for (const auto& [first, second] : some.pairs) {
    all_.push_back(
        {.frame = frame, .event = event, .body = some.body, .first = first, .second = second});
  }
}

void Separations::require_joined(const BodySeparation& some, const Scene& now) {
  const std::vector<ElementPair>& joined_now = joined(some.body, now.bodies[at(some.body)]);
  for (const ElementPair& pair : some.pairs) {
    if (std::binary_search(joined_now.begin(), joined_now.end(), pair)) continue;
    refuse("elements", named(pair) + " of body " + std::to_string(some.body) +
                           " are not connected: expected two that share a face, an edge or a "
                           "vertex");
  }
}

SeparatedScene Separations::separate(const Scene& now, std::span<const BodySeparation> pairs,
                                     std::int64_t frame) {
  SeparatedScene result = unchanged(now);
  const int event = all_.empty() ? 0 : all_.back().event + 1;
  for (const BodySeparation& some : pairs) {
    require_joined(some, now);
    Sources sources = separate_body(result.scene, some);
    result.copies[at(some.body)] = std::move(sources.copies);
    result.spring_parents[at(some.body)] = std::move(sources.spring_parents);
    note(some, frame, event);
  }
  return result;
}

void Separations::pins_given(int index, const std::vector<Pin>& pins) {
  OfBody& own = bodies_[at(index)];
  if (!own.whole) return;
  own.pins = pins;
  const int count = own.whole->num_vertices;
  for (Pin& pin : own.pins) {
    for (int& vertex : pin.vertices) {
      if (vertex >= count) vertex = own.copies[at(vertex - count)];
    }
  }
}

std::vector<std::vector<int>> Separations::copies() const {
  std::vector<std::vector<int>> copies;
  for (const OfBody& own : bodies_) copies.push_back(own.copies);
  return copies;
}

std::vector<std::vector<double>> Separations::spring_shares(const Scene& now) const {
  std::vector<std::vector<double>> shares(bodies_.size());
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const OfBody& own = bodies_[b];
    for (std::size_t s = 0; s < own.spring_origins.size(); ++s) {
      const Spring& whole = own.whole->springs[at(own.spring_origins[s])];
      shares[b].push_back(now.bodies[b].springs[s].stiffness / whole.stiffness);
    }
  }
  return shares;
}

Separations::OfBody Separations::make_whole(Body& body, const OfBody& own) const {
  if (own.whole) {
    body.mesh.vertices.resize(at(own.whole->num_vertices));
    body.mesh.tets = own.whole->tets;
    body.triangles = own.whole->triangles;
    body.segments = own.whole->segments;
    body.springs = own.whole->springs;
    if (body.rod) body.rod->copies = own.whole->rod_copies;
    body.folds = own.whole->folds;
    body.pressure = own.whole->pressure;
    body.volume = own.whole->volume;
    body.pins = own.pins;
  }
  return {};
}

SeparatedScene Separations::replay(const Scene& now, const std::vector<Separation>& all,
                                   std::vector<int>& vertices) {
  SeparatedScene result = unchanged(now);
  const std::vector<OfBody> before = std::exchange(bodies_, {});
  all_.clear();
  for (std::size_t b = 0; b < before.size(); ++b) {
    bodies_.push_back(make_whole(result.scene.bodies[b], before[b]));
  }
  const auto check = [](bool condition, const std::string& message) {
    require(condition, "separated", message);
  };
  for (std::size_t i = 0; i < all.size();) {
    const Separation& first = all[i];
    check(first.body >= 0 && at(first.body) < bodies_.size(),
          "there is no body " + std::to_string(first.body));
    check(first.frame >= 0, "expected frames from 0");
    const std::string reason = why_inseparable(result.scene, at(first.body));
    check(reason.empty(), "body " + std::to_string(first.body) + " " + reason);
    BodySeparation some{first.body, {}};
    for (; i < all.size() && all[i].event == first.event && all[i].body == first.body; ++i) {
      some.pairs.emplace_back(all[i].first, all[i].second);
    }
    check(i == all.size() || all[i].event >= first.event, "expected events in their order");
    Body& body = result.scene.bodies[at(first.body)];
    const std::vector<ElementPair>& joined_now = joined(some.body, body);
    for (std::size_t p = 0; p < some.pairs.size(); ++p) {
      check(p == 0 || some.pairs[p - 1] < some.pairs[p], "expected pairs ascending in an event");
      check(std::binary_search(joined_now.begin(), joined_now.end(), some.pairs[p]),
            "elements " + named(some.pairs[p]) + " of body " + std::to_string(some.body) +
                " are not connected");
    }
    const std::vector<int> copies = separate_body(result.scene, some).copies;
    result.copies[at(some.body)].insert(result.copies[at(some.body)].end(), copies.begin(),
                                        copies.end());
    note(some, first.frame, first.event);
  }
  vertices.clear();
  int first = 0;
  for (std::size_t b = 0; b < before.size(); ++b) {
    const auto& whole = before[b].whole;
    const auto count = static_cast<int>(now.bodies[b].mesh.vertices.size());
    for (int i = 0; i < count; ++i) {
      const bool is_copy = whole && i >= whole->num_vertices;
      vertices.push_back(first + (is_copy ? before[b].copies[at(i - whole->num_vertices)] : i));
    }
    first += static_cast<int>(result.scene.bodies[b].mesh.vertices.size());
  }
  return result;
}

Separations Separations::of_bodies(std::span<const int> origin) const {
  Separations next(origin.size());
  std::vector<int> index(bodies_.size(), -1);
  for (std::size_t b = 0; b < origin.size(); ++b) {
    if (origin[b] < 0) continue;
    next.bodies_[b] = bodies_[at(origin[b])];
    index[at(origin[b])] = static_cast<int>(b);
  }
  for (Separation own : all_) {
    own.body = index[at(own.body)];
    if (own.body >= 0) next.all_.push_back(own);
  }
  return next;
}

bool follow_element(const Scene& before, const SeparatedScene& after, std::vector<int>& corners) {
  int first_before = 0, first_after = 0;
  std::size_t b = 0;
  while (at(corners[0] - first_before) >= before.bodies[b].mesh.vertices.size()) {
    first_before += static_cast<int>(before.bodies[b].mesh.vertices.size());
    first_after += static_cast<int>(after.scene.bodies[b].mesh.vertices.size());
    ++b;
  }
  if (after.copies[b].empty()) return false;
  const auto follow = [&](const auto& elements, const auto& next) {
    for (std::size_t e = 0; e < elements.size(); ++e) {
      std::vector<int> places;
      for (const int corner : corners) {
        const auto found = std::find(elements[e].begin(), elements[e].end(), corner - first_before);
        if (found != elements[e].end()) {
          places.push_back(first_after + next[e][at(found - elements[e].begin())]);
        }
      }
      if (places.size() < corners.size()) continue;
      corners = std::move(places);
      return true;
    }
    return false;
  };
  const Body& next = after.scene.bodies[b];
  return with_elements(before.bodies[b], [&](const auto& elements) {
    return with_elements(next, [&](const auto& others) {
      if constexpr (std::is_same_v<decltype(elements), decltype(others)>) {
        return follow(elements, others);
      } else {
        return false;
      }
    });
  });
}

}  // namespace supple
