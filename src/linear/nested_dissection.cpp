#include "linear/nested_dissection.h"

#include <metis.h>

#include <mutex>

namespace supple {

std::vector<int> nested_dissection(const Adjacency& adjacency) {
  const idx_t n = adjacency.size();
  std::vector<idx_t> start(adjacency.start.begin(), adjacency.start.end());
  std::vector<idx_t> neighbour(adjacency.neighbour.begin(), adjacency.neighbour.end());
  std::vector<idx_t> order(static_cast<std::size_t>(n)), place(static_cast<std::size_t>(n));
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_NUMBERING] = 0;
  options[METIS_OPTION_SEED] = 1;
  // METIS draws its random numbers from the single sequence of the C library. Two calls at a time
  // would take them from each other, and no order would be reproducible.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  // METIS_NodeND finds the same order, but while it runs it redirects SIGTERM and SIGABRT of the
  // whole program to a jump to its own end, which another thread's stack does not survive.
  constexpr idx_t parts = 1;
  std::vector<idx_t> sizes(2 * parts);
  if (METIS_NodeNDP(n, start.data(), neighbour.data(), nullptr, parts, options, order.data(),
                    place.data(), sizes.data()) != METIS_OK) {
    return {};
  }
  return {order.begin(), order.end()};
}

}  // namespace supple
