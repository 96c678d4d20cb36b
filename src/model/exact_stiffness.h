#pragma once

#include "model/model.h"

namespace supple {

/// Gives inextensible springs and exact volumes the stiffness k of their augmented Lagrangian
/// (multipliers.h).
///
/// Springs have their own, or that of inertia if it is more,
///   k = 2 m/h^2 (1 + (2 n/pi)^2),
/// where n is the number of springs from one end of what hangs together to the other, m the largest
/// mass of its vertices and h a substep. A multiplier is the sum of all errors so far, so a step
/// that leaves more than half of an error makes it swing up. The slowest error is that of a chain
/// of n links as a whole, for which the inertia is m (2 n/pi)^2; one round leaves a third of it.
///
/// Volumes have ten times what otherwise resists a change,
///   k = 10 (E''/(9 V0^2) + 1/(h^2 sum_i |dV/dx_i|^2/m_i)).
/// The first term comes from the constant stiffnesses of what is around or inside as it is
/// stretched evenly in all directions, with E'' = d2E/ds2. The second comes from the inertia of the
/// surface. The method of multipliers then divides an error by ten or more each time.
///
/// Throws Error{invalid_input} at a body's volume if its stiffness is 0 or not finite.
void stiffen_exact(const TimeSettings& time, Model& model);

}  // namespace supple
