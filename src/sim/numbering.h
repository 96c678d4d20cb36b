#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/earlier.h"
#include "model/model.h"

namespace supple {

class Numbering;

/// Bodies that have come apart since others were numbered. Their order is that of the whole body,
/// each copy behind the vertex that it is a copy of: as fast to solve, and found without a search.
struct TornBodies {
  const Numbering* made = nullptr;
  /// [num_bodies]: the body there, of the same whole vertices.
  std::vector<int> origin{};
  /// [num_bodies]: of each vertex behind those of the whole body, which of these it is a copy of;
  /// empty of bodies that are whole.
  std::vector<std::vector<int>> copies{};
  /// [num_bodies]: how much of the stiffness of the whole one each spring of a body has; empty of
  /// bodies that are whole.
  std::vector<std::vector<double>> spring_shares{};
};

/// The two numberings of a simulation's vertices. A scene counts them body after body in the order
/// of its meshes; the model counts them, inside each body, in the order in which Cholesky
/// eliminates them: what a solve and a local step touch together then lies together, whatever the
/// mesh's own order, and the solve needs no permutation. Nothing outside of Simulation sees the
/// second.
class Numbering {
 public:
  /// Renumbers `model`, whose vertices are in scene order. An order is looked for once for all
  /// bodies whose elements join their vertices alike.
  explicit Numbering(Model& model, const Earlier<Numbering>& earlier = {},
                     const TornBodies& torn = {});

  /// The model's vertex of a vertex of the scene.
  int to_model(int vertex) const { return model_vertex_[static_cast<std::size_t>(vertex)]; }

  /// The other way round.
  int to_scene(int vertex) const { return scene_vertex_[static_cast<std::size_t>(vertex)]; }

  /// From one numbering to the other: [num_vertices], or empty and then left so.
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
  /// [num_bodies], a number that bodies have in common where the same vertices are joined.
  std::vector<std::uint64_t> graph_;
};

}  // namespace supple
