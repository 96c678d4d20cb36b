#include "potentials/pins.h"

#include <algorithm>
#include <numeric>

#include "base/index.h"
#include "math/motion.h"

namespace supple {

namespace {

/// Share of a frame by which its last time may be too early because of rounding.
constexpr double rounding = 1e-9;

}  // namespace

Vec3 HeldTargets::at(int i, double time) const {
  const Vec3 &a = from[supple::at(i)], &b = to[supple::at(i)];
  if (!(time > begin) || a == b) return a;
  const double part = (time - begin) / (end - begin);
  if (part > 1 - rounding) return b;
  Vec3 place;
  for (std::size_t k = 0; k < 3; ++k) place[k] = a[k] + part * (b[k] - a[k]);
  return place;
}

void PinSet::targets(double time, std::vector<Vec3>& out) const {
  int current = -1;
  Pose pose;
  for (std::size_t i = 0; i < pins.size(); ++i) {
    if (pins[i].held >= 0) {
      out[i] = held->at(pins[i].held, time);
      continue;
    }
    // Pins of one motion are adjacent, so each pose is evaluated only once.
    if (pins[i].motion != current) {
      current = pins[i].motion;
      pose = evaluate(motions[at(current)], time);
    }
    out[i] = pose.apply(pins[i].rest);
  }
}

Vec3 PinSet::place(const PinnedPoint& point, const VectorField& x) const {
  Vec3 place{0, 0, 0};
  for (int i = 0; i < point.count; ++i) {
    const PaddedVector& corner = x[at(pins[at(point.first + i)].vertex)];
    for (int k = 0; k < 3; ++k) place[at(k)] += point.weights[at(i)] * corner[k];
  }
  return place;
}

Vec3 PinSet::stretch(std::size_t pin, const VectorField& x, const std::vector<Vec3>& target) const {
  const PinnedVertex& own = pins[pin];
  Vec3 stretch;
  if (own.point >= 0) {
    stretch = place(points[at(own.point)], x);
  } else {
    const PaddedVector& vertex = x[at(own.vertex)];
    stretch = {vertex[0], vertex[1], vertex[2]};
  }
  for (std::size_t k = 0; k < 3; ++k) stretch[k] -= target[pin][k];
  return stretch;
}

double PinSet::sum(const VectorField& x, const std::vector<Vec3>& target, PaddedVector* gradient,
                   std::span<const int> some) const {
  double energy = 0;
  for (const int pin : some) {
    const double k = pins[at(pin)].stiffness;
    const Vec3 pull = stretch(at(pin), x, target);
    for (int c = 0; c < 3; ++c) {
      const double d = pull[at(c)];
      energy += 0.5 * k * d * d;
      if (gradient != nullptr) gradient[at(pins[at(pin)].vertex)][c] += k * d;
    }
  }
  return energy;
}

PinSet::Some PinSet::all() const {
  Some all{.pins = std::vector<int>(pins.size()), .points = std::vector<int>(points.size())};
  std::iota(all.pins.begin(), all.pins.end(), 0);
  std::iota(all.points.begin(), all.points.end(), 0);
  return all;
}

std::vector<PinSet::Some> PinSet::by_body(std::span<const int> body_vertices) const {
  std::vector<Some> some(body_vertices.size() - 1);
  const auto body = [&](int pin) {
    const auto next =
        std::upper_bound(body_vertices.begin(), body_vertices.end(), pins[at(pin)].vertex);
    return at(next - body_vertices.begin() - 1);
  };
  const Some every = all();
  for (const int pin : every.pins) some[body(pin)].pins.push_back(pin);
  for (const int point : every.points) some[body(points[at(point)].first)].points.push_back(point);
  return some;
}

}  // namespace supple
