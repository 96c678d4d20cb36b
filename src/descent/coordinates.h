#pragma once

#include <vector>

#include "mesh/colouring.h"
#include "model/model.h"

/// Shared by the methods that go vertex by vertex.
namespace supple {

/// Colours of the vertices. The vertices of a tet are neighbours, and so are the ends of a spring.
Colouring colour_vertices(const Model& model);

/// A thousandth of the diagonal of M/a^2 + L, N/m: [num_vertices], > 0. When an element gives way,
/// its projected Hessian can vanish although its force does not; then this bounds the step.
/// Otherwise pivots are larger.
std::vector<double> pivot_floor(const Model& model, double inverse_a2);

}  // namespace supple
