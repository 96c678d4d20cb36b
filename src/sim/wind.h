#pragma once

#include <vector>

#include "math/vector_field.h"
#include "model/model.h"
#include "sim/loads.h"
#include "supple/scene.h"

namespace supple {

/// Wind on the triangles of cloth. A face of area A with the unit normal n whose corners move on
/// average at v feels the air at w = wind - v; with n on the side to which w blows the force is
///   F = rho A (n.w)/2 (C_D w + C_L (|w| n - (n.w) w/|w|)),
/// drag along w and lift across it, a third for each corner. Both vanish where w blows along the
/// face; lift vanishes where it blows straight at it, too. The force is that of the beginning of a
/// step, divided by 1 + h K/m at each vertex, where K = rho (C_D + C_L)/6 sum A |w| bounds what it
/// grows by with the velocity: a light cloth then follows strong wind instead of overshooting.
class WindOnFaces {
 public:
  /// Throws Error{invalid_input} below /wind for a number out of range and for a scene without
  /// cloth.
  WindOnFaces(const Scene& scene, const Model& model);

  bool empty() const { return vertices_.empty(); }

  /// Adds the forces at positions x and velocities v through a step of length h, s. Allocates
  /// nothing after the first time.
  void add(const VectorField& x, const VectorField& v, double h, Loads& loads);

 private:
  const Model* model_;
  WindSettings settings_;
  std::vector<int> vertices_;  ///< of faces, ascending; empty: there is no wind
  VectorField force_;          ///< [num_vertices], N; the padding holds K, kg/s
};

}  // namespace supple
