#pragma once

#include <vector>

#include "model/model.h"

namespace supple {

/// One material of one tet.
struct ElementSource {
  int tet = 0;
  int layer = 0;                       ///< among its body's layers; 0: the body's own material
  int model = 0;                       ///< index into the list of material models
  int fibers = -1;                     ///< index into the list of fibers; -1: none
  bool changes_rest = false;           ///< the same in all layers of the tet
  std::array<double, 4> parameters{};  ///< of the material; the first num_parameters count
};

/// Fibers of one body.
struct BodyFibers {
  int first_tet = 0;    ///< first tet of the body
  int first_fiber = 0;  ///< its first family among those of all bodies
  /// [num_families][num_tets, or 1 if all are alike]: unit direction, and kappa or the factor of a
  /// curve.
  std::vector<std::vector<std::array<double, 4>>> families;
  std::vector<std::shared_ptr<const CubicSpline>> curves;  ///< [num_families]; null: kappa
  std::vector<double> curve_stiffness;                     ///< as ElementRange::curve_stiffness
};

/// Lays out ranges, blocks and slots for the tets of `model`, of which it reads rest shape and
/// tets. sources: one for each tet and layer; materials, fibers: what the sources refer to. Leaves
/// the stiffness empty.
ElementLayout lay_out_elements(const std::vector<ElementSource>& sources,
                               const std::vector<MaterialModel>& materials,
                               const std::vector<BodyFibers>& fibers, const Model& model);

/// Gradients of the shape functions of the corners, 1/m: for corners 1 to 3 the rows of Dm^-1, Dm =
/// [X1-X0, X2-X0, X3-X0]; for corner 0 minus their sum.
std::array<Vec3, 4> shape_gradients(const std::array<Vec3, 4>& corners);

}  // namespace supple
