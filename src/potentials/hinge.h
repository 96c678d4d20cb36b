#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "math/mat3.h"
#include "supple/mesh.h"

namespace supple {

/// Two triangles (x_0, x_1, x_2) and (x_1, x_0, x_3) that resist being turned against each other
/// about their edge e = x_1 - x_0 [Grinspun et al. 2003, sec. 3; Tamstorf & Grinspun 2013]:
///   E = k/2 (theta - theta_0)^2,  k = D |e|^2/(A_2 + A_3) at rest,
/// where A_2 and A_3 are their areas and D is the bending rigidity. This is a third of Grinspun's
/// weight |e|/h. It gives a sheet of equal triangles the energy of a plate however it is rolled up,
/// and does so for a sheet of squares that is rolled along their sides. theta is positive where the
/// fronts approach each other. The difference of the angles is taken from -pi to pi: beyond half a
/// turn from theta_0, the force leads back the other way round.
struct Hinge {
  std::int32_t vertex[4];
  double stiffness;     ///< k, N m
  double cosine, sine;  ///< of theta_0
  /// dtheta/dx_a along the normal of the flat hinge, 1/m: c of the constant matrix k c c^T, which
  /// is the Hessian of a flat hinge with a flat rest shape.
  double weight[4];
  double least[2];  ///< squared area below which a triangle counts as collapsed, m^4
};

using HingeCorners = std::array<const double*, 4>;

/// A hinge with its vertices at x: theta - theta_0 and its derivatives.
///   dtheta/dx_2 = u_2 = n_2/h_2,  dtheta/dx_3 = u_3 = n_3/h_3,
///   dtheta/dx_0 = -(1 - s_2) u_2 - (1 - s_3) u_3,  dtheta/dx_1 = -s_2 u_2 - s_3 u_3,
/// where n are the unit normals, h the heights over the edge, and s the places of their feet, from
/// 0 at x_0 to 1 at x_1. The forces of a collapsed triangle vanish with its area.
class BentHinge {
 public:
  BentHinge(const Hinge& hinge, const HingeCorners& x);

  double energy() const { return 0.5 * stiffness_ * angle_ * angle_; }  ///< J
  double angle() const { return angle_; }                               ///< theta - theta_0
  Vector3<double> turn(int corner) const;                               ///< dtheta/dx, 1/m
  /// dE/dx of a corner, N.
  Vector3<double> gradient(int corner) const { return (stiffness_ * angle_) * turn(corner); }
  /// d2E/dx_i dx_j, N/m: exact, k (dtheta_i dtheta_j^T + (theta - theta_0) d2theta_ij).
  Mat3<double> exact_block(int i, int j) const;
  /// Only the first (Gauss-Newton) part: positive semi-definite, of rank one for all corners
  /// together.
  Mat3<double> positive_block(int i, int j) const;

 private:
  /// A triangle on one side of the edge; the sign is 1 for (x_0, x_1, x_2) and -1 for the other.
  struct Flap {
    Vector3<double> to_apex, normal, u;
    double sign, square, foot;  ///< |N|^2, s
    double share(int corner) const { return corner == 0 ? foot - 1 : corner == 1 ? -foot : 1; }
  };
  Flap flap(const HingeCorners& x, int apex, double least) const;
  Mat3<double> derivative(const Flap& flap, int i, int j) const;

  Vector3<double> edge_;
  double length_, stiffness_;
  Flap flaps_[2];
  double angle_ = 0;
};

inline constexpr int blocks_of_hinge = 10;
/// Corners of those blocks as (row, column).
inline constexpr int hinge_row[blocks_of_hinge] = {0, 1, 2, 3, 1, 2, 2, 3, 3, 3};
inline constexpr int hinge_column[blocks_of_hinge] = {0, 1, 2, 3, 0, 0, 1, 0, 1, 2};

/// The hinges of a sheet at `rest` with the bending rigidity D in N m, one for each edge of exactly
/// two triangles. fold(a, b): the angle to add to the rest angle of the edge between these
/// vertices, radians.
std::vector<Hinge> make_hinges(const std::vector<std::array<int, 3>>& triangles,
                               const std::vector<Vec3>& rest, double rigidity,
                               const std::function<double(int, int)>& fold);

}  // namespace supple
