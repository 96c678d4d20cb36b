#pragma once

#include <vector>

#include "model/model.h"

namespace supple {

/// Renumbers the vertices of a model: vertex order[k] becomes vertex k. Everything in the model
/// that names a vertex or holds its data follows. Tets, springs and pins keep their places, batches
/// and blocks their elements. order: [num_vertices], a permutation that keeps every body's vertices
/// together and the bodies in their order.
void renumber_vertices(const std::vector<int>& order, Model& model);

}  // namespace supple
