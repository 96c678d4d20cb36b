#include "sim/cutting.h"

#include <algorithm>
#include <cmath>

#include "base/index.h"
#include "math/motion.h"
#include "math/vec3.h"
#include "sim/separations.h"

namespace supple {

using namespace vec3;

namespace {

/// Number of parts of a segment's way: a segment that turns sweeps a curved strip.
constexpr int num_parts = 8;
/// Rounding of a distance from a plane, as a share of the largest coordinate at hand.
constexpr double rounding = 1e-12;
/// Weights may be below 0 by this much, so that a line through a common edge of two triangles
/// misses neither.
constexpr double weight_rounding = 1e-9;
/// A triangle that is thinner than this share of its longest edge has no plane.
constexpr double thinnest = 1e-9;

double largest(const Vec3& x) { return std::max({std::abs(x[0]), std::abs(x[1]), std::abs(x[2])}); }

}  // namespace

std::optional<CutTriangle> CutTriangle::of(const std::array<Vec3, 3>& corners) {
  const Vec3 u = corners[1] - corners[0], v = corners[2] - corners[0];
  const Vec3 across = cross(u, v);
  const double longest = std::max({norm(u), norm(v), norm(v - u)});
  const double area = norm(across);
  if (!(area > thinnest * longest * longest)) return std::nullopt;
  CutTriangle triangle;
  triangle.origin_ = corners[0];
  triangle.normal_ = (1 / area) * across;
  triangle.gradients_ = {(1 / area) * cross(v, triangle.normal_),
                         (1 / area) * cross(triangle.normal_, u)};
  triangle.rounding_ =
      rounding * std::max({largest(corners[0]), largest(corners[1]), largest(corners[2])});
  const double margin = weight_rounding * longest + 2 * triangle.rounding_;
  for (std::size_t k = 0; k < 3; ++k) {
    triangle.box_.min[k] = std::min({corners[0][k], corners[1][k], corners[2][k]}) - margin;
    triangle.box_.max[k] = std::max({corners[0][k], corners[1][k], corners[2][k]}) + margin;
  }
  return triangle;
}

bool CutTriangle::separates(const Vec3& a, const Vec3& b) const {
  const auto height = [&](const Vec3& x) {
    const double d = dot(x - origin_, normal_);
    return std::abs(d) <= rounding_ + rounding * largest(x) ? 0 : d;
  };
  const double d_a = height(a), d_b = height(b);
  if ((d_a < 0) == (d_b < 0)) return false;
  const Vec3 there = a + (d_a / (d_a - d_b)) * (b - a) - origin_;
  const double s = dot(there, gradients_[0]), t = dot(there, gradients_[1]);
  return s >= -weight_rounding && t >= -weight_rounding && s + t <= 1 + weight_rounding;
}

void find_way(const Blade& blade, double begin, double end, std::vector<BladeMoment>& way) {
  way.clear();
  for (int part = 0; part <= num_parts; ++part) {
    const double before = (end - begin) * (num_parts - part) / num_parts;
    const Pose pose = evaluate(blade.motion, end - before);
    way.push_back({before, {pose.apply(blade.points[0]), pose.apply(blade.points[1])}});
  }
}

std::optional<CutTriangle> standing_blade(const Blade& blade, double time) {
  const Pose pose = evaluate(blade.motion, time);
  return CutTriangle::of(
      {pose.apply(blade.points[0]), pose.apply(blade.points[1]), pose.apply(blade.points[2])});
}

void find_means(const Body& body, int first_vertex, const Numbering& numbering,
                const VectorField& field, std::vector<Vec3>& means) {
  with_elements(body, [&](const auto& elements) {
    means.resize(elements.size());
    for (std::size_t e = 0; e < elements.size(); ++e) {
      Vec3 sum{0, 0, 0};
      for (const int vertex : elements[e]) {
        const PaddedVector& corner = field[at(numbering.to_model(first_vertex + vertex))];
        for (int k = 0; k < 3; ++k) sum[at(k)] += corner[k];
      }
      means[e] = (1.0 / static_cast<double>(elements[e].size())) * sum;
    }
    return 0;
  });
}

std::vector<ElementPair> crossed_pairs(std::span<const ElementPair> joined,
                                       std::span<const Vec3> centres,
                                       std::span<const CutTriangle> triangles) {
  std::vector<ElementPair> crossed;
  if (triangles.empty()) return crossed;
  Box all = triangles[0].box();
  for (const CutTriangle& triangle : triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      all.min[k] = std::min(all.min[k], triangle.box().min[k]);
      all.max[k] = std::max(all.max[k], triangle.box().max[k]);
    }
  }
  const auto passes_by = [&](const Vec3& a, const Vec3& b) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (std::max(a[k], b[k]) < all.min[k] || std::min(a[k], b[k]) > all.max[k]) return true;
    }
    return false;
  };
  for (const ElementPair& pair : joined) {
    const Vec3 &a = centres[at(pair.first)], &b = centres[at(pair.second)];
    if (passes_by(a, b)) continue;
    if (std::any_of(triangles.begin(), triangles.end(),
                    [&](const CutTriangle& triangle) { return triangle.separates(a, b); })) {
      crossed.push_back(pair);
    }
  }
  return crossed;
}

std::vector<ElementPair> passed_pairs(std::span<const ElementPair> joined,
                                      std::span<const Vec3> centres,
                                      std::span<const Vec3> velocities,
                                      std::span<const BladeMoment> way) {
  std::vector<ElementPair> passed;
  if (way.empty()) return passed;
  Box all{way[0].ends[0], way[0].ends[0]};
  for (const BladeMoment& moment : way) {
    for (const Vec3& end : moment.ends) {
      for (std::size_t k = 0; k < 3; ++k) {
        all.min[k] = std::min(all.min[k], end[k]);
        all.max[k] = std::max(all.max[k], end[k]);
      }
    }
  }
  for (const ElementPair& pair : joined) {
    const Vec3 &a = centres[at(pair.first)], &b = centres[at(pair.second)];
    const Vec3 v = 0.5 * (velocities[at(pair.first)] + velocities[at(pair.second)]);
    bool is_near = true;
    for (std::size_t k = 0; k < 3; ++k) {
      const double moved = way[0].before * v[k];
      const double margin = 1e-6 * (std::abs(all.max[k] - all.min[k]) + std::abs(a[k] - b[k]));
      is_near = is_near && std::max(a[k], b[k]) + std::max(0.0, -moved) + margin >= all.min[k] &&
                std::min(a[k], b[k]) - std::max(0.0, moved) - margin <= all.max[k];
    }
    if (!is_near) continue;
    const auto place = [&](std::size_t moment, std::size_t end) {
      return way[moment].ends[end] + way[moment].before * v;
    };
    const auto cuts = [&](const std::array<Vec3, 3>& corners) {
      const auto triangle = CutTriangle::of(corners);
      return triangle && triangle->separates(a, b);
    };
    for (std::size_t m = 0; m + 1 < way.size(); ++m) {
      if (!cuts({place(m, 0), place(m, 1), place(m + 1, 1)}) &&
          !cuts({place(m, 0), place(m + 1, 1), place(m + 1, 0)})) {
        continue;
      }
      passed.push_back(pair);
      break;
    }
  }
  return passed;
}

}  // namespace supple
