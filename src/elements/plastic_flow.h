#pragma once

#include <optional>
#include <vector>

#include "base/parallel_for.h"
#include "model/model.h"

namespace supple {

/// Plastic flow of the tets of a model after a step (materials/plastic_flow.h). Each tet flows
/// independently of the others, so the bits do not depend on the number of threads.
class PlasticFlow {
 public:
  explicit PlasticFlow(const Model& model) { make_room(model); }

  /// Call this when the model's elements have changed.
  void make_room(const Model& model);

  /// Lets the tets flow for a time h, s, with the vertices at x, and updates `plastic`, [num_tets],
  /// and the rest shapes of the model. Returns the elastic energy that the flow takes away, J, or
  /// nullopt if no tet has flowed. Allocates nothing.
  std::optional<double> advance(Model& model, const VectorField& x, double h,
                                std::vector<PlasticStrain>& plastic, Threads& threads);

 private:
  bool find_flow(Model& model, const VectorField& x, double h, std::vector<PlasticStrain>& plastic,
                 Threads& threads);
  double write_batch(Model& model, const ElementRange& range, int batch) const;

  /// F_e of a tet before and after its flow.
  struct Elastic {
    Mat3<double> before, after;
    bool flows = false;
  };
  std::vector<Elastic> elastic_;                     ///< [num_tets]; empty if nothing can flow
  std::vector<std::array<Vec3, 4>> shape_gradient_;  ///< the same
  std::vector<double> taken_;                        ///< [num_batches], J
  std::vector<char> any_;                            ///< [num_chunks]
};

}  // namespace supple
