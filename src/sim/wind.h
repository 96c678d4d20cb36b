#pragma once

#include <vector>

#include "math/vector_field.h"
#include "model/model.h"
#include "sim/loads.h"
#include "supple/scene.h"

namespace supple {

/// Wind on the triangles of cloth. A face of area A with the unit normal n, whose corners move on
/// average at v, feels the air at w = wind - v. With n on the side to which w blows, the force is
///   F = rho A (n.w)/2 (C_D w + C_L (|w| n - (n.w) w/|w|)),
/// drag along w and lift across it; each corner gets a third. Both vanish if w blows along the
/// face; lift also vanishes if w blows straight at it. The force is the one at the beginning of a
/// step, divided by 1 + h K/m at each vertex. K = rho (C_D + C_L)/6 sum A |w| bounds how fast the
/// force grows with the velocity, so that a light cloth follows strong wind instead of
/// overshooting.
class WindOnFaces {
 public:
  /// Throws Error{invalid_input} below /wind for a number out of range and for a scene without
  /// cloth.
  WindOnFaces(const Scene& scene, const Model& model);

  bool empty() const { return vertices_.empty(); }

  /// Adds the forces at positions x and velocities v for a step of length h, s. Allocates nothing
  /// after the first call.
  void add(const VectorField& x, const VectorField& v, double h, Loads& loads);

 private:
  const Model* model_;
  WindSettings settings_;
  std::vector<int> vertices_;  ///< of faces, ascending; empty: there is no wind
  VectorField force_;          ///< [num_vertices], N; the padding holds K, kg/s
};

}  // namespace supple
