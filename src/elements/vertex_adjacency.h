#pragma once

#include <vector>

#include "linear/ordering.h"
#include "model/model.h"

namespace supple {

/// Neighbours of each vertex through tets, springs, membranes, rods, pressures and bonds. With
/// `body`: those of one body, numbered from its first vertex, without bonds.
Adjacency vertex_adjacency(const Model& model);
Adjacency vertex_adjacency(const Model& model, int body);

/// An elimination order with little fill, [num_vertices]: the order of the vertices if the model
/// says that it is one, otherwise one that is searched for body by body. Bodies that bonds couple
/// have one order together, after those of the bodies before them (BondSet::groups).
std::vector<int> elimination_order(const Model& model);

/// 1 for each body whose matrix has bonds: it is in a group with others, or bonded to itself.
std::vector<char> bound_bodies(const Model& model);

}  // namespace supple
