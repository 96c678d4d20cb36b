#pragma once

#include <vector>

#include "model/model.h"

namespace supple {

/// Numbers the vertices of a model anew: vertex order[k] becomes vertex k. Everything of the model
/// that names or holds a vertex follows; tets, springs and pins keep their places, batches and
/// blocks their elements. order: [num_vertices], a permutation that keeps every body's vertices
/// together and the bodies in their order.
void renumber_vertices(const std::vector<int>& order, Model& model);

}  // namespace supple
