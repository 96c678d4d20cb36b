#pragma once

#include <span>
#include <vector>

#include "model/model.h"
#include "sim/numbering.h"
#include "supple/surface_hit.h"

namespace supple {

/// A force, N, or an impulse, N s, on a vertex of the model.
struct Push {
  int vertex;
  Vec3 amount;
};

/// What pushes a simulation, vertex by vertex. `name` is the name of the argument with an amount;
/// several amounts have an s appended. All throw Error{invalid_input} naming the argument that is
/// not finite, out of its range or of another size, and for a vertex without mass.
class Pushes {
 public:
  Pushes(const Model& model, const Numbering& numbering, const char* name)
      : model_(&model), numbering_(&numbering), name_(name) {}

  /// Pushes on a whole body, distributed like its weight.
  std::vector<Push> of_body(int body, const Vec3& total) const;
  /// Pushes at a place of the surface.
  std::vector<Push> at_hit(const SurfaceHit& hit, const Vec3& amount) const;
  /// Pushes on vertices of the scene.
  std::vector<Push> of_vertices(std::span<const int> vertices, std::span<const Vec3> amounts) const;

 private:
  int model_vertex(int vertex, const char* where) const;

  const Model* model_;
  const Numbering* numbering_;
  const char* name_;
};

/// Throws Error{invalid_input} at `where` unless all numbers are finite.
void require_finite(const Vec3& x, const char* where);

}  // namespace supple
