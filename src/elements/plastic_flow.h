#pragma once

#include <optional>
#include <vector>

#include "base/parallel_for.h"
#include "model/model.h"

namespace supple {

/// Plastic flow of the tets of a model after a step (materials/plastic_flow.h), each by itself, so
/// that the bits do not depend on the number of threads.
class PlasticFlow {
 public:
  explicit PlasticFlow(const Model& model) { make_room(model); }

  /// The model has other elements now.
  void make_room(const Model& model);

  /// What flows in h, s, with the vertices at x: `plastic`, [num_tets], and the rest shapes of the
  /// model follow. Returns the elastic energy that it takes, J; nothing: none has flowed. Allocates
  /// nothing.
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
  std::vector<Elastic> elastic_;                     ///< [num_tets]; empty where nothing flows
  std::vector<std::array<Vec3, 4>> shape_gradient_;  ///< the same
  std::vector<double> taken_;                        ///< [num_batches], J
  std::vector<char> any_;                            ///< [num_chunks]
};

}  // namespace supple
