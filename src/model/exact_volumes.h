#pragma once

#include "model/model.h"

namespace supple {

/// Gives the exact volumes their stiffness: ten times what otherwise resists a change of volume,
///   kappa = 10 (E''/(9 V0^2) + 1/(h^2 sum_i |dV/dx_i|^2/m_i)).
/// The first term comes from the constant stiffnesses of what is around or inside as it is
/// stretched evenly in all directions, with E'' = d2E/ds2. The second comes from the inertia of the
/// surface in a substep h. The method of multipliers then divides an error by ten or more each
/// time. Throws Error{invalid_input} at the body's volume if its stiffness is 0 or not finite.
void stiffen_volumes(const TimeSettings& time, Model& model);

}  // namespace supple
