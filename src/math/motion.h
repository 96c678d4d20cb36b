#pragma once

#include <string>

#include "supple/pose.h"
#include "supple/scene.h"

namespace supple {

/// Rotation by an angle about an axis (any length but zero) through a centre [Rodrigues' formula]:
///   R = cos(a) I + sin(a) [u]_x + (1 - cos(a)) u u^T,  d = c - R c.
/// Whole turns give exactly the identity. A zero axis gives the identity, too. Never throws.
Pose turned(const Vec3& axis, const Vec3& center, double degrees);

/// The pose of a motion at time t, s: rotation first, then translation, as `Motion` describes. An
/// empty motion is the identity. Never throws or allocates; `motion` must have passed `validate`.
Pose evaluate(const Motion& motion, double t);

/// Says in words what is wrong with a motion; "" if it is valid. Refuses: a zero or non-finite
/// axis; a number that is not finite or above 1e100 in magnitude (its square would overflow); times
/// that do not increase; keyframes together with a rotation or a velocity; `repeat` without two
/// keyframes or with a last time that is not positive; opposite axes in neighbouring keyframes
/// (between them the axis has no direction).
std::string validate(const Motion& motion);

/// The value of a number at time t, s. Never throws or allocates; `number` must have passed
/// `validate`.
double evaluate(const TimedNumber& number, double t);

/// Says in words what is wrong with a number over time, as for a motion; "" if it is valid. low,
/// high: bounds of its values, included.
std::string validate(const TimedNumber& number, double low, double high);

/// Whether its value changes over time.
bool changes(const TimedNumber& number);

}  // namespace supple
