// In place of nested_dissection.cpp where there is no METIS: minimum degree alone is tried then.
#include "linear/nested_dissection.h"

namespace supple {

std::vector<int> nested_dissection(const Adjacency&) { return {}; }

}  // namespace supple
