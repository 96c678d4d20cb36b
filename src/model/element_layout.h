#pragma once

#include <vector>

#include "model/model.h"

namespace supple {

/// One material of one tet.
struct ElementSource {
  int tet = 0;
  int layer = 0;                       ///< of its body: 0 is the body's own material
  int model = 0;                       ///< into the list of material models
  int fibers = -1;                     ///< into the list of fibers; -1: none
  bool changes_rest = false;           ///< of all layers of the tet
  std::array<double, 4> parameters{};  ///< of the material, the first num_parameters of them
};

/// Fibers of one body.
struct BodyFibers {
  int first_tet = 0;    ///< of the body
  int first_fiber = 0;  ///< of its families among those of all bodies
  /// [num_families][num_tets, or 1 where all are alike], unit direction and kappa, or the factor of
  /// a curve.
  std::vector<std::vector<std::array<double, 4>>> families;
  std::vector<std::shared_ptr<const CubicSpline>> curves;  ///< [num_families], null: kappa
  std::vector<double> curve_stiffness;                     ///< as ElementRange::curve_stiffness
};

/// Ranges, blocks and slots of the tets of `model` (its rest and tets are read) from `sources`, one
/// for each tet and layer, and the material models and fibers they point into; no stiffness.
ElementLayout lay_out_elements(const std::vector<ElementSource>& sources,
                               const std::vector<MaterialModel>& materials,
                               const std::vector<BodyFibers>& fibers, const Model& model);

/// Rows of Dm^-1, Dm = [X1-X0, X2-X0, X3-X0]: the gradients of the corners 1 to 3, and minus their
/// sum for corner 0; 1/m.
std::array<Vec3, 4> shape_gradients(const std::array<Vec3, 4>& corners);

}  // namespace supple
