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

/// A triangle that cuts: elements with their centres on different sides of it come apart if the
/// line between the centres passes through it. A centre in its plane, to rounding, is in front: the
/// triangles of one plane that are turned alike agree.
class CutTriangle {
 public:
  /// None where the corners are in one line, to rounding.
  static std::optional<CutTriangle> of(const std::array<Vec3, 3>& corners);

  bool separates(const Vec3& a, const Vec3& b) const;
  const Box& box() const { return box_; }

 private:
  Vec3 origin_{}, normal_{};         ///< a corner, m; unit
  std::array<Vec3, 2> gradients_{};  ///< of the weights of the other two corners in its plane, 1/m
  double rounding_ = 0;              ///< m
  Box box_{};                        ///< around it and its rounding, m
};

/// A segment at a moment of the frame that has ended.
struct BladeMoment {
  double before = 0;  ///< the end of the frame, s
  std::array<Vec3, 2> ends{};
};

/// Where a blade that is a segment was from time `begin` to `end`, s: in place of what is there.
void find_way(const Blade& blade, double begin, double end, std::vector<BladeMoment>& way);

/// A blade that is a triangle at a time, s. None where its corners are in one line, to rounding.
std::optional<CutTriangle> standing_blade(const Blade& blade, double time);

/// Means of a field at the corners of the elements of a body: of its tets or, where it has none,
/// its triangles.
void find_means(const Body& body, int first_vertex, const Numbering& numbering,
                const VectorField& field, std::vector<Vec3>& means);

/// Those of the pairs that one of the triangles separates.
std::vector<ElementPair> crossed_pairs(std::span<const ElementPair> joined,
                                       std::span<const Vec3> centres,
                                       std::span<const CutTriangle> triangles);

/// Those of the pairs that a segment passes on its way: between two moments it sweeps two
/// triangles, seen from the pair, which moves with the mean of its velocities, m/s.
std::vector<ElementPair> passed_pairs(std::span<const ElementPair> joined,
                                      std::span<const Vec3> centres,
                                      std::span<const Vec3> velocities,
                                      std::span<const BladeMoment> way);

}  // namespace supple
