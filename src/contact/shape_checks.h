#pragma once

#include <string>

#include "math/motion.h"
#include "supple/mesh.h"

/// Checks of a collider's parameters. They throw Error{invalid_input} at `where`, a JSON pointer.
/// "Finite" includes a magnitude of at most 1e100, as squares of larger numbers would overflow.
namespace supple::shape_checks {

double finite(double value, const std::string& where);
double positive(double value, const std::string& where);
Vec3 finite(const Vec3& value, const std::string& where);

/// The unit vector along `value`, which must be finite and not zero.
Vec3 unit(const Vec3& value, const std::string& where);

}  // namespace supple::shape_checks

namespace supple {

/// The frame with its third axis along the unit vector `axis`: apply takes local coordinates to the
/// world, apply_inverse back.
Pose frame_along(const Vec3& axis, const Vec3& origin);

}  // namespace supple
