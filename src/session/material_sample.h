#pragma once

#include <limits>

#include "supple/scene.h"

namespace supple {

inline constexpr double infinity_modulus = std::numeric_limits<double>::infinity();

/// Stress of a material, Pa, at F = diag(stretches): the diagonal of P. If parameters are given per
/// tet, those of the first tet count. Throws Error{invalid_input} where make_material does.
Vec3 principal_stress(const MaterialSettings& material, const Vec3& stretches);

}  // namespace supple
