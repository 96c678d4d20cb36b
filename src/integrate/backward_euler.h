#pragma once

#include "model/model.h"

namespace supple {

/// Backward Euler as a minimisation [thesis eqs. 3.29 and 3.30]:
///   a = h,  y = x_n + h v~_n + h^2 M^-1 f_ext,  x_{n+1} = argmin g,  v_{n+1} = (x_{n+1} - x_n) /
///   h,
/// v~ being the velocity after ether drag [thesis sec. 8.6]: v~ = exp(-drag h) v. Gravity is the
/// external force. A vertex without mass has y = x_n.
namespace backward_euler {

/// y of a step of h s from `state`. drag: 1/s; gravity: m/s^2.
void inertial_target(const Model& model, const State& state, double h, const Vec3& gravity,
                     double drag, VectorField& y);

/// Moves the state to z, h s later.
void advance(const VectorField& z, double h, State& state);

}  // namespace backward_euler

}  // namespace supple
