#pragma once

#include <string>
#include <string_view>

#include "supple/mesh.h"

/// What the generators share: checks of their parameters and the frame of an axis.
namespace supple {

/// The shortest text that reads back as this number.
std::string number_text(double value);

/// These throw Error{invalid_input} naming generator and parameter if a value is out of its range.
void require_positive(std::string_view generator, std::string_view parameter, double value);
void require_at_least(std::string_view generator, std::string_view parameter, int value,
                      int smallest);
void require_finite(std::string_view generator, std::string_view parameter, const Vec3& value);

/// Throws Error{invalid_input} for more than `max_generated_tets`. The number is a double, since a
/// product of counts might not fit an integer.
void require_affordable(std::string_view generator, double num_tets);
/// The same for more than `max_generated_springs`.
void require_affordable_springs(std::string_view generator, double num_springs);

/// Right-handed orthonormal frame whose third vector points along `axis`. Throws
/// Error{invalid_input} for a zero or non-finite axis.
struct Frame {
  Vec3 u, v, axis;
};
Frame frame_about(std::string_view generator, const Vec3& axis);

/// center + a u + b v + c axis.
Vec3 point_in_frame(const Vec3& center, const Frame& frame, double a, double b, double c);

/// Checks the finished mesh. Even if each parameter is in range, a tet can be left without volume,
/// for example a millimetre at a distance where doubles are a metre apart. Throws
/// Error{invalid_input}.
TetMesh finished(std::string_view generator, TetMesh mesh);

}  // namespace supple
