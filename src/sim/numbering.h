#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/earlier.h"
#include "model/model.h"

namespace supple {

class Numbering;

/// Bodies that have come apart since other bodies were numbered. They are ordered like the whole
/// body, each copy after the vertex that it copies. This is as fast to solve and needs no search
/// for an order.
struct TornBodies {
  const Numbering* made = nullptr;
  /// [num_bodies]: the body in `made` with the same whole vertices.
  std::vector<int> origin{};
  /// [num_bodies]: for each vertex after those of the whole body, the vertex that it copies; empty
  /// for bodies that are whole.
  std::vector<std::vector<int>> copies{};
  /// [num_bodies]: the share that each spring has of the stiffness of the whole body's spring;
  /// empty for bodies that are whole.
  std::vector<std::vector<double>> spring_shares{};
};

/// The two numberings of a simulation's vertices. A scene counts them body after body in the order
/// of its meshes. The model counts them, inside each body, in the order in which Cholesky
/// eliminates them: vertices that a solve and a local step touch together then lie together,
/// whatever the mesh's own order, and the solve needs no permutation. Nothing outside of Simulation
/// sees the second numbering.
class Numbering {
 public:
  /// Renumbers `model`, whose vertices are in scene order. Bodies whose elements join their
  /// vertices in the same way share one search for an order.
  explicit Numbering(Model& model, const Earlier<Numbering>& earlier = {},
                     const TornBodies& torn = {});

  /// The model's vertex of a vertex of the scene.
  int to_model(int vertex) const { return model_vertex_[static_cast<std::size_t>(vertex)]; }

  /// The scene's vertex of a vertex of the model.
  int to_scene(int vertex) const { return scene_vertex_[static_cast<std::size_t>(vertex)]; }

  /// From one numbering to the other: [num_vertices], or empty, which stays empty.
  VectorField to_model(const VectorField& field) const;
  VectorField to_scene(const VectorField& field) const;
  State to_model(const State& state) const;
  State to_scene(const State& state) const;

  /// x y z of each vertex, in scene order: out is [num_vertices * 3].
  void unpad_to_scene(const VectorField& field, std::span<double> out) const;

 private:
  std::vector<int> torn_order(const TornBodies& torn, std::size_t body) const;

  std::vector<int> scene_vertex_;  ///< [num_vertices], of each vertex of the model
  std::vector<int> model_vertex_;  ///< and the other way round
  std::vector<int> first_;         ///< [num_bodies + 1], vertex
  /// [num_bodies], the same number for bodies that join the same vertices.
  std::vector<std::uint64_t> graph_;
};

}  // namespace supple
