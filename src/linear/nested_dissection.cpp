#include "linear/nested_dissection.h"

#include <metis.h>

namespace supple {

std::vector<int> nested_dissection(const Adjacency& adjacency) {
  idx_t n = adjacency.size();
  std::vector<idx_t> start(adjacency.start.begin(), adjacency.start.end());
  std::vector<idx_t> neighbour(adjacency.neighbour.begin(), adjacency.neighbour.end());
  std::vector<idx_t> order(static_cast<std::size_t>(n)), place(static_cast<std::size_t>(n));
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = 1;
  if (METIS_NodeND(&n, start.data(), neighbour.data(), nullptr, options, order.data(),
                   place.data()) != METIS_OK) {
    return {};
  }
  return {order.begin(), order.end()};
}

}  // namespace supple
