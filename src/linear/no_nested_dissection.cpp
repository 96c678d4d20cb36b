// Replaces nested_dissection.cpp if there is no METIS: then only minimum degree is tried.
#include "linear/nested_dissection.h"

namespace supple {

std::vector<int> nested_dissection(const Adjacency&) { return {}; }

}  // namespace supple
