#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/earlier.h"
#include "base/on_demand.h"
#include "contact/surface_tree.h"
#include "model/model.h"
#include "sim/numbering.h"
#include "supple/surface_hit.h"

namespace supple {

/// The surface of a scene: Simulation::surface() and the origin of its triangles.
struct SceneSurface {
  std::vector<std::array<int, 3>> triangles;  ///< [num_triangles], in scene order
  std::vector<int> tets;                      ///< [num_triangles], of the scene; -1: of no tet
  std::vector<int> body_triangles;            ///< [num_bodies + 1], the first of each body
  std::vector<int> body_vertices, body_tets;  ///< [num_bodies + 1], the first of each body in the
                                              ///< scene
};

SceneSurface surface_of(const Scene& scene, const Model& model, const Numbering& numbering,
                        const Earlier<SceneSurface>& earlier = {});

/// Answers questions about places: Simulation::raycast and its like. Several threads can ask at
/// once while no step runs.
class SurfaceQueries {
 public:
  /// Keeps references to all arguments; builds nothing before the first question.
  SurfaceQueries(const Scene& scene, const Model& model, const Numbering& numbering,
                 const SceneSurface& surface, const VectorField& x);

  /// The positions x have changed.
  void moved() { fit_.changed(); }

  std::optional<SurfaceHit> raycast(const Vec3& origin, const Vec3& direction, double max_distance);
  std::optional<SurfaceHit> closest_point(const Vec3& point, double max_distance);
  std::vector<int> overlap(const Box& box);
  std::vector<int> overlap(const SphereShape& sphere);
  std::vector<int> vertices_in(const Box& box) const;
  std::vector<int> vertices_in(const SphereShape& sphere) const;

 private:
  const SurfaceTree& tree();
  std::optional<SurfaceHit> hit(const SurfacePlace& place) const;
  template <class Holds>
  std::vector<int> vertices_where(const Holds& holds) const;

  const Scene* scene_;
  const Model* model_;
  const Numbering* numbering_;
  const SceneSurface* surface_;
  const VectorField* x_;
  std::optional<SurfaceTree> tree_;
  OnDemand fit_;
};

}  // namespace supple
