#pragma once

#include "base/parallel_for.h"
#include "model/model.h"
#include "supple/scene.h"
#include "supple/simulation.h"

namespace supple {

/// J, von Mises stress and principal stretches of all tets at x.
ElementMeasures measure_elements(const Model& model, const VectorField& x);

/// First Piola-Kirchhoff stresses of all tets, summed over their layers, Pa. Both [num_tets].
void element_stresses(const Model& model, const std::vector<Mat3<double>>& gradients,
                      std::vector<Mat3<double>>& stress);

/// Elastic energy of a body's material at rest, J: of stable_neo_hookean it is not zero.
double energy_at_rest(const Body& body);

/// Diagonal of a body's box at rest, m.
double box_diagonal(const Model& model, std::size_t body);

/// Tets with det F < 0 at x.
int count_inverted(const Model& model, const VectorField& x, Threads& threads);

}  // namespace supple
