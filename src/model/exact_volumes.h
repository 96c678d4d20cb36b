#pragma once

#include "model/model.h"

namespace supple {

/// Gives the volumes that stay their stiffness: ten times what resists a change of volume
/// otherwise,
///   kappa = 10 (E''/(9 V0^2) + 1/(h^2 sum_i |dV/dx_i|^2/m_i)),
/// by the constant stiffnesses of what is around or inside as it is stretched evenly in all
/// directions, E'' = d2E/ds2, and by the inertia of the surface in a substep h. So the method of
/// multipliers divides an error by ten or more each time. Throws Error{invalid_input} at the
/// body's volume where that is 0 or no number.
void stiffen_volumes(const TimeSettings& time, Model& model);

}  // namespace supple
