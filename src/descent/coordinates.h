#pragma once

#include <vector>

#include "mesh/colouring.h"
#include "model/model.h"

/// What the methods share that go vertex by vertex.
namespace supple {

/// Colours of the vertices, those of a tet and the ends of a spring being neighbours.
Colouring colour_vertices(const Model& model);

/// A thousandth of the diagonal of M/a^2 + L, N/m: [num_vertices], > 0. Where an element gives way
/// its projected Hessian can vanish while its force does not; the step is then bounded by this.
/// Elsewhere pivots are larger.
std::vector<double> pivot_floor(const Model& model, double inverse_a2);

}  // namespace supple
