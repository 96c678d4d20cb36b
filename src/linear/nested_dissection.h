#pragma once

#include <vector>

#include "linear/ordering.h"

namespace supple {

/// An elimination order by nested dissection: order[k] is the row eliminated k-th. Empty if none is
/// available.
std::vector<int> nested_dissection(const Adjacency& adjacency);

}  // namespace supple
