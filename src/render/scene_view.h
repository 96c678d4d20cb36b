#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "base/parallel_for.h"
#include "render/camera.h"
#include "render/image.h"
#include "render/render.h"
#include "supple/scene.h"

namespace supple {

/// The parts of a body that are drawn.
struct ViewedBody {
  int first_vertex = 0;  ///< in the scene's vertices
  int num_vertices = 0;
  std::vector<std::array<int, 3>> triangles;  ///< of its surface, indices from its first vertex
  std::vector<std::array<int, 2>> segments;   ///< lines of a body without triangles, drawn as tubes
};

/// What a series of pictures of a scene shows.
struct ViewedScene {
  std::vector<ViewedBody> bodies;
  std::vector<double> rest;         ///< [num_vertices * 3], m; bends of this shape are creases
  Box motion;                       ///< contains the bodies at all times, m
  double duration = 0;              ///< of the series, s
  std::vector<Collider> colliders;  ///< with valid motions
  Vec3 gravity{0, -9.81, 0};        ///< m/s^2; up is the opposite direction; zero: up is y
};

/// Draws a scene at any time from one place that sees all of its motion: each body in its own
/// colour, colliders as grey glass. The plane that supports the scene becomes its ground. If there
/// is none, faint lines mark the lowest point of the bodies.
class SceneView {
 public:
  /// Throws Error{invalid_input} for a vertex, triangle or segment out of range. `threads` must
  /// outlive it.
  SceneView(const ViewedScene& scene, Threads& threads);

  /// positions: [num_vertices * 3], m, at `time`, s.
  Image draw(std::span<const double> positions, double time, int width, int height) const;

 private:
  struct Body {
    ViewedBody view;
    Smoothing smoothing;
    Colour colour;
  };
  struct Solid {
    TriangleMesh mesh;
    Smoothing smoothing;
    Motion motion;
    bool plane = false;
  };

  /// The vertices of the body's triangles: the body's own, or those of its tubes.
  std::vector<Vec3> surface_points(const Body& body, std::vector<Vec3> vertices) const;
  void find_ground(const ViewedScene& scene);
  void add_colliders(const ViewedScene& scene);
  Box box_of_view(const ViewedScene& scene) const;

  Threads& threads_;
  std::size_t num_vertices_ = 0;
  std::vector<Body> bodies_;
  std::vector<Solid> solids_;
  std::optional<std::size_t> ground_collider_;
  Motion ground_motion_;
  Ground ground_;  ///< at rest
  Vec3 up_{0, 1, 0};
  double tube_radius_ = 0;  ///< m
  Box view_;
};

}  // namespace supple
