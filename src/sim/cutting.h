#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "math/vector_field.h"
#include "mesh/separation.h"
#include "sim/numbering.h"
#include "supple/scene.h"

namespace supple {

/// A triangle that cuts. Elements whose centres are on different sides of it come apart if the line
/// between the centres passes through it. A centre in its plane, up to rounding, counts as in
/// front, so triangles of one plane that face the same way agree.
class CutTriangle {
 public:
  /// None if the corners are in one line, up to rounding.
  static std::optional<CutTriangle> of(const std::array<Vec3, 3>& corners);

  bool separates(const Vec3& a, const Vec3& b) const;
  const Box& box() const { return box_; }

 private:
  Vec3 origin_{}, normal_{};         ///< a corner, m; unit normal
  std::array<Vec3, 2> gradients_{};  ///< of the weights of the other two corners in its plane, 1/m
  double rounding_ = 0;              ///< m
  Box box_{};                        ///< around it and its rounding, m
};

/// A segment at a moment of the frame that has ended.
struct BladeMoment {
  double before = 0;  ///< the end of the frame, s
  std::array<Vec3, 2> ends{};
};

/// Replaces `way` by where a blade that is a segment was from time `begin` to `end`, s.
void find_way(const Blade& blade, double begin, double end, std::vector<BladeMoment>& way);

/// A blade that is a triangle, at a time, s. None if its corners are in one line, up to rounding.
std::optional<CutTriangle> standing_blade(const Blade& blade, double time);

/// Means of a field over the corners of each element of a body: of its tets or, if it has none, of
/// its triangles or segments.
void find_means(const Body& body, int first_vertex, const Numbering& numbering,
                const VectorField& field, std::vector<Vec3>& means);

/// The pairs that one of the triangles separates.
std::vector<ElementPair> crossed_pairs(std::span<const ElementPair> joined,
                                       std::span<const Vec3> centres,
                                       std::span<const CutTriangle> triangles);

/// The pairs that a segment passes on its way. Between two moments the segment sweeps two
/// triangles, seen from the pair, which moves with the mean of its velocities, m/s.
std::vector<ElementPair> passed_pairs(std::span<const ElementPair> joined,
                                      std::span<const Vec3> centres,
                                      std::span<const Vec3> velocities,
                                      std::span<const BladeMoment> way);

}  // namespace supple
