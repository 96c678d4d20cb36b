#include "descent/coordinates.h"

#include "descent/laplacian.h"
#include "elements/vertex_adjacency.h"

namespace supple {

Colouring colour_vertices(const Model& model) {
  const Adjacency adjacency = vertex_adjacency(model);
  return colour_vertices(adjacency.start, adjacency.neighbour);
}

std::vector<double> pivot_floor(const Model& model, double inverse_a2) {
  std::vector<double> floor = laplacian_diagonal(model, inverse_a2);
  for (double& entry : floor) entry *= 1e-3;
  return floor;
}

}  // namespace supple
