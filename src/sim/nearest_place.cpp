#include "sim/nearest_place.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/index.h"
#include "contact/nearest_features.h"
#include "math/vec3.h"

namespace supple {

using namespace vec3;

namespace {

/// Largest sum of the absolute weights of a point in the continuation of a tet. Beyond that, about
/// two heights of the tet away, small errors in the tet's shape would move the point far.
constexpr double most_weight = 5;
/// Weights below this are rounding.
constexpr double least_weight = 1e-9;

double volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return dot(cross(b - a, c - a), d - a);
}

/// The same place without the corners whose weight is rounding.
NearestPlace::Place shortened(const NearestPlace::Place& from) {
  NearestPlace::Place to = from;
  to.count = 0;
  double sum = 0;
  for (std::size_t i = 0; i < at(from.count); ++i) {
    if (std::abs(from.weights[i]) < least_weight) continue;
    to.vertices[at(to.count)] = from.vertices[i];
    to.weights[at(to.count++)] = from.weights[i];
    sum += from.weights[i];
  }
  for (std::size_t i = 0; i < at(to.count); ++i) to.weights[i] /= sum;
  return to;
}

template <class Corners>
Box box_around(const Corners& corners, int count, std::span<const Vec3> x) {
  Box box{x[at(corners[0])], x[at(corners[0])]};
  for (int i = 1; i < count; ++i) {
    box = AabbTree::join(box, {x[at(corners[at(i)])], x[at(corners[at(i)])]});
  }
  return box;
}

}  // namespace

NearestPlace::NearestPlace(const Body& body, std::span<const Vec3> x)
    : tets_(body.mesh.tets), x_(x) {
  std::vector<Box> boxes;
  std::map<std::array<int, 3>, std::pair<int, int>> faces;  // how many tets have the face, and one
                                                            // of them
  for (std::size_t t = 0; t < tets_.size(); ++t) {
    boxes.push_back(box_around(tets_[t], 4, x_));
    for (std::size_t without = 0; without < 4; ++without) {
      std::array<int, 3> face{};
      for (std::size_t i = 0, k = 0; i < 4; ++i) {
        if (i != without) face[k++] = tets_[t][i];
      }
      std::sort(face.begin(), face.end());
      std::pair<int, int>& known = faces[face];
      ++known.first;
      known.second = static_cast<int>(t);
    }
  }
  tet_tree_.rebuild(boxes);
  for (const auto& [face, known] : faces) {
    if (known.first == 1) features_.push_back({3, face, known.second});
  }
  if (tets_.empty()) {
    for (const auto& triangle : body.triangles) features_.push_back({3, triangle, -1});
    for (const auto& segment : body.segments)
      features_.push_back({2, {segment[0], segment[1]}, -1});
    for (std::size_t s = 0; s < body.springs.size() && features_.empty(); ++s) {
      features_.push_back({2, {body.springs[s].a, body.springs[s].b}, -1});
    }
  }
  boxes.clear();
  for (const Feature& own : features_) boxes.push_back(box_around(own.corners, own.count, x_));
  feature_tree_.rebuild(boxes);
}

std::array<double, 4> NearestPlace::weights_in(int tet, const Vec3& point) const {
  const auto& corners = tets_[at(tet)];
  std::array<Vec3, 4> c;
  for (std::size_t i = 0; i < 4; ++i) c[i] = place(corners[i]);
  const double all = volume(c[0], c[1], c[2], c[3]);
  std::array<double, 4> weights{};
  for (std::size_t i = 0; i < 4; ++i) {
    std::array<Vec3, 4> with = c;
    with[i] = point;
    weights[i] = volume(with[0], with[1], with[2], with[3]) / all;
  }
  return weights;
}

NearestPlace::Place NearestPlace::nearest_of(const Feature& feature, const Vec3& point) const {
  Place found{.count = feature.count};
  for (int i = 0; i < feature.count; ++i) found.vertices[at(i)] = feature.corners[at(i)];
  if (feature.count == 3) {
    const NearestPoints nearest = nearest_of_face(
        {point, place(feature.corners[0]), place(feature.corners[1]), place(feature.corners[2])});
    for (std::size_t i = 0; i < 3; ++i) found.weights[i] = -nearest.weights[i + 1];
    found.distance = nearest.distance;
  } else {
    const Vec3 &a = place(feature.corners[0]), &b = place(feature.corners[1]);
    const double length2 = dot(b - a, b - a);
    const double t = length2 > 0 ? std::clamp(dot(point - a, b - a) / length2, 0.0, 1.0) : 0;
    found.weights = {1 - t, t, 0, 0};
    found.distance = norm(point - (a + t * (b - a)));
  }
  found.beside = found.distance;
  return found;
}

NearestPlace::Place NearestPlace::nearest_feature(const Vec3& point, int& tet) const {
  Place best;
  double reach = std::numeric_limits<double>::infinity();
  int best_feature = -1;
  feature_tree_.nearest(point, [&](int place) {
    const int own = feature_tree_.order()[at(place)];
    const Place found = nearest_of(features_[at(own)], point);
    const double squared = found.distance * found.distance;
    // Of several equally near ones take the first.
    if (squared < reach || (squared == reach && own < best_feature)) {
      best = found;
      best_feature = own;
      reach = squared;
    }
    return reach;
  });
  tet = best_feature < 0 ? -1 : features_[at(best_feature)].tet;
  return best;
}

NearestPlace::Place NearestPlace::find(const Vec3& point) const {
  const auto in_tet = [&](int tet, double distance) {
    return shortened({.count = 4,
                      .vertices = tets_[at(tet)],
                      .weights = weights_in(tet, point),
                      .beside = 0,
                      .distance = distance});
  };
  int inside = -1;
  double deepest = -least_weight;
  tet_tree_.any([&](const Box& box) { return AabbTree::squared_distance(box, point) == 0; },
                [&](int place) {
                  const int own = tet_tree_.order()[at(place)];
                  const std::array<double, 4> weights = weights_in(own, point);
                  const double least = *std::min_element(weights.begin(), weights.end());
                  if (least > deepest || (least == deepest && own < inside)) {
                    deepest = least;
                    inside = own;
                  }
                  return false;
                });
  if (inside >= 0) return in_tet(inside, 0);
  int tet = -1;
  const Place nearest = nearest_feature(point, tet);
  if (tet >= 0) {
    double sum = 0;
    for (const double weight : weights_in(tet, point)) sum += std::abs(weight);
    if (sum <= most_weight) return in_tet(tet, nearest.distance);
  }
  return shortened(nearest);
}

}  // namespace supple
