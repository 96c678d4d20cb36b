#pragma once

#include <vector>

#include "model/model.h"

namespace supple {

/// One material of one tet.
struct ElementSource {
  int tet = 0;
  int layer = 0;  ///< of its body: 0 is the body's own material
  int model = 0;  ///< into the list of material models
  bool has_fiber = false;
  bool changes_rest = false;           ///< of all layers of the tet
  std::array<double, 4> parameters{};  ///< of the material, the first num_parameters of them
  std::array<double, 4> fiber{};       ///< unit direction, kappa
};

/// Ranges, blocks and slots of the tets of `model` (its rest and tets are read) from `sources`, one
/// for each tet and layer, and the material models they point into; no stiffness.
ElementLayout lay_out_elements(const std::vector<ElementSource>& sources,
                               const std::vector<MaterialModel>& materials, const Model& model);

/// Rows of Dm^-1, Dm = [X1-X0, X2-X0, X3-X0]: the gradients of the corners 1 to 3, and minus their
/// sum for corner 0; 1/m.
std::array<Vec3, 4> shape_gradients(const std::array<Vec3, 4>& corners);

}  // namespace supple
