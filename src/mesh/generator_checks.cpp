#include "mesh/generator_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "math/vec3.h"
#include "supple/error.h"

namespace supple {

namespace {

using vec3::cross;
[[noreturn]] void fail(std::string_view generator, const std::string& message) {
  throw Error(ErrorKind::invalid_input, generator, message);
}

Vec3 normalised(const Vec3& v) {
  const double largest = std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
  const Vec3 w{v[0] / largest, v[1] / largest, v[2] / largest};
  const double length = std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  return {w[0] / length, w[1] / length, w[2] / length};
}

}  // namespace

std::string number_text(double value) { return fmt::format("{}", value); }

void require_positive(std::string_view generator, std::string_view parameter, double value) {
  if (std::isfinite(value) && value > 0) return;
  fail(generator, std::string(parameter) + ": " + number_text(value) + " is not a length above 0");
}

void require_at_least(std::string_view generator, std::string_view parameter, int value,
                      int smallest) {
  if (value >= smallest) return;
  fail(generator, std::string(parameter) + ": " + std::to_string(value) + " is below " +
                      std::to_string(smallest));
}

void require_finite(std::string_view generator, std::string_view parameter, const Vec3& value) {
  for (const double x : value) {
    if (!std::isfinite(x)) fail(generator, std::string(parameter) + ": expected finite numbers");
  }
}

void require_affordable(std::string_view generator, double num_tets) {
  if (num_tets <= static_cast<double>(max_generated_tets)) return;
  fail(generator, "this would be more than " + std::to_string(max_generated_tets) +
                      " tets: expected fewer cells");
}

void require_affordable_springs(std::string_view generator, double num_springs) {
  if (num_springs <= static_cast<double>(max_generated_springs)) return;
  fail(generator, "this would be more than " + std::to_string(max_generated_springs) +
                      " springs: expected fewer of them");
}

Frame frame_about(std::string_view generator, const Vec3& axis) {
  require_finite(generator, "axis", axis);
  if (axis == Vec3{0, 0, 0}) fail(generator, "axis: expected a direction that is not zero");
  Frame frame;
  frame.axis = normalised(axis);
  // The coordinate axis that is most nearly perpendicular gives the best conditioned frame.
  std::size_t least = 0;
  for (std::size_t d = 1; d < 3; ++d) {
    if (std::abs(frame.axis[d]) < std::abs(frame.axis[least])) least = d;
  }
  Vec3 helper{0, 0, 0};
  helper[least] = 1;
  frame.v = normalised(cross(frame.axis, helper));
  frame.u = cross(frame.v, frame.axis);
  return frame;
}

Vec3 point_in_frame(const Vec3& center, const Frame& frame, double a, double b, double c) {
  Vec3 point = center;
  for (std::size_t d = 0; d < 3; ++d) {
    point[d] += a * frame.u[d] + b * frame.v[d] + c * frame.axis[d];
  }
  return point;
}

TetMesh finished(std::string_view generator, TetMesh mesh) {
  try {
    normalise(mesh, std::string(generator));
  } catch (const Error& error) {
    fail(generator,
         "these sizes leave a tet without volume in double precision: " + error.message());
  }
  return mesh;
}

}  // namespace supple
