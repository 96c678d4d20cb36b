#include "potentials/hinge.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/index.h"

namespace supple {

namespace {

/// Share of its squared area at rest below which a triangle counts as collapsed.
constexpr double least_square = 1e-12;

Vector3<double> way(const double* from, const double* to) {
  return {{to[0] - from[0], to[1] - from[1], to[2] - from[2]}};
}

Mat3<double> outer(const Vector3<double>& a, const Vector3<double>& b) {
  Mat3<double> m;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) m(r, c) = a[r] * b[c];
  }
  return m;
}

/// A side of a triangle, from `a` to `b` in its order, with `apex` opposite.
struct HingeSide {
  int low, high, triangle, a, b, apex;
};

}  // namespace

BentHinge::Flap BentHinge::flap(const HingeCorners& x, int apex, double least) const {
  Flap flap{.to_apex = way(x[0], x[at(apex)]),
            .normal = {},
            .u = {},
            .sign = apex == 2 ? 1.0 : -1.0,
            .square = 0,
            .foot = 0};
  flap.normal = flap.sign * cross(edge_, flap.to_apex);
  flap.square = std::max(dot(flap.normal, flap.normal), 4 * least);
  flap.u = (length_ / flap.square) * flap.normal;
  const double square = length_ * length_;
  flap.foot = square > 0 ? dot(flap.to_apex, edge_) / square : 0;
  return flap;
}

BentHinge::BentHinge(const Hinge& hinge, const HingeCorners& x)
    : edge_(way(x[0], x[1])), length_(std::sqrt(dot(edge_, edge_))), stiffness_(hinge.stiffness) {
  flaps_[0] = flap(x, 2, hinge.least[0]);
  flaps_[1] = flap(x, 3, hinge.least[1]);
  // N_3 x N_2 = e (N_3 . (x_2 - x_0)); both numbers are sine and cosine of theta times |N_2| |N_3|.
  const double sine = length_ * dot(flaps_[1].normal, flaps_[0].to_apex);
  const double cosine = dot(flaps_[0].normal, flaps_[1].normal);
  angle_ = std::atan2(sine * hinge.cosine - cosine * hinge.sine,
                      cosine * hinge.cosine + sine * hinge.sine);
}

Vector3<double> BentHinge::turn(int corner) const {
  if (corner >= 2) return flaps_[corner - 2].u;
  return flaps_[0].share(corner) * flaps_[0].u + flaps_[1].share(corner) * flaps_[1].u;
}

/// d(share_i u)/dx_j of a flap, where j = 2 is its apex. With N = sign e x d, d = x_apex - x_0:
///   u = N |e|/|N|^2,  du = |e|/|N|^2 (I - 2 n n^T) dN + N e^T/(|e| |N|^2) de,
///   s = d.e/|e|^2,    ds = e.dd/|e|^2 + (d - 2 s e).de/|e|^2.
Mat3<double> BentHinge::derivative(const Flap& flap, int i, int j) const {
  if (j == 0) return -1.0 * (derivative(flap, i, 1) + derivative(flap, i, 2));
  const double square = length_ * length_;
  if (!(square > 0)) return Mat3<double>::zero();
  const bool by_apex = j == 2;
  const Vector3<double>& crossed = by_apex ? edge_ : flap.to_apex;
  const double sign = by_apex ? flap.sign : -flap.sign;
  Mat3<double> dN = Mat3<double>::zero();
  dN(0, 1) = -sign * crossed[2];
  dN(0, 2) = sign * crossed[1];
  dN(1, 0) = sign * crossed[2];
  dN(1, 2) = -sign * crossed[0];
  dN(2, 0) = -sign * crossed[1];
  dN(2, 1) = sign * crossed[0];
  Mat3<double> mirror = (-2 / flap.square) * outer(flap.normal, flap.normal);
  for (int k = 0; k < 3; ++k) mirror(k, k) += 1;
  Mat3<double> du = (length_ / flap.square) * (mirror * dN);
  Vector3<double> ds = (1 / square) * edge_;
  if (!by_apex) {
    du = du + outer(flap.normal, (1 / (length_ * flap.square)) * edge_);
    ds = (1 / square) * (flap.to_apex - (2 * flap.foot) * edge_);
  }
  const Mat3<double> of_u = flap.share(i) * du;
  if (i == 2) return of_u;
  return of_u + (i == 0 ? 1.0 : -1.0) * outer(flap.u, ds);
}

Mat3<double> BentHinge::positive_block(int i, int j) const {
  return outer(stiffness_ * turn(i), turn(j));
}

Mat3<double> BentHinge::exact_block(int i, int j) const {
  Mat3<double> sum = Mat3<double>::zero();
  for (int f = 0; f < 2; ++f) {
    // The apex of a flap is its third corner; the other flap's apex is not a corner of it.
    const int other = 3 - f;
    if (i == other || j == other) continue;
    sum = sum + derivative(flaps_[f], std::min(i, 2), std::min(j, 2));
  }
  return positive_block(i, j) + (stiffness_ * angle_) * sum;
}

std::vector<Hinge> make_hinges(const std::vector<std::array<int, 3>>& triangles,
                               const std::vector<Vec3>& rest, double rigidity,
                               const std::function<double(int, int)>& fold) {
  std::vector<Hinge> hinges;
  if (!(rigidity > 0)) return hinges;
  std::vector<HingeSide> sides;
  sides.reserve(3 * triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t c = 0; c < 3; ++c) {
      const int a = triangles[t][(c + 1) % 3], b = triangles[t][(c + 2) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), static_cast<int>(t), a, b, triangles[t][c]});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const HingeSide& p, const HingeSide& q) {
    return std::tie(p.low, p.high, p.triangle) < std::tie(q.low, q.high, q.triangle);
  });
  for (std::size_t i = 0, end = 0; i < sides.size(); i = end) {
    while (end < sides.size() && sides[end].low == sides[i].low && sides[end].high == sides[i].high)
      ++end;
    if (end - i != 2) continue;
    Hinge hinge{.vertex = {sides[i].a, sides[i].b, sides[i].apex, sides[i + 1].apex},
                .stiffness = 0,
                .cosine = 1,
                .sine = 0,
                .weight = {},
                .least = {}};
    HingeCorners x{};
    for (std::size_t c = 0; c < 4; ++c) x[c] = rest[at(hinge.vertex[c])].data();
    const Vector3<double> edge = way(x[0], x[1]);
    const double square = dot(edge, edge);
    double area = 0;
    for (std::size_t f = 0; f < 2; ++f) {
      const Vector3<double> to_apex = way(x[0], x[f + 2]), normal = cross(edge, to_apex);
      const double twice = std::sqrt(dot(normal, normal));
      const double inverse_height = std::sqrt(square) / twice;
      const double foot = dot(to_apex, edge) / square;
      hinge.weight[0] -= (1 - foot) * inverse_height;
      hinge.weight[1] -= foot * inverse_height;
      hinge.weight[f + 2] = inverse_height;
      hinge.least[f] = least_square * twice * twice / 4;
      area += 0.5 * twice;
    }
    hinge.stiffness = rigidity * square / area;
    // The angle in the mesh, plus that of a fold.
    const double angle = BentHinge(hinge, x).angle() + fold(hinge.vertex[0], hinge.vertex[1]);
    hinge.cosine = std::cos(angle);
    hinge.sine = std::sin(angle);
    hinges.push_back(hinge);
  }
  return hinges;
}

}  // namespace supple
