#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "integrate/integrator.h"
#include "sim/contact_setup.h"
#include "sim/measures.h"
#include "sim/running_scene.h"

namespace supple {

namespace {

/// How far each side of a tear is moved into its body if the body touches itself, as a share of the
/// body's size: an eighth of the layer that the body keeps around it. Surfaces in the same place
/// have no normal along which they could be held apart.
constexpr double opening = 4e-4;
/// At most this share of the way to the middle of the elements there.
constexpr double most_of_way = 0.02;

}  // namespace

/// 1 for vertices that are copies or have copies.
std::vector<char> RunningScene::split_vertices(const TornBodies& torn) const {
  std::vector<char> split(state_.x.size(), 0);
  if (torn.made == nullptr) return split;
  int first = 0;
  for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
    const std::vector<int>& copies = torn.copies[b];
    const auto count = static_cast<int>(scene_.bodies[b].mesh.vertices.size());
    const int whole = count - static_cast<int>(copies.size());
    for (std::size_t i = 0; i < copies.size(); ++i) {
      split[at(numbering_.to_model(first + copies[i]))] = 1;
      split[at(numbering_.to_model(first + whole + static_cast<int>(i)))] = 1;
    }
    first += count;
  }
  return split;
}

/// Moves the vertices marked in `asked` towards the middle of the elements around them.
template <class Field>
void RunningScene::open(const std::vector<char>& asked, Field& x) const {
  if (std::find(asked.begin(), asked.end(), char{1}) == asked.end()) return;
  std::vector<Vec3> sums(asked.size());
  std::vector<int> counts(asked.size(), 0);
  for (int body = 0; body < model_.num_bodies(); ++body) {
    const Body& own = scene_.bodies[at(body)];
    const int first = model_.body_vertices[at(body)];
    with_elements(own, [&](const auto& elements) {
      for (const auto& element : elements) {
        for (const int corner : element) {
          const std::size_t vertex = at(numbering_.to_model(first + corner));
          if (asked[vertex] == 0) continue;
          for (const int other : element) {
            const auto& there = x[at(numbering_.to_model(first + other))];
            for (int k = 0; k < 3; ++k) sums[vertex][at(k)] += there[static_cast<unsigned>(k)];
            ++counts[vertex];
          }
        }
      }
      return 0;
    });
  }
  std::vector<double> size;
  for (int body = 0; body < model_.num_bodies(); ++body) {
    size.push_back(box_diagonal(model_, at(body)));
  }
  for (std::size_t v = 0; v < asked.size(); ++v) {
    if (counts[v] == 0) continue;
    Vec3 way{};
    for (unsigned k = 0; k < 3; ++k) way[k] = sums[v][k] / counts[v] - x[v][k];
    const double length = std::hypot(way[0], way[1], way[2]);
    if (!(length > 0)) continue;
    const double far = opening * size[at(model_.body_of(static_cast<int>(v)))];
    const double share = std::min(far / length, most_of_way);
    for (unsigned k = 0; k < 3; ++k) x[v][k] += share * way[k];
  }
}

/// Opens tears that are new, so that their sides can touch each other from now on.
void RunningScene::open_tears(const RunningScene& before, const Survivors& survivors) {
  std::vector<int> count(before.state_.x.size(), 0);
  for (const int source : survivors.sources()) {
    if (source >= 0) ++count[at(source)];
  }
  std::vector<char> asked(state_.x.size(), 0);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const int source = survivors.sources()[i];
    if (source < 0 || count[at(source)] < 2) continue;
    asked[at(numbering_.to_model(static_cast<int>(i)))] = 1;
  }
  const VectorField x = state_.x;
  open(asked, state_.x);
  for (std::size_t i = 0; !state_.x_previous.empty() && i < x.size(); ++i) {
    for (int k = 0; k < 3; ++k) state_.x_previous[i][k] += state_.x[i][k] - x[i][k];
  }
  if (pairs() != nullptr) pairs()->find_overlaps(state_.x[0].v);
  queries_.moved();
}

std::unique_ptr<ContactEnergy> RunningScene::new_contact() const {
  std::vector<Vec3> rest = model_.rest;
  if (scene_.contact.self) open(split_, rest);
  auto contact = make_contact(scene_, model_, numbering_, surface_, std::move(rest));
  // Other integrators would not damp what friction stores.
  if (contact && find_integrator(scene_.time.integrator)->keeps_energy_down) {
    contact->use_memory(&state_.friction);
  }
  return contact;
}

std::vector<BodySeparation> RunningScene::cut(const std::vector<CutTriangle>& triangles,
                                              std::span<const int> bodies,
                                              Separations& separations) {
  std::vector<BodySeparation> found;
  for (const int body : bodies) {
    const Body& own = scene_.bodies[at(body)];
    const std::vector<ElementPair>& joined = separations.joined(body, own);
    find_means(own, model_.body_vertices[at(body)], numbering_, state_.x, centres_);
    BodySeparation cut{body, crossed_pairs(joined, centres_, triangles)};
    if (!cut.pairs.empty()) found.push_back(std::move(cut));
  }
  return found;
}

/// Finds what a blade has passed in the frame that has ended and in the last quarter of the one
/// before, because the paths of what it cuts are known only from their velocities.
void RunningScene::cut_by(const Blade& blade, Separations& separations,
                          std::vector<BodySeparation>& found) {
  constexpr double looks_back = 1.25;
  const double end = clock_.at(0), begin = std::max(0.0, end - looks_back * scene_.time.step);
  const bool is_segment = blade.points.size() == 2;
  std::optional<CutTriangle> triangle;
  if (is_segment) {
    find_way(blade, begin, end, way_);
  } else {
    triangle = standing_blade(blade, end);
  }
  for (int body = 0; body < model_.num_bodies(); ++body) {
    const Body& own = scene_.bodies[at(body)];
    if (!cuts(blade, own)) continue;
    const int first = model_.body_vertices[at(body)];
    const std::vector<ElementPair>& joined = separations.joined(body, own);
    find_means(own, first, numbering_, state_.x, centres_);
    BodySeparation more{body, {}};
    if (is_segment) {
      find_means(own, first, numbering_, state_.v, velocities_);
      more.pairs = passed_pairs(joined, centres_, velocities_, way_);
    } else if (triangle) {
      more.pairs = crossed_pairs(joined, centres_, {&*triangle, 1});
    }
    if (!more.pairs.empty()) add_pairs(more, found);
  }
}

std::vector<BodySeparation> RunningScene::find_separations(Separations& separations,
                                                           bool looks_for_limits) {
  std::vector<BodySeparation> found;
  if (looks_for_limits && tear_finder_.has_limits()) {
    tear_finder_.find(
        scene_, model_, numbering_, state_.x, separations, threads_,
        [&](int body) { return !is_asleep(body); }, found);
  }
  for (const Blade& blade : scene_.blades) cut_by(blade, separations, found);
  return found;
}

}  // namespace supple
